#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The packages for aarch64, made on this machine and run by an emulator:  aarch64_test.py SOURCES BUILD_DIR PACKAGES

Compiles in SOURCES/build/aarch64, as `make packages-aarch64` does. PACKAGES has those of this machine, for comparison.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from packages_test import BUILD, SOURCES, SYSTEM_LIBRARIES, TARBALL, PACKAGES, VERSION, contents, is_elf

NAME = f"topowise-{VERSION}-linux-aarch64"
TREE = SOURCES / "build" / "aarch64"
LIBRARIES = SOURCES / ".deps" / "glibc-2.31-aarch64"
EMULATOR = ["qemu-aarch64", "-L", str(LIBRARIES)]
# With the libraries that what is compiled here needs. With -L the emulator would also take / for their folder.
OF_COMPILER = ["qemu-aarch64", "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1", "--library-path", "/usr/aarch64-linux-gnu/lib"]
# What a program of MPI calls, in the form of MPICH: this process is rank 1 of 4 (tests/stand_in_mpi).
MPI = """
int MPI_Init(int* c, char*** v) { return 0; }
int MPI_Send(const void* b, int n, int type, int to, int tag, int comm) { return 0; }
int MPI_Finalize(void) { return 0; }
int PMPI_Init(int* c, char*** v) { return 0; }
int PMPI_Send(const void* b, int n, int type, int to, int tag, int comm) { return 0; }
int PMPI_Finalize(void) { return 0; }
"""
PROGRAM = """
int MPI_Init(int*, char***), MPI_Send(const void*, int, int, int, int, int), MPI_Finalize(void);
int main(int c, char** v) {
  char sent[1000] = "";
  MPI_Init(&c, &v);
  MPI_Send(sent, 1000, 0x100, 2, 0, 0x44000000);
  MPI_Finalize();
  return 0;
}
"""


def output(*words, stderr=subprocess.STDOUT, **options):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=stderr, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def unpacked(packages, name, folder):
    with tarfile.open(packages / f"{name}.tar.gz") as packed:
        packed.extractall(folder)  # noqa: S202  (our own archive)
    return folder / name


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        lack = [name for name in ("aarch64-linux-gnu-g++", "qemu-aarch64") if not shutil.which(name)] + [str(path) for path in [LIBRARIES] if not path.exists()]
        if lack:
            lack = f"missing: {', '.join(lack)} (tools/install-deps.sh aarch64)"
            if "TOPOWISE_REQUIRE_ALL" in os.environ:
                raise AssertionError(lack)
            raise unittest.SkipTest(lack)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = pathlib.Path(folder.name)
        cls.packages = cls.home / "packages"
        output("cmake", "-DTOPOWISE_PRECOMPILE=ON", "-DTOPOWISE_UNITY=ON", "--preset", "aarch64", cwd=SOURCES)
        compiled = output("cmake", "--build", "--preset", "aarch64", "-j", os.cpu_count(), "--target", "topowise_portable", cwd=SOURCES)
        warnings = [line for line in compiled.splitlines() if "warning:" in line]
        assert not warnings, warnings
        output(SOURCES / "tools" / "make_packages.py", TREE, cls.packages)
        cls.tree = unpacked(cls.packages, NAME, cls.home)

    def emulated(self, *words, **options):
        return output(*EMULATOR, self.tree / "bin" / "topowise", *words, **options)

    def test_names(self):
        self.assertEqual({path.name for path in self.packages.iterdir()},
                         {f"{NAME}.tar.gz", f"{NAME}.tar.zst", f"topowise_{VERSION}_arm64.deb", f"topowise-{VERSION}-1.aarch64.rpm", f"topowise-{VERSION}.tar.xz", "SHA256SUMS"})
        fields = output("dpkg-deb", "-f", self.packages / f"topowise_{VERSION}_arm64.deb", "Architecture", "Depends")
        self.assertEqual(fields.splitlines(), ["Architecture: arm64", "Depends: libc6 (>= 2.28)"])
        self.assertEqual(output("rpm", "-qp", "--qf", "%{ARCH}", self.packages / f"topowise-{VERSION}-1.aarch64.rpm"), "aarch64")

    def test_packages_of_both_processors_lie_in_one_folder(self):
        both = self.home / "both"
        shutil.copytree(self.packages, both)
        (both / "topowise-0.0.1-linux-x86_64.tar.gz").write_text("of another version")
        names = {path.name for path in self.packages.iterdir()}
        output(SOURCES / "tools" / "make_packages.py", BUILD, both)
        self.assertEqual({path.name for path in both.iterdir()}, names | {path.name for path in PACKAGES.iterdir()})
        self.assertEqual(output("sha256sum", "--quiet", "--check", "SHA256SUMS", cwd=both), "")

    def test_the_same_files(self):
        native = unpacked(PACKAGES, TARBALL, self.home)
        self.assertEqual(contents(self.tree), contents(native))
        for name in contents(native):
            if name.startswith(("share/man", "share/bash", "share/zsh", "share/fish", "include")):  # the emulated program writes manuals and completions
                self.assertEqual((self.tree / name).read_bytes(), (native / name).read_bytes(), name)

    def test_what_the_files_need(self):
        files = [path for path in self.tree.rglob("*") if is_elf(path)]
        self.assertEqual(len(files), 4, files)
        for file in files:
            self.assertIn("AArch64", output("readelf", "-h", file), file)
            versions = re.findall(r"Name: GLIBC_([0-9.]+)", output("readelf", "-V", "-W", file))
            self.assertLessEqual(max(tuple(map(int, each.split("."))) for each in versions), (2, 28), file)
            for library in re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", "-W", file)):
                self.assertTrue(SYSTEM_LIBRARIES.fullmatch(library), f"{file} needs {library}")

    def test_the_program_runs(self):
        self.assertIn(VERSION, self.emulated("--version"))
        self.assertIn("MPI", self.emulated("doctor"))
        for problem in (["pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B", "preset:helios-k80"], ["pattern:stencil2d:4x4", "cluster:tree:2,preset:l40s-8"]):
            found = json.loads(self.emulated("map", *problem, "--json", stderr=subprocess.DEVNULL))
            expected = json.loads(output(BUILD / "bin" / "topowise", "map", *problem, "--json", stderr=subprocess.DEVNULL))
            for key in ("cost", "identity_cost", "lower_bound"):
                self.assertAlmostEqual(found[key], expected[key], delta=1e-9 * expected[key], msg=f"{problem} {key}")
        message = subprocess.run([*EMULATOR, self.tree / "bin" / "topowise", "map", "pattern:ring:4", "preset:no"], capture_output=True, text=True, check=False)
        self.assertEqual((message.returncode, message.stderr.splitlines()[0]), (3, "topowise map: error: unknown preset 'no'"))  # an exception was caught

    def test_a_program_is_recorded(self):
        for name, text in (("mpi.c", MPI), ("program.c", PROGRAM)):
            (self.home / name).write_text(text)
        link = ["-shared", "-fPIC", "-Wl,-soname,libmpi.so.12"]
        output("aarch64-linux-gnu-gcc", "-fPIC", "-c", "mpi.c", "-o", "mpi.o", cwd=self.home)
        output("aarch64-linux-gnu-g++", "-std=c++20", "-static-libstdc++", "-static-libgcc", *link, SOURCES / "tests/stand_in_mpi/mpi.cpp", "mpi.o", "-o", "libmpi.so.12", cwd=self.home)
        output("aarch64-linux-gnu-gcc", "program.c", "./libmpi.so.12", f"-Wl,-rpath,{self.home}", "-o", "program", cwd=self.home)
        environment = os.environ | {"TOPOWISE_INTERPOSE": str(self.tree / "lib" / "libtopowise_interpose.so"), "PMI_RANK": "1", "PMI_SIZE": "4"}
        output(BUILD / "bin" / "topowise", "run", "--profile", "app.traffic", "--", *OF_COMPILER, self.home / "program", cwd=self.home, env=environment)
        recorded = json.loads(output(*EMULATOR, self.tree / "bin" / "topowise", "traffic", self.home / "app.traffic", "--json", stderr=subprocess.DEVNULL))
        self.assertEqual([(each["source"], each["destination"], each["bytes"]) for each in recorded["entries"]], [(1, 2, 1000)])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
