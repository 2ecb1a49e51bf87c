# SPDX-License-Identifier: BSD-3-Clause
"""Two obstacles for `topowise run --reorder` at the same time, and one of them together with other modes and features: all processes get the same
messages, in clear lines, and none waits for ever."""

import re

from jobs import TOPOWISE
from reordering_corners_test import Job
from reordering_test import HOSTS, RANKS


class Failures(Job):
    def setUp(self):
        """A description in which a host is missing, and a recording of another job."""
        self.lacking = self.file("topology.conf", "SwitchName=s0 Nodes=apple,birch,cedar\n")
        self.other = self.file("other.txt", "0 1 0\n0 0 1\n1 0 0\n")

    def file(self, name, text):
        path = self.scratch / name
        path.write_text(text)
        return path

    def pairs(self):
        """A recording of this job's ranks: each rank v sends to v + n/2."""
        rows = [" ".join(str(int(b == (a + RANKS // 2) % RANKS)) for b in range(RANKS)) for a in range(RANKS)]
        return self.file("pairs.txt", "\n".join(rows) + "\n")

    def test_ways_to_disagree(self):
        """For each: what the processes disagree on, the options, the message that every process gets, and the number of lines about the calls."""
        stays, error = f"error class 0, size {RANKS}", r"error class [1-9]\d*, size -1"
        lacking, profile = ["--reorder-topology", self.lacking], self.scratch / "again.traffic"
        for kinds, options, told, lines in (
                ("edges,none", ["--reorder", *lacking], [stays, stays], 2),
                ("edges,none", ["--reorder=always", *lacking, "--reorder-profile", self.other], [stays, stays], 2),
                ("vertices,none", ["--reorder", *lacking], [error, stays], 2),
                ("vertices", ["--reorder=always", "--allreduce"], [error], 1),
                ("cells,reorder", ["--reorder", "--profile", profile], [error, stays], 2),
                ("none", ["--reorder", "--reorder-time", "1ns", "--allreduce", *lacking], [stays], 1)):
            with self.subTest(kinds=kinds, options=options):
                result, moved = self.corner(f"disagree {kinds}", *options)
                self.assertEqual(moved, 0)
                outcomes = self.outcomes(result)
                self.assertEqual(len(outcomes), len(told), result.stdout)
                for outcome, expected in zip(outcomes, told):
                    self.assertRegex(outcome, f"^{expected}$")
                said = [line for line in self.lines(result) if re.search(r"MPI_\w+_create at ", line)]
                self.assertEqual(len(said), lines, result.stderr)

    def test_a_process_dies_as_well(self):
        for options in (["--reorder=always"], ["--reorder", "--reorder-topology", self.lacking], ["--reorder", "--profile", self.scratch / "dies.traffic"],
                        ["--reorder", "--allreduce"]):
            with self.subTest(options=options):
                result, moved = self.corner("dies", *options, expect=None)
                self.assertNotIn(result.returncode, (0, 124), result.stderr)
                self.assertIsNone(moved)

    def test_the_whole_job(self):
        for options, what in ((["--reorder-profile", self.pairs(), "--reorder-topology", self.lacking], "does not know 1 host of the job: daisy"),
                              (["--reorder-profile", self.other, "--reorder-topology", self.lacking, "--allreduce"], r"(other.txt' is of 3 ranks|does not know 1 host)")):
            with self.subTest(options=options):
                family = self.family.on_hosts(HOSTS, RANKS)
                result = family.run(RANKS, [TOPOWISE, "run", "--reorder=world", *options, "--", self.program("world_order.c"), "pairs"])
                self.assertEqual(result.returncode, 0, result.stderr)
                said = [line for line in self.lines(result) if "ranks stay as they are" in line]
                self.assertEqual(len(said), 1, result.stderr)
                self.assertRegex(said[0], what)

    def test_programs_with_different_descriptions(self):
        """The description of the program that rank 0 runs counts; with different modes, the ranks stay. (The place of the second program differs by
        family.)"""
        without_the_first = self.file("others.conf", "SwitchName=s0 Nodes=birch,cedar,daisy\n")
        program = self.program("topology_corners.c")
        for first, second in ((["--reorder", "--reorder-topology", without_the_first], ["--reorder"]), (["--reorder", "--allreduce"], ["--reorder=always", "--allreduce"])):
            with self.subTest(first=first, second=second):
                family = self.family.on_hosts(HOSTS, RANKS)
                result = family.run(RANKS // 2, [TOPOWISE, "run", *first, "--", program, "disagree", "none", ":", "-n", RANKS // 2,
                                                 TOPOWISE, "run", *second, "--", program, "disagree", "none"])
                self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
                self.assertEqual(self.outcomes(result), [f"error class 0, size {RANKS}"], result.stdout)
                said = [line for line in self.lines(result) if "ranks stay as they are" in line]
                self.assertEqual(len(said), 1, result.stderr)
