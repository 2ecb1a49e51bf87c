#!/usr/bin/env python3
"""A job test skips what this machine lacks, and fails where every test must run (TOPOWISE_REQUIRE_ALL=1)."""

import os
import pathlib
import sys
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mpi"))
sys.dont_write_bytecode = True

import jobs  # noqa: E402


class Job(jobs.MpiTest):
    there = True

    @classmethod
    def setUpClass(cls):
        """A test that needs no MPI library."""

    @classmethod
    def tearDownClass(cls):
        pass

    def runTest(self):
        self.need(self.there, "a lack")


class Need(unittest.TestCase):
    def outcome(self, there, **environment):
        job = Job()
        job.there = there
        with unittest.mock.patch.dict(os.environ, environment):
            result = unittest.TestResult()
            job.run(result)
        return len(result.failures), [reason for _, reason in result.skipped]

    def setUp(self):
        os.environ.pop("TOPOWISE_REQUIRE_ALL", None)

    def test_what_is_there(self):
        self.assertEqual(self.outcome(True), (0, []))
        self.assertEqual(self.outcome(True, TOPOWISE_REQUIRE_ALL="1"), (0, []))

    def test_what_is_missing(self):
        self.assertEqual(self.outcome(False), (0, ["a lack"]))
        self.assertEqual(self.outcome(False, TOPOWISE_REQUIRE_ALL="1"), (1, []))


if __name__ == "__main__":
    unittest.main()
