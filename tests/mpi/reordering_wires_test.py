# SPDX-License-Identifier: BSD-3-Clause
"""How much `topowise run --reorder` gains over real wires: two pairs of hosts on two switches, with a slow wire between the switches (tests/lab). Needs
root; elsewhere it skips and says why."""

import math
import re

import families
from fabric_test import Fabric
from jobs import TOPOWISE

RANKS = 8
SLOW = ("s0", "s1")
# Open MPI 4.1 ends the job in MPI_Dist_graph_create with weights on several hosts.
ENDS_IN_DIST = ("openmpi4",)


class OnWires(Fabric):
    description = "two-switches.fabric"

    def exchange(self, function, size, times, *options, cyclic=False):
        """(ms of a neighbourhood collective, ms of messages by rank)"""
        wrapper = [TOPOWISE, "run", *options, "--"] if options else []
        yields = families.MPICH_YIELDS | families.INTEL_YIELDS
        output = self.on_hosts(RANKS, [*wrapper, self.program("neighbor_exchange.c"), function, size, times], cyclic, **yields)
        return tuple(map(float, re.search(r"neighbourhood (\S+) by-rank (\S+)", output).groups()))

    def over_the_slow_wire(self, *arguments, **more):
        self.exchange(*arguments, **more)
        return self.carried[SLOW].bytes


class Bytes(OnWires):
    """This test counts bytes: no clock decides."""

    SIZE, TIMES = 65536, 3

    def payload(self, function, *options, cyclic=False):
        """The bytes on one direction of the slow wire, without those of starting a job."""
        start_up = self.over_the_slow_wire(function, 0, self.TIMES, *options, cyclic=cyclic)
        return self.over_the_slow_wire(function, self.SIZE, self.TIMES, *options, cyclic=cyclic) - start_up

    def test_pairs_leave_the_slow_wire(self):
        exchanges = 2 * (self.TIMES + 1)
        for function in ("graph", "adjacent"):
            plain, reordered = self.payload(function), self.payload(function, "--reorder")
            print(f"{self.family.name} {function}: {plain / 1e6:.2f} MB over the slow wire, {reordered / 1e6:.2f} MB reordered", flush=True)
            self.assertGreater(plain, 0.95 * 4 * self.SIZE * exchanges)
            self.assertLess(reordered, 0.1 * plain)

    def test_a_described_network_takes_a_grid_off_the_slow_wire(self):
        machine = self.scratch / "lab.json"
        machine.write_text(self.lab.fabric.topology("lab"))
        plain = self.payload("cart", cyclic=True)
        reordered = self.payload("cart", "--reorder", "--reorder-topology", machine, cyclic=True)
        print(f"{self.family.name} cart, in turn: {plain / 1e6:.2f} MB over the slow wire, {reordered / 1e6:.2f} MB reordered", flush=True)
        self.assertLess(reordered, 0.6 * plain)


class Grids(Fabric):
    """Grids by MPI_Cart_create, whose weights nobody states: no wire carries more than before, whatever the faces are."""

    description = "two-switches.fabric"
    TIMES = 40
    # Extents, faces, ranks in turn over the hosts.
    CASES = [("2x4", "cube", False), ("2x4", "alike", False), ("2x4", "4096,8192", False), ("4x2", "cube", False), ("4x2", "cube", True),
             ("2x4", "cube", True), ("8x1", "cube", True), ("2x2x2", "alike", False), ("4x4", "cube", True), ("8x2", "cube", False)]

    def carried_by(self, extents, faces, cyclic, times, *options):
        """(bytes of one direction of the slow wire, bytes of all wires of hosts)"""
        ranks = math.prod(map(int, extents.split("x")))
        wrapper = [TOPOWISE, "run", *options, "--"] if options else []
        self.said = self.on_hosts(ranks, [*wrapper, self.program("grid_halo.c"), extents, faces, times], cyclic, **families.MPICH_YIELDS | families.INTEL_YIELDS)
        return self.carried[SLOW].bytes, sum(sent.bytes for (node, _), sent in self.carried.items() if node.startswith("h"))

    def payload(self, *case):
        extents, faces, cyclic, *options = case
        return [sent - start for sent, start in zip(self.carried_by(extents, faces, cyclic, self.TIMES, *options),
                                                    self.carried_by(extents, faces, cyclic, 0, *options))]

    def test_no_wire_carries_more(self):
        machine = self.scratch / "lab.json"
        machine.write_text(self.lab.fabric.topology("lab"))
        gained = 0
        for case in self.CASES:
            plain, reordered = self.payload(*case), self.payload(*case, "--reorder", "--reorder-topology", machine)
            numbers = ", ".join(f"{before / 1e6:.2f} -> {after / 1e6:.2f} MB {where}" for before, after, where in zip(plain, reordered, ("slow", "hosts")))
            print(f"{self.family.name} {case[0]} {case[1]}{' in turn' * case[2]}: {numbers}", flush=True)
            for before, after in zip(plain, reordered):
                self.assertLess(after, 1.05 * before + 50000, case)
            gained += any(after < 0.9 * before for before, after in zip(plain, reordered))
        self.assertGreater(gained, 4)


class ByTheClock(OnWires):
    """A pair exchange falls from the order of 100 ms to that of a few ms, by neighbourhood collectives as well as by rank."""

    SIZE, TIMES = 262144, 9

    def test_pair_exchange(self):
        hangs = self.family.name.startswith("mpich5")  # in MPI_Dist_graph_create, on hosts that are one machine
        for function in ("graph", "adjacent") if hangs else ("graph", "adjacent", "dist"):
            reordered = self.exchange(function, self.SIZE, self.TIMES, "--reorder")
            print(f"{self.family.name} {function}, reordered: {reordered[0]:.1f} ms by a neighbourhood collective, {reordered[1]:.1f} ms by rank", flush=True)
            if function == "dist" and self.family.name in ENDS_IN_DIST:
                continue
            plain = self.exchange(function, self.SIZE, self.TIMES)
            print(f"{self.family.name} {function}, alone: {plain[0]:.1f} ms by a neighbourhood collective, {plain[1]:.1f} ms by rank", flush=True)
            self.assertGreater(plain[0], 3 * reordered[0])
            if function != "dist":  # in dist, Open MPI 5 itself renumbers ranks
                self.assertGreater(plain[1], 3 * reordered[1])
