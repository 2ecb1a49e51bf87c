# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests give the same results with reordering, each test on each rank.

They run with --reorder=always on one host without a description, where every call is checked and no rank can move. Where ranks do move, a test that
passes reorder=False expects its old neighbours, and then waits for ranks that have moved."""

import unittest

import python_suite
from jobs import TOPOWISE, MpiTest, host_in_halves

TOPOLOGIES = ["test_comm_topo", "test_cco_ngh_buf", "test_cco_ngh_obj", "test_comm"]
WHOLE = []  # the modules cannot be chosen


class Suite(MpiTest):
    ranks = 4  # two ranks in each half

    def compare(self, modules, *options):
        return python_suite.compare(self, modules, self.ranks, [TOPOWISE, "run", *options, "--"])

    def in_halves(self):
        return "--reorder-topology", host_in_halves(self.scratch)


class Reordered(Suite):
    def test_mpi4py_topologies(self):
        self.compare(TOPOLOGIES, "--reorder", *self.in_halves())

    def test_mpi4py_always(self):
        self.compare(TOPOLOGIES, "--reorder=always")


class Whole(Suite):
    """On two ranks, every call of the suite is checked, and none moves them."""

    ranks = 2

    def test_asked(self):
        run = self.compare(WHOLE, "--reorder", *self.in_halves())
        self.assertRegex(run.errors, r"topowise: --reorder=asked: \d+ calls")

    def test_always(self):
        run = self.compare(WHOLE, "--reorder=always")
        self.assertRegex(run.errors, r"topowise: --reorder=always: \d+ calls")


class Outcomes(unittest.TestCase):
    """Parsing one log, and comparing two."""

    LOG = ("a line of the MPI library\n[1@host] Python 3\n"
           "testSize (test_comm.TestSelf.testSize) ... ok\n"
           "testSize (test_comm.TestWorld.testSize) ... skipped 'mpi-world-size>1'\n"
           "testInfo (test_abi.TestInfo.testInfo) ... \n"
           "  testInfo (test_abi.TestInfo.testInfo) (typename='real2') ... FAIL\n"
           "testTopo (test_comm.TestWorld.testTopo) ... topowise: a line of the library\nok\n"
           "======\nFAIL: testInfo (test_abi.TestInfo.testInfo) (typename='real2')\n------\n"
           "Ran 4 tests in 0.1s\n\nFAILED (failures=1, skipped=1)\n")

    def run_of(self, log):
        return python_suite.Run(1, [python_suite.rank_of(log)], log)

    def test_a_log(self):
        rank = python_suite.rank_of(self.LOG)
        self.assertEqual((rank.number, rank.ran, rank.summary), (1, [4], ["FAILED (failures=1, skipped=1)"]))
        self.assertEqual(rank.outcomes, {
            "testSize (test_comm.TestSelf.testSize)": "ok", "testSize (test_comm.TestWorld.testSize)": "skipped 'mpi-world-size>1'",
            "testInfo (test_abi.TestInfo.testInfo)": python_suite.NONE, "testInfo (test_abi.TestInfo.testInfo) (typename='real2')": "FAIL",
            "testTopo (test_comm.TestWorld.testTopo)": "ok"})

    def test_as_many_skipped_but_others(self):
        other = self.LOG.replace("skipped 'mpi-world-size>1'", "ok").replace("TestSelf.testSize) ... ok", "TestSelf.testSize) ... skipped 'mpi-world-size>1'")
        self.assertEqual(python_suite.differences(self.run_of(self.LOG), self.run_of(self.LOG)), [])
        self.assertEqual(python_suite.differences(self.run_of(self.LOG), self.run_of(other)),
                         ["rank 1: testSize (test_comm.TestSelf.testSize): ok, skipped 'mpi-world-size>1'",
                          "rank 1: testSize (test_comm.TestWorld.testSize): skipped 'mpi-world-size>1', ok"])

    def test_a_job_that_ended_early(self):
        other = self.run_of(self.LOG[:self.LOG.index("testTopo")])
        self.assertEqual(python_suite.differences(self.run_of(self.LOG), other),
                         ["rank 1: ran: [4], []", "rank 1: summary: ['FAILED (failures=1, skipped=1)'], []",
                          "rank 1: testTopo (test_comm.TestWorld.testTopo): ok, not run"])
        self.assertEqual(python_suite.differences(self.run_of(self.LOG), python_suite.Run(124, [], "")), ["exit status: 1, 124", "ranks: 1, 0"])
