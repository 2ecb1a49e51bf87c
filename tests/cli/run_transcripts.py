#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs transcripts: text files that contain commands with the output that each must give.

    A comment: any line that is not indented.
      $ topowise traffic pattern:ring:4 | head -1      a command (a shell line), indented by two blanks
      > continues the command                          more lines of it
      pattern:ring:4: 4 ranks, ...                     the expected output, standard error included
      [3]                                              the exit status, if it is not 0

An expected line that ends in " (re)" is a regular expression; in one that ends in " (glob)", '*' stands for any text; a line "..." stands for any
lines. Each file runs in an empty directory of its own, without inherited variables that would change the output (launchers, GPU lists, colours).
`--update` writes the actual output back.
"""
import argparse
import difflib
import fnmatch
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mpi"))
import job_folder  # noqa: E402

INDENT = "  "
SKIPPED = 77
SECONDS_PER_COMMAND = 1800  # a guard against hangs
INHERITED_NOISE = re.compile(r"^(OMPI_|PMI_|PMIX_|MPI_LOCAL|SLURM_|FLUX_|PALS_|PBS_|LSB_|SGE_|PE_HOSTFILE|COBALT_|JOB_ID|MV2_|TORCHELASTIC_|CUDA_|HIP_|ROCR_|ZE_"
                             r"|TOPOWISE_|LD_PRELOAD|NO_COLOR|COLUMNS)")


class Step:
    """One command with its expected output; `lines` are the file's lines up to the next command."""

    def __init__(self):
        self.command = []
        self.expected = []
        self.status = 0


def parse(text):
    """Returns comments (str) and Steps, in the file's order."""
    parts = []
    for line in text.splitlines():
        if line.startswith(INDENT + "$ "):
            parts.append(Step())
            parts[-1].command.append(line[4:])
        elif line.startswith(INDENT + "> ") and parts and isinstance(parts[-1], Step) and not parts[-1].expected:
            parts[-1].command.append(line[4:])
        elif line.startswith(INDENT) and parts and isinstance(parts[-1], Step):
            status = re.fullmatch(r"  \[(\d+)\]", line)
            if status:
                parts[-1].status = int(status.group(1))
            else:
                parts[-1].expected.append(line[2:])
        else:
            parts.append(line)
    return parts


def matches(expected, actual):
    """Whether the lines agree; '...' stands for any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    if not actual:
        return False
    return line_matches(expected[0], actual[0]) and matches(expected[1:], actual[1:])


def line_matches(expected, actual):
    if expected == actual:
        return True
    if expected.endswith(" (re)"):
        return re.fullmatch(expected[:-5], actual) is not None
    if expected.endswith(" (glob)"):
        return fnmatch.fnmatchcase(actual, re.sub(r"([\[\]?])", r"[\1]", expected[:-7]))
    return False


def environment(program, sources, jobs):
    result = {name: value for name, value in os.environ.items() if not INHERITED_NOISE.match(name)}
    result["PATH"] = f"{program.parent}{os.pathsep}{result.get('PATH', '')}"
    result["SOURCES"] = str(sources)  # for files of the project
    result["LC_ALL"] = "C.UTF-8"
    result["TERM"] = "dumb"
    result[job_folder.VARIABLE] = jobs
    return result


def run_step(step, folder, env):
    done = subprocess.run(["bash", "-c", "\n".join(step.command)], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_PER_COMMAND)
    return done.stdout.decode("utf-8", "replace").splitlines(), done.returncode


def missing_requirement(text):
    """The programs that a line '#requires NAME...' names: without them the file is skipped."""
    for line in text.splitlines():
        if line.startswith("#requires "):
            for name in line.split()[1:]:
                if subprocess.run(["bash", "-c", f"command -v {name}"], capture_output=True).returncode != 0:
                    return name
    return None


def run_file(path, program, sources, update):
    """True if everything was as expected, None if the file was skipped."""
    text = path.read_text()
    lacking = missing_requirement(text)
    if lacking:
        print(f"SKIP {path.name}: '{lacking}' is not installed")
        return None
    good = True
    output = []
    with tempfile.TemporaryDirectory(prefix="topowise-") as folder, job_folder.job_folder() as jobs:
        for part in parse(text):
            if isinstance(part, str):
                output.append(part)
                continue
            actual, status = run_step(part, folder, environment(program, sources, jobs))
            output += [f"{INDENT}{'$' if i == 0 else '>'} {line}" for i, line in enumerate(part.command)]
            as_expected = matches(part.expected, actual) and status == part.status
            output += [INDENT + line for line in (part.expected if as_expected else actual)]
            shown = part.status if as_expected else status
            output += [f"{INDENT}[{shown}]"] if shown else []
            if not as_expected:
                good = False
                print(f"{path.name}: $ {part.command[0]}")
                print("\n".join(difflib.unified_diff(part.expected, actual, "expected", "actual", lineterm="")))
                if status != part.status:
                    print(f"exit status {status} instead of {part.status}")
    if update and not good:
        path.write_text("\n".join(output) + "\n")
    return good


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", type=Path, required=True)
    arguments.add_argument("--update", action="store_true", help="write the actual output into the files")
    arguments.add_argument("files", type=Path, nargs="+")
    given = arguments.parse_args()
    if not os.access(given.program, os.X_OK):
        arguments.error(f"no program at {given.program}")
    sources = Path(__file__).resolve().parents[2]
    results = [run_file(path, given.program.resolve(), sources, given.update) for path in given.files]
    if any(result is False for result in results):
        return 1
    if any(result is None for result in results) and os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
        return 1
    return SKIPPED if all(result is None for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
