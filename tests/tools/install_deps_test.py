#!/usr/bin/env python3
"""tools/install-deps.sh where there is no dpkg: what is there is tried out, and what is missing has the name that it has on that system."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "install-deps.sh"
PROGRAMS = "sh bash env dirname id cut tr sed cat rm mkdir mktemp uname make cmake c++ g++ cc gcc as ld ar ranlib ninja python3"


class InstallDeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = pathlib.Path(folder.name)
        for name in PROGRAMS.split():
            if shutil.which(name):
                (self.bin / name).symlink_to(shutil.which(name))
        if not all((self.bin / name).exists() for name in ("cmake", "c++", "ninja")):
            self.skipTest("no CMake, compiler or Ninja here")

    def script(self, name, text):
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)

    def without_libraries(self, *names):
        """A cmake that finds none of these."""
        options = " ".join(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in names)
        self.script("cmake", f'case $1 in -S) exec {shutil.which("cmake")} "$@" {options} ;; *) exec {shutil.which("cmake")} "$@" ;; esac')

    def run_script(self, what="build", expect=1):
        result = subprocess.run([SCRIPT, what], env=os.environ | {"PATH": str(self.bin)}, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, expect, result.stderr)
        return result.stderr

    def test_nothing_is_missing(self):
        for what in ("build", "drivers"):
            self.assertEqual(self.run_script(what, expect=0), "")

    def test_python(self):
        """What `pip install .` needs: the headers of the Python that is here, or of none."""
        self.script("python3", f'exec {sys.executable} "$@"')
        self.assertEqual(self.run_script("python", expect=0), "")
        self.script("python3", "exit 1")
        self.script("zypper", "exit 1")
        self.assertIn("run: sudo zypper install python3-devel\n", self.run_script("python"))

    def test_make_builds(self):
        """The first step of `make build`, in the words of the Makefile."""
        result = subprocess.run(["make", "-C", SCRIPT.parents[1], "deps"], env=os.environ | {"PATH": str(self.bin)}, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_names_of_each_system(self):
        self.without_libraries("fmt", "yaml-cpp")
        (self.bin / "ninja").unlink()
        for manager, command in {"dnf": "sudo dnf install ninja-build fmt-devel yaml-cpp-devel", "zypper": "sudo zypper install ninja fmt-devel yaml-cpp-devel",
                                 "apk": "doas apk add samurai fmt-dev yaml-cpp-dev", "pacman": "sudo pacman -S --needed ninja fmt yaml-cpp"}.items():
            self.script(manager, "exit 1")
            told = self.run_script().splitlines()
            self.assertTrue(told[0].startswith("missing: ninja fmt yaml-cpp "), told)
            self.assertEqual(told[1], f"run: {command}")
            (self.bin / manager).unlink()
        told = self.run_script()  # a system that the script does not know
        self.assertIn("missing: ninja fmt yaml-cpp ", told)
        self.assertNotIn("run:", told)
        self.assertIn("conda install", told)

    def test_libraries_are_seen_without_ninja_and_make(self):
        """CMake can try nothing then."""
        for name in ("ninja", "make"):
            (self.bin / name).unlink()
        self.script("dnf", "exit 1")
        told = self.run_script().splitlines()
        self.assertTrue(told[0].startswith("missing: ninja   ("), told)
        self.assertEqual(told[1], "run: sudo dnf install ninja-build")
        with unittest.mock.patch.dict(os.environ, {"CXX": "c++ -nostdinc++ -nostdinc"}):  # a compiler that finds no header at all
            self.assertIn("run: sudo dnf install gcc-c++ ninja-build fmt-devel json-devel pugixml-devel yaml-cpp-devel", self.run_script())

    def test_a_compiler_that_is_too_old(self):
        for name in ("c++", "g++", "clang++"):
            self.script(name, "exit 1")
        self.assertIn("missing: compiler fmt nlohmann_json pugixml yaml-cpp ", self.run_script())

    def test_a_compiler_of_several_words(self):
        self.script("wrapped", 'exec "$@"')
        with unittest.mock.patch.dict(os.environ, {"CXX": "wrapped c++"}):
            self.assertEqual(self.run_script(expect=0), "")

    def test_a_cmake_that_is_too_old(self):
        self.script("cmake", "echo cmake version 3.18.4")
        self.assertIn("missing: cmake fmt ", self.run_script())

    def test_apt(self):
        """As root it installs what is missing, and only that; without root it prints the command."""
        self.without_libraries("pugixml")
        self.script("apt-get", f'echo "$@" >> {self.bin}/asked')
        self.script("id", "echo 0")
        self.assertIn("still missing after the installation: pugixml", self.run_script())
        self.assertEqual((self.bin / "asked").read_text(), "update -q\ninstall -y -q --no-install-recommends libpugixml-dev\n")
        self.script("id", "echo 1000")
        self.assertIn("run: sudo apt-get update && sudo apt-get install -y --no-install-recommends libpugixml-dev\n", self.run_script())

    def test_tests_are_for_debian(self):
        self.assertIn("knows only the packages of Debian and Ubuntu", self.run_script("test"))


if __name__ == "__main__":
    unittest.main()
