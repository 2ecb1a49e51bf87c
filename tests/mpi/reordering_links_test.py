# SPDX-License-Identifier: BSD-3-Clause
"""The exchanges of Rashti et al. (EuroMPI 2011) on an emulated copy of their fabric: two leaf switches, two upper switches, and eight hosts of four
ranks each or sixteen of two, dealt out so that consecutive hosts are on different switches. `run --reorder` reorders the ranks, or a file that the
launcher reads places them. The bytes on every wire are counted and compared with the loads that topowise predicts; no clock decides."""

import collections
import dataclasses
import json
import os
import re
import subprocess

from fabric_test import Fabric, fabric, launcher
from jobs import TOPOWISE

RANKS, WEIGHT, BYTES, TIMES = 32, 4, 16384, 24
START_UP = 120_000  # by so many bytes the starts of two jobs differ
ALL_TO_ALL = "all-to-all:"
SHAPES = ["8x4", "4x4x2", "2x2x2x2x2", "all-to-all:8x4", "all-to-all:16x2"]
UPPER = ("s0", "s1")


@dataclasses.dataclass
class Way:
    """A way to place ranks on hosts."""

    cyclic: bool = False
    options: list = dataclasses.field(default_factory=list)  # options of topowise run
    environment: dict = dataclasses.field(default_factory=dict)
    by_file: bool = False  # placed by a file that `topowise map --emit` writes and the launcher reads


def along(shape, vertex, axis, step):
    stride = 1
    for extent in shape[axis + 1:]:
        stride *= extent
    coordinate = vertex // stride % shape[axis]
    return vertex + ((coordinate + step) % shape[axis] - coordinate) * stride


class EightHosts(Fabric):
    hosts_of_leaf = 4

    @classmethod
    def cluster(cls):
        return fabric.fat_tree(2, cls.hosts_of_leaf, 2, "400mbit", "200mbit")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        hosts = cls.lab.fabric.hosts
        cls.order = [hosts[i // 2 + (i % 2) * len(hosts) // 2] for i in range(len(hosts))]  # hosts in turn over the leaves

    def exchange(self, shape, times, way):
        """Returns (host of each vertex, ms, what each link carried)."""
        wrapper = [TOPOWISE, "run", *way.options, "--"] if way.options else []
        command = [*wrapper, self.program("paper_exchange.c"), shape, WEIGHT, BYTES, times]
        placed = self.launch_file(shape) if way.by_file else {}
        command = launcher.job(self.lab, self.family.name, self.family.launcher, RANKS, command, self.order, way.cyclic, **placed)
        result = self.job(command, **way.environment)
        host_of = {int(v): host for v, host in re.findall(r"^(\d+) (h\d+)$", result.stdout, re.M)}
        self.assertEqual(len(host_of), RANKS, result.stdout)
        ms = re.search(r"^exchange (\S+)$", result.stdout, re.M)
        return host_of, float(ms.group(1)) if ms else 0, self.carried

    def traffic(self, shape):
        """Bytes by pair of vertices, added over all exchanges."""
        extents = list(map(int, shape.removeprefix(ALL_TO_ALL).split("x")))
        sent = collections.Counter()
        for vertex in range(RANKS):
            if shape.startswith(ALL_TO_ALL):
                for step in range(1, extents[0]):
                    sent[vertex, along(extents, vertex, 0, step)] += BYTES * TIMES
                continue
            for axis in range(len(extents)):
                for step in (-1, 1):
                    sent[vertex, along(extents, vertex, axis, step)] += BYTES * (WEIGHT if axis == 0 else 1) * TIMES
        return sent

    def files(self, shape):
        """Files with the traffic and the machine, for topowise."""
        machine, traffic = self.scratch / "lab.json", self.scratch / "traffic.txt"
        sent = self.traffic(shape)
        machine.write_text(self.lab.fabric.topology("lab"))
        traffic.write_text("\n".join(" ".join(str(sent[a, b]) for b in range(RANKS)) for a in range(RANKS)) + "\n")
        return traffic, machine

    def launch_file(self, shape):
        """The options that make this family's launcher place the ranks as mapped."""
        by_rankfile = self.family.name.startswith("openmpi")
        name = "openmpi-rankfile" if by_rankfile else "hydra-rankmap"
        command = [TOPOWISE, "map", *self.files(shape), "--objective", "hop-bytes", "--ranks-per-place", RANKS // len(self.order), "--emit", name]
        text = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
        if not by_rankfile:
            return {"rankmap": text.strip()}
        file = self.scratch / "rankfile"
        cores = os.cpu_count()  # all hosts have the processors of this machine, and more ranks than those
        file.write_text(re.sub(r"slot=(\d+)", lambda slot: f"slot={int(slot.group(1)) % cores}", text))
        return {"more": ["--rankfile", file]}

    def predicted(self, shape, host_of):
        """Bytes by link, by the routes of the fabric; topowise gives the same value for the most loaded link."""
        load = collections.Counter()
        sent = self.traffic(shape)
        for (a, b), size in sent.items():
            for link in self.lab.fabric.route(host_of[a], host_of[b]):
                load[link] += size
        traffic, machine = self.files(shape)
        mapping = self.scratch / "mapping.json"
        places = [self.lab.fabric.hosts.index(host_of[v]) for v in range(RANKS)]
        mapping.write_text(json.dumps({"schema": "topowise.mapping/1", "ranks": RANKS, "places": places}))
        told = subprocess.run([TOPOWISE, "evaluate", traffic, machine, "--mapping", mapping, "--json"], capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        seconds = max(load[node, other] / (fabric.bits_per_second(rate) / 8) for node, _, other, rate in self.lab.ports)
        self.assertAlmostEqual(json.loads(told.stdout)["max_congestion_s"], seconds, delta=1e-6 * seconds)
        return load

    def ways(self):
        machine = self.scratch / "described.json"
        machine.write_text(self.lab.fabric.topology("lab"))
        aware = ["--reorder", "--reorder-topology", machine, "--reorder-metric", "hops"]
        return {"block": Way(), "cyclic": Way(cyclic=True), "reordered, non-weighted": Way(options=["--reorder"], environment={"UNWEIGHTED": "1"}),
                "reordered, weighted": Way(options=["--reorder"]), "reordered, weighted, network-aware": Way(options=aware),
                "mapped, by launch file": Way(by_file=True)}

    def measure(self, shape, name):
        """Returns (ms, bytes over the upper switches: predicted, counted as payload, counted with all headers; the largest deviation of the payload of
        one link)."""
        way = self.ways()[name]
        _, _, start_up = self.exchange(shape, 0, way)
        host_of, ms, counted = self.exchange(shape, TIMES, way)
        load = self.predicted(shape, host_of)
        upper = {link: sent - start_up[link] for link, sent in counted.items() if link[0] in UPPER or link[1] in UPPER}
        off = 0
        for link, sent in upper.items():
            if load[link] == 0:
                self.assertLess(sent.payload, START_UP, f"{shape} {name} {link}")
            else:
                off = max(off, abs(sent.payload / load[link] - 1))
        self.assertLess(off, 0.10, f"{shape} {name}: {upper}, predicted {load}")
        payload, whole = sum(sent.payload for sent in upper.values()), sum(sent.bytes for sent in upper.values())
        return ms, sum(load[link] for link in upper) / 2, payload / 2, whole / 2, off

    def test_loads_of_links(self):
        print(f"\n{self.family.name}: {RANKS} ranks on {len(self.order)} hosts, {TIMES} exchanges of {BYTES} bytes, {WEIGHT} times as much along the first dimension of a torus\n"
              "| shape | order | over the upper switches, predicted | counted, payload | farthest link | counted, with headers | | ms an exchange |\n| --- | --- | --- | --- | --- | --- | --- | --- |",
              flush=True)
        for shape in SHAPES:
            carried = {}
            for name in self.ways():
                ms, predicted, payload, sent, off = self.measure(shape, name)
                carried[name] = predicted
                excess = f"{100 * (sent / predicted - 1):+.1f} %" if predicted else ""
                print(f"| {shape} | {name} | {predicted / 1e6:.2f} MB | {payload / 1e6:.2f} MB | {100 * off:.1f} % | {sent / 1e6:.2f} MB | {excess} | {ms:.1f} |", flush=True)
            for name in ("reordered, weighted, network-aware", "mapped, by launch file"):
                self.assertLessEqual(carried[name], carried["block"], f"{shape} {name}")
                self.assertLessEqual(carried[name], carried["cyclic"], f"{shape} {name}")


class SixteenHosts(EightHosts):
    hosts_of_leaf = 8
