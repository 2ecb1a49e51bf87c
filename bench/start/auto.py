#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the processor time that `run --auto` takes in rank 0, which maps, and in the other ranks, on a node of 16 GPUs: from the kernel's own account of
each process (user and system time in nanoseconds, by wait4), so that neither the clock's ticks nor other programs count. Prints median, least and most.

    auto.py TOPOWISE [--runs N] [--topology TOPOLOGY] [TRAFFIC ...]"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

PATTERNS = ("pattern:stencil2d:4x4:w=3:heavy=0", "pattern:torus2d:4x4", "pattern:torus3d:4x2x2", "pattern:hypercube:4", "pattern:alltoall:16",
            "pattern:random:16:degree=4", "pattern:random:16:degree=15:seed=3")
RANKS = 16


def started(command, rank, job):
    """The process as Open MPI's launcher starts a rank."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TOPOWISE_", "OMPI_", "PMI", "SLURM_", "CUDA_"))}
    environment |= {"OMPI_COMM_WORLD_SIZE": str(RANKS), "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_LOCAL_SIZE": str(RANKS),
                    "OMPI_COMM_WORLD_LOCAL_RANK": str(rank), "PMIX_NAMESPACE": job, "PMIX_RANK": str(rank)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def measure(program, traffic, topology, number):
    command = [program, "run", "--auto", "--profile", traffic, "--topology", topology, "--wait", "60s", "--", "/bin/true"]
    ranks = [started(command, rank, f"bench-auto-{os.getpid()}-{number}") for rank in range(RANKS)]
    seconds = []
    for process in ranks:
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: {said}")
        seconds.append(usage.ru_utime + usage.ru_stime)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("traffic", nargs="*", default=PATTERNS)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--topology", default="preset:helios-k80")
    given = parser.parse_intermixed_args()
    print("| traffic | rank 0: median | least | most | another rank: median |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for traffic in given.traffic:
            file = os.path.join(folder, "app.traffic.json")
            subprocess.run([given.program, "traffic", traffic, "--save", file], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            runs = [measure(given.program, file, given.topology, number) for number in range(given.runs)]
            first = [1e3 * run[0] for run in runs]
            others = [1e3 * seconds for run in runs for seconds in run[1:]]
            print(f"| `{traffic}` | {statistics.median(first):.1f} ms | {min(first):.1f} ms | {max(first):.1f} ms | {statistics.median(others):.1f} ms |")


if __name__ == "__main__":
    sys.exit(main())
