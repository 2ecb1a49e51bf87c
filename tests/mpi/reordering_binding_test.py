# SPDX-License-Identifier: BSD-3-Clause
"""`topowise run --reorder` inside hosts: ranks that are bound to different parts of a host are not equally far from each other. Two processors of this
machine act as the two packages of a node: HWLOC_FSROOT names files that describe them so; the bindings are real."""

import os
import re

from jobs import TOPOWISE, MpiTest
from reordering_test import FUNCTIONS

RANKS = 8
BIND = """rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
shift $rank; processors=$1; shift $((16 - rank - 1)); root=$1; shift
exec taskset -c "$processors" env HWLOC_FSROOT="$root" "$@" """


class Bound(MpiTest):
    def setUp(self):
        self.processors = sorted(os.sched_getaffinity(0))[:2]
        self.need(len(self.processors) == 2, "this test needs two processors")

    def node(self):
        """A root directory whose /sys has each of the processors in a package of its own."""
        root = self.scratch / "node"
        for processor in self.processors if not root.exists() else []:
            folder = root / "sys/devices/system/cpu" / f"cpu{processor}"
            for file, line in (("topology/package_cpus_list", processor), ("cache/index0/level", 3), ("cache/index0/shared_cpu_list", processor)):
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_text(f"{line}\n")
        return root

    def run_bound(self, package_of, function, *options, family=None, root=None):
        """Returns [(the package of the process that plays vertex v, its host)] and the messages. `package_of` gives a rank its package number, or None
        for both."""
        lists = [",".join(map(str, self.processors if package_of(r) is None else self.processors[package_of(r):][:1])) for r in range(RANKS)]
        bind = ["sh", "-c", BIND, "sh", *lists, *[""] * (15 - RANKS), root or self.node()]
        result = (family or self.family).run(RANKS, [*bind, TOPOWISE, "run", *options, "--", self.program("topologies.c"), function])
        self.assertEqual(result.returncode, 0, f"{function} {options}\n{result.stdout}\n{result.stderr}")
        rows = {int(v): (package_of(int(rank)), host) for v, rank, host in re.findall(r"^(\d+) (\d+) (\w[\w.-]*)$", result.stdout, re.M)}
        self.assertEqual(sorted(rows), list(range(RANKS)), result.stdout)
        return [rows[v] for v in range(RANKS)], result.stderr

    def apart(self, rows, what):
        return sum(rows[v][what] != rows[(v + RANKS // 2) % RANKS][what] for v in range(RANKS))

    def test_pairs_come_together_in_a_package(self):
        for function in FUNCTIONS[1:]:
            rows, told = self.run_bound(lambda rank: rank // 4, function, "--reorder")
            self.assertEqual(self.apart(rows, 0), 0, f"{function}\n{told}")
        self.assertRegex(told, r"--reorder=asked: 1 call, ranks reordered in 1 \(hop-bytes inside hosts [\d.e+]+ -> [\d.e+]+, [\d.]+ % less\); ")

    def test_a_report_says_where_the_machine_comes_from(self):
        rows, told = self.run_bound(lambda rank: rank // 4, "graph", "--reorder=report")
        self.assertEqual(self.apart(rows, 0), RANKS)
        self.assertRegex(told, r"8 processes on 1 host: ranks would be reordered, .*, inside hosts 8 -> 0 \(100\.0 % less\); "
                               r"machine: 1 host; ranks are bound to 2 packages, 2 L3 caches")

    def test_ranks_that_are_not_bound_are_equal(self):
        for package_of, root in ((lambda rank: None, None), (lambda rank: rank // 4, self.scratch / "nowhere")):
            _, told = self.run_bound(package_of, "graph", "--reorder", root=root)
            self.assertRegex(told, r"--reorder=asked: 1 call, ranks reordered in 0; 1 on one host; ")

    def test_hosts_come_first(self):
        """Two hosts; the ranks of the second host may run on any processor."""
        family = self.family.on_hosts(["apple", "birch"], RANKS)
        rows, told = self.run_bound(lambda rank: rank // 2 if rank < 4 else None, "graph", "--reorder", family=family)
        self.assertEqual((self.apart(rows, 1), self.apart(rows, 0)), (0, 0), told)
        self.assertRegex(told, r"ranks reordered in 1 \(hop-bytes 8 -> 0, 100\.0 % less")
