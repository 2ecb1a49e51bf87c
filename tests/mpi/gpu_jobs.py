# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on nodes with simulated GPUs (tests/fake_driver): SIMULATED."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

import job_folder
from jobs import TOPOWISE, Matrix, MpiTest

RANKS = 16
STENCIL = "pattern:stencil2d:4x4:w=3:heavy=0:bytes=1024"
MACHINE = "preset:helios-k80"
TOLD = f"${job_folder.VARIABLE}/told"  # in the shell of a rank: a folder of its job


def neighbors(size, weight):
    """The matrix of `gpu_stencil 4 4 SIZE WEIGHT`."""
    matrix = Matrix()
    for rank in range(RANKS):
        row, column = divmod(rank, 4)
        for r, c, count in ((row - 1, column, size * weight), (row + 1, column, size * weight), (row, column - 1, size), (row, column + 1, size)):
            if 0 <= r < 4 and 0 <= c < 4:
                matrix[rank, 4 * r + c] += count
    return matrix


class GpuTest(MpiTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cuda, cls.nvml = os.environ.get("TOPOWISE_FAKE_CUDA", ""), os.environ.get("TOPOWISE_FAKE_NVML", "")

    def setUp(self):
        self.need(os.path.exists(self.cuda) and os.path.exists(self.nvml), "TOPOWISE_FAKE_CUDA and TOPOWISE_FAKE_NVML name no libraries")
        self.store = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        self.environment = {"TOPOWISE_CUDA_LIBRARY": self.cuda, "TOPOWISE_NVML_LIBRARY": self.nvml, "TOPOWISE_FAKE_NODE": MACHINE,
                            "TOPOWISE_FAKE_SESSION": self.store.name, "TOPOWISE_FAKE_FOLDER": str(self.store), "TOPOWISE_FAKE_MEMORY_MIB": "4",
                            "TOPOWISE_FAKE_COHERENT": "1",  # an MPI without GPU support can send from there
                            "TOPOWISE_PROFILES": str(self.store / "profiles")}

    def stencil(self, *options, memory="device", start="init", before=(), fails=False, family=None, tells=False, **environment):
        """Runs a job of gpu_stencil under `run`. Returns the GPU of each rank (its bus id, or None) and the result. With `tells` each
        rank leaves a file in TOLD when `run` starts its program. The exit of a launcher whose ranks fail does not matter: hydra sometimes ends by SIGPIPE."""
        program = self.program("gpu_stencil.c", "-ldl")
        telling = ["sh", "-c", f'mkdir -p {TOLD}; touch {TOLD}/$$; exec "$@"', "sh"] if tells else []
        command = [*before, TOPOWISE, "run", *options, "--", *telling, program, 4, 4, 1024, 3, memory, start]
        result = (family or self.family).run(RANKS, command, repeat=not fails, state=self.store, **self.environment | environment)
        self.assertEqual(result.returncode != 0, fails, f"{result.stdout}\n{result.stderr}")
        found, self.local_ranks = {}, {}
        for rank, local, bus in re.findall(r"^rank (\d+) local (\d+) (?:on (\S+)|without GPU)$", result.stdout, re.MULTILINE):
            found[int(rank)], self.local_ranks[int(rank)] = bus or None, int(local)
        if not fails:
            self.assertEqual(sorted(found), list(range(RANKS)), result.stdout)
        return found, result

    def traffic_file(self, matrix):
        file = self.store / "traffic.csv"
        file.write_text("source,destination,bytes\n" + "".join(f"{a},{b},{size}\n" for (a, b), size in sorted(matrix.items())))
        return file

    def only(self, shell):
        """Shell commands for single ranks, to run before `topowise run`; the rank is in $rank."""
        return ["sh", "-c", f'rank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; {shell}; exec "$@"', "sh"]

    def assert_default(self, gpus):
        """The GPU whose number is the local rank; launchers do not always number the ranks of a node in their order."""
        self.assertEqual(gpus, {rank: f"0000:{16 + local:02x}:00.0" for rank, local in self.local_ranks.items()})

    def lines(self, result):
        return [line for line in result.stderr.splitlines() if line.startswith("topowise")]

    def assert_as_mapped(self, result, nodes=1):
        """`--verify` printed one line for each node, about all ranks."""
        told = re.findall(r"verify: (\d+) ranks on \S+: (?:device|list of visible GPUs).* as mapped", result.stderr)
        self.assertEqual(len(told), nodes, result.stderr)
        self.assertEqual(sum(map(int, told)), RANKS, result.stderr)

    def evaluated(self, gpus, traffic, machine):
        """What `evaluate` says of a placement, given as bus ids by rank."""
        mapping = self.store / "mapping.json"
        subprocess.run([TOPOWISE, "map", traffic, machine, "--mapper", "identity", "--save", mapping], check=True, capture_output=True)
        text = json.loads(mapping.read_text())
        text["places"] = [int(gpus[rank][5:7], 16) - 16 for rank in sorted(gpus)]
        mapping.write_text(json.dumps(text))
        return self.numbers(traffic, machine, mapping)

    def numbers(self, traffic, machine, mapping):
        result = subprocess.run([TOPOWISE, "evaluate", traffic, machine, "--mapping", mapping, "--json"], check=True, capture_output=True, text=True)
        return json.loads(result.stdout)

    def hop_bytes(self, gpus, traffic=STENCIL, machine=MACHINE):
        """The cost in units of the stencil's lighter messages."""
        return self.evaluated(gpus, traffic, machine)["hop_bytes"] / 1024

    def assert_fast(self, gpus, traffic=STENCIL, machine=MACHINE):
        """Every rank has a GPU of its own, and the messages take less time than with the ranks in order."""
        self.assertEqual(len(set(gpus.values())), len(gpus))
        in_order = self.numbers(traffic, machine, "identity")["predicted_time_s"]
        self.assertLess(self.evaluated(gpus, traffic, machine)["predicted_time_s"], 0.9 * in_order)
