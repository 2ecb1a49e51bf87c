# SPDX-License-Identifier: BSD-3-Clause
"""`topowise probe` over real wires: three hosts (network namespaces) on one switch, of which one has a slow link.

Two rates are compared by their ratio, with much room: the machine that acts the hosts out is busy. Needs root, ip and tc."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from jobs import TOPOWISE, MpiTest

HOSTS = ["fast-0", "fast-1", "slow-2"]
FAST, SLOW = 400, 100  # Mbit/s
PREFIX = f"tw{os.getpid() % 10000}-"


def sh(command):
    result = subprocess.run(command, shell=True, capture_output=True, text=True)
    if result.returncode != 0:
        raise unittest.SkipTest(f"hosts cannot be acted out here: '{command}': {result.stderr.strip()}")


def address(host):
    return f"10.79.0.{HOSTS.index(host) + 1}"


def shape(namespace, device, rate):
    sh(f"ip netns exec {namespace} tc qdisc replace dev {device} root handle 1: htb default 1")
    sh(f"ip netns exec {namespace} tc class replace dev {device} parent 1: classid 1:1 htb rate {rate}mbit ceil {rate}mbit burst 16k cburst 16k")
    sh(f"ip netns exec {namespace} tc qdisc replace dev {device} parent 1:1 handle 10: bfifo limit 256k")


class Fabric(MpiTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.addClassCleanup(cls.take_down)
        missing = [tool for tool in ("ip", "tc", "unshare") if shutil.which(tool) is None]
        if missing or os.geteuid() != 0:
            raise unittest.SkipTest(f"hosts cannot be acted out here: {', '.join(missing) or 'not root'}")
        switch = PREFIX + "switch"
        for namespace in [switch] + [PREFIX + host for host in HOSTS]:
            sh(f"ip netns add {namespace}")
            sh(f"ip netns exec {namespace} ip link set lo up")
        sh(f"ip netns exec {switch} ip link add br0 type bridge")
        sh(f"ip netns exec {switch} ip link set br0 up")
        for i, host in enumerate(HOSTS):
            sh(f"ip link add eth0 netns {PREFIX}{host} type veth peer name p{i} netns {switch}")
            for namespace, device in ((PREFIX + host, "eth0"), (switch, f"p{i}")):
                subprocess.run(f"ip netns exec {namespace} ethtool -K {device} tso off gso off gro off", shell=True, capture_output=True)
                sh(f"ip netns exec {namespace} ip link set {device} txqueuelen 1000 up")
                shape(namespace, device, SLOW if host.startswith("slow") else FAST)
            sh(f"ip netns exec {switch} ip link set p{i} master br0")
            sh(f"ip netns exec {PREFIX}{host} ip addr add {address(host)}/24 dev eth0")
            folder = pathlib.Path("/etc/netns") / (PREFIX + host)
            folder.mkdir(parents=True)
            (folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(f"{address(h)} {h}\n" for h in HOSTS))

    @classmethod
    def take_down(cls):
        for namespace in [PREFIX + "switch"] + [PREFIX + host for host in HOSTS]:
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True)
            shutil.rmtree(pathlib.Path("/etc/netns") / namespace, ignore_errors=True)

    def on_host(self, host):
        return ["ip", "netns", "exec", PREFIX + host, "unshare", "--uts", "sh", "-c", "hostname \"$0\"; exec \"$@\"", host]

    def launcher(self, ranks):
        """One that starts its helpers in the hosts' namespaces instead of by ssh."""
        agent = self.scratch / "agent"
        agent.write_text("#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nhost=$1\nshift\n"
                         f"exec ip netns exec {PREFIX}$host unshare --uts sh -c 'hostname \"$0\"; exec \"$@\"' \"$host\" /bin/sh -c \"$*\" < /dev/null\n")
        agent.chmod(0o755)
        network = "10.79.0.0/24"
        slots = -(-ranks // len(HOSTS))
        if self.family.name == "openmpi4":
            return ["mpirun.openmpi", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", agent, "--host", ",".join(f"{h}:{slots}" for h in HOSTS), "--map-by", "node",
                    "--bind-to", "none", "--mca", "oob_tcp_if_include", network, "--mca", "btl_tcp_if_include", network, "-n", ranks]
        return [*self.family.launcher, "-launcher", "rsh", "-launcher-exec", agent, "-hosts", ",".join(HOSTS), "-genv", "MPIR_CVAR_CH4_NETMOD", "ofi",
                "-genv", "FI_PROVIDER", "tcp", "-n", ranks]

    def probe(self, ranks, *arguments):
        command = [*self.on_host(HOSTS[0]), *self.launcher(ranks), TOPOWISE, "probe", "--device", "host", *arguments]
        result = subprocess.run(list(map(str, command)), env=self.family.env(), capture_output=True, text=True, timeout=180)
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        return json.loads(result.stdout)

    def test_rates_are_those_of_the_wires(self):
        file = self.scratch / "fabric.json"
        printed = self.probe(3, "--sizes", "1B,64KiB,1MiB", "--repetitions", "12", "--warm-up", "2", "--json", "--save", file)
        machine = json.loads(file.read_text())
        self.assertEqual([place["name"] for place in machine["places"]], HOSTS)
        self.assertEqual({place["kind"] for place in machine["places"]}, {"node"})
        rates = machine["pair_matrices"]["bandwidth"]["values"]
        print(f"{rates[0][1] / 1e6:.1f} MB/s between fast hosts, {rates[0][2] / 1e6:.1f} and {rates[1][2] / 1e6:.1f} MB/s to the slow one", flush=True)
        for slow in (rates[0][2], rates[1][2]):
            self.assertLess(abs(rates[0][1] / slow / (FAST / SLOW) - 1), 0.4)
        classes = {(p["first"], p["second"]): p["class"] for p in printed["pairs"]}
        self.assertEqual(classes[0, 1], "M1")
        self.assertNotIn("M1", (classes[0, 2], classes[1, 2]))
        mapped = subprocess.run([TOPOWISE, "map", "pattern:ring:2", str(file), "--metric", "bandwidth", "--json"], capture_output=True, text=True)
        self.assertEqual(sorted(json.loads(mapped.stdout)["places"]), [0, 1], mapped.stderr)

    def test_ranks_of_a_host_are_nearer(self):
        printed = self.probe(6, "--sizes", "1MiB", "--repetitions", "7", "--warm-up", "1", "--pairs", "0-3,1-4,2-5,0-1,1-2", "--json")
        self.assertIn("6 ranks on 3 hosts", printed["source"])
        times = {(p["first"], p["second"]): p["sizes"][-1]["forth_s"] for p in printed["pairs"]}
        for far in ((0, 1), (1, 2)):
            for near in ((0, 3), (1, 4), (2, 5)):
                self.assertGreater(times[far], 2 * times[near])
