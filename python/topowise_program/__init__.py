# SPDX-License-Identifier: BSD-3-Clause
"""What `topowise` on PATH starts: the program, which lies in the package beside its preloaded library.

A package of its own, so that the program starts without importing NumPy.
"""

import importlib.util
import os
import sys


def main() -> None:
    """Becomes the program."""
    found = importlib.util.find_spec("topowise")
    if found is None or not found.submodule_search_locations:
        sys.exit(f"topowise: error: the package topowise is not installed for {sys.executable}")
    program = os.path.join(found.submodule_search_locations[0], "bin", "topowise")
    os.execv(program, ["topowise", *sys.argv[1:]])
