# SPDX-License-Identifier: BSD-3-Clause
"""The functions that a user calls: sources in, results out. docs/recipes/python.md has examples."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping as Pairs
from collections.abc import Iterable, Sequence

import numpy as np

from . import _inputs
from . import _topowise as native
from ._errors import TopowiseWarning, bad_input, usage
from ._inputs import ExchangeLike, MappingLike, TopologyLike, TrafficLike
from ._mapping import Mapping
from ._results import Evaluation, Prediction, Schedule
from ._topowise import Exchange, Topology, Traffic

__all__ = ["TopowiseWarning", "evaluate", "exchange", "map", "predict", "schedule", "topology", "topology_from_text", "traffic",
           "traffic_from_text"]  # fmt: skip


def topology(source: TopologyLike, *, format: str = "") -> Topology:
    """Read a machine.

    `source` is what the command line takes for TOPOLOGY: "live" (this machine), "preset:hgx-h100", "tree:2:4:2",
    "torus:8x8x4", a path, or several of them joined with "+". `format` forces the format of a file; without it the format
    follows from the content. Raises UsageError for an unknown format, BadInput for an unknown preset and, with file, line and
    column, for a damaged description, and NotAvailable if "live" finds nothing. Warns (TopowiseWarning) of oddities.
    """
    return _inputs.as_topology(source, format)


def topology_from_text(text: str, *, format: str = "", where: str = "text") -> Topology:
    """Read a machine's description that is in memory. `where` names it in error messages. Raises as topology() does."""
    words = _inputs.word("where", where), _inputs.word("the description", text), _inputs.word("format", format)
    return native.topology_from_text(*words)


def traffic(
    source: TrafficLike, *, format: str = "", collectives: str = "auto", memory: str = "all", weight: str = "weight"
) -> Traffic:
    """Read the bytes that each rank sends to each other rank.

    `source` is one of
      - a square array: source[i, j] bytes from rank i to rank j, of any real dtype (float64 in C order is not copied);
      - a scipy.sparse matrix or array of the same meaning (CSR with float64 is not copied);
      - a networkx graph: the edge attribute `weight` is in bytes, 1 for an edge without it; an undirected edge sends in both
        directions. If the vertices are the numbers 0 .. n-1, these are the ranks; else the order of the graph numbers them;
      - text that the command line takes for TRAFFIC: a profile of `topowise run`, "pattern:stencil2d:4x4", a matrix
        file, or the traces of a PyTorch job: a directory, or a list or pattern of files such as "traces/*.json.gz";
      - "llm:tp=8,pp=4,dp=4,ep=8": `pattern:llm` by the names of its groups, of which those that are missing have one rank.

    `format`, `collectives` and `memory` say how text is read, as the options of these names do. Raises BadInput for a
    matrix that is not square and for bytes that are negative or not finite, TypeError for entries that are no numbers. Other
    Python threads run while files are read; Ctrl-C ends the reading.
    """
    return _inputs.as_traffic(source, format, collectives, memory, weight)


def traffic_from_text(text: str, *, format: str = "", where: str = "text") -> Traffic:
    """Read a matrix that is in memory as text. `where` names it in error messages. Raises as traffic() does."""
    words = _inputs.word("where", where), _inputs.word("the matrix", text), _inputs.word("format", format)
    return native.traffic_from_text(*words)


def exchange(messages: ExchangeLike) -> Exchange:
    """Make an exchange of messages for predict() and schedule().

    `messages` is a list of (source, destination, bytes) or (source, destination, bytes, start in seconds), the path of a
    saved exchange, or anything that traffic() takes. Traffic becomes one message for each pair with all bytes of the pair.
    """
    return _inputs.as_exchange(messages)


_MOST = 2**63 - 1  # the largest number that the library counts with


def whole(what: str, given: int, least: int, most: int) -> int:
    """The whole number, if it is one from `least` to `most`. TypeError or UsageError else."""
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {type(given).__name__}") from None
    if not least <= number <= most:
        raise usage(f"{what} is {number}, not a number from {least} to {most}")
    return number


def seconds_of(given: float | str, what: str = "time_limit") -> float:
    seconds = native.parse_seconds(_inputs.word(what, given)) if isinstance(given, str) else _inputs.real(what, given)
    if not seconds > 0:
        raise usage(f"{what} is {seconds:g}, not a time above 0", "seconds, or '500ms'")
    return seconds


def _imbalance(given: float | str | None) -> float | None:
    """A share, or text such as "3%"."""
    if given is None or not isinstance(given, str):
        return None if given is None else _inputs.real("imbalance", given)
    text = given.strip()
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise usage(f"imbalance is '{given}', not a number", "0.03 or '3%'") from None


def _fixed(given: Pairs[int, int] | Iterable[tuple[int, int]] | None) -> dict[int, int]:
    if not (given is None or isinstance(given, Iterable)):
        raise TypeError(f"fixed is {{rank: place}} or pairs of them, not {type(given).__name__}")
    pairs = given.items() if isinstance(given, Pairs) else () if given is None else given
    fixed: dict[int, int] = {}
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:
            raise TypeError(f"fixed has {pair!r}; pairs of a rank and a place are needed")
        rank, place = (whole(what, number, -_MOST, _MOST) for what, number in zip(("a fixed rank", "the place of a fixed rank"), pair))
        if rank in fixed:
            raise bad_input(f"rank {rank} is fixed twice")
        fixed[rank] = place
    return fixed


def map(  # noqa: A001  # the verb of the command line
    traffic: TrafficLike,
    topology: TopologyLike,
    *,
    mapper: str = "auto",
    objective: str | None = None,
    metric: str | None = None,
    hop_share: float = 0.5,
    seed: int = 1,
    time_limit: float | str = 10.0,
    ranks_per_place: int | None = None,
    allowed: Sequence[int] | None = None,
    fixed: Pairs[int, int] | Iterable[tuple[int, int]] | None = None,
    imbalance: float | str | None = None,
    loads: Sequence[int] | None = None,
    bound_time: float | str | None = None,
    threads: int = 0,
) -> Mapping:
    """Choose a place for every rank, so that the messages take least time, or so that ranks which communicate most are nearest.

    mapper           one of mapper_names(); "auto" is never worse than rank i on place i
    objective        "hop-bytes", "max-congestion", "predicted-time", "mix"; None or "auto": "predicted-time" where the rates of
                     all links are known and there are at most 512 ranks, else "hop-bytes", also with a metric, with loads and
                     with a mapper other than "auto"; Mapping.objective_reason says why
    metric           for hop-bytes, what a byte between two places costs: "distance" (also None), "latency", "bandwidth", "hops"
    hop_share        for "mix": the weight of hop-bytes, from 0 to 1
    seed             the same input and seed give the same mapping, also with the program `topowise map`
    time_limit       seconds, or text such as "500ms": the answer is there by then
    ranks_per_place  how many ranks may share a place; None: the capacity that the topology states
    allowed          places that may be used, in order
    fixed            {rank: place}, or pairs (rank, place): places that these ranks must have
    imbalance        0.03 or "3%": a place holds at most 1 + imbalance times its share of the ranks or of their loads
    loads            the load of every rank, above 0; places share the loads evenly, within 3% if no imbalance is given
    bound_time       the part of time_limit for the lower bound; 0: no bound is looked for; None: a twentieth, at most a second
    threads          number of threads; 0: as many as the machine has

    Other Python threads run meanwhile. Ctrl-C ends the search with the best mapping so far, which has `interrupted` set;
    a second Ctrl-C raises KeyboardInterrupt. Raises UsageError for an unknown mapper, objective or metric, BadInput for more
    ranks than places and for constraints that contradict each other.
    """
    if imbalance is not None and ranks_per_place is not None:
        raise usage("imbalance and ranks_per_place both say how full a place may be")
    if imbalance is None and loads is not None:
        imbalance = 0.03
    shared = 0 if ranks_per_place is None else whole("ranks_per_place", ranks_per_place, 1, 1_000_000)
    share = _inputs.real("hop_share", hop_share)
    if not 0 <= share <= 1:
        raise usage(f"hop_share is {share:g}, not a number from 0 to 1")
    sent, machine = _inputs.as_traffic(traffic), _inputs.as_topology(topology)
    question = {
        "traffic": sent,
        "topology": machine,
        "mapper": _inputs.word("mapper", mapper),
        "objective": None if objective is None else _inputs.word("objective", objective),
        "metric": None if metric is None else _inputs.word("metric", metric),
        "hop_share": share,
        "allowed": [] if allowed is None else _inputs.whole_numbers(allowed, "allowed").tolist(),
        "ranks_per_place": shared,
        "imbalance": _imbalance(imbalance),
        "loads": [] if loads is None else [whole("a load", load, 1, 2**31 - 1) for load in loads],
        "fixed": _fixed(fixed),
        "seed": whole("the seed", seed, 0, _MOST),
        "time_limit": seconds_of(time_limit),
        "bound_time": None if bound_time is None else 0.0 if bound_time == 0 else seconds_of(bound_time, "bound_time"),
        "threads": whole("threads", threads, 0, 65536),
    }
    if allowed is not None and not question["allowed"]:
        raise bad_input("no place is allowed")
    result, interrupted = native.map_ranks(**question)
    if interrupted:
        _inputs.warn_of_interrupt()
    return Mapping(result, question, interrupted)


def _silent(ranks: int) -> Traffic:
    """Traffic of ranks that send nothing; it has at least one rank."""
    return native.traffic_from_pairs(max(1, ranks), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def _places(mapping: MappingLike, ranks: int, machine: Topology, sent: Traffic | None = None) -> np.ndarray:
    """The place of every rank; None means rank i on place i. `sent` is the traffic for which a saved mapping should be made."""
    if mapping is None:
        return map(_silent(ranks), machine, mapper="identity").places
    if isinstance(mapping, Mapping):
        places = mapping.places
    elif _inputs.is_source(mapping):
        saved, places = native.load_mapping(mapping)
        for sign in native.signs_of_another_question(os.fsdecode(mapping), saved, machine, sent or _silent(1)):
            _inputs.warn(sign)
    else:
        places = _inputs.whole_numbers(mapping, "the mapping")
    if len(places) < ranks:
        raise bad_input(f"the mapping has {len(places)} ranks, but {ranks} are needed")
    return places


def evaluate(traffic: TrafficLike, topology: TopologyLike, mapping: MappingLike = None, *, metric: str = "distance") -> Evaluation:
    """Compute every number by which a mapping is judged.

    `mapping` is a Mapping, the place of every rank, the path of a saved mapping, or None for rank i on place i. Raises BadInput
    for a mapping that lacks a rank or names a place that does not exist, and for a metric that the machine does not know.
    """
    sent, machine = _inputs.as_traffic(traffic), _inputs.as_topology(topology)
    return Evaluation(**native.evaluate(sent, machine, _places(mapping, sent.ranks, machine, sent), _inputs.word("metric", metric)))


def _congestion(model: str, link_bandwidth: float | None, tau: float | None) -> tuple[str, float | None, float | None]:
    bandwidth = None if link_bandwidth is None else _inputs.real("link_bandwidth", link_bandwidth)
    return _inputs.word("model", model), bandwidth, None if tau is None else _inputs.real("tau", tau)


def predict(
    messages: ExchangeLike,
    topology: TopologyLike,
    mapping: MappingLike = None,
    *,
    model: str = "auto",
    link_bandwidth: float | None = None,
    tau: float | None = None,
) -> Prediction:
    """Predict when each message begins and ends under congestion.

    `messages` is what exchange() takes. `model` is "auto", "pcie-sc16", "pcie-filled" or "max-min"; `link_bandwidth` (bytes
    per second, of every PCIe link) and `tau` (the share of it that crossing a root complex costs) replace what the topology
    states. Raises BadInput for a rank without a place and for places that nothing connects.
    """
    played, machine = _inputs.as_exchange(messages), _inputs.as_topology(topology)
    places = _places(mapping, played.ranks, machine)
    return Prediction(*native.predict(played, machine, places, *_congestion(model, link_bandwidth, tau)))


def schedule(
    messages: ExchangeLike,
    topology: TopologyLike,
    mapping: MappingLike = None,
    *,
    model: str = "auto",
    link_bandwidth: float | None = None,
    tau: float | None = None,
    seed: int = 1,
    steps: int = 20_000_000,
    time_limit: float | str | None = None,
) -> Schedule:
    """Find the order of each source's messages that finishes first.

    The first arguments are those of predict(). `steps` bounds the search: it plays at most that many time steps, so the result
    is the same on every machine. `time_limit` is as in map(); None: no limit. Ctrl-C works as in map(). Raises BadInput for
    messages that start at different times.
    """
    played, machine = _inputs.as_exchange(messages), _inputs.as_topology(topology)
    places = _places(mapping, played.ranks, machine)
    limits = whole("the seed", seed, 0, _MOST), whole("steps", steps, 0, _MOST)
    seconds = math.inf if time_limit is None else seconds_of(time_limit)
    best = Schedule(*native.schedule(played, machine, places, *_congestion(model, link_bandwidth, tau), *limits, seconds))
    if best.interrupted:
        _inputs.warn_of_interrupt()
    return best
