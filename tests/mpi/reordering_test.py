# SPDX-License-Identifier: BSD-3-Clause
"""`topowise run --reorder`: MPI's topology functions give the vertices to processes that are near each other, and everything that MPI says of the new
communicator fits the new ranks (programs/topologies.c checks it)."""

import os
import re

from jobs import TOPOWISE, MpiTest, host_in_halves

HOSTS = ["apple", "birch", "cedar", "daisy"]
RANKS = 8
FUNCTIONS = ["cart", "graph", "dist", "adjacent", "weighted"]
# MPICH 5.0.2 hangs in its own MPI_Dist_graph_create, also without topowise, on hosts that are this machine under other names.
HANG_IN_DIST = ("mpich5", "mpich5-abi")


class Reordering(MpiTest):
    def topologies(self, function, *options, arguments=(), expect=0, **environment):
        """Returns (vertex -> host, hosts of the ranks without a vertex, the messages on stderr), on four hosts with two ranks each, in blocks."""
        family = self.family.on_hosts(HOSTS, RANKS)
        result = family.run(RANKS, [TOPOWISE, "run", *options, "--", self.program("topologies.c"), function, *arguments], **environment)
        self.assertEqual(result.returncode, expect, f"{function} {options}\n{result.stdout}\n{result.stderr}")
        rows = [line.split() for line in result.stdout.splitlines() if re.fullmatch(r"(\d+|none) \d+ \w+", line)]
        self.assertEqual(len(rows), RANKS, result.stdout)
        self.assertEqual({int(row[1]): row[2] for row in rows}, {rank: HOSTS[rank // 2] for rank in range(RANKS)}, "the launcher's order")
        return {int(v): host for v, _, host in rows if v != "none"}, [host for v, _, host in rows if v == "none"], result.stderr

    def crossing(self, function, host_of):
        """The number of ordered pairs of neighbours on different hosts."""
        n = len(host_of)
        apart = {"cart": [(v, (v + d) % n) for v in range(n) for d in (2, -2)] + [(v, v ^ 1) for v in range(n) for _ in range(2)]}
        pairs = apart.get(function, [(v, (v + n // 2) % n) for v in range(n)])
        return sum(host_of[a] != host_of[b] for a, b in pairs)

    def test_alone_every_pair_is_apart(self):
        for function in FUNCTIONS[1:]:
            if function != "dist" or self.family.name not in HANG_IN_DIST:
                plain, _, _ = self.topologies(function, arguments=(0,))
                self.assertEqual(self.crossing(function, plain), RANKS, function)

    def test_every_function_brings_pairs_together(self):
        for function in FUNCTIONS[1:]:
            if function == "dist" and self.family.name in HANG_IN_DIST:
                print(f"not checked: MPI_Dist_graph_create, in which {self.family.name} itself hangs on hosts of one machine", flush=True)
                continue
            host_of, _, _ = self.topologies(function, "--reorder")
            self.assertEqual(self.crossing(function, host_of), 0, function)

    def pairs_apart(self, function, ranks):
        """The vertices v whose neighbour v + ranks / 2 is in the other half of this one host."""
        options = ["--reorder", "--reorder-topology", host_in_halves(self.scratch)]
        result = self.family.run(ranks, [TOPOWISE, "run", *options, "--", self.program("topologies.c"), function])
        self.assertEqual(result.returncode, 0, f"{function}\n{result.stdout}\n{result.stderr}")
        half_of = {int(vertex): int(rank) // (ranks // 2) for vertex, rank in re.findall(r"^(\d+) (\d+) ", result.stdout, re.M)}
        self.assertEqual(len(half_of), ranks, result.stdout)
        return [v for v in range(ranks // 2) if half_of[v] != half_of[v + ranks // 2]]

    def test_a_host_that_is_described(self):
        """On one host, where MPICH 5 does not hang in MPI_Dist_graph_create. Each of the host's two halves has half of the ranks."""
        for function in FUNCTIONS[1:]:
            self.assertEqual(self.pairs_apart(function, 4), [], function)

    def test_more_processes_than_the_first_one_tells_one_by_one(self):
        self.assertEqual(self.pairs_apart("graph", 68), [])

    def test_a_grid_is_never_laid_out_worse(self):
        plain, _, _ = self.topologies("cart", arguments=(0,))
        host_of, _, _ = self.topologies("cart", "--reorder")
        self.assertLessEqual(self.crossing("cart", host_of), self.crossing("cart", plain))

    def test_work_is_shared_evenly_before_bytes_count(self):
        loads = [3, 3, 1, 1, 3, 3, 1, 1]
        host_of, _, stderr = self.topologies("graph", "--reorder", "--reorder-loads", "2*3,2*1,2*3,2*1")
        self.assertEqual({sum(loads[v] for v in host_of if host_of[v] == host) for host in HOSTS}, {4})
        self.assertIn("the fullest host has 50.0 % -> 0.0 % more than its share of the loads", stderr)

    def test_fewer_vertices_than_ranks(self):
        for function in ("cart", "graph"):
            host_of, without, _ = self.topologies(function, "--reorder", arguments=(1, 2))
            self.assertEqual((len(host_of), len(without)), (RANKS - 2, 2))
        self.assertEqual(self.crossing("graph", host_of), 0)

    def test_reorder_false_is_obeyed_unless_it_is_to_be_always(self):
        host_of, _, _ = self.topologies("graph", "--reorder", arguments=(0,))
        self.assertEqual(self.crossing("graph", host_of), RANKS)
        host_of, _, _ = self.topologies("graph", "--reorder=always", arguments=(0,))
        self.assertEqual(self.crossing("graph", host_of), 0)

    def test_a_report_changes_nothing_and_says_what_would_be(self):
        host_of, _, told = self.topologies("graph", "--reorder=report")
        self.assertEqual(self.crossing("graph", host_of), RANKS)
        self.assertRegex(told, r"topowise: MPI_Graph_create at topologies\+0x[0-9a-f]+ \(\w+\+0x[0-9a-f]+\): reorder = true: 8 vertices, 8 processes on 4 hosts: "
                               r"ranks would be reordered, hop-bytes 8 -> 0 \(100\.0 % less, proven optimal\); machine: 4 hosts, taken to be equally far from each other")
        self.assertRegex(told.splitlines()[-1], r"--reorder=report: 1 call, ranks would be reordered in 1 \(hop-bytes 8 -> 0, 100\.0 % less\); .* ms in them")
        self.assertEqual(told.count("topowise:"), 2, told)

    def test_without_a_topology_the_site_says_how_hosts_are_joined(self):
        """By a stand-in for Slurm's program."""
        site = self.scratch / "site"
        site.mkdir()
        (site / "scontrol").write_text("#!/bin/sh\necho SwitchName=leaf1 Level=0 Nodes=apple,daisy\necho SwitchName=leaf2 Level=0 Nodes=birch,cedar\n"
                                       "echo SwitchName=top Level=1 Switches=leaf[1-2]\n")
        (site / "scontrol").chmod(0o755)
        path = f"{site}:{os.environ['PATH']}"
        _, _, told = self.topologies("graph", "--reorder=report", PATH=path)
        self.assertRegex(told, "machine: .*scontrol show topology")
        _, _, told = self.topologies("graph", "--reorder=report", PATH=path, TOPOWISE_REORDER_NETWORK="off")
        self.assertIn("machine: 4 hosts, taken to be equally far from each other", told)

    def test_a_report_keeps_reorder_false_apart(self):
        _, _, told = self.topologies("graph", "--reorder=report", arguments=(0,))
        self.assertRegex(told, r"reorder = false: .*: ranks would be reordered by --reorder=always, hop-bytes 8 -> 0 \(100\.0 % less, proven optimal\)")
        self.assertRegex(told.splitlines()[-1], r"--reorder=report: 1 call, ranks would be reordered in 0; 1 'reorder' is false: "
                                                r"--reorder=always would reorder ranks in 1 \(hop-bytes 8 -> 0, 100\.0 % less\); .* ms in them")

    def test_what_a_grid_is_taken_to_send_is_said(self):
        _, _, told = self.topologies("cart", "--reorder=report")
        self.assertIn("; edges weigh as if the grid cut a cube", told)
