#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""From sources to a job as a user without root has it, by the words of README.md:  journey_test.py SOURCES BUILD_DIR [--build]

The sources are copied and configured. What is built is taken from BUILD_DIR, but only what `make build` builds; with --build it is built anew. After
`cmake --install` the sources are out of sight, and the installed program records, maps and runs a program.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from recipe_test import copy_of_sources

BUILDS = "--build" in sys.argv
SOURCES, BUILT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
USER = 65534
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpiexec.mpich"]}


def commands_of_readme():
    """The lines under `## Install` that build from sources: make and cmake, both ways."""
    section = (SOURCES / "README.md").read_text(encoding="utf-8").split("\n## Install\n")[1].split("\n## ")[0]
    lines = [line.split("#")[0].strip() for block in re.findall(r"^```\n(.*?)^```", section, re.MULTILINE | re.DOTALL) for line in block.splitlines()]
    (with_make,) = [line for line in lines if line.startswith("make build")]
    return [*with_make.split(" && "), lines[-1]]


class Journey(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.home = pathlib.Path(cls.folder.name)
        cls.clone = cls.home / "clone"
        cls.tree = cls.clone / "build" / "release"
        cls.clone.mkdir()
        copy_of_sources(SOURCES, cls.clone)
        cls.give_to_user()

    @classmethod
    def give_to_user(cls):
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{USER}:{USER}", cls.home], check=True)

    def user(self, *words, expect=0, hidden=None, path="", **variables):
        """Runs a command as a user without root, from whom the folder `hidden` is hidden; gives what it prints."""
        command = [str(word) for word in words]
        if os.geteuid() == 0:
            command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]
        if hidden:
            hide = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
            hide += ["sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', hidden]
            if subprocess.run([*hide, "true"], capture_output=True, check=False).returncode == 0:
                command = [*map(str, hide), *command]
            else:
                print(f"not checked: that nothing of {hidden} is used (no mount namespaces here)")
        environment = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "LANG") if name in os.environ}
        environment |= {"HOME": str(self.home), "PATH": ":".join([*([str(path)] if path else []), "/usr/local/bin", "/usr/bin", "/bin"]), **variables}
        job = subprocess.run(command, cwd=self.clone if self.clone.exists() else self.home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             stdin=subprocess.DEVNULL, text=True, check=False)
        self.assertEqual(job.returncode, expect, f"{shlex.join(command)}\n{job.stdout[-4000:]}")
        return job.stdout

    def test_journey(self):
        make, install, *with_cmake = commands_of_readme()
        self.assertEqual((make, install.split()[:3]), ("make build", ["cmake", "--install", "build/release"]))
        self.assertEqual(with_cmake, ["cmake --preset release && cmake --build --preset release"])
        if BUILDS:
            told = self.user(*make.split())
            self.assertEqual([line for line in told.splitlines() if "warning:" in line], [])
        else:
            self.take_what_make_builds(self.user("make", "-n", "build"))
        self.user("sh", "-c", install)
        shutil.rmtree(self.clone)
        installed = self.home / "topowise"
        for file in ("share/man/man1/topowise.1", "share/man/man1/topowise-map.1", "share/bash-completion/completions/topowise"):
            self.assertGreater((installed / file).stat().st_size, 0, file)
        self.use(installed)

    def take_what_make_builds(self, recipe):
        """Configures as README says, and copies from the build tree of this test what the target of the Makefile builds."""
        target = re.search(r"cmake --build --preset release .*--target (\S+)$", recipe, re.MULTILINE).group(1)
        self.user("cmake", "--preset", "release")
        lack = self.user("cmake", "--preset", "release", "-DTOPOWISE_KERNELS=OFF")
        self.assertEqual(len(re.findall(r"^NO GPU KERNELS in this build: TOPOWISE_KERNELS is OFF", lack, re.MULTILINE)), 1, lack)
        for name in (target, "all"):
            builds = self.user("ninja", "-C", self.tree, "-t", "commands", name)
            self.assertNotIn("_test", builds, "a build without a target builds tests")
            scripts = [self.tree / "cmake_install.cmake"]
            for script in scripts:
                text = script.read_text()
                scripts += map(pathlib.Path, re.findall(r'include\("(.*?/cmake_install\.cmake)"\)', text))
                for file in re.findall(rf'FILES (?:"[^"]*" )*?"({re.escape(str(self.tree))}/[^"]*)"', text):
                    inside = pathlib.Path(file).relative_to(self.tree)
                    if (self.tree / inside).exists() or "CMakeFiles/Export" in file:
                        continue
                    self.assertIn(str(inside), builds, f"{inside} is installed, but {name} does not build it")
                    if name == target:
                        self.copy(inside)
        self.give_to_user()

    def copy(self, inside):
        (self.tree / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(BUILT / inside, self.tree / inside, follow_symlinks=False)

    def use(self, installed):
        family = next((name for name in LAUNCHERS if shutil.which(LAUNCHERS[name][0]) and shutil.which(f"mpicc.{name}")), None)
        if family is None:
            self.assertNotIn("TOPOWISE_REQUIRE_ALL", os.environ, "no MPI library with its compiler wrapper")
            self.skipTest("no MPI library with its compiler wrapper")
        shutil.copy(pathlib.Path(__file__).resolve().with_name("program.c"), self.home)
        self.give_to_user()
        self.user(f"mpicc.{family}", "program.c", "-o", "app")
        def topowise(*words, ranks=None):
            job = [*LAUNCHERS[family], "-n", str(ranks)] if ranks else []
            return self.user(*job, "topowise", *words, hidden=SOURCES, path=installed / "bin")
        self.assertIn("sum 6", topowise("run", "--profile", "app.traffic", "--", "./app", ranks=4))
        self.assertIn("4 ranks", topowise("traffic", "app.traffic"))
        topowise("map", "app.traffic", "tree:2:2", "--save", "app.mapping")
        self.assertIn("sum 6", topowise("run", "--mapping", "app.mapping", "--", "./app", ranks=4))
        self.assertIn("called none of MPI's topology functions", topowise("run", "--reorder", "--", "./app", ranks=4))
        told = topowise("run", "--allreduce", "--allreduce-report", "--", "./app", ranks=4)
        self.assertIn("sum 6", told)
        self.assertNotIn("cannot", told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
