# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests of communicators, virtual topologies and neighbourhood collectives give the same with reordering.

Not with --reorder=always: a test that passes reorder=False expects its old neighbours, and then waits for those that did."""

import unittest

import applications_test
import families
from jobs import TOPOWISE, host_in_halves


class Reordered(unittest.TestCase):
    """Not a PythonSuite itself, or its test would be run here as well."""

    def test_mpi4py_topologies(self):
        if not (families.VENVS / "mpi4py-src/test/main.py").exists():
            self.skipTest("mpi4py's source is not there")

        class Suite(applications_test.PythonSuite):
            modules = ["test_comm_topo", "test_cco_ngh_buf", "test_cco_ngh_obj", "test_comm"]
            ranks = 4

        Suite.setUpClass()
        self.addCleanup(Suite.tearDownClass)
        suite = Suite("test_mpi4py_suite")
        if suite.family.name == "openmpi4":
            self.skipTest("Debian's mpi4py is another version than the suite's source")
        alone = suite.suite([])
        reordered = suite.suite([TOPOWISE, "run", "--reorder", "--reorder-topology", host_in_halves(Suite.scratch), "--"])
        self.assertEqual(len(alone[1]), 4, f"the suite did not run: {alone}")
        self.assertGreater(alone[1][0][0][0], 100)
        self.assertEqual(reordered, alone)
