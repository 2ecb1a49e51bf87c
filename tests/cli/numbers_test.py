#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is no number, or no number that can be meant, is refused at its place: in every format that has numbers, and in every option.

  numbers_test.py TOPOWISE
"""
import contextlib
import itertools
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

WORDS = ("nan", "-nan", "NaN", "inf", "-inf", "Infinity", "1e400", "-1e400", "-1", "-0.5", "0x10", "1e", "1.2.3", "--1", "12abc")

# The number is in the place of '@'. Cells of matrices and lists of pairs, and what else a format counts in.
TRAFFIC = {
    "m.csv": ["0,@\n1,0\n", "0,1\n@,0\n", "0;@\n1;0\n", "0\t@\n1\t0\n"],
    "l.csv": ["source,destination,bytes\n0,1,@\n", "source,destination,bytes,messages\n0,1,5,@\n", "source,destination,bytes\n@,1,5\n0,1,5\n", "source,destination,bytes\n0,@,5\n"],
    "m.txt": ["0 @\n1 0\n", "0 1 2\n3 0 4\n5 @ 0\n"],
    "m.mtx": ["%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 @\n", "%%MatrixMarket matrix array real general\n2 2\n0\n@\n1\n0\n",
              "%%MatrixMarket matrix coordinate real general\n2 2 @\n1 2 1\n", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 @ 7\n"],
    "g.graph": ["2 1 1\n2 @\n1 @\n", "2 1\n@\n1\n"],
    "q.dat": ["2\n0 @\n1 0\n\n0 1\n1 0\n"],
    "t.json": ['{"schema": "topowise.traffic/1", "ranks": 2, "entries": [{"source": 0, "destination": 1, "bytes": @, "messages": 1}]}',
               '{"schema": "topowise.traffic/1", "ranks": 2, "entries": [{"source": 0, "destination": 1, "bytes": 5, "messages": @}]}',
               '{"schema": "topowise.traffic/1", "ranks": @, "entries": []}',
               '{"schema": "topowise.traffic/1", "ranks": 2, "entries": [{"source": 0, "destination": @, "bytes": 5, "messages": 1}]}'],
    "p.prof": ["# POINT TO POINT\nE\t0\t1\t@ bytes\t1 msgs sent\t0,0\n", "# POINT TO POINT\nE\t0\t1\t5 bytes\t@ msgs sent\t0,0\n"],
}
EXCHANGE = {"e.json": ['{"schema": "topowise.exchange/1", "communications": [{"source": 0, "destination": 1, "bytes": @}]}',
                       '{"schema": "topowise.exchange/1", "communications": [{"source": 0, "destination": 1, "bytes": 5, "start_s": @}]}']}
MACHINE = ('{"schema": "topowise.topology/1", "vertices": [{"id": 0, "kind": "gpu", "name": "a"}, {"id": 1, "kind": "gpu", "name": "b"}],\n'
           ' "links": [{"from": "a", "to": "b", "kind": "nvlink",\n"bandwidth_bytes_per_s": %s, "latency_s": %s}],\n'
           ' "places": [{"kind": "gpu", "vertex": 0}, {"kind": "gpu", "vertex": 1, "capacity": %s}],\n'
           ' "pair_matrices": {"distance": {"source": "x", "values": [[0, %s], [1, 0]]}}}')
TOPOLOGY = {
    "d.txt": ["0 @\n1 0\n", "0 1 2\n1 0 3\n2 @ 0\n"],
    "d.csv": ["0,@\n1,0\n"],
    "d.mtx": ["%%MatrixMarket matrix array real general\n2 2\n0\n@\n1\n0\n"],
    "q.dat": ["2\n0 1\n1 0\n\n0 @\n1 0\n"],
    "p2p.txt": ["Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     0      1\n     0 500.00  @\n     1  24.00 500.00\n"],
    "nvb.txt": ["memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0       N/A    @\n 1    276.36       N/A\n"],
    "m.json": [MACHINE % ("@", 0, 1, 1), MACHINE % (5, "@", 1, 1), MACHINE % (5, 0, "@", 1), MACHINE % (5, 0, 1, "@")],
}
DESCRIPTIONS = ["tree:2:@", "tree:2:2@1:@", "torus:@x2", "torus:2x2@@GB/s", "mesh:@x2", "dragonfly:2:@:2"]
PATTERNS = ["stencil2d:@x2", "stencil2d:2x2:w=@", "stencil2d:2x2:heavy=@", "ring:@", "random:4:degree=@", "random:4:seed=@", "ring:4:bytes=@", "alltoall:@"]
MAP = "map pattern:ring:4 preset:dgx1-v100 "
OPTIONS = [MAP + "--seed @", MAP + "--time-limit @", MAP + "--bound-time @", MAP + "--ranks-per-place @", MAP + "--imbalance @", MAP + "--loads 1,@,1,1", MAP + "--allow GPU0-GPU@",
           MAP + "--fix @=GPU0", "evaluate pattern:ring:4 preset:dgx1-v100 --mapping identity --ranks-per-place @",
           "predict pattern:ring:4 preset:dgx1-v100 --tau @", "predict pattern:ring:4 preset:dgx1-v100 --link-bandwidth @GB/s", "predict preset:dgx1-v100 --messages 0->1:@MB",
           "predict preset:dgx1-v100 --messages 0->1:1MB@@ms", "predict preset:dgx1-v100 --messages 0->@:1MB", "schedule pattern:ring:4 preset:dgx1-v100 --time-limit @",
           "run --auto --wait @ -- true", "topology preset:dgx1-v100 --explain 0 @", "probe --json --device host --topology tree:2 --sizes @", "probe --json --device host --topology tree:2 --repetitions @",
           "probe --json --device host --topology tree:2 --warm-up @", "bench stencil2d --weight @", "bench stencil2d --sizes @", "bench stencil2d --ranks @", "bench halo-orders --halo @x4",
           "bench halo-orders --tau @", "bench congestion --gpus @ --topology preset:dgx1-v100", "bench congestion --sets @ --topology preset:dgx1-v100"]
# Texts of the vendors' programs, of logs and of fabrics: a number that is none is refused or, where the rest can be used, named with its line.
LINKS = "LINK TYPE TABLE:\n 0000:01:00.0 0000:02:00.0\n0000:01:00.0 SELF XGMI\n0000:02:00.0 XGMI SELF\n"
TREE = ("h:1:1 [0] NCCL INFO === System : maxBw 48.0 totalBw 48.0 ===\nh:1:1 [0] NCCL INFO CPU/0-0 (1/2/-1)\n"
        "h:1:1 [0] NCCL INFO + PCI[%s] - GPU/0-1000 (0)\nh:1:1 [0] NCCL INFO + PCI[48.0] - GPU/0-2000 (1)\nh:1:1 [0] NCCL INFO ==========\n")
XML = ('<system version="1"><cpu numaid="%s" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">\n'
       '<pci busid="0000:01:00.0" class="0x030200" vendor="0x10de" device="0x20b0" link_speed="%s GT/s" link_width="%s"><gpu dev="0" sm="80" rank="0">%s</gpu></pci>\n'
       '<pci busid="0000:02:00.0" class="0x030200" vendor="0x10de" device="0x20b0" link_speed="16 GT/s" link_width="16"><gpu dev="1" sm="80" rank="1"/></pci></cpu></system>\n')
NVLINK = '<nvlink target="0000:02:00.0" count="%s" tclass="0x030200"/>'
PORT = "CA   134  1 0x7cfe9003003b4bde %sx %s - SW  1719 %s 0x7cfe9003009ce5b0 ( 'n1 HCA-1' - 'leaf' )\nCA   135  1 0x7cfe9003003b4bdf 4x EDR - SW  1719 11 0x7cfe9003009ce5b0 ( 'n2 HCA-1' - 'leaf' )\n"
TOOLS = {
    "npu": ["\tNPU0\tNPU1\tCPU Affinity\nNPU0\tX\tHCCS\t@-7\nNPU1\tHCCS\tX\t8-15\n", "\tNPU0\tNPU1\nNPU0\tX\tHCCS@\nNPU1\tHCCS@\tX\n"],
    "xpu": ["         GPU 0/0  GPU 0/1  CPU Affinity\nGPU 0/0  S        XL@      0-15\nGPU 0/1  XL@      S        0-15\n"],
    "mx": ["\tGPU0\tGPU1\tNode Affinity\tCPU Affinity\nGPU0\tX\tMX\t0\t@-7\nGPU1\tMX\tX\t0\t8-15\n", "\tGPU0\tGPU1\nGPU0\tX\tMX@\nGPU1\tMX@\tX\n"],
    "mthreads": ["\tGPU0\tGPU1\nGPU0\tX\tMT@\nGPU1\tMT@\tX\n"],
    "hy-smi": ["\tDCU0\tDCU1\tCPU Affinity\tNUMA Affinity\nDCU0\tX\tPIX\t@-7\t0\nDCU1\tPIX\tX\t8-15\t1\n", "\tDCU0\tDCU1\tCPU Affinity\tNUMA Affinity\nDCU0\tX\tPIX\t0-7\t@\nDCU1\tPIX\tX\t8-15\t1\n"],
    "nv": ["\tGPU0\tGPU1\nGPU0\tX\tNV@\nGPU1\tNV@\tX\n"],
    "rocm": ["==== Weight between two GPUs ====\n       GPU0  GPU1\nGPU0   0     @\nGPU1   15    0\n==== Link Type between two GPUs ====\n       GPU0  GPU1\nGPU0   0     XGMI\nGPU1   XGMI  0\n",
             "==== Hops between two GPUs ====\n       GPU0  GPU1\nGPU0   0     @\nGPU1   1     0\n==== Link Type between two GPUs ====\n       GPU0  GPU1\nGPU0   0     XGMI\nGPU1   XGMI  0\n"],
    "amd": ["WEIGHT TABLE:\n 0000:01:00.0 0000:02:00.0\n0000:01:00.0 0 @\n0000:02:00.0 15 0\n" + LINKS, "HOPS TABLE:\n 0000:01:00.0 0000:02:00.0\n0000:01:00.0 0 @\n0000:02:00.0 1 0\n" + LINKS,
            "NUMA BW TABLE:\n 0000:01:00.0 0000:02:00.0\n0000:01:00.0 N/A 50000-@\n0000:02:00.0 50000-50000 N/A\n" + LINKS],
    "list": ["GPU 0 -> GPU 1: Bandwidth = @ GB/s\nGPU 1 -> GPU 0: Bandwidth = 5 GB/s\n", "GPU 0 -> GPU 1: Bandwidth = 5 GB/s\nGPU @ -> GPU 0: Bandwidth = 5 GB/s\n",
             "GPU 0 -> GPU 1: Latency = @ us\nGPU 1 -> GPU 0: Latency = 5 us\n"],
    "rows": ["Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     0      1\n     0 500.00  24.0\n     @  24.00 500.00\n"],
    "log": [TREE % "@"],
    "xml": [XML % ("@", 16, 16, ""), XML % (0, "@", 16, ""), XML % (0, 16, "@", ""), XML % (0, 16, 16, NVLINK % "@")],
    "ports": [PORT % ("@", "EDR", 10), PORT % (4, "@", 10), PORT % (4, "EDR", "@")],
    "linkinfo": ['CA: n1 mlx5_0:\n  0x0002c903000e0b73   1    1[  ] ==( @X 25.78125 Gbps Active/  LinkUp)==>       3    1[  ] "leaf1" ( )\nCA: n2 mlx5_0:\n'
                 '  0x0002c903000e0b74   2    1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>       3    2[  ] "leaf1" ( )\n',
                 'CA: n1 mlx5_0:\n  0x0002c903000e0b73   1    1[  ] ==( 4X @ Gbps Active/  LinkUp)==>       3    1[  ] "leaf1" ( )\nCA: n2 mlx5_0:\n'
                 '  0x0002c903000e0b74   2    1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>       3    2[  ] "leaf1" ( )\n',
                 'CA: n1 mlx5_0:\n  0x0002c903000e0b73   1    1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>       @    1[  ] "leaf1" ( )\nCA: n2 mlx5_0:\n'
                 '  0x0002c903000e0b74   2    1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>       3    2[  ] "leaf1" ( )\n'],
    "topology.conf": ["SwitchName=a Nodes=n[1-@]\n", "BlockName=a Nodes=n[1-2]\nBlockSizes=@\n"],
    "lstopo": ["Machine (62GB total)\n  Package L#@\n    Core L#0\n      PU L#0 (P#0)\n    Core L#1\n      PU L#1 (P#1)\n", "Machine (62GB total)\n  Package L#0\n    Core L#0\n      PU L#0 (P#@)\n    Core L#1\n      PU L#1 (P#1)\n"],
    "json": [MACHINE.replace('"name": "b"', '"name": "b", "numa": @') % (5, 0, 1, 1), MACHINE.replace('"kind": "nvlink"', '"kind": "nvlink", "width": @') % (5, 0, 1, 1),
             MACHINE.replace('"places"', '"congestion": {"tau": @, "link_bandwidth_bytes_per_s": 1},\n"places"') % (5, 0, 1, 1)],
}
NODES = '{"apiVersion": "v1", "kind": "List", "items": [%s]}'
NODE = '{"kind": "Node", "metadata": {"name": "n%d", "labels": {"fabric.topograph.run/tier-%s": "s"}}}'
TOOLS |= {
    "flux.json": ['{"version": 1, "execution": {"R_lite": [{"rank": "0-@", "children": {"core": "0-3"}}], "nodelist": ["n[0-1]"]}}', '{"execution": {"R_lite": [], "nodelist": ["n[0-@]"]}}'],
    "kubernetes.json": [NODES % ", ".join([NODE % (1, "@"), NODE % (2, "@")])],
}
# Traces of jobs: one call whose numbers are wrong is refused, or named and left out.
GROUP = '{"rank": 0, "pg_config": {"0": {"name": "0", "ranks": "[0, %s]"}}, "entries": [{"process_group": ["0", "x"], "profiling_name": "nccl:all_reduce", "input_sizes": [[%s]], "input_dtypes": ["Float"]}]}'
CHAKRA = ('{"version": "0.0.4"}{"id": "1", "name": "n", "type": "COMM_COLL_NODE", "attr": [{"name": "comm_type", "int64Val": "%s"}, {"name": "comm_size", "int64Val": "%s"}, '
          '{"name": "ranks", "int64List": {"values": ["0", "%s"]}}]}')
NCCL = ("n1:7:9 [0] NCCL INFO ncclCommInitRank comm 0x1 rank %s nranks %s cudaDev 0 nvmlDev 0 busId 1000 commId 0xabc - Init COMPLETE\n"
        "n1:7:9 [0] NCCL INFO Broadcast: opCount 0 sendbuff 0x7f recvbuff 0x7f count %s datatype %s op 0 root %s comm 0x1 [nranks=2] stream 0x1\n")
INSPECTOR = '{"header":{"id":"0x1","rank":%s,"n_ranks":%s},"metadata":{"inspector_output_format_version":"v4.2","hostname":"n1","pid":%s},"coll_perf":{"coll":"AllReduce","coll_sn":1,"coll_msg_size_bytes":%s}}\n'
PARAVER = "#Paraver (28/11/2026 at 02:00):1000_ns:1(2):1:%s(1:1,1:1),1\n3:1:1:%s:1:10:20:2:1:%s:1:30:40:%s:7\n"
GOAL = "num_ranks %s\nrank %s {\nl1: send %sb to %s tag 5\n}\nrank 0 {\n}\n"
SIMGRID = "0 init\n1 init\n0 send %s 0 %s 0\n0 bcast %s 1 5\n1 bcast 100 1 5\n"
DUMPI = ("MPI_Comm_rank entering at walltime 1.0, cputime 0.0 seconds in thread 0.\nMPI_Comm comm=2 (MPI_COMM_WORLD)\nint rank=%s\n"
         "MPI_Comm_rank returning at walltime 1.0, cputime 0.0 seconds in thread 0.\nMPI_Send entering at walltime 1.0, cputime 0.0 seconds in thread 0.\n"
         "int count=%s\nMPI_Datatype datatype=9 (MPI_INT)\nint dest=%s\nint tag=0\nMPI_Comm comm=2 (MPI_COMM_WORLD)\nMPI_Send returning at walltime 1.0, cputime 0.0 seconds in thread 0.\n")

OTF2 = ('=== OTF2-PRINT ===\nCreator Score-P\nLOCATION %s Name: "a" <1>, Type: CPU_THREAD, # Events: 1, Group: "p" <0>\nLOCATION 1 Name: "b" <2>, Type: CPU_THREAD, # Events: 1, Group: "q" <1>\n'
        'GROUP 0 Name: "all" <3>, Type: COMM_LOCATIONS, Paradigm: MPI, Flags: NONE, %s Members: "a" <0>, "b" <1>\n'
        'GROUP 1 Name: "world" <3>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 2 Members: 0 ("a" <%s>), 1 ("b" <1>)\nCOMM %s Name: "world" <3>, Group: "world" <%s>, Parent: UNDEFINED\n'
        'RMA_WIN %s Name: "w" <3>, Communicator: "world" <%s>, Flags: NONE\nMPI_SEND %s 1 Receiver: %s ("b" <1>), Communicator: "world" <0>, Tag: 0, Length: %s\n'
        'MPI_COLLECTIVE_END 0 1 Operation: BCAST, Communicator: "world" <%s>, Root: %s ("a" <0>), Sent: %s, Received: %s\nRMA_PUT 0 1 Window: "w" <0>, Remote: %s ("b" <1>), Bytes: %s, Matching: 1\n')


def each(text, *right):
    """The text with '@' at one place after another, and right numbers elsewhere."""
    return [text % tuple("@" if at == place else number for at, number in enumerate(right)) for place in range(len(right))]


TRACES = {
    "rank0.json": each(GROUP, 1, 4), "c.0.json": each(CHAKRA, 0, 100, 1), "nccl.log": each(NCCL, 1, 2, 8, 7, 1), "inspector.log": each(INSPECTOR, 1, 2, 7, 9),
    "j.prv": each(PARAVER, 2, 1, 2, 512), "j.goal": each(GOAL, 2, 1, 10, 0), "si.txt": each(SIMGRID, 1, 100, 100), "dumpi-0.txt": each(DUMPI, 0, 3, 1),
    "otf2.txt": each(OTF2, 0, 2, 0, 0, 1, 0, 0, 0, 1, 9, 0, 0, 9, 9, 1, 9),
}
# Databases: values of a column, one of which is not what Nsight Systems writes there.
NSIGHT = {
    "StringIds": ("id, value", [(0, "MPI_Send"), (1, "MPI_Bcast")]),
    "MPI_RANKS": ("globalTid, rank", [(1 << 24, 0), (2 << 24, 1)]),
    "MPI_COMMUNICATORS": ("rank, commHandle, localRank, size, members", [(0, 7, 0, 2, "0,1"), (1, 7, 1, 2, "0,1")]),
    "MPI_P2P_EVENTS": ("globalTid, textId, commHandle, remoteRank, size", [(1 << 24, 0, 7, 1, 100)]),
    "MPI_COLLECTIVES_EVENTS": ("globalTid, textId, commHandle, rootRank, size, recvSize", [(1 << 24, 1, 7, 0, 8, 8), (2 << 24, 1, 7, 0, 8, 8)]),
}
VALUES = ("nan", "1e400", "0x10", "12abc", b"\0", None, float("inf"), 1.5, -5, -(1 << 63), 1 << 40, (1 << 63) - 1)
# What a broadcast does not need; MPI_PROC_NULL; a terabyte.
NOT_READ = {("MPI_COLLECTIVES_EVENTS", "recvSize"), ("MPI_P2P_EVENTS", "remoteRank", -5), ("MPI_P2P_EVENTS", "remoteRank", -(1 << 63)), ("MPI_P2P_EVENTS", "size", 1 << 40)}
# Where a word of WORDS is a right value.
MEANT = {("random:4:seed=@", "-1"), ("xml", "-1"), ("json", "-1")}


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def says(self, *words, content=None, name=None):
        if name:
            data = content if isinstance(content, bytes) else content.encode()
            (pathlib.Path(self.folder.name) / name).write_bytes(data)
        run = subprocess.run([PROGRAM, *words], cwd=self.folder.name, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        return run.returncode, run.stderr

    def assert_refused(self, command, name, text, word):
        """Exit status 3, and the line and column of the number."""
        status, told = self.says(*command, content=text.replace("@", word), name=name)
        where = text.index("@")
        line = text.count("\n", 0, where) + 1
        column = where - text.rfind("\n", 0, where)
        self.assertEqual(status, 3, f"{command} {text!r} with {word}\n{told}")
        self.assertRegex(told, rf"{re.escape(name)}:{line}(:\d+)?: ", f"{text!r} with {word}")
        # JSON is refused where a reader of JSON sees it, or at the object; a first row of a table may be one of names.
        if not name.endswith(".json") and (name, line) != ("m.csv", 1):
            self.assertIn(f"{name}:{line}:{column}: ", told, f"{text!r} with {word}")

    def test_files(self):
        for formats, command in ((TRAFFIC, ["traffic"]), (EXCHANGE, ["predict"]), (TOPOLOGY, ["topology"])):
            for name, texts in formats.items():
                for text in texts:
                    for word in WORDS:
                        with self.subTest(name, text=text, word=word):
                            self.assert_refused([*command, name, *(["preset:dgx1-v100"] if command == ["predict"] else [])], name, text, word)

    def test_texts_of_tools(self):
        for name, texts in TOOLS.items():
            for text in texts:
                whole = [self.says("topology", name, content=text.replace("@", number), name=name)[0] for number in ("0", "1", "4", "16", "EDR", "")]
                self.assertIn(0, whole, f"{name} {text!r}")
                line = text.count("\n", 0, text.index("@")) + 1
                for word in WORDS:
                    if (name, word) in MEANT:
                        continue
                    with self.subTest(name, text=text, word=word):
                        status, told = self.says("topology", name, content=text.replace("@", word), name=name)
                        self.assertIn(status, (0, 3), told)
                        self.assertRegex(told, rf"{name}:({line}:)?|{name}: ", f"{text!r} with {word}")

    def test_traces(self):
        for name, texts in TRACES.items():
            for text in texts:
                whole = [self.says("traffic", name, content=text.replace("@", number), name=name)[0] for number in ("0", "1", "2", "9")]
                self.assertIn(0, whole, f"{name} {text!r}")
                for word in WORDS:
                    if (name, word) in MEANT:
                        continue
                    with self.subTest(name, text=text, word=word):
                        status, told = self.says("traffic", name, content=text.replace("@", word), name=name)
                        self.assertIn(status, (0, 3), told)
                        self.assertRegex(told, rf"{re.escape(name)}(:\d+)*: ", f"{text!r} with {word}")

    def test_that_the_rest_of_each_file_is_right(self):
        for formats, command in ((TRAFFIC, ["traffic"]), (EXCHANGE, ["predict"]), (TOPOLOGY, ["topology"])):
            for name, texts in formats.items():
                for text in texts:
                    with self.subTest(name, text=text):
                        runs = [self.says(*command, name, *(["preset:dgx1-v100"] if command == ["predict"] else []), content=text.replace("@", number), name=name)
                                for number in ("1", "2")]
                        self.assertIn(0, [status for status, _ in runs], runs)

    def test_arrays(self):
        """NumPy's arrays hold the numbers themselves."""
        for number in (float("nan"), float("inf"), float("-inf"), -1.0):
            header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"
            header += b" " * (118 - len(header) - 1) + b"\n"
            data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<4d", 0, number, 1, 0)
            status, told = self.says("traffic", "a.npy", content=data, name="a.npy")
            self.assertEqual(status, 3, told)
            self.assertIn("a.npy: ", told)

    def write_report(self, tables):
        """A report of Nsight Systems with these rows."""
        path = pathlib.Path(self.folder.name) / "r.sqlite"
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as database:
            for table, (columns, rows) in tables.items():
                database.execute(f"CREATE TABLE {table} ({columns})")
                database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
            database.commit()

    def test_databases(self):
        self.write_report(NSIGHT)
        self.assertEqual(self.says("traffic", "r.sqlite"), (0, ""))
        for table, (columns, rows) in NSIGHT.items():
            for (at, column), value in itertools.product(enumerate(columns.split(", ")), VALUES):
                if (table, column) in NOT_READ or (table, column, value) in NOT_READ:
                    continue
                with self.subTest(table, column=column, value=value):
                    changed = [tuple(value if place == at else right for place, right in enumerate(rows[0])), *rows[1:]]
                    self.write_report(NSIGHT | {table: (columns, changed)})
                    status, told = self.says("traffic", "r.sqlite")
                    self.assertIn(status, (0, 3), told)
                    self.assertIn("r.sqlite: ", told)

    def test_descriptions_and_patterns(self):
        for word in WORDS:
            for description in DESCRIPTIONS:
                before, after = description.rsplit("@", 1)
                with self.subTest(description, word=word):
                    status, told = self.says("topology", before + word + after)
                    self.assertIn(status, (2, 3), told)
                    self.assertIn(word, told)
            for pattern in PATTERNS:
                if (pattern, word) in MEANT:
                    continue
                with self.subTest(pattern, word=word):
                    status, told = self.says("traffic", "pattern:" + pattern.replace("@", word))
                    self.assertIn(status, (2, 3), told)

    def test_options(self):
        for option in OPTIONS:
            for word in WORDS:
                name = re.findall(r"--[a-z-]+", option[:option.rindex("@")])[-1]
                with self.subTest(option, word=word):
                    words = [before + word + after if found else part for part in option.split() for before, found, after in [part.rpartition("@")]]
                    status, told = self.says(*words)
                    self.assertEqual(status, 2, told)
                    self.assertIn(name, told)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
