#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`topowise bench allreduce` on simulated GPUs:  bench_test.py TOPOWISE FAKE_CUDA TOPOWISE_WITHOUT_KERNELS FAKE_HIP FAKE_HIP_WITHOUT_HIPRTC"""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOPOWISE, FAKE_CUDA, WITHOUT_KERNELS, FAKE_HIP, WITHOUT_HIPRTC = sys.argv[1:6]
ALGORITHMS = ["staged-host", "shared-buffer", "binomial", "leader-fused", "one-shot", "two-shot", "ring"]


class OnDriver:
    """Tests of every driver."""
    LIBRARIES: dict
    BACKEND: str
    LOAD: str  # what its call that loads kernels is called

    def bench(self, *options, expect=0, program=TOPOWISE, verb=("allreduce",), **environment):
        with tempfile.TemporaryDirectory() as folder:
            variables = os.environ | self.LIBRARIES | {"TOPOWISE_FAKE_FOLDER": folder, "TOPOWISE_FAKE_SESSION": folder} | environment
            result = subprocess.run([program, "bench", *verb, "--repetitions", "3", "--warm-up", "1", *options], env=variables,
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, expect, result.stderr)
            if expect == 0:  # the next test clears the parts of the simulated node that killed processes left
                self.assertEqual(os.listdir(folder), [], "what the processes left")
        return result

    def test_all_algorithms(self):
        result = self.bench("--ranks", "3", "--gpus", "2", "--sizes", "4B,1000B,5MiB", "--json")
        measured = json.loads(result.stdout)
        self.assertEqual((measured["ranks"], measured["gpus"]), (3, 2))
        self.assertEqual([a["name"] for a in measured["algorithms"]], ALGORITHMS)
        for algorithm in measured["algorithms"]:
            self.assertTrue(algorithm["available"])
            self.assertGreater(algorithm["initialisation_s"], 0)
            self.assertEqual([s["bytes"] for s in algorithm["sizes"]], [4, 1000, 5 << 20])
            for size in algorithm["sizes"]:
                self.assertTrue(size["right"])
                self.assertTrue(0 < size["min_s"] <= size["mean_s"] <= size["max_s"])
                self.assertIsNone(size["bound_share"])
        self.assertIsNone(measured["memory_bytes_per_s"])
        self.assertIn("these times say nothing about a GPU", result.stderr)

    def test_what_an_earlier_call_left_is_no_result(self):
        """In one case the first kernel reduces and none after it does; in the other only the last one does nothing."""
        for first in (2, 5):
            result = self.bench("--ranks", "2", "--sizes", "64B", "--algorithm", "leader-fused", "--json", expect=1, TOPOWISE_FAKE_FAULT=f"cuLaunchKernel:{first}+:NOTHING")
            self.assertEqual([size["right"] for size in json.loads(result.stdout)["algorithms"][0]["sizes"]], [False])

    def test_what_the_machine_does_not_do(self):
        result = self.bench("--ranks", "2", "--gpus", "2", "--sizes", "64B", "--json", TOPOWISE_FAKE_PEER="none")
        for algorithm in json.loads(result.stdout)["algorithms"]:
            self.assertTrue(algorithm["available"] or algorithm["why"], algorithm)
        self.assertEqual([a["name"] for a in json.loads(result.stdout)["algorithms"] if a["available"]], ["staged-host"])

    def test_a_build_without_kernels(self):
        """Bench, its JSON and `doctor` give the reason. If the one algorithm that was asked for cannot run, the exit status says so."""
        lack = "this build has no GPU kernels: it was made with TOPOWISE_KERNELS=OFF"
        options = ("--ranks", "2", "--gpus", "2", "--sizes", "64B")
        lines = self.bench(*options, program=WITHOUT_KERNELS).stdout.splitlines()
        self.assertEqual([line for line in lines if "not available" in line], [f"{', '.join(ALGORITHMS[1:])}: not available here: {lack}"])
        algorithms = json.loads(self.bench(*options, "--json", program=WITHOUT_KERNELS).stdout)["algorithms"]
        self.assertEqual([algorithm.get("why") for algorithm in algorithms], [None] + [lack] * 6)
        result = self.bench(*options, "--algorithm", "leader-fused", program=WITHOUT_KERNELS, expect=4)
        self.assertIn(f"error: leader-fused is not available here: {lack}", result.stderr)
        for program, found in ((TOPOWISE, True), (WITHOUT_KERNELS, False)):
            told = subprocess.run([program, "doctor", "--json"], capture_output=True, text=True, check=True,
                                  env=os.environ | {"TOPOWISE_CUDA_LIBRARY": "/nowhere", "TOPOWISE_HIP_LIBRARY": "/nowhere"}).stdout
            (item,) = [item for item in json.loads(told)["items"] if item["name"] == "GPU kernels"]
            self.assertEqual((item["found"], item["detail"] == lack), (found, not found))

    def test_one_error_is_said_once(self):
        """Whatever many ranks and algorithms meet together has one line."""
        result = self.bench("--ranks", "16", "--sizes", "64B", expect=4, TOPOWISE_CUDA_LIBRARY="/nowhere", TOPOWISE_HIP_LIBRARY="/nowhere")
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)  # the error and its hint
        self.assertIn("error: ranks 0, 1, 2, 3, 4, 5, 6, 7 and 8 more: the cuda driver cannot be opened", result.stderr)
        result = self.bench("--ranks", "8", "--sizes", "64B", expect=4, TOPOWISE_FAKE_FAULT="cuMemAlloc:*:CUDA_ERROR_OUT_OF_MEMORY")
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)
        result = self.bench("--ranks", "8", "--sizes", "64B", TOPOWISE_FAKE_FAULT="cuModuleLoadData:*:CUDA_ERROR_UNSUPPORTED_PTX_VERSION")
        self.assertEqual((result.stdout + result.stderr).count(self.LOAD), 1, result.stdout)

    def test_a_driver_that_knows_nothing_of_mps(self):
        with tempfile.TemporaryDirectory() as cache:
            self.bench("--ranks", "2", "--sizes", "64B", "--tune", XDG_CACHE_HOME=cache, TOPOWISE_FAKE_FAULT="cuDeviceGetAttribute:*:CUDA_ERROR_INVALID_VALUE")
            (file,) = pathlib.Path(cache).glob("topowise/allreduce/*.json")
            self.assertTrue(json.loads(file.read_text())["machine"].endswith(", no MPS"))

    def test_csv(self):
        lines = self.bench("--ranks", "2", "--sizes", "4B-16B", "--algorithm", "leader-fused", "--csv").stdout.splitlines()
        self.assertEqual(lines[0], "algorithm,bytes,mean_s,min_s,max_s,right")
        self.assertEqual([line.split(",")[:2] for line in lines[1:]], [["leader-fused", "4"], ["leader-fused", "8"], ["leader-fused", "16"]])

    def test_amortise(self):
        """Figure 3 of the paper, compared with the times that the same measurement prints."""
        def calls(algorithm, baseline, size):
            saved = baseline["sizes"][size]["mean_s"] - algorithm["sizes"][size]["mean_s"]
            return math.ceil(algorithm["initialisation_s"] / saved) if saved > 0 else None
        options = ("--ranks", "2", "--sizes", "4B,64KiB", "--amortise")
        baseline, algorithm = json.loads(self.bench(*options, "--algorithm", "shared-buffer", "--json").stdout)["algorithms"]
        self.assertEqual((baseline["name"], algorithm["name"]), ("staged-host", "shared-buffer"))
        for size in range(2):
            self.assertEqual(algorithm["sizes"][size]["amortised_calls"], calls(algorithm, baseline, size))
            self.assertIsNone(baseline["sizes"][size]["amortised_calls"])
        lines = self.bench(*options, "--csv").stdout.splitlines()
        self.assertEqual(lines[0], "algorithm,bytes,mean_s,min_s,max_s,right,initialisation_s,amortised_calls")
        self.assertEqual({line.split(",")[-1] for line in lines[1:] if line.startswith("staged-host")}, {"never"})
        table = self.bench(*options).stdout
        self.assertRegex(table, r"bytes  shared-buffer       binomial   leader-fused       one-shot       two-shot           ring\n +4( +(\d+|never)){6}\n +65536( +(\d+|never)){6}\n$")

    def test_tune(self):
        """The saved choice is the fastest algorithm; with one algorithm there is nothing to choose."""
        with tempfile.TemporaryDirectory() as cache:
            result = self.bench("--ranks", "2", "--gpus", "2", "--sizes", "4B,64KiB", "--tune", "--json", XDG_CACHE_HOME=cache)
            (file,) = pathlib.Path(cache).glob("topowise/allreduce/*.json")
            kept = json.loads(file.read_text())
            self.assertRegex(kept["machine"], rf"^SIMULATED .*, {self.BACKEND} \d+, no MPS$")
            self.assertEqual([(row["ranks"], row["gpus"], row["sizes"]) for row in kept["rows"]], [(2, 2, json.loads(result.stdout)["fastest"])])
            self.assertIn(f"jobs of 2 ranks on 2 GPUs will choose by {file}", result.stderr)
            own = pathlib.Path(cache) / "own.json"
            text = self.bench("--ranks", "2", "--sizes", "4B", "--tune", TOPOWISE_ALLREDUCE_TUNING=own).stdout
            self.assertRegex(text, r"bytes fastest\n +4 [a-z-]+\n$")
            self.assertEqual(json.loads(own.read_text())["machine"], kept["machine"])
        self.bench("--tune", "--algorithm", "ring", expect=2)
        self.bench("--ranks", "2", "--sizes", "4B", "--tune", expect=2, TOPOWISE_ALLREDUCE_TUNING="off")

    def test_other_collectives(self):
        """Each by the algorithms that do it, with results that are checked at every rank."""
        for name in ("allreduce", "reduce", "bcast", "allgather", "reduce_scatter_block"):
            for ranks, gpus in ((1, 1), (3, 2), (5, 4)):
                found = json.loads(self.bench("--ranks", str(ranks), "--gpus", str(gpus), "--sizes", "4B,20KiB", "--json", verb=("collective", name)).stdout)
                self.assertEqual((found["schema"], found["collective"], found["ranks"]), ("topowise.bench-collective/1", name, ranks))
                known = {algorithm["name"] for algorithm in found["algorithms"]}
                self.assertEqual(known if name == "allreduce" else known ^ {"staged-host", "leader-fused"}, known if name == "allreduce" else set())
                self.assertTrue(all(algorithm["available"] and [size["right"] for size in algorithm["sizes"]] == [True] * 2 for algorithm in found["algorithms"]), found)

    def test_a_wrong_result_of_another_collective(self):
        """A kernel that does nothing, in the first measured call of the root."""
        for name in ("reduce", "bcast", "allgather", "reduce_scatter_block"):
            result = self.bench("--ranks", "3", "--sizes", "4B", "--algorithm", "leader-fused", "--json", verb=("collective", name), expect=1,
                                TOPOWISE_FAKE_FAULT="cuLaunchKernel:4+:NOTHING")
            self.assertIn("a result is wrong", result.stderr)

    def test_save(self):
        with tempfile.TemporaryDirectory() as folder:
            self.bench("--ranks", "2", "--sizes", "4B,64KiB", "--amortise", "--save", folder)
            saved = pathlib.Path(folder)
            self.assertEqual(sorted(file.name for file in saved.iterdir()), [f"allreduce.{suffix}" for suffix in ("csv", "json", "sh", "svg")])
            self.assertIn("time of a call", (saved / "allreduce.svg").read_text())
            self.assertEqual(json.loads((saved / "allreduce.json").read_text())["ranks"], 2)

    def test_a_process_that_is_killed(self):
        result = self.bench("--ranks", "2", "--sizes", "4B", expect=4, TOPOWISE_FAKE_FAULT="cuStreamSynchronize:4:KILL")
        self.assertIn("a process of the measurement ended with status 137", result.stderr)


class Cuda(OnDriver, unittest.TestCase):
    LIBRARIES = {"TOPOWISE_CUDA_LIBRARY": FAKE_CUDA, "TOPOWISE_HIP_LIBRARY": "/nowhere"}
    BACKEND = "cuda"
    LOAD = "cuModuleLoadData"

    def test_nccl_is_compared_where_it_is(self):
        """The stand-in for NCCL moves nothing, so that each of its sums is wrong."""
        build = pathlib.Path(TOPOWISE).parents[1]
        with tempfile.TemporaryDirectory() as folder:
            variables = os.environ | self.LIBRARIES | {"TOPOWISE_FAKE_NODE": "preset:l40s-8", "TOPOWISE_FAKE_SESSION": folder, "TOPOWISE_FAKE_MEMORY_MIB": "512",
                                                       "CUDA_VISIBLE_DEVICES": "0,1"}
            compare = [build / "bin/gpu_bench", "nccl"]
            absent = subprocess.run(compare, env=variables | {"LD_LIBRARY_PATH": folder}, capture_output=True, text=True)
            if "libnccl.so.2: cannot open" in absent.stdout:  # else this machine has it
                self.assertEqual((absent.returncode, absent.stdout.count("\n")), (0, 1), absent)
            (pathlib.Path(folder) / "libnccl.so.2").symlink_to(build / "tests/nccl/libnccl.so")
            found = subprocess.run(compare, env=variables | {"LD_LIBRARY_PATH": folder}, capture_output=True, text=True)
            note, head, *rows = found.stdout.splitlines()
            self.assertTrue(note.startswith("# 2 SIMULATED"), note)
            self.assertEqual((found.returncode, head, rows[0], len(rows)), (1, "bytes,mean_s,right", "4,,false", 13), found.stderr)

    def test_a_package_without_libraries_or_kernels_is_refused(self):
        script = pathlib.Path(__file__).resolve().parents[2] / "bench/gpu/allreduce.sh"
        build = pathlib.Path(TOPOWISE).parents[1]
        with tempfile.TemporaryDirectory() as folder:
            copy, file = pathlib.Path(folder) / "build", pathlib.Path(folder) / "carry.tar.gz"
            (copy / "bin").mkdir(parents=True)
            (copy / "lib").mkdir()
            for name in ("bin/topowise", "bin/gpu_bench", "lib/libtopowise_interpose.so", "lib/libtopowise_engine.so"):
                (copy / name).symlink_to(build / name)
            for lack, said in (("libtopowise_allreduce.so", "libtopowise_allreduce.so"), (None, "has no GPU kernels")):
                if lack is None:
                    (copy / "lib/libtopowise_allreduce.so").symlink_to(build / "lib/libtopowise_allreduce.so")
                    (copy / "bin/topowise").unlink()
                    (copy / "bin/topowise").symlink_to(build / "bin/topowise_without_kernels")
                result = subprocess.run([script, "pack", copy, file], capture_output=True, text=True)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(said, result.stderr)
                self.assertFalse(file.exists())

    def test_what_is_carried_to_a_gpu_machine(self):
        """bench/gpu/allreduce.sh: its package is small, and it runs from the unpacked folder, also with the C library in the package, and also if the
        path has a blank. It ends when its time is over, and says what is missing."""
        if b"__asan_init" in pathlib.Path(TOPOWISE).read_bytes():
            self.skipTest("what needs a sanitizer's library first in the process is not carried")
        script = pathlib.Path(__file__).resolve().parents[2] / "bench/gpu/allreduce.sh"
        with tempfile.TemporaryDirectory() as folder:
            variables = os.environ | {"TOPOWISE_HIP_LIBRARY": "/nowhere", "TOPOWISE_FAKE_FOLDER": folder, "TOPOWISE_FAKE_SESSION": folder, "CUDA_VISIBLE_DEVICES": "0",
                                      "ALLREDUCE_SIZES": "4B,64KiB", "ALLREDUCE_RANKS": "2 3", "ALLREDUCE_STAGING": "2", "ALLREDUCE_STAGING_MIB": "1"}
            packed = pathlib.Path(folder) / "carry.tar.gz"
            mpich = pathlib.Path(os.environ.get("TOPOWISE_MPI_VENVS", "/nowhere")) / "v-mpich"
            subprocess.run([script, "pack", pathlib.Path(TOPOWISE).parents[1], packed, *([os.path.relpath(mpich)] if mpich.exists() else [])], check=True, capture_output=True)
            self.assertLess(packed.stat().st_size, 60 << 20)
            subprocess.run(["tar", "-xzf", packed, "-C", folder], check=True)
            unpacked = pathlib.Path(folder) / "allreduce"
            for seconds, measured, more in ((600, 8, {}), (600, 8, {"CARRIED_C_LIBRARY": "1"}), (0, 0, {})):
                out = pathlib.Path(folder) / f"out-{seconds}{len(more)}"
                if more:
                    unpacked = unpacked.rename(unpacked.with_name("all reduce"))
                result = subprocess.run([unpacked / "allreduce.sh", "run", out, str(seconds), "simulated"], env=variables | more, capture_output=True, text=True)
                self.assertEqual(result.returncode, 0 if measured else 5, f"{result.stdout}\n{result.stderr}")
                missing = (out / "missing.txt").read_text().splitlines() if not measured else []
                self.assertEqual(len([name for name in missing if name.startswith("ranks-")]), 0 if measured else 16)
                self.assertEqual("by the C library that came along" in result.stdout, bool(more))
                files = sorted(out.glob("ranks-*.json"))
                for mps in (False, True):
                    self.assertEqual(len([f for f in files if f.stem.endswith("-mps") == mps]), measured, result.stdout)
                for file in files:
                    found = json.loads(file.read_text())
                    self.assertIn("SIMULATED", found["device"])
                    self.assertTrue(all(size["right"] for algorithm in found["algorithms"] for size in algorithm["sizes"]))
                if measured:
                    tables = subprocess.run([script.with_name("tables.py"), out], check=True, capture_output=True, text=True).stdout
                    for name in ("models/allreduce.md", "papers/eurompi2014.md"):
                        page = pathlib.Path(folder) / pathlib.Path(name).name
                        page.write_text((script.parents[2] / "docs" / name).read_text())
                        kept = page.read_text()
                        refused = subprocess.run([script.with_name("tables.py"), out, "--write", page], capture_output=True, text=True)
                        self.assertEqual((refused.returncode, page.read_text()), (1, kept), refused.stderr)
                        for _ in range(2):  # a second time it replaces its own tables
                            subprocess.run([script.with_name("tables.py"), out, "--simulated", "--write", page], check=True, capture_output=True)
                        self.assertEqual(page.read_text().count("### 3 ranks, without MPS"), 1)
                        self.assertNotIn("No time has been measured on a GPU yet.", page.read_text())
                        for side, mark in ((0, "<!-- bench/gpu/tables.py: begin -->"), (1, "<!-- bench/gpu/tables.py: end -->")):
                            self.assertEqual(page.read_text().split(mark)[side], kept.split(mark)[side])
                    self.assertEqual([tables.count(part) for part in ("**Simulated", "### 2 ranks, with MPS", "### 3 ranks, without MPS", "| 64 KiB |")], [1, 1, 1, 4])
                    self.assertIn("run.txt: done", result.stdout)
                    self.assertEqual((out / "nccl.csv").read_text(), "# not compared: there is one GPU\n")
                    if mpich.exists():
                        self.assertEqual(result.stdout.count(" checks, 0 wrong"), 4, result.stdout)
                        told = {name: (out / name).read_text() for name in ("collectives.txt", "recorded.txt", "auto-1.txt", "auto-2.txt", "staging-2.csv", "tune.txt")}
                        self.assertEqual([told[name].count(" checks, 0 wrong") for name in ("collectives.txt", "auto-1.txt", "auto-2.txt")], [4, 4, 4], told)
                        self.assertIn("between GPUs", told["recorded.txt"])
                        self.assertIn("recorded", told["auto-1.txt"])
                        self.assertEqual(re.findall(r"(\w+)$", told["staging-2.csv"], re.MULTILINE)[1:], ["right", "true", "true", "true", "true", "true"], told)
                        self.assertIn("### Staged by the program, 2 ranks", tables)
                        self.assertEqual(json.loads((out / "tuning.json").read_text())["rows"][0]["ranks"], 4)


class Hip(OnDriver, unittest.TestCase):
    LIBRARIES = {"TOPOWISE_CUDA_LIBRARY": "/nowhere", "TOPOWISE_HIP_LIBRARY": FAKE_HIP, "TOPOWISE_FAKE_NODE": "preset:mi250x"}
    BACKEND = "hip"
    LOAD = "hipModuleLoadData"

    def test_a_compiler_that_fails(self):
        """Bench gives the compiler's own words, once."""
        result = self.bench("--ranks", "2", "--sizes", "64B", TOPOWISE_FAKE_FAULT="hiprtcCompileProgram:*:CUDA_ERROR_UNKNOWN")
        self.assertEqual((result.stdout + result.stderr).count("hiprtcCompileProgram failed: error 6: CompileSource:9:1: error: a fault was asked for"), 1, result.stdout)

    def test_without_a_compiler(self):
        """A HIP library without hiprtc, and none beside it."""
        lack = "ROCm's compiler of GPU kernels cannot be opened: libhiprtc.so: cannot open shared object file"
        result = self.bench("--ranks", "2", "--sizes", "64B", TOPOWISE_HIP_LIBRARY=WITHOUT_HIPRTC)
        self.assertEqual((result.stdout + result.stderr).count(lack), 1, result.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
