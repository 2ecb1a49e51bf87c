#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever fails under `topowise probe`, `topology live` and `doctor`, the program ends with a clear message and the right status.

usage: probe_faults_test.py PROGRAM FAKE_CUDA FAKE_NVML
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, CUDA, NVML = sys.argv[1:4]
SECONDS = 1800  # a guard against hangs
NOT_AVAILABLE = 4


class Probe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def topowise(self, *arguments, **environment):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("TOPOWISE_", "OMPI_", "PMI", "SLURM_", "CUDA_"))}
        simulated = {"TOPOWISE_CUDA_LIBRARY": CUDA, "TOPOWISE_NVML_LIBRARY": NVML, "TOPOWISE_FAKE_NODE": "preset:perlmutter-a100",
                 "TOPOWISE_FAKE_SESSION": f"faults-{os.getpid()}", "NO_COLOR": "1"}
        return subprocess.run([PROGRAM, *arguments], env=clean | simulated | environment, text=True, capture_output=True,
                              timeout=SECONDS, check=False)

    def probe(self, *more, **environment):
        return self.topowise("probe", "--sizes", "4KiB,64KiB", "--repetitions", "2", "--save", str(self.folder / "node.json"), *more,
                             **environment)

    def refused(self, done, words):
        self.assertEqual(done.returncode, NOT_AVAILABLE, done.stderr)
        self.assertIn("topowise probe: error: ", done.stderr)
        self.assertIn(words, done.stderr)
        self.assertFalse((self.folder / "node.json").exists(), "half a result was written")

    def goes_on(self, done, words):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertTrue((self.folder / "node.json").exists())

    def test_measured_machine_serves_the_mapper(self):
        done = self.probe("--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["schema"], "topowise.probe/1")
        self.assertEqual(len(result["pairs"]), 6)
        self.assertEqual([size["bytes"] for size in result["pairs"][0]["sizes"]], [4096, 65536])
        self.assertEqual(result["metrics"]["distance"][0], [0, 1, 1, 1])
        self.assertIn("SIMULATED", result["source"])
        node = json.loads((self.folder / "node.json").read_text())
        latency = node["pair_matrices"]["latency"]
        self.assertEqual(latency["count"][0], [0, 2, 2, 2])
        self.assertRegex(latency["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(sorted(latency), ["affinity", "count", "date", "mean", "source", "spread", "values"])
        mapped = self.topowise("map", "pattern:ring:4", str(self.folder / "node.json"), "--metric", "latency", "--json")
        self.assertEqual(mapped.returncode, 0, mapped.stderr)
        self.assertEqual(json.loads(mapped.stdout)["metric"], "latency")

    def test_driver_refuses(self):
        for fault in ("cuInit:1:CUDA_ERROR_NO_DEVICE", "cuMemAlloc:2:CUDA_ERROR_OUT_OF_MEMORY",
                      "cuStreamCreate:1:CUDA_ERROR_OUT_OF_MEMORY", "cuMemcpyPeerAsync:5+:CUDA_ERROR_UNKNOWN",
                      "cuEventSynchronize:3:CUDA_ERROR_UNKNOWN", "cuDeviceGetCount:1:CUDA_ERROR_UNKNOWN"):
            with self.subTest(fault):
                call, _, error = fault.split(":")
                done = self.probe(TOPOWISE_FAKE_FAULT=fault)
                self.refused(done, error)
                self.assertIn(call, done.stderr)

    def test_no_library(self):
        self.refused(self.probe(TOPOWISE_CUDA_LIBRARY="/no/such/libcuda.so"), "/no/such/libcuda.so")
        self.goes_on(self.probe(TOPOWISE_NVML_LIBRARY="/no/such/libnvidia-ml.so"), "the GPUs are known by the cuda driver alone")

    def test_nvml_refuses(self):
        no_permission = {"TOPOWISE_FAKE_NVML_FAULT": "nvmlInit:*:NVML_ERROR_NO_PERMISSION"}
        self.refused(self.probe(TOPOWISE_CUDA_LIBRARY="/no/such/libcuda.so", **no_permission), "NVML does not start: insufficient permissions")
        self.goes_on(self.probe(**no_permission), "NVML does not start: insufficient permissions: the GPUs are known by the cuda driver alone")
        self.goes_on(self.probe(TOPOWISE_FAKE_NVML_FAULT="nvmlDeviceGetHandleByIndex:*:NVML_ERROR_NO_PERMISSION"),
                     "GPU 3 is left out: NVML says 'Insufficient Permissions'")

    def test_one_gpu_is_lost(self):
        self.goes_on(self.probe(TOPOWISE_FAKE_NVML_FAULT="nvmlDeviceGetHandleByIndex:2:NVML_ERROR_GPU_IS_LOST"),
                     "GPU 1 is left out: NVML says 'GPU is lost'")

    def test_no_peer_access(self):
        for environment in ({"TOPOWISE_FAKE_PEER": "none"},
                            {"TOPOWISE_FAKE_FAULT": "cuCtxEnablePeerAccess:*:CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"}):
            with self.subTest(environment):
                self.goes_on(self.probe(**environment), "12 directions have no peer access")

    def test_hidden_gpus(self):
        self.refused(self.probe(CUDA_VISIBLE_DEVICES="1"), "has 1 that cuda shows to this process")
        self.refused(self.probe("--pairs", "0-1", CUDA_VISIBLE_DEVICES="1,3"), "GPU0 cannot be reached")
        self.goes_on(self.probe(CUDA_VISIBLE_DEVICES="1,3"), "does not show GPU0, GPU2")

    def test_gpus_of_other_jobs(self):
        for words in ("GPUs 1,3 are this job's (SLURM_JOB_GPUS)", "does not show GPU0, GPU2"):
            self.goes_on(self.probe(SLURM_JOB_GPUS="1,3"), words)
        self.goes_on(self.probe("--topology", "live", SLURM_JOB_GPUS="1,3"), "2 of 4 GPUs are this job's")

    def test_ranks_of_a_job_need_its_mpi(self):
        job = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_LOCAL_RANK": "0", "OMPI_COMM_WORLD_SIZE": "4"}
        self.refused(self.probe(TOPOWISE_MPI_LIBRARY="/no/such/libmpi.so", **job), "no MPI library of the launcher (Open MPI) can be opened")
        self.goes_on(self.probe(**job | {"OMPI_COMM_WORLD_SIZE": "1"}), "wrote")
        self.goes_on(self.probe(SLURM_PROCID="0", SLURM_NTASKS="4"), "wrote")  # this is a batch script, not a job step

    def test_usage(self):
        for arguments in (["--sizes", "banana"], ["--sizes", "1MiB-1KiB"], ["--pairs", "0"], ["--pairs", "2-2"],
                          ["--pairs", "0-9"], ["--repetitions", "0"], ["--device", "disk"]):
            with self.subTest(arguments):
                done = self.probe(*arguments)
                self.assertIn(done.returncode, (2, 3), done.stderr)
        self.assertEqual(self.topowise("probe").returncode, 2)

    def test_host_memory(self):
        done = self.topowise("probe", "--device", "host", "--pairs", "0-1", "--sizes", "1B-64KiB", "--repetitions", "5", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("host memory", json.loads(done.stdout)["source"])

    def test_doctor(self):
        def items(**environment):
            done = self.topowise("doctor", "--json", **environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            return {item["name"]: item for item in json.loads(done.stdout)["items"]}

        here = items()
        for name in ("NVIDIA NVML", "NVIDIA CUDA driver", "peer access", "IPC of GPU memory", "whole GPUs (no MIG)"):
            self.assertTrue(here[name]["found"], here[name])
        self.assertEqual(here["peer access"]["detail"], "4 GPUs, 12 of 12 pairs")
        self.assertFalse(items(TOPOWISE_FAKE_PEER="0-1")["peer access"]["found"])
        self.assertIn("GPU2 in 3", items(TOPOWISE_FAKE_MIG="2:3")["whole GPUs (no MIG)"]["detail"])
        for call in ("cuIpcGetMemHandle", "cuIpcOpenMemHandle"):
            refused = items(TOPOWISE_FAKE_FAULT=f"{call}:1:CUDA_ERROR_OPERATING_SYSTEM")["IPC of GPU memory"]
            self.assertFalse(refused["found"])
            self.assertRegex(refused["detail"], f"{call}(_v2)? failed on GPU")
            self.assertIn("--ipc=host", refused["detail"])
        no_nvml = items(TOPOWISE_NVML_LIBRARY="/no/such/file")["NVIDIA NVML"]
        self.assertIn("goes by the driver alone: no count of NVLinks", no_nvml["cost"])
        missing = items(TOPOWISE_NVML_LIBRARY="/no/such/file", TOPOWISE_CUDA_LIBRARY="/no/such/file")
        self.assertFalse(missing["NVIDIA NVML"]["found"] or missing["NVIDIA CUDA driver"]["found"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
