#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The runner of transcripts must itself be able to fail."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import run_transcripts as runner  # noqa: E402


def run(text, update=False):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.t"
        path.write_text(text)
        with contextlib.redirect_stdout(io.StringIO()):
            result = runner.run_file(path, Path("/bin/true"), Path("."), update)
        return result, path.read_text()


class Transcripts(unittest.TestCase):
    def test_output_and_status_must_agree(self):
        self.assertTrue(run("Hello:\n  $ echo a; exit 3\n  a\n  [3]\n")[0])
        self.assertFalse(run("  $ echo a\n  b\n")[0])
        self.assertFalse(run("  $ echo a\n")[0])
        self.assertFalse(run("  $ true\n  a\n")[0])
        self.assertFalse(run("  $ exit 2\n")[0])
        self.assertFalse(run("  $ true\n  [2]\n")[0])

    def test_patterns(self):
        self.assertTrue(run("  $ printf 'a1\\nb\\nc\\n'\n  a\\d (re)\n  ...\n  c\n")[0])
        self.assertTrue(run("  $ echo 'x [1] y'\n  x [1] * (glob)\n")[0])
        self.assertFalse(run("  $ echo ab\n  a\\d (re)\n")[0])
        self.assertFalse(run("  $ printf 'a\\nb\\n'\n  a\n  ...\n  c\n")[0])

    def test_long_commands_and_one_directory(self):
        self.assertTrue(run("  $ cat > f <<E\n  > one\n  > E\n  $ cat f\n  one\n")[0])

    def test_update_writes_what_came(self):
        result, text = run("Why.\n  $ echo a; exit 4\n  b\n", update=True)
        self.assertFalse(result)
        self.assertEqual(text, "Why.\n  $ echo a; exit 4\n  a\n  [4]\n")

    def test_missing_program_skips(self):
        self.assertIsNone(run("#requires no-such-program-anywhere\n  $ false\n")[0])


if __name__ == "__main__":
    unittest.main()
