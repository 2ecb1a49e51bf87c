#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the measurements of `allreduce.sh run` as Markdown tables, and whether the goals are met:  bench/gpu/tables.py RESULTS"""

import collections
import json
import pathlib
import sys

KIB, MIB = 1 << 10, 1 << 20
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


def main(folder):
    found, devices = measured_in(folder)
    if not found:
        sys.exit(f"{folder}: no measurement is there")
    print("Device: " + ", ".join(sorted(devices)) + ". Mean time of a call, as the OSU micro-benchmarks measure it.")
    if any(device.startswith("SIMULATED") for device in devices):
        print("\n**Acted out: these are no figures of a GPU.**")
    for (mps, ranks), algorithms in sorted(found.items()):
        print(f"\n### {ranks} ranks, {'with' if mps else 'without'} MPS\n")
        print("\n".join(table_of(algorithms)) + "\n")
        for goal, sizes, missed in goals_of(algorithms):
            verdict = "not measured" if not sizes else "met" if not missed else "not met at " + ", ".join(map(amount, missed))
            print(f"- {OURS} {goal}: {verdict}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
