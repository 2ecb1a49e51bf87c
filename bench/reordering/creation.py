#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how long MPI's topology functions take alone and with reordering, on simulated hosts, and their processor time (the
median of all calls: of rank 0, which computes, and of all ranks together).

FAMILY is one of tests/mpi (openmpi4, openmpi5, mpich5 ...). TOPOWISE names the program, TOPOWISE_MPI_VENVS the folder of the MPI libraries.
Needs root, to give hosts their names, but not with --parts, which runs on this host alone."""

import argparse
import os
import pathlib
import platform
import re
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "mpi"))

import families
from jobs import host_in_parts

HOSTS = ["apple", "birch", "cedar", "daisy"]
TOPOWISE = os.environ.get("TOPOWISE", str(HERE.parents[1] / "build/release/bin/topowise"))
SWITCHES = "SwitchName=leaf0 Nodes=apple,cedar\nSwitchName=leaf1 Nodes=birch,daisy\nSwitchName=top Switches=leaf0,leaf1\n"  # Slurm's topology.conf
MACHINE = "<the description>"
WAYS = [("MPI_Comm_dup", "dup", []), ("MPI_Graph_create, MPI alone", "graph", []), ("MPI_Graph_create, non-weighted", "graph", ["--reorder"]),
        ("MPI_Graph_create, weighted", "weighted", ["--reorder"]), ("MPI_Graph_create, network-aware", "weighted", ["--reorder", "--reorder-topology", MACHINE]),
        ("MPI_Dist_graph_create, MPI alone", "dist", []), ("MPI_Dist_graph_create, reordered", "dist", ["--reorder"])]
WAYS_ON_PARTS = [("MPI_Comm_dup", "dup", [])] + [
    (f"{name}, {how}", function, options)
    for name, function in (("MPI_Cart_create", "cart"), ("MPI_Graph_create", "graph"), ("MPI_Dist_graph_create", "dist"), ("MPI_Dist_graph_create_adjacent", "adjacent"))
    for how, options in (("MPI alone", []), ("reordered", ["--reorder", "--reorder-topology", MACHINE]))]
# These hang in MPI_Dist_graph_create on such hosts. (Open MPI 4 ends the job in its own reordering, and hangs once in a hundred jobs without it.)
HANGS_ALONE = {"mpich5", "mpich5-abi"}


def measured(family, ranks, command):
    """[first, least, median, processor time of rank 0, of all ranks, ranks that moved], or the exit status."""
    result = family.run(ranks, command)
    found = re.search(r"first (\S+) least (\S+) middle (\S+) own (\S+) all (\S+) moved (\S+)", result.stdout)
    return [float(value) for value in found.groups()] if found else result.returncode


def row_of(runs, with_moved):
    """The cells of a row: the median of each figure."""
    if any(isinstance(run, int) for run in runs):
        return f"ends with status {next(run for run in runs if isinstance(run, int))} | | | | " + " | " * with_moved
    *times, moved = (statistics.median(figures) for figures in zip(*runs))
    return " | ".join([f"{time:.2f} ms" for time in times] + [f"{moved:.0f}"] * with_moved)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family")
    parser.add_argument("ranks", nargs="*", type=int, default=[8, 16, 32])
    parser.add_argument("--hosts", type=int, default=len(HOSTS), choices=range(1, len(HOSTS) + 1))
    parser.add_argument("--parts", action="store_true", help="this host alone, described as two halves of two parts, so that ranks move in it")
    parser.add_argument("--graph", action="store_true", help="leaves MPI_Dist_graph_create out")
    parser.add_argument("--runs", type=int, default=1, help="of each way, in turn with the others: the middle of each figure is printed")
    arguments = parser.parse_args()
    family, hosts = families.families()[arguments.family], HOSTS[:arguments.hosts]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "creation"
        family.compile(HERE / "creation.c", program)
        machine = pathlib.Path(folder) / "topology.conf"
        machine.write_text(SWITCHES)
        ways = WAYS
        if arguments.parts:
            machine, ways = host_in_parts(folder, platform.node(), 2, 2), WAYS_ON_PARTS
        columns = ["ranks", "", "first call", "least", "middle", "processor of rank 0", "of all ranks"] + ["ranks moved"] * arguments.parts
        print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
        for ranks in arguments.ranks:
            placed = family if arguments.parts else family.on_hosts(hosts, ranks)
            commands = {}
            for name, function, options in ways:
                if function == "dist" and (arguments.graph or (family.name in HANGS_ALONE and not arguments.parts)):
                    continue
                options = [machine if option == MACHINE else option for option in options]
                commands[name] = [*([TOPOWISE, "run", *options, "--"] if options else []), program, function, 15]
            runs = [{name: measured(placed, ranks, command) for name, command in commands.items()} for _ in range(arguments.runs)]
            for name in commands:
                print(f"| {ranks} | {name} | {row_of([run[name] for run in runs], arguments.parts)} |", flush=True)


if __name__ == "__main__":
    main()
