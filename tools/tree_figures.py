#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what docs/decisions/fuller-files.md says of the size and the shape of topowise/, as rows of a table.

    tree_figures.py [REVISION ...]

Counts each revision of git (without one, the working tree's files that git knows), tests aside. A user of a header is a file that includes it; the
header's own source does not count. A recipe touches the files of its patch in tests/recipes.
"""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = (".cpp", ".hpp", ".c", ".h", ".cu", ".hip")


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def texts(revision):
    """The text of each file of topowise/ without tests, and of each patch of a recipe, by name."""
    kept = lambda name: name.startswith("topowise/") and name.endswith(CODE) and "_test." not in name or name.startswith("tests/recipes/") and name.endswith(".patch")
    if revision is None:
        return {name: (ROOT / name).read_text(encoding="utf-8") for name in git("ls-files").splitlines() if kept(name)}
    return {name: git("show", f"{revision}:{name}") for name in git("ls-tree", "-r", "--name-only", revision).splitlines() if kept(name)}


def figures(revision):
    """{what: number}, in the order of the table."""
    files = texts(revision)
    recipes = {name: text for name, text in files.items() if name.endswith(".patch")}
    code = {name: text for name, text in files.items() if name not in recipes}
    users = collections.defaultdict(set)
    for name, text in code.items():
        for header in re.findall(r"#include <(topowise/[^>]+)>", text):
            if header.removesuffix(".hpp") != name.removesuffix(".cpp"):
                users[header].add(name)
    headers = [name for name in code if name.endswith(".hpp")]
    inner = [name for name in headers if name.count("/") > 1]  # the others are for users of the library
    found = {"lines": sum(text.count("\n") for text in code.values()), "files": len(code), "headers": len(headers),
             "headers with one user or none": sum(len(users[name]) < 2 for name in inner),
             "longest file": max(text.count("\n") for text in code.values())}
    for name, text in sorted(recipes.items()):
        found[f"files of {pathlib.Path(name).stem}"] = len(re.findall(r"^diff --git ", text, re.M))
    return found


def main():
    columns = [figures(revision) for revision in sys.argv[1:] or [None]]
    print("| | " + " | ".join(sys.argv[1:] or ["working tree"]) + " |\n| --- |" + " --- |" * len(columns))
    for what in dict.fromkeys(what for column in columns for what in column):
        cells = (f"{column[what]:,}" if what in column else "-" for column in columns)
        print(f"| {what} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
