#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each row of a page of docs/papers has its quick form in the transcript of the same name here, and the other way round."""
import os
import re
import unittest
from pathlib import Path

HERE = Path(__file__).parent
PAGES = HERE.parent.parent / "docs" / "papers"
PROGRAMS = ("topowise ", "bench/", "published_test ")  # a reader types whole commands, not only the words that differ from another command


def rows_of(page):
    """The first cells of the tables whose first column is 'row'."""
    rows, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif cells[0] == "row":
            inside = True
        elif inside and not re.fullmatch(r"-+", cells[0]):
            rows.append((cells[0], cells))
    return rows


def rows_with_commands(transcript):
    """The names of 'Row: NAME' lines, with the lines of the commands that follow each."""
    rows = {}
    name = None
    for line in transcript.read_text(encoding="utf-8").splitlines():
        begin = re.fullmatch(r"Row: (.+)", line)
        if begin:
            name = begin.group(1)
            assert name not in rows, f"{transcript.name}: {name} stands there twice"
            rows[name] = []
        elif name and line.startswith(("  $ ", "  > ")):
            rows[name].append(line[4:])
    return rows


class Rows(unittest.TestCase):
    def test_every_row_has_its_quick_form(self):
        for transcript in sorted(HERE.glob("*.t")):
            with self.subTest(transcript.name):
                page = PAGES / (transcript.stem + ".md")
                rows = rows_of(page)
                tried = rows_with_commands(transcript)
                self.assertGreater(len(rows), 0)
                self.assertEqual([name for name, _ in rows], list(tried), "rows of the page, and of the transcript")
                for name, cells in rows:
                    commands = "\n".join(tried[name])
                    self.assertTrue(commands, name)
                    self.assertNotRegex(commands, r"(^|\s)(--help|-h)\b", f"{name}: a help text is no run")
                    for script in re.findall(r"`(bench/\S+?)[ `]", cells[2] + " "):
                        self.assertIn(script, commands, f"{name}: what the row names is what is tried")
                        self.assertTrue(os.access(HERE.parent.parent / script, os.X_OK), f"{name}: {script} cannot be started as it is typed")

    def test_every_page_has_a_transcript(self):
        self.assertEqual(sorted(p.stem for p in PAGES.glob("*.md")), sorted(t.stem for t in HERE.glob("*.t")))

    def test_every_row_says_what_it_gave(self):
        for transcript in sorted(HERE.glob("*.t")):
            for name, cells in rows_of(PAGES / (transcript.stem + ".md")):
                with self.subTest(f"{transcript.stem}, {name}"):
                    self.assertEqual(len(cells), 5, cells)
                    self.assertTrue(all(cells), cells)
                    self.assertRegex(cells[2], "`[^`]+`", "a command")
                    for command in re.findall("`([^`]+)`", cells[2]):
                        self.assertTrue(command.startswith(PROGRAMS), f"'{command}' cannot be typed")
                    self.assertRegex(cells[3], r"predicted|computed|simulated|measured", "of what kind it is")


if __name__ == "__main__":
    unittest.main()
