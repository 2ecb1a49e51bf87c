#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces of a gigabyte, one of each format:  huge_trace.py TOPOWISE FIXTURES [BYTES [FORMAT ...]]

The calls of a small trace are repeated in it as often as needed. The traffic that is read must be that multiple of the small trace's traffic, memory
must stay that of one block, a terminal must see progress, and damage at the end must be reported with its line, or in a binary file with its byte.
"""
import gzip
import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile


MOST_MEMORY = 150 << 20


def run(command):
    """Returns (exit status, stdout, the part of stderr that a terminal saw, peak memory in bytes, seconds of processor time)."""
    terminal, its = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its, text=True, env=os.environ | {"TERM": "xterm"}) as process:
        os.close(its)
        shown = b""
        while True:
            try:
                ready, _, _ = select.select([terminal], [], [], 600)
                block = os.read(terminal, 65536) if ready else b""
            except OSError:  # the other end is closed
                break
            if not block:
                break
            shown += block
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, printed, shown.decode(), usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def json_trace(path, events, repeated):
    """Returns (the part that stands once, the repeated part, the separator, the end)."""
    with gzip.open(path, "rt") as file:
        small = json.load(file)
    lines = small.pop(events)
    head = json.dumps(small)[:-1] + f', "{events}": [' + "".join(json.dumps(line) + ",\n" for line in lines if not repeated(line))
    part = ",\n".join(json.dumps(line) for line in lines if repeated(line))
    return head.encode(), part.encode(), b",\n", b"]}\n"


def kineto(fixtures):
    return "rank0.json", *json_trace(f"{fixtures}/tp-pp/rank0.json.gz", "traceEvents", lambda event: True)


def execution_trace(fixtures):
    return "rank0.json", *json_trace(f"{fixtures}/tp-pp-et/rank_0.json.gz", "nodes", lambda node: node["name"] == "record_param_comms")


def field(number, content):
    """A part of a protobuf message, shorter than 128 bytes."""
    key = number << 3 | (0 if isinstance(content, int) else 2)
    start = bytes([key]) if key < 128 else bytes([key & 127 | 128, key >> 7])
    return start + (bytes([content]) if isinstance(content, int) else bytes([len(content)]) + content)


def chakra(_):
    """An allreduce of 100 bytes in the group of ranks 0 to 7."""
    values = {b"comm_type": field(13, 0), b"comm_size": field(9, 100), b"pg_name": field(29, b"0"), b"ranks": field(10, field(1, bytes(range(8))))}
    node = field(2, b"AllReduce") + field(3, 7) + b"".join(field(10, field(1, name) + value) for name, value in values.items())
    version = field(1, b"0.0.4")
    return "step.0.et", bytes([len(version)]) + version, 100 * (bytes([len(node)]) + node), b"", b""


def inspector(_):
    record = {"header": {"id": "0x7f8c496ae9f661", "comm_name": "unknown", "rank": 0, "n_ranks": 8, "nnodes": 1},
              "metadata": {"inspector_output_format_version": "v4.2", "git_rev": "", "rec_mechanism": "nccl_profiler_interface", "dump_timestamp_us": 1748030377748202, "hostname": "n1", "pid": 7}}  # fmt: skip
    calls = [{"coll_perf": {"coll": "AllReduce", "coll_sn": number, "coll_msg_size_bytes": 1 << 20, "coll_exec_time_us": 619, "coll_algobw_gbs": 277.2}} for number in range(64)]
    return "n1-pid7.log", b"", "".join(json.dumps(record | call) + "\n" for call in calls).encode(), b"", b""


FORMATS = {"kineto": kineto, "pytorch-et": execution_trace, "chakra": chakra, "nccl-inspector": inspector}


def try_format(topowise, name, parts, size, folder):
    path, small = os.path.join(folder, name), os.path.join(folder, "small." + name)
    head, part, between, end = parts
    times = size // len(part) + 1
    with open(small, "wb") as file:
        file.write(head + part + end)
    with open(path, "wb") as file:
        file.write(head)
        for time in range(times):
            file.write(part + (between if time + 1 < times else end))
    expected = json.loads(subprocess.run([topowise, "traffic", small, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
    status, printed, shown, memory, seconds = run([topowise, "traffic", path, "--json"])
    assert status == 0, shown
    read = json.loads(printed)
    assert read["total_bytes"] == times * expected["total_bytes"] > 0, (read["total_bytes"], times, expected["total_bytes"])
    assert memory < MOST_MEMORY, memory
    lines = re.findall(r"[0-9.]+ [MG]B of [0-9.]+ [MG]B read", shown)
    assert len(lines) >= size // 65_000_000 - 1, shown[:500]  # each covers 64 MB and a block, except for the last
    print(f"{os.path.getsize(path)} bytes, {times} times the small trace: read in {memory >> 20} MiB and {seconds:.1f} s of processor time; told {len(lines)} times, at last '{lines[-1] if lines else ''}'")
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) - 10)
    status, printed, shown, memory, seconds = run([topowise, "traffic", path])
    told = shown.replace("\r\n", "")
    assert status == 3 and re.search(re.escape(path) + r":( byte)? ?[0-9]+", told), told[-500:]
    assert memory < MOST_MEMORY, memory
    print("cut off: " + told[told.rindex(path) + len(folder) + 1 :].strip()[:120])


def main(topowise, fixtures, size="1000000000", *names):
    for name in names or FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            file, *parts = FORMATS[name](fixtures)
            print(name, end=": ")
            try_format(topowise, file, parts, int(size), folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
