# SPDX-License-Identifier: BSD-3-Clause
"""The description of a network of hosts and switches: it is read or generated, routed, and written as a machine for topowise.

A description has one item a line; '#' begins a comment:

    host   NAME              a compute node
    switch NAME
    link   A B RATE          full duplex; RATE in bits per second: 400mbit, 1gbit
    route  NODE HOST NEXT    NODE sends messages for HOST to its neighbour NEXT; by default by a shortest path
"""

import collections
import dataclasses
import itertools
import json
import re

UNITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


class FabricError(Exception):
    """A description that cannot be used; the message says where and why."""


def bits_per_second(rate):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]bit)", rate)
    if not match or float(match.group(1)) == 0:
        raise ValueError(f"'{rate}' is no rate such as 400mbit or 1gbit")
    return float(match.group(1)) * UNITS[match.group(2)]


@dataclasses.dataclass(frozen=True)
class Link:
    a: str
    b: str
    rate: str


@dataclasses.dataclass
class Fabric:
    kinds: dict = dataclasses.field(default_factory=dict)  # name -> "host" or "switch", in the order of the description
    links: list = dataclasses.field(default_factory=list)
    fixed: dict = dataclasses.field(default_factory=dict)  # (node, host) -> neighbour

    @property
    def hosts(self):
        return [name for name, kind in self.kinds.items() if kind == "host"]

    def neighbours(self):
        """name -> [(neighbour, number of the link)], in the order of the links."""
        result = collections.defaultdict(list)
        for number, link in enumerate(self.links):
            result[link.a].append((link.b, number))
            result[link.b].append((link.a, number))
        return result

    def is_tree(self):
        return len(self.links) == len(self.kinds) - 1 and len(self.distances(next(iter(self.kinds)))) == len(self.kinds)

    def distances(self, start):
        """The hops from `start` to every node that can be reached from it."""
        neighbours = self.neighbours()
        found = {start: 0}
        queue = collections.deque([start])
        while queue:
            node = queue.popleft()
            for other, _ in neighbours[node]:
                if other not in found:
                    found[other] = found[node] + 1
                    queue.append(other)
        return found

    def next_hops(self):
        """Returns (node, host) -> (neighbour, number of the link). Destinations are spread over equally short routes, as subnet managers do."""
        neighbours = self.neighbours()
        result = {}
        for number, host in enumerate(self.hosts):
            distance = self.distances(host)
            for node in self.kinds:
                if node == host:
                    continue
                ways = [(other, link) for other, link in neighbours[node] if distance[other] == distance[node] - 1]
                if (node, host) in self.fixed:
                    ways = [(other, link) for other, link in neighbours[node] if other == self.fixed[node, host]]
                result[node, host] = ways[number % len(ways)]
        return result

    def route(self, source, destination):
        """The links, as (from, to), that a packet from `source` takes."""
        hops = self.next_hops()
        result = []
        while source != destination:
            after, _ = hops[source, destination]
            result.append((source, after))
            source = after
            if len(result) > len(self.kinds):
                raise FabricError(f"the routes to '{destination}' go in a circle at '{source}'")
        return result

    def topology(self, name):
        """The same network as a machine of topowise (docs/formats/topology.md), as JSON text."""
        vertices = [{"id": i, "kind": "compute-node" if kind == "host" else "network-switch", "name": node}
                    for i, (node, kind) in enumerate(self.kinds.items())]
        links = [{"from": one, "to": other, "kind": "network", "bandwidth_bytes_per_s": bits_per_second(link.rate) / 8}
                 for link in self.links for one, other in ((link.a, link.b), (link.b, link.a))]
        places = [{"id": i, "kind": "node", "name": host, "node": host, "vertex": host, "capacity": 1} for i, host in enumerate(self.hosts)]
        machine = {"schema": "topowise.topology/1", "name": name, "vertices": vertices, "links": links, "places": places}
        if not self.is_tree():  # where there are several shortest routes, the one chosen here
            number = {node: i for i, node in enumerate(self.kinds)}
            machine["forwarding"] = [[number[node], self.hosts.index(host), 2 * link + (self.links[link].a != node)]
                                     for (node, host), (_, link) in self.next_hops().items() if self.kinds[node] == "switch"]
        return json.dumps(machine, indent=1)


def _check(fabric, where):
    for link in fabric.links:
        for node in (link.a, link.b):
            if node not in fabric.kinds:
                raise FabricError(f"{where}: a link names '{node}', which is neither a host nor a switch")
    if not fabric.hosts:
        raise FabricError(f"{where}: there is no host")
    lost = set(fabric.kinds) - set(fabric.distances(fabric.hosts[0]))
    if lost:
        raise FabricError(f"{where}: no link leads to {', '.join(sorted(lost))}")
    neighbours = fabric.neighbours()
    for (node, host), after in fabric.fixed.items():
        if host not in fabric.hosts or after not in [other for other, _ in neighbours[node]]:
            raise FabricError(f"{where}: route {node} {host} {after}: '{host}' is no host, or '{after}' no neighbour of '{node}'")


def parse(text, where="fabric"):
    """Reads a description. Throws FabricError, with the line."""
    fabric = Fabric()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].split()
        try:
            if not words:
                continue
            if words[0] in ("host", "switch") and len(words) == 2 and re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,30}", words[1]):
                if words[1] in fabric.kinds:
                    raise ValueError(f"'{words[1]}' is there already")
                fabric.kinds[words[1]] = words[0]
            elif words[0] == "link" and len(words) == 4:
                bits_per_second(words[3])
                fabric.links.append(Link(*words[1:]))
            elif words[0] == "route" and len(words) == 4:
                fabric.fixed[words[1], words[2]] = words[3]
            else:
                raise ValueError(f"'{line.strip()}' is none of: host NAME, switch NAME, link A B RATE, route NODE HOST NEXT")
        except ValueError as error:
            raise FabricError(f"{where}:{number}: {error}") from None
    _check(fabric, where)
    return fabric


def fat_tree(leaves, hosts_per_leaf, spines, host_rate, uplink_rate):
    """Two levels: hosts h0.. are on leaves l0.., and every leaf is joined to all spines s0.. ."""
    fabric = Fabric()
    fabric.kinds.update({f"h{i}": "host" for i in range(leaves * hosts_per_leaf)})
    fabric.kinds.update({f"l{i}": "switch" for i in range(leaves)} | {f"s{i}": "switch" for i in range(spines)})
    fabric.links += [Link(f"h{i}", f"l{i // hosts_per_leaf}", host_rate) for i in range(leaves * hosts_per_leaf)]
    fabric.links += [Link(f"l{i}", f"s{j}", uplink_rate) for i, j in itertools.product(range(leaves), range(spines))]
    return fabric


def torus(extents, rate):
    """A torus of hosts t0-0.. without switches; in an extent of 2 the two neighbours coincide."""
    def name(cell):
        return "t" + "-".join(map(str, cell))

    fabric = Fabric()
    for cell in itertools.product(*map(range, extents)):
        fabric.kinds[name(cell)] = "host"
    for cell in itertools.product(*map(range, extents)):
        for axis, extent in enumerate(extents):
            if extent > 2 or (extent == 2 and cell[axis] == 0):
                after = cell[:axis] + ((cell[axis] + 1) % extent,) + cell[axis + 1 :]
                fabric.links.append(Link(name(cell), name(after), rate))
    return fabric
