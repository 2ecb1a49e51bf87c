# SPDX-License-Identifier: BSD-3-Clause
"""`topowise bench` as real jobs: the papers' exchanges between ranks in host memory and between simulated GPUs, in the quick forms of
docs/papers."""

import contextlib
import csv
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import families
from jobs import TOPOWISE, MpiTest

FAKE_CUDA = os.environ.get("TOPOWISE_FAKE_CUDA", "")
FAKE_NVML = os.environ.get("TOPOWISE_FAKE_NVML", "")
QUICK = ["--repetitions", "2", "--warm-up", "1", "--runs", "2"]
RANK = "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"


def children(process):
    return [int(child) for task in pathlib.Path(f"/proc/{process}/task").iterdir() for child in (task / "children").read_text().split()]


class BenchJob(MpiTest):
    def setUp(self):
        library = self.family.environment.get("MPI4PY_LIBMPI")
        self.library = {"TOPOWISE_MPI_LIBRARY": library} if library else {}

    def bench(self, ranks, *arguments, expect=0, before=(), **environment):
        result = self.family.run(ranks, [*before, TOPOWISE, "bench", *arguments], **self.library | environment)
        self.assertEqual(result.returncode, expect, f"{arguments}\n{result.stdout}\n{result.stderr}")
        return result

    def measured(self, ranks, *arguments, **environment):
        return json.loads(self.bench(ranks, *arguments, *QUICK, "--json", **environment).stdout)

    def check_rows(self, found, kind, mappings):
        self.assertTrue(found["rows"])
        for row in found["rows"]:
            self.assertEqual(row["kind"], kind)
            self.assertTrue(row["right"], row)
            self.assertTrue(0 < row["fastest_s"] <= row["time_s"] <= row["slowest_s"], row)
            self.assertIn(row["mapping"], mappings)
        self.assertEqual(found["rows"][0]["mapping"], mappings[0])


class OnHosts(BenchJob):
    def test_every_microbenchmark(self):
        for name, ranks, shape in (("stencil2d", 4, "2x2"), ("torus2d", 6, "3x2"), ("torus3d", 8, "2x2x2"), ("hypercube", 8, "3")):
            found = self.measured(ranks, name, "--device", "host", "--sizes", "4B,1KiB,100000B")
            self.assertEqual(found["schema"], f"topowise.bench-{name}/1")
            self.check_rows(found, "measured", ["default", "distance", "scotch"])
            self.assertEqual({row["workload"] for row in found["rows"]}, {f"{name}:{shape}"})
            self.assertEqual({(row["weight"], row["bytes"]) for row in found["rows"]}, {(w, size) for w in (1, 3) for size in (4, 1024, 100000)})
            self.assertIn(f"{ranks} ranks on 1 host, {self.family.library}", found["source"])
            self.assertTrue(any("all pairs of ranks are equally far apart" in note for note in found["notes"]), found["notes"])

    def test_progress_comes_as_lines_through_the_launcher(self):
        if self.family.name not in ("openmpi4", "mpich4"):
            self.skipTest("one library of each kind of launcher")
        result = self.bench(4, "stencil2d", "--device", "host", "--topology", "tree:2:2", "--sizes", "256KiB,512KiB,1MiB", "--weight", "1", "--mapping", "identity", "--runs", "1",
                            "--repetitions", "3000", "--csv")
        lines = [line for line in result.stderr.splitlines() if " of 3 measured: 4 ranks, stencil2d:2x2, w = 1, " in line]
        self.assertTrue(lines, result.stderr)
        self.assertNotIn("\r", result.stderr)
        self.assertNotIn("measured:", result.stdout)

    def test_an_interrupt_keeps_what_was_measured(self):
        if self.family.name not in ("openmpi4", "mpich4"):
            self.skipTest("one library of each kind of launcher")
        with tempfile.TemporaryDirectory() as folder:
            command = [*self.family.launcher, "-n", "4", TOPOWISE, "bench", "stencil2d", "--device", "host", "--topology", "tree:2:2", "--sizes", "4B-16MiB", "--weight", "1",
                       "--runs", "50", "--repetitions", "10", "--save", folder]
            job = subprocess.Popen(command, env=self.family.env() | self.library, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for line in job.stderr:
                if " measured: " in line:
                    break
            if self.family.name == "openmpi4":  # its launcher kills processes that have not ended after a second, which is too early on a busy machine
                for rank in children(job.pid):
                    os.kill(rank, signal.SIGTERM)
            else:
                job.send_signal(signal.SIGINT)
            job.communicate(timeout=families.HANGS)
            found = json.loads(pathlib.Path(folder, "stencil2d.json").read_text())
            self.assertTrue(0 < len({row["bytes"] for row in found["rows"]}) < 23, found["rows"])
            self.assertTrue(any(note.startswith("interrupted") for note in found["notes"]), found["notes"])

    def test_a_job_that_is_killed_keeps_the_sizes_that_were_finished(self):
        if self.family.name != "openmpi4":
            self.skipTest("its ranks are children of its launcher, which may kill them itself")
        with tempfile.TemporaryDirectory() as folder:
            command = [*self.family.launcher, "-n", "4", TOPOWISE, "bench", "stencil2d", "--device", "host", "--topology", "tree:2:2", "--sizes", "4B,16MiB", "--weight", "1",
                       "--mapping", "identity", "--runs", "100", "--repetitions", "10", "--save", folder]
            job = subprocess.Popen(command, env=self.family.env() | self.library, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while job.poll() is None and not pathlib.Path(folder, "stencil2d.sh").exists():  # the last of the files
                with contextlib.suppress(subprocess.TimeoutExpired):
                    job.wait(0.02)
            for rank in children(job.pid):
                with contextlib.suppress(ProcessLookupError):  # the launcher kills the others as soon as one has ended
                    os.kill(rank, signal.SIGKILL)
            _, errors = job.communicate(timeout=families.HANGS)
            self.assertNotIn("wrote ", errors)
            found = json.loads(pathlib.Path(folder, "stencil2d.json").read_text())
            self.assertEqual({row["bytes"] for row in found["rows"]}, {4})
            self.assertTrue(any(note.startswith("not ended") for note in found["notes"]), found["notes"])
            self.assertEqual(len(list(csv.DictReader(pathlib.Path(folder, "stencil2d.csv").open()))), len(found["rows"]))
            xml.etree.ElementTree.parse(pathlib.Path(folder, "stencil2d.svg"))

    def test_what_the_mapping_costs(self):
        found = self.measured(8, "overhead", "--device", "host", "--topology", "tree:2:2:2", "--sizes", "64B")
        self.check_rows(found, "measured", ["default", "distance", "scotch"])
        self.assertEqual({row["workload"] for row in found["rows"]}, {"stencil2d:4x2", "torus2d:4x2", "torus3d:2x2x2", "hypercube:3"})
        for row in found["rows"]:
            if row["mapping"] != "default":
                self.assertGreater(row["mapping_measured_s"], 0)
                self.assertEqual(row["pays_after_iterations"] is None, row["improvement_percent"] <= 0 or row["ranges_overlap"], row)

    def test_a_file_is_compared_with_the_default_and_all_is_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            mapping, out = pathlib.Path(folder) / "a mapping.json", pathlib.Path(folder) / "new" / "figures"
            self.assertEqual(self.family.run(1, [TOPOWISE, "map", "pattern:stencil2d:2x2", "tree:2:2", "--mapper", "random", "--save", mapping]).returncode, 0)
            result = self.bench(4, "stencil2d", "--device", "host", "--topology", "tree:2:2", "--sizes", "1KiB", "--weight", "2", "--mapping", mapping, "--save", out, *QUICK)
            self.assertEqual(sorted(f.name for f in out.iterdir()), ["stencil2d.csv", "stencil2d.json", "stencil2d.sh", "stencil2d.svg"])
            rows = list(csv.DictReader((out / "stencil2d.csv").open()))
            self.assertEqual([row["mapping"] for row in rows], ["default", str(mapping)])
            self.assertEqual({row["kind"] for row in rows}, {"measured"})
            self.assertEqual((rows[1]["mapping_measured_s"], rows[1]["pays_after_iterations"]), ("", ""))
            command = (out / "stencil2d.sh").read_text().splitlines()[-1]
            launcher = "mpirun" if self.family.name.startswith("openmpi") else "mpiexec"
            self.assertIn(f" {launcher} -n 4 topowise bench stencil2d ", f" {command}")
            self.assertIn("--oversubscribe", (out / "stencil2d.sh").read_text().splitlines()[-2])
            self.assertIn(f"--mapping '{mapping}'", command)
            self.assertEqual(json.loads((out / "stencil2d.json").read_text())["command"], command)
            xml.etree.ElementTree.parse(out / "stencil2d.svg")
            self.assertEqual(result.stderr.count("wrote "), 4, result.stderr)
            self.assertFalse(any(note.startswith("not ended") for note in json.loads((out / "stencil2d.json").read_text())["notes"]))

    def test_thirty_two_ranks_of_the_topology_functions(self):
        if self.family.name != "openmpi4":
            self.skipTest("32 ranks on few processors: the others' ranks keep the processors while they wait in MPI_Init")
        found = self.measured(32, "dimensional", "--device", "host", "--topology", "tree:2:2:2:4", "--sizes", "64B")
        self.check_rows(found, "measured", ["block", "cyclic", "non-weighted", "weighted", "network-aware"])
        self.assertEqual({row["workload"] for row in found["rows"]}, {"alltoall:8x4", "alltoall:16x2"})

    def test_what_a_communicator_takes(self):
        """A short form of bench/reordering/creation.py: table 1 of EuroMPI 2011."""
        self.need(os.geteuid() == 0, "emulated hosts need root")
        script = pathlib.Path(__file__).resolve().parents[2] / "bench" / "reordering" / "creation.py"
        result = subprocess.run([sys.executable, script, self.family.name, "4", "--graph"], env=os.environ | {"TOPOWISE": TOPOWISE}, capture_output=True, text=True,
                                timeout=families.HANGS, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line for line in result.stdout.splitlines() if line.startswith("| 4 |")]
        self.assertEqual([row.split(" | ")[1] for row in rows[1:]], ["MPI_Graph_create, " + graph for graph in ("MPI alone", "non-weighted", "weighted", "network-aware")])
        for row in rows:
            self.assertEqual(row.count(" ms "), 5, row)

    def test_what_a_start_takes(self):
        """A short form of bench/start/init.py: section V-C of AsHES 2016."""
        self.need(os.geteuid() == 0, "emulated hosts need root")
        if self.family.name != "openmpi4":
            self.skipTest("what it starts has tests with every library")
        script = pathlib.Path(__file__).resolve().parents[2] / "bench" / "start" / "init.py"
        result = subprocess.run([sys.executable, script, self.family.name, "8", "--repetitions", "1"], env=os.environ | {"TOPOWISE": TOPOWISE}, capture_output=True, text=True,
                                timeout=families.HANGS, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line for line in result.stdout.splitlines() if line.startswith("| 8 |")]
        self.assertEqual([row.split(" | ")[1:3] for row in rows[:5]],
                         [["a node", "alone"], ["a node", "GPUs chosen"], ["a node", "GPUs chosen, set in MPI_Init"], ["4 hosts", "alone"], ["4 hosts", "ranks reordered in MPI_Init"]])
        self.assertEqual([row.split(" | ")[1] for row in rows[5:]], ["stencil2d", "torus2d", "torus3d", "hypercube"])

    def test_what_is_refused(self):
        for status, words, ranks, arguments in (
                (2, "7 ranks make no stencil2d", 7, ["stencil2d", "--device", "host"]),
                (2, "--ranks: a job has as many as its launcher has started", 4, ["stencil2d", "--device", "host", "--ranks", "4"]),
                (2, "this benchmark is for 32 or 128 ranks, as in the paper, not 4", 4, ["cartesian", "--device", "host"]),
                (2, "one process drives all GPUs, a job has several", 3, ["congestion"]),
                (2, "one process starts the others that it measures, a job has several", 3, ["allreduce"]),
                (2, "one process predicts, a job has several", 3, ["halo-orders", "--halo", "2x2"]),
                (2, "one process predicts, a job has several", 3, ["halo-sequence"]),
                (3, "error: cannot read 'nowhere.json': No such file or directory", 4,
                 ["stencil2d", "--device", "host", "--sizes", "4B", "--mapping", "nowhere.json"]),
                (2, "--weight: '0' is no number from 1 to 1000", 2, ["stencil2d", "--weight", "0"]),
                (2, "--sizes: a message, times its weight, has 2 GiB - 1 at most", 2, ["stencil2d", "--sizes", "1GiB"]),
                (3, "is on no place of", 4, ["stencil2d", "--device", "host", "--topology", "torus:2x2x2"])):
            result = self.bench(ranks, *arguments, expect=status)
            self.assertIn(words, result.stderr)
            self.assertEqual(result.stderr.count("error:"), 1, result.stderr)


class OnGpus(BenchJob):
    def setUp(self):
        super().setUp()
        self.need(os.path.exists(FAKE_CUDA) and os.path.exists(FAKE_NVML), "TOPOWISE_FAKE_CUDA and TOPOWISE_FAKE_NVML name no libraries")
        self.gpus = {"TOPOWISE_CUDA_LIBRARY": FAKE_CUDA, "TOPOWISE_HIP_LIBRARY": "/nowhere", "TOPOWISE_NVML_LIBRARY": FAKE_NVML, "TOPOWISE_FAKE_NODE": "preset:helios-k80",
                     "TOPOWISE_FAKE_SESSION": f"bench-{os.getpid()}", "TOPOWISE_FAKE_MEMORY_MIB": "64"}

    def bench(self, ranks, *arguments, **others):
        return super().bench(ranks, *arguments, **self.gpus | others)

    def script(self, name, *lines):
        path = self.scratch / name
        path.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
        path.chmod(0o755)
        return path

    def test_sixteen_gpus(self):
        found = self.measured(16, "torus2d", "--sizes", "4B,64KiB", "--weight", "3")
        self.check_rows(found, "simulated", ["default", "distance", "latency", "bandwidth", "scotch"])
        self.assertIn("copies into memory shared by IPC", found["source"])
        by_mapping = {row["mapping"]: row for row in found["rows"] if row["bytes"] == 65536}
        self.assertEqual(by_mapping["default"]["hop_bytes"], 24 * 1024 * 1024)
        self.assertEqual(by_mapping["distance"]["hop_bytes"], 16 * 1024 * 1024)
        self.assertGreater(by_mapping["distance"]["predicted_improvement_percent"], 50)
        self.assertGreater(by_mapping["distance"]["mapping_measured_s"], 0)

    def test_the_command_that_is_kept_acts_out_the_same_node(self):
        with tempfile.TemporaryDirectory() as folder:
            self.bench(4, "stencil2d", "--sizes", "1KiB", "--weight", "3", "--save", folder, *QUICK)
            words = shlex.split(pathlib.Path(folder, "stencil2d.sh").read_text().splitlines()[-1])
            for name in ("TOPOWISE_CUDA_LIBRARY", "TOPOWISE_NVML_LIBRARY", "TOPOWISE_FAKE_NODE", "TOPOWISE_FAKE_MEMORY_MIB"):
                self.assertIn(f"{name}={self.gpus[name]}", words[:words.index("topowise")])

    def test_the_pace_of_simulated_copies_is_printed(self):
        for pace, slowdown, words, others in (("1", 3, "3 times what the model says", "neither times nor proportions"), ("", None, "neither times nor proportions", "follow the model:")):
            environment = {"TOPOWISE_FAKE_PACE": pace, "TOPOWISE_FAKE_PACE_SCALE": "3"}
            found = self.measured(4, "stencil2d", "--sizes", "1KiB", "--weight", "3", **environment)
            self.assertEqual(found["simulated_slowdown"], slowdown)
            self.assertTrue(any(words in note for note in found["notes"]), found["notes"])
            self.assertFalse(any(others in note for note in found["notes"]), found["notes"])
            text = self.bench(4, "stencil2d", "--sizes", "1KiB", "--weight", "3", *QUICK, TERM="xterm", **environment).stdout
            self.assertIn(f"simulated slowdown: {slowdown or 'none'}", text)
            self.assertNotIn("\033", text)

    def test_memory_that_cannot_be_shared_goes_by_the_host(self):
        found = self.measured(4, "stencil2d", "--sizes", "1000B", TOPOWISE_FAKE_FAULT="cuIpcOpenMemHandle:*:CUDA_ERROR_OPERATING_SYSTEM")
        self.check_rows(found, "simulated", ["default", "distance", "latency", "bandwidth", "scotch"])
        self.assertIn("through host memory", found["source"])
        self.assertTrue(any("CUDA_ERROR_OPERATING_SYSTEM" in note for note in found["notes"]), found["notes"])

    def test_one_process_that_cannot_open_the_others(self):
        one = self.script("closed", f"[ {RANK} = 1 ] && export TOPOWISE_FAKE_FAULT=cuIpcOpenMemHandle:*:CUDA_ERROR_OPERATING_SYSTEM", 'exec "$@"')
        found = self.measured(4, "stencil2d", "--sizes", "1000B", before=[one])
        self.check_rows(found, "simulated", ["default", "distance", "latency", "bandwidth", "scotch"])
        self.assertIn("through host memory", found["source"])

    def test_a_gpu_is_lost(self):
        one = self.script("lost", f"[ {RANK} = 1 ] && export TOPOWISE_FAKE_FAULT=cuStreamSynchronize:9+:CUDA_ERROR_UNKNOWN", 'exec "$@"')
        result = self.bench(4, "stencil2d", "--sizes", "1000B", *QUICK, expect=4, before=[one])
        self.assertIn("rank 1 on ", result.stderr)
        self.assertIn("CUDA_ERROR_UNKNOWN", result.stderr)


class ByTheClock(OnGpus):
    """These tests compare times: they run only where nothing else runs."""

    def test_gains_are_the_models(self):
        found = self.measured(16, "stencil2d", "--sizes", "256KiB", "--weight", "3", TOPOWISE_FAKE_PACE="1", TOPOWISE_FAKE_PACE_SCALE="1000")
        for row in found["rows"]:
            if row["mapping"] == "distance":
                self.assertLess(abs(row["improvement_percent"] - row["predicted_improvement_percent"]), 10, row)
