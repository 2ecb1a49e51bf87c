#!/usr/bin/env python3
"""The laws of docs/architecture.md, as a test.

usage: check_laws.py [ROOT]

Prints every breach as FILE:LINE: WHAT, and exits 1 if there is one. Each law is one file in tools/laws/. The layers, folders,
families and limits are in tools/laws/structure.py.
"""

import pathlib
import statistics
import sys

from laws import circles, clocks, documented, families, files, included, interposed, layers, lengths, paged, platforms, pure, registered, sentences, twins, variables, words
from laws.tree import Tree

LAWS = [layers, circles, included, families, platforms, interposed, pure, lengths, twins, words, documented, paged, registered, variables, clocks, files, sentences]


def main():
    tree = Tree(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    found = [breach for law in LAWS for breach in law.breaches(tree)]
    if found:
        print("\n".join(found))
        return 1
    lines = [len(source.lines) for source in tree.sources] or [0]
    functions = [last - first + 1 for source in tree.product for first, last, _ in source.functions] or [0]
    print(f"{len(tree.sources)} files keep the laws; files: median {statistics.median(lines):.0f} lines, longest {max(lines)}; "
          f"functions: {len(functions)}, median {statistics.median(functions):.0f} lines, longest {max(functions)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
