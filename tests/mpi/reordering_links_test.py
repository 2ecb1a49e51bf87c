# SPDX-License-Identifier: BSD-3-Clause
"""The exchanges of Rashti et al. (EuroMPI 2011) on an emulated fabric of theirs: two leaf switches, two upper ones, eight hosts of four
ranks each, dealt out so that two consecutive hosts are on different switches. What every wire carries is counted and compared with the
loads that topowise predicts; no clock decides."""

import collections
import json
import os
import re
import subprocess
import unittest

import families
from fabric_test import Fabric, Network, NotPossible, fabric, launcher
from jobs import TOPOWISE, MpiTest

RANKS, WEIGHT, BYTES, TIMES = 32, 4, 16384, 6
SHAPES = ["8x4", "4x4x2", "2x2x2x2x2"]
UPPER = ("s0", "s1")


def along(shape, vertex, axis, step):
    stride = 1
    for extent in shape[axis + 1:]:
        stride *= extent
    coordinate = vertex // stride % shape[axis]
    return vertex + ((coordinate + step) % shape[axis] - coordinate) * stride


class PaperFabric(Fabric):
    @classmethod
    def setUpClass(cls):
        MpiTest.setUpClass.__func__(cls)
        cls.lab = Network(f"t{os.getpid() % 1000000}", fabric.fat_tree(2, 4, 2, "400mbit", "200mbit"))
        try:
            cls.lab.up()
        except NotPossible as reason:
            if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
                raise
            raise unittest.SkipTest(str(reason)) from None
        cls.addClassCleanup(cls.lab.down)
        hosts = cls.lab.fabric.hosts
        cls.order = [hosts[i // 2 + (i % 2) * len(hosts) // 2] for i in range(len(hosts))]  # in turn over the leaves

    def exchange(self, shape, times, cyclic, options, **environment):
        """(host of each vertex, ms, bytes by link)"""
        wrapper = [TOPOWISE, "run", *options, "--"] if options else []
        command = [*wrapper, self.program("paper_exchange.c"), shape, WEIGHT, BYTES, times]
        command = launcher.job(self.lab, self.family.name, self.family.launcher, RANKS, command, self.order, cyclic)
        before = self.lab.sent_bytes()
        result = subprocess.run(list(map(str, command)), env=self.family.env() | environment, capture_output=True, text=True, timeout=families.HANGS, check=False)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        sent = {link: count - before[link] for link, count in self.lab.sent_bytes().items()}
        host_of = {int(v): host for v, host in re.findall(r"^(\d+) (h\d+)$", result.stdout, re.M)}
        self.assertEqual(len(host_of), RANKS, result.stdout)
        ms = re.search(r"^exchange (\S+)$", result.stdout, re.M)
        return host_of, float(ms.group(1)) if ms else 0, sent

    def traffic(self, shape):
        """Bytes by pair of vertices in all exchanges."""
        extents = list(map(int, shape.split("x")))
        sent = collections.Counter()
        for vertex in range(RANKS):
            for axis in range(len(extents)):
                for step in (-1, 1):
                    sent[vertex, along(extents, vertex, axis, step)] += BYTES * (WEIGHT if axis == 0 else 1) * TIMES
        return sent

    def predicted(self, shape, host_of):
        """Bytes by link, by the routes of the fabric; topowise says the same of the most loaded one."""
        load = collections.Counter()
        sent = self.traffic(shape)
        for (a, b), size in sent.items():
            for link in self.lab.fabric.route(host_of[a], host_of[b]):
                load[link] += size
        machine, traffic, mapping = (self.scratch / name for name in ("lab.json", "traffic.txt", "mapping.json"))
        machine.write_text(self.lab.fabric.topology("lab"))
        traffic.write_text("\n".join(" ".join(str(sent[a, b]) for b in range(RANKS)) for a in range(RANKS)) + "\n")
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
        return {"block": (False, [], {}), "cyclic": (True, [], {}), "reordered, non-weighted": (False, ["--reorder"], {"UNWEIGHTED": "1"}),
                "reordered, weighted": (False, ["--reorder"], {}), "reordered, weighted, network-aware": (False, aware, {})}

    def measure(self, shape, name):
        """(ms, predicted and counted bytes over the upper switches)"""
        cyclic, options, environment = self.ways()[name]
        _, _, start_up = self.exchange(shape, 0, cyclic, options, **environment)
        host_of, ms, sent = self.exchange(shape, TIMES, cyclic, options, **environment)
        load = self.predicted(shape, host_of)
        upper = [link for link in sent if link[0] in UPPER or link[1] in UPPER]
        counted = {link: sent[link] - start_up[link] for link in upper}
        for link in upper:
            slack = 120_000  # start-ups differ a little
            self.assertGreater(counted[link], load[link] - slack, f"{shape} {name} {link}")
            self.assertLess(counted[link], 1.10 * load[link] + slack, f"{shape} {name} {link}")
        return ms, sum(load[link] for link in upper) / 2, sum(counted.values()) / 2

    def test_loads_of_links(self):
        print(f"\n{self.family.name}: {RANKS} ranks on {len(self.order)} hosts, {TIMES} exchanges of {BYTES} bytes, {WEIGHT} times as much along the first dimension\n"
              "| shape | order | over the upper switches, predicted | counted | | ms an exchange |\n| --- | --- | --- | --- | --- | --- |", flush=True)
        for shape in SHAPES:
            carried = {}
            for name in self.ways():
                ms, predicted, counted = self.measure(shape, name)
                carried[name] = predicted
                excess = f"{100 * (counted / predicted - 1):+.1f} %" if predicted else ""
                print(f"| {shape} | {name} | {predicted / 1e6:.2f} MB | {counted / 1e6:.2f} MB | {excess} | {ms:.1f} |", flush=True)
            self.assertLessEqual(carried["reordered, weighted, network-aware"], carried["block"])
            self.assertLessEqual(carried["reordered, weighted, network-aware"], carried["cyclic"])
