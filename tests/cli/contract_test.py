#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/cli.md, the contract, names every verb, option, launcher and topic of the program.

  contract_test.py TOPOWISE
"""
import pathlib
import re
import subprocess
import sys
import unittest

CONTRACT = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
WITHOUT_JSON = {"report", "run", "help", "completion"}


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

    def test_launchers(self):
        launchers = re.findall(r"^  ([a-z-]+)(?: |$)", says("help", "launchers"), re.MULTILINE)
        self.assertIn("openmpi-rankfile", launchers)
        for launcher in launchers:
            self.assert_named(launcher, "launcher")

    def test_topics(self):
        listed = re.search(r"`topowise help TOPIC` \(([^)]*)\)", CONTRACT).group(1)
        self.assertEqual(sorted(re.split(r",\s+", listed)), sorted(names_below("topics", says("help"))))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
