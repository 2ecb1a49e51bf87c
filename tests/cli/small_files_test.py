#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A small file takes little memory and time, whatever it claims: it is read or refused.

  small_files_test.py TOPOWISE        (NAME=part of a file's name: those alone; SHOW=1: what takes much)

Each number of a small file of each format becomes very large, alone and wherever it stands. Then come files that nest, repeat or unpack to much more."""
import gzip
import io
import os
import pathlib
import re
import resource
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numbers_test

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = ROOT / "tests/fuzz/seeds"
LARGE = ("65536", "1048576", "4294967295", "9007199254740991", "18446744073709551615")
MOST_MEMORY = 1 << 30  # bytes: a machine or a job may be as large as any is
MOST_SECONDS = 20  # of processor time
NUMBER = re.compile(rb"(?<![\w.])\d+(?![\w.])|(?<=[\[(:=x])\d+")

MACHINES = ("amd_smi_fuzz", "cluster_fuzz", "flux_fuzz", "kubernetes_fuzz", "pbsnodes_fuzz", "rocm_smi_fuzz", "slurm_address_fuzz", "source_fuzz")
JOBS = ("flight_recorder_fuzz", "inspector_fuzz", "kineto_fuzz", "trace_formats_fuzz", "traffic_matrix_fuzz")
OTF2_PRINT = b"""=== OTF2-PRINT ===
MPI_COMM   0  Name: "" <0>, Group: "" <0>, Parent: UNDEFINED
GROUP      0  Name: "", Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, Members: 2 ("a" <0>, "b" <1>)
MPI_SEND   0  1  Receiver: 1 ("b" <1>), Communicator: "" <0>, Tag: 0, Length: 5
MPI_COLLECTIVE_END 0 1 Operation: BCAST, Communicator: "" <0>, Root: 0 ("a" <0>), Sent: 5, Received: 5
"""
FLIGHT = b"""{"version": "2.10", "rank": 0, "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}, "entries": [
{"frames": [], "record_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 1, "p2p_seq_id": 0, "op_id": 1, "profiling_name": "nccl:all_reduce",
"input_sizes": [[4]], "input_dtypes": ["Float"], "output_sizes": [[4]], "output_dtypes": ["Float"], "state": "completed"}]}"""


def files():
    """(verb, name, content) of the smallest files."""
    for kinds, verb in ((MACHINES, "topology"), (JOBS, "traffic")):
        for folder in kinds:
            for path in sorted((SEEDS / folder).iterdir()):
                if path.stat().st_size < 6000:
                    yield verb, f"{folder}-{path.name}", path.read_bytes()
    yield "topology", "topology.json", (SEEDS / "json_fuzz/topology.json").read_bytes()
    yield "traffic", "traffic.json", (SEEDS / "json_fuzz/traffic.json").read_bytes()
    yield "traffic", "otf2.txt", OTF2_PRINT
    yield "traffic", "flight.json", FLIGHT
    for formats, verb in ((numbers_test.TRAFFIC, "traffic"), (numbers_test.TOPOLOGY, "topology"), (numbers_test.TOOLS, "topology")):
        for name, texts in formats.items():
            for number, text in enumerate(texts):
                yield verb, f"{number}-{name}", text.replace("@", "1").encode()


def enlarged(content):
    """The content with one number, or all that are equal, very large."""
    found = list(NUMBER.finditer(content))[:60]
    for large in (text.encode() for text in LARGE):
        for match in found:
            yield content[: match.start()] + large + content[match.end() :]
        for number in {match[0] for match in found}:
            yield NUMBER.sub(lambda match, number=number, large=large: large if match[0] == number else match[0], content)
        if found:
            yield NUMBER.sub(large, content)


def array(shape, data=b"", kind="<f8"):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def archive(**members):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return whole.getvalue()


def packed(part, times, begin=b"", end=b"", again=0):
    """The part so many times, packed: members of gzip may follow each other. The whole is packed again so often."""
    whole = gzip.compress(begin) + gzip.compress(part, 9) * times + gzip.compress(end)
    for _ in range(again):
        whole = gzip.compress(whole, 9)
    return whole


EVENTS = "CREATE TABLE NVTX_EVENTS (globalTid, text, textId, binaryData); CREATE TABLE StringIds (id, value);"


def database(script, *of_schema):
    """A database of SQLite, with statements that change its schema behind its back."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(script)
    connection.execute("PRAGMA writable_schema = ON")
    for statement in of_schema:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


def databases():
    """What makes SQLite work for more than the file holds."""
    double = "CREATE VIEW v0 AS SELECT 1 AS globalTid, 'ncclX' AS text, 0 AS textId, 0 AS binaryData, 0 AS id, '' AS value;" + "".join(
        f"CREATE VIEW v{i} AS SELECT a.* FROM v{i - 1} AS a, v{i - 1} AS b;" for i in range(1, 30))
    views = double + "CREATE VIEW NVTX_EVENTS AS SELECT * FROM v29; CREATE VIEW StringIds AS SELECT * FROM v29;"
    yield "views", database(views)
    yield "views-as-tables", database(views, "UPDATE sqlite_schema SET type = 'table', rootpage = 1")
    yield "views-in-tables", database(double + EVENTS, "UPDATE sqlite_schema SET sql = 'CREATE VIEW NVTX_EVENTS AS SELECT * FROM v29' WHERE name = 'NVTX_EVENTS'")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS globalTid, i AS text, i AS textId, i AS id, i AS value FROM n"
    yield "endless", database(f"CREATE VIEW NVTX_EVENTS AS {endless}; CREATE VIEW StringIds AS {endless};")
    work = "AS (length(hex(zeroblob(30000000 + one))))"
    yield "generated", database("CREATE TABLE NVTX_EVENTS (one); CREATE TABLE StringIds (id, value);"
                                "INSERT INTO NVTX_EVENTS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n",
                                f"UPDATE sqlite_schema SET sql = 'CREATE TABLE NVTX_EVENTS (one, globalTid {work}, text {work}, textId {work})' WHERE name = 'NVTX_EVENTS'")
    strings = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
    yield "without-index", database(f"{EVENTS} INSERT INTO StringIds {strings} SELECT -i, 'x' FROM n; INSERT INTO NVTX_EVENTS (textId) {strings} SELECT i FROM n;")
    yield "one-page", database(f"{EVENTS} CREATE TABLE t (a); INSERT INTO t VALUES (1);", "UPDATE sqlite_schema SET rootpage = 1")


def nests_and_bombs():
    for name, content in databases():
        yield "traffic", f"{name}.sqlite", content
    deep = 60_000
    yield "topology", "deep.json", b"[" * deep
    yield "traffic", "deep.json", b'{"schema":' + b"[" * deep
    yield "traffic", "deep-trace.json", b'{"traceEvents":' + b'[{"a":' * deep
    yield "topology", "deep.xml", b'<system version="1">' + b"<pci>" * deep
    yield "topology", "deep-right.xml", b'<topology version="2.0">' + b'<object type="Group">' * deep + b"</object>" * deep + b"</topology>"
    yield "topology", "deep.yaml", b"- topology: a\n  tree: " + b"[" * deep
    yield "topology", "aliases.yaml", b"- topology: a\n  x0: &x0 [a,a,a,a,a,a,a,a,a]\n" + b"".join(b"  x%d: &x%d [%s]\n" % (i, i, b",".join([b"*x%d" % (i - 1)] * 9)) for i in range(1, 30)) + b"  tree: *x29\n"
    yield "topology", "entities.xml", b"<!DOCTYPE l [<!ENTITY a0 'aaaaaaaaaa'>" + b"".join(b"<!ENTITY a%d '%s'>" % (i, b"&a%d;" % (i - 1) * 10) for i in range(1, 20)) + b"]><system version='1'><cpu>&a19;</cpu></system>"
    yield "topology", "levels.txt", b"SLURM_TOPOLOGY_ADDR=" + b"s." * deep + b"n\n"
    yield "topology", "levels2.txt", b"".join(b"SLURM_TOPOLOGY_ADDR=" + b"s." * 600 + b"n%d\n" % i for i in range(100))
    yield "topology", "kubernetes.json", b'{"kind":"NodeList","items":[{"metadata":{"name":"n","labels":{' + b",".join(b'"fabric.topograph.run/tier-%d":"s%d"' % (i, i) for i in range(3000)) + b"}}}]}"
    yield "topology", "flux.json", b'{"graph":{"nodes":[{"metadata":{"type":"node","paths":{"containment":"' + b"/r" * deep + b'"}}}]}}'
    yield "topology", "pbs.json", b'{"pbs_version":"1","nodes":{"a":{"resources_available":{' + b",".join(b'"tier%d":"x%d"' % (i, i) for i in range(5000)) + b"}}}}"
    yield "topology", "parents.json", b'{"schema":"topowise.topology/1","vertices":[{"id":0,"kind":"gpu"}' + b"".join(b',{"id":%d,"kind":"pcie-switch"}' % i for i in range(1, 20000)) + b'],"places":[{"kind":"gpu","vertex":0}],"links":[' + b",".join(b'{"from":%d,"to":%d,"kind":"pcie"}' % (i, i + 1) for i in range(19999)) + b"]}"
    yield "topology", "chain.conf", b"".join(b"SwitchName=s%d Switches=s%d\n" % (i, i + 1) for i in range(5000)) + b"SwitchName=s5000 Nodes=a,b\n"
    yield "topology", "lspci.txt", b"-[0000:00]-" + b"+-00.0-[01]-" * 20000 + b"00.0  NVIDIA A100\n"
    yield "topology", "nodes.conf", b"SwitchName=s Nodes=n[1-100][1-100][1-100][1-100]\n"
    yield "topology", "hosts.conf", b"".join(b"SwitchName=s%d Nodes=n%d-[1-131072]\n" % (i, i) for i in range(50))
    yield "traffic", "pickle", b"\x80\x02" + b"(" * deep
    yield "traffic", "lists", b"\x80\x02" + b"]q\x00" + b"h\x00a" * deep
    yield "traffic", "memo", b"\x80\x02}(X\x07\x00\x00\x00entries]" + b"2" * deep
    yield "traffic", "length", b"\x80\x02}(X\xff\xff\xff\x7fentries"
    yield "traffic", "long", b"\x80\x02}(\x8b\xff\xff\xff\x7f"
    yield "traffic", "bytes8", b"\x80\x04}(\x8e\xff\xff\xff\xff\xff\xff\xff\x7f"
    for shape in ("(1048576, 1048576)", "(4294967296, 4294967296)", "(1000000,)", "(20000, 20000)"):
        yield "traffic", "a.npy", array(shape)
        yield "traffic", "a.npz", archive(a=array(shape))
    rows = struct.pack("<4i", 0, 1, 2, 3)
    yield "traffic", "sparse.npz", archive(format=array("()", b"csr", "|S3"), shape=array("(2,)", struct.pack("<2q", 1 << 20, 1 << 20), "<i8"),
                                           indptr=array("(4,)", rows, "<i4"), indices=array("(4,)", rows, "<i4"), data=array("(4,)", struct.pack("<4d", 1, 2, 3, 4)))
    yield "traffic", "zeros.npz", archive(a=array("(2048, 2048)", bytes(2048 * 2048 * 8)))
    yield "traffic", "more.npz", archive(a=array("(2, 2)", bytes(64 << 20)))
    million = 1 << 20
    for again in (0, 1, 4):
        yield "traffic", f"zeros{again}.csv.gz", packed(bytes(million), 2000, again=again)
        yield "topology", f"blanks{again}.txt.gz", packed(b" " * million, 2000, again=again)
    yield "traffic", "ones.csv.gz", packed(b"1,1,1\n" * (million // 6), 200)
    yield "traffic", "trace.json.gz", packed(b'{"ph":"X","cat":"kernel","name":"a","args":{"Collective name":"x"}},' * (million // 67), 200, b'{"traceEvents":[', b"{}]}")
    call = b"n1:%d:9 [0] NCCL INFO AllReduce: opCount 0 count 1 datatype 7 op 0 root 0 comm 0x%d [nranks=1048576]\n"
    comm = b"n1:%d:9 [0] NCCL INFO ncclCommInitRank comm 0x%d rank %d nranks 1048576 cudaDev 0 nvmlDev 0 busId 1000 commId 0xabc - Init COMPLETE\n"
    yield "traffic", "ranks.log", b"".join(comm % (i, i, i) + call % (i, i) for i in range(100))
    roots = b"".join(b"n1:0:9 [0] NCCL INFO Broadcast: opCount 0 count 1 datatype 7 op 0 root %d comm 0x0 [nranks=1048576]\n" % i for i in range(200))
    yield "traffic", "roots.log", comm % (0, 0, 0) + roots
    yield "traffic", "ranks.prv", b"#Paraver (x):1:1:1:1048576(1)\n3:1:1:1:1:1:1:1:1:2:1:1:1:5:1\n"
    yield "traffic", "ranks.goal", b"num_ranks 1048576\nrank 0 {\nsend 5b to 1048575\n}\n"
    yield "traffic", "inspector.log", b"".join(b'{"header":{"id":"0x%d","rank":%d,"n_ranks":1048576},"metadata":{"hostname":"n","pid":%d},"coll_perf":{"coll":"AllReduce","coll_msg_size_bytes":%d}}\n' % (i, i, i, i) for i in range(200))
    yield "traffic", "kinds.log", b"".join(b'{"header":{"id":"0x1","rank":0,"n_ranks":2},"metadata":{"hostname":"n","pid":1},"coll_perf":{"coll":"Kind%d","coll_msg_size_bytes":1}}\n' % i for i in range(3000))


class SmallFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.most = (0, 0.0)

    def read(self, verb, name, content):
        path = pathlib.Path(self.folder.name) / name
        path.write_bytes(content)

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (4 * MOST_MEMORY, 4 * MOST_MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))

        with open(os.devnull, "wb") as nowhere:
            run = subprocess.Popen([PROGRAM, verb, path], cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=nowhere, stderr=subprocess.PIPE, preexec_fn=limit)
            told = run.stderr.read()
            run.stderr.close()
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        path.unlink()
        case = f"{verb} {name}, {used.ru_maxrss >> 10} MB, {used.ru_utime + used.ru_stime:.1f} s: {told[:300]!r}"
        if os.environ.get("SHOW") and (used.ru_maxrss > 200 << 10 or used.ru_utime > 2 or run.returncode not in (0, 3)):
            print(run.returncode, case, content[:200], file=sys.stderr, flush=True)
        self.assertIn(run.returncode, (0, 3), f"{case}\n{content[:3000]!r}")
        self.assertLess(used.ru_maxrss << 10, MOST_MEMORY, f"{case}\n{content[:3000]!r}")
        self.assertLess(told.count(b"\n"), 200, case)
        self.assertNotIn(b"bad_alloc", told, case)

    def test_large_numbers(self):
        for verb, name, content in files():
            if WANTED and WANTED not in name:
                continue
            for changed in dict.fromkeys(enlarged(content)):
                with self.subTest(name):
                    self.read(verb, name, changed)

    def test_nests_and_bombs(self):
        for verb, name, content in nests_and_bombs():
            if WANTED and WANTED not in name:
                continue
            with self.subTest(name):
                self.read(verb, name, content)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    WANTED = os.environ.get("SMALL_FILES_NAME", "")
    unittest.main()
