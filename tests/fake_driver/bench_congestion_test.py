#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`topowise bench congestion` on a simulated node: its measurements, its output, and its errors.

usage: bench_congestion_test.py PROGRAM FAKE_CUDA FAKE_NVML FAKE_HIP [unittest's arguments]

The class ByTheClock compares times: its tests mean something only on a quiet machine.
"""
import csv
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

PROGRAM, CUDA, NVML, HIP = sys.argv[1:5]
SECONDS = 1800  # a guard against hangs
COLLECTIVES = {"ring": 8, "scatter": 7, "gather": 7, "all-to-all": 56}
QUICK = ["--sizes", "64KiB", "--repetitions", "2", "--warm-up", "0"]


class OnANode(unittest.TestCase):
    def environment(self, **more):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("TOPOWISE_", "OMPI_", "PMI", "SLURM_", "CUDA_", "SOURCE_DATE"))}
        simulated = {"TOPOWISE_CUDA_LIBRARY": CUDA, "TOPOWISE_NVML_LIBRARY": NVML, "TOPOWISE_FAKE_NODE": "preset:cs-storm-t2",
                 "TOPOWISE_FAKE_SESSION": f"congestion-{os.getpid()}", "NO_COLOR": "1"}
        return clean | simulated | more

    def bench(self, *arguments, **environment):
        return subprocess.run([PROGRAM, "bench", "congestion", *arguments], env=self.environment(**environment), text=True,
                              capture_output=True, timeout=SECONDS, check=False)

    def result(self, *arguments, **environment):
        done = self.bench(*arguments, "--json", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Bench(OnANode):
    def test_what_is_told(self):
        found = self.result(*QUICK, "--sets", "20")
        self.assertEqual(found["schema"], "topowise.bench-congestion/1")
        self.assertIn("SIMULATED", found["source"])
        self.assertTrue(any("neither times nor proportions follow the model" in note for note in found["notes"]), found["notes"])
        self.assertGreater(found["congestion"]["link_bandwidth_bytes_per_s"], 0)
        self.assertEqual((found["gpus"], found["repetitions"], found["asked_model"]), (8, 2, "auto"))
        self.assertLessEqual(set(found["model"].split("+")), {"pcie-sc16", "max-min"})
        [size] = found["sizes"]
        self.assertEqual(size["bytes"], 65536)
        self.assertGreater(size["alone_s"], 0)
        self.assertEqual({s["name"]: len(s["transfers"]) for s in size["sets"][:4]}, COLLECTIVES)
        self.assertEqual(len(size["sets"]), 24)
        transfers = [transfer for one in size["sets"] for transfer in one["transfers"]]
        for one in size["sets"]:
            pairs = [(t["source"], t["destination"]) for t in one["transfers"]]
            self.assertEqual(len(set(pairs)), len(pairs))
            self.assertTrue(all(a != b and a < 8 and b < 8 for a, b in pairs))
        for transfer in transfers:
            self.assertGreater(transfer["measured_s"], 0)
            self.assertAlmostEqual(transfer["error"], transfer["predicted_s"] / transfer["measured_s"] - 1)
        errors = [t["error"] for t in transfers]
        self.assertEqual(size["errors"]["count"], len(errors))
        self.assertAlmostEqual(size["errors"]["within_15_percent"], sum(abs(e) <= 0.15 for e in errors) / len(errors))
        self.assertEqual((size["errors"]["least"], size["errors"]["most"]), (min(errors), max(errors)))
        self.assertEqual(sum(b["transfers"] for b in size["histogram"]), len(errors))
        self.assertEqual(sum(g["sets"] for g in size["groups"]), 24)
        self.assertEqual(sum(g["count"] for g in size["groups"]), len(errors))

    def test_same_seed_same_sets(self):
        def sets(*more):
            found = self.result(*QUICK, "--sets", "15", *more)
            return [[(t["source"], t["destination"]) for t in s["transfers"]] for s in found["sizes"][0]["sets"]]
        self.assertEqual(sets(), sets("--seed", "1"))
        self.assertNotEqual(sets(), sets("--seed", "2"))

    def test_every_small_set(self):
        found = self.result("--sizes", "4KiB", "--repetitions", "1", "--warm-up", "0", "--sets", "0", "--transfers", "2", "--small-sets")
        names = [s["name"].rsplit(" ", 1)[0] for s in found["sizes"][0]["sets"]]
        self.assertGreaterEqual(names.count("near"), 12)
        self.assertGreater(names.count("spread"), 0)
        self.assertLessEqual(max(len(s["transfers"]) for s in found["sizes"][0]["sets"][4:]), 2)

    def test_csv_has_a_line_a_transfer(self):
        done = self.bench(*QUICK, "--sets", "3", "--csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        self.assertEqual(sorted(rows[0]), sorted("set transfers bytes source destination predicted_s measured_s spread_s error".split()))
        self.assertEqual(sum(row["set"] == "all-to-all" for row in rows), 56)
        self.assertTrue(all(int(row["bytes"]) == 65536 for row in rows))

    def test_text(self):
        done = self.bench(*QUICK, "--sets", "3", "--gpus", "4", "--link-bandwidth", "12GB/s", "--tau", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("4 GPUs", "B 12 GB/s, tau 0.100", "medians of 2 repetitions", "transfers by error", "mean |error|"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("at once", done.stdout)  # there was no calibration

    def test_one_given_set_over_sizes(self):
        found = self.result("--messages", "0->3 1->2", "--sizes", "4KiB-64KiB", "--repetitions", "2", "--warm-up", "0")
        self.assertEqual([size["bytes"] for size in found["sizes"]], [4096, 8192, 16384, 32768, 65536])
        for size in found["sizes"]:
            self.assertEqual([[(t["source"], t["destination"]) for t in s["transfers"]] for s in size["sets"]], [[(0, 3), (1, 2)]])
        hidden = self.result("--messages", "1->3", "--sizes", "4KiB", "--repetitions", "1", CUDA_VISIBLE_DEVICES="1,3")
        self.assertEqual([(t["source"], t["destination"]) for t in hidden["sizes"][0]["sets"][0]["transfers"]], [(1, 3)])
        text = self.bench("--messages", "0->3 1->2", "--sizes", "4KiB", "--repetitions", "2").stdout
        self.assertIn("0->3", text)

    def test_the_best_order_of_a_halo(self):
        with tempfile.TemporaryDirectory() as folder:
            best = str(Path(folder) / "best.json")
            subprocess.run([PROGRAM, "schedule", "pattern:halo2d:2x4", "preset:cs-storm-t2", "--save", best], check=True, capture_output=True)
            found = self.result(*QUICK, "--messages", best)
            wanted = [(c["source"], c["destination"]) for c in json.loads(Path(best).read_text())["communications"]]
            self.assertEqual(len(wanted), 20)
            self.assertEqual([[(t["source"], t["destination"]) for t in s["transfers"]] for s in found["sizes"][0]["sets"]], [wanted])
            Path(best).write_text('{"schema": "topowise.exchange/1", "communications": [{"source": 0, "destination": 1, "bytes": 1}, '
                                  '{"source": 1, "destination": 0, "bytes": 1, "start_s": 0.5}]}')
            self.assertIn("start at different times", self.bench("--messages", best).stderr)
            self.assertEqual(self.bench("--messages", str(Path(folder) / "none")).returncode, 3)

    def test_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            for more in (["--sets", "3"], ["--messages", "0->3 1->2", "--sizes", "4KiB-16KiB"]):
                place = Path(folder) / "new" / "folder"
                done = self.bench(*QUICK, *more, "--save", str(place))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(sorted(p.name for p in place.iterdir()),
                                 ["congestion.csv", "congestion.json", "congestion.sh", "congestion.svg"])
                xml.etree.ElementTree.parse(place / "congestion.svg")
                self.assertIn("topowise bench congestion", (place / "congestion.sh").read_text())
                self.assertEqual(json.loads((place / "congestion.json").read_text())["schema"], "topowise.bench-congestion/1")

    def test_hip(self):
        found = self.result(*QUICK, "--sets", "2", "--gpus", "4", TOPOWISE_CUDA_LIBRARY="/no/such/libcuda.so",
                            TOPOWISE_NVML_LIBRARY="/no/such/libnvidia-ml.so", TOPOWISE_HIP_LIBRARY=HIP)
        self.assertIn("by hip", found["source"])
        self.assertEqual(len(found["sizes"][0]["sets"]), 6)

    def test_bonds(self):
        found = self.result(*QUICK, "--sets", "5", TOPOWISE_FAKE_NODE="preset:perlmutter-a100")
        self.assertEqual(found["gpus"], 4)
        self.assertEqual(len(found["sizes"][0]["sets"]), 9)

    def test_two_gpus_have_few_sets(self):
        found = self.result(*QUICK, "--sets", "50", "--gpus", "2")
        # For two GPUs, ring and all-to-all are one set, and scatter and gather another; no sets are left for random ones.
        self.assertEqual([len(s["transfers"]) for s in found["sizes"][0]["sets"]], [2, 1])
        self.assertIn("only 0 random sets could be found that differ", found["notes"])

    def test_without_peer_access(self):
        found = self.result(*QUICK, "--sets", "1", "--gpus", "4", TOPOWISE_FAKE_PEER="none")
        self.assertTrue(any("12 directions have no peer access" in note for note in found["notes"]), found["notes"])

    def test_an_interrupt_keeps_what_was_measured(self):
        master, slave = pty.openpty()
        with subprocess.Popen([PROGRAM, "bench", "congestion", *QUICK, "--sets", "1000000", "--transfers", "9", "--json",
                               "--link-bandwidth", "1GB/s", "--tau", "0"],
                              env=self.environment(), stdout=subprocess.PIPE, stderr=slave) as program:
            os.close(slave)
            seen = b""
            while b"measured" not in seen:
                seen += os.read(master, 4096)
            program.send_signal(signal.SIGINT)
            output, _ = program.communicate(timeout=SECONDS)
        os.close(master)
        self.assertEqual(program.returncode, 130)
        self.assertGreater(json.loads(output)["sizes"][0]["errors"]["count"], 0)

    def test_driver_refuses(self):
        for fault in ("cuMemcpyPeerAsync:90+:CUDA_ERROR_UNKNOWN", "cuMemAlloc:9+:CUDA_ERROR_OUT_OF_MEMORY",
                      "cuStreamWaitEvent:3:CUDA_ERROR_UNKNOWN", "cuMemsetD8Async:2:CUDA_ERROR_UNKNOWN",
                      "cuEventElapsedTime:9+:CUDA_ERROR_UNKNOWN", "cuInit:1:CUDA_ERROR_NO_DEVICE"):
            with self.subTest(fault):
                done = self.bench(*QUICK, "--sets", "5", TOPOWISE_FAKE_FAULT=fault)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn(fault.split(":")[2], done.stderr)
                self.assertEqual(done.stdout, "")

    def test_not_available(self):
        for environment in ({"TOPOWISE_CUDA_LIBRARY": "/no/such/libcuda.so"}, {"CUDA_VISIBLE_DEVICES": "0"}):
            with self.subTest(environment):
                self.assertEqual(self.bench(*QUICK, **environment).returncode, 4)

    def test_a_job_is_refused(self):
        done = self.bench(*QUICK, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="4")
        self.assertEqual(done.returncode, 2)
        self.assertIn("one process drives all GPUs", done.stderr)
        self.assertEqual(self.bench(*QUICK, "--sets", "0", OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="1").returncode, 0)

    def test_the_smallest_message(self):
        self.assertEqual(self.result("--sizes", "1B", "--sets", "2", "--repetitions", "1", "--gpus", "3")["sizes"][0]["bytes"], 1)

    def test_a_message_that_no_gpu_holds(self):
        done = self.bench("--sizes", "2GiB", "--sets", "1", "--link-bandwidth", "1GB/s", "--tau", "0")
        self.assertEqual(done.returncode, 4)
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", done.stderr)

    def test_usage(self):
        for arguments, words in ((["--messages", "0->3:1MB"], "has a size"), (["--messages", "0->0"], "to itself"),
                                 (["--messages", "0->3 0->3"], "is listed twice"), (["--messages", "0->12"], "GPU 12 is not among the 8 GPUs that are used"),
                                 (["--messages", ""], "there is no message"), (["--sets", "-1"], "--sets"), (["--transfers", "0"], "--transfers"),
                                 (["--gpus", "1"], "--gpus"), (["--tau", "0.5"], "--tau"), (["--model", "magic"], "--model"),
                                 (["--ranks", "4"], "--ranks"), (["--json", "--csv"], "--csv"), (["--sizes", "0B"], "--sizes")):
            with self.subTest(arguments):
                done = self.bench(*arguments)
                self.assertIn(done.returncode, (2, 3), done.stderr)
                self.assertIn(words, done.stderr)


class ByTheClock(OnANode):
    def test_prediction_is_what_the_node_acts_out(self):
        """The node takes the model's times: errors are what a busy machine adds, and what the calibration misses."""
        for node in ("preset:cs-storm-t1", "preset:cs-storm-t2"):
            with self.subTest(node):
                found = self.result("--sizes", "1MiB", "--repetitions", "3", "--sets", "60", TOPOWISE_FAKE_NODE=node,
                                    TOPOWISE_FAKE_PACE="1", TOPOWISE_FAKE_PACE_SCALE="200")
                errors = found["sizes"][0]["errors"]
                self.assertGreater(errors["within_15_percent"], 0.97, errors)  # the paper: more than 97 %
                self.assertLess(errors["mean_absolute"], 0.03, errors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
