#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A short form of the tables of bench/quality/large.py: one seed, no times, and the costs that other programs reached in measurements.

  quality_test.py TOPOWISE

A cost counts both directions of an edge. This program checks the mapping itself, from nothing but the graph.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "quality"))
import large  # noqa: E402
import meshes  # noqa: E402

PROGRAM = sys.argv.pop(1)
GRAPHS = pathlib.Path(os.environ.get("TOPOWISE_CORPUS", ROOT.parent / "shared" / "corpus")) / "graphs"
# The better cost of SharedMap strong and KaHIP global_multisection strong, as means of five seeds or one run, for two groups of nodes. BEST_SHARE is
# a share of the cost of a bisection by coordinates; topowise does not know the coordinates.
BEST_SHARE = {"random geometric": 0.3, "triangulation": 0.97}
BEST_OF_OTHERS = {"rgg_n_2_15_s0": 66782, "delaunay_n15": 102944}


def tree(hierarchy):
    return "tree:" + ":".join(map(str, reversed(hierarchy))) + "@" + ":".join(map(str, large.DISTANCES))


class Quality(unittest.TestCase):
    def solve(self, count, edges, topology, *options):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "case.graph"
            large.write_graph(file, count, edges)
            # Far more time than needed: the clock decides nothing on a slow machine.
            command = [PROGRAM, "map", str(file), topology, *options, "--time-limit", "60s", "--json"]
            return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def check(self, count, edges, hierarchy, imbalance, *options):
        answer = self.solve(count, edges, tree(hierarchy), *options)
        places = hierarchy[0] * hierarchy[1] * hierarchy[2]
        self.assertTrue(large.fits(count, answer["places"], places, imbalance))
        self.assertEqual(large.cost(edges, answer["places"], hierarchy), answer["cost"])
        self.assertLessEqual(answer["lower_bound"], answer["cost"])
        return answer["cost"]

    def test_one_rank_a_place(self):
        for points, size, hierarchy, best_listed in large.ONE_TO_ONE:
            with self.subTest(points=points, size=size, hierarchy=hierarchy):
                cost = self.check(*large.stencil(points, size), hierarchy, 0.0)
                self.assertLessEqual(cost, 1.005 * best_listed)

    def test_many_ranks_a_place(self):
        hierarchy = (4, 8, 2)
        for name, (count, edges, points) in {"random geometric": meshes.random_geometric(1 << 15), "triangulation": meshes.triangulation(256, 128)}.items():
            with self.subTest(graph=name):
                reference = meshes.by_coordinates(points, 4 * 8 * 2)
                self.assertTrue(large.fits(count, reference, 4 * 8 * 2, 0.0))
                cost = self.check(count, edges, hierarchy, 0.03, "--imbalance", "3%")
                self.assertLess(cost, BEST_SHARE[name] * large.cost(edges, reference, hierarchy))

    @unittest.skipUnless(GRAPHS.is_dir(), f"the graphs that others were measured on are not in {GRAPHS}")
    def test_many_ranks_a_place_beside_others(self):
        for name, best_of_others in BEST_OF_OTHERS.items():
            with self.subTest(graph=name):
                count, edges = large.read_graph(GRAPHS / f"{name}.graph.gz")
                cost = self.check(count, edges, (4, 8, 2), 0.03, "--imbalance", "3%")
                self.assertLess(cost, best_of_others)

    def test_shuffled_tori_on_their_own(self):
        for size in ((4, 4, 4), (8, 8, 4), (8, 8, 8)):
            with self.subTest(size=size):
                count, edges = large.stencil(7, size)
                answer = self.solve(count, edges, "torus:" + "x".join(map(str, size)))
                self.assertEqual(answer["cost"], 2 * sum(edges.values()))
                self.assertTrue(answer["proven_optimal"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
