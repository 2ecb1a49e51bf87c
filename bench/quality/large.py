#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Large mapping problems: topowise beside SharedMap, KaHIP and Scotch, measured in one run, as Markdown tables.

  large.py --bench BUILD/bin/multilevel_bench [--graphs FOLDER] [--seeds N] [--rows PATTERN] [--skip-peers]
           [--topowise PROGRAM] [-- [one-to-one] [many] [made] [tori] [commands]]

All programs solve a problem with one seed before any solves it with the next seed, so that a busy hour of the machine
hits all programs alike. After each table a list says which rows are as good and as quick as they should be. Only the
peers that are installed are used: `pip install chszlablib kahip scipy` (SharedMap; KaHIP's global_multisection program;
meshes) for the interpreter that runs this script, and `scotch_gmap` in PATH. Seconds are processor time. FOLDER holds
rgg_n_2_15_s0.graph.gz and delaunay_n15.graph.gz. Costs count both directions of an edge.
"""
import argparse
import collections
import gzip
import itertools
import json
import pathlib
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

DISTANCES = (1, 10, 100)
OWN = ("topowise", "fast")
PROGRAMS = {"topowise": "topowise", "fast": "topowise fast", "sharedmap": "SharedMap strong",
            "kahip": "KaHIP GM strong", "scotch": "Scotch"}
COMMANDS = {"map_command": "topowise map", "fast_command": "the same, --mapper multilevel-fast", "sharedmap": "SharedMap strong, the call alone",
            "scotch": "scotch_gmap"}
NOT_HERE = (ImportError, FileNotFoundError, StopIteration, subprocess.CalledProcessError)
ONE_TO_ONE = [  # points of the stencil, torus, hierarchy from the leaves up, cost to reach
    (7, (4, 4, 2), (4, 4, 2), 17874), (7, (4, 4, 4), (4, 4, 4), 67450), (7, (6, 4, 4), (4, 8, 3), 59650),
    (27, (8, 8, 4), (4, 8, 8), 6218240), (7, (8, 8, 4), (4, 8, 8), 204398), (7, (8, 8, 6), (4, 8, 12), 380722),
    (7, (12, 8, 8), (4, 16, 12), 655116)]


def stencil(points, size):
    """Edges of a torus. With 7 points the weights are random, 1..9; with 27 points they are 100, 10 or 1 by the number of axes."""
    index = lambda at: (at[0] % size[0] * size[1] + at[1] % size[1]) * size[2] + at[2] % size[2]
    weights = random.Random(1)
    steps = [s for s in itertools.product((-1, 0, 1), repeat=3) if any(s)]
    if points == 7:
        steps = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    edges = {}
    for at in itertools.product(*map(range, size)):
        for step in steps:
            ends = (index(at), index([a + s for a, s in zip(at, step)]))
            weight = weights.randint(1, 9) if points == 7 else {1: 100, 2: 10, 3: 1}[sum(map(abs, step))]
            if ends[0] != ends[1]:
                edges[min(ends), max(ends)] = weight
    names = list(range(size[0] * size[1] * size[2]))
    random.Random(1).shuffle(names)
    return len(names), {(names[u], names[v]): w for (u, v), w in edges.items()}


def mesh(points, dimensions):
    """Edges of a Delaunay mesh that becomes finer towards one corner."""
    import numpy
    import scipy.spatial
    corners = numpy.random.default_rng(1).random((points, dimensions)) ** 2
    cells = scipy.spatial.Delaunay(corners).simplices
    return points, {(int(min(u, v)), int(max(u, v))): 1 for cell in cells for u, v in itertools.combinations(cell, 2)}


def power_law(vertices, degree):
    """Each new vertex is joined to `degree` others, chosen in proportion to the edges that they have (Barabasi and Albert, 1999)."""
    draw = random.Random(1)
    ends, edges = list(range(degree)), {}
    for vertex in range(degree, vertices):
        joined = set()
        while len(joined) < degree:
            joined.add(draw.choice(ends))
        for other in sorted(joined):
            edges[other, vertex] = 1
            ends += [other, vertex]
    return vertices, edges


def geometric(vertices):
    """A random geometric graph in which a vertex has six neighbours on average."""
    import numpy
    import scipy.spatial
    points = numpy.random.default_rng(1).random((vertices, 2))
    radius = (6 / (vertices * numpy.pi)) ** 0.5
    return vertices, {(int(u), int(v)): 1 for u, v in scipy.spatial.cKDTree(points).query_pairs(radius)}


def read_graph(file):
    rows = gzip.open(file, "rt").read().split("\n")
    count = int(rows[0].split()[0])
    return count, {(u, int(v) - 1): 1 for u in range(count) for v in rows[u + 1].split() if u < int(v) - 1}


def write_graph(file, count, edges):
    rows = [[] for _ in range(count)]
    for (u, v), weight in edges.items():
        rows[u] += [v + 1, weight]
        rows[v] += [u + 1, weight]
    text = [f"{count} {len(edges)} 1"] + [" ".join(map(str, row)) for row in rows]
    file.write_text("\n".join(text) + "\n")


def cost(edges, place, hierarchy):
    total = 0
    for (u, v), weight in edges.items():
        a, b = place[u], place[v]
        for arity, length in zip(hierarchy, DISTANCES):
            if a == b:
                break
            a, b = a // arity, b // arity
            if a == b:
                total += 2 * weight * length
    return total


def fits(count, place, places, imbalance):
    most = int((1 + imbalance) * -(-count // places))
    load = [0] * places
    for p in place:
        load[p] += 1
    return max(load) <= most


def run(command):
    """The output of the command, and the processor time that it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Case:
    """One problem, which each program solves for several seeds."""

    def __init__(self, arguments, count, edges, hierarchy, imbalance, folder):
        self.arguments, self.count, self.edges = arguments, count, edges
        self.hierarchy, self.imbalance, self.folder = hierarchy, imbalance, folder
        self.places = hierarchy[0] * hierarchy[1] * hierarchy[2]
        self.file = folder / "case.graph"
        write_graph(self.file, count, edges)

    def tree(self):
        return "tree:" + ":".join(map(str, reversed(self.hierarchy))) + "@" + ":".join(map(str, DISTANCES))

    def topowise(self, seed, verb="graph"):
        command = [self.arguments.bench, verb, self.file, self.tree(), str(self.imbalance), str(seed), "1"]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        return answer["cost"], answer["seconds"]

    def fast(self, seed):
        return self.topowise(seed, "fast")

    def map_command(self, seed, *options):
        """Runs the whole command, including its reading and its lower bound."""
        command = [self.arguments.topowise, "map", self.file, self.tree(), "--imbalance", str(self.imbalance), "--seed", str(seed), "--json", *options]
        output, used = run(command)
        return self.judge(json.loads(output)["places"]), used

    def fast_command(self, seed):
        return self.map_command(seed, "--mapper", "multilevel-fast")

    def sharedmap(self, seed):
        code = ("import sys, time; from chszlablib import Graph, Decomposition\n"
                "lines = open(sys.argv[1]).read().split('\\n'); n = int(lines[0].split()[0]); g = Graph(num_nodes=n)\n"
                "for u in range(n):\n"
                "  row = list(map(int, lines[u + 1].split()))\n"
                "  for v, w in zip(row[::2], row[1::2]):\n"
                "    if u < v - 1: g.add_edge(u, v - 1, w)\n"
                "g.finalize() if hasattr(g, 'finalize') else None\n"
                "start = time.process_time()\n"
                "r = Decomposition.process_map(g, eval(sys.argv[2]), eval(sys.argv[3]), mode='strong',\n"
                "                              seed=int(sys.argv[4]), imbalance=float(sys.argv[5]), threads=1)\n"
                "print('ANSWER', time.process_time() - start, *r.assignment)\n")
        command = [sys.executable, "-c", code, self.file, str(list(self.hierarchy)), str(list(DISTANCES)), str(seed),
                   str(self.imbalance)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        words = next(line for line in output.split("\n") if line.startswith("ANSWER")).split()[1:]
        return self.judge(list(map(int, words[1:]))), float(words[0])

    def kahip(self, seed):
        import kahip
        program = pathlib.Path(kahip.__file__).resolve().parent.parent / "bin" / "global_multisection"
        output = self.folder / "kahip.txt"
        _, used = run([program, self.file, "--preconfiguration=strong", f"--imbalance={100 * self.imbalance}", f"--seed={seed}",
                       "--hierarchy_parameter_string=" + ":".join(map(str, self.hierarchy)),
                       "--distance_parameter_string=" + ":".join(map(str, DISTANCES)), f"--output_filename={output}"])
        return self.judge(list(map(int, output.read_text().split()))), used

    def scotch(self, seed):
        program = shutil.which("scotch_gmap")
        if not program:
            raise FileNotFoundError("scotch_gmap")
        rows = [[] for _ in range(self.count)]
        for (u, v), weight in self.edges.items():
            rows[u].append(f"{weight} {v}")
            rows[v].append(f"{weight} {u}")
        source, target, output = (self.folder / name for name in ("case.grf", "case.tgt", "case.map"))
        source.write_text(f"0\n{self.count} {2 * len(self.edges)}\n0 010\n" +
                          "\n".join(f"{len(row)} {' '.join(row)}" for row in rows) + "\n")
        levels = [level for level in zip(self.hierarchy, DISTANCES) if level[0] > 1]  # Scotch refuses a level of one
        words = " ".join(f"{arity} {length}" for arity, length in reversed(levels))
        target.write_text(f"tleaf {len(levels)} {words}\n")
        _, used = run([program, source, target, output, f"-b{self.imbalance}"])
        place = [0] * self.count
        for line in output.read_text().split("\n")[1:]:
            if line.strip():
                vertex, where = map(int, line.split())
                place[vertex] = where
        return self.judge(place), used

    def judge(self, place):
        value = cost(self.edges, place, self.hierarchy)
        return value if fits(self.count, place, self.places, self.imbalance) else -value  # negative if the mapping breaks the limit on imbalance

    def solve(self, programs):
        """What each program reached; None for a program that is not installed or fails."""
        runs = {name: [] for name in programs}
        for seed in range(1, self.arguments.seeds + 1):
            for name in programs:
                try:
                    if runs[name] is not None:
                        runs[name].append(getattr(self, name)(seed))
                except NOT_HERE:
                    runs[name] = None
        return {name: runs[name] and Reached.of(runs[name]) for name in programs}


class Reached(collections.namedtuple("Reached", "mean best worst seconds unbalanced")):
    @classmethod
    def of(cls, runs):
        costs = [abs(cost_and_sign) for cost_and_sign, _ in runs]
        return cls(statistics.mean(costs), min(costs), max(costs), statistics.mean(seconds for _, seconds in runs),
                   sum(cost_and_sign < 0 for cost_and_sign, _ in runs))

    def __str__(self):
        text = f"{self.mean:.0f} ({self.best:.0f}..{self.worst:.0f}), {self.seconds:.3g} s"
        return text + (f", {self.unbalanced} unbalanced" if self.unbalanced else "")


def verdict(reached, most, strictly, seconds):
    """Says whether a program's mean cost and time are within the given bounds."""
    def judged(what, value, bound, met):
        if bound is None:
            return f"{what} without a bar"
        return f"{what} {'met' if met else 'MISSED'} ({value:.6g} for {bound:.6g})"
    below = most is not None and (reached.mean < most or (not strictly and reached.mean <= most))
    return (judged("J", reached.mean, most, below) + ", " +
            judged("seconds", reached.seconds, seconds, seconds is not None and reached.seconds <= seconds))


def least(results, names, field):
    return min((getattr(results[name], field) for name in names if results.get(name)), default=None)


def verdict_one_to_one(results, goal):
    """Goals: the best cost known when the benchmark was written, in at most SharedMap's time."""
    return verdict(results["topowise"], goal, False, least(results, ["sharedmap"], "seconds"))


def verdict_many(results, _):
    """Goals: topowise is better than the better one of SharedMap and KaHIP, and as quick as the quicker one. topowise fast is better than Scotch,
    in at most Scotch's time."""
    strong = ["sharedmap", "kahip"]
    return (verdict(results["topowise"], least(results, strong, "mean"), True, least(results, strong, "seconds")) +
            "; fast: " +
            verdict(results["fast"], least(results, ["scotch"], "mean"), True, least(results, ["scotch"], "seconds")))


def verdict_fast(results, _):
    """Goals: topowise is as good as the better one of SharedMap and KaHIP, and as quick as the quicker one. topowise fast is as good as SharedMap,
    and as good as Scotch."""
    strong = ["sharedmap", "kahip"]
    return (verdict(results["topowise"], least(results, strong, "mean"), False, least(results, strong, "seconds")) +
            "; fast beside SharedMap: " + verdict(results["fast"], least(results, ["sharedmap"], "mean"), False, None) +
            "; beside Scotch: " + verdict(results["fast"], least(results, ["scotch"], "mean"), False, None))


def verdict_commands(results, _):
    return (verdict(results["map_command"], least(results, ["sharedmap"], "mean"), True, least(results, ["sharedmap"], "seconds")) + "; fast: " +
            verdict(results["fast_command"], least(results, ["scotch"], "mean"), True, least(results, ["scotch"], "seconds")))


def table(arguments, title, rows, verdict_of, programs_and_titles=None):
    """Prints a table and its verdicts. Rows are (title, cost to reach, function that makes the case in a folder)."""
    rows = [row for row in rows if re.search(arguments.rows, row[0])]
    if not rows:
        return
    titles = programs_and_titles or {name: PROGRAMS[name] for name in (OWN if arguments.skip_peers else PROGRAMS)}
    programs = tuple(titles)
    print(f"\n| {title} | to reach | " + " | ".join(titles.values()) + " |")
    print("|---|---|" + "---|" * len(programs))
    verdicts = []
    for name, goal, make in rows:
        with tempfile.TemporaryDirectory() as folder:
            results = make(pathlib.Path(folder)).solve(programs)
        cells = [str(results[program] or "not here") for program in programs]
        print("| " + " | ".join([name, str(goal or ""), *cells]) + " |", flush=True)
        verdicts.append(f"- {name}: {verdict_of(results, goal)}")
    print("\n" + "\n".join(verdicts), flush=True)


def one_to_one(arguments):
    def row(points, size, hierarchy, goal):
        title = f"{points}pt {'x'.join(map(str, size))} on {':'.join(map(str, hierarchy))}"
        return title, goal, lambda folder: Case(arguments, *stencil(points, size), hierarchy, 0.0, folder)
    table(arguments, "one rank a place", [row(*problem) for problem in ONE_TO_ONE], verdict_one_to_one)


def rows_of_graphs(arguments, groups_of_rows):
    def row(graph, groups):
        file = arguments.graphs / f"{graph}.graph.gz"
        return (f"{graph} on 4:8:{groups}", None,
                lambda folder: Case(arguments, *read_graph(file), (4, 8, groups), 0.03, folder))
    return [row(graph, groups) for graph in ("rgg_n_2_15_s0", "delaunay_n15") for groups in groups_of_rows]


def many(arguments):
    table(arguments, "many ranks a place, 3 %", rows_of_graphs(arguments, range(1, 7)), verdict_many)


def commands(arguments):
    table(arguments, "whole commands, 3 %", rows_of_graphs(arguments, (1, 3, 6)), verdict_commands, COMMANDS)


def made(arguments):
    """Graphs that this script makes. Some of the hierarchies have odd arities."""
    several = [("graded 3D mesh", lambda: mesh(25000, 3), (3, 5, 7)), ("graded 2D mesh", lambda: mesh(25000, 2), (3, 5, 7)),
               ("power law, 20000 x 4", lambda: power_law(20000, 4), (4, 8, 4))]
    alone = [("geometric", geometric, (4, 8, 8)), ("2D mesh", lambda n: mesh(n, 2), (4, 8, 8)), ("3D mesh", lambda n: mesh(n, 3), (4, 8, 8)),
             ("geometric", geometric, (4, 4, 4)), ("2D mesh", lambda n: mesh(n, 2), (4, 4, 4)), ("3D mesh", lambda n: mesh(n, 3), (4, 4, 4))]

    def row(name, make, hierarchy, imbalance):
        title = f"{name} on {':'.join(map(str, hierarchy))}"
        return title, None, lambda folder: Case(arguments, *make(), hierarchy, imbalance, folder)

    def alone_row(name, make, hierarchy):
        size = hierarchy[0] * hierarchy[1] * hierarchy[2]
        return row(f"{name} of {size}", lambda: make(size), hierarchy, 0.0)

    table(arguments, "graphs that are made, 3 %", [row(*problem, 0.03) for problem in several], verdict_many)
    table(arguments, "the same, one rank a place", [alone_row(*problem) for problem in alone], verdict_fast)


def tori(arguments):
    print("\n| torus | optimum | topowise, mean (best..worst) | seconds of the slowest |\n|---|---|---|---|")
    verdicts = []
    for size in ((4, 4, 4), (8, 8, 4), (8, 8, 8)):
        title = "x".join(map(str, size))
        if not re.search(arguments.rows, title):
            continue
        answers = []
        for seed in range(1, arguments.seeds + 1):
            command = [arguments.bench, "torus", str(seed), *map(str, size)]
            answers.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
        ratios = [answer["cost"] / answer["bound"] for answer in answers]
        slowest = max(answer["seconds"] for answer in answers)
        costs = f"{statistics.mean(ratios):.4f} ({min(ratios):.4f}..{max(ratios):.4f}) of it"
        print(f"| {title} | {statistics.mean(answer['bound'] for answer in answers):.0f} | {costs} | {slowest:.3g} |")
        worst = Reached(max(ratios), max(ratios), max(ratios), slowest, 0)
        verdicts.append(f"- {title}, the worst seed: {verdict(worst, 1.05, False, 1.0)}")
    print("\n" + "\n".join(verdicts), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--graphs", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", default="", metavar="PATTERN", help="a regular expression: rows whose title has it")
    parser.add_argument("--skip-peers", action="store_true")
    parser.add_argument("--topowise", help="the program, for the table of whole commands")
    parser.add_argument("tables", nargs="*", default=["one-to-one", "many", "made", "tori", "commands"])
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.bench).is_file():
        parser.error(f"--bench: there is no {arguments.bench}")
    if "one-to-one" in arguments.tables:
        one_to_one(arguments)
    if "many" in arguments.tables:
        many(arguments) if arguments.graphs else print("\nmany ranks a place: left out, --graphs FOLDER is not given")
    if "made" in arguments.tables:
        made(arguments)
    if "commands" in arguments.tables:
        commands(arguments) if arguments.graphs and arguments.topowise else print("\nwhole commands: left out, --graphs FOLDER and --topowise PROGRAM are not given")
    if "tori" in arguments.tables:
        tori(arguments)


if __name__ == "__main__":
    main()
