#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the measurements of `allreduce.sh run` as Markdown tables, and whether the goals are met:

    bench/gpu/tables.py RESULTS [--write PAGE...] [--simulated]

With --write it puts them into pages of the documentation (docs/models/allreduce.md, docs/papers/eurompi2014.md), between their two marks, in the place of
what is there. Measurements of simulated GPUs are only written with --simulated."""

import argparse
import collections
import csv
import json
import pathlib
import re
import sys

KIB, MIB = 1 << 10, 1 << 20
BEGIN, END = "<!-- bench/gpu/tables.py: begin -->", "<!-- bench/gpu/tables.py: end -->"
OURS, BASELINE, PAPERS = "leader-fused", "staged-host", "shared-buffer"


def measured_in(folder):
    """{(MPS, ranks): {algorithm: {bytes: its row}}} and the devices' names. Rows that were wrong or that another algorithm computed are left out."""
    found, devices = collections.defaultdict(lambda: collections.defaultdict(dict)), set()
    for file in sorted(pathlib.Path(folder).glob("ranks-*.json")):
        measured = json.loads(file.read_text())
        devices.add(measured["device"])
        for algorithm in measured["algorithms"]:
            rows = {size["bytes"]: size for size in algorithm["sizes"] if algorithm["available"] and size["right"]}
            found[file.stem.endswith("-mps"), measured["ranks"]][algorithm["name"]].update(rows)
    return found, devices


def amount(bytes_):
    return next(f"{bytes_ // unit} {name}" for unit, name in ((MIB, "MiB"), (KIB, "KiB"), (1, "B")) if bytes_ >= unit)


def times_faster(algorithms, other, size):
    rows = [algorithms.get(name, {}).get(size) for name in (other, OURS)]
    return rows[0]["mean_s"] / rows[1]["mean_s"] if all(rows) else None


def table_of(algorithms):
    names = list(algorithms)
    yield "| | " + " | ".join(f"{name}, us" for name in names) + f" | {BASELINE} / {OURS} | {PAPERS} / {OURS} | share of the bound |"
    yield "| --- |" + " ---: |" * (len(names) + 3)
    for size in sorted({size for rows in algorithms.values() for size in rows}):
        cells = [f"{rows[size]['mean_s'] * 1e6:.1f}" if size in rows else "" for rows in algorithms.values()]
        cells += ["" if factor is None else f"{factor:.1f}" for factor in (times_faster(algorithms, other, size) for other in (BASELINE, PAPERS))]
        share = algorithms.get(OURS, {}).get(size, {}).get("bound_share")
        yield f"| {amount(size)} | " + " | ".join([*cells, "" if share is None else f"{100 * share:.0f} %"]) + " |"


def goals_of(algorithms):
    """Yields (goal, sizes that were measured for it, sizes at which it is not met)."""
    ours = algorithms.get(OURS, {})
    factor = {other: {size: times_faster(algorithms, other, size) for size in ours} for other in (BASELINE, PAPERS)}
    goals = (("at least 10 times as fast as staged-host from 1 MiB", lambda s: s >= MIB, lambda s: factor[BASELINE][s], lambda f: f >= 10),
             ("never slower than staged-host", lambda s: True, lambda s: factor[BASELINE][s], lambda f: f >= 1),
             ("at least twice as fast as shared-buffer from 4 MiB", lambda s: s >= 4 * MIB, lambda s: factor[PAPERS][s], lambda f: f >= 2),
             ("at least 70 % of the memory's bound from 16 MiB", lambda s: s >= 16 * MIB, lambda s: ours[s]["bound_share"], lambda f: f >= 0.7),
             ("at most 15 us up to 16 KiB", lambda s: s <= 16 * KIB, lambda s: ours[s]["mean_s"], lambda f: f <= 15e-6))
    for goal, is_meant, value_at, is_met in goals:
        values = {size: value_at(size) for size in sorted(ours) if is_meant(size) and value_at(size) is not None}
        yield goal, list(values), [size for size, value in values.items() if not is_met(value)]


def nccl_table(folder, found):
    """NCCL among all GPUs beside the fastest algorithm here with as many processes."""
    file = pathlib.Path(folder) / "nccl.csv"
    note, *lines = file.read_text().splitlines() if file.exists() else [""]
    rows = [row for row in csv.DictReader(lines) if row["right"] == "true" and row["mean_s"]]
    if not rows:
        return
    gpus = int(note.split()[1])
    yield f"\n### Beside NCCL, {note.removeprefix('# ')}\n"
    yield f"| | NCCL, us | fastest here, {gpus} processes, us | NCCL / fastest here |"
    yield "| --- | ---: | ---: | ---: |"
    for row in rows:
        size, theirs = int(row["bytes"]), float(row["mean_s"])
        here = [rows[size]["mean_s"] for rows in found.get((False, gpus), {}).values() if size in rows]
        cells = (f"{min(here) * 1e6:.1f}", f"{theirs / min(here):.2f}") if here else ("", "")
        yield f"| {amount(size)} | {theirs * 1e6:.1f} | {cells[0]} | {cells[1]} |"


def staging_tables(folder):
    """What users do without topowise: staging.c."""
    for file in sorted(pathlib.Path(folder).glob("staging-*.csv"), key=lambda file: int(file.stem.split("-")[1])):
        note, *lines = file.read_text().splitlines()
        rows = [row for row in csv.DictReader(lines) if row["right"] == "true"]
        yield f"\n### Staged by the program, {note.removeprefix('# ')}\n"
        yield "| | copied to the host and back, with MPI_Allreduce between, us | MPI_Allreduce on the GPU, us | staged / on the GPU |"
        yield "| --- | ---: | ---: | ---: |"
        for row in rows:
            staged, on_gpu = float(row["staged_s"]), float(row["on_gpu_s"])
            yield f"| {amount(int(row['bytes']))} | {staged * 1e6:.1f} | {on_gpu * 1e6:.1f} | {staged / on_gpu:.1f} |"


def text_of(folder, found, devices):
    yield "Device: " + ", ".join(sorted(devices)) + ". Mean time of a call, as the OSU micro-benchmarks measure it."
    if is_simulated(devices):
        yield "\n**Simulated: these are no figures of a GPU.**"
    for (mps, ranks), algorithms in sorted(found.items()):
        yield f"\n### {ranks} ranks, {'with' if mps else 'without'} MPS\n"
        yield "\n".join(table_of(algorithms)) + "\n"
        for goal, sizes, missed in goals_of(algorithms):
            verdict = "not measured" if not sizes else "met" if not missed else "not met at " + ", ".join(map(amount, missed))
            yield f"- {OURS} {goal}: {verdict}"
    yield from staging_tables(folder)
    yield from nccl_table(folder, found)


def is_simulated(devices):
    return any(device.startswith("SIMULATED") for device in devices)


def write(page, text):
    content = page.read_text()
    parts = re.split(f"({re.escape(BEGIN)}|{re.escape(END)})", content)
    if len(parts) != 5 or (parts[1], parts[3]) != (BEGIN, END):
        sys.exit(f"{page}: there must be one '{BEGIN}' and one '{END}' behind it")
    page.write_text("".join([*parts[:2], "\n", text, "\n", *parts[3:]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--write", nargs="+", metavar="PAGE", type=pathlib.Path, default=[])
    parser.add_argument("--simulated", action="store_true")
    arguments = parser.parse_args()
    found, devices = measured_in(arguments.results)
    if not found:
        sys.exit(f"{arguments.results}: no measurement is there")
    text = "\n".join(text_of(arguments.results, found, devices))
    print(text)
    if arguments.write and is_simulated(devices) and not arguments.simulated:
        sys.exit("these are no figures of a GPU: nothing was written (--simulated writes them)")
    for page in arguments.write:
        write(page, text)


if __name__ == "__main__":
    main()
