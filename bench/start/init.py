#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what topowise adds to a job's start, up to the end of MPI_Init, and how many iterations of the microbenchmarks of AsHES 2016 pay for it. GPUs are
chosen on a simulated node of the paper's kind; MPI_COMM_WORLD is reordered over four simulated hosts; both use the traffic of a 2D torus. All ways are run
in turn. Prints the median, the least and the largest time.

    init.py FAMILY [RANKS ...] [--repetitions N]

FAMILY is one of tests/mpi (openmpi4, openmpi5, mpich5 ...). TOPOWISE names the program; the folder lib/ beside the program's folder holds the stand-in
drivers (make fake-drivers). TOPOWISE_MPI_VENVS names the folder of the MPI libraries. Needs root, to give hosts their names."""

import argparse
import csv
import io
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tests" / "mpi"), str(HERE.parent / "reordering")]

import families
from creation import HOSTS, SWITCHES

TOPOWISE = os.environ.get("TOPOWISE", str(HERE.parents[1] / "build/release/bin/topowise"))
LIBRARIES = pathlib.Path(TOPOWISE).resolve().parents[1] / "lib"
NODE = {"TOPOWISE_CUDA_LIBRARY": str(LIBRARIES / "libtopowise_fake_cuda.so"), "TOPOWISE_NVML_LIBRARY": str(LIBRARIES / "libtopowise_fake_nvml.so"),
        "TOPOWISE_HIP_LIBRARY": "/nowhere", "TOPOWISE_FAKE_NODE": "preset:helios-k80", "TOPOWISE_FAKE_SESSION": f"bench-start-{os.getpid()}"}
MICROBENCHMARKS = ["stencil2d", "torus2d", "torus3d", "hypercube"]
GRIDS = {8: "4x2", 16: "4x4"}  # of the 2D torus, as `topowise bench` takes them
SIZES = ["4B", "1KiB", "16KiB", "2MiB"]


def topowise(*words):
    return subprocess.run([TOPOWISE, *words], capture_output=True, text=True, check=True).stdout


def gains(ranks):
    """(microbenchmark, size) -> seconds that an iteration is predicted to gain on the paper's node, mapped by distance, with w = 3."""
    found = {}
    for name in MICROBENCHMARKS:
        rows = csv.DictReader(io.StringIO(topowise("bench", name, "--ranks", str(ranks), "--weight", "3", "--sizes", ",".join(SIZES), "--csv")))
        times = {(row["bytes"], row["mapping"]): float(row["time_s"]) for row in rows}
        for size, number in zip(SIZES, sorted({int(size) for size, _ in times})):
            found[name, size] = times[str(number), "default"] - times[str(number), "distance"]
    return found


class Start:
    """One way of starting the job: milliseconds of every run."""

    def __init__(self, name, options, family, **environment):
        self.name, self.options, self.family, self.environment = name, options, family, environment
        self.runs = []

    def run(self, program, ranks):
        wrapper = [TOPOWISE, "run", *self.options, "--"] if self.options else []
        result = self.family.run(ranks, [program, "begin", *wrapper, program], **self.environment)
        times = re.search(r"init (\S+) start (\S+) processor (\S+)", result.stdout)
        if not times:
            sys.exit(f"{self.name}: status {result.returncode}\n{result.stdout}\n{result.stderr}")
        self.runs.append([float(value) for value in times.groups()])

    def median(self, column):
        return statistics.median(run[column] for run in self.runs)

    def cells(self):
        return " | ".join(f"{self.median(c):.0f} ms ({min(run[c] for run in self.runs):.0f} to {max(run[c] for run in self.runs):.0f})" for c in range(3))


def report(ranks, where, starts, repetitions, program):
    for _ in range(repetitions):
        for start in starts:
            start.run(program, ranks)
    for start in starts:
        print(f"| {ranks} | {where} | {start.name} | {start.cells()} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family")
    parser.add_argument("ranks", nargs="*", type=int, default=list(GRIDS))
    parser.add_argument("--repetitions", type=int, default=9)
    arguments = parser.parse_args()
    if arguments.repetitions < 1 or not set(arguments.ranks) <= set(GRIDS):
        parser.error(f"at least one repetition, and {' or '.join(map(str, GRIDS))} ranks")
    family = families.families()[arguments.family]
    added = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program, traffic, network = folder / "init", folder / "traffic.json", folder / "topology.conf"
        family.compile(HERE / "init.c", program)
        network.write_text(SWITCHES)
        print("| ranks | where | started | MPI_Init, the slowest process | from the first command to the end of MPI_Init | processor time of all |\n"
              "| --- | --- | --- | --- | --- | --- |")
        for ranks in arguments.ranks:
            topowise("traffic", f"pattern:torus2d:{GRIDS[ranks]}:w=3:heavy=0:bytes=1KiB", "--save", traffic)
            by = ["--auto", "--profile", traffic]
            on_node = [Start("alone", [], family, **NODE), Start("GPUs chosen", by, family, **NODE),
                       Start("GPUs chosen, set in MPI_Init", [*by, "--gpu-bind", "set-device"], family, **NODE)]
            report(ranks, "a node", on_node, arguments.repetitions, program)
            added[ranks] = on_node[1].median(1) - on_node[0].median(1), (on_node[1].median(2) - on_node[0].median(2)) / ranks
            on_hosts = family.on_hosts(HOSTS, ranks)
            report(ranks, "4 hosts", [Start("alone", [], on_hosts), Start("ranks reordered in MPI_Init", ["--reorder=world", "--reorder-profile", traffic, "--reorder-topology", network], on_hosts)],
                   arguments.repetitions, program)
    print("\nIterations whose predicted gain on the paper's node (w = 3, by distance) is what choosing the GPUs adds to the start, by the clock; in brackets by the processor time of one process\n\n"
          f"| ranks | | {' | '.join(SIZES)} |\n| --- | --- |{' --- |' * len(SIZES)}")
    for ranks in arguments.ranks:
        gain = gains(ranks)
        for microbenchmark in MICROBENCHMARKS:
            cells = [" (".join(f"{max(1, math.ceil(1e-3 * ms / gain[microbenchmark, size])):,}" if ms > 0 < gain[microbenchmark, size] else "none" for ms in added[ranks]) + ")" for size in SIZES]
            print(f"| {ranks} | {microbenchmark} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
