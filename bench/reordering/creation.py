#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long MPI's topology functions take by themselves and with reordering, on acted-out hosts, and how much of processors (in
the middle of all calls: rank 0, which computes, and all ranks together).

FAMILY as in tests/mpi (openmpi4, openmpi5, mpich5 ...); TOPOWISE names the program, TOPOWISE_MPI_VENVS the folder of the MPI libraries.
Needs root, which gives hosts their names."""

import argparse
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "mpi"))

import families

HOSTS = ["apple", "birch", "cedar", "daisy"]
TOPOWISE = os.environ.get("TOPOWISE", str(HERE.parents[1] / "build/release/bin/topowise"))
SWITCHES = "SwitchName=leaf0 Nodes=apple,cedar\nSwitchName=leaf1 Nodes=birch,daisy\nSwitchName=top Switches=leaf0,leaf1\n"  # Slurm's topology.conf
NETWORK = "<the file of SWITCHES>"
WAYS = [("MPI_Comm_dup", "dup", []), ("MPI_Graph_create, MPI alone", "graph", []), ("MPI_Graph_create, non-weighted", "graph", ["--reorder"]),
        ("MPI_Graph_create, weighted", "weighted", ["--reorder"]), ("MPI_Graph_create, network-aware", "weighted", ["--reorder", "--reorder-topology", NETWORK]),
        ("MPI_Dist_graph_create, MPI alone", "dist", []), ("MPI_Dist_graph_create, reordered", "dist", ["--reorder"])]
# In MPI_Dist_graph_create on such hosts. (Open MPI 4 ends the job in its own reordering, and hangs once in a hundred jobs without it.)
HANGS_ALONE = {"mpich5", "mpich5-abi"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family")
    parser.add_argument("ranks", nargs="*", type=int, default=[8, 16, 32])
    parser.add_argument("--hosts", type=int, default=len(HOSTS), choices=range(1, len(HOSTS) + 1))
    parser.add_argument("--graph", action="store_true", help="leaves MPI_Dist_graph_create out")
    arguments = parser.parse_args()
    family, hosts = families.families()[arguments.family], HOSTS[:arguments.hosts]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "creation"
        family.compile(HERE / "creation.c", program)
        network = pathlib.Path(folder) / "topology.conf"
        network.write_text(SWITCHES)
        print("| ranks | | first call | least | middle | processor of rank 0 | of all ranks |\n| --- | --- | --- | --- | --- | --- | --- |")
        for ranks in arguments.ranks:
            on_hosts = family.on_hosts(hosts, ranks)
            for name, function, options in WAYS:
                if function == "dist" and (family.name in HANGS_ALONE or arguments.graph):
                    continue
                options = [network if option == NETWORK else option for option in options]
                wrapper = [TOPOWISE, "run", *options, "--"] if options else []
                result = on_hosts.run(ranks, [*wrapper, program, function, 15])
                times = re.search(r"first (\S+) least (\S+) middle (\S+) own (\S+) all (\S+)", result.stdout)
                cells = " | ".join(f"{value} ms" for value in times.groups()) if times else f"ends with status {result.returncode} | | | | "
                print(f"| {ranks} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
