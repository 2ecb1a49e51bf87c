# SPDX-License-Identifier: BSD-3-Clause
"""`topowise run --reorder` where virtual topologies are unusual, processes disagree, or something is in the way: everything that MPI says stays true,
and no process waits for one that has left (programs/topology_corners.c)."""

import re

from jobs import TOPOWISE, MpiTest
from reordering_test import HANG_IN_DIST, HOSTS, RANKS


class Job(MpiTest):
    """Eight ranks on four hosts, in blocks."""

    def corner(self, way, *options, wrapped=True, expect=0):
        """The result of topology_corners, and the number of ranks that moved."""
        family = self.family.on_hosts(HOSTS, RANKS)
        wrapper = [TOPOWISE, "run", *(options or ("--reorder",)), "--"] if wrapped else []
        result = family.run(RANKS, [*wrapper, self.program("topology_corners.c"), *way.split()])
        if expect is not None:
            self.assertEqual(result.returncode, expect, f"{way} {options}\n{result.stdout}\n{result.stderr}")
        moved = re.search(r"^moved (\d+)$", result.stdout, re.M)
        return result, int(moved.group(1)) if moved else None

    def outcomes(self, result):
        """The messages that the processes got, in the order of the calls; all got the same."""
        of_rank = [re.findall(rf"^rank {rank}: (.*)$", result.stdout, re.M) for rank in range(RANKS)]
        self.assertEqual(of_rank, [of_rank[0]] * RANKS, result.stdout)
        return of_rank[0]

    def lines(self, result):
        return [line for line in result.stderr.splitlines() if line.startswith("topowise:")]


class Corners(Job):
    def test_many_communicators(self):
        _, moved = self.corner("communicators")
        self.assertGreater(moved, 0)

    def test_two_threads(self):
        result, _ = self.corner("threads")
        if "no threads" in result.stdout:
            self.skipTest(f"{self.family.name} has no MPI_THREAD_MULTIPLE")

    def test_unusual_shapes(self):
        _, moved = self.corner("shapes")
        self.assertGreater(moved, 0)

    def test_every_neighbourhood_collective(self):
        _, moved = self.corner("collectives")
        self.assertGreater(moved, 0)

    def test_what_belongs_to_a_communicator(self):
        _, moved = self.corner("objects")
        self.assertGreater(moved, 0)

    def test_maps(self):
        _, moved = self.corner("maps")
        self.assertGreater(moved, 0)

    def test_an_intercommunicator_is_left_to_mpi(self):
        alone, _ = self.corner("inter", wrapped=False)
        result, _ = self.corner("inter")
        self.assertEqual(sorted(result.stdout.splitlines()), sorted(alone.stdout.splitlines()))


class Disagreement(Job):
    def test_what_could_hang_is_an_error_in_every_process(self):
        result, _ = self.corner("disagree cells,vertices")
        outcomes = self.outcomes(result)
        self.assertEqual(len(outcomes), 2, result.stdout)
        for outcome in outcomes:
            self.assertRegex(outcome, r"error class [1-9]\d*, size -1")
        told = [line for line in self.lines(result) if "disagree" in line or "some processes" in line]
        self.assertEqual(len(told), 2, result.stderr)
        self.assertRegex(told[0], "MPI_Cart_create.*some processes")
        self.assertRegex(told[1], "MPI_Graph_create.*disagree on the number of vertices")

    def test_other_disagreement_leaves_the_ranks(self):
        result, moved = self.corner("disagree reorder,extents,edges")
        self.assertEqual(moved, 0)
        self.assertEqual(self.outcomes(result), [f"error class 0, size {RANKS}"] * 3, result.stdout)
        told = [line for line in self.lines(result) if "disagree" in line]
        self.assertEqual(len(told), 3, result.stderr)
        for line, what in zip(told, ("on 'reorder'", "on the virtual topology", "on the virtual topology")):
            self.assertIn(what, line)
            self.assertIn("ranks stay as they are", line)

    def test_a_process_that_dies_ends_the_job(self):
        result, moved = self.corner("dies", expect=None)
        self.assertNotIn(result.returncode, (0, 124), result.stderr)
        self.assertIsNone(moved)

    def test_the_process_that_maps_dies(self):
        """It dies while it waits for a description that nobody writes: when it maps, a pipe has replaced the file."""
        file = self.scratch / "pipe.conf"
        file.write_text("SwitchName=s0 Nodes=apple,birch,cedar,daisy\n")
        family = self.family.on_hosts(HOSTS, RANKS)
        result = family.run(RANKS, [TOPOWISE, "run", "--reorder", "--reorder-topology", file, "--", self.program("topology_corners.c"), "dies", file])
        self.assertNotIn(result.returncode, (0, 124), result.stderr)
        self.assertNotIn("moved", result.stdout)


class InTheWay(Job):
    """There is one clear line, and the ranks stay."""

    def machine(self, text, name="machine"):
        file = self.scratch / name
        file.write_text(text)
        return file

    def stays(self, *options):
        result, moved = self.corner("disagree none", "--reorder", *options)
        self.assertEqual(moved, 0)
        told = self.lines(result)
        self.assertEqual(len(told), 2, result.stderr)
        self.assertRegex(told[-1], r"--reorder=asked: 1 call, ranks reordered in 0; 1 in trouble; .* ms")
        return told[0]

    def test_a_host_that_the_description_lacks(self):
        file = self.machine("SwitchName=s0 Nodes=apple,birch,cedar\n", "topology.conf")
        self.assertRegex(self.stays("--reorder-topology", file), r"MPI_Graph_create at topology_corners\+0x[0-9a-f]+ \(\w+\+0x[0-9a-f]+\): "
                                                                   r"ranks stay as they are: .*does not know 1 host of the job: daisy")

    def test_another_cluster(self):
        file = self.machine("SwitchName=s0 Nodes=n[0-3]\n", "other.conf")
        self.assertIn("does not know 4 hosts of the job: apple, birch, cedar, daisy", self.stays("--reorder-topology", file))

    def test_a_description_that_goes_before_it_is_used(self):
        """Rank 0 has read the file before the program began; at the call, the file has changed."""
        file = self.machine("SwitchName=s0 Nodes=apple,birch,cedar,daisy\n", "short.conf")
        family = self.family.on_hosts(HOSTS, RANKS)
        spoil = ["sh", "-c", f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" != 0 ] || echo nonsense > "{file}"; exec "$@"', "sh"]
        result = family.run(RANKS, [TOPOWISE, "run", "--reorder", "--reorder-topology", file, "--", *spoil, self.program("topology_corners.c"), "disagree", "none"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("moved 0", result.stdout)
        self.assertEqual(len(self.lines(result)), 2, result.stderr)

    def test_no_time(self):
        """The result is never worse than without --reorder-time."""
        _, moved = self.corner("disagree none", "--reorder", "--reorder-time", "1ns")
        self.assertGreater(moved, 0)


class Fortran(Job):
    def programs(self):
        """[(binding, program)]"""
        if not self.family.fortran:
            self.skipTest(f"no Fortran compiler for {self.family.name}")
        return [(name, self.program("topologies.F90", f"-DBINDING={number}", suffix=str(number)))
                for number, name in enumerate(("mpif.h", "mpi", "mpi_f08"), 1) if name in self.family.bindings]

    def test_the_program_alone(self):
        for name, program in self.programs():
            plain = self.family.run(RANKS, [program], WITHOUT_DIST_GRAPH="1")  # Open MPI 4 ends the job in the dist_graph functions
            self.assertEqual((plain.returncode, plain.stdout.strip()), (0, "moved 0"), f"{name}\n{plain.stdout}\n{plain.stderr}")

    def test_all_bindings(self):
        family = self.family.on_hosts(HOSTS, RANKS)
        environment = {"WITHOUT_DIST_GRAPH": "1"} if self.family.name in HANG_IN_DIST else {}
        for name, program in self.programs():
            result = family.run(RANKS, [TOPOWISE, "run", "--reorder", "--", program], **environment)
            self.assertEqual(result.returncode, 0, f"{name}\n{result.stdout}\n{result.stderr}")
            moved = int(re.search(r"^moved (\d+)$", result.stdout, re.M).group(1))
            self.assertGreater(moved, 2 * (3 if environment else 4), f"{name}: only some of the functions reorder")
