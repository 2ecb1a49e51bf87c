#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs stages of tests one after the other. Then prints how long each took, what was skipped, and what passed and failed in all.

  tools/test_stages.py [--times N] STAGE...

A stage is a target of the Makefile. ctest writes its tests to build/results/STAGE.xml; a stage that writes no such file counts
as one test. If a stage fails, the other stages still run. The exit status is 1 if anything failed.
"""
import argparse
import collections
import dataclasses
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
RESULTS = ROOT / "build" / "results"
# The words by which test programs say that something was not tried: those of unittest, and of this project's runners and test cases.
LEFT_OUT = re.compile(r"^.*(?:\bskipped ['\"]|SKIP(?:PED)?\b|not checked: ).*$", re.MULTILINE)


@dataclasses.dataclass
class Outcome:
    seconds: float = 0
    passed: int = 0
    failed: list = dataclasses.field(default_factory=list)
    left_out: list = dataclasses.field(default_factory=list)


def tests_of(file, outcome):
    for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        outcome.left_out += [f"{case.get('name')}: {line.strip()}" for line in LEFT_OUT.findall(output)]
        if case.get("status") == "run":
            outcome.passed += 1
        elif (skipped := case.find("skipped")) is not None and skipped.get("message", "").startswith("SKIP"):
            outcome.left_out.append(f"{case.get('name')}: {skipped.get('message')}")
        else:
            outcome.failed.append(case.get("name"))


def run(stage):
    print(f"==== {stage}", flush=True)
    for old in (RESULTS / f"{stage}.xml", RESULTS / f"{stage.replace('test-', 'run-')}.xml"):
        old.unlink(missing_ok=True)
    start = time.monotonic()
    status = subprocess.run(["make", "--no-print-directory", stage], cwd=ROOT, check=False).returncode
    outcome = Outcome(seconds=time.monotonic() - start)
    written = [file for file in (RESULTS / f"{stage}.xml", RESULTS / f"{stage.replace('test-', 'run-')}.xml") if file.exists()]
    if written:
        tests_of(written[0], outcome)
    if status != 0 and not outcome.failed:
        outcome.failed.append(f"{stage} itself (exit status {status})")
    elif not written and status == 0:
        outcome.passed += 1
    return outcome


def summary(outcomes, times):
    """Prints the last lines, which a person reads; gives the number of failures."""
    left_out = collections.Counter(line for _, outcome in outcomes for line in outcome.left_out)
    if left_out:
        print("\nnot tried:")
        for line in sorted(left_out):
            print(f"  {line}")
    failures = collections.Counter(f"{stage}: {name}" for stage, outcome in outcomes for name in outcome.failed)
    if failures:
        print("\nfailed:" if times == 1 else f"\nfailed, of {times} times:")
        for name, count in failures.most_common():
            print(f"  {name}" if times == 1 else f"  {count} {name}")
    print(f"\n{'stage':16} {'seconds':>8} {'passed':>7} {'failed':>7}")
    for stage, outcome in outcomes:
        print(f"{stage:16} {outcome.seconds:8.0f} {outcome.passed:7} {len(outcome.failed):7}")
    print(f"{'in all':16} {sum(outcome.seconds for _, outcome in outcomes):8.0f}")
    failed = sum(failures.values())
    print(f"{sum(outcome.passed for _, outcome in outcomes)} passed, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1, metavar="N", help="all stages, N times over")
    parser.add_argument("stages", nargs="+", metavar="STAGE")
    given = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    outcomes = [(stage, run(stage)) for _ in range(given.times) for stage in given.stages]
    return 1 if summary(outcomes, given.times) else 0


if __name__ == "__main__":
    sys.exit(main())
