#!/usr/bin/env python3
"""Compiles the source of the kernels for AMD GPUs, and prints the table of docs/models/allreduce.md; needs no GPU:

    bench/gpu/assemble_amd.py GPU_BENCH [--hiprtc FOLDER] [--check PAGE]

GPU_BENCH is the program that prints the source which topowise gives to hiprtc. clang 14 compiles it, for the generations that it knows. With
--hiprtc the HIP library in FOLDER (Debian's libamdhip64-5 and what it needs, unpacked there by tools/install-deps.sh wide) compiles each kernel as it
does in a job. With --check the rows of PAGE must be those that come out."""

import argparse
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys

GENERATIONS = {"gfx906": "MI50", "gfx908": "MI100", "gfx90a": "MI210, MI250X", "gfx1030": "RX 6800"}
HEAD = ["| GPUs | compiled for | kernels | most vector registers | spilled | widest load: bits of 8-, 16-, 32-, 64-bit types |",
        "| --- | --- | --- | --- | --- | --- |"]
OPTIONS = ["-std=c++20", "-O3", "-fno-slp-vectorize"]  # those of topowise/device/hip.cpp
WIDTHS = {"": 32, "x2": 64, "x3": 96, "x4": 128}
BY_SIZE = {8: "u8", 16: "bf16", 32: "f32", 64: "f64"}


def source_of(program):
    """What comes before the kernels, and the line of each kernel."""
    text, _, lines = subprocess.run([program, "source"], capture_output=True, text=True, check=True).stdout.partition("--- kernels\n")
    return text, lines.splitlines()


def row(text, lines, generation):
    compiler = shutil.which("clang++-14") or "clang++"
    command = [compiler, "-x", "hip", "--cuda-device-only", f"--offload-arch={generation}", "-nogpuinc", "-nogpulib", *OPTIONS, "-Wall", "-Werror", "-S", "-o", "-", "-"]
    made = subprocess.run(command, input=text + "\n".join(lines) + "\n", capture_output=True, text=True)
    if made.returncode:
        sys.exit(made.stderr)
    registers = [int(number) for number in re.findall(r"\.vgpr_count: +(\d+)", made.stdout)]
    memory = sum(int(number) for number in re.findall(r"\.vgpr_spill_count: +(\d+)", made.stdout))
    memory += len(re.findall(r"^\s+(?:buffer|scratch)_(?:load|store)", made.stdout, re.MULTILINE))  # a thread's own memory
    bodies = dict(re.findall(r"^topowise_fold_sum_(\w+):(.*?)s_endpgm", made.stdout, re.MULTILINE | re.DOTALL))
    widest = [max(WIDTHS[width] for width in re.findall(r"(?:flat|global)_load_dword(x\d)?\b", bodies[BY_SIZE[size]])) for size in BY_SIZE]
    return f"| {GENERATIONS[generation]} | `{generation}` | {len(registers)} | {max(registers)} | {memory or 'none'} | {', '.join(map(str, widest))} |"


def compile_by_hiprtc(folder, text, lines, generation):
    """Bytes of the code of all kernels, each compiled alone."""
    for name in ("libhsakmt.so.1", "libamd_comgr.so.2", "libhiprtc-builtins.so.5", "libhsa-runtime64.so.1"):  # they find each other by these names
        (path,) = pathlib.Path(folder).rglob(name)
        ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    (path,) = pathlib.Path(folder).rglob("libamdhip64.so.5")
    library = ctypes.CDLL(str(path))
    options = [option.encode() for option in (f"--offload-arch={generation}", *OPTIONS)]
    total = 0
    for line in lines:
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        library.hiprtcCreateProgram(ctypes.byref(program), f"{text}{line}\n".encode(), b"topowise_folds.hip", 0, None, None)
        if library.hiprtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)) != 0:
            library.hiprtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            library.hiprtcGetProgramLog(program, log)
            sys.exit(f"hiprtc does not compile '{line}':\n{log.value.decode()}")
        library.hiprtcGetCodeSize(program, ctypes.byref(size))
        code = ctypes.create_string_buffer(size.value)
        library.hiprtcGetCode(program, code)
        operation, _, element, _ = re.match(r"TOPOWISE_FOLD_KERNEL\((\w+), (\w+), (\w+), (.*)\)", line).groups()
        if not code.raw.startswith(b"\x7fELF") or f"topowise_fold_{operation}_{element}.kd".encode() not in code.raw:
            sys.exit(f"the code that hiprtc makes of '{line}' has no such kernel")
        total += size.value
        library.hiprtcDestroyProgram(ctypes.byref(program))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpu_bench")
    parser.add_argument("--hiprtc", metavar="FOLDER")
    parser.add_argument("--check", metavar="PAGE")
    arguments = parser.parse_args()
    text, lines = source_of(arguments.gpu_bench)
    table = HEAD + [row(text, lines, generation) for generation in GENERATIONS]
    print("\n".join(table))
    if arguments.hiprtc:
        print(f"by hiprtc, for gfx90a: {len(lines)} kernels, {compile_by_hiprtc(arguments.hiprtc, text, lines, 'gfx90a')} bytes")
    if arguments.check and "\n".join(table) not in pathlib.Path(arguments.check).read_text():
        sys.exit(f"{arguments.check} has another table")


if __name__ == "__main__":
    main()
