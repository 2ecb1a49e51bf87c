# SPDX-License-Identifier: BSD-3-Clause
"""Starts the program when a user calls `topowise` from PATH. The program lies in the package `topowise`, beside its preloaded library.

This is a package of its own, so the program starts without importing NumPy.
"""

import importlib.util
import os
import sys


def main() -> None:
    """Replaces this process by the program."""
    found = importlib.util.find_spec("topowise")
    if found is None or not found.submodule_search_locations:
        sys.exit(f"topowise: error: the package topowise is not installed for {sys.executable}")
    program = os.path.join(found.submodule_search_locations[0], "bin", "topowise")
    os.execv(program, ["topowise", *sys.argv[1:]])
