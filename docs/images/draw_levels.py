#!/usr/bin/env python3
"""Draws how many bytes cross each level of a machine, in the default order and as mapped.

usage: draw_levels.py TOPOWISE TRAFFIC TOPOLOGY > levels.svg

Runs `TOPOWISE traffic`, `topology` and `map` with --json and adds up what they say.
"""

import json
import subprocess
import sys

WIDTH, ROW, LEFT, BAR = 720, 64, 120, 440
DEFAULT, MAPPED, INK = "#c8553d", "#2a7f62", "#333333"


def ask(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--json"], check=True, capture_output=True, text=True).stdout)


def bytes_by_level(traffic, level, places):
    total = {}
    for entry in traffic["entries"]:
        a, b = places[entry["source"]], places[entry["destination"]]
        if a != b:
            total[level[a][b]] = total.get(level[a][b], 0) + entry["bytes"]
    return total


def text(x, y, words, size=14, anchor="start", fill=INK):
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{fill}">{words}</text>'


def bar(y, share, colour, label):
    length = BAR * share
    return [f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="20" fill="{colour}"/>', text(LEFT + length + 8, y + 15, label, 13)]


def draw(title, names, default, mapped):
    whole = sum(default.values())
    height = 60 + ROW * len(names) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>', text(20, 30, title, 16)]
    for row, name in enumerate(names):
        y = 52 + ROW * row
        out.append(text(LEFT - 12, y + 26, name, 14, "end"))
        for offset, colour, part in ((0, DEFAULT, default), (22, MAPPED, mapped)):
            amount = part.get(row, 0)
            out += bar(y + offset, amount / whole, colour, f"{100 * amount / whole:.1f} %  ({amount / 1e6:.1f} MB)")
    out += [f'<rect x="{LEFT}" y="{height - 26}" width="14" height="14" fill="{DEFAULT}"/>', text(LEFT + 20, height - 14, "rank i on GPU i", 13),
            f'<rect x="{LEFT + 160}" y="{height - 26}" width="14" height="14" fill="{MAPPED}"/>', text(LEFT + 180, height - 14, "mapped by topowise", 13), "</svg>"]
    return "\n".join(out)


def main():
    program, traffic_argument, topology_argument = sys.argv[1:4]
    traffic = ask(program, "traffic", traffic_argument)
    level = ask(program, "topology", topology_argument, "--matrix", "level")["matrix"]
    mapping = ask(program, "map", traffic_argument, topology_argument)
    classes = ["one PCIe switch", "two switches", "host bridge", "across sockets"]
    count = 1 + max(max(row) for row in level)
    names = [f"{words}" for words in classes] if count == len(classes) else [f"level {i}" for i in range(count)]
    identity = list(range(mapping["ranks"]))
    title = f"Bytes of a recorded halo exchange by the wires that they cross: {100 * mapping['gain']:.1f} % less hop-bytes"
    print(draw(title, names, bytes_by_level(traffic, level, identity), bytes_by_level(traffic, level, mapping["places"])))


if __name__ == "__main__":
    main()
