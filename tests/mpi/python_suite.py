# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own test suite as one job, and the outcome of each of its tests on each rank."""

import collections
import os
import pathlib
import re
import tempfile

import families

MAIN = families.VENVS / "mpi4py-src/test/main.py"
# "name (module.class.name) ... outcome"; for a part of a test "name (module.class.name) (x=1) ... outcome". Other output of a rank during the test
# is between the dots and the outcome.
TEST = re.compile(r"^ *(\w+ \([\w.]+\)(?: [\[(].*)?) \.\.\. ", re.MULTILINE)
OUTCOME = re.compile(r"(ok|FAIL|ERROR|expected failure|unexpected success|skipped .*)$", re.MULTILINE)
NONE = "no outcome"

Rank = collections.namedtuple("Rank", "number ran summary outcomes")
Run = collections.namedtuple("Run", "status ranks errors")

ALONE = {}  # runs without the library


def outcomes(log):
    """The outcome of each test in a log, by its full name."""
    tests = list(TEST.finditer(log))
    ends = [test.start() for test in tests[1:]] + [len(log)]
    found = {}
    for test, end in zip(tests, ends):
        outcome = OUTCOME.search(log, test.end(), end)
        found[test[1]] = outcome[1] if outcome else NONE
    return found


def rank_of(log):
    """The rank that the suite itself prints in front of its first lines: "[0@host] Python ..."."""
    number = re.search(r"^\[(\d+)@", log, re.MULTILINE)
    ran = [int(tests) for tests in re.findall(r"^Ran (\d+) tests", log, re.MULTILINE)]
    summary = re.findall(r"^((?:OK|FAILED)(?: \(.*\))?)$", log, re.MULTILINE)
    return Rank(int(number[1]) if number else -1, ran, summary, outcomes(log))


def differences(alone, other):
    """One line for each difference between two runs."""
    found = [f"exit status: {alone.status}, {other.status}"] if alone.status != other.status else []
    if len(alone.ranks) != len(other.ranks):
        return [*found, f"ranks: {len(alone.ranks)}, {len(other.ranks)}"]
    for first, second in zip(alone.ranks, other.ranks):
        where = f"rank {first.number}"
        for what in ("number", "ran", "summary"):
            if getattr(first, what) != getattr(second, what):
                found.append(f"{where}: {what}: {getattr(first, what)}, {getattr(second, what)}")
        for test in sorted(first.outcomes.keys() | second.outcomes.keys()):
            pair = [each.outcomes.get(test, "not run") for each in (first, second)]
            if pair[0] != pair[1]:
                found.append(f"{where}: {test}: {pair[0]}, {pair[1]}")
    return found


def run(family, ranks, modules, wrapper, scratch, before=(), **environment):
    """One run of the suite's `modules`, or of all modules if none is named. `before` is the script that runs the suite, if it is not its own."""
    chosen = [word for name in modules for word in ("-i", name + "[.]py")]
    # All ranks print at the same time: each has a file of its own, because otherwise their lines would mix.
    told = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    apart = ["sh", "-c", 'exec "$@" 2> "$0/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"', told]
    result = family.run(ranks, [*apart, *wrapper, *family.python, *before, MAIN, "-v", *chosen], timeout=3600, **families.MPICH_YIELDS, **environment)
    texts = [log.read_text(errors="replace") for log in sorted(told.iterdir())]
    if os.environ.get("TOPOWISE_SUITE_LOG"):
        log = pathlib.Path(os.environ["TOPOWISE_SUITE_LOG"] + ("-wrapped" if wrapper else "-alone"))
        log.write_text(result.stdout + result.stderr + "".join(texts))
    return Run(result.returncode, sorted(map(rank_of, texts), key=lambda rank: rank.number), result.stderr + "".join(texts))


def run_alone(test, modules, ranks, before=(), **environment):
    """The result of a run alone; it runs once for all comparisons."""
    key = test.family.name, ranks, *before, *modules
    if key in ALONE:
        return ALONE[key]
    alone = run(test.family, ranks, modules, [], test.scratch, before, **environment)
    for one in alone.ranks:
        print(f"{test.family.name}: mpi4py's suite alone, rank {one.number}: {one.ran} tests, {one.summary}", flush=True)
    test.assertEqual([rank.number for rank in alone.ranks], list(range(ranks)), f"the suite did not run:\n{alone.errors}")
    for one in alone.ranks:
        test.assertEqual(len(one.summary), 1, "the suite did not end")
        test.assertGreater(one.ran[0], 100)
        test.assertGreaterEqual(len(one.outcomes), one.ran[0], "not every test has an outcome")
    ALONE[key] = alone
    return alone


def compare(test, modules, ranks, wrapper, before=(), **environment):
    """Checks that the suite gives the same alone and with `wrapper` before the command, test by test, on each rank. Returns the second run."""
    test.need(MAIN.exists(), "mpi4py's source is not there: tools/install-deps.sh test")
    if test.family.name == "openmpi4":
        test.skipTest("Debian's mpi4py is another version than the suite's source")
    alone = run_alone(test, modules, ranks, before, **environment)
    other = run(test.family, ranks, modules, wrapper, test.scratch, before, **environment)
    differ = differences(alone, other)
    test.assertEqual(differ, [], "alone, then with the library:\n" + "\n".join(differ))
    return other
