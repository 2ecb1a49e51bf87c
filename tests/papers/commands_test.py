#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands that a reader types: each `topowise` command in the command column of docs/papers ends well as it is written there. Commands that measure
run on a simulated node, with few and short messages. Other tests have the commands on files of the reader's own (app.traffic, ./app, FILE).
Usage: commands_test.py TOPOWISE"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from rows_test import PAGES, rows_of  # noqa: E402

PROGRAM = Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else Path("topowise")
LIBRARIES = PROGRAM.parent.parent / "lib"
OF_THE_READER = {"app.traffic", "./app", "FILE"}
SHORT = {
    "probe": "--sizes 64KiB,128KiB --repetitions 2",
    "congestion": "--sizes 4KiB --repetitions 1 --warm-up 0 --sets 2 --transfers 2",
    "allreduce": "--sizes 4B --repetitions 1 --warm-up 0 --gpus 1",
}


def commands():
    for page in sorted(PAGES.glob("*.md")):
        for name, cells in rows_of(page):
            for span in re.findall(r"`([^`]+)`", cells[2]):
                words = shlex.split(span)
                if words[0] == "topowise" and not OF_THE_READER & set(words):
                    yield page.stem, name, words[1:]


def shortened(words):
    """A command that measures, without the options that get other values here."""
    verb = words[1] if words[0] == "bench" else words[0]
    if verb not in SHORT or "--explain" in words:
        return words
    one_set = verb == "congestion" and "--messages" in words  # instead of the sets of other commands
    options = shlex.split(SHORT[verb].replace("--sets 2 --transfers 2", "") if one_set else SHORT[verb])
    kept, skip = [], False
    for word in words:
        if not skip and word not in options[::2]:
            kept.append(word)
        skip = word in options[::2]
    return [*kept, *options]


class Commands(unittest.TestCase):
    def test_each_ends_well(self):
        environment = os.environ | {"TOPOWISE_CUDA_LIBRARY": str(LIBRARIES / "libtopowise_fake_cuda.so"), "TOPOWISE_HIP_LIBRARY": "/nowhere",
                                    "TOPOWISE_NVML_LIBRARY": str(LIBRARIES / "libtopowise_fake_nvml.so"), "TOPOWISE_FAKE_NODE": "preset:cs-storm-t2",
                                    "TOPOWISE_FAKE_SESSION": f"papers-commands-{os.getpid()}", "TOPOWISE_FAKE_MEMORY_MIB": "64"}
        done = set()
        with tempfile.TemporaryDirectory() as folder:
            for page, row, words in commands():
                command = tuple(shortened(words))
                if command in done:
                    continue
                done.add(command)
                with self.subTest(f"{page}, {row}: topowise {shlex.join(command)}"):
                    result = subprocess.run([PROGRAM, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=900, check=False)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertTrue(result.stdout)
        self.assertGreater(len(done), 25)


if __name__ == "__main__":
    unittest.main()
