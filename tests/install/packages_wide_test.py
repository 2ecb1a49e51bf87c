#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The packages in other systems than this one, and made a second time:  packages_wide_test.py SOURCES BUILD_DIR PACKAGES [TEST...]

Needs root, and the releases of Debian that tools/install-roots.sh installed in .deps/roots (or TOPOWISE_ROOTS).
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from packages_test import HERE, PACKAGES, SOURCES, BUILD, DEBIAN_MACHINE, MACHINE, TARBALL, VERSION, first_screen

ROOTS = pathlib.Path(os.environ.get("TOPOWISE_ROOTS", SOURCES / ".deps" / "roots"))
WHEELS = pathlib.Path(os.environ.get("TOPOWISE_WHEELS", SOURCES / ".deps" / "wheels"))
WHEEL = PACKAGES / f"topowise-{VERSION}-cp310-abi3-manylinux_2_28_{MACHINE}.whl"
SUITES = ("bullseye", "bookworm", "trixie")
# What running programs and installing packages leave behind by themselves.
NOT_COMPARED = ("proc", "sys", "dev", "tmp", "run", "root", "var/lib/dpkg", "var/log", "var/cache", "var/tmp", "etc/ld.so.cache", "var/lib/systemd")
# A host of one's own name, because MPICH looks up the address of the host.
CHROOT = 'hostname localhost && for each in proc sys dev dev/shm; do mount --rbind "/$each" "$0/$each"; done && exec chroot "$0" "$@"'


def output(*words, expect=0, **options):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != expect:
        raise AssertionError(f"{shlex.join(map(str, words))}: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def files(root):
    """All files of a system but those that change by themselves."""
    skipped = {root / name for name in NOT_COMPARED}
    found = set()
    for folder, folders, names in os.walk(root):
        here = pathlib.Path(folder)
        folders[:] = [name for name in folders if here / name not in skipped and name != "__pycache__"]
        found.update(str((here / name).relative_to(root)) for name in [*names, *folders] if here / name not in skipped)
    return found


class Systems(unittest.TestCase):
    def in_root(self, suite, *words, user=None, **options):
        command = ["unshare", "-m", "--uts", "--propagation", "private", "sh", "-c", CHROOT, ROOTS / suite]
        home = "/root" if user is None else "/home/user"
        who = [] if user is None else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        return output(*command, *who, "env", "-i", f"HOME={home}", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", *words, **options)

    def each_system(self):
        for suite in SUITES:
            root = ROOTS / suite
            if not (root / "complete").exists():
                self.fail(f"there is no {root}: tools/install-roots.sh")
            with self.subTest(suite):
                before = files(root)
                with tempfile.TemporaryDirectory(dir=root / "tmp") as folder:
                    inside = pathlib.Path("/") / pathlib.Path(folder).relative_to(root)
                    for file in (HERE / "first_screen.sh", HERE / "program.c", PACKAGES / f"topowise_{VERSION}_{DEBIAN_MACHINE}.deb", PACKAGES / f"{TARBALL}.tar.gz"):
                        shutil.copy(file, folder)
                    os.chmod(folder, 0o755)
                    os.mkdir(pathlib.Path(folder) / "user")
                    os.chown(pathlib.Path(folder) / "user", 1000, 1000)
                    yield suite, inside
                self.assertEqual(files(root), before, f"{suite}: files are left, or missing")

    def test_deb_as_root(self):
        for suite, inside in self.each_system():
            self.in_root(suite, "dpkg", "-i", inside / f"topowise_{VERSION}_{DEBIAN_MACHINE}.deb")
            try:
                self.in_root(suite, "mkdir", inside / "job")
                told = self.in_root(suite, "sh", "-c", f"cd {inside}/job && ../first_screen.sh ../program.c openmpi mpich", input=first_screen())
                self.assertIn("first screen: ok", told)
            finally:
                self.in_root(suite, "dpkg", "--purge", "topowise")

    def test_tarball_as_user(self):
        for suite, inside in self.each_system():
            steps = f"""cd {inside}/user && export HOME=$PWD && tar xzf ../{TARBALL}.tar.gz && export PATH=$PWD/{TARBALL}/bin:$PATH && mkdir job && cd job &&
                        ../../first_screen.sh ../../program.c openmpi mpich && cd .. && rm -r job {TARBALL} && ls -A | grep -v '^[.]'; true"""
            told = self.in_root(suite, "sh", "-c", steps, user=1000, input=first_screen())
            self.assertEqual(told.splitlines()[-1], "first screen: ok", told)

    def test_modules_and_manual(self):
        """`module load` of Environment Modules and of Lmod, each of which reads its own file."""
        start = {"bullseye": "/usr/share/modules/init/bash", "bookworm": "/usr/share/lmod/lmod/init/bash"}
        for suite, inside in self.each_system():
            if suite not in start:
                continue
            tree = inside / "user" / TARBALL
            steps = f"""cd {inside}/user && tar xzf ../{TARBALL}.tar.gz && . {start[suite]} && module use {tree}/share/modulefiles && module load topowise && command -v topowise &&
                        topowise --version && man -w topowise-map && pkg-config --modversion topowise && module unload topowise && ! command -v topowise"""
            told = self.in_root(suite, "bash", "-c", steps).splitlines()
            self.assertEqual(told[0], f"{tree}/bin/topowise")
            self.assertIn(VERSION, told[1])
            self.assertEqual(told[2:], [f"{tree}/share/man/man1/topowise-map.1", VERSION])


class Pythons(unittest.TestCase):
    def test_wheel(self):
        """In a fresh environment of each Python from 3.10 that is here."""
        versions = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
        tried = []
        for minor in range(10, 16):
            places = [shutil.which(f"python3.{minor}"), *sorted(versions.glob(f"3.{minor}.*/bin/python3.{minor}"))]
            python = next((str(place) for place in places if place and subprocess.run([place, "-c", "import ensurepip"], capture_output=True, check=False).returncode == 0), None)
            if python is None:
                print(f"not checked: the wheel under Python 3.{minor} (none here)")
                continue
            with self.subTest(python), tempfile.TemporaryDirectory() as folder:
                output(python, "-m", "venv", folder)
                program = f"{folder}/bin/python"
                before = files(pathlib.Path(folder))
                output(program, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--find-links", WHEELS, WHEEL)
                self.assertIn(VERSION, output(f"{folder}/bin/topowise", "--version"))
                code = 'import topowise; print(topowise.map("pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B", "preset:helios-k80").cost)'
                self.assertEqual(output(program, "-c", code).strip(), "176.0")
                output(program, "-m", "pip", "uninstall", "-q", "-y", "topowise", "numpy", "nanobind-backend")
                self.assertEqual(files(pathlib.Path(folder)), before, "pip uninstall leaves files")
                tried.append(minor)
        print(f"the wheel under Python 3.{tried}: ok")
        self.assertIn(11, tried)


class Again(unittest.TestCase):
    def test_the_same_bytes(self):
        """Another folder, another time zone, other rights of new files, another order of files: the same packages."""
        with tempfile.TemporaryDirectory(prefix="another-folder-") as folder:
            environment = os.environ | {"TMPDIR": folder, "TZ": "Asia/Kathmandu", "LC_ALL": "C", "USER": "someone"}
            output("sh", "-c", 'umask 077 && exec "$@"', "sh", SOURCES / "tools" / "make_packages.py", BUILD, f"{folder}/packages", env=environment)
            self.assertEqual(pathlib.Path(folder, "packages", "SHA256SUMS").read_text(encoding="utf-8"), (PACKAGES / "SHA256SUMS").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
