# SPDX-License-Identifier: BSD-3-Clause
"""What torchrun's rendezvous asks of this package: what a node is, the order of the nodes, and the GPUs of a node's workers.

The package topowise_torchrun calls this, in the agent of each node.
"""

from __future__ import annotations

import os
import socket
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _functions, _hosts, _inputs, _llm
from . import _topowise as native
from ._errors import Error, bad_input
from ._order import HostNames, Order, hosts_of, order
from ._topowise import Topology, Traffic

#: Variables that say which GPUs of a node the job has.
_LISTS = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "SLURM_STEP_GPUS")
#: Pairs of ranks inside nodes whose traffic goes through the store, which has a most for a value (_agreement.MOST_DECISION).
_MOST_PAIRS = 80_000
_SOURCES = "Slurm's topology plugin, an NVLink domain of several hosts, or --rdzv-conf topology=FILE, in which levels=KEY;KEY names other labels"


def _torchrun_arguments(argv: Sequence[str]) -> Any:
    """The command line of this process as torchrun reads it; None if it is none of torchrun's."""
    try:
        from torch.distributed.run import parse_args

        with open(os.devnull, "w", encoding="utf-8") as nothing:
            return _quietly(parse_args, list(argv[1:]), nothing)
    except (Exception, SystemExit):  # noqa: BLE001  # another launcher that uses PyTorch's
        return None


def _quietly(work: Any, words: list[str], nothing: Any) -> Any:
    import contextlib

    with contextlib.redirect_stderr(nothing):
        return work(words)


def _processes(config: Mapping[str, Any], arguments: Any) -> int | None:
    """Processes that each node starts, as far as that is known without the job's traffic."""
    if "nproc" in config:
        return _functions.whole("nproc", int(config["nproc"]), 1, 65536)
    try:
        from torch.distributed.run import determine_local_world_size

        return int(determine_local_world_size(arguments.nproc_per_node))
    except Exception:  # noqa: BLE001  # no arguments, or another version's
        return None


def _command(arguments: Any) -> list[str]:
    """The program that torchrun starts, as `topowise run` knows it."""
    script, words = getattr(arguments, "training_script", ""), list(getattr(arguments, "training_script_args", []))
    if not script:
        return []
    if getattr(arguments, "no_python", False):
        return [script, *words]
    return ["python3", *(["-m"] if getattr(arguments, "module", False) else []), script, *words]


def blocks(sent: Traffic, nodes: int) -> tuple[Traffic, list[list[tuple[int, int, float]]], list[int]]:
    """Traffic between nodes that hold equally many consecutive ranks, and inside them.

    Returns (traffic between nodes, the different traffics inside a node as (source, destination, bytes), which of these each
    node has). Raises BadInput if the ranks cannot be shared evenly.
    """
    if sent.ranks % nodes != 0:
        raise bad_input(f"the traffic has {sent.ranks} ranks, which {nodes} nodes cannot share evenly")
    size = sent.ranks // nodes
    sources, destinations, amounts = sent.pairs()[:3]
    from_node, to_node = sources // size, destinations // size
    between = from_node != to_node
    sums: dict[tuple[int, int], float] = {}
    for a, b, amount in zip(from_node[between].tolist(), to_node[between].tolist(), amounts[between].tolist()):
        sums[a, b] = sums.get((a, b), 0.0) + amount
    ends = np.array(sorted(sums), dtype=np.int64).reshape(-1, 2)
    totals = np.array([sums[a, b] for a, b in ends.tolist()], dtype=np.float64)
    outer = native.traffic_from_pairs(nodes, ends[:, 0].copy(), ends[:, 1].copy(), totals)
    inside: list[list[tuple[int, int, float]]] = [[] for _ in range(nodes)]
    own = ~between
    for node, a, b, amount in zip(from_node[own].tolist(), (sources[own] % size).tolist(), (destinations[own] % size).tolist(), amounts[own].tolist()):
        inside[node].append((a, b, amount))
    kinds: dict[tuple[tuple[int, int, float], ...], int] = {}
    kind_of = [kinds.setdefault(tuple(pairs), len(kinds)) for pairs in inside]
    return outer, [list(kind) for kind in kinds], kind_of


class Job:
    """One job under torchrun, as the agent of one node sees it.

    `config`: what `--rdzv-conf` gives. `argv`: the command line of the agent. Raises BadInput for a setting that cannot be used.
    """

    def __init__(self, config: Mapping[str, Any], environment: Mapping[str, str], argv: Sequence[str]) -> None:
        self._config = config
        self._environment = environment
        arguments = _torchrun_arguments(argv)
        self._command = _command(arguments)
        self._processes = _processes(config, arguments)
        self._topology = str(config.get("topology", "")).replace(";", ",")
        self._keep = float(config.get("keep", 0.02))
        self._arranged = False

    # ---- what this node is

    def facts(self) -> dict[str, Any]:
        """What the deciding node must know of this one."""
        host = socket.gethostname()
        names = _hosts.names_of(self._environment, host)
        levels = tuple(filter(None, str(self._config.get("levels", "")).split(";")))
        source, path = _hosts.path_of(self._environment, names, self._topology, levels)
        return {"host": host, "names": names, "source": source, "path": path, "processes": self._processes}

    # ---- the order

    def _traffic(self, ranks: int | None) -> Traffic:
        source = str(self._config.get("traffic", ""))
        if source.startswith(_llm.PREFIX):  # torchrun has taken the commas for its own
            given = [f"{key}={self._config[key]}" for key in ("tp", "pp", "dp", *_llm.KEYS) if key in self._config]
            return _inputs.as_traffic(_llm.pattern_of(",".join([source, *given]), ranks))
        if source:
            return _inputs.as_traffic(source.replace(";", ","))
        if ranks is None:
            raise bad_input("how many processes a node starts is not known", "--rdzv-conf nproc=8")
        stored = native.stored_profile(self._command, ranks) if self._command else ""
        if not stored or not os.path.exists(stored):
            raise bad_input(f"no traffic is known for this program with {ranks} ranks", "--rdzv-conf traffic=...")
        return _inputs.as_traffic(stored)

    def decide(self, facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The rank of each node. `facts`: of all nodes, in PyTorch's order. Raises Error if nothing can be decided."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._decide(facts)

    def _decide(self, facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        _check_facts(facts)
        started = {each["processes"] for each in facts}
        if len(started) > 1:
            raise bad_input(f"the nodes start different numbers of processes: {', '.join(map(str, started))}")
        nodes, processes = len(facts), started.pop()
        sent = self._traffic(None if processes is None else nodes * processes)
        if processes is not None and sent.ranks != nodes * processes:
            raise bad_input(f"the traffic has {sent.ranks} ranks, but the job {nodes * processes}")
        between, inside, kinds = blocks(sent, nodes)
        if nodes == 1:
            return {"order": [0], "why": "", "inside": inside, "kinds": kinds}
        machine = _inputs.as_topology(self._topology) if facts[0]["source"] == "topology" else None
        if machine is None:
            _check_sources(facts)
        hosts = None if machine is None else hosts_of(machine)
        workers = [_worker(each, hosts) for each in facts]
        best = order(workers, between, machine, previous=_previous(facts), keep=self._keep, time_limit=10.0)
        why = _summary(best, facts)
        if sum(map(len, inside)) > _MOST_PAIRS:
            inside, kinds, why = [[]], [0] * nodes, f"{why}; GPUs keep their order, as nodes differ too much in their traffic"
        return {"order": list(best.ranks), "why": why, "inside": inside, "kinds": kinds}

    # ---- the GPUs of this node

    def gpu_variables(self, decision: Mapping[str, Any], rank: int) -> dict[str, str]:
        """Variables that give the workers of this node their GPUs. Empty where there is no choice, or none is better."""
        inside = decision["inside"][decision["kinds"][rank]]
        processes = self._processes or 1 + max((max(a, b) for a, b, _ in inside), default=0)
        if processes < 2 or not inside:
            return {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                machine = _functions.topology("live")
            except Error:
                return {}
            listed = any(self._environment.get(name) for name in _LISTS)
            variables = gpus_in_order(inside, processes, machine, first=not listed, always=self._arranged)
        self._arranged = self._arranged or bool(variables)
        return variables


def gpus_in_order(inside: Sequence[Sequence[float]], processes: int, machine: Topology, *, first: bool = False, always: bool = False) -> dict[str, str]:
    """The variables under which device k is the GPU of local rank k; empty if that is so without them, unless `always`.

    `first`: only the GPUs are used that the processes would take without a list, since others may be in use.
    """
    if len(machine) < processes or not native.places_are_gpus(machine):
        return {}
    columns = [np.array([pair[column] for pair in inside]) for column in range(3)]
    sent = native.traffic_from_pairs(processes, columns[0].astype(np.int64), columns[1].astype(np.int64), columns[2].astype(np.float64))
    allowed = range(processes) if first else range(len(machine))
    best = _functions.map(sent, machine, time_limit=2.0, ranks_per_place=1, allowed=list(allowed))
    if not always and (best.places == np.arange(processes)).all():
        return {}
    return dict(best.variables_of_node())


def _check_facts(facts: Sequence[Mapping[str, Any]]) -> None:
    """Raises BadInput for a node that does not say what Job.facts() says: another version's, or no node of ours."""
    for node, each in enumerate(facts):
        host = each.get("host")
        had = each.get("previous")
        good = {
            "host": isinstance(host, str) and host != "",
            "names": _are_texts(each.get("names")) and len(each["names"]) > 0,
            "source": isinstance(each.get("source"), str),
            "path": _are_texts(each.get("path")),
            "processes": "processes" in each and (each["processes"] is None or (type(each["processes"]) is int and each["processes"] > 0)),
            "previous": had is None or (isinstance(had, (list, tuple)) and len(had) == 2 and all(type(number) is int and number >= 0 for number in had)),
        }
        wrong = [key for key, is_good in good.items() if not is_good]
        if wrong:
            what = "does not say its" if wrong[0] not in each else "says something else as its"
            raise bad_input(f"node {node} ({host if good['host'] else '?'}) {what} {wrong[0]}", "it may have another version of topowise")


def _are_texts(given: Any) -> bool:
    return isinstance(given, (list, tuple)) and all(isinstance(text, str) for text in given)


def _check_sources(facts: Sequence[Mapping[str, Any]]) -> None:
    """Raises BadInput if nodes know their switches from different sources, whose names cannot be compared."""
    hosts = {each["source"].split(" and ")[0]: each["host"] for each in facts if each["source"] not in ("", "topology")}
    if len(hosts) > 1:
        told = ", ".join(f"{host} knows {source}" for source, host in hosts.items())
        raise bad_input(f"the nodes know their switches from different sources: {told}")


def _worker(facts: Mapping[str, Any], hosts: HostNames | None) -> dict[str, Any]:
    if hosts is not None:
        return {"host": hosts.first_of(facts["names"])}
    if not facts["source"] or facts["source"] == "topology":
        raise bad_input(f"{facts['host']} does not know which switches it is below", _SOURCES)
    return {"host": facts["names"][0], "path": facts["path"]}


def _previous(facts: Sequence[Mapping[str, Any]]) -> list[int | None] | None:
    """The rank that each node had, where no other claims it; None in the first round."""
    had = [each.get("previous") for each in facts]
    if not any(had):
        return None
    claimed: set[int] = set()
    ranks: list[int | None] = []
    for each in had:
        rank = each[0] if each and each[0] < len(facts) and each[0] not in claimed else None
        claimed |= {rank} if rank is not None else set()
        ranks.append(rank)
    return ranks


def _summary(best: Order, facts: Sequence[Mapping[str, Any]]) -> str:
    source = "the topology" if facts[0]["source"] == "topology" else facts[0]["source"]
    if best.given_cost and best.cost < best.given_cost * (1 - 1e-9):
        gain = f"hop-bytes between nodes are {100 * best.gain:.1f}% less than in PyTorch's order"
    elif best.given_cost and best.cost > best.given_cost * (1 + 1e-9):
        gain = f"hop-bytes between nodes are {-100 * best.gain:.1f}% more than in PyTorch's order, so that ranks stay"
    else:
        gain = "PyTorch's order is as good"
    proof = ", proven optimal" if best.proven_optimal else ""
    if not proof and best.lower_bound > 0 and best.cost > 0:
        proof = f", at most {100 * (best.cost / best.lower_bound - 1):.1f}% above the best"
    had = sum(bool(each.get("previous")) for each in facts)
    moved = f"; {best.moved} of {had} nodes have another rank than before" if had else ""
    return f"{len(facts)} nodes ordered by {source}: {gain}{proof}{moved}"
