# SPDX-License-Identifier: BSD-3-Clause
"""How the nodes of a rendezvous agree on an order: all take the same one, whatever fails.

Each node puts what it is into the store of the round. The first node decides when all have, and writes the decision; a node that
waits too long writes "no order". A store keeps the first of these that arrives, and all nodes read what it has kept.

Waiting is asking a counter: a blocking wait would hold the connection that PyTorch's heartbeats need, and PyTorch before 2.0 loses
its place in the replies after a wait that has timed out.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from typing import Any, Protocol


class Store(Protocol):
    """What is needed of a store of PyTorch."""

    def set(self, key: str, value: str) -> None: ...
    def get(self, key: str) -> bytes: ...
    def add(self, key: str, amount: int) -> int: ...
    def compare_set(self, key: str, expected: str, desired: str) -> bytes: ...


_NODE, _ARRIVED, _DECISION, _DECIDED, _MASTER, _LISTENS = (
    f"topowise/{name}" for name in ("node", "arrived", "decision", "decided", "master", "listens")
)

DECIDING = 20.0  #: seconds that the first node may take to decide

Facts = dict[str, Any]
Decision = dict[str, Any]


def seconds_of(given: Any) -> float:
    """A time to wait, in seconds. Raises ValueError if it is no finite number above 0: no waiting would end, or none begin."""
    seconds = float(given)
    if not math.isfinite(seconds) or seconds <= 0:
        raise ValueError(f"'{given}' is no number of seconds above 0")
    return seconds


def _reaches(store: Store, counter: str, count: int, seconds: float) -> bool:
    """Waits until the counter has the count. False if that takes longer than `seconds`."""
    end, pause = time.monotonic() + seconds, 0.005
    while store.add(counter, 0) < count:
        if time.monotonic() > end:
            return False
        time.sleep(pause)
        pause = min(2 * pause, 0.25)
    return True


def reason(error: BaseException) -> str:
    """An error in one line, its hint in brackets."""
    what, _, hint = str(error).partition("\nhint: ")
    what = " ".join(what.split()) or type(error).__name__
    return f"{what} ({' '.join(hint.split())})" if hint else what


def _no_order(why: str) -> Decision:
    return {"order": None, "why": why}


def is_order(order: Any, nodes: int) -> bool:
    """Whether this is a rank for each of so many nodes."""
    return isinstance(order, list) and all(type(rank) is int for rank in order) and sorted(order) == list(range(nodes))


def _decided(facts: list[Facts], decide: Callable[[list[Facts]], Decision]) -> Decision:
    for node, each in enumerate(facts):
        if each.get("error"):
            return _no_order(f"node {node} ({each.get('host', '?')}): {each['error']}")
    try:
        return decide(facts)
    except Exception as error:  # noqa: BLE001  # whatever it is, the job starts without an order
        return _no_order(reason(error))


def agree(
    store: Store, node: int, nodes: int, facts: Facts, decide: Callable[[list[Facts]], Decision], seconds: float, deciding: float = DECIDING
) -> Decision:
    """The decision of this round, the same on all nodes. Its "order" has the rank of each node, or is None.

    `store` is of this round alone; `node` is this node among `nodes`. `decide` is called on node 0 with the facts of all nodes,
    if no node's facts have an "error". `seconds`: how long node 0 waits for the nodes; the others wait `deciding` seconds more.
    Raises what the store raises if it is lost.
    """
    store.set(f"{_NODE}/{node}", json.dumps(facts))
    store.add(_ARRIVED, 1)
    own: Decision | None = None
    if node == 0:
        if _reaches(store, _ARRIVED, nodes, seconds):
            own = _decided([json.loads(store.get(f"{_NODE}/{each}")) for each in range(nodes)], decide)
        else:
            own = _no_order(f"{nodes - store.add(_ARRIVED, 0)} of {nodes} nodes did not say where they are within {seconds:g} s")
    elif not _reaches(store, _DECIDED, 1, seconds + deciding):
        own = _no_order(f"no order came from the first node within {seconds + deciding:g} s")
    if own is not None:
        store.compare_set(_DECISION, "", json.dumps(own))
        store.add(_DECIDED, 1)
    decision: Decision = json.loads(store.get(_DECISION))
    if decision.get("order") is not None and not is_order(decision["order"], nodes):
        decision = _no_order("the order has another number of nodes")
    decision["announce"] = own is not None and decision.get("why", "") == own.get("why", "")
    return decision


def share_address(store: Store, first: bool, listen: Callable[[], tuple[str, int]], seconds: float = 60.0) -> tuple[str, int] | None:
    """The address at which the new first node listens, the same on all nodes; None if it cannot listen, on all nodes alike."""
    if first:
        try:
            address = json.dumps(listen())
        except Exception:  # noqa: BLE001  # then the address of PyTorch's own order serves
            address = "null"
        store.compare_set(_MASTER, "", address)
        store.add(_LISTENS, 1)
    elif not _reaches(store, _LISTENS, 1, seconds):
        store.compare_set(_MASTER, "", "null")
    kept = json.loads(store.get(_MASTER))
    return None if kept is None else (str(kept[0]), int(kept[1]))
