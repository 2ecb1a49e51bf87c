#!/usr/bin/env python3
"""Runs NVIDIA's assembler on the kernels' PTX, for every generation of GPUs, and prints the table of docs/models/allreduce.md; needs no GPU:

    bench/gpu/assemble.py FOLDER [--check PAGE]

FOLDER holds the packages nvidia-cuda-nvcc-cu11, -cu12 and nvidia-cuda-nvcc of PyPI, each installed by `pip install --target FOLDER/...`
(tools/install-deps.sh wide does that). With --check the rows of PAGE must be those that come out."""

import argparse
import pathlib
import re
import subprocess
import sys

PTX = pathlib.Path(__file__).parents[2] / "topowise/device/folds.ptx"
# Generation -> the first version of CUDA that assembles for it here, and examples of its GPUs.
GENERATIONS = {"sm_35": ("11", "K20, K40"), "sm_37": ("11", "K80"), "sm_50": ("12", "M60"), "sm_60": ("12", "P100"), "sm_70": ("12", "V100"),
               "sm_75": ("13", "T4"), "sm_80": ("13", "A100"), "sm_86": ("13", "A40"), "sm_89": ("13", "L40S"), "sm_90": ("13", "H100"),
               "sm_100": ("13", "B200"), "sm_120": ("13", "RTX 5090")}
HEAD = ["| GPUs | assembled for | kernels | most registers | spilled |", "| --- | --- | --- | --- | --- |"]


def assembler(folder, version):
    (found,) = [path for path in pathlib.Path(folder).glob(f"{version}/**/ptxas") if path.is_file()]
    found.chmod(0o755)
    return found


def row(folder, generation):
    version, gpus = GENERATIONS[generation]
    command = [assembler(folder, version), "-v", f"-arch={generation}", PTX, "-o", "/dev/null"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    registers = [int(number) for number in re.findall(r"Used (\d+) registers", said)]
    spilled = sum(int(number) for number in re.findall(r"(\d+) bytes spill stores", said))
    return f"| {gpus} | `{generation}` | {len(registers)} | {max(registers)} | {f'{spilled} bytes' if spilled else 'none'} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--check", metavar="PAGE")
    arguments = parser.parse_args()
    table = HEAD + [row(arguments.folder, generation) for generation in GENERATIONS]
    print("\n".join(table))
    if arguments.check and "\n".join(table) not in pathlib.Path(arguments.check).read_text():
        sys.exit(f"{arguments.check} has another table")


if __name__ == "__main__":
    main()
