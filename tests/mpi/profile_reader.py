# SPDX-License-Identifier: BSD-3-Clause
"""Reads recorded profiles by docs/formats/profile.md alone: offsets, types and numbers come from the tables of that page."""

import collections
import pathlib
import re
import struct

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "formats" / "profile.md"
_CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i", "char": "s"}

Struct = collections.namedtuple("Struct", "size segment fields")  # fields: {name: (offset, type)}
Operation = collections.namedtuple("Operation", "name share rooted")


def page_tables(page=PAGE):
    """({name: Struct}, {number: Operation}) of the page."""
    structs, operations = {}, {}
    current = None
    for line in page.read_text(encoding="utf-8").splitlines():
        heading = re.match(r"### (\w+): (\d+) bytes(?:, segment (\d+))?$", line)
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if heading:
            current = Struct(int(heading[2]), int(heading[3] or 0), {})
            structs[heading[1]] = current
        elif line.startswith("## "):
            current = None
        elif current and cells and cells[0].isdigit():
            current.fields[cells[2]] = (int(cells[0]), cells[1])
        elif len(cells) == 4 and cells[0].isdigit():
            operations[int(cells[0])] = Operation(cells[1], cells[2], cells[3] == "yes")
    return structs, operations


STRUCTS, OPERATIONS = page_tables()
_NUMBER = {operation.name: number for number, operation in OPERATIONS.items()}


def _value(order, kind, data, offset):
    base, *extents = re.findall(r"\w+", kind)
    count = int(extents[-1]) if extents else 1
    if len(extents) == 2:
        return [_value(order, f"{base}[{count}]", data, offset + i * count) for i in range(int(extents[0]))]
    values = struct.unpack_from(f"{order}{count}{_CODES[base]}", data, offset)
    if base == "char":
        return values[0].split(b"\0")[0]
    return list(values) if extents else values[0]


def _read(order, name, data, offset):
    return {field: _value(order, kind, data, offset + at) for field, (at, kind) in STRUCTS[name].fields.items()}


class File:
    """The file of one process."""

    def __init__(self, path):
        data = path.read_bytes()
        order = "<" if _read("<", "Header", data, 0)["byte_order"] == 0x01020304 else ">"
        self.header = _read(order, "Header", data, 0)
        if self.header["magic"] != b"TWPROF\r\n" or self.header["version"] != 1:
            raise ValueError(f"{path}: no profile that can be read")
        self.rows = {name: [] for name, each in STRUCTS.items() if each.segment}
        self.groups = {}
        of_segment = {each.segment: name for name, each in STRUCTS.items() if each.segment}
        offset = self.header["header_bytes"]
        while offset < len(data):
            segment = _read(order, "Segment", data, offset)
            if segment["kind"] == 0 or offset + segment["bytes"] > len(data):
                break
            name = of_segment.get(segment["kind"])
            begin = offset + STRUCTS["Segment"].size
            if name == "GroupRecord":
                self._read_groups(order, data, begin, begin + segment["used"])
            elif name and segment["row_bytes"] == STRUCTS[name].size:
                self.rows[name] += [_read(order, name, data, begin + i * segment["row_bytes"]) for i in range(segment["used"])]
            offset += segment["bytes"]

    def _read_groups(self, order, data, at, end):
        while at < end:
            record = _read(order, "GroupRecord", data, at)
            at += STRUCTS["GroupRecord"].size
            ranks = []
            for _ in range(record["runs"] + record["remote_runs"]):
                run = _read(order, "Run", data, at)
                at += STRUCTS["Run"].size
                ranks += [run["first"] + i * run["stride"] for i in range(run["length"])]
            self.groups[record["key"]] = (ranks[: record["members"]], ranks[record["members"] :])


class Matrix:
    """Bytes and messages by pair of ranks, of the job that began last. Collectives by the model `linear`, or left out."""

    def __init__(self, directory, collectives=True):
        files = [File(path) for path in sorted(pathlib.Path(directory).glob("*.twprof"))]
        newest = max(files, key=lambda file: (file.header["spawned"] == 0, file.header["start_ns"])).header["job"]
        self.files = [file for file in files if file.header["job"] == newest]
        self.bytes, self.messages = collections.Counter(), collections.Counter()
        self.groups = {key: group for file in self.files for key, group in file.groups.items()}
        for file in self.files:
            self._add_messages(file, file.header["rank"])
            if collectives:
                self._add_parts(file, file.header["rank"])
                for row in file.rows["CollectiveRow"]:
                    self._add_calls(file, row)

    def _add(self, source, destination, size, messages):
        if source >= 0 and destination >= 0:
            self.bytes[source, destination] += size
            self.messages[source, destination] += messages

    def _add_messages(self, file, rank):
        for row in file.rows["PeerRow"]:
            if row["channel"] in (0, 1):
                self._add(rank, row["peer"], row["bytes"], row["messages"])
            elif row["channel"] == 2:
                self._add(row["peer"], rank, row["bytes"], row["messages"])

    def _add_parts(self, file, rank):
        for row in file.rows["VectorRow"]:
            copies = row["peer"] == rank and row["operation"] < 17
            if row["operation"] != _NUMBER["reduce_scatter"] and not copies:
                self._add(rank, row["peer"], row["bytes"], row["messages"])

    def _add_calls(self, file, row):
        name, share, _ = OPERATIONS[row["operation"]]
        members, remote = self.groups[row["group"]]
        if share == "per_partner" and name != "reduce_scatter" or remote:
            return
        here = members.index(file.header["rank"])
        everyone = range(len(members))

        def to(others, size=row["bytes"]):
            for other in others:
                if other != here:
                    self._add(members[here], members[other], size, row["calls"])

        if name in ("gather", "gatherv", "reduce", "allreduce"):
            to([max(row["root"], 0)])
        if name in ("bcast", "scatter", "allreduce") and here == max(row["root"], 0):
            to(everyone)
        if name in ("allgather", "allgatherv", "alltoall", "reduce_scatter_block"):
            to(everyone)
        if name in ("scan", "exscan") and here + 1 < len(members):
            to([here + 1])
        if name == "barrier":
            to(everyone if here == 0 else [0], 0)
        if name == "reduce_scatter":
            blocks = collections.Counter()
            for part in file.rows["VectorRow"]:
                if part["operation"] == row["operation"] and part["group"] == row["group"]:
                    blocks[part["peer"]] += part["bytes"]
            for other in everyone:
                to([other], blocks[members[other]])
