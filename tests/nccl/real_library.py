#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The plugin under a real NCCL, without a GPU:  real_library.py LIBNCCL RECORDER TOPOWISE

Started by hand: the library comes with the Python package nvidia-nccl-cu12 and is too large for a test. Without a GPU it makes no communicator. But its
own code that opens and calls the plugin can be reached by the addresses in its symbol table:

  1. ncclProfilerPluginInit(), which reads NCCL_PROFILER_PLUGIN, opens the plugin, and calls the newest version that both know, with a
     communicator of zeros;
  2. from NCCL 2.32 on, getNcclProfiler_v1() to _v7(): the library's translation of its events to each older version. Two ranks each tell an
     allreduce of 1000 floats, a broadcast and a message; the profile is read again.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

SELF = os.path.abspath(__file__)
ROOM = 64 << 20  # larger than the structure of any communicator
COLLECTIVE, MESSAGE = 2, 4


class Collective(ctypes.Structure):
    _fields_ = [("seqNumber", ctypes.c_uint64), ("func", ctypes.c_char_p), ("sendBuff", ctypes.c_void_p), ("recvBuff", ctypes.c_void_p),
                ("count", ctypes.c_size_t), ("root", ctypes.c_int), ("datatype", ctypes.c_char_p), ("nChannels", ctypes.c_uint8),
                ("nWarps", ctypes.c_uint8), ("algo", ctypes.c_char_p), ("proto", ctypes.c_char_p), ("parentGroup", ctypes.c_void_p),
                ("kernelVariant", ctypes.c_char_p), ("isSymColl", ctypes.c_bool), ("userTag", ctypes.c_uint64)]


class Message(ctypes.Structure):
    _fields_ = [("func", ctypes.c_char_p), ("buff", ctypes.c_void_p), ("datatype", ctypes.c_char_p), ("count", ctypes.c_size_t), ("peer", ctypes.c_int),
                ("nChannels", ctypes.c_uint8), ("parentGroup", ctypes.c_void_p), ("userTag", ctypes.c_uint64)]


class Described(ctypes.Union):
    _fields_ = [("coll", Collective), ("p2p", Message), ("room", ctypes.c_char * 512)]


class Event(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint64), ("parentObj", ctypes.c_void_p), ("rank", ctypes.c_int), ("of", Described)]


INIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint64, ctypes.POINTER(ctypes.c_int), ctypes.c_char_p, ctypes.c_int,
                        ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
START = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(Event))


class Profiler(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("init", INIT), ("startEvent", START), ("stopEvent", ctypes.c_void_p), ("recordEventState", ctypes.c_void_p),
                ("finalize", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p))]


def addresses(library):
    """name -> address in this process, also for symbols that are not exported."""
    lines = subprocess.run(["nm", library], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    offsets = {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}
    with open("/proc/self/maps") as maps:
        base = min(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(os.path.basename(library)) and os.path.realpath(library) in line)
    return {name: base + offset for name, offset in offsets.items()}


def call(address, result, *arguments):
    return ctypes.CFUNCTYPE(result, *(ctypes.c_void_p for _ in arguments))(address)(*arguments)


def open_by_the_library(library):
    """Runs in a process of its own."""
    ctypes.CDLL(library)
    comm = ctypes.create_string_buffer(ROOM)
    status = call(addresses(library)["_Z22ncclProfilerPluginInitP8ncclComm"], ctypes.c_int, ctypes.addressof(comm))
    print("ncclProfilerPluginInit", status, flush=True)


def tell(library, recorder, version, rank):
    """Runs in a process of its own: the reports of one of two ranks, by one version."""
    ctypes.CDLL(library)
    plugin = ctypes.CDLL(recorder)
    sys.stdin.read()  # waits until both ranks are here, as when a communicator is made
    profiler = ctypes.cast(call(addresses(library)[f"_Z18getNcclProfiler_v{version}Pv"], ctypes.c_void_p, plugin._handle), ctypes.POINTER(Profiler)).contents
    context, mask, handle = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_void_p()
    assert profiler.init(ctypes.byref(context), 0x1234, ctypes.byref(mask), b"name", 1, 2, rank, None) == 0
    assert mask.value & COLLECTIVE and mask.value & MESSAGE, mask.value
    for function, count, kind, root in ((b"AllReduce", 1000, b"ncclFloat32", 0), (b"Broadcast", 300, b"ncclInt8", 1)):
        event = Event(type=COLLECTIVE, rank=rank)
        event.of.coll = Collective(func=function, count=count, root=root, datatype=kind, nChannels=4, algo=b"RING", proto=b"SIMPLE")
        assert profiler.startEvent(context, ctypes.byref(handle), ctypes.byref(event)) == 0
    event = Event(type=MESSAGE, rank=rank)
    event.of.p2p = Message(func=b"Send" if rank == 0 else b"Recv", count=7, datatype=b"ncclFloat64", peer=1 - rank, nChannels=1)
    assert profiler.startEvent(context, ctypes.byref(handle), ctypes.byref(event)) == 0
    assert profiler.finalize(context) == 0


def main(library, recorder, topowise):
    library = os.path.realpath(library)
    environment = os.environ | {"NCCL_PROFILER_PLUGIN": recorder, "NCCL_DEBUG": "INFO", "WORLD_SIZE": "2", "LD_PRELOAD": recorder}
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([sys.executable, SELF, "open", library], env=environment | {"TOPOWISE_PROFILE": folder, "RANK": "0"}, capture_output=True,
                                text=True, check=True)
        print("\n".join(line for line in result.stdout.splitlines() if "rofiler" in line or "PROFILER" in line))
    exported = subprocess.run(["nm", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    if "_Z18getNcclProfiler_v7Pv" not in exported:
        return
    for version in range(1, 8):
        with tempfile.TemporaryDirectory() as folder:
            ranks = [subprocess.Popen([sys.executable, SELF, "tell", library, recorder, str(version), str(rank)], stdin=subprocess.PIPE,
                                      env=environment | {"TOPOWISE_PROFILE": folder, "RANK": str(rank), "NCCL_DEBUG": "WARN"}) for rank in range(2)]
            for process in ranks:
                process.stdin.close()
            assert [process.wait() for process in ranks] == [0, 0]
            read = subprocess.run([topowise, "traffic", folder, "--json"], stdout=subprocess.PIPE, text=True, check=True)
            sent = {(e["source"], e["destination"]): e["bytes"] for e in json.loads(read.stdout)["entries"]}
            expected = {(0, 1): 4000 + 56, (1, 0): 4000 + 300}
            print(f"version {version}:", "as told" if sent == expected else f"{sent}, not {expected}")


if sys.argv[1] == "open":
    open_by_the_library(sys.argv[2])
elif sys.argv[1] == "tell":
    tell(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
else:
    main(*sys.argv[1:4])
