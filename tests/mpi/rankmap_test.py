# SPDX-License-Identifier: BSD-3-Clause
"""`map --emit hydra-rankmap`, `pbs-nodefile` and `mpich-hostfile`: MPICH's launcher puts every rank on the host that the text says."""

import re
import subprocess

from families import AGENT
from jobs import TOPOWISE, MpiTest

ORDER = [1, 0, 3, 3, 0, 2, 1, 2]
NODES = ["apple", "birch", "cedar", "daisy"]


class Rankmap(MpiTest):
    def emitted(self, launcher):
        machine, mapping, text = self.scratch / "topology.conf", self.scratch / "m.json", self.scratch / launcher
        machine.write_text("SwitchName=s0 Nodes=apple,birch,cedar,daisy\n")
        # Ranks with the same number in ORDER talk to each other: they share a host.
        pairs = "\n".join(" ".join(str(int(a == b and i != j)) for j, b in enumerate(ORDER)) for i, a in enumerate(ORDER))
        (self.scratch / "pairs.txt").write_text(pairs + "\n")
        with text.open("w") as file:
            subprocess.run([TOPOWISE, "map", self.scratch / "pairs.txt", machine, "--ranks-per-place", "2", "--save", mapping, "--emit", launcher], check=True, stdout=file)
        return text

    def hosts(self, *options, **environment):
        command = [*self.family.launcher, "-launcher", "rsh", "-launcher-exec", AGENT, *options, "-n", "8", "sh", "-c", "echo $PMI_RANK $(hostname)"]
        result = subprocess.run(list(map(str, command)), env=self.family.env() | environment, capture_output=True, text=True, timeout=900, check=True)
        found = dict(re.findall(r"^(\d) (\w+)$", result.stdout, re.M))
        self.assertEqual(len(found), 8, result.stdout)
        for rank, group in enumerate(ORDER):
            self.assertEqual(found[str(rank)], found[str(ORDER.index(group))], found)
        return [found[str(rank)] for rank in range(8)]

    def test_all_forms(self):
        words = self.emitted("hydra-rankmap").read_text().split()
        by_map = self.hosts(*words)
        nodes = self.emitted("pbs-nodefile")
        by_file = self.hosts("-rmk", "pbs", PBS_ENVIRONMENT="PBS_BATCH", PBS_JOBID="1", PBS_NODEFILE=str(nodes))
        self.assertEqual(by_map, by_file)
        self.assertEqual(by_file, nodes.read_text().split())
        self.assertEqual(sorted(set(by_map)), NODES)
        self.assertEqual(self.hosts("-f", self.emitted("mpich-hostfile")), by_map)
