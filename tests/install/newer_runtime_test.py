#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cmake/newer_runtime.cmake with a library that needs a function which only another version of its own library has, as fmt on Debian 13 does under GCC 13:
newer_runtime_test.py SOURCES"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(sys.argv[1]).resolve()
PROJECT = """cmake_minimum_required(VERSION 3.23)
project(user LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH {sources}/cmake)
include(newer_runtime)
topowise_allow_newer_runtime({library})
add_executable(user user.cpp)
target_link_libraries(user {library})
"""


class NewerRuntime(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "user.cpp").write_text("int f();\nint main() { return f(); }\n")

    def library(self, name, source, *options):
        (self.folder / f"{name}.cpp").write_text(source)
        subprocess.run(["c++", "-shared", "-fPIC", "-o", f"lib{name}.so", f"{name}.cpp", *options], cwd=self.folder, check=True)

    def configure(self, library):
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(sources=SOURCES, library=library))
        return subprocess.run(["cmake", "-G", "Ninja", "-S", ".", "-B", "tree"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def test_links_and_says_why(self):
        self.library("runtime", "int g() { return 7; }", "-Wl,-soname,libruntime.so")
        self.library("shared", "int g();\nint f() { return g(); }", "libruntime.so", "-Wl,-rpath,$ORIGIN")
        self.library("runtime", "int other() { return 0; }", "-Wl,-soname,libruntime.so")  # the one that is linked with
        done = self.configure(self.folder / "libshared.so")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("was made for a newer C++ runtime than", done.stdout)
        subprocess.run(["cmake", "--build", "tree"], cwd=self.folder, check=True, capture_output=True)
        self.library("runtime", "int g() { return 7; }", "-Wl,-soname,libruntime.so")  # the one that is there when it starts
        self.assertEqual(subprocess.run([self.folder / "tree" / "user"], check=False).returncode, 7)

    def test_nothing_is_changed_where_libraries_link(self):
        self.library("shared", "int f() { return 0; }")
        done = self.configure(self.folder / "libshared.so")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("newer C++ runtime", done.stdout)
        self.assertNotIn("allow-shlib-undefined", (self.folder / "tree" / "build.ninja").read_text())

    def test_what_cannot_be_linked(self):
        done = self.configure(self.folder / "libnone.so")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no program can be linked with", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
