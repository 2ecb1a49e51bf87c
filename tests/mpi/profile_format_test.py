# SPDX-License-Identifier: BSD-3-Clause
"""docs/formats/profile.md is enough to read a profile: a reader made from that page finds what `topowise traffic` finds."""

from jobs import MpiTest, read_traffic
from profile_reader import OPERATIONS, Matrix

RANKS = 4
FORMS = ["barrier", "bcast", "ibcast", "gather", "gather_in_place", "gatherv", "scatter", "scatterv", "reduce", "ireduce", "allgather", "allgatherv", "alltoall",
         "alltoall_in_place", "alltoallv", "ialltoallw", "allreduce", "allreduce_in_place", "reduce_scatter", "reduce_scatter_block", "scan", "exscan",
         "neighbor_allgather", "neighbor_alltoall", "ineighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw", "neighbor_alltoall_graph"]


class Page(MpiTest):
    def assert_read(self, profile, collectives):
        size, count, _ = read_traffic(profile, "--collectives", "linear" if collectives else "none")
        read = Matrix(profile, collectives)
        self.assertEqual({pair: bytes_ for pair, bytes_ in read.bytes.items() if bytes_}, size)
        self.assertEqual({pair: messages for pair, messages in read.messages.items() if messages}, count)
        return read

    def test_messages_and_windows(self):
        for program in ("point_to_point.c", "one_sided.c", "communicators.c"):
            with self.subTest(program=program):
                profile, _ = self.record(RANKS, [self.program(program)])
                self.assert_read(profile, False)

    def test_collectives(self):
        profile, _ = self.record(RANKS, [self.program("collectives.c"), *FORMS])
        read = self.assert_read(profile, True)
        seen = {row["operation"] for file in read.files for row in file.rows["CollectiveRow"]}
        called = {form.removesuffix("_in_place").removesuffix("_graph").removeprefix("i") for form in FORMS}
        self.assertEqual({OPERATIONS[number].name for number in seen}, called)

    def test_a_trace_holds_each_message(self):
        profile, _ = self.record(RANKS, [self.program("pair_exchange.c")], TOPOWISE_TRACE="1")
        read = self.assert_read(profile, False)
        for file in read.files:
            sent = sum(row["bytes"] for row in file.rows["TraceRow"] if row["operation"] == 255)
            self.assertEqual(sent, sum(size for (source, _), size in read.bytes.items() if source == file.header["rank"]))
