# SPDX-License-Identifier: BSD-3-Clause
"""`topowise map --distributed` as real jobs: compared with the mapping by one process, from every kind of input, and with its errors."""

import collections
import json
import os
import subprocess
import unittest

from jobs import TOPOWISE, MpiTest

COARSE = ["--mapper", "multilevel-fast", "--time-limit", "100"]


def alone(*arguments):
    result = subprocess.run([TOPOWISE, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(f"{arguments}: {result.returncode}\n{result.stderr}")
    return json.loads(result.stdout)


class Distributed(MpiTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        result = cls.family.run(2, [TOPOWISE, "map", "--distributed", "pattern:ring:8", "tree:2:4", "--json"])
        if result.returncode == 4 and "libptscotch cannot be opened" in result.stderr:
            if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
                raise AssertionError(result.stderr)
            raise unittest.SkipTest("libptscotch is not on this machine (install Debian's libptscotch-7.0)")

    def job(self, processes, *arguments):
        result = self.family.run(processes, [TOPOWISE, "map", "--distributed", *arguments, "--json"])
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def check(self, mapping, traffic, topology, *options):
        """The cost is that of the printed places, and no place has more than one rank."""
        file = self.scratch / "mapping.json"
        file.write_text(json.dumps(mapping))
        again = alone("evaluate", traffic, topology, "--mapping", file, *options, "--json")
        self.assertAlmostEqual(again["hop_bytes"] / max(mapping["cost"], 1), 1 if mapping["cost"] else 0)
        self.assertLessEqual(mapping["cost"], mapping["identity_cost"])
        self.assertLessEqual(mapping["lower_bound"], mapping["cost"])

    def test_as_good_as_one_process(self):
        for traffic, topology in (("pattern:stencil2d:24x24", "tree:4:12:12"), ("pattern:torus3d:8x8x8", "tree:8:8:8"), ("pattern:random:256:degree=3", "tree:4:8:8")):
            whole = alone("map", traffic, topology, *COARSE, "--json")
            for processes in (1, 2, 3, 4):
                with self.subTest(traffic=traffic, processes=processes):
                    mapping = self.job(processes, traffic, topology, *COARSE)
                    self.check(mapping, traffic, topology)
                    self.assertEqual(max(collections.Counter(mapping["places"]).values()), 1)
                    self.assertEqual(mapping["identity_cost"], whole["identity_cost"])
                    self.assertLessEqual(mapping["cost"], 1.05 * whole["cost"])

    def test_same_seed_same_mapping(self):
        arguments = ["pattern:random:200:degree=4:seed=3", "tree:4:8:8", *COARSE, "--seed", "7"]
        self.assertEqual(self.job(3, *arguments)["places"], self.job(3, *arguments)["places"])

    def test_inputs(self):
        graph = self.scratch / "ring.graph"  # 40 vertices; the weights differ
        weight = lambda i: i % 5 + 1
        graph.write_text("% a ring\n40 40 1\n" + "".join(f"{(i - 1) % 40 + 1} {weight((i - 1) % 40)} {(i + 1) % 40 + 1} {weight(i)}\n" for i in range(40)))
        table = self.scratch / "one-way.csv"  # this input can only be read as a whole
        table.write_text("source,destination,bytes\n" + "".join(f"{i},{(7 * i + 3) % 40},{i + 1}\n" for i in range(40)))
        silent = self.scratch / "silent.csv"
        silent.write_text("source,destination,bytes\n0,0,1\n39,39,1\n")
        for traffic in (graph, table, silent, "pattern:transpose:5x8", "pattern:alltoall:40", "pattern:ring:40", "pattern:hypercube:5", "pattern:llm:2x4x4"):
            with self.subTest(traffic=str(traffic)):
                whole = alone("map", traffic, "tree:4:12", *COARSE, "--json")
                mapping = self.job(3, traffic, "tree:4:12", *COARSE)
                self.assertEqual(mapping["identity_cost"], whole["identity_cost"])
                self.check(mapping, traffic, "tree:4:12")

    def test_capacities(self):
        """Parts of unequal size that fill every place; several ranks on a place; more room than ranks."""
        uneven = ["--allow", "0-11,12-15,24-27,36-47"]
        mapping = self.job(3, "pattern:stencil2d:4x8", "tree:4:12", *uneven, *COARSE)
        self.assertEqual(sorted(mapping["places"]), [*range(16), *range(24, 28), *range(36, 48)])
        shared = self.job(2, "pattern:stencil2d:12x8", "tree:4:12", "--ranks-per-place", "2", *COARSE)
        self.assertEqual(set(collections.Counter(shared["places"]).values()), {2})
        roomy = self.job(2, "pattern:stencil2d:4x4", "tree:8:8", *COARSE)
        self.assertLessEqual(max(collections.Counter(roomy["places"]).values()), 1)

    def test_save(self):
        file = self.scratch / "saved.json"
        result = self.family.run(2, [TOPOWISE, "map", "--distributed", "pattern:ring:16", "tree:4:4", "--save", file])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("hop-bytes "), 1, result.stdout)
        self.assertEqual(json.loads(file.read_text())["ranks"], 16)

    def test_errors(self):
        """There is one message, the status is the same on all ranks, and no rank waits."""
        broken = self.scratch / "broken.graph"
        broken.write_text("6 5\n2\n1 3\n2 4\n3 5\n4 x\n5\n")
        for arguments, status, text in (([broken, "tree:2:3"], 3, "'x' is not a vertex"), (["pattern:ring:99", "tree:2:3"], 3, "99 ranks"),
                                        (["pattern:ring:6", "tree:2:3", "--objective", "max-congestion"], 2, "only hop-bytes"),
                                        ([self.scratch / "absent", "tree:2:3"], 3, "absent")):
            with self.subTest(arguments=list(map(str, arguments))):
                result = self.family.run(3, [TOPOWISE, "map", "--distributed", *arguments, "--json"])
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.stderr.count("topowise map: error:"), 1, result.stderr)
                self.assertIn(text, result.stderr)
