# SPDX-License-Identifier: BSD-3-Clause
"""Real MPI jobs under recording, and the matrices that are read from their profiles."""

import collections
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile
import unittest

TOPOWISE = os.environ.get("TOPOWISE", str(pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/topowise"))
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


def read_traffic(directory, *options):
    """(bytes by pair, messages by pair, warnings) of a profile."""
    result = subprocess.run([TOPOWISE, "traffic", str(directory), "--json", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise AssertionError(f"topowise traffic {directory} {options}: {result.returncode}\n{result.stderr}")
    entries = json.loads(result.stdout)["entries"]
    size = {(e["source"], e["destination"]): e["bytes"] for e in entries if e["bytes"]}
    count = {(e["source"], e["destination"]): e["messages"] for e in entries if e["messages"]}
    return size, count, result.stderr


def host_in_parts(folder, host, *extents):
    """A description of `host` as a tree: extents[0] parts of extents[1] parts ...; the parts of the last level are places, and ranks can be reordered
    over them."""
    level = [host]
    links, vertices = [], [{"id": 0, "kind": "group", "name": host}]
    for extent in extents:
        level = [(f"{above}-{part}", above) for above in level for part in range(extent)]
        links += [{"from": a, "to": b, "kind": "abstract"} for part, above in level for a, b in ((part, above), (above, part))]
        vertices += [{"kind": "group", "name": part, "node": host, "parent": above} for part, above in level]
        level = [part for part, _ in level]
    machine = {"schema": "topowise.topology/1", "name": "parts of a host", "links": links, "vertices": vertices,
               "places": [{"kind": "slot", "vertex": part, "node": host} for part in level]}
    file = pathlib.Path(folder) / "parts.json"
    file.write_text(json.dumps(machine))
    return file


def host_in_halves(folder):
    """This host as two places far from each other, each with half of the ranks: ranks can be reordered between them."""
    return host_in_parts(folder, platform.node(), 2)


class Matrix(collections.Counter):
    """Bytes by (source, destination), added up by hand."""

    def around(self, ring, size, times=1):
        """Each member of `ring` sends to the next one, the last to the first."""
        for i, rank in enumerate(ring):
            self[rank, ring[(i + 1) % len(ring)]] += size * times

    def nonzero(self):
        return {pair: size for pair, size in self.items() if size}


class MpiTest(unittest.TestCase):
    """A test of one family of MPI libraries; run.py sets it."""

    family = None
    scratch = None
    maxDiff = 4000

    def need(self, there, lack):
        """Something that a machine may lack: without it the test is skipped, or fails where every test must run. (A test of something that a family of
        MPI libraries cannot do is always skipped.)"""
        if not there and os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
            self.fail(lack)
        if not there:
            self.skipTest(lack)

    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix=f"topowise-{cls.family.name}-"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch, ignore_errors=True)

    def program(self, source, *options, suffix=""):
        """A program of programs/, compiled once with this family's compiler."""
        output = self.scratch / (pathlib.Path(source).stem + suffix)
        if not output.exists():
            self.family.compile(PROGRAMS / source, output, *options)
        return output

    def record(self, ranks, command, expect=0, repeat=None, **environment):
        """Runs a job under recording. Returns its profile's directory and its result. `expect=None`: any exit status is good. Such a job, and one
        that is to fail, is not repeated unless `repeat` says so."""
        profile = pathlib.Path(tempfile.mkdtemp(dir=self.scratch)) / "run.traffic"
        result = self.family.run(ranks, [TOPOWISE, "run", "--profile", profile, "--", *command], repeat=expect == 0 if repeat is None else repeat, **environment)
        if expect is not None:
            self.assertEqual(result.returncode, expect, f"{command}\n{result.stdout}\n{result.stderr}")
        return profile, result

    def assert_matrix(self, profile, expected, *options):
        size, _, warnings = read_traffic(profile, *(options or ("--collectives", "none")))
        self.assertEqual(size, {pair: value for pair, value in expected.items() if value}, warnings)
        return warnings
