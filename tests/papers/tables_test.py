#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The predicted or computed numbers in the tables and pictures of docs/papers are those that the commands give now. Scotch's numbers are left out: they
depend on its release.
Usage: tables_test.py TOPOWISE"""
import calendar
import csv
import io
import itertools
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PAGES = Path(__file__).parent.parent.parent / "docs" / "papers"
PROGRAM = str(Path(sys.argv.pop(1)).absolute()) if len(sys.argv) > 1 else "topowise"
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
SECONDS = {"us": 1e-6, "ms": 1e-3}
ROUNDED = 0.0501  # for a percentage with one decimal


def bench(name, sizes):
    """(workload, weight, bytes, mapping) -> row"""
    found = subprocess.run([PROGRAM, "bench", name, "--sizes", sizes, "--csv"], capture_output=True, text=True, check=True).stdout
    return {(row["workload"], row["weight"], int(row["bytes"]), row["mapping"]): row for row in csv.DictReader(io.StringIO(found))}


def tables(page):
    """The rows of cells; an empty first cell means the first cell of the row before."""
    first = ""
    for line in (PAGES / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            first = cells[0] = cells[0] or first
            yield cells


def size_of(words):
    number, unit = words.split()
    return int(number) * UNITS[unit]


class GpuSelection(unittest.TestCase):
    WORKLOADS = {"2D stencil": "stencil2d:4x4", "2D torus": "torus2d:4x4", "3D torus": "torus3d:4x2x2", "4D hypercube": "hypercube:4"}
    MAPPINGS = ("distance", "latency", "bandwidth")

    def test_improvements(self):
        now = {}
        for workload in self.WORKLOADS.values():
            now |= bench(workload.split(":")[0], "1KiB,16KiB,256KiB,4MiB,16MiB")
        compared = 0
        for name, weight, size, *numbers, kind in (cells for cells in tables("ashes2016.md") if len(cells) == 8):
            if kind != "predicted":
                continue
            for mapping, number in zip(self.MAPPINGS, numbers):
                with self.subTest(f"{name}, w = {weight}, {size}, {mapping}"):
                    row = now[self.WORKLOADS[name], weight, size_of(size), mapping]
                    self.assertAlmostEqual(float(row["improvement_percent"]), float(number), delta=ROUNDED)
                    compared += 1
        self.assertEqual(compared, 4 * 2 * 5 * 3)

    def test_hop_bytes(self):
        compared = 0
        for name, weight, *numbers in (cells for cells in tables("ashes2016.md") if len(cells) == 7 and re.fullmatch(r"[\d,]+", cells[2])):
            workload = self.WORKLOADS[re.sub(r"( \dx\d)?(x\d)*$", "", name)]
            now = bench(workload.split(":")[0], "1KiB")
            for mapping, number in zip(("default", *self.MAPPINGS), numbers):
                with self.subTest(f"{name}, w = {weight}, {mapping}"):
                    self.assertEqual(now[workload, weight, 1024, mapping]["hop_bytes"], number.replace(",", ""))
                    compared += 1
        self.assertEqual(compared, 4 * 2 * 4)


class TopologyFunctions(unittest.TestCase):
    WORKLOADS = {"2D torus 8x4": "torus2d:8x4", "3D torus 4x4x2": "torus3d:4x4x2", "5D hypercube": "hypercube:5", "all-to-all 8x4": "alltoall:8x4",
                 "all-to-all 16x2": "alltoall:16x2"}

    def test_improvements(self):
        now = bench("cartesian", "64B,1KiB,64KiB,1MiB") | bench("dimensional", "64B,1KiB,64KiB,1MiB")
        compared = 0
        for name, size, *numbers, block in (cells for cells in tables("eurompi2011.md") if len(cells) == 7 and cells[0] in self.WORKLOADS):
            if not re.fullmatch(r"\d+ (B|KiB|MiB)", size):
                continue  # measured on an emulated fabric
            weight = "1" if name.startswith("all-to-all") else "10"
            of = {mapping: now[self.WORKLOADS[name], weight, size_of(size), mapping] for mapping in ("block", "cyclic", "non-weighted", "weighted", "network-aware")}
            with self.subTest(f"{name}, {size}"):
                time, unit = block.split()
                self.assertAlmostEqual(float(of["block"]["time_s"]) / (float(time) * SECONDS[unit]), 1, delta=0.01)
                for mapping, number in zip(list(of)[1:], numbers):
                    self.assertAlmostEqual(float(of[mapping]["improvement_percent"]), float(number), delta=ROUNDED)
                    compared += 1
        self.assertEqual(compared, 5 * 4 * 4)


class OnTheEmulatedFabric(unittest.TestCase):
    """The text of eurompi2011.md about its measured table agrees with the table."""

    def measured(self):
        """(exchange, mapping) -> (measured s, predicted s, measured improvement or None, predicted one)"""
        def seconds(words):
            number, unit = words.split()
            return float(number) * {"s": 1, "ms": 1e-3}[unit]

        def percent(words):
            return float(words.split()[0]) if words else None
        found = {}
        for cells in tables("eurompi2011.md"):
            if len(cells) == 7 and cells[0] in TopologyFunctions.WORKLOADS and cells[1] in ("block", "cyclic", "non-weighted", "weighted", "network-aware"):
                found[cells[0], cells[1]] = seconds(cells[2]), seconds(cells[5]), percent(cells[4]), percent(cells[6])
        self.assertEqual(len(found), 25)
        return found

    def test_errors(self):
        found = self.measured()
        wrong = {key: abs(measured - predicted) for key, (_, _, measured, predicted) in found.items() if measured is not None}
        worst = max(wrong, key=wrong.get)
        self.assertEqual(worst, ("5D hypercube", "non-weighted"))
        others = {key: value for key, value in wrong.items() if key != worst}
        parts = [[value for (exchange, _), value in others.items() if (exchange == "all-to-all 16x2") == last] for last in (False, True)]
        mean = [sum(values) / len(values) for values in (list(wrong.values()), list(others.values()), *parts)]
        page = " ".join((PAGES / "eurompi2011.md").read_text(encoding="utf-8").split())
        self.assertIn(f"by {mean[0]:.1f} percentage points on average over the {len(wrong)} of them, {mean[1]:.1f} without the worst", page)
        self.assertIn(f"those of the first four exchanges were wrong by {mean[2]:.1f} on average and {max(parts[0]):.0f} at most; those of 16x2 by {mean[3]:.0f}.", page)

    def test_times(self):
        found = self.measured()
        longer = {key: measured / predicted for key, (measured, predicted, _, _) in found.items() if predicted}
        at_16x2 = [value for key, value in longer.items() if key[0] == "all-to-all 16x2" and key[1] != "block"]
        others = [value for value in longer.values() if value not in at_16x2]
        page = " ".join((PAGES / "eurompi2011.md").read_text(encoding="utf-8").split())
        self.assertIn(f"{statistics.median(longer.values()):.1f} times at the median of {len(longer)}", page)
        self.assertIn(f"{min(others):.1f} to {max(others):.1f} times in the first four exchanges and block of 16x2, {min(at_16x2):.1f} to {max(at_16x2):.1f} times", page)


class OverWires(unittest.TestCase):
    """The text of ashes2016.md about its exchanges over a fabric agrees with their table."""

    def test_errors(self):
        wrong, overlap = {}, {}
        for cells in tables("ashes2016.md"):
            if len(cells) == 9 and cells[0].split(",")[0] in GpuSelection.WORKLOADS:
                for cell in cells[6:]:
                    measured, star, predicted = re.fullmatch(r"(-?\d+)( \*)? \((-?\d+)\)", cell).groups()
                    wrong.setdefault(cells[1], []).append(abs(int(measured) - int(predicted)))
                    overlap.setdefault(cells[1], []).append(bool(star))
        page = " ".join((PAGES / "ashes2016.md").read_text(encoding="utf-8").split())
        long, short = wrong["16 KiB"], wrong["1 KiB"]
        self.assertIn(f"wrong by {statistics.mean(long):.1f} percentage points on average over the {len(long)} improvements, {max(long)} at most.", page)
        self.assertIn(f"Wrong by {statistics.mean(short):.1f} on average.", page)
        self.assertIn(f"{sum(overlap['4 B'])} of {len(overlap['4 B'])} ranges overlap", page)


class Validation(unittest.TestCase):
    """The number of graphs of up to seven messages on four GPUs, without counting the order of a source's messages: by Burnside's lemma over the
    machine's symmetries."""

    def graphs(self, symmetries):
        pairs = list(itertools.permutations(range(4), 2))
        of_size = [0] * (len(pairs) + 1)
        for symmetry in symmetries:
            fixed, left = [1] + [0] * len(pairs), set(pairs)
            while left:
                length, pair = 0, min(left)
                while pair in left:  # a cycle of pairs: a graph that the symmetry keeps has all of them or none
                    left.remove(pair)
                    pair, length = (symmetry[pair[0]], symmetry[pair[1]]), length + 1
                fixed = [fixed[size] + (fixed[size - length] if size >= length else 0) for size in range(len(fixed))]
            of_size = [a + b for a, b in zip(of_size, fixed)]
        return [number // len(symmetries) for number in of_size][1:8]

    def test_graphs_on_four_gpus(self):
        all_alike = list(itertools.permutations(range(4)))
        boards = {frozenset((0, 1)), frozenset((2, 3))}
        two_and_two = [s for s in all_alike if {frozenset((s[0], s[1])), frozenset((s[2], s[3]))} == boards]
        near, far = self.graphs(two_and_two), self.graphs(all_alike)
        messages = [sum(size * number for size, number in enumerate(numbers, 1)) for numbers in (near, far)]
        page = " ".join((PAGES / "sc2016.md").read_text(encoding="utf-8").split())
        self.assertIn(f"{sum(near)} on four neighbours, as many on every second GPU of T2, {sum(far)} on every second one of T1", page)
        self.assertIn(f"{sum(near) - sum(far)} graphs and {messages[0] - messages[1]:,} messages fewer on T1; the paper has {22635 - 22298} and {95906 - 94259:,} fewer", page)


class Sockets(unittest.TestCase):
    """The table of bytes between GPUs and sockets, which answers the future work of the second paper."""

    def test_bytes(self):
        text = (PAGES.parent / "models/allreduce.md").read_text(encoding="utf-8")
        shapes = [(gpus, sockets) for gpus, sockets in re.findall(r"(\d+) GPUs?, (\d+) sockets \|", text)]
        self.assertEqual(len(shapes), 4)
        rows = {name: cells.split(" | ") for name, cells in re.findall(r"^\| `([a-z-]+)` \| ([\d.]+ m, .*) \|$", text, re.MULTILINE)}
        for column, (gpus, sockets) in enumerate(shapes):
            found = subprocess.run([PROGRAM, "bench", "allreduce", "--ranks", "8", "--gpus", gpus, "--sockets", sockets, "--explain", "--csv"], capture_output=True, text=True, check=True).stdout
            now = {row["algorithm"]: f"{row['between_gpus_vectors']} m, {row['between_sockets_vectors']} m" for row in csv.DictReader(io.StringIO(found)) if row["ranks"] == "8"}
            self.assertEqual({name: cells[column] for name, cells in rows.items()}, now)


class Pictures(unittest.TestCase):
    COMMAND = re.compile(r">topowise (bench [^<]*), (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)</text>")

    def test_each_is_what_its_command_draws(self):
        pictures = sorted((PAGES.parent / "images").glob("bench-*.svg"))
        self.assertEqual(len(pictures), 5)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TOPOWISE_")}
        for picture in pictures:
            with self.subTest(picture.name), tempfile.TemporaryDirectory() as folder:
                kept = picture.read_text(encoding="utf-8")
                command, date = self.COMMAND.search(kept).groups()
                environment["SOURCE_DATE_EPOCH"] = str(calendar.timegm(time.strptime(date, "%Y-%m-%dT%H:%M:%SZ")))
                subprocess.run([PROGRAM, *shlex.split(command)], cwd=folder, env=environment, capture_output=True, check=True)
                drawn = (Path(folder) / "figures" / picture.name.removeprefix("bench-")).read_text(encoding="utf-8")
                if "scotch" in kept:
                    kept, drawn = ([words for words in re.findall("<title>(.*?)</title>", text) if not words.startswith("scotch")] for text in (kept, drawn))
                self.assertTrue(kept == drawn, "draw it anew")


if __name__ == "__main__":
    unittest.main()
