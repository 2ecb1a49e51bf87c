#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the default objective gains over hop-bytes: `topowise map` with and without --objective hop-bytes, on the exchanges of eight ranks and on the
microbenchmarks of Faraji et al. (AsHES 2016). Ends with an error where a mapping takes longer than the one for hop-bytes, or where `map` prints other
numbers than `evaluate` finds.

    default_objective.py TOPOWISE            prints the table
    default_objective.py TOPOWISE --write    writes it into docs/decisions/predicted-time-by-default.md
    default_objective.py TOPOWISE --check    compares the quick rows with those of the page
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "decisions" / "predicted-time-by-default.md"
BLOCK = re.compile(r"(<!-- bench/quality/default_objective.py: begin -->\n)(.*?)(<!-- bench/quality/default_objective.py: end -->)", re.S)
EIGHT = ("stencil2d:4x2", "stencil2d:4x2:w=3", "torus2d:4x2", "torus3d:2x2x2", "hypercube:3")
SIXTEEN = ("stencil2d:4x4", "torus2d:4x4", "torus3d:4x2x2", "hypercube:4")
SIZES = {"1KiB": "1 KiB", "1MiB": "1 MiB", "16MiB": "16 MiB"}
HEAD = ["| machine | pattern | message | default | for hop-bytes |", "| --- | --- | --- | --- | --- |"]


def cases(quick):
    """(machine, pattern, size of a message). All rows of eight ranks are quick: the search looks at every mapping."""
    for machine in ("helios-k80", "l40s-8"):
        yield from ((machine, pattern, "1MiB") for pattern in EIGHT)
    for weight in (1, 3):
        for pattern in SIXTEEN:
            heavy = f":w={weight}:heavy=0" if weight > 1 else ""
            yield from (("helios-k80", pattern + heavy, size) for size in SIZES if not quick)


class Program:
    def __init__(self, path, folder):
        self.path = path
        self.file = str(Path(folder) / "mapping")

    def json(self, *words):
        return json.loads(subprocess.run([self.path, *words, "--json"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)

    def mapped(self, question, *options):
        """What `map` prints, and what `evaluate` finds."""
        return self.json("map", *question, *options, "--save", self.file), self.json("evaluate", *question, "--mapping", self.file)


def amount(seconds, hop_bytes):
    time = f"{1e6 * seconds:,.3g} us" if seconds < 1e-4 else f"{1e6 * seconds:,.0f} us" if seconds < 1e-2 else f"{1e3 * seconds:.1f} ms"
    unit, size = next((unit, size) for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)) if hop_bytes >= size)
    return f"{time}, {hop_bytes / size:.3g} {unit}"


def row(program, machine, pattern, size):
    question = (f"pattern:{pattern}:bytes={size}", f"preset:{machine}")
    printed, found = program.mapped(question)
    near, of_near = program.mapped(question, "--objective", "hop-bytes")
    where = f"{pattern} of {size} on {machine}"
    close = 1 + 1e-9
    assert printed["objective"] == "predicted-time", where
    assert found["predicted_time_s"] <= of_near["predicted_time_s"] * close, f"{where}: slower than the mapping for hop-bytes"
    assert abs(printed["cost"] - found["predicted_time_s"]) <= 1e-9 * printed["cost"], f"{where}: another time than evaluate finds"
    hops = printed["hop_bytes"]
    assert abs(hops["cost"] - found["hop_bytes"]) <= 1e-9 * hops["cost"], f"{where}: other hop-bytes than evaluate finds"
    # What is printed, cost and lower bound, is how far the mapping can be above any other.
    assert hops["lower_bound"] <= near["cost"] * close, f"{where}: a bound above a mapping"
    assert hops["cost"] - of_near["hop_bytes"] <= (hops["cost"] - hops["lower_bound"]) * close, where
    cells = (amount(numbers["predicted_time_s"], numbers["hop_bytes"]) for numbers in (found, of_near))
    return f"| `{machine}` | `{pattern}` | {SIZES[size]} | {' | '.join(cells)} |"


def main():
    program, *options = sys.argv[1:]
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(Program(program, folder), *case) for case in cases("--check" in options)]
    if "--check" in options:
        missing = [each for each in rows if each not in page.splitlines()]
        for each in missing:
            print(f"{PAGE.name} has no row\n  {each}", file=sys.stderr)
        return 1 if missing else 0
    text = "\n".join([*HEAD, *rows]) + "\n"
    if "--write" in options:
        PAGE.write_text(BLOCK.sub(lambda block: f"{block[1]}\n{text}\n{block[3]}", page), encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
