#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Small problems with all options of `map`, against every mapping tried in turn: brute_force_test.py TOPOWISE

The search here knows nothing of topowise but the distances that it prints. A mapping called proven must cost what the cheapest one costs, every mapping
must keep its constraints, and where topowise finds none there must be none."""

import itertools
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

CASES = 240
SEED = 20261128


class Problem:
    """A random question: words of the command line, and what they mean."""

    def __init__(self, number, folder):
        self.random = random.Random(SEED * 1000 + number)
        self.folder = folder
        self.number = number
        self.words = []
        self.machine()
        self.ranks = self.random.randint(2, 5)
        self.demand = [[0 if a == b or self.random.random() < 0.4 else self.random.randint(1, 9) for b in range(self.ranks)] for a in range(self.ranks)]
        self.traffic = self.file("t.csv", "\n".join(",".join(map(str, row)) for row in self.demand) + "\n")
        self.constraints()

    def file(self, name, text):
        path = self.folder / f"{self.number}-{name}"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def machine(self):
        choose = self.random
        self.kind = choose.choice(["tree", "matrix", "parts", "json", "preset"])
        if self.kind == "tree":
            self.topology = choose.choice(["tree:2:2", "tree:3:2@1:4", "tree:2:2:2@1:3:9", "tree:5"])
        elif self.kind == "matrix":
            places = choose.randint(3, 5)
            self.topology = self.file("d.txt", "\n".join(" ".join("0" if a == b else str(choose.randint(1, 9)) for b in range(places)) for a in range(places)) + "\n")
        elif self.kind == "parts":  # networks that nothing connects
            sizes = [choose.randint(1, 3) for _ in range(2)]
            self.topology = self.file("topology.conf", "".join(f"SwitchName=s{part} Nodes=p{part}n[1-{size}]\n" for part, size in enumerate(sizes)))
        elif self.kind == "preset":
            self.topology = "preset:l40s-8"
        else:
            places = [{"kind": "core", "name": f"c{i}", "capacity": choose.randint(1, 2), "vertex": i} for i in range(choose.randint(2, 4))]
            vertices = [{"id": i, "kind": "core", "name": place["name"]} for i, place in enumerate(places)]
            values = [[0 if a == b else choose.randint(1, 9) for b in range(len(places))] for a in range(len(places))]
            machine = {"schema": "topowise.topology/1", "places": places, "vertices": vertices, "pair_matrices": {"distance": {"source": "drawn", "values": values}}}
            self.topology = self.file("m.json", json.dumps(machine))

    def constraints(self):
        choose = self.random
        described = json.loads(run("topology", self.topology, "--json").stdout)
        self.capacity = [place["capacity"] for place in described["places"]]
        self.allowed = list(range(len(self.capacity)))
        if len(self.capacity) > 5 or choose.random() < 0.2:
            self.allowed = sorted(choose.sample(self.allowed, min(len(self.allowed), choose.randint(2, 5))))
            self.words += ["--allow", ",".join(map(str, self.allowed))]
        share = choose.choice([None, None, 0, 10, 34, 50, 100])
        if share is None and choose.random() < 0.5:
            each = choose.randint(1, 3)
            self.capacity = [each] * len(self.capacity)
            self.words += ["--ranks-per-place", str(each)]
        self.loads = [1] * self.ranks
        self.limit = dict(enumerate(self.capacity))
        if share is not None:
            self.words += ["--imbalance", f"{share}%"]
            if choose.random() < 0.5:
                self.loads = [choose.randint(1, 4) for _ in range(self.ranks)]
                self.words += ["--loads", ",".join(map(str, self.loads))]
            total = sum(self.capacity[p] for p in self.allowed)
            self.limit = {p: (100 + share) * -(-sum(self.loads) * self.capacity[p] // total) // 100 for p in self.allowed}
        self.fixed = {}
        if choose.random() < 0.3:
            self.fixed = {choose.randrange(self.ranks): choose.choice(self.allowed)}
            self.words += ["--fix", ",".join(f"{rank}={place}" for rank, place in self.fixed.items())]
        rows = json.loads(run("topology", self.topology, "--matrix", "distance", "--json").stdout)["matrix"]
        self.far = [[math.inf if each is None else each for each in row] for row in rows]

    def cost(self, places):
        return sum(self.demand[a][b] * self.far[places[a]][places[b]] for a in range(self.ranks) for b in range(self.ranks) if self.demand[a][b])

    def keeps(self, places):
        load = dict.fromkeys(self.allowed, 0)
        for rank, place in enumerate(places):
            if place not in load or self.fixed.get(rank, place) != place:
                return False
            load[place] += self.loads[rank]
        return all(load[place] <= self.limit[place] for place in self.allowed)

    def least(self):
        return min((self.cost(places) for places in itertools.product(self.allowed, repeat=self.ranks) if self.keeps(places)), default=None)

    def fit_onto_one_part(self):
        """Whether all ranks, also those that are silent, fit where every place reaches every other: topowise divides no job."""
        return any(self.keeps(places) and all(self.far[a][b] < math.inf for a in set(places) for b in set(places) if a != b)
                   for places in itertools.product(self.allowed, repeat=self.ranks))


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)


class BruteForce(unittest.TestCase):
    def check(self, problem):
        answer = run("map", problem.traffic, problem.topology, "--objective", "hop-bytes", *problem.words, "--json")
        least = problem.least()
        words = f"{problem.topology} {problem.demand} {' '.join(problem.words)}: least {least}\n{answer.stdout[:300]}{answer.stderr}"
        self.assertIn(answer.returncode, (0, 2, 3), words)
        if answer.returncode != 0:
            self.assertFalse(problem.fit_onto_one_part(), words)
            return "refused"
        found = json.loads(answer.stdout)
        self.assertTrue(problem.keeps(found["places"]), words)
        cost = problem.cost(found["places"])
        self.assertAlmostEqual(cost, found["cost"], delta=1e-6 * max(cost, 1), msg=words)
        self.assertLessEqual(found["lower_bound"] or 0, least * (1 + 1e-9), words)
        if found["proven_optimal"]:
            self.assertAlmostEqual(cost, least, delta=1e-6 * max(least, 1), msg=words)
            return "proven"
        return "open"

    def test_all_options(self):
        outcomes = dict.fromkeys(("proven", "open", "refused"), 0)
        with tempfile.TemporaryDirectory() as folder:
            for number in range(CASES):
                with self.subTest(number):
                    outcomes[self.check(Problem(number, pathlib.Path(folder)))] += 1
        print(outcomes)
        self.assertGreater(outcomes["proven"], CASES / 2)
        self.assertLess(outcomes["open"], CASES / 20)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
