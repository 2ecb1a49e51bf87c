#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The packages that tools/make_packages.py made, as their users have them:  packages_test.py SOURCES BUILD_DIR PACKAGES [TEST...]"""

import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

SOURCES, BUILD, PACKAGES = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
HERE = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(topowise VERSION ([0-9.]+)", (SOURCES / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
MACHINE = platform.machine()
DEBIAN_MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}[MACHINE]
TARBALL = f"topowise-{VERSION}-linux-{MACHINE}"
USER = 65534
# Every Linux with glibc has these.
SYSTEM_LIBRARIES = re.compile(r"ld-linux-\S+|lib(c|m|dl|pthread)\.so\.\d+")


def first_screen():
    """The commands of README's first block."""
    text = (SOURCES / "README.md").read_text(encoding="utf-8")
    return "".join(line.split("#")[0].rstrip() + "\n" for line in re.search(r"^```\n(mpirun .*?)^```", text, re.MULTILINE | re.DOTALL).group(1).splitlines())


def is_elf(file):
    return file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"


def contents(tree):
    return {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_symlink() or not path.is_dir()}


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = pathlib.Path(folder.name)
        cls.home.chmod(0o755)
        cls.tree = cls.home / "user" / TARBALL
        cls.tree.parent.mkdir()
        with tarfile.open(PACKAGES / f"{TARBALL}.tar.gz") as packed:
            packed.extractall(cls.tree.parent)  # noqa: S202  (our own archive)

    def output(self, *words, expect=0, **options):
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
        self.assertEqual(done.returncode, expect, f"{words}\n{done.stdout[-4000:]}")
        return done.stdout

    def as_user(self, *words, path, **options):
        """Runs a command as a user without root and without the sources, in an empty folder that must be empty afterwards."""
        with tempfile.TemporaryDirectory(dir=self.home) as folder:
            os.chmod(folder, 0o777)
            words = [*words]
            if os.geteuid() == 0:
                words = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0" && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"', SOURCES, *words]
            variables = {"HOME": folder, "PATH": f"{path}:/usr/local/bin:/usr/bin:/bin", "TMPDIR": folder}
            done = self.output(*words, cwd=folder, env=variables, **options)
            self.assertEqual([name for name in os.listdir(folder) if not name.startswith((".cache", "ompi.", "openmpi-sessions"))], [])
            return done

    def use(self, binaries):
        """README's first screen, as a user without root."""
        families = [family for family in ("openmpi", "mpich") if shutil.which(f"mpicc.{family}")]
        self.assertTrue(families or "TOPOWISE_REQUIRE_ALL" not in os.environ, "no MPI library with its compiler wrapper")
        for name in ("first_screen.sh", "program.c"):
            shutil.copy(HERE / name, self.home)
        self.assertIn("first screen: ok", self.as_user(self.home / "first_screen.sh", self.home / "program.c", *families, path=binaries, input=first_screen()))

    def test_names_and_checksums(self):
        expected = {f"{TARBALL}.tar.zst", f"{TARBALL}.tar.gz", f"topowise_{VERSION}_{DEBIAN_MACHINE}.deb", f"topowise-{VERSION}-1.{MACHINE}.rpm",
                    f"topowise-{VERSION}-cp310-abi3-manylinux_2_28_{MACHINE}.whl", f"topowise-{VERSION}.tar.xz"}
        sums = dict(reversed(line.split("  ")) for line in (PACKAGES / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
        self.assertEqual(set(sums), expected)
        self.assertEqual({path.name for path in PACKAGES.iterdir()}, expected | {"SHA256SUMS"})
        for name, checksum in sums.items():
            self.assertEqual(hashlib.sha256((PACKAGES / name).read_bytes()).hexdigest(), checksum, name)

    def test_both_tarballs_have_the_same_files(self):
        plain = subprocess.run(["gzip", "-dc", PACKAGES / f"{TARBALL}.tar.gz"], capture_output=True, check=True).stdout
        self.assertEqual(subprocess.run(["zstd", "-dcq", PACKAGES / f"{TARBALL}.tar.zst"], capture_output=True, check=True).stdout, plain)

    def test_what_the_tarball_contains(self):
        files = contents(self.tree)
        for name in ("bin/topowise", "lib/libtopowise_interpose.so", "lib/libtopowise_engine.so", "lib/libtopowise_allreduce.so", "lib/libnccl-profiler-topowise.so",
                     "lib/libtopowise.a", "share/man/man1/topowise.1", "share/man/man1/topowise-map.1", "share/bash-completion/completions/topowise",
                     "share/zsh/site-functions/_topowise", "share/fish/vendor_completions.d/topowise.fish", f"share/modulefiles/topowise/{VERSION}",
                     f"share/modulefiles/topowise/{VERSION}.lua", "share/doc/topowise/LICENSE", "share/doc/topowise/THIRD-PARTY-NOTICES.md"):
            self.assertIn(name, files)
            self.assertGreater((self.tree / name).stat().st_size, 0, name)
        headers = sorted(name.removeprefix("include/topowise/") for name in files if name.startswith("include/"))
        self.assertEqual(headers, (HERE / "headers.txt").read_text(encoding="utf-8").split())
        self.assertIn(".visible .entry", (self.tree / "bin/topowise").read_bytes().decode("latin-1"), "no GPU kernels")
        notices = (self.tree / "share/doc/topowise/THIRD-PARTY-NOTICES.md").read_text(encoding="utf-8")
        for part in ("fmt", "nlohmann-json", "pugixml", "yaml-cpp", "nanobind", "libstdc++", "Permission is hereby granted"):
            self.assertIn(part, notices)

    def test_nothing_needs_more_than_glibc_2_28(self):
        files = [path for path in self.tree.rglob("*") if is_elf(path)]
        with zipfile.ZipFile(PACKAGES / f"topowise-{VERSION}-cp310-abi3-manylinux_2_28_{MACHINE}.whl") as wheel:
            files.append(pathlib.Path(wheel.extract("topowise/_topowise.abi3.so", self.home / "wheel")))
        self.assertEqual(len(files), 5, files)
        for file in files:
            versions = re.findall(r"Name: GLIBC_([0-9.]+)", self.output("readelf", "-V", "-W", file))
            self.assertTrue(versions, file)
            self.assertLessEqual(max(tuple(map(int, each.split("."))) for each in versions), (2, 28), file)
            dynamic = self.output("readelf", "-d", "-W", file)
            for library in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
                self.assertTrue(SYSTEM_LIBRARIES.fullmatch(library), f"{file} needs {library}")
            self.assertNotRegex(dynamic, "RPATH|RUNPATH")

    def test_no_file_names_the_build(self):
        for path in [path for path in self.tree.rglob("*") if path.is_file()]:
            for folder in (SOURCES, BUILD):
                self.assertNotIn(f"{folder}/".encode(), path.read_bytes(), path)

    def test_tarball(self):
        self.use(self.tree / "bin")

    def test_moved_tarball(self):
        moved = self.home / "elsewhere"
        shutil.move(self.tree, moved)
        try:
            self.assertIn("hop-bytes", self.as_user("topowise", "map", "pattern:stencil2d:4x4", "preset:helios-k80", path=moved / "bin"))
            environment = {"PKG_CONFIG_PATH": str(moved / "share/pkgconfig"), "PATH": os.environ["PATH"]}
            self.assertEqual(self.output("pkg-config", "--modversion", "topowise", env=environment).strip(), VERSION)
            flags = self.output("pkg-config", "--cflags", "--libs", "topowise", env=environment).split()
            client = self.home / "client"
            self.output("g++", "-std=c++20", "-o", client, HERE / "client" / "client.cpp", *flags)
            self.assertEqual(self.output(client, "--version").strip(), VERSION)
            self.assertEqual(self.output(client).strip(), "272 176 2e+09 0.04 1")
            self.assertNotRegex(self.output("readelf", "-d", client), "libfmt|yaml-cpp|pugixml")
            self.output("cmake", "-S", HERE / "client", "-B", self.home / "by-cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={moved}")
            links = (self.home / "by-cmake" / "build.ninja").read_text(encoding="utf-8")
            for archive in ("libtopowise.a", "topowise/libyaml-cpp.a", "topowise/libpugixml.a", "topowise/libtopowise_fmt.a"):
                self.assertIn(f"{moved}/lib/{archive}", links)
        finally:
            shutil.move(moved, self.tree)

    def test_deb(self):
        package = PACKAGES / f"topowise_{VERSION}_{DEBIAN_MACHINE}.deb"
        self.assertEqual(self.output("dpkg-deb", "-f", package, "Version", "Depends", "Architecture").splitlines(),
                         [f"Version: {VERSION}", "Depends: libc6 (>= 2.28)", f"Architecture: {DEBIAN_MACHINE}"])
        unpacked = self.home / "deb"
        self.output("dpkg-deb", "-x", package, unpacked)
        found = {name.removesuffix(".gz") for name in contents(unpacked / "usr")}
        tarball = {name for name in contents(self.tree) if "/modulefiles/" not in name}
        self.assertEqual(found - {"share/doc/topowise/copyright", "share/doc/topowise/changelog"}, tarball)
        self.use(unpacked / "usr" / "bin")

    def test_rpm(self):
        package = PACKAGES / f"topowise-{VERSION}-1.{MACHINE}.rpm"
        requires = self.output("rpm", "-qp", "--requires", package)
        self.assertIn("libc.so.6(GLIBC_2.", requires)
        for needed in re.findall(r"GLIBC_([0-9.]+)", requires):
            self.assertLessEqual(tuple(map(int, needed.split("."))), (2, 28), requires)
        for line in requires.splitlines():
            self.assertRegex(line, r"^(ld-linux|lib(c|m|dl|pthread)\.so|rpmlib\(|rtld\()")
        unpacked = self.home / "rpm"
        unpacked.mkdir()
        self.output("sh", "-c", f"rpm2cpio {package} | cpio -idm --quiet", cwd=unpacked)
        self.assertEqual(contents(unpacked / "usr"), {name for name in contents(self.tree) if "/modulefiles/" not in name})
        owned = self.output("rpm", "-qpl", package).split()
        for shared in ("/usr/bin", "/usr/lib", "/usr/share/man", "/usr/share/man/man1", "/usr/share/doc", "/usr/share/pkgconfig", "/usr/share/zsh/site-functions"):
            self.assertNotIn(shared, owned, "the package claims a folder of the system")
        self.use(unpacked / "usr" / "bin")

    def test_source_archive(self):
        """It has what git has, and is configured without git."""
        with tarfile.open(PACKAGES / f"topowise-{VERSION}.tar.xz") as packed:
            packed.extractall(self.home / "sources")  # noqa: S202
        unpacked = self.home / "sources" / f"topowise-{VERSION}"
        if (SOURCES / ".git").exists():
            listed = self.output("git", "-C", SOURCES, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
            self.assertEqual(contents(unpacked), {name for name in listed if os.path.lexists(SOURCES / name)})
        told = self.output("cmake", "--preset", "release", cwd=unpacked)
        self.assertIn("Build files have been written to", told)
        self.assertEqual(self.output("ninja", "-C", unpacked / "build/release", "-n", "-d", "explain", "-t", "query", "topowise_product").count("git"), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
