#!/usr/bin/env python3
"""The offsets, sizes and numbers of docs/formats/profile.md are those of topowise/profile/format.hpp: profile_page_test.py COMPILER"""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mpi"))
sys.dont_write_bytecode = True

from profile_reader import OPERATIONS, STRUCTS

SEGMENT_KINDS = {"PeerRow": "peers", "CollectiveRow": "collectives", "VectorRow": "vectors", "GroupRecord": "groups", "TraceRow": "trace",
                 "CommunicatorRow": "communicators", "CommunicatorCallRow": "communicator_calls", "CommunicatorSendRow": "communicator_sends"}
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "i32": 4, "char": 1}


def size_of(kind):
    base, *extents = kind.replace("]", "").split("[")
    size = SIZES[base]
    for extent in extents:
        size *= int(extent)
    return size


def assertions():
    """One static_assert for each offset and number of the page."""
    for name, each in STRUCTS.items():
        yield f"sizeof({name}) == {each.size}"
        for field, (offset, kind) in each.fields.items():
            yield f"offsetof({name}, {field}) == {offset}"
            yield f"sizeof({name}::{field}) == {size_of(kind)}"
        if each.segment:
            yield f"static_cast<int>(SegmentKind::{SEGMENT_KINDS[name]}) == {each.segment}"
    yield f"kOperationCount == {len(OPERATIONS)}"
    yield f"kSegmentKinds == {len(SEGMENT_KINDS) + 1}"
    for number, operation in OPERATIONS.items():
        yield f"static_cast<int>(Operation::{operation.name}) == {number}"
        yield f'kOperations[{number}].name == "{operation.name}"'
        yield f"kOperations[{number}].share == Share::{operation.share}"
        yield f"kOperations[{number}].rooted == {str(operation.rooted).lower()}"


class Page(unittest.TestCase):
    def test_every_byte_of_a_struct_is_on_the_page(self):
        for name, each in STRUCTS.items():
            end = 0
            for field, (offset, kind) in each.fields.items():
                self.assertEqual(offset, end, f"{name}.{field}")
                end = offset + size_of(kind)
            self.assertEqual(end, each.size, name)

    def test_the_header_agrees(self):
        lines = ["#include <topowise/profile/format.hpp>", "using namespace topowise::profile;", *(f"static_assert({fact});" for fact in assertions())]
        self.assertGreater(len(lines), 250)
        run = subprocess.run([sys.argv[1], "-std=c++20", "-fsyntax-only", f"-I{ROOT}", "-x", "c++", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True,
                             check=False)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
