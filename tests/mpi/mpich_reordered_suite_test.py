# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own tests of virtual topologies, collectives and communicators (tools/install-mpich-suite.sh): with reordering, each must end as it ends
alone, or well. They run on one host that is described as two halves: ranks do move."""

import collections
import re

import families
from jobs import TOPOWISE, host_in_halves
from mpich_suite_test import SUITE, Programs

LONGEST = 60  # seconds: a test that hangs does so alone as well
LONGER = 600  # seconds, if only one of the two runs was that slow
MOST_RANKS = 10  # ranks of one test; on two cores, more ranks wait for each other for minutes

# A program that passes reorder = 1 and compares the new communicator with its rank in the old one, with its correction.
KEEPS_ITS_RANK = {"distgraph1": ("static int verify_comm(MPI_Comm comm)\n{\n", "    int rank;\n    MPI_Comm_rank(comm, &rank);\n")}

Line = collections.namedtuple("Line", "name ranks arguments environment")


def lines_of(folder):
    """The lines of a folder's list: "NAME RANKS [arg=ARGUMENT] [env=NAME=VALUE] ..."."""
    lists = [SUITE / folder / name for name in ("testlist", "testlist.in")]
    found = []
    for line in next(file for file in lists if file.exists()).read_text().splitlines():
        words = line.split("#")[0].split()
        if len(words) < 2 or not words[1].isdigit() or int(words[1]) > MOST_RANKS:
            continue
        arguments = tuple(word[len("arg="):] for word in words if word.startswith("arg="))
        environment = tuple(word[len("env="):] for word in words if word.startswith("env="))
        if (one := Line(words[0], int(words[1]), arguments, environment)) not in found:
            found.append(one)
    return found


class Reordered(Programs):
    def setUp(self):
        self.need_suite()

    def program_of(self, folder, name):
        """The compiled program, or nothing if this MPI library cannot compile it."""
        source = None
        if name in KEEPS_ITS_RANK:
            place, mended = KEEPS_ITS_RANK[name]
            text = (SUITE / folder / f"{name}.c").read_text()
            self.assertEqual(text.count(place), 1, name)
            source = self.scratch / f"{name}-mended.c"
            source.write_text(text.replace(place, place + mended))
        self.common_objects()
        try:
            return self.built(folder, name, source)
        except AssertionError:
            return None

    def outcome(self, program, line, wrapper, longest):
        """Returns (how it ends, whether ranks moved). The exit status of a job that fails is left to chance: it is that of the process that ends
        first."""
        environment = families.MPICH_YIELDS | dict(setting.split("=", 1) for setting in line.environment)
        result = self.family.run(line.ranks, [*wrapper, program, *line.arguments], timeout=longest, **environment)
        end = "hangs" if result.returncode == 124 else "good" if result.returncode == 0 and "No Errors" in result.stdout else "fails"
        return end, bool(re.search(r"^topowise: .*ranks reordered in [1-9]", result.stderr, re.M))

    def compare(self, folder):
        wrapper = [TOPOWISE, "run", "--reorder", "--reorder-topology", host_in_halves(self.scratch), "--"]
        good, moved, differ, better, absent, bad = [], [], [], [], [], []
        for line in lines_of(folder):
            program = self.program_of(folder, line.name)
            if program is None:
                absent.append(line.name)
                continue
            for longest in (LONGEST, LONGER):
                alone, _ = self.outcome(program, line, [], longest)
                reordered, has_moved = self.outcome(program, line, wrapper, longest)
                if alone == reordered or "hangs" not in (alone, reordered):
                    break
            what = f"{line.name} {line.ranks} {' '.join(line.arguments + line.environment)}".strip()
            (good if alone == "good" else bad).append(what)
            if has_moved:
                moved.append(what)
            if alone != "good" and reordered == "good":
                better.append(what)  # for example, Open MPI 4's own MPI_Graph_map is wrong, and ours replaces it
            elif alone != reordered:
                differ.append(f"{what}: alone {alone}, reordered {reordered}")
                print(f"differs: {differ[-1]}", flush=True)
        print(f"{self.family.name} {folder}: {len(good)} of {len(good) + len(bad)} good alone, ranks moved in {len(moved)} ({', '.join(moved) or 'none'}); "
              f"not good alone: {', '.join(bad) or 'none'}, of which good when reordered: {', '.join(better) or 'none'}; not compiled: {', '.join(absent) or 'none'}", flush=True)
        self.assertGreater(len(good), 10)
        self.assertEqual(differ, [])
        return moved


class Topologies(Reordered):
    def test_topo(self):
        self.assertNotEqual(self.compare("topo"), [])


class Communicators(Reordered):
    def test_comm(self):
        self.compare("comm")


class Collectives(Reordered):
    def test_coll(self):
        self.compare("coll")
