#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the packages of a release from a build tree:  tools/make_packages.py BUILD_DIR OUTPUT_DIR

The build tree is configured with TOPOWISE_OLD_GLIBC, TOPOWISE_PYTHON and TOPOWISE_PYTHON_ABI3, and its target topowise_portable is built: `make packages`.
OUTPUT_DIR then contains

  topowise-VERSION-linux-ARCH.tar.zst, .tar.gz   one tree that works wherever it is unpacked
  topowise_VERSION_ARCH.deb, topowise-VERSION-1.ARCH.rpm
  topowise-VERSION-cp310-abi3-manylinux_2_28_ARCH.whl   not without TOPOWISE_PYTHON, as in `make packages-aarch64`
  topowise-VERSION.tar.xz                        the sources
  SHA256SUMS

and of what was there before, the packages of this version for other processors. The same sources give the same bytes: all times are SOURCE_DATE_EPOCH (by default that of the last commit), and files are in the order of their names.
"""
import argparse
import email.utils
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
OLDEST_GLIBC = (2, 28)
MAINTAINER = "The topowise authors <topowise@localhost>"  # as in packaging/cpack.cmake
PROCESSORS = {62: ("x86_64", "amd64"), 183: ("aarch64", "arm64")}  # by the number in ELF files; with Debian's name
COMPONENTS = ["portable", "manuals", "documents", "headers"]
NOT_SOURCES = {"build", ".deps", ".git", "demo-output", "__pycache__"}


def run(*words, **options):
    words = [str(word) for word in words]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stdout[-6000:]}\nexit status {done.returncode}")
    return done.stdout


def version():
    return re.search(r"project\(topowise VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def is_clone():
    return (ROOT / ".git").exists()


def epoch():
    """The time of everything in the packages, in seconds since 1970."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    if is_clone():
        return int(run("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    return int((ROOT / "CMakeLists.txt").stat().st_mtime)  # unpacked sources have the time of their archive


def sources():
    """The files of this folder that belong to the sources, uncommitted ones included."""
    if is_clone():
        listed = run("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        return sorted(name for name in listed if name and os.path.lexists(ROOT / name))
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(str(path) for path in found if not NOT_SOURCES & set(path.parts))


def settle(tree, seconds, libraries=0o755):
    """Gives all files of a tree one time, and the rights that installed files have. Debian and others do not agree on those of shared libraries."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(libraries if path.suffix == ".so" else 0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
        os.utime(path, (seconds, seconds), follow_symlinks=False)


def archive(folder, names, prefix, seconds, *compress):
    """A compressed tar file of the given names in a folder, as bytes on the standard output of `compress`."""
    tar = ["tar", "-C", folder, "--create", "--format=posix", "--pax-option=delete=atime,delete=ctime", "--sort=name", f"--mtime=@{seconds}", "--owner=root:0", "--group=root:0",
           "--mode=u+rw,go+r,go-w,a+X", f"--transform=flags=rSh;s,^\\(\\./\\)*,{prefix}/,", "--null", "--no-recursion", "--verbatim-files-from", "--files-from=-"]
    with tempfile.TemporaryFile() as listed:
        listed.write("".join(f"{name}\0" for name in names).encode())
        listed.seek(0)
        with subprocess.Popen(tar, stdin=listed, stdout=subprocess.PIPE) as writer, subprocess.Popen(compress, stdin=writer.stdout, stdout=subprocess.PIPE) as compressor:
            writer.stdout.close()
            made = compressor.stdout.read()
    if writer.returncode != 0 or compressor.returncode != 0:
        sys.exit(f"tar: exit status {writer.returncode}; {compress[0]}: exit status {compressor.returncode}")
    return made


def stage(build, tree):
    for component in COMPONENTS:
        run("cmake", "--install", build, "--prefix", tree, "--component", component)
    return tree


def processor_of(program):
    """The names of the processor for which a program was made."""
    return PROCESSORS[int.from_bytes(program.read_bytes()[18:20], "little")]


def newest_glibc(file, machine):
    """The newest version of glibc's symbols that a program or library needs."""
    versions = re.findall(r"\(?GLIBC_([0-9.]+)\)?", run(f"{machine}-linux-gnu-objdump", "-T", file))
    return max(tuple(map(int, each.split("."))) for each in versions)


def check_glibc(files, machine):
    for file in files:
        if (needed := newest_glibc(file, machine)) > OLDEST_GLIBC:
            sys.exit(f"{file} needs symbols of glibc {'.'.join(map(str, needed))}: cmake/portable/ must have them")


def make_tarballs(tree, output, name, seconds):
    names = sorted(str(path.relative_to(tree)) for path in tree.rglob("*"))
    (output / f"{name}.tar.zst").write_bytes(archive(tree, names, name, seconds, "zstd", "-q", "-15", "-T1"))
    (output / f"{name}.tar.gz").write_bytes(archive(tree, names, name, seconds, "gzip", "-6", "-n"))


def make_deb_and_rpm(tree, output, work, machine, seconds):
    """CPack's packages of the same tree. It lies in /usr there, where environment modules are of no use."""
    shutil.rmtree(tree / "share" / "modulefiles")
    config = work.with_suffix(".cmake")
    config.write_text(f'set(TREE "{tree}")\nset(VERSION {version()})\nset(ARCHITECTURE {machine})\ninclude("{ROOT}/packaging/cpack.cmake")\n', encoding="utf-8")
    for kind in ("RPM", "DEB"):
        if kind == "DEB":
            as_debian_has_it(tree, seconds)
        settle(tree, seconds, 0o644 if kind == "DEB" else 0o755)
        run("cpack", "--config", config, "-G", kind, "-B", work, env=os.environ | {"SOURCE_DATE_EPOCH": str(seconds)})
    for file in [*work.glob("*.deb"), *work.glob("*.rpm")]:
        shutil.copy(file, output)


def as_debian_has_it(tree, seconds):
    """The files of documentation that Debian's policy wants."""
    documents = tree / "share" / "doc" / "topowise"
    texts = [(documents / name).read_text(encoding="utf-8") for name in ("LICENSE", "THIRD-PARTY-NOTICES.md")]
    (documents / "copyright").write_text("\n".join(texts), encoding="utf-8")
    date = email.utils.formatdate(seconds)
    (documents / "changelog").write_text(f"topowise ({version()}) unstable; urgency=medium\n\n  * CHANGELOG.md lists the changes.\n\n -- {MAINTAINER}  {date}\n", encoding="utf-8")
    os.utime(documents / "changelog", (seconds, seconds))
    run("gzip", "-9", "-n", documents / "changelog", *tree.glob("share/man/man1/*.1"))


def make_wheel(build, output, work, machine, seconds):
    """The wheel, made from the portable files of the build tree. It needs no library that auditwheel would have to add."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    python = re.search(r"^Python_EXECUTABLE:\w+=(.*)$", cache, re.MULTILINE).group(1)
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(seconds), "PATH": f"{pathlib.Path(python).parent}:{os.environ['PATH']}"}
    run(python, "-m", "build", "--no-isolation", "--wheel", "-o", work / "plain", "-Ccmake.source-dir=python/prebuilt", "-Cbuild.targets=all", f"-Cbuild-dir={work / 'tree'}",
        f"-Ccmake.define.TOPOWISE_BUILD_TREE={build}", ROOT, env=environment)
    (plain,) = (work / "plain").glob("*.whl")
    run(python, "-m", "auditwheel", "repair", "--plat", f"manylinux_{OLDEST_GLIBC[0]}_{OLDEST_GLIBC[1]}_{machine}", "--only-plat", "-w", work / "repaired", plain, env=environment)
    (wheel,) = (work / "repaired").glob("*.whl")
    shutil.copy(wheel, output)


def empty(output, machine):
    """Removes all files but packages of this version for other processors."""
    output.mkdir(parents=True, exist_ok=True)
    others = [name for names in PROCESSORS.values() if machine not in names for name in names]
    for file in output.iterdir():
        if file.is_dir():
            shutil.rmtree(file)
        elif version() not in file.name or not any(name in file.name for name in others):
            file.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD_DIR", type=pathlib.Path)
    parser.add_argument("output", metavar="OUTPUT_DIR", type=pathlib.Path)
    words = parser.parse_args()
    os.umask(0o022)  # archives keep the rights of files
    build, output, seconds = words.build.resolve(), words.output.resolve(), epoch()
    portable = build / "portable"
    if not (portable / "bin" / "topowise").exists():
        sys.exit(f"{build} has no portable program: configure it with TOPOWISE_OLD_GLIBC, and build topowise_portable (make packages)")
    machine, _ = processor_of(portable / "bin" / "topowise")
    empty(output, machine)
    check_glibc([portable / "bin" / "topowise", *portable.glob("lib/*.so"), *portable.glob("python/*.so")], machine)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        tree = stage(build, work / "tree")
        settle(tree, seconds)
        make_tarballs(tree, output, f"topowise-{version()}-linux-{machine}", seconds)
        make_deb_and_rpm(tree, output, work / "cpack", machine, seconds)
        if any(portable.glob("python/*.so")):
            make_wheel(build, output, work / "wheel", machine, seconds)
        prefix = f"topowise-{version()}"
        (output / f"{prefix}.tar.xz").write_bytes(archive(ROOT, sources(), prefix, seconds, "xz", "-6"))
    files = sorted(output.iterdir())
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (output / "SHA256SUMS").write_text(sums, encoding="utf-8")
    for file in files:
        print(f"{file.stat().st_size / 1e6:6.1f} MB  {file}")


if __name__ == "__main__":
    main()
