#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A trace of a gigabyte:  huge_trace.py TOPOWISE TRACE [BYTES]

The events of a small trace of torch.profiler stand in it as often as it takes. What is read is so many times the small one's traffic, memory stays that
of one block, a terminal sees progress, and damage at its end is told with its line.
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
    """(exit status, stdout, what a terminal saw of stderr, peak memory in bytes)"""
    terminal, its = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its, text=True, env=os.environ | {"TERM": "xterm"}) as process:
        os.close(its)
        shown = b""
        while True:
            try:
                ready, _, _ = select.select([terminal], [], [], 600)
                block = os.read(terminal, 65536) if ready else b""
            except OSError:  # closed at the other end
                break
            if not block:
                break
            shown += block
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, printed, shown.decode(), usage.ru_maxrss * 1024


def main(topowise, trace, size="1000000000"):
    with gzip.open(trace, "rt") as file:
        small = json.load(file)
    events = small.pop("traceEvents")
    head = json.dumps(small)[:-1] + ', "traceEvents": ['
    part = ",\n".join(json.dumps(event) for event in events)
    times = int(size) // len(part) + 1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rank0.json")
        with open(path, "w") as file:
            file.write(head)
            for time in range(times):
                file.write(part + (",\n" if time + 1 < times else "]}\n"))
        expected = json.loads(subprocess.run([topowise, "traffic", trace, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
        status, printed, shown, memory = run([topowise, "traffic", path, "--json"])
        assert status == 0, shown
        read = json.loads(printed)
        assert read["total_bytes"] == times * expected["total_bytes"], (read["total_bytes"], times, expected["total_bytes"])
        assert memory < MOST_MEMORY, memory
        lines = re.findall(r"[0-9.]+ [MG]B of [0-9.]+ [MG]B read", shown)
        assert len(lines) >= int(size) // 65_000_000 - 1, shown[:500]  # 64 MB each and a block, but the last
        print(f"{os.path.getsize(path)} bytes, {times} times the small trace: read in {memory >> 20} MiB; told: {lines}")
        with open(path, "r+") as file:
            file.seek(0, os.SEEK_END)
            file.truncate(file.tell() - 10)
        status, printed, shown, memory = run([topowise, "traffic", path])
        assert status == 3 and f"{path}:" in shown.replace("\r\n", ""), shown[-500:]
        assert memory < MOST_MEMORY, memory
        print("cut off: " + shown.strip().splitlines()[-1][-120:])


if __name__ == "__main__":
    main(*sys.argv[1:])
