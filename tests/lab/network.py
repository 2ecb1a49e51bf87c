# SPDX-License-Identifier: BSD-3-Clause
"""A fabric that the kernel acts out: a network namespace for every host and switch, and virtual wires whose ends are shaped to a rate.

Needs root, and ip, tc, ethtool and unshare. It changes nothing outside the namespaces that it makes. Several labs may be up at the same time under
different names. It adds no latency: use it to compare rates, not latencies. Two cores carry about half a gigabit per second in all.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

import fabric as fabrics

STATES = pathlib.Path("/run/topowise-lab")
HEADERS = 66  # header bytes of a frame: Ethernet 14, IPv4 20, TCP 20 and its time stamps 12
TOOLS = {"ip": "iproute2", "tc": "iproute2", "ethtool": "ethtool", "unshare": "util-linux"}


class NotPossible(Exception):
    """This machine, or this user, cannot run a network of namespaces."""


def check_possible():
    missing = sorted({package for tool, package in TOOLS.items() if shutil.which(tool) is None})
    if missing:
        raise NotPossible(f"hosts cannot be emulated here: install {', '.join(missing)}")
    if os.geteuid() != 0:
        raise NotPossible("hosts cannot be emulated here: network namespaces need root")


@dataclasses.dataclass(frozen=True)
class Sent:
    """What has gone over one direction of a link."""

    bytes: int
    frames: int

    @property
    def payload(self):
        """The bytes without the headers of every frame, and therefore without frames that only acknowledge: those that TCP had to carry."""
        return self.bytes - HEADERS * self.frames

    def __sub__(self, earlier):
        return Sent(self.bytes - earlier.bytes, self.frames - earlier.frames)


class Network:
    """One lab. `name` has letters and digits, at most ten."""

    def __init__(self, name, fabric):
        self.name = name
        self.fabric = fabric
        hosts = fabric.hosts
        # Every lab may have the same addresses: no wire joins its namespaces to those of another lab.
        self.addresses = {host: f"10.77.{i // 250}.{i % 250 + 1}" for i, host in enumerate(hosts)}
        self.ports = []  # (node, device, neighbour, rate), both ends of every link

    NETWORK = "10.77.0.0/16"

    def namespace(self, node):
        return f"tw-{self.name}-{node}"

    @property
    def folder(self):
        return STATES / self.name

    # --- up and down

    def up(self):
        """Takes down what it has made, and throws NotPossible, if the kernel refuses."""
        check_possible()
        if self.folder.exists():
            raise NotPossible(f"a lab '{self.name}' is up already: lab.py down --name {self.name}")
        self.folder.mkdir(parents=True)
        try:
            self._save()
            bridged = self.fabric.is_tree() and not self.fabric.fixed
            for node, kind in self.fabric.kinds.items():
                self._add_node(node, bridged and kind == "switch")
            self._add_links(bridged)
            if not bridged:
                self._add_routes()
            self._add_names()
            self._save()
        except BaseException:
            self.down()
            raise

    def down(self):
        for node in self.fabric.kinds:
            subprocess.run(["ip", "netns", "del", self.namespace(node)], capture_output=True, check=False)
            shutil.rmtree(pathlib.Path("/etc/netns") / self.namespace(node), ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        self.up()
        return self

    def __exit__(self, *_):
        self.down()

    @staticmethod
    def load(name):
        """A lab that is up."""
        try:
            state = json.loads((STATES / name / "state.json").read_text())
        except FileNotFoundError:
            raise NotPossible(f"no lab '{name}' is up: lab.py up FABRIC --name {name}") from None
        found = Network(name, fabrics.parse(state["fabric"]))
        found.ports = [tuple(port) for port in state["ports"]]
        return found

    def _save(self):
        lines = [f"{kind} {node}" for node, kind in self.fabric.kinds.items()]
        lines += [f"link {link.a} {link.b} {link.rate}" for link in self.fabric.links]
        lines += [f"route {node} {host} {after}" for (node, host), after in self.fabric.fixed.items()]
        (self.folder / "state.json").write_text(json.dumps({"fabric": "\n".join(lines), "ports": self.ports}))

    # --- parts of up()

    def _do(self, *command):
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise NotPossible(f"hosts cannot be emulated here: '{' '.join(command)}': {result.stderr.strip()}")
        return result.stdout

    def _in(self, node, *command):
        return self._do("ip", "netns", "exec", self.namespace(node), *command)

    def _add_node(self, node, bridge):
        self._do("ip", "netns", "add", self.namespace(node))
        self._in(node, "ip", "link", "set", "lo", "up")
        if bridge:
            self._in(node, "ip", "link", "add", "br0", "type", "bridge")
            self._in(node, "ip", "link", "set", "br0", "up")
        else:
            for setting in ("net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0",
                            "net.ipv4.conf.all.send_redirects=0"):
                self._in(node, "sysctl", "-qw", setting)

    def _add_links(self, bridged):
        count = {node: 0 for node in self.fabric.kinds}
        for link in self.fabric.links:
            ends = []
            for node in (link.a, link.b):
                # The devices of a host are eth0, eth1 ...: one name fits the options of all hosts.
                ends.append((node, f"{'eth' if self.fabric.kinds[node] == 'host' else 'p'}{count[node]}"))
                count[node] += 1
            (a, device_a), (b, device_b) = ends
            self._do("ip", "link", "add", device_a, "netns", self.namespace(a), "type", "veth", "peer", "name", device_b, "netns", self.namespace(b))
            for (node, device), other in zip(ends, (b, a)):
                self._shape(node, device, link.rate)
                if bridged and self.fabric.kinds[node] == "switch":
                    self._in(node, "ip", "link", "set", device, "master", "br0")
                if bridged and self.fabric.kinds[node] == "host":
                    self._in(node, "ip", "addr", "add", f"{self.addresses[node]}/16", "dev", device)
                self.ports.append((node, device, other, link.rate))

    def _shape(self, node, device, rate):
        # Offloads are off: the shaper sees packets as large as on a wire. A short queue keeps its delay below about 20 ms.
        subprocess.run(["ip", "netns", "exec", self.namespace(node), "ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off"],
                       capture_output=True, check=False)
        self._in(node, "ip", "link", "set", device, "txqueuelen", "1000", "up")
        self._in(node, "tc", "qdisc", "replace", "dev", device, "root", "handle", "1:", "htb", "default", "1")
        self._in(node, "tc", "class", "replace", "dev", device, "parent", "1:", "classid", "1:1", "htb", "rate", rate, "ceil", rate,
                 "burst", "16k", "cburst", "16k")
        self._in(node, "tc", "qdisc", "replace", "dev", device, "parent", "1:1", "handle", "10:", "bfifo", "limit", "256k")

    def _add_routes(self):
        """Every node is a router. A node has one address for all its links; it answers as next hop on any of them."""
        address = dict(self.addresses)
        for i, node in enumerate(node for node, kind in self.fabric.kinds.items() if kind == "switch"):
            address[node] = f"10.77.{200 + i // 250}.{i % 250 + 1}"
            self._in(node, "ip", "addr", "add", f"{address[node]}/32", "dev", "lo")
        for host in self.fabric.hosts:  # on eth0, because MPI libraries ignore lo
            self._in(host, "ip", "addr", "add", f"{address[host]}/16", "dev", "eth0", "noprefixroute")
        devices = {}
        for number in range(len(self.fabric.links)):
            for node, device, _, _ in self.ports[2 * number : 2 * number + 2]:
                devices[node, number] = device
        for (node, host), (after, number) in self.fabric.next_hops().items():
            self._in(node, "ip", "route", "add", f"{address[host]}/32", "via", address[after], "dev", devices[node, number], "onlink",
                     "src", address[node])

    def _add_names(self):
        names = "127.0.0.1 localhost\n" + "".join(f"{address} {host}\n" for host, address in self.addresses.items())
        for host in self.fabric.hosts:
            folder = pathlib.Path("/etc/netns") / self.namespace(host)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "hosts").write_text(names)
            (self.folder / "hosts" / host).mkdir(parents=True)
        self.local.mkdir()

    # --- what users of a lab do

    @property
    def local(self):
        """A folder that each host has for itself, like the local /tmp of a cluster's node."""
        return self.folder / "local"

    def command(self, host, *command):
        """The command that runs `command` on `host`: with the host's network, name and local folder."""
        return ["ip", "netns", "exec", self.namespace(host), "unshare", "--uts", "--mount", "sh", "-c", self._enter(), host, *map(str, command)]

    def _enter(self):
        """The shell script that becomes a host, whose name is $0, and then runs its other arguments."""
        return f'hostname "$0" && mount --bind {self.folder}/hosts/"$0" {self.local} && exec "$@"'

    def sent(self):
        """(from, to) -> Sent, for each direction of a link, since the lab came up."""
        result = {}
        for node, device, other, _ in self.ports:
            counters = [f"/sys/class/net/{device}/statistics/{name}" for name in ("tx_bytes", "tx_packets")]
            result[node, other] = Sent(*map(int, self._in(node, "cat", *counters).split()))
        return result

    def agent(self):
        """A program that a launcher starts in place of ssh: it runs a command on a host of this lab."""
        path = self.folder / "agent"
        if not path.exists():
            path.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1\nshift\n'
                            f'exec ip netns exec {self.namespace("")}"$host" unshare --uts --mount sh -c \'{self._enter()}\' "$host" '
                            '/bin/sh -c "$*" </dev/null\n')
            path.chmod(0o755)
        return path
