#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/cli.md, the contract, names every verb, option, launcher, topic and key of JSON.

  contract_test.py TOPOWISE
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

CONTRACT = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
WITHOUT_JSON = {"report", "run", "help", "completion"}


# What prints JSON, and the words by which the contract's section on JSON begins to speak of it.
PRINTED = {
    "topology --list": "topology --list --json", "map --mapper list": "map --mapper list --json", "topology preset:dgx1-v100": "topology --json",
    "topology preset:dgx1-v100 --explain 0 1": "topology --json", "topology preset:helios-k80 --matrix latency": "topology --json",
    "traffic pattern:ring:4": "traffic --json", "traffic pattern:ring:4 --matrix messages": "traffic --json", "map pattern:ring:4 preset:dgx1-v100": "map --json",
    "map pattern:ring:4 tree:2:2": "map --json", "evaluate pattern:ring:4 preset:dgx1-v100": "evaluate --json",
    "predict pattern:ring:4 preset:cs-storm-t1 --explain --factors": "predict --json", "schedule pattern:ring:4 preset:dgx1-v100 --enumerate": "schedule --json",
    "bench list": "bench list --json", "bench stencil2d --ranks 4 --sizes 4KiB": "bench list --json", "bench allreduce --explain": "bench allreduce --explain --json",
    "bench halo-orders --halo 2x4": "bench halo-orders --json", "bench halo-sequence": "bench halo-sequence --json", "doctor": "doctor --json",
    "probe --device host --topology tree:2 --sizes 4KiB --repetitions 2": "probe --json",
}


def keys_in(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)


def says(*words):
    return subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True).stdout


def names_below(heading, text):
    """The first words of the indented lines below a heading."""
    block = re.search(rf"^{heading}\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  ([a-z-]+)", block.group(1), re.MULTILINE)


class Contract(unittest.TestCase):
    def assert_named(self, name, kind):
        found = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", CONTRACT)
        self.assertTrue(found, f"docs/cli.md does not name the {kind} '{name}'")

    def test_verbs_and_their_options(self):
        verbs = names_below("verbs", says("help"))
        self.assertIn("map", verbs)
        for verb in verbs:
            self.assert_named(verb, "verb")
            options = set(re.findall(r"^\s+(?:-\w, )?(--[a-z-]+)", says(verb, "--help"), re.MULTILINE))
            for option in sorted(options):
                self.assert_named(option, f"option of {verb}")
            self.assertEqual("--json" in options, verb not in WITHOUT_JSON, verb)

    def test_keys_of_json(self):
        items = re.split(r"\n- ", CONTRACT[CONTRACT.index("## JSON"):])
        for command, marker in PRINTED.items():
            said = " ".join(" ".join(re.findall("`([^`]*)`", item)) for item in items if f"`{marker}`" in item)
            for key in sorted(set(keys_in(json.loads(says(*command.split(), "--json")))) - {"schema"}):
                with self.subTest(command=command, key=key):
                    self.assertRegex(said, rf"(?<![\w-]){re.escape(key)}(?![\w-])")

    def test_launchers(self):
        launchers = re.findall(r"^  ([a-z-]+)(?: |$)", says("help", "launchers"), re.MULTILINE)
        self.assertIn("openmpi-rankfile", launchers)
        for launcher in launchers:
            self.assert_named(launcher, "launcher")

    def test_formats(self):
        formats = re.findall(r"^  ([a-z][a-z0-9-]+)  ", says("help", "formats"), re.MULTILINE)
        self.assertIn("nsight", formats)
        self.assertIn("ibnetdiscover", formats)
        for name in formats:
            self.assertIn(f"`{name}`", CONTRACT, "a format of 'topowise help formats'")

    def test_topics(self):
        listed = re.search(r"`topowise help TOPIC` \(([^)]*)\)", CONTRACT).group(1)
        self.assertEqual(sorted(re.split(r",\s+", listed)), sorted(names_below("topics", says("help"))))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
