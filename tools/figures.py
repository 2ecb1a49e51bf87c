#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of the documentation that a program of bench/ prints.

    figures.py BUILD_DIR [PAGE ...]

Between `<!-- figures: PROGRAM ARGUMENTS -->` and `<!-- end of figures -->` a page of docs/ holds the tables that BUILD_DIR/bin/PROGRAM prints, and
nothing else. `make figures` builds the programs and runs this. Figures are for the machine that it runs on: look at the text around a table.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- figures: (?P<command>[\w ./:-]+) -->\n)(?P<tables>.*?)(<!-- end of figures -->)", re.S)


def tables(text):
    """[[row, ...], ...]: the tables of Markdown in a text, each a list of rows of cells. A table begins with the line above |---|."""
    found = []
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            continue
        begins = number + 1 < len(lines) and re.fullmatch(r"\|(?: ?:?-+:? ?\|)+", lines[number + 1])
        if begins or not found:
            found.append([])
        found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def markdown(of):
    return "\n\n".join("\n".join("| " + " | ".join(row) + " |" for row in table) for table in of) + "\n"


def written(page, run):
    """The page with what the programs print now. `run` gives what a command prints."""
    return BLOCK.sub(lambda block: f"{block[1]}\n{markdown(tables(run(block['command'])))}\n{block[4]}", page)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    programs = pathlib.Path(sys.argv[1]) / "bin"

    def run(command):
        name, *words = command.split()
        return subprocess.run([programs / name, *words], check=True, stdout=subprocess.PIPE, text=True).stdout

    pages = [pathlib.Path(page) for page in sys.argv[2:]] or sorted((ROOT / "docs").rglob("*.md"))
    for page in pages:
        before = page.read_text(encoding="utf-8")
        if BLOCK.search(before):
            print(page, flush=True)
            page.write_text(written(before, run), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
