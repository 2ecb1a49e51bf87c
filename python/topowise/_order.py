# SPDX-License-Identifier: BSD-3-Clause
"""Ranks for workers that run already, each on a host and a GPU: topowise.order()."""

from __future__ import annotations

import difflib
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from . import _functions, _inputs, _llm, _refine
from . import _topowise as native
from ._errors import bad_input, usage
from ._inputs import TopologyLike, TrafficLike
from ._mapping import Mapping as Found
from ._topowise import Topology, Traffic

#: A dictionary, or an object with attributes: "host"; "gpu" and "path" if they are known.
WorkerLike = Union[Mapping[str, Any], Any]

_KEYS = ("host", "gpu", "path")  # of a worker
_MANY = 4096  # workers: whole hosts are ordered first, and find more in the same time
_MOST_LEVELS = 64  # of switches: more has no network
_OBJECTIVES = ("hop-bytes", "predicted-time", "max-congestion")


@dataclass(frozen=True)
class Order:
    """A rank for every worker, and what is known about this order. Costs are those of the objective; lower is better."""

    ranks: tuple[int, ...]  #: rank of worker i; -1: a spare worker, which gets none
    cost: float  #: what the order costs
    given_cost: float | None  #: what the order costs in which the workers were given; None if there are spare workers
    lower_bound: float  #: no order costs less; 0 where no bound is known
    proven_optimal: bool  #: whether it is proven that no order costs less
    moved: int  #: workers with a previous rank that have another one now

    @property
    def workers(self) -> tuple[int, ...]:
        """Number of the worker that has rank i."""
        return tuple(sorted((w for w, rank in enumerate(self.ranks) if rank >= 0), key=lambda worker: self.ranks[worker]))

    @property
    def gain(self) -> float:
        """The share of `given_cost` that is saved; 0 if that is not known."""
        return 1 - self.cost / self.given_cost if self.given_cost else 0.0


@dataclass(frozen=True)
class _Worker:
    host: str
    gpu: int | str | None
    path: tuple[str, ...]


def _field(worker: WorkerLike, name: str) -> Any:
    return worker.get(name) if isinstance(worker, Mapping) else getattr(worker, name, None)


def _worker(number: int, given: WorkerLike) -> _Worker:
    host, gpu, path = (_field(given, name) for name in ("host", "gpu", "path"))
    if host is not None and not isinstance(host, str):
        raise TypeError(f"the host of worker {number} is of type {type(host).__name__}, not a name")
    if not host:
        raise TypeError(f"worker {number} has no host: a worker is {{'host': name, 'gpu': number}}, or an object with these attributes")
    if gpu is not None and not isinstance(gpu, str):
        gpu = int(_inputs.whole_numbers([gpu], f"the GPU of worker {number}")[0])
    if path is None:
        path = ()
    elif isinstance(path, str):
        path = (path,)
    parts = tuple(path)
    for part in parts:
        if not isinstance(part, str) and (not isinstance(part, int) or abs(part) >= 2**63):
            raise TypeError(f"the path of worker {number} has a part of type {type(part).__name__}, not the name of a switch")
    return _Worker(host, gpu, tuple(map(str, parts)))


def _warn_of_mistakes(given: Sequence[WorkerLike], team: Sequence[_Worker], topology: TopologyLike | None) -> None:
    """Warns of what is possible and hardly meant."""
    shared = Counter((worker.host, _device(str(worker.gpu))) for worker in team if worker.gpu is not None and topology is None)
    for (host, gpu), count in shared.most_common(1):
        if count > 1:
            _inputs.warn(f"{count} workers name GPU {gpu} of '{host}': they count as sharing it", 5)
    unknown: dict[str, None] = {}
    for each in given:
        for key in each if isinstance(each, Mapping) else ():
            if key in _KEYS or not isinstance(key, str) or len(key) > 64:
                continue
            unknown[key] = None
            meant = difflib.get_close_matches(key.lower(), [name for name in _KEYS if name not in each], 1, 0.65)
            if meant:
                return _inputs.warn(f"the key '{key}' of a worker means nothing here; '{meant[0]}' may be meant", 5)
    if unknown and topology is None and not any(worker.path for worker in team) and len({worker.host for worker in team}) > 1:
        _inputs.warn(f"the key '{next(iter(unknown))}' of a worker means nothing here; without 'path' and a topology all hosts are equally far", 5)


# ---- a machine out of the switches that the workers name


def machine_of_paths(hosts: Mapping[str, Sequence[str]], ranks_of: Mapping[str, int], name: str = "hosts") -> Topology:
    """A tree: under each host's switches, the widest first, the host, with room for `ranks_of` ranks. A place is a host.

    `hosts`: host -> the names of its switches. Raises BadInput if hosts name different numbers of switches.
    """
    depths = {len(path) for path in hosts.values()}
    if max(depths, default=0) > _MOST_LEVELS:
        raise bad_input(f"a host is below {max(depths)} switches, one above the other: more than {_MOST_LEVELS}")
    if len(depths) > 1:
        uneven = {len(path): host for host, path in hosts.items()}
        raise bad_input(f"the hosts {' and '.join(map(repr, uneven.values()))} name {' and '.join(map(str, uneven))} switches")
    groups: dict[tuple[str, ...], int] = {}
    vertices: list[dict[str, Any]] = []

    def group(path: tuple[str, ...]) -> int:
        if path not in groups:
            above = {"parent": group(path[:-1])} if path else {}
            groups[path] = len(vertices)
            vertices.append({"id": len(vertices), "kind": "network-switch", "name": path[-1] if path else "network", **above})
        return groups[path]

    places = []
    for number, (host, path) in enumerate(hosts.items()):
        above = group(tuple(path))
        places.append({"id": number, "kind": "node", "name": host, "node": host, "capacity": ranks_of[host], "vertex": len(vertices)})
        vertices.append({"id": len(vertices), "kind": "compute-node", "name": host, "node": host, "parent": above})
    links = [{"from": vertex["id"], "to": vertex["parent"], "kind": "network"} for vertex in vertices if "parent" in vertex]
    links += [{"from": link["to"], "to": link["from"], "kind": "network"} for link in links]
    words = {"schema": "topowise.topology/1", "name": name, "vertices": vertices, "places": places, "links": links}
    return _functions.topology_from_text(json.dumps(words), format="json", where=name)


def _even_tree(hosts: Mapping[str, Sequence[str]]) -> tuple[str, list[str]] | None:
    """The tree of the hosts' switches as a synthetic one, on which boxes of groups are found, and the hosts in its order.

    None if switches of one level have different numbers of switches or hosts below them.
    """
    in_order = sorted(hosts, key=lambda host: tuple(hosts[host]))
    paths = [(*hosts[host], host) for host in in_order]
    arities: list[int] = []
    for depth in range(len(paths[0])):
        below = Counter(group[:depth] for group in {path[: depth + 1] for path in paths})
        if len(set(below.values())) > 1:
            return None
        arities.append(next(iter(below.values())))
    return f"tree:{':'.join(str(arity) for arity in arities if arity > 1) or '1'}", in_order


# ---- places of workers on a described machine


class HostNames:
    """Finds a host by its name, with or without its domain, in any case. Addresses are never shortened."""

    def __init__(self, names: Iterable[str]) -> None:
        self._exact = set(names)
        self._alike: dict[str, list[str]] = {}
        self._short: dict[str, list[str]] = {}
        for name in sorted(self._exact):
            self._alike.setdefault(name.lower(), []).append(name)
            self._short.setdefault(_short(name), []).append(name)

    def find(self, host: str) -> str | None:
        """The name as it was given; None if there is no such host, or several."""
        if host in self._exact:
            return host
        for found in (self._alike.get(host.lower()), self._alike.get(_short(host)), self._short.get(host.lower())):
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def full(self, host: str) -> str:
        """One of several names of a host: that with the domain, where just one is longer."""
        longer = [name for name in self._short[_short(host)] if name.lower() != _short(host)]
        if host.lower() == _short(host) and len({name.lower() for name in longer}) == 1:
            return longer[0]
        return self._alike[host.lower()][0]

    def first_of(self, names: Sequence[str]) -> str:
        """The first of a host's names that is known. Raises BadInput if none is."""
        for name in names:
            if self.find(name) is not None:
                return name
        raise bad_input(f"the topology has no host '{names[0]}'")


def _short(name: str) -> str:
    return name if name.replace(".", "").isdigit() else name.split(".")[0].lower()


def _host_of_place(place: Mapping[str, Any]) -> str:
    return str(place.get("node") or place["name"])


def hosts_of(machine: Topology) -> HostNames:
    """The hosts of a machine, by name."""
    return HostNames(_host_of_place(place) for place in json.loads(machine.to_json())["places"])


_BUS_ID = re.compile(r"(?:([0-9a-f]{1,8}):)?([0-9a-f]{2}:[0-9a-f]{2})(?:\.([0-7]))?")


def _device(name: str) -> str:
    """A name of a GPU in the spelling in which names are compared: its number, bus id or UUID."""
    name = name.strip().lower()
    if bus_id := _BUS_ID.fullmatch(name):  # the domain has 4 or 8 digits, or is left out
        return f"{int(bus_id[1] or '0', 16):04x}:{bus_id[2]}.{bus_id[3] or 0}"
    return re.sub(r"^(?:gpu-(?=[0-9a-f]{8})|gpu(?=\d+$)|(?:cuda|hip|xpu):(?=\d+$))", "", name)


def _gpu_place(worker: _Worker, places: list[dict[str, Any]]) -> int:
    wanted = _device(str(worker.gpu))
    for key in ("name", "pci", "uuid", "number"):  # a number is that in the name, where names have numbers
        for place in places:
            given = place["name"].removeprefix(place["node"]).removeprefix(":") if key == "name" else place.get(key)
            if given is not None and _device(str(given)) == wanted:
                return int(place["id"])
    raise bad_input(f"host '{worker.host}' has no GPU {worker.gpu!r} in the topology", f"its places are {', '.join(place['name'] for place in places)}")


def _described(workers: list[_Worker], machine: Topology) -> tuple[Topology, list[int]]:
    """The machine with room for the workers where they are, and the place of each worker."""
    description = json.loads(machine.to_json())
    on: dict[str, list[dict[str, Any]]] = {}
    for place in description["places"]:
        vertex = description["vertices"][place["vertex"]]
        on.setdefault(_host_of_place(place), []).append({**{key: vertex.get(key) for key in ("uuid", "number")}, **place})
    names = HostNames(on)
    at: dict[int, int] = {}
    unnamed: list[tuple[int, list[dict[str, Any]]]] = []
    for number, worker in enumerate(workers):
        node = names.find(worker.host)
        if node is None:
            raise bad_input(f"the topology has no host '{worker.host}', or several", f"its hosts are {', '.join(list(on)[:8])}{' ...' if len(on) > 8 else ''}")
        here = on[node]
        if worker.gpu is not None and (len(here) > 1 or here[0]["kind"] == "gpu"):
            at[number] = _gpu_place(worker, here)
        else:
            unnamed.append((number, here))
    room = Counter(at.values())
    for place, count in room.most_common(1):
        if count > 1:
            _inputs.warn(f"{count} workers name the GPU {description['places'][place]['name']}: they count as sharing it", 7)
    for number, here in unnamed:  # what nobody has named comes first
        at[number] = min((int(place["id"]) for place in here), key=lambda place: room[place])
        room[at[number]] += 1
    places = [at[number] for number in range(len(workers))]
    if all(description["places"][place]["capacity"] == room[place] for place in room):
        return machine, places
    for place in description["places"]:
        place["capacity"] = room.get(place["id"], place["capacity"])
    return _functions.topology_from_text(json.dumps(description), format="json", where=machine.name), places


def _placed(workers: list[_Worker], topology: TopologyLike | None) -> tuple[Topology, list[int]]:
    if topology is not None:
        return _described(workers, _inputs.as_topology(topology))
    names = HostNames(worker.host for worker in workers)
    hosts = [names.full(worker.host) for worker in workers]
    paths: dict[str, tuple[str, ...]] = {}
    for host, worker in zip(hosts, workers):
        if paths.setdefault(host, worker.path) != worker.path:
            raise bad_input(f"two workers of host '{worker.host}' name different switches")
    machine = machine_of_paths(paths, Counter(hosts))
    even = _even_tree(paths) if len(set(hosts)) == len(hosts) else None
    if even is not None:
        machine, paths = _functions.topology(even[0]), {host: paths[host] for host in even[1]}
    number = {host: place for place, host in enumerate(paths)}
    return machine, [number[host] for host in hosts]


# ---- the order


class _Question:
    """Workers at places, and traffic of at most as many ranks."""

    def __init__(self, sent: Traffic, team: list[_Worker], topology: TopologyLike | None, previous: list[int | None], objective: str) -> None:
        self.sent, self.previous, self.objective = sent, previous, objective
        self.hosts = [worker.host for worker in team]
        self.machine, self.places = _placed(team, topology)
        self._distance: np.ndarray | None = None

    def cost(self, places: np.ndarray) -> float:
        if self.objective == "hop-bytes" and len(self.machine) <= 4096:  # evaluate() would find the load of every link as well
            if self._distance is None:
                self._distance = self.machine.pair_costs("distance")
            sources, destinations, amounts = self.sent.pairs()[:3]
            return float(amounts @ self._distance[places[sources], places[destinations]])
        numbers = _functions.evaluate(self.sent, self.machine, places)
        cost = getattr(numbers, self.objective.replace("-", "_"))
        if cost is None:
            raise bad_input(f"the {self.objective} is not known: {numbers.unknown}", "objective='hop-bytes'")
        return float(cost)

    def best_of(self, found: Found, coarse: np.ndarray | None, until: float) -> np.ndarray:
        """The places of the mapper, unless it has no proof and a simpler order, or that of whole hosts, is better.

        `until`: the time by time.monotonic() from which nothing more is tried.
        """
        count = len(self.places)
        if found.proven_optimal or len(self.machine) > 4096 or count > 65536:
            return found.places
        distance, ranks = self.machine.pair_costs("distance"), self.sent.ranks
        given = np.array(self.places)
        layouts = list(_refine.tree_orders(distance, given))
        known = [found.places, *([] if coarse is None else [coarse])]
        if self.objective == "hop-bytes":
            known.append(_refine.best_bands(self.sent.pairs(), ranks, distance, layouts, until))
        if count > _refine.MOST_RANKS:
            return min(known, key=self.cost)
        starts = [np.concatenate([places, np.array(list(self._spare(places)), dtype=np.int64)]) for places in known]
        starts += [given, *layouts, *(given[by_name] for by_name in _refine.name_orders(self.hosts))]
        sent = self.sent.matrix()
        simple = sorted((start[:ranks] for start in starts), key=self.cost)
        starts = [*starts[: len(known)], *sorted(starts[len(known) :], key=lambda start: self.cost(start[:ranks]))[:3]]
        return min([*simple[:1], *(_refine.descend(sent, distance, start, until)[:ranks] for start in starts)], key=self.cost)

    def _spare(self, places: np.ndarray) -> Iterable[int]:
        return (Counter(self.places) - Counter(places.tolist())).elements()

    def of_hosts(self, team: list[_Worker], words: dict[str, Any]) -> np.ndarray | None:
        """The places of ranks in the best order of whole hosts, as consecutive ranks; None if hosts have one worker or not equally many."""
        room = Counter(self.places)
        size = min(room.values())
        if size == 1 or max(room.values()) > size or self.sent.ranks % size or self.objective != "hop-bytes" or not self.sent.pairs()[2].any():
            return None
        first = {place: worker for worker, place in reversed(list(enumerate(self.places)))}
        workers = [team[first[place]] for place in room]
        ranks = self.sent.ranks // size
        keys = self.sent.pairs()[0] // size * ranks + self.sent.pairs()[1] // size
        ends, number = np.unique(keys, return_inverse=True)
        sums = np.bincount(number, self.sent.pairs()[2])
        between = ends // ranks != ends % ranks
        sent = native.traffic_from_pairs(ranks, (ends // ranks)[between], (ends % ranks)[between], sums[between])
        found = order(workers, sent, self.machine, seed=words["seed"], time_limit=words["time_limit"] * 3 / 4)
        return np.repeat([list(room)[worker] for worker in found.workers], size)

    def ranks(self, places: np.ndarray) -> list[int]:
        """Hands the ranks of each place to the workers there; a worker keeps its previous rank if that is among them."""
        at: dict[int, list[int]] = {}
        for rank, place in enumerate(places.tolist()):
            at.setdefault(place, []).append(rank)
        ranks = [-1] * len(self.places)
        for worker, had in enumerate(self.previous):
            if had is not None and had in at.get(self.places[worker], []):
                at[self.places[worker]].remove(had)
                ranks[worker] = had
        for worker, place in enumerate(self.places):
            if ranks[worker] < 0 and at.get(place):
                ranks[worker] = at[place].pop(0)
        return ranks

    def kept(self) -> dict[int, int]:
        """The places of the ranks that workers have had."""
        return {rank: self.places[worker] for worker, rank in enumerate(self.previous) if rank is not None and rank < self.sent.ranks}

    def moved(self, ranks: list[int]) -> int:
        return sum(rank is not None and rank != now for rank, now in zip(self.previous, ranks))


def _fewer_moves(question: _Question, places: np.ndarray) -> np.ndarray:
    """Exchanges pairs of ranks that costs nothing, as long as more ranks are where they were."""
    kept = question.kept()
    ranks = question.sent.ranks
    if question.objective != "hop-bytes" or not kept or ranks > 4096 or len(question.machine) > 16384:
        return places
    costs = question.machine.pair_costs("distance")
    sent = question.sent.matrix()
    sent = sent + sent.T
    places = places.copy()
    for _ in range(8):
        before = places.copy()
        for rank, place in kept.items():
            if places[rank] == place:
                continue
            for other in np.flatnonzero(places == place):
                if kept.get(int(other)) == place:
                    continue
                here, there = costs[places[rank]][places], costs[places[other]][places]
                change = (sent[rank] - sent[other]) * (there - here)
                change[[rank, other]] = 0  # they stay equally far from each other
                if change.sum() <= 1e-12 * abs(change).sum():
                    places[rank], places[other] = places[other], places[rank]
                    break
        if (before == places).all():
            break
    return places


def order(
    workers: Iterable[WorkerLike],
    traffic: TrafficLike,
    topology: TopologyLike | None = None,
    *,
    previous: Sequence[int | None] | None = None,
    keep: float = 0.0,
    objective: str = "hop-bytes",
    seed: int = 1,
    time_limit: float | str = 10.0,
) -> Order:
    """Choose a rank for every worker that runs already, so that ranks which communicate most are nearest.

    workers     dictionaries, or objects with attributes: "host", the name of the host; "gpu" (may be missing), its number, name,
                PCI bus id or UUID on that host; "path" (may be missing), the switches above the host, the widest first
    traffic     what traffic() takes: bytes between ranks. If it has fewer ranks than there are workers, some stay spare. Of
                "llm:tp=8,pp=4" without dp, all workers are ranks
    topology    a machine in which the hosts are found by name: a fabric (a worker's place is its host) or a cluster of nodes
                with GPUs. None: the tree of the workers' paths; without paths, all hosts are equally far from each other
    previous    the rank that each worker has now, None for a new worker and None or -1 for a spare one, as in the `ranks` of an Order:
                where the cost is the same, ranks stay
    keep        ranks stay also where that costs at most this share more: 0.02 is 2 percent
    objective   "hop-bytes": bytes x distance; "predicted-time": seconds for all messages at once, where the rates of all links are
                known; "max-congestion": seconds that the fullest link needs
    time_limit  seconds, or text such as "500ms", for all searches together; reading and comparing what they find takes more

    The answer depends on nothing but the arguments. Raises BadInput for a host or GPU that the topology does not have, for
    more ranks than workers, and for a previous rank that two workers have.
    """
    if objective not in _OBJECTIVES:
        raise usage(f"unknown objective '{objective}'", " or ".join(map(repr, _OBJECTIVES)))
    listed = list(workers)
    team = [_worker(number, each) for number, each in enumerate(listed)]
    if not team:
        raise bad_input("there are no workers")
    seconds = _functions.seconds_of(time_limit)
    until = time.monotonic() + seconds * 7 / 8
    share = _inputs.real("keep", keep)
    if not 0 <= share < float("inf"):
        raise usage(f"keep is {share:g}, not a share of 0 or more")
    _warn_of_mistakes(listed, team, topology)
    if isinstance(traffic, str) and traffic.startswith(_llm.PREFIX) and ",dp=" not in traffic.replace(":", ","):
        traffic = _llm.pattern_of(traffic, len(team))
    sent = _inputs.as_traffic(traffic)
    if sent.ranks > len(team):
        raise bad_input(f"the traffic has {sent.ranks} ranks, but there are {len(team)} workers")
    given_ranks = [-1] * len(team) if previous is None else [-1 if rank is None else rank for rank in previous]
    had: list[int | None] = [None if rank < 0 else rank for rank in _inputs.whole_numbers(given_ranks, "previous").tolist()]
    if len(had) != len(team):
        raise bad_input(f"previous has {len(had)} ranks, but there are {len(team)} workers")
    twice = [rank for rank, count in Counter(rank for rank in had if rank is not None).items() if count > 1]
    if twice:
        raise bad_input(f"previous has rank {twice[0]} twice")
    question = _Question(sent, team, topology, had, objective)
    machine, places = question.machine, question.places
    # A half of the time is for the mapping, three eighths for the order of whole hosts and what is tried then, and the rest
    # for ranks that stay.
    words: dict[str, Any] = {"allowed": sorted(set(places)), "objective": objective, "seed": seed, "time_limit": seconds / 2}
    coarse = question.of_hosts(team, words) if len(team) > _MANY else None
    found = _functions.map(sent, machine, **words)
    if coarse is None and not found.proven_optimal:
        coarse = question.of_hosts(team, words)
    best = _fewer_moves(question, question.best_of(found, coarse, until))
    cost = question.cost(best)
    if previous is not None:
        fixed = question.kept()
        words["time_limit"] = seconds / 8
        kept = _functions.map(sent, machine, fixed=fixed, **words).places if len(fixed) < sent.ranks else np.array([fixed[r] for r in range(sent.ranks)])
        if question.cost(kept) <= cost * (1 + max(share, 1e-12)):
            best = kept
    given = question.cost(np.array(places)) if len(team) == sent.ranks else None
    if previous is None and given is not None and given <= cost * (1 + 1e-12):
        best = np.array(places)
        ranks = list(range(len(team)))
    else:
        ranks = question.ranks(best)
    cost = question.cost(best)
    proven = found.proven_optimal and cost <= found.cost * (1 + 1e-12)
    return Order(tuple(ranks), cost, given, min(found.lower_bound, cost), proven, question.moved(ranks))
