# SPDX-License-Identifier: BSD-3-Clause
"""`topowise run --reorder` in jobs of several programs, with processes that run without it, and in communicators made from those that it has reordered
(programs/topology_jobs.c)."""

import os
import pathlib
import re
import subprocess

from jobs import TOPOWISE, MpiTest, host_in_halves
from reordering_test import HOSTS, RANKS

CONVERSIONS = {"MPI_Comm_c2f", "MPI_Comm_toint"}  # functions about handles


class Base(MpiTest):
    def told(self, result):
        return [line for line in result.stderr.splitlines() if line.startswith("topowise:")]

    def moved(self, result):
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        return int(re.search(r"^moved (\d+)$", result.stdout, re.M).group(1))


class Programs(Base):
    """On one host that is described as two halves."""

    def part(self, *words, mode="--reorder"):
        """The command of one of the job's programs."""
        return [TOPOWISE, "run", mode, "--reorder-topology", host_in_halves(self.scratch), "--", *self.alone(*words)]

    def alone(self, *words):
        return [self.program("topology_jobs.c"), *words]

    def test_another_program_runs_without_topowise(self):
        for first, second in ((self.part("part", 0), self.alone("part", 1)), (self.alone("part", 1), self.part("part", 0))):
            result = self.family.run(4, [*first, ":", "-n", "4", *second])
            self.assertGreater(self.moved(result), 0, result.stderr)
            rank = 0 if first[-1] == 0 else 4
            told = [line for line in self.told(result) if "called none" not in line]
            self.assertEqual(len(told), 1, result.stderr)
            self.assertRegex(told[0], rf"--reorder=asked: rank {rank}: 2 calls, ranks reordered in [12] ")

    def test_programs_of_different_modes(self):
        result = self.family.run(2, [*self.part("whole"), ":", "-n", "2", *self.part("whole", mode="--reorder=report")])
        self.assertEqual(self.moved(result), 0)
        told = [line for line in self.told(result) if "different modes of --reorder; ranks stay as they are" in line]
        self.assertEqual(len(told), 2, result.stderr)  # one line for each call

    def test_spawned_processes(self):
        command = self.alone("spawned")
        if self.family.run(4, command).returncode != 0:
            self.skipTest(f"{self.family.name} itself cannot spawn here")
        result = self.family.run(4, self.part("spawned"))
        self.assertGreater(self.moved(result), 0)
        told = [line for line in self.told(result) if "not all processes are of this job: left to MPI" in line]
        self.assertEqual(len(told), 1, result.stderr)
        self.assertRegex(result.stderr, r"--reorder=asked: 2 calls, ranks reordered in 1 .*; 1 left to MPI; ")

    def test_nothing_to_decide(self):
        result = self.family.run(4, self.part("empty"))
        self.assertEqual(self.moved(result), 0)
        self.assertRegex(result.stderr, r"--reorder=asked: 2 calls, ranks reordered in 0; 2 left to MPI; ")


class Recordings(Base):
    """On four hosts."""

    def nested(self, *options):
        """How many vertices of the inner communicator are on another host than their partners."""
        family = self.family.on_hosts(HOSTS, RANKS)
        result = family.run(RANKS, [TOPOWISE, "run", *options, "--", self.program("topology_jobs.c"), "nested"])
        self.moved(result)
        return int(re.search(r"^apart (\d+)$", result.stdout, re.M).group(1)), result

    def test_below_a_communicator_that_was_reordered(self):
        profile, under = self.scratch / "nested.traffic", self.scratch / "under.traffic"
        self.assertEqual(self.nested("--profile", profile)[0], RANKS)
        apart, result = self.nested("--reorder", "--reorder-profile", profile, "--profile", under)
        self.assertEqual(apart, 0, result.stderr)
        self.assertRegex(result.stderr, r"--reorder=asked: 2 calls, ranks reordered in 1 .*; 1 without a clearly better order; ")
        # The ranks in that recording play other vertices.
        apart, result = self.nested("--reorder", "--reorder-profile", under)
        self.assertEqual(apart, 0, "as the graph says")
        told = [line for line in self.told(result) if "was recorded while --reorder moved ranks" in line]
        self.assertEqual(len(told), 1, result.stderr)
        self.assertIn("edges weigh what the program says", told[0])


class Wrappers(MpiTest):
    def declared(self):
        """The functions of this family's mpi.h that take a communicator."""
        source = self.scratch / "header.c"
        source.write_text("#include <mpi.h>\n")
        text = subprocess.run([*self.family.compiler, "-E", source], capture_output=True, text=True, check=True).stdout
        return {name for name, parameters in re.findall(r"\b(MPI_\w+)\s*\(([^()]*)\)", text) if re.search(r"\bMPI_Comm\b(?!\s*\*)", parameters)}

    def exported(self):
        library = os.environ.get("TOPOWISE_INTERPOSE", str(pathlib.Path(TOPOWISE).parents[1] / "lib" / "libtopowise_interpose.so"))
        return {line.split()[-1] for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()}

    def test_no_function_with_a_communicator_is_left_out(self):
        """With --reorder=world, a call without a wrapper would see the launcher's order."""
        declared = self.declared()
        self.assertIn("MPI_Comm_rank", declared)
        self.assertEqual(sorted(declared - self.exported() - CONVERSIONS), [])
