#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The wrappers of the preloaded library take the parameters that the MPI libraries' own mpi.h declares: as many, of the same kinds.

No compiler sees both, because the product includes no header of MPI. The test reads the headers of Debian's packages, and of the libraries in
$TOPOWISE_MPI_VENVS. With TOPOWISE_REQUIRE_ALL a machine without any header fails.
"""
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import make_wrappers  # noqa: E402

DEBIAN = ["/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h", "/usr/include/x86_64-linux-gnu/mpich/mpi.h"]
VENVS = pathlib.Path(os.environ.get("TOPOWISE_MPI_VENVS", ROOT / ".deps" / "mpi"))
INTEGERS = {"MPI_Count", "MPI_Aint", "MPI_Offset"}


def headers():
    found = [pathlib.Path(path) for path in DEBIAN] + [VENVS / library / "include/mpi.h" for library in ("v-openmpi", "v-mpich", "v-impi")]
    return [path for path in found if path.exists()]


def kind_of(parameter):
    """The kind of a parameter in C: "pointer", "int", "count", "handle" or "..."."""
    words = re.sub(r"\b(const|struct)\b", "", parameter).strip()
    if words == "...":
        return "..."
    if "*" in words or "[" in words or re.match(r"MPI\w*_(function|fn)\b", words):
        return "pointer"
    first = words.split()[0]
    if first == "int":
        return "int"
    return "count" if first in INTEGERS | {"Count"} else "handle"


def parameters_of(text):
    text = text.strip()
    return [] if text in ("", "void") else [kind_of(part) for part in text.split(",")]


def declared(path):
    """Name -> kinds of the parameters, as the header declares them."""
    files = [path, *(other for other in [path.with_name("mpi_proto.h")] if other.exists())]  # MPICH has some of them in a second header
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*(?:\\\n[^\n]*)*", " ", "".join(file.read_text(errors="replace") for file in files), flags=re.DOTALL | re.MULTILINE)
    return {name: parameters_of(given) for name, given in re.findall(r"\bint\s+(MPIX?_\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*?)\)", text)}


def wrapped():
    """Name -> kinds of the parameters, as the wrapper takes them."""
    functions, large = make_wrappers.read(ROOT / "topowise/interpose/prototypes.txt")
    texts = [make_wrappers.c_wrapper(f, False)[1] for f in functions if "fortran" not in f.flags]
    texts += [make_wrappers.c_wrapper(f, True)[1] for f in functions if f.name in large and f.prefix == "MPI"]
    return {name: parameters_of(given) for text in texts for name, given in re.findall(r"TOPOWISE_EXPORT int (\w+)\(([^)]*)\)", text)}


class Prototypes(unittest.TestCase):
    def test_wrappers_take_what_headers_declare(self):
        ours = wrapped()
        self.assertGreater(len(ours), 200)
        found = headers()
        if not found:
            self.assertNotIn("TOPOWISE_REQUIRE_ALL", os.environ, "no mpi.h on this machine")
            self.skipTest("no mpi.h on this machine")
        for path in found:
            theirs = declared(path)
            common = sorted(theirs.keys() & ours.keys())
            self.assertGreater(len(common), 100, path)
            for name in common:
                with self.subTest(header=str(path), function=name):
                    self.assertEqual(ours[name], theirs[name])

    def test_a_parameter_too_few_would_be_seen(self):
        for path in headers():
            theirs = declared(path)
            self.assertEqual(theirs["MPI_Comm_idup"], ["handle", "pointer", "pointer"])
            self.assertEqual(theirs["MPI_Send"], ["pointer", "int", "handle", "int", "int", "handle"])
            self.assertEqual(theirs["MPI_Pcontrol"], ["int", "..."])


if __name__ == "__main__":
    unittest.main()
