#!/usr/bin/env python3
"""Runs NVIDIA's assembler on the kernels' PTX, for every generation of GPUs, and prints the tables of docs/models/allreduce.md; needs no GPU:

    bench/gpu/assemble.py FOLDER [--check PAGE]

FOLDER holds the packages nvidia-cuda-nvcc-cu11, -cu12, nvidia-cuda-nvcc and nvidia-cuda-nvdisasm of PyPI, each installed by
`pip install --target FOLDER/...` (tools/install-deps.sh wide does that). What a kernel reads, and when, is taken from the machine code, for the generations
that NVIDIA's disassembler still knows. With --check the tables of PAGE must be those that come out, and every kernel must read 16 bytes at once, without
a jump while it folds, and two vectors before it computes with the first."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

DEVICE = pathlib.Path(__file__).parents[2] / "topowise/device"
# Generation -> the version of CUDA that assembles for it here, whether its machine code can be read, and examples of its GPUs.
GENERATIONS = {"sm_35": ("11", False, "K20, K40"), "sm_37": ("11", False, "K80"), "sm_50": ("12", False, "M60"), "sm_60": ("12", False, "P100"),
               "sm_70": ("12", False, "V100"), "sm_75": ("13", True, "T4"), "sm_80": ("13", True, "A100"), "sm_86": ("13", True, "A40"),
               "sm_89": ("13", True, "L40S"), "sm_90": ("13", True, "H100"), "sm_100": ("13", True, "B200"), "sm_120": ("13", True, "RTX 5090")}
HEAD = ["| GPUs | assembled for | kernels | most registers | spilled | bits that one load takes | loads before the first computation |",
        "| --- | --- | --- | --- | --- | --- | --- |"]
ELEMENTS = ["u8", "i16", "u32", "u64", "f16", "bf16", "f32", "f64", "c64", "f64i32"]
TABLE_OF = ["sm_35", "sm_70", "sm_80", "sm_90", "sm_100"]  # generations of the table by type
# GPU -> generation, bytes a second of its memory, multiprocessors, by NVIDIA's data sheets.
MEMORIES = {"A100 SXM 80 GB": ("sm_80", 2.039e12, 108), "H100 SXM": ("sm_90", 3.35e12, 132), "B200": ("sm_100", 8e12, 148)}
THREADS, REGISTERS, MOST_THREADS, REGISTER_UNIT, GROUP = 256, 65536, 2048, 8, 16
MORE_REGISTERS = {"sm_37": 131072}


def program(folder, version, name):
    (found,) = [path for path in pathlib.Path(folder).glob(f"{version}/**/{name}") if path.is_file()]
    found.chmod(0o755)
    return found


def is_rounded_by_the_gpu(generation):
    return int(generation.removeprefix("sm_")) >= 80


class Kernel:
    def __init__(self, registers, spilled):
        self.registers, self.spilled, self.code = registers, spilled, None

    def widest(self):
        return max(int(width) for width in re.findall(r"\bLDG?\.E\.(\d+)", self.code))

    def is_grouped(self):
        return "LDG.E.128" in self.code

    def reads_ahead(self):
        """How many loads of 16 bytes the kernel has begun when it first computes with one of them, in its loop over pairs of vectors."""
        begun, loaded = 0, set()
        for instruction in self.code.splitlines():
            if found := re.search(r"\bLDG\.E\.128(?:\.\w+)* R(\d+), (.*)", instruction):
                if loaded & set(re.findall(r"\bR\d+\b", found[2])):
                    break
                begun += 1
                loaded |= {f"R{int(found[1]) + k}" for k in range(4)}
            elif begun and (loaded & set(re.findall(r"\bR\d+\b", instruction)) or re.search(r"\bBRA\b", instruction)):
                break
        return begun

    def parts_threads(self):
        """Whether threads may go different ways while vectors are folded in groups."""
        return re.search(r"LDG\.E\.128.*\bBSSY\b.*LDG\.E\.128", self.code, re.DOTALL) is not None


def assembled(folder, generation):
    """The kernels that a GPU of this generation gets, by name."""
    version, readable, _ = GENERATIONS[generation]
    kernels = {}
    for name in ["folds", "folds_sm80"][:1 + is_rounded_by_the_gpu(generation)]:
        with tempfile.NamedTemporaryFile(suffix=".cubin") as binary:
            command = [program(folder, version, "ptxas"), "-v", f"-arch={generation}", DEVICE / f"{name}.ptx", "-o", binary.name]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
            for kernel, spilled, registers in re.findall(r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores.*?Used (\d+) registers", said, re.DOTALL):
                kernels[kernel] = Kernel(int(registers), int(spilled))
            if not readable:
                continue
            code = subprocess.run([program(folder, "13", "nvdisasm"), "-c", binary.name], capture_output=True, text=True, check=True).stdout
            for kernel, text in re.findall(r"\.section\s+\.text\.(\w+),(.*?)(?=\.section\s|\Z)", code, re.DOTALL):
                kernels[kernel].code = "\n".join(re.findall(r"^\.L\S+:|(?<=\*/).*;", text, re.MULTILINE))
    return kernels


def common(values):
    return ", ".join(map(str, sorted(set(values))))


def row(generation, kernels):
    _, readable, gpus = GENERATIONS[generation]
    spilled = sum(kernel.spilled for kernel in kernels.values())
    read = [common(kernel.widest() for kernel in kernels.values()), common(kernel.reads_ahead() for kernel in kernels.values())] if readable else ["not read"] * 2
    return f"| {gpus} | `{generation}` | {len(kernels)} | {max(kernel.registers for kernel in kernels.values())} | {f'{spilled} bytes' if spilled else 'none'} | {' | '.join(read)} |"


def by_type(all_kernels):
    """Registers of the kernel of each type that needs the most."""
    yield "| type | " + " | ".join(f"`{generation}`" for generation in TABLE_OF) + " |"
    yield "| --- |" + " --- |" * len(TABLE_OF)
    for element in ELEMENTS:
        cells = []
        for generation in TABLE_OF:
            of_type = [kernel for name, kernel in all_kernels[generation].items() if name.rsplit("_", 1)[1] == element]
            cells.append(str(max(kernel.registers for kernel in of_type)))
        yield f"| {element} | " + " | ".join(cells) + " |"


def in_flight(generation, registers, vectors):
    """Bytes under way on one multiprocessor when all its threads have begun to read."""
    by_registers = MORE_REGISTERS.get(generation, REGISTERS) // (-(-registers // REGISTER_UNIT) * REGISTER_UNIT * THREADS)
    return min(by_registers, MOST_THREADS // THREADS) * THREADS * vectors * GROUP


def little(all_kernels):
    """Little's law: what is under way is the memory's rate times its latency."""
    yield "| GPU | memory | bytes a multiprocessor must have under way for each 100 ns | under way, one input | two and more | busy up to a latency of, one input | two and more |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for gpu, (generation, rate, processors) in MEMORIES.items():
        most = max(kernel.registers for kernel in all_kernels[generation].values())
        flight = [in_flight(generation, most, vectors) for vectors in (1, 2)]
        latency = [bytes_ * processors / rate * 1e9 for bytes_ in flight]
        yield (f"| {gpu} | {rate / 1e12:.2f} TB/s | {rate * 100e-9 / processors:.0f} | {flight[0] // 1024} KiB | {flight[1] // 1024} KiB "
               f"| {latency[0]:.0f} ns | {latency[1]:.0f} ns |")


def faults(all_kernels):
    for generation, kernels in all_kernels.items():
        for name, kernel in kernels.items():
            if kernel.spilled:
                yield f"{generation}: {name} spills registers"
            if in_flight(generation, kernel.registers, 1) < 16 << 10:
                yield f"{generation}: {name} has less than 16 KiB under way"
            if kernel.code and not kernel.is_grouped():
                yield f"{generation}: {name} does not read 16 bytes at once"
            elif kernel.code and kernel.reads_ahead() < 2:
                yield f"{generation}: {name} computes with a vector before it reads the next"
            if kernel.code and kernel.parts_threads():
                yield f"{generation}: {name} jumps while it folds"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--check", metavar="PAGE")
    arguments = parser.parse_args()
    all_kernels = {generation: assembled(arguments.folder, generation) for generation in GENERATIONS}
    tables = ["\n".join(table) for table in (HEAD + [row(*item) for item in all_kernels.items()], by_type(all_kernels), little(all_kernels))]
    print("\n\n".join(tables))
    wrong = list(faults(all_kernels))
    if arguments.check:
        page = pathlib.Path(arguments.check).read_text()
        wrong += [f"{arguments.check} has another table:\n{table}" for table in tables if table not in page]
        if wrong:
            sys.exit("\n".join(wrong))
    elif wrong:
        print("\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
