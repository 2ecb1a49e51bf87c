# SPDX-License-Identifier: BSD-3-Clause
"""`run --auto` of one job on several compute nodes: the hosts have other names, the GPUs are simulated (tests/fake_driver): SIMULATED."""

import json
import re
import subprocess

from families import AGENT
from gpu_jobs import RANKS, GpuTest, neighbors
from jobs import TOPOWISE, read_traffic

NODES = {"node-a": "preset:dgx1-v100", "node-b": "preset:k80-4boards"}


class Nodes(GpuTest):
    """Nodes with different GPUs, half of the ranks on each."""

    def setUp(self):
        super().setUp()
        if not self.family.hosts:
            self.skipTest(f"no way is known to start {self.family.name} on several hosts")
        self.need(subprocess.run([AGENT, "node-a", "true"], capture_output=True).returncode == 0, "only root can give this machine other host names")

    def on_nodes(self, *options, fails=False, **environment):
        """Runs a job on all nodes, whose shells have the variables of `environment[NODE]`. Returns the GPUs by node and rank, and the result."""
        settings = {host: {"TOPOWISE_FAKE_NODE": machine, "TOPOWISE_FAKE_SESSION": f"{self.store.name}-{host}"} for host, machine in NODES.items()}
        for host, variables in environment.items():
            settings[host.replace("_", "-")] |= variables
        cases = " ".join(f"{host}) export {' '.join(f'{k}={v}' for k, v in variables.items())};;" for host, variables in settings.items())
        before = self.only(f'host=$(hostname); echo "host $rank $host"; case "$host" in {cases} esac')
        gpus, result = self.stencil(*options, before=before, fails=fails, family=self.family.on_hosts(list(NODES), RANKS))
        found = {host: {} for host in NODES}
        for rank, host in re.findall(r"^host (\d+) (\S+)$", result.stdout, re.MULTILINE):
            found[host][int(rank)] = gpus.get(int(rank))
        for host in () if fails else NODES:
            self.assertEqual(len(found[host]), RANKS // len(NODES), result.stdout)
        return found, result

    def part_of(self, ranks):
        """The traffic among these ranks, numbered anew, as a traffic file."""
        numbers = {rank: number for number, rank in enumerate(sorted(ranks))}
        entries = [f"{numbers[a]},{numbers[b]},{size}" for (a, b), size in sorted(neighbors(1024, 3).items()) if a in numbers and b in numbers]
        path = self.store / "part.csv"
        path.write_text("source,destination,bytes\n" + "\n".join(entries) + "\n")
        return path

    def assert_best(self, host, gpus):
        """The messages among the node's ranks take the least time that `map` finds for them."""
        part, machine = self.part_of(gpus), NODES[host]
        best = json.loads(subprocess.run([TOPOWISE, "map", part, machine, "--json"], check=True, capture_output=True, text=True).stdout)
        self.assertTrue(best["proven_optimal"], best)
        self.assertLess(best["cost"], best["identity_cost"])
        self.assertEqual(best["objective"], "predicted-time")
        self.assertEqual(len(set(gpus.values())), len(gpus))
        self.assertLess(self.evaluated(gpus, part, machine)["predicted_time_s"], 1.1 * best["cost"])

    def default_gpus(self, ranks):
        return {rank: f"0000:{16 + self.local_ranks[rank]:02x}:00.0" for rank in ranks}

    def test_every_node_maps_its_own_part(self):
        found, result = self.on_nodes("--auto")
        for host in NODES:
            self.assertEqual(found[host], self.default_gpus(found[host]))
        self.assertEqual(result.stderr.count("calls of MPI and NCCL are recorded into"), 1, result.stderr)
        profile = next((self.store / "profiles").iterdir())
        self.assertEqual(read_traffic(profile, "--memory", "device")[0], neighbors(1024, 3))

        found, result = self.on_nodes("--auto", "--verify")
        for host in NODES:
            self.assert_best(host, found[host])
        first = next(host for host in NODES if 0 in found[host])
        self.assertRegex(result.stderr, rf"auto on {first}: 8 of 16 ranks on 8 GPUs by '.*': \d+\.\d % less predicted time than in the default order")
        self.assert_as_mapped(result, nodes=len(NODES))
        again, _ = self.on_nodes("--auto", "--gpu-bind", "only")
        self.assertEqual(again, found)

    def test_one_description_of_all_nodes(self):
        """Each node takes its own part of the file, by the host's name; a node that the file does not know says so."""
        machine = self.store / "cluster.json"
        places = [{"kind": "gpu", "name": f"{host}-{i}", "pci": f"0000:{16 + i:02x}:00.0", "node": host} for host in NODES for i in range(8)]
        machine.write_text(json.dumps({"schema": "topowise.topology/1", "name": "cluster", "places": places}))
        found, result = self.on_nodes("--auto", "--verify", "--topology", machine)
        self.assert_as_mapped(result, nodes=len(NODES))
        for host in NODES:
            self.assertEqual(len(set(found[host].values())), len(found[host]))
        machine.write_text(json.dumps({"schema": "topowise.topology/1", "name": "cluster", "places": places[:8] + [{**place, "node": "other"} for place in places[8:]]}))
        found, result = self.on_nodes("--auto", "--topology", machine)
        self.assertIn("auto on node-b: 'cluster' has 2 nodes, and none is called 'node-b': no rank of this node is mapped", result.stderr)
        self.assertEqual(found["node-b"], self.default_gpus(found["node-b"]))

    def test_a_fabric_times_its_nodes(self):
        """`--topology cluster:...`: each node takes its own part by the host's name, from the hosts that the batch system names, or from all."""
        self.on_nodes("--auto")
        fabric, hosts = self.store / "topology.conf", self.store / "nodes"
        fabric.write_text("SwitchName=leaf0 Nodes=node-a\nSwitchName=leaf1 Nodes=node-[b-c]\nSwitchName=top Switches=leaf[0-1]\n".replace("[b-c]", "b,node-c"))
        hosts.write_text("node-b\nnode-a\n")
        nodes = ",".join(f"{host}={machine}" for host, machine in NODES.items())
        batch = {"PBS_NODEFILE": str(hosts)}
        for machine in (f"cluster:{fabric},{nodes},preset:dgx2", f"cluster:{fabric},{nodes},hosts=job"):
            found, result = self.on_nodes("--auto", "--verify", "--topology", machine, node_a=batch, node_b=batch)
            for host in NODES:
                self.assert_best(host, found[host])
            self.assert_as_mapped(result, nodes=len(NODES))
        hosts.write_text("node-a\nnode-z\n")
        _, result = self.on_nodes("--auto", "--topology", f"cluster:{fabric},{nodes},hosts=job", node_a=batch, node_b=batch)
        self.assertIn("does not know 1 of the hosts: node-z", result.stderr)
        self.assertIn("no rank of this node is mapped", result.stderr)

    def test_a_node_without_a_driver(self):
        """The ranks of the node without a driver stay as they are; the other node is mapped."""
        self.on_nodes("--auto")
        absent = {"TOPOWISE_CUDA_LIBRARY": "/nonexistent", "TOPOWISE_NVML_LIBRARY": "/nonexistent", "TOPOWISE_HIP_LIBRARY": "/nonexistent"}
        found, result = self.on_nodes("--auto", node_b=absent)
        self.assert_best("node-a", found["node-a"])
        self.assertEqual(set(found["node-b"].values()), {None})
        lines = [line for line in self.lines(result) if "node-b" in line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn("no GPU is known", lines[0])
        self.assertIn("no rank of this node is mapped", lines[0])

    def test_a_node_that_differs_from_the_mapping(self):
        """`--verify` stops the job, and says which ranks differ."""
        self.on_nodes("--auto")
        fault = {"TOPOWISE_FAKE_FAULT": "cuInit:*:CUDA_ERROR_SYSTEM_NOT_READY"}
        _, result = self.on_nodes("--auto", "--verify", fails=True, node_a=fault)
        self.assertIn("not as mapped", result.stderr)
