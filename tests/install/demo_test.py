#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`make demo`: a shell that is given the commands that it prints does the same:  demo_test.py SOURCES BUILD_DIR"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCES, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])


class Demo(unittest.TestCase):
    def test_the_commands_are_those_that_it_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            variables = os.environ | {"TOPOWISE_DEMO_OUTPUT": f"{folder}/with a blank"}
            demo = subprocess.run([SOURCES / "examples" / "demo.py", BUILD], cwd=folder, env=variables, capture_output=True, text=True, check=False)
            if demo.returncode == 4 and "TOPOWISE_REQUIRE_ALL" not in os.environ:
                self.skipTest(demo.stderr)
            self.assertEqual(demo.returncode, 0, demo.stdout + demo.stderr)
            lines = demo.stdout.splitlines()
            commands = [line[2:] for line in lines if line.startswith("$ ")]
            self.assertEqual(len(commands), 3, demo.stdout)
            typed = subprocess.run(["bash", "-euc", "\n".join(commands)], cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(typed.returncode, 0, typed.stdout + typed.stderr)
            (shown,) = [line for line in lines if line.startswith("16 ranks as 4x4")]
            self.assertIn(shown, typed.stdout.splitlines())
            # On a busy machine the clock may end one of the two searches earlier.
            shown, found = (float(re.search(r"^predicted time ([\d.]+) us: ", text, re.M)[1]) for text in (demo.stdout, typed.stdout))
            self.assertLess(abs(shown - found), 0.1 * found)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
