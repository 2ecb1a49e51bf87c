# SPDX-License-Identifier: BSD-3-Clause
"""Jobs over the wires of an emulated cluster (tests/lab). Needs root, ip, tc and ethtool; elsewhere it skips and says why, or fails with
TOPOWISE_REQUIRE_ALL=1."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

from jobs import TOPOWISE, MpiTest

LAB = pathlib.Path(__file__).resolve().parents[1] / "lab"
sys.path.insert(0, str(LAB))

import fabric
import families
import launcher
from network import Network, NotPossible


class Fabric(MpiTest):
    """Tests on the hosts of an emulated cluster; a class uses one description in tests/lab/fabrics unless it names another."""

    description = ""

    @classmethod
    def cluster(cls):
        return fabric.parse((LAB / "fabrics" / cls.description).read_text(), cls.description)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.lab = Network(f"t{os.getpid() % 1000000}", cls.cluster())
        try:
            cls.lab.up()
        except NotPossible as reason:
            if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
                raise
            raise unittest.SkipTest(str(reason)) from None
        cls.addClassCleanup(cls.lab.down)

    def on_hosts(self, ranks, command, cyclic, **environment):
        return self.job(launcher.job(self.lab, self.family.name, self.family.launcher, ranks, command, cyclic=cyclic), **environment).stdout

    def job(self, command, cwd=None, **environment):
        """Runs one job, or two if the ranks of the first one ended unheard, and returns the last one. `carried` is then what each wire carried in it."""
        def run():
            before = self.lab.sent()
            result = subprocess.run(list(map(str, command)), env=self.family.env() | environment, cwd=cwd, capture_output=True, text=True,
                                    timeout=families.HANGS, check=False)
            self.carried = {link: sent - before[link] for link, sent in self.lab.sent().items()}
            return result
        result = families.once_more_if_unheard(command, run)
        self.assertEqual(result.returncode, 0, f"{result.stdout[-3000:]}\n{result.stderr[-3000:]}")
        return result


class Loads(Fabric):
    """The bytes on each wire are counted, and are what the routes predict. No clock decides."""

    description = "two-switches.fabric"
    BYTES, TIMES, RANKS = 262144, 4, 8

    def sent(self, cyclic, times):
        self.on_hosts(self.RANKS, [self.program("pair_exchange.c"), self.BYTES, times], cyclic)
        return self.carried

    def predicted(self, host_of):
        load = {(node, other): 0 for node, _, other, _ in self.lab.ports}
        for rank in range(self.RANKS):
            for link in self.lab.fabric.route(host_of[rank], host_of[(rank + self.RANKS // 2) % self.RANKS]):
                load[link] += self.BYTES * self.TIMES
        return load

    def test_every_wire_carries_what_its_routes_say(self):
        hosts = self.lab.fabric.hosts
        for cyclic, host_of in ((False, [hosts[r // 2] for r in range(8)]), (True, [hosts[r % 4] for r in range(8)])):
            predicted = self.predicted(host_of)
            start_up = self.sent(cyclic, 0)  # the launcher's and MPI_Init's bytes
            for link, sent in self.sent(cyclic, self.TIMES).items():
                payload = (sent - start_up[link]).bytes
                slack = 100_000  # start-ups differ a little
                self.assertGreater(payload, predicted[link] - slack, link)
                # Headers and acknowledgements add a twelfth. The hosts' wires carry again what the slow wire's full queue drops.
                most = 1.12 if link in (("s0", "s1"), ("s1", "s0")) else 2
                self.assertLess(payload, most * predicted[link] + slack, link)

    def test_a_mapping_takes_the_load_off_the_slow_wire(self):
        machine = self.scratch / "lab.json"
        machine.write_text(self.lab.fabric.topology("lab"))
        profile = self.scratch / "pairs.traffic"
        self.on_hosts(self.RANKS, [TOPOWISE, "run", "--profile", profile, "--", self.program("pair_exchange.c"), self.BYTES, self.TIMES], cyclic=False)
        mapped = subprocess.run([TOPOWISE, "map", profile, machine, "--ranks-per-place", "2", "--objective", "max-congestion", "--json"],
                                capture_output=True, text=True, check=True)
        result = json.loads(mapped.stdout)
        self.assertTrue(result["proven_optimal"])
        self.assertEqual(result["cost"], 0, "all pairs are on one host each")
        self.assertAlmostEqual(result["identity_cost"], 4 * self.BYTES * self.TIMES / 12.5e6, places=6)
        for rank in range(4):
            self.assertEqual(result["places"][rank], result["places"][rank + 4])


class Probe(Fabric):
    """`topowise probe` over wires, one of which is slow. The test compares two rates by their ratio, with much tolerance."""

    description = "one-slow-host.fabric"

    def probe(self, ranks, *arguments):
        return json.loads(self.on_hosts(ranks, [TOPOWISE, "probe", "--device", "host", *arguments], cyclic=True))

    def test_rates_are_those_of_the_wires(self):
        file = self.scratch / "fabric.json"
        printed = self.probe(3, "--sizes", "1B,64KiB,1MiB", "--repetitions", "12", "--warm-up", "2", "--json", "--save", file)
        machine = json.loads(file.read_text())
        self.assertEqual([place["name"] for place in machine["places"]], self.lab.fabric.hosts)
        self.assertEqual({place["kind"] for place in machine["places"]}, {"node"})
        rates = machine["pair_matrices"]["bandwidth"]["values"]
        print(f"{rates[0][1] / 1e6:.1f} MB/s between fast hosts, {rates[0][2] / 1e6:.1f} and {rates[1][2] / 1e6:.1f} MB/s to the slow one", flush=True)
        for slow in (rates[0][2], rates[1][2]):
            self.assertLess(abs(rates[0][1] / slow / 4 - 1), 0.4)
        classes = {(p["first"], p["second"]): p["class"] for p in printed["pairs"]}
        self.assertEqual(classes[0, 1], "M1")
        self.assertNotIn("M1", (classes[0, 2], classes[1, 2]))
        mapped = subprocess.run([TOPOWISE, "map", "pattern:ring:2", str(file), "--metric", "bandwidth", "--json"], capture_output=True, text=True)
        self.assertEqual(sorted(json.loads(mapped.stdout)["places"]), [0, 1], mapped.stderr)

    def test_ranks_of_a_host_are_nearer(self):
        printed = self.probe(6, "--sizes", "1MiB", "--repetitions", "7", "--warm-up", "1", "--pairs", "0-3,1-4,2-5,0-1,1-2", "--json")
        self.assertIn("6 ranks on 3 hosts", printed["source"])
        times = {(p["first"], p["second"]): p["sizes"][-1]["forth_s"] for p in printed["pairs"]}
        for far in ((0, 1), (1, 2)):
            for near in ((0, 3), (1, 4), (2, 5)):
                self.assertGreater(times[far], 2 * times[near])
