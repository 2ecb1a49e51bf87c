# SPDX-License-Identifier: BSD-3-Clause
"""The whole way on an emulated cluster: a job is recorded, its machine is described by Slurm's file of the network and a file of the node, it is mapped, and
started where the mapping says. What the ranks have, and the bytes on the slow wire, are as the mapping says. The GPUs are SIMULATED."""

import json
import os
import re
import subprocess

import families
from fabric_test import Fabric, launcher
from gpu_jobs import GpuTest, neighbors
from jobs import TOPOWISE

TOPOLOGY = "SwitchName=s0 Nodes=h[0-1]\nSwitchName=s1 Nodes=h[2-3]\nSwitchName=top Switches=s[0-1]\n"
SLACK = 150_000  # bytes on a wire: starts of jobs differ a little
# Says where a rank is, then becomes the program.
WHERE = ["sh", "-c", 'echo "rank ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} on $(hostname) processors $(sed -n "s/^Cpus_allowed_list:.//p" /proc/self/status)"; exec "$@"', "sh"]


class Journey(Fabric):
    description = "two-switches.fabric"
    ranks = 0

    def map(self, traffic, node):
        """Maps onto the cluster of such nodes, and keeps the mapping and the file for the launcher."""
        (self.scratch / "topology.conf").write_text(TOPOLOGY)
        form = "openmpi-rankfile" if self.family.name.startswith("openmpi") else "hydra-rankmap"
        command = [TOPOWISE, "map", traffic, f"cluster:topology.conf,{node}", "--save", "m.json", "--emit", form]
        result = subprocess.run(command, cwd=self.scratch, capture_output=True, text=True, check=True)
        self.emitted = result.stdout
        mapping = json.loads((self.scratch / "m.json").read_text())
        places = mapping["topology"]["places"]
        self.mapped = [places[place] for place in mapping["places"]]

    def mapped_start(self, command, **environment):
        """Starts the ranks on the hosts of the mapping, by the launcher's file."""
        if not self.family.name.startswith("openmpi"):
            words = launcher.job(self.lab, self.family.name, self.family.launcher, self.ranks, command, rankmap=self.emitted.strip())
            return self.job(words, cwd=self.scratch, **environment)
        (self.scratch / "ranks").write_text(self.emitted)
        release = self.family.name.removeprefix("openmpi")
        told = re.search(rf"^# +Open MPI {release}: mpirun (.*)$", self.emitted, re.M).group(1).replace("FILE", "ranks").replace("MAPPING", "m.json")
        options, run, arguments = told.partition("topowise ")  # Open MPI 5 may not know the numbers of the processors: then topowise binds
        before = [TOPOWISE, *arguments.split()] if run and TOPOWISE not in command else []
        words = launcher.job(self.lab, self.family.name, self.family.launcher, self.ranks, [*before, *command], more=options.split())
        at = words.index("--bind-to")  # else nobody would be bound
        return self.job(words[:at] + words[at + 2:], cwd=self.scratch, **environment)

    def start_in_order(self, command, **environment):
        """Starts the ranks on one host after the other."""
        return self.job(launcher.job(self.lab, self.family.name, self.family.launcher, self.ranks, command), cwd=self.scratch, **environment)

    def refused_in_order(self, command, **environment):
        words = launcher.job(self.lab, self.family.name, self.family.launcher, self.ranks, command)
        result = subprocess.run(list(map(str, words)), env=self.family.env() | environment, cwd=self.scratch, capture_output=True, text=True, timeout=families.HANGS)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        return result.stderr

    def crossing(self, matrix, host_of):
        """The bytes that go from one switch to the other, by direction."""
        load = {("s0", "s1"): 0, ("s1", "s0"): 0}
        for (a, b), size in matrix.items():
            for link in self.lab.fabric.route(host_of[a], host_of[b]) if host_of[a] != host_of[b] else ():
                if link in load:
                    load[link] += size
        return load

    def assert_carried(self, predicted, start_up):
        """The slow wire carried what was predicted beside the bytes of the start; headers and acknowledgements add a twelfth."""
        for link, size in predicted.items():
            payload = (self.carried[link] - start_up[link]).bytes
            self.assertGreater(payload, size - SLACK, link)
            self.assertLess(payload, 1.12 * size + SLACK, link)

    def assert_verified(self, result, what):
        told = re.findall(rf"verify: (\d+) ranks on (h\d): {what} as mapped", result.stderr)
        self.assertEqual(sorted(host for _, host in told), self.lab.fabric.hosts, result.stderr)
        self.assertEqual(sum(int(count) for count, _ in told), self.ranks)


class Processors(Journey):
    """Four hosts with two cores each, in this machine's first and last processor."""

    ranks, size, times = 8, 262144, 4

    def node(self):
        """hwloc's file of a host."""
        self.cpus = sorted(os.sched_getaffinity(0))
        ends = (self.cpus[0], self.cpus[-1])
        core = lambda number, cpu: (f'<object type="Core" os_index="{number}" cpuset="0x{1 << cpu:x}" nodeset="0x1">'
                                    f'<object type="PU" os_index="{cpu}" cpuset="0x{1 << cpu:x}" nodeset="0x1"/></object>')
        both = f'cpuset="0x{1 << ends[0] | 1 << ends[1]:x}" nodeset="0x1"'
        (self.scratch / "node.xml").write_text(
            '<?xml version="1.0"?>\n<topology version="2.0">\n'
            f'<object type="Machine" os_index="0" {both}><object type="Package" os_index="0" {both}><object type="NUMANode" os_index="0" {both}/>'
            f'{core(0, ends[0])}{core(1, ends[1])}</object></object>\n</topology>\n')
        return "node.xml"

    def found(self, result):
        """(host, processors) by rank."""
        found = {int(rank): (host, cpus) for rank, host, cpus in re.findall(r"^rank (\d+) on (\S+) processors (\S+)$", result.stdout, re.M)}
        self.assertEqual(len(found), self.ranks, result.stdout)
        return [found[rank] for rank in range(self.ranks)]

    def test_from_a_recording_to_a_verified_start(self):
        program = self.program("pair_exchange.c")
        self.start_in_order([TOPOWISE, "run", "--profile", "pairs.traffic", "--", program, self.size, self.times])
        recorded = self.carried
        self.map("pairs.traffic", self.node())
        vertices = {vertex["name"]: vertex for vertex in json.loads((self.scratch / "m.json").read_text())["topology"]["vertices"]}
        mapped = [(place["node"], vertices[place["name"]]["cpus"]) for place in self.mapped]
        for rank in range(self.ranks // 2):
            self.assertEqual(mapped[rank][0], mapped[rank + self.ranks // 2][0], "pairs share a host")
        self.start_in_order([program, self.size, 0])
        start_up = self.carried
        self.carried = recorded
        pairs = {(rank, (rank + 4) % 8): self.size * self.times for rank in range(8)}
        self.assert_carried(self.crossing(pairs, [f"h{rank // 2}" for rank in range(8)]), start_up)

        placed = self.found(self.mapped_start([*WHERE, program, self.size, self.times]))
        self.assert_carried(self.crossing(pairs, [host for host, _ in mapped]), start_up)
        bound_by_file = self.family.name.startswith("openmpi")
        self.assertEqual(placed if bound_by_file else [host for host, _ in placed], mapped if bound_by_file else [host for host, _ in mapped])

        result = self.mapped_start([TOPOWISE, "run", "--mapping", "m.json", "--verify", "--", *WHERE, program, self.size, self.times])
        self.assertEqual(self.found(result), mapped)
        self.assert_verified(result, "host, processors.*")
        self.assert_carried(self.crossing(pairs, [host for host, _ in mapped]), start_up)

        errors = self.refused_in_order([TOPOWISE, "run", "--mapping", "m.json", "--verify", "--", program, self.size, 0])
        self.assertRegex(errors, r"verify: rank \d, host h\d instead of h\d.*: not as mapped")


class Gpus(Journey, GpuTest):
    """Four hosts with four GPUs each."""

    ranks, size, weight = 16, 262144, 3

    def on_gpus(self):
        """Each host has GPUs of its own."""
        return self.only(f'export TOPOWISE_FAKE_SESSION={self.store.name}-$(hostname)')

    def test_from_a_recording_to_a_verified_start(self):
        self.environment |= {"TOPOWISE_FAKE_NODE": "preset:perlmutter-a100"}
        program = self.program("gpu_stencil.c", "-ldl")
        job = lambda *options, size=self.size: [*self.on_gpus(), TOPOWISE, "run", *options, "--", program, 4, 4, size, self.weight, "device"]
        self.start_in_order(job("--profile", "stencil.traffic"), **self.environment)
        recorded = self.carried
        subprocess.run([TOPOWISE, "topology", "live", "--save", "node.json"], cwd=self.scratch, env=os.environ | self.environment, check=True, capture_output=True)
        self.map("stencil.traffic", "node.json")
        self.emitted = re.sub(r"slot=.*", f"slot={min(os.sched_getaffinity(0))}", self.emitted)  # the GPUs' processors are not on this machine
        self.start_in_order(job("--profile", "short.traffic", size=1), **self.environment)
        start_up = self.carried
        self.carried = recorded
        in_order = self.crossing(neighbors(self.size, self.weight), [f"h{rank // 4}" for rank in range(16)])
        self.assert_carried(in_order, start_up)

        result = self.mapped_start(job("--mapping", "m.json", "--verify"), **self.environment)
        predicted = self.crossing(neighbors(self.size, self.weight), [place["node"] for place in self.mapped])
        self.assertEqual({link: 3 * size for link, size in predicted.items()}, in_order, "the light direction crosses the slow wire")
        self.assert_carried(predicted, start_up)
        found = {int(rank): bus for rank, bus in re.findall(r"^rank (\d+) local \d+ on (\S+)$", result.stdout, re.M)}
        self.assertEqual(found, {rank: place["pci"] for rank, place in enumerate(self.mapped)})
        self.assert_verified(result, "host, device.*")

        errors = self.refused_in_order(job("--mapping", "m.json", "--verify"), **self.environment)
        self.assertRegex(errors, r"verify: rank \d+, host h\d instead of h\d.*: not as mapped")
