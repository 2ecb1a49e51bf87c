#!/usr/bin/env python3
"""Draws how many bytes of the demo cross which wires, in the default order and as mapped. After `make demo`:

    docs/images/draw_levels.py build/release/bin/topowise demo-output > docs/images/levels.svg

Colours follow the reader's preference for light or dark.
"""

import json
import subprocess
import sys

WIDTH, ROW, LEFT, BAR, TOP = 720, 62, 190, 400, 76
WIRES = {"PIX": "one PCIe switch", "NODE": "one socket", "SYS": "across sockets", "NET1": "between the servers"}
STYLE = """
  text { fill: #24292f; font: 14px system-ui, sans-serif; }
  .title { font-size: 17px; font-weight: 600; } .note { fill: #57606a; }
  .default { fill: #c8553d; } .mapped { fill: #2a7f62; } .page { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .note { fill: #9da7b1; } .default { fill: #e07a5f; } .mapped { fill: #4fb08c; } .page { fill: #0d1117; }
  }
"""


def ask(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--json"], check=True, capture_output=True, text=True).stdout)


def bytes_by_level(traffic, level, places):
    total = {}
    for entry in traffic["entries"]:
        a, b = places[entry["source"]], places[entry["destination"]]
        if a != b:
            total[level[a][b]] = total.get(level[a][b], 0) + entry["bytes"]
    return total


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{words}</text>'


def bar(y, share, kind):
    length = BAR * share
    return [f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="20" rx="2" class="{kind}"/>', text(LEFT + length + 8, y + 15, f"{100 * share:.0f} %")]


def draw(title, note, names, default, mapped):
    whole = sum(default.values())
    height = TOP + ROW * len(names) + 34
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">', f"<style>{STYLE}</style>",
           f'<rect width="{WIDTH}" height="{height}" class="page"/>', text(20, 30, title, "title"), text(20, 53, note, "note")]
    for row, name in enumerate(names):
        y = TOP + ROW * row
        out.append(text(LEFT - 12, y + 26, name, anchor="end"))
        for offset, kind, part in ((0, "default", default), (22, "mapped", mapped)):
            out += bar(y + offset, part.get(row, 0) / whole, kind)
    for x, kind, words in ((LEFT, "default", "before: rank i on GPU i"), (LEFT + 200, "mapped", "after: mapped by topowise")):
        out += [f'<rect x="{x}" y="{height - 30}" width="14" height="14" rx="2" class="{kind}"/>', text(x + 20, height - 18, words)]
    return "\n".join(out + ["</svg>"])


def main():
    program, folder = sys.argv[1:3]
    profile, machine, mapping = f"{folder}/halo.traffic", f"{folder}/two-servers.json", f"{folder}/mapping.json"
    traffic = ask(program, "traffic", profile)
    levels = ask(program, "topology", machine, "--matrix", "level")
    with open(mapping, encoding="utf-8") as file:
        places = json.load(file)["places"]
    before, after = (ask(program, "evaluate", profile, machine, "--mapping", name)["predicted_time_s"] for name in ("identity", mapping))
    title = "Which wires the bytes of a recorded halo exchange cross"
    note = f"16 ranks on two servers with 8 L40S each: an exchange is predicted to be {before / after:.1f}x faster"
    names = [WIRES[level["class"]] for level in levels["levels"]]
    print(draw(title, note, names, bytes_by_level(traffic, levels["matrix"], range(traffic["ranks"])), bytes_by_level(traffic, levels["matrix"], places)))


if __name__ == "__main__":
    main()
