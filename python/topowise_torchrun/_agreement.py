# SPDX-License-Identifier: BSD-3-Clause
"""How the nodes of a rendezvous agree on an order: all take the same one, whatever fails.

Each node puts what it is into the store of the round. The first node decides when all have, and writes the decision; a node that
waits too long writes "no order". A store keeps the first of these that arrives, and all nodes read what it has kept. What another
version of this package has written, or another program, is a reason for "no order", too.

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
VERSION = 1  #: of what nodes write into the store
MOST_FACTS = 1 << 16  #: characters that a node writes of itself
MOST_DECISION = 1 << 22  #: characters of a decision; PyTorch's store ends the connection where a value has more than 8 MiB
_OTHER_VERSION = "the first node has another version of topowise"

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
    return {"order": None, "why": why, "version": VERSION}


def is_order(order: Any, nodes: int) -> bool:
    """Whether this is a rank for each of so many nodes."""
    return isinstance(order, list) and all(type(rank) is int for rank in order) and sorted(order) == list(range(nodes))


def _object(text: str | bytes) -> dict[str, Any] | None:
    """The JSON object that a text is. None if it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _host(facts: Facts) -> str:
    """The host of a node as it goes into a line, whatever the node has written."""
    host = facts.get("host")
    return host[:80] if isinstance(host, str) and host and host.isprintable() else "?"


def _written(facts: Facts) -> str:
    """What a node writes of itself; what cannot be written, or is too much, is an error of the node."""
    try:
        text = json.dumps({**facts, "version": VERSION})
        why = f"it has {len(text)} characters to say of itself, more than {MOST_FACTS}" if len(text) > MOST_FACTS else ""
    except (TypeError, ValueError, RecursionError) as error:
        text, why = "", reason(error)
    return json.dumps({"host": _host(facts), "error": why, "version": VERSION}) if why else text


def _facts_of(node: int, text: bytes) -> Facts:
    """What a node has written of itself. Raises ValueError if it cannot be used."""
    facts = _object(text) if len(text) <= MOST_FACTS else None
    if facts is None:
        what = "nothing" if not text else f"{len(text)} bytes" if len(text) > MOST_FACTS else "no JSON object"
        raise ValueError(f"node {node} has written {what} where its description is expected")
    where = f"node {node} ({_host(facts)})"
    if facts.get("version") != VERSION:
        raise ValueError(f"{where} has another version of topowise")
    if facts.get("error"):
        raise ValueError(f"{where}: {str(facts['error'])[:1000]}")
    return facts


def _decided(texts: list[bytes], decide: Callable[[list[Facts]], Decision]) -> Decision:
    try:
        decision = decide([_facts_of(node, text) for node, text in enumerate(texts)])
        size = len(json.dumps(decision))
        if size > MOST_DECISION:
            raise ValueError(f"the decision has {size} characters, more than {MOST_DECISION}")
        return {**decision, "version": VERSION}
    except Exception as error:  # noqa: BLE001  # whatever it is, the job starts without an order
        return _no_order(reason(error))


def _read_decision(text: bytes, nodes: int) -> Decision:
    """The decision that the store has kept. All nodes read the same text, and so the same decision."""
    decision = _object(text)
    if decision is None or decision.get("version") != VERSION or not isinstance(decision.get("why", ""), str):
        return _no_order(_OTHER_VERSION)
    if decision.get("order") is not None and not is_order(decision["order"], nodes):
        return _no_order("the order has another number of nodes")
    return {**_no_order(""), **decision}


def agree(
    store: Store, node: int, nodes: int, facts: Facts, decide: Callable[[list[Facts]], Decision], seconds: float, deciding: float = DECIDING
) -> Decision:
    """The decision of this round, the same on all nodes. Its "order" has the rank of each node, or is None.

    `store` is of this round alone; `node` is this node among `nodes`. `decide` is called on node 0 with the facts of all nodes,
    if all can be read and none has an "error". `seconds`: how long node 0 waits for the nodes; the others wait `deciding` seconds
    more. Raises what the store raises if it is lost.
    """
    store.set(f"{_NODE}/{node}", _written(facts))
    store.add(_ARRIVED, 1)
    own: Decision | None = None
    if node == 0:
        if _reaches(store, _ARRIVED, nodes, seconds):
            # get() would wait for a node of another version, which writes elsewhere.
            own = _decided([store.compare_set(f"{_NODE}/{each}", "", "") for each in range(nodes)], decide)
        else:
            own = _no_order(f"{nodes - store.add(_ARRIVED, 0)} of {nodes} nodes did not say where they are within {seconds:g} s")
    elif not _reaches(store, _DECIDED, 1, seconds + deciding):
        own = _no_order(f"no order came from the first node within {seconds + deciding:g} s")
    # Counted without a decision that is here: then this is one.
    written = json.dumps(own or _no_order(_OTHER_VERSION))
    kept = store.compare_set(_DECISION, "", written)
    if own is not None:
        store.add(_DECIDED, 1)
    decision = _read_decision(kept, nodes)
    # One node says what came of it: whose decision was kept, or of one that cannot be read the last.
    decision["announce"] = kept == written.encode() if _object(kept) is not None else node == nodes - 1
    return decision


def _address(text: bytes) -> tuple[str, int] | None:
    try:
        host, port = json.loads(text)
        return str(host), int(port)
    except (ValueError, TypeError, RecursionError):
        return None


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
    return _address(store.compare_set(_MASTER, "", "null"))
