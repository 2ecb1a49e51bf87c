#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables that tools/figures.py writes have the form of what the programs print: the columns of a head in their source, and as many cells in each row."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

import figures

PRINTED = """machine: some
| a | b |
| --- | --: |
| 1 | 2 |
| a | b |
| --- | --: |
| 3 | 4 |
"""


def sources():
    """Program of bench/ -> its source."""
    for lists in (ROOT / "bench").rglob("CMakeLists.txt"):
        for program, source in re.findall(r"add_executable\((\w+) (\w+\.cpp)\)", lists.read_text(encoding="utf-8")):
            yield program, (lists.parent / source).read_text(encoding="utf-8")


def heads(source):
    """The heads of tables that a source prints, as far as they are literal: the columns of each."""
    joined = re.sub(r'"\s*\n\s*"', "", source)
    return [[cell.strip() for cell in text.replace("\\n", "").strip("| ").split("|")] for text in re.findall(r'"(\| [^"{}]*\|)(?:\\n)?"', joined) if "---" not in text]


class Figures(unittest.TestCase):
    def test_pages_have_the_form_of_what_is_printed(self):
        programs = dict(sources())
        seen = 0
        for page in sorted((ROOT / "docs").rglob("*.md")):
            for block in figures.BLOCK.finditer(page.read_text(encoding="utf-8")):
                program = block["command"].split()[0]
                with self.subTest(page=page.name, program=program):
                    for table in figures.tables(block["tables"]):
                        known = heads(programs[program])
                        self.assertTrue(any(table[0][: len(head)] == head for head in known), f"{table[0]} is none of {known}")
                        self.assertEqual({len(row) for row in table}, {len(table[0])})
                        self.assertGreater(len(table), 2)
                        seen += 1
        self.assertGreaterEqual(seen, 3)

    def test_tables_are_replaced_and_nothing_else(self):
        page = "# P\n\n<!-- figures: x --all -->\n\n| old |\n\n<!-- end of figures -->\n\nText | with a bar.\n"
        asked = []
        new = figures.written(page, lambda command: asked.append(command) or PRINTED)
        self.assertEqual(asked, ["x --all"])
        self.assertEqual(new, "# P\n\n<!-- figures: x --all -->\n\n| a | b |\n| --- | --: |\n| 1 | 2 |\n\n| a | b |\n| --- | --: |\n| 3 | 4 |\n\n<!-- end of figures -->\n\n"
                              "Text | with a bar.\n")
        self.assertEqual(figures.written(new, lambda command: PRINTED), new)


if __name__ == "__main__":
    unittest.main()
