# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own tests of virtual topologies, collectives and communicators (tools/install-mpich-suite.sh) end with reordering on as they end
alone. On one host, described as two halves, so that ranks do move."""

import re

from jobs import PROGRAMS, TOPOWISE, MpiTest, host_in_halves
from mpich_suite_test import SUITE

LONGEST = 90  # seconds: those that hang do so alone as well
MOST_RANKS = 10  # of one test; more wait for each other for minutes where they share two cores


class Reordered(MpiTest):
    def built(self, folder, name):
        """The program, or nothing if this MPI library cannot compile it."""
        output = self.scratch / f"{folder}-{name}"
        if output.exists():
            return output
        sources = [*(SUITE / f"util/{part}.c" for part in ("mtest", "mtest_common", "mtest_thread")), *(SUITE / "dtpools/src").glob("*.c")]
        folders = [PROGRAMS / "mpich_suite" / "include", SUITE / "include", SUITE / "util", SUITE / "dtpools/include"]
        try:
            self.family.compile(SUITE / f"{folder}/{name}.c", output, "-w", "-O0", *(f"-I{path}" for path in folders), *sources, "-lm", "-ldl", "-lpthread")
        except AssertionError:
            return None
        return output

    def tests_of(self, folder):
        """[(program, ranks)] as its list has them."""
        found = []
        self.need((SUITE / folder).is_dir(), f"{SUITE / folder} is not there: tools/install-mpich-suite.sh")
        lists = [SUITE / folder / name for name in ("testlist", "testlist.in")]
        for line in next(file for file in lists if file.exists()).read_text().splitlines():
            words = line.split("#")[0].split()
            if len(words) >= 2 and words[1].isdigit() and int(words[1]) <= MOST_RANKS and (words[0], int(words[1])) not in found:
                found.append((words[0], int(words[1])))
        return found

    def outcome(self, program, ranks, wrapper):
        result = self.family.run(ranks, [*wrapper, program], timeout=LONGEST)
        return result.returncode, "No Errors" in result.stdout, len(re.findall(r"^topowise: .*ranks reordered in [1-9]", result.stderr, re.M))

    def compare(self, folder):
        tests = self.tests_of(folder)
        wrapper = [TOPOWISE, "run", "--reorder", "--reorder-topology", host_in_halves(self.scratch), "--"]
        good = moved = 0
        differ, absent, bad = [], [], []
        for name, ranks in tests:
            program = self.built(folder, name)
            if program is None:
                absent.append(name)
                continue
            alone = self.outcome(program, ranks, [])
            reordered = self.outcome(program, ranks, wrapper)
            moved += reordered[2] > 0
            good += alone[1]
            if not alone[1]:
                bad.append(f"{name} {ranks}")
            if alone[:2] != reordered[:2]:
                differ.append(f"{name} {ranks}: alone {alone[:2]}, reordered {reordered[:2]}")
        print(f"{self.family.name} {folder}: {good} of {len(tests) - len(absent)} good alone, ranks moved in {moved}; not good alone: {', '.join(bad) or 'none'}; "
              f"not compiled: {', '.join(absent) or 'none'}", flush=True)
        self.assertGreater(good, 10)
        self.assertEqual(differ, [])
        return moved

    def test_topologies(self):
        self.assertGreater(self.compare("topo"), 0)

    def test_communicators(self):
        self.compare("comm")

    def test_collectives(self):
        self.compare("coll")
