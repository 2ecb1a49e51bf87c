# SPDX-License-Identifier: BSD-3-Clause
"""`topowise probe` as real jobs: the ranks measure each other, on one host and on several, in host memory and between simulated GPUs; and the errors of
probe."""

import json
import os
import pathlib
import subprocess
import unittest

import families
from jobs import TOPOWISE, MpiTest

FAKE_CUDA = os.environ.get("TOPOWISE_FAKE_CUDA", "")
FAKE_NVML = os.environ.get("TOPOWISE_FAKE_NVML", "")
QUICK = ["--sizes", "1B,4KiB,64KiB", "--repetitions", "5", "--warm-up", "1"]
RANK = "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"


def alone(*arguments):
    return subprocess.run([TOPOWISE, *map(str, arguments)], capture_output=True, text=True, timeout=families.HANGS)


def may_have_hosts():
    """Whether processes may have host names of their own on this machine."""
    return subprocess.run(["unshare", "--uts", "hostname", "topowise-test"], capture_output=True).returncode == 0


class ProbeJob(MpiTest):
    def setUp(self):
        self.file = self.scratch / f"{self.id().rsplit('.', 1)[-1]}.json"
        self.file.unlink(missing_ok=True)
        # A program built for the standard ABI finds its library in the same folder.
        library = self.family.environment.get("MPI4PY_LIBMPI")
        self.library = {"TOPOWISE_MPI_LIBRARY": library} if library else {}

    def script(self, name, *lines):
        path = self.scratch / name
        path.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
        path.chmod(0o755)
        return path

    def as_host(self):
        """A program that gives every two ranks a host of their own."""
        return self.script("as_host", f"exec unshare --uts sh -c 'hostname \"$0\"; exec \"$@\"' node-$(( {RANK} / 2 )) \"$@\"")

    def job(self, ranks, *arguments, before=(), **environment):
        result = self.family.run(ranks, [*before, TOPOWISE, "probe", *arguments], **self.library | environment)
        self.assertNotEqual(result.returncode, 124, f"the job hangs\n{result.stdout}\n{result.stderr}")
        return result

    def measured(self, ranks, *arguments, before=(), **environment):
        """What the job printed, and the file that it saved."""
        result = self.job(ranks, *arguments, "--json", "--save", self.file, before=before, **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout), json.loads(self.file.read_text())

    def refused(self, status, words, ranks, *arguments, before=(), **environment):
        result = self.job(ranks, *arguments, "--save", self.file, before=before, **environment)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn("topowise probe: error: ", result.stderr)
        self.assertIn(words, result.stderr)
        self.assertFalse(self.file.exists(), "half a result was written")
        return result

    def check_complete(self, machine, places):
        for metric in ("latency", "bandwidth"):
            matrix = machine["pair_matrices"][metric]
            for a in range(places):
                for b in range(places):
                    self.assertEqual(matrix["values"][a][b] > 0, a != b, (metric, a, b))
                    self.assertEqual(matrix["count"][a][b] > 0, a != b, (metric, a, b))
                    self.assertEqual(matrix["affinity"][a][b] > 0, a != b, (metric, a, b))


class OnHosts(ProbeJob):
    def test_ranks_of_one_host(self):
        printed, machine = self.measured(4, "--device", "host", *QUICK)
        self.assertEqual([(p["first"], p["second"]) for p in printed["pairs"]], [(a, b) for a in range(4) for b in range(a + 1, 4)])
        for pair in printed["pairs"]:
            self.assertEqual([size["bytes"] for size in pair["sizes"]], [1, 4096, 65536])
            for size in pair["sizes"]:
                self.assertGreater(size["forth_s"], 0)
                self.assertGreater(size["both_ways_s"], 0)
        self.assertIn("4 ranks on 1 host, ", printed["source"])
        self.assertIn("MPI from host memory", printed["source"])
        self.assertEqual(len(machine["places"]), 4)
        self.check_complete(machine, 4)
        mapped = alone("map", "pattern:ring:4", self.file, "--metric", "latency", "--json")
        self.assertEqual(mapped.returncode, 0, mapped.stderr)

    def test_library_of_the_launcher(self):
        printed, _ = self.measured(2, "--device", "host", "--sizes", "1B", "--repetitions", "1")
        version = self.family.library.replace("MPICH Version", "MPICH Version:")
        self.assertIn(f"2 ranks on 1 host, {version}", printed["source"])

    def test_some_pairs(self):
        printed, machine = self.measured(3, "--device", "host", *QUICK, "--pairs", "0-1,1-2")
        self.assertEqual([(p["first"], p["second"]) for p in printed["pairs"]], [(0, 1), (1, 2)])
        self.assertEqual(machine["pair_matrices"]["latency"]["count"][0][2], 0)

    def test_known_machine(self):
        printed, machine = self.measured(4, "--device", "host", *QUICK, "--topology", "tree:2:2")
        self.assertEqual([pair["class"] for pair in printed["pairs"]], ["T1", "T2", "T2", "T2", "T2", "T1"])
        self.assertEqual(machine["name"], "tree:2:2")
        self.check_complete(machine, 4)

    def test_hosts_are_nodes(self):
        self.need(may_have_hosts(), "host names cannot be set here (unshare --uts)")
        as_host = self.as_host()
        printed, machine = self.measured(4, "--device", "host", *QUICK, before=[as_host])
        self.assertIn("4 ranks on 2 hosts, ", printed["source"])
        self.assertEqual([(p["name"], p["node"]) for p in machine["places"]],
                         [("node-0/0", "node-0"), ("node-0/1", "node-0"), ("node-1/0", "node-1"), ("node-1/1", "node-1")])
        self.check_complete(machine, 4)
        rankfile = alone("map", "pattern:ring:4", self.file, "--metric", "distance", "--emit", "openmpi-rankfile")
        self.assertEqual(rankfile.returncode, 0, rankfile.stderr)
        self.assertEqual(rankfile.stdout.count("=node-0 "), 2)
        # A description of the network has the hosts as places.
        (self.scratch / "topology.conf").write_text("SwitchName=s0 Nodes=node-0\nSwitchName=s1 Nodes=node-1,node-2\nSwitchName=top Switches=s0,s1\n")
        printed, machine = self.measured(4, "--device", "host", *QUICK, "--topology", self.scratch / "topology.conf", before=[as_host])
        self.assertEqual([(p["first"], p["second"]) for p in printed["pairs"]], [(0, 1)])
        self.assertTrue(any("no rank is on node-2" in note for note in printed["notes"]), printed["notes"])
        self.assertTrue(any("ranks 1, 3 are on no place of their own" in note for note in printed["notes"]), printed["notes"])

    def test_no_library(self):
        self.refused(4, "no MPI library of the launcher (", 2, "--device", "host", TOPOWISE_MPI_LIBRARY="/no/such/libmpi.so")

    def test_library_of_another_launcher(self):
        other = "libmpich.so.12" if self.family.name.startswith("openmpi") else "libmpi.so.40"
        self.refused(4, "started 2 processes, but the MPI library sees 1", 2, "--device", "host", TOPOWISE_MPI_LIBRARY=other)

    def test_usage(self):
        self.refused(2, "the ranks of a job do not calibrate", 2, "--device", "host", "--calibrate")
        self.refused(2, "2 GiB - 1 at most", 2, "--device", "host", "--sizes", "4GiB")
        self.refused(2, "place '7' does not exist", 2, "--device", "host", "--pairs", "0-7")
        self.refused(3, "no-such-file", 2, "--device", "host", "--topology", "no-such-file")
        self.refused(4, "a pair needs two places with a rank", 2, "--device", "host", "--topology", "tree:3")

    def test_result_goes_nowhere(self):
        result = self.job(3, "--device", "host")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("the result goes nowhere"), 1)

    def test_result_cannot_be_written(self):
        """Refused before the work, which would take hours."""
        target = self.scratch / "missing" / "x"
        result = self.job(2, "--device", "host", "--repetitions", "1000000", "--save", target)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(result.stderr.count(f"topowise probe: error: cannot write '{target}'"), 1, result.stderr)

    def test_a_rank_is_killed(self):
        # After a second of processor time the job measures: it has work for hours.
        # The test kills the launcher's own child: one time in eight, hydra of MPICH 5 misses that a grandchild died together with its parent.
        watch = ["while read -r stat < /proc/$$/stat; do", "  set -- $stat", "  [ $(( ${14} + ${15} )) -ge $(getconf CLK_TCK) ] && break", "  sleep 0.05",
                 "done", "kill -KILL $$"]
        killed = self.script("killed", f"[ {RANK} = 1 ] || exec \"$@\"", "(", *watch, ") < /dev/null > /dev/null 2>&1 &", "exec \"$@\"")
        result = self.job(2, "--device", "host", "--repetitions", "100000", "--save", self.file, before=[killed])
        self.assertNotEqual(result.returncode, 0)
        self.assertFalse(self.file.exists())


class GpuJob(ProbeJob):
    """Ranks measure between simulated GPUs."""

    def setUp(self):
        super().setUp()
        self.need(FAKE_CUDA and FAKE_NVML, "TOPOWISE_FAKE_CUDA and TOPOWISE_FAKE_NVML do not name the simulated driver")
        self.gpus = {"TOPOWISE_CUDA_LIBRARY": FAKE_CUDA, "TOPOWISE_NVML_LIBRARY": FAKE_NVML, "TOPOWISE_FAKE_NODE": "preset:perlmutter-a100",
                     "TOPOWISE_FAKE_SESSION": f"probe-job-{os.getpid()}", "TOPOWISE_FAKE_MEMORY_MIB": "64"}

    def job(self, ranks, *arguments, before=(), **environment):
        return super().job(ranks, *arguments, before=before, **self.gpus | environment)


class OnGpus(GpuJob):
    def test_by_ipc(self):
        printed, machine = self.measured(4, *QUICK)
        self.assertIn("SIMULATED GPU memory of cuda: copies into memory shared by IPC; 4 ranks on 1 host", printed["source"])
        self.assertEqual([place["name"] for place in machine["places"]], ["GPU0", "GPU1", "GPU2", "GPU3"])
        self.assertEqual({pair["class"] for pair in printed["pairs"]}, {"NV4"})
        self.check_complete(machine, 4)

    def test_ipc_is_refused(self):
        printed, machine = self.measured(2, *QUICK, TOPOWISE_FAKE_FAULT="cuIpcOpenMemHandle:*:CUDA_ERROR_MAP_FAILED")
        self.assertIn("GPU memory of cuda: through host memory; ", printed["source"])
        self.assertTrue(any("CUDA_ERROR_MAP_FAILED" in note for note in printed["notes"]), printed["notes"])
        self.assertTrue(any("no rank is on GPU2, GPU3" in note for note in printed["notes"]), printed["notes"])
        self.assertGreater(machine["pair_matrices"]["latency"]["count"][0][1], 0)

    def test_one_rank_cannot_export(self):
        one = self.script("one_refuses", f"[ {RANK} = 1 ] && export TOPOWISE_FAKE_FAULT=cuIpcGetMemHandle:*:CUDA_ERROR_UNKNOWN", "exec \"$@\"")
        printed, _ = self.measured(2, *QUICK, before=[one])
        self.assertIn("through host memory", printed["source"])

    def test_gpus_given_by_the_launcher(self):
        own = self.script("own_gpu", f"export CUDA_VISIBLE_DEVICES=$(( 3 - {RANK} ))", "exec \"$@\"")
        printed, _ = self.measured(2, *QUICK, before=[own])
        self.assertEqual([(p["first"], p["second"]) for p in printed["pairs"]], [(2, 3)])
        printed, _ = self.measured(2, *QUICK, before=[own], TOPOWISE_NVML_LIBRARY="/no/such/file")
        self.assertEqual([(p["first"], p["second"]) for p in printed["pairs"]], [(2, 3)])
        # If rank 0 does not see the GPUs of all ranks, the machine consists of the ranks.
        _, machine = self.measured(2, *QUICK, before=[own], TOPOWISE_FAKE_NVML_FAULT="nvmlDeviceGetHandleByIndex:4:NVML_ERROR_GPU_IS_LOST")
        self.assertEqual([place["name"].rsplit("/")[1] for place in machine["places"]], ["0", "1"])
        self.assertNotEqual(machine["places"][0]["pci"], machine["places"][1]["pci"])
        same = self.script("same_gpu", "export CUDA_VISIBLE_DEVICES=1", "exec \"$@\"")
        self.file.unlink()
        self.refused(4, "has a GPU that an earlier rank has, too", 2, before=[same])

    def test_two_hosts(self):
        self.need(may_have_hosts(), "host names cannot be set here (unshare --uts)")
        as_host = self.as_host()
        printed, machine = self.measured(4, *QUICK, before=[as_host])
        self.assertIn("2 pairs: copies into memory shared by IPC", printed["notes"])
        self.assertIn("4 pairs: through host memory", printed["notes"])
        self.assertEqual([(p["kind"], p["node"]) for p in machine["places"]], [("gpu", f"node-{i // 2}") for i in range(4)])
        self.check_complete(machine, 4)

    def test_too_many_ranks(self):
        self.refused(4, "rank 4 on ", 5, *QUICK)

    def test_one_rank_without_a_driver(self):
        one = self.script("no_driver", f"[ {RANK} = 1 ] && export TOPOWISE_CUDA_LIBRARY=/no/such/file", "exec \"$@\"")
        self.refused(4, "rank 1 on ", 3, *QUICK, before=[one])

    def test_a_gpu_is_lost_while_it_is_measured(self):
        one = self.script("lost", f"[ {RANK} = 1 ] && export TOPOWISE_FAKE_FAULT=cuStreamSynchronize:9+:CUDA_ERROR_UNKNOWN", "exec \"$@\"")
        result = self.refused(4, "rank 1 on ", 3, *QUICK, before=[one])
        self.assertIn("CUDA_ERROR_UNKNOWN", result.stderr)


class ByTheClock(GpuJob):
    """How good the measured times are: only where nothing else runs."""

    def test_classes_and_rates_of_a_paced_node(self):
        scale = 200  # so much slower than the model that the pauses of a busy machine do not matter
        printed, machine = self.measured(9, "--sizes", "4MiB", "--repetitions", "5", "--warm-up", "1", "--pairs", "0-1,0-2,0-4,0-8", TOPOWISE_FAKE_NODE="preset:helios-k80",
                                         TOPOWISE_FAKE_PACE="1", TOPOWISE_FAKE_PACE_SCALE=str(scale))
        self.assertEqual([pair["class"] for pair in printed["pairs"]], ["PIX", "PXB", "PHB", "SYS"])
        rates = machine["pair_matrices"]["bandwidth"]["values"]
        # The rate of a single message: B; B less tau behind the root complex; the link between the sockets.
        for place, rate in ((1, 15.754e9), (2, 15.754e9), (4, 15.754e9 * (1 - 21 / 121)), (8, 6e9)):
            self.assertLess(abs(rates[0][place] * scale / rate - 1), 0.25, place)

    def test_hosts_are_farther_than_neighbours(self):
        self.need(may_have_hosts(), "host names cannot be set here (unshare --uts)")
        printed, _ = self.measured(4, "--device", "host", *QUICK, before=[self.as_host()])
        classes = {(p["first"], p["second"]): int(p["class"].removeprefix("M")) for p in printed["pairs"]}
        self.assertLess(max(classes[0, 1], classes[2, 3]), min(classes[a, b] for a in (0, 1) for b in (2, 3)))
