#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An emulated cluster on this machine: hosts and switches are network namespaces, and wires have real rates. Needs root.

    lab.py up fabrics/two-switches.fabric     or: lab.py up fat-tree:LEAVES:HOSTS:SPINES:RATE:UPLINK   lab.py up torus:3x3:RATE
    lab.py hosts                              h0,h1,h2,h3
    lab.py run h0 COMMAND ...                 on one host
    lab.py mpirun openmpi4 8 COMMAND ...      an MPI job over all hosts (openmpi4, openmpi5, mpich4, mpich5, intel)
    lab.py topology                           the network as a machine for topowise, on standard output
    lab.py counters                           bytes sent over each direction of each link
    lab.py down

--name NAME tells labs apart; --mpirun PROGRAM, --hosts h0,h1, --cyclic and --option OPTION belong to mpirun. docs/recipes/emulated-cluster.md shows a session.
"""

import argparse
import os
import pathlib
import sys

import fabric as fabrics
import launcher
from network import Network, NotPossible

PROGRAMS = {"openmpi4": "mpirun.openmpi", "mpich4": "mpiexec.mpich", "openmpi5": "mpirun", "mpich5": "mpiexec", "intel": "mpiexec"}


def read_fabric(argument):
    kind, _, rest = argument.partition(":")
    words = rest.split(":")
    if kind == "fat-tree" and len(words) == 5:
        return fabrics.fat_tree(*map(int, words[:3]), *words[3:])
    if kind == "torus" and len(words) == 2:
        return fabrics.torus([int(extent) for extent in words[0].split("x")], words[1])
    return fabrics.parse(pathlib.Path(argument).read_text(encoding="utf-8"), argument)


def arguments(words=None):
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--name", default="lab")
    options.add_argument("--mpirun", help="the launcher's program, if not on the PATH under its usual name")
    options.add_argument("--hosts", help="only these, in this order")
    options.add_argument("--cyclic", action="store_true", help="ranks in turn over the hosts")
    options.add_argument("--option", action="append", default=[], help="a further option of the launcher, as --option=-x")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, parents=[options])
    parser.add_argument("verb", choices=["up", "down", "hosts", "run", "mpirun", "topology", "counters"])
    parser.add_argument("words", nargs=argparse.REMAINDER)
    given = parser.parse_args(words)
    if given.verb not in ("run", "mpirun"):  # the arguments after these belong to the command
        behind = argparse.ArgumentParser(prog=f"lab.py {given.verb}", parents=[options], add_help=False)
        if given.verb == "up":
            behind.add_argument("words", nargs=1, metavar="FABRIC")
        given = behind.parse_args(given.words, given)
    return given


def mpirun(lab, given):
    family, ranks, *command = given.words
    if family not in PROGRAMS or not command:
        raise NotPossible("lab.py mpirun FAMILY RANKS COMMAND ..., FAMILY one of " + ", ".join(PROGRAMS))
    hosts = given.hosts.split(",") if given.hosts else None
    return launcher.job(lab, family, [given.mpirun or PROGRAMS[family]], int(ranks), command, hosts, given.cyclic, given.option)


def main():
    given = arguments()
    if given.verb == "up":
        Network(given.name, read_fabric(given.words[0])).up()
        return
    lab = Network.load(given.name)
    if given.verb == "down":
        lab.down()
    elif given.verb == "hosts":
        print(",".join(lab.fabric.hosts))
    elif given.verb == "topology":
        print(lab.fabric.topology(given.name))
    elif given.verb == "counters":
        for (node, other), sent in lab.sent().items():
            print(f"{node} -> {other} {sent.bytes}")
    else:
        command = lab.command(*given.words) if given.verb == "run" else mpirun(lab, given)
        os.execvp(command[0], command)


if __name__ == "__main__":
    try:
        main()
    except (NotPossible, fabrics.FabricError, OSError, ValueError, IndexError) as problem:
        sys.exit(f"lab.py: {problem}")
