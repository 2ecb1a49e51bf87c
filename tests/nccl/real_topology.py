#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A real NCCL, without a GPU, reads the file that --emit nccl-topo writes:  real_topology.py LIBNCCL TOPOWISE MACHINE [SM]

Started by hand, like real_library.py. It calls two functions of the library by the addresses in the symbol table: the reader of NCCL_TOPO_FILE
(ncclTopoGetXmlFromFile), and the function that makes the topology from it (ncclTopoGetSystemFromXml). Between the two, NCCL would ask the driver and
the system for what the file leaves out. Here it is added: numbers and compute capability of GPUs (SM [90]), processors, NIC numbers. MACHINE is any
TOPOLOGY with bus ids. Prints what NCCL understood: GPUs, NICs, switches and links.
"""
import ctypes
import os
import re
import subprocess
import sys

SELF = os.path.abspath(__file__)


def addresses(library):
    """name -> address in this process, also for symbols that are not exported."""
    lines = subprocess.run(["nm", library], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    offsets = {words[2]: int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}
    with open("/proc/self/maps") as maps:
        base = min(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(os.path.basename(library)))
    return {name: base + offset for name, offset in offsets.items()}


def call(address, *arguments):
    return ctypes.CFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p for _ in arguments))(address)(*arguments)


def completed(text, capability):
    """Adds what NCCL itself would add."""
    numbers = iter(range(1000))
    # NCCL makes a <gpu> for a device of its own that has none.
    text = re.sub(r'(<pci busid="[^"]*" class="0x030200"[^>]*[^/])/>', r"\1><gpu/></pci>", text)
    text = re.sub(r"<gpu(?=[/>])", lambda _: '<gpu dev="{0}" sm="{1}" rank="{0}" gdr="1"'.format(next(numbers), capability), text)
    nets = iter(range(1000))
    text = re.sub(r"<net ", lambda _: f'<net dev="{next(nets)}" speed="200000" port="1" latency="0" guid="0x1" maxconn="1" gdr="1" ', text)
    text = re.sub(r"<cpu ", '<cpu host_hash="0x1" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143" ', text)
    text = re.sub(r'<pci (busid="[^"]*" class="[^"]*")(?! link)', r'<pci \1 link_speed="16.0 GT/s PCIe" link_width="16"', text)
    return text


def read(library, path):
    ctypes.CDLL(library)
    known = addresses(library)
    nodes = 1024
    xml = ctypes.create_string_buffer(64 << 20)
    ctypes.cast(xml, ctypes.POINTER(ctypes.c_int))[1] = nodes  # {maxIndex, maxNodes, nodes[]}; before 2.22 the nodes follow directly after the first field
    from_file = known["_Z22ncclTopoGetXmlFromFilePKcP7ncclXmli"]
    assert call(from_file, ctypes.cast(ctypes.c_char_p(path.encode()), ctypes.c_void_p), ctypes.addressof(xml), 1) == 0, "not read"
    system = ctypes.c_void_p()
    assert call(known["_Z24ncclTopoGetSystemFromXmlP7ncclXmlPP14ncclTopoSystemm"], ctypes.addressof(xml), ctypes.addressof(system), 1) == 0, "no topology"
    assert call(known["_Z13ncclTopoPrintP14ncclTopoSystem"], system) == 0


def main(library, topowise, machine, capability="90"):
    places = subprocess.run([topowise, "topology", machine, "--matrix", "level"], stdout=subprocess.PIPE, text=True, check=True).stdout
    gpus = len(re.findall(r"^ *\S+", places, re.M)) - 1
    text = subprocess.run([topowise, "map", f"pattern:ring:{gpus}", machine, "--emit", "nccl-topo"], stdout=subprocess.PIPE, text=True, check=True).stdout
    path = f"/tmp/topowise-real-topology-{os.getpid()}.xml"
    try:
        with open(path, "w") as file:
            file.write(completed(text, capability))
        printed = subprocess.run([sys.executable, SELF, "read", os.path.realpath(library), path], env=os.environ | {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "GRAPH"},
                                 stdout=subprocess.PIPE, text=True, check=False)
        print(re.sub(r"^.*NCCL INFO ", "", printed.stdout, flags=re.M), end="")
        sys.exit(printed.returncode)
    finally:
        os.remove(path)


if __name__ == "__main__":
    read(*sys.argv[2:4]) if sys.argv[1] == "read" else main(*sys.argv[1:])
