# SPDX-License-Identifier: BSD-3-Clause
"""A whole simulated node: 16 ranks exchange halos between simulated GPUs whose copies take the time of the congestion model.

The test compares a proportion, never a time: the exchange under the identity placement, divided by the same exchange under the mapping that `topowise
map` proves optimal; by the clock and by `topowise evaluate`."""

import json
import os
import pathlib
import subprocess
import tempfile

from jobs import MpiTest, TOPOWISE

FAKE_CUDA = os.environ.get("TOPOWISE_FAKE_CUDA", "")
NODE = "preset:helios-k80"
ROWS, COLUMNS, WEIGHT, BYTES = 4, 4, 3, 1 << 18
PATTERN = f"pattern:stencil2d:{ROWS}x{COLUMNS}:w={WEIGHT}:bytes={BYTES}"
SLOWEST_SECONDS = 1.2  # the time that the identity placement shall take by the clock: far above the noise of a busy machine
ROUNDS = 3
TOLERANCE = 0.15


def topowise(*arguments):
    result = subprocess.run([TOPOWISE, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise AssertionError(f"topowise {arguments}: {result.returncode}\n{result.stderr}")
    return json.loads(result.stdout) if "--json" in arguments else None


class PacedExchange(MpiTest):
    def setUp(self):
        self.need(FAKE_CUDA, "TOPOWISE_FAKE_CUDA does not name the simulated driver")
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))

    def mapping(self, mapper):
        """A mapping's file and its cost."""
        path = self.folder / f"{mapper}.mapping"
        made = topowise("map", PATTERN, NODE, "--mapper", mapper, "--save", path, "--json")
        return path, made

    def predicted(self, mapping):
        return topowise("evaluate", PATTERN, NODE, "--mapping", mapping, "--json")["predicted_time_s"]

    def measured(self, mapping, scale):
        program = self.program("gpu_exchange.c", "-ldl")
        result = self.family.run(
            ROWS * COLUMNS, [TOPOWISE, "run", "--mapping", mapping, "--gpu-bind", "permute", "--", program, ROWS, COLUMNS, BYTES, WEIGHT, ROUNDS, 2 * SLOWEST_SECONDS],
            TOPOWISE_CUDA_LIBRARY=FAKE_CUDA, TOPOWISE_FAKE_NODE=NODE, TOPOWISE_FAKE_SESSION=f"paced-{os.getpid()}", TOPOWISE_FAKE_MEMORY_MIB="64",
            TOPOWISE_FAKE_PACE="1", TOPOWISE_FAKE_PACE_SCALE=str(scale))
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        words = result.stdout.split()
        self.assertEqual(words[words.index("wrong") + 1], "0", "halos arrived wrong")
        self.assertNotIn("inf", words, "no common start: the machine is too busy for this test")
        return float(words[words.index("exchange") + 1])

    def test_gain_is_the_models(self):
        identity, _ = self.mapping("identity")
        best, made = self.mapping("auto")
        self.assertEqual(made["objective"], "predicted-time")
        model = self.predicted(identity) / self.predicted(best)
        self.assertGreater(model, 2)
        scale = SLOWEST_SECONDS / self.predicted(identity)
        slow, fast = self.measured(identity, scale), self.measured(best, scale)
        print(f"exchange by the clock {slow:.3f} s and {fast:.3f} s: {slow / fast:.3f} times as fast; the model says {model:.3f}")
        self.assertLess(abs(slow / fast / model - 1), TOLERANCE)
        # Without the scale, each of the two times must also be what the model says.
        self.assertLess(abs(slow / SLOWEST_SECONDS - 1), TOLERANCE)
