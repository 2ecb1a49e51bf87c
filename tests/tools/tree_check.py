"""Shared by the tests of the checks of a tree: a tree of a few files, which the program checks."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


class TreeCheck(unittest.TestCase):
    program = None  # in tools/

    def check(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            run = subprocess.run([sys.executable, TOOLS / self.program, root], capture_output=True, text=True, check=False)
            self.assertEqual(run.stderr, "")
            return run.returncode, run.stdout

    def assert_kept(self, files):
        status, out = self.check(files)
        self.assertEqual(status, 0, out)
        return out

    def assert_breach(self, files, text):
        status, out = self.check(files)
        self.assertEqual(status, 1, out)
        self.assertIn(text, out)
        return out
