# SPDX-License-Identifier: BSD-3-Clause
"""Recorded traffic compared with what Open MPI's monitoring component counts in the same run: rows E byte for byte, rows I for the collective model."""

import glob
import pathlib
import tempfile

from jobs import MpiTest, read_traffic

CALLS = 4
SEGMENTATION_FAULT = 128 + 11
# Bytes of one member's part. alltoall between 8192 and 16383 bytes, alltoallv and alltoallw use persistent requests, which that component counts as
# the application's.
SIZES = {"bcast": [512, 3000, 40000], "reduce": [512, 40000], "allreduce": [8, 40000], "allgather": [512], "gather": [512, 3000], "scatter": [512, 10000],
         "alltoall": [512], "reduce_scatter": [512], "reduce_scatter_block": [512], "barrier": [0], "scan": [512], "neighbor_alltoall": [512]}


def rows(directory, kind):
    found = {}
    for path in glob.glob(f"{directory}/*.prof"):
        with open(path) as file:
            for line in file:
                words = line.split()
                if words and words[0] == kind:
                    found[int(words[1]), int(words[2])] = (int(words[3]), int(words[5]))
    return found


class Monitoring(MpiTest):
    def monitored(self, ranks, command):
        """Returns (profile, rows E, rows I) of one job that both record."""
        directory, profile, result = self.run_monitored(ranks, command)
        if result.returncode == SEGMENTATION_FAULT:
            # About one job in a thousand shows this with Open MPI 4.1.4, after MPI_Finalize, where nothing is left that would print a backtrace. It
            # does not appear when jobs with the component alone, or recorded ones, are repeated.
            print(f"not checked: {command[1:]}, of which one rank ended by a segmentation fault; the job is repeated", flush=True)
            directory, profile, result = self.run_monitored(ranks, command)
        self.assertEqual(result.returncode, 0, f"{command}\n{result.stdout}\n{result.stderr}")
        self.assertEqual(len(list(directory.glob("*.prof"))), ranks, "the monitoring component wrote nothing")
        return profile, rows(directory, "E"), rows(directory, "I")

    def run_monitored(self, ranks, command):
        directory = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        return directory, *self.record(ranks, command, None, repeat=True, state=directory, OMPI_MCA_pml="ob1,monitoring", OMPI_MCA_pml_monitoring_enable="2",
                                       OMPI_MCA_pml_monitoring_enable_output="3", OMPI_MCA_pml_monitoring_filename=str(directory / "x"))

    def test_application_messages(self):
        # The library's own messages for partitioned sends and for MPI_Comm_create_group count as E rows: "plain" leaves these calls out.
        for name in ("point_to_point.c", "communicators.c"):
            with self.subTest(program=name):
                profile, external, _ = self.monitored(4, [self.program(name), "plain"])
                size, count, _ = read_traffic(profile, "--collectives", "none")
                # Persistent sends bypass the component: point_to_point.c has them with known sizes.
                self.assertEqual({pair: self.with_persistent(name, pair, value) for pair, value in external.items()},
                                 {pair: (size.get(pair, 0), count[pair]) for pair in count})

    def with_persistent(self, name, pair, value):
        if name != "point_to_point.c" or pair[0] == pair[1]:
            return value
        unseen = [(1 << 8, 3), (1 << 9, 1), (1 << 10, 1), (1 << 11, 1)]
        return (value[0] + sum(size * times for size, times in unseen), value[1] + sum(times for _, times in unseen))

    def test_collective_model(self):
        program = self.program("equal_parts.c")
        for ranks in (4, 6):
            _, _, idle = self.monitored(ranks, [program, "nothing", 8, 0])
            for operation, sizes in SIZES.items():
                for size in sizes:
                    with self.subTest(ranks=ranks, operation=operation, size=size):
                        profile, _, internal = self.monitored(ranks, [program, operation, size, CALLS])
                        expected = {}
                        for pair in internal:
                            value = tuple(now - before for now, before in zip(internal[pair], idle.get(pair, (0, 0))))
                            if value != (0, 0):
                                expected[pair] = value
                        recorded, count, _ = read_traffic(profile, "--collectives", "openmpi")
                        self.assertEqual({pair: (recorded.get(pair, 0), count[pair]) for pair in count}, expected)

    def test_empty_collectives_send_nothing(self):
        """Open MPI ends a call without elements at once, and so does the model. A barrier has none, and messages all the same."""
        program = self.program("equal_parts.c")
        _, _, idle = self.monitored(4, [program, "nothing", 8, 0])
        for operation in sorted({*SIZES, "gatherv", "alltoallv", "alltoallw"} - {"barrier"}):
            with self.subTest(operation=operation):
                profile, _, internal = self.monitored(4, [program, operation, 0, CALLS])
                counted = sum(now[1] for now in internal.values()) - sum(before[1] for before in idle.values())
                _, count, _ = read_traffic(profile, "--collectives", "openmpi")
                self.assertEqual(sum(count.values()), counted)

    def test_alltoall_that_is_counted_as_the_applications(self):
        """By persistent requests: rows E then have no messages of the application, and must be what the model says."""
        program = self.program("equal_parts.c")
        for ranks in (4, 6):
            for operation, size in (("alltoall", 8192), ("alltoall", 16376), ("alltoallv", 512), ("alltoallw", 512)):
                with self.subTest(ranks=ranks, operation=operation, size=size):
                    profile, external, _ = self.monitored(ranks, [program, operation, size, CALLS])
                    pairs = {(a, b) for a in range(ranks) for b in range(ranks) if a != b}
                    self.assertEqual(external, {pair: (size * CALLS, CALLS) for pair in pairs})
                    application, _, _ = read_traffic(profile, "--collectives", "none")
                    self.assertEqual(application, {})
                    modelled, count, _ = read_traffic(profile, "--collectives", "openmpi")
                    self.assertEqual({pair: (modelled[pair], count[pair]) for pair in modelled}, external)
