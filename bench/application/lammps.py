#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An application before and after mapping: LAMMPS (a Lennard-Jones melt) on four emulated hosts behind two switches with a slow link between them. Its ranks
are dealt out to the hosts in turn, or placed by the mapping that topowise makes of a recording. The wires are SLOWER (20) times as slow as in
tests/lab/fabrics/two-switches.fabric; with 20 they have 20 Mbit/s to a host and 5 Mbit/s between the switches. With faster wires the computation of eight
ranks on the cores of one machine hides the wires. On a busy machine use 100.

    lammps.py [REPETITIONS] [CELLS] [STEPS] [SLOWER]

Needs root (tests/lab), Debian's Open MPI and its package lammps. TOPOWISE names the program. Runs both ways in turn and prints the median and the spread of
the loop time that LAMMPS measures."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests/lab"), str(ROOT / "tests/mpi")]

import fabric
import families
import launcher
from network import Network

TOPOWISE = os.environ.get("TOPOWISE", str(ROOT / "build/release/bin/topowise"))
RANKS = 8
MOST_SLOWER = 100  # leaves 1 Mbit/s to a wire of 100 Mbit/s
SECONDS = 300


def output(command, environment):
    result = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    if result.returncode != 0:
        sys.exit(f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


def main():
    if "--help" in sys.argv:
        print(__doc__)
        return
    words = sys.argv[1:] + ["5", "10", "30", "20"][len(sys.argv) - 1 :]
    if len(words) != 4 or not all(word.isdecimal() and int(word) > 0 for word in words) or int(words[3]) > MOST_SLOWER:
        sys.exit(f"usage: lammps.py [REPETITIONS] [CELLS] [STEPS] [SLOWER], numbers above 0, SLOWER {MOST_SLOWER} at most")
    repetitions, cells, steps, slower = map(int, words)
    family = families.families()["openmpi4"]
    environment = family.env()
    description = (ROOT / "tests/lab/fabrics/two-switches.fabric").read_text()
    slow = re.sub(r"\b(\d+)mbit", lambda rate: f"{int(rate.group(1)) // slower}mbit", description)
    with tempfile.TemporaryDirectory() as name, Network(f"app{os.getpid() % 100000}", fabric.parse(slow)) as lab:
        folder = pathlib.Path(name)
        melt = (ROOT / "tests/mpi/programs/melt.lammps").read_text()
        (folder / "in").write_text(re.sub(r"0 10 0 10 0 10", " ".join(["0", str(cells)] * 3), melt).replace("run 60", f"run {steps}"))
        (folder / "machine.json").write_text(lab.fabric.topology("two-switches"))
        lammps = ["lmp", "-in", folder / "in", "-log", "none"]

        def job(command, *options, cyclic=False):
            return output(launcher.job(lab, family.name, family.launcher, RANKS, command, cyclic=cyclic, more=options), environment)

        def topowise(*arguments):
            return output([TOPOWISE, *arguments], environment)

        job([TOPOWISE, "run", "--profile", folder / "traffic", "--", *lammps], cyclic=True)
        problem = [folder / "traffic", folder / "machine.json", "--ranks-per-place", "2"]
        topowise("map", *problem, "--objective", "max-congestion", "--save", folder / "mapping")
        (folder / "rankfile").write_text(topowise("map", *problem, "--objective", "max-congestion", "--emit", "openmpi-rankfile"))
        predicted = {way: json.loads(topowise("evaluate", *problem, "--mapping", mapping, "--json"))["predicted_time_s"]
                     for way, mapping in (("in turn", "cyclic"), ("mapped", folder / "mapping"))}
        times = {"in turn": [], "mapped": []}
        for _ in range(repetitions):
            for way, options in (("in turn", {"cyclic": True}), ("mapped", {})):
                extra = ["--rankfile", folder / "rankfile"] if way == "mapped" else []
                loop = re.search(r"^Loop time of ([\d.]+)", job(lammps, *extra, **options), re.M)
                times[way].append(float(loop.group(1)))
        print(f"LAMMPS melt, {4 * cells**3} atoms, {steps} steps, {RANKS} ranks on 4 emulated hosts, {repetitions} repetitions each, wires {slower} times slower")
        print("| ranks | loop time, median | fastest | slowest | communication, predicted |\n| --- | --- | --- | --- | --- |")
        for way, all_times in times.items():
            print(f"| {way} | {statistics.median(all_times):.3f} s | {min(all_times):.3f} s | {max(all_times):.3f} s | {predicted[way]:.3f} s |")
        gain = 1 - statistics.median(times["mapped"]) / statistics.median(times["in turn"])
        print(f"improvement {100 * gain:.1f} %; predicted of the communication alone {100 * (1 - predicted['mapped'] / predicted['in turn']):.1f} %")


if __name__ == "__main__":
    main()
