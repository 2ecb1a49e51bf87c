# SPDX-License-Identifier: BSD-3-Clause
"""Programs in C, Fortran and Python; their communication matrices are computed here by hand."""

import pathlib

from jobs import Matrix, MpiTest, read_traffic

RANKS = 4
WORLD = [0, 1, 2, 3]
REVERSED = [3, 2, 1, 0]

# Way of sending in point_to_point.c -> (bytes, times).
WAYS = {
    "send": (1 << 0, 1), "ssend": (1 << 1, 1), "bsend": (1 << 2, 1), "rsend": (1 << 3, 1),
    "isend": (1 << 4, 1), "issend": (1 << 5, 1), "ibsend": (1 << 6, 1), "irsend": (1 << 7, 1),
    "send_init": (1 << 8, 3), "ssend_init": (1 << 9, 1), "bsend_init": (1 << 10, 1), "rsend_init": (1 << 11, 1),
    "sendrecv": (1 << 12, 1), "sendrecv_replace": (1 << 13, 1), "vector": (1 << 14, 1),
    "isendrecv": (1 << 15, 1), "isendrecv_replace": (1 << 16, 1), "psend_init": (1 << 17, 1),
    "send_c": (1 << 18, 1), "isend_c": (1 << 19, 1), "send_init_c": (1 << 20, 1), "sendrecv_c": (1 << 21, 1),
}
MPI4_WAYS = {"isendrecv", "isendrecv_replace", "psend_init", "send_c", "isend_c", "send_init_c", "sendrecv_c"}
WITHOUT_LARGE_COUNTS = {"send_c", "isend_c", "send_init_c", "sendrecv_c"}


class KnownMatrix(MpiTest):
    def test_point_to_point(self):
        profile, result = self.record(RANKS, [self.program("point_to_point.c")])
        ways = {line.split()[1] for line in result.stdout.splitlines() if line.startswith("way ")}
        absent = {"openmpi4": MPI4_WAYS, "openmpi5": WITHOUT_LARGE_COUNTS}.get(self.family.name, set())
        self.assertEqual(ways, set(WAYS) - absent)
        expected = Matrix()
        for way in ways:
            expected.around(WORLD, *WAYS[way])
        for rank in WORLD:
            expected[rank, rank] = 3
        self.assert_matrix(profile, expected)
        _, messages, _ = read_traffic(profile, "--collectives", "none")
        self.assertEqual(messages, {pair: 1 if pair[0] == pair[1] else sum(WAYS[way][1] for way in ways) for pair in expected})

    def test_one_sided(self):
        profile, _ = self.record(RANKS, [self.program("one_sided.c")])
        to_target = (1 << 4) + (1 << 5) + (1 << 6) + (1 << 7) + 8 * (1 << 7) + 8 + 8  # the last three are get_accumulate, fetch_and_op, compare_and_swap
        from_target = (1 << 8) + (1 << 9) + 8 * (1 << 7) + 8 * (1 << 8) + 8 + 8
        expected = Matrix()
        expected.around(REVERSED, to_target)
        expected.around(WORLD, from_target)  # opposite to the ring of the reversed communicator
        self.assert_matrix(profile, expected)

    def test_communicators(self):
        profile, _ = self.record(RANKS, [self.program("communicators.c")])
        expected = Matrix()
        for pair in ([2, 0], [3, 1]):
            expected.around(pair, 1)
            expected.around(pair, 5, times=100)
            expected.around(pair, 1 << 12)
        expected.around(WORLD, 2 + 4 + 32 + 64)
        expected.around([3, 0, 2], 8 + 16)
        for pair in ([0, 1], [2, 3]):
            expected.around(pair, 5, times=100)
            expected.around(pair, 128)
        expected.around([2, 3, 0, 1], 1 << 13)
        self.assert_matrix(profile, expected)

    def collective(self, *names):
        """The matrix of collectives.c under the linear model, where nothing is forwarded; without the parts that the program itself adds."""
        profile, _ = self.record(RANKS, [self.program("collectives.c"), *names])
        return read_traffic(profile, "--collectives", "linear")[0]

    def test_collectives(self):
        root = REVERSED[1]
        others = [rank for rank in WORLD if rank != root]
        part = {rank: 100 * member for member, rank in enumerate(REVERSED)}  # for the v-forms
        pairs = [(a, b) for a in WORLD for b in WORLD if a != b]
        first = REVERSED[0]
        from_root = {(root, rank): 100 for rank in others}
        to_root = {(rank, root): 100 for rank in others}
        everyone = {pair: 100 for pair in pairs}
        through_first = {pair: 100 for pair in pairs if first in pair}
        line = Matrix()
        line.around(REVERSED, 100)
        both_ways = Matrix(line)
        both_ways.around(WORLD, 100)
        uneven = Matrix()  # 100 bytes down the line, 200 up
        uneven.around(REVERSED, 200)
        uneven.around(WORLD, 100)
        open_line = {(a, b): 100 for a, b in zip(REVERSED, REVERSED[1:])}
        expected = {
            "barrier": {}, "bcast": from_root, "ibcast": from_root, "gather": to_root, "gather_in_place": to_root,
            "gatherv": {(rank, root): part[rank] for rank in others}, "scatter": from_root,
            "scatterv": {(root, rank): part[rank] for rank in others}, "reduce": to_root, "ireduce": to_root,
            "allgather": everyone, "allgatherv": {(a, b): part[a] for a, b in pairs}, "alltoall": everyone, "alltoall_in_place": everyone,
            "alltoallv": {(a, b): part[b] for a, b in pairs}, "ialltoallw": {(a, b): part[b] for a, b in pairs},
            "allreduce": through_first, "allreduce_in_place": through_first,
            "reduce_scatter": {(a, b): part[b] for a, b in pairs}, "reduce_scatter_block": everyone, "scan": open_line, "exscan": open_line,
            "neighbor_allgather": both_ways, "neighbor_alltoall": both_ways, "ineighbor_alltoall": both_ways,
            "neighbor_alltoallv": uneven, "neighbor_alltoallw": uneven, "neighbor_alltoall_graph": line,
        }
        if self.family.name not in ("openmpi4", "openmpi5"):
            expected["allreduce_c"] = through_first
            expected["bcast_init"] = {pair: 200 for pair in from_root}
        # One job with everything shows that nothing is mixed up; the jobs with one operation each show which one is wrong.
        together = Matrix()
        for matrix in expected.values():
            together.update(matrix)
        recorded = self.collective(*expected)
        if recorded != together.nonzero():
            for name, matrix in expected.items():
                with self.subTest(operation=name):
                    self.assertEqual(self.collective(name), {pair: size for pair, size in matrix.items() if size})
        self.assertEqual(recorded, together.nonzero())

    def fortran_matrix(self):
        expected = Matrix()
        expected.around(WORLD, 1 + 2 + 3 * 4 + 16 + 1024)
        expected.around(REVERSED, 2048)
        for pair in ([2, 0], [3, 1]):
            expected.around(pair, 32)
        return expected

    def test_fortran(self):
        if not self.family.fortran:
            self.skipTest(f"{self.family.name} comes without a Fortran binding")
        for binding in self.family.bindings:
            number = ("mpif.h", "mpi", "mpi_f08").index(binding) + 1
            with self.subTest(binding=binding):
                program = self.program("fortran.F90", f"-DBINDING={number}", suffix=str(number))
                profile, _ = self.record(RANKS, [program])
                expected = self.fortran_matrix()
                self.assert_matrix(profile, expected)
                for rank in (0, 2, 3):
                    expected[1, rank] += 64  # bcast from rank 1
                for rank in (1, 2, 3):  # allreduce on everyone, in place on {2, 0} and {3, 1}
                    expected[rank, 0] += 64
                    expected[0, rank] += 64
                for pair in ([2, 0], [3, 1]):
                    expected.around(pair, 64)
                self.assert_matrix(profile, expected, "--collectives", "linear")

    def test_python(self):
        profile, result = self.record(RANKS, [*self.family.python, pathlib.Path(__file__).parent / "programs" / "from_python.py"])
        pickle = next(int(line.split()[1]) for line in result.stdout.splitlines() if line.startswith("pickle"))
        self.assertGreater(pickle, 1000)
        expected = Matrix()
        expected.around(WORLD, 1 + 2 + 3 * 4 + pickle + 1024)
        expected.around(REVERSED, 2048)
        for pair in ([2, 0], [3, 1]):
            expected.around(pair, 32)
        self.assert_matrix(profile, expected)
        for rank in (0, 2, 3):
            expected[1, rank] += 64
        self.assert_matrix(profile, expected, "--collectives", "linear")
