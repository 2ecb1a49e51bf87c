# SPDX-License-Identifier: BSD-3-Clause
"""`topowise bench` over the wires of an emulated cluster: the exchanges of EuroMPI 2011 on four hosts behind two switches; consecutive nodes are on
different switches. Needs root; elsewhere it skips and says why."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import families
from fabric_test import Fabric, launcher
from jobs import TOPOWISE

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
ORDER = ["h0", "h2", "h1", "h3"]
RANKS = 32


class BenchOnWires(Fabric):
    description = "two-switches.fabric"

    def bench(self, name, *arguments):
        machine = self.scratch / "machine.json"
        machine.write_text(self.lab.fabric.topology("two switches"))
        command = [TOPOWISE, "bench", name, "--device", "host", "--topology", machine, "--warm-up", "1", "--json", *arguments]
        words = launcher.job(self.lab, self.family.name, self.family.launcher, RANKS, command, hosts=ORDER)
        return json.loads(self.job(words).stdout)["rows"]

    def by_workload(self, rows):
        found = {}
        for row in rows:
            self.assertTrue(row["right"], row)
            self.assertEqual(row["kind"], "measured")
            found.setdefault(row["workload"], {})[row["mapping"]] = row
        return found


class Exact(BenchOnWires):
    """Results that follow from the mappings alone. No clock decides."""

    def test_what_a_graph_knows_it_uses(self):
        for name, arguments in (("cartesian", ("--sizes", "64B")), ("dimensional", ("--sizes", "64B"))):
            for workload, of_mapping in self.by_workload(self.bench(name, *arguments, "--repetitions", "1", "--runs", "1")).items():
                cost = {mapping: row["hop_bytes"] for mapping, row in of_mapping.items()}
                self.assertLessEqual(cost["network-aware"], cost["weighted"], workload)
                self.assertLess(cost["network-aware"], cost["block"], workload)
                predicted = {mapping: row["predicted_s"] for mapping, row in of_mapping.items()}
                self.assertLess(predicted["network-aware"], predicted["block"], workload)


class Application(Fabric):
    """A short form of bench/application, on a lab of its own; this test's lab proves that there can be one."""

    description = "two-switches.fabric"

    def test_an_application_before_and_after(self):
        if self.family.name != "openmpi4" or shutil.which("lmp", path="/usr/bin") is None:
            self.skipTest("Debian's LAMMPS is for Open MPI 4, and it is not installed or this is another family")
        result = subprocess.run([sys.executable, BENCH / "application/lammps.py", "1", "4", "5"], env=os.environ | {"TOPOWISE": TOPOWISE}, capture_output=True, text=True,
                                timeout=families.HANGS, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line for line in result.stdout.splitlines() if line.startswith(("| in turn", "| mapped"))]
        self.assertEqual(len(rows), 2, result.stdout)
        self.assertIn("predicted of the communication alone", result.stdout)


class ByTheClock(BenchOnWires):
    def test_the_gain_is_there(self):
        for workload, of_mapping in self.by_workload(self.bench("cartesian", "--sizes", "64KiB", "--repetitions", "1", "--runs", "3")).items():
            self.assertGreater(of_mapping["network-aware"]["improvement_percent"], 50, workload)
