# SPDX-License-Identifier: BSD-3-Clause
"""The rendezvous handler: PyTorch's own (c10d), whose node ranks it puts into another order."""

from __future__ import annotations

import os
import socket
import sys
from datetime import timedelta
from typing import Any

from torch.distributed import TCPStore
from torch.distributed.elastic.rendezvous import RendezvousHandler, RendezvousParameters
from torch.distributed.elastic.rendezvous.c10d_rendezvous_backend import create_backend
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import create_handler

from . import _agreement

try:  # from PyTorch 2.4 on
    from torch.distributed.elastic.rendezvous import RendezvousInfo, RendezvousStoreInfo
except ImportError:
    RendezvousInfo = RendezvousStoreInfo = None


def _say(text: str) -> None:
    text = "".join(letter if letter.isprintable() else "?" for letter in text)  # it may come from another node
    print(f"topowise: {text}", file=sys.stderr, flush=True)


class _Library:
    """The part that needs the library. If the library cannot be used, all nodes learn it and keep PyTorch's order."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.reason = ""
        try:
            from topowise import _torchrun

            self.job = _torchrun.Job(config, dict(os.environ), sys.argv)
        except Exception as error:  # noqa: BLE001  # a damaged installation must not end the job
            self.reason = _agreement.reason(error)

    def facts(self) -> dict[str, Any]:
        if self.reason:
            return {"host": socket.gethostname(), "error": self.reason}
        try:
            return dict(self.job.facts())
        except Exception as error:  # noqa: BLE001
            return {"host": socket.gethostname(), "error": _agreement.reason(error)}

    def arrange(self, decision: dict[str, Any], rank: int) -> None:
        """Gives the workers of this node their GPUs."""
        try:
            os.environ.update(self.job.gpu_variables(decision, rank))
        except Exception as error:  # noqa: BLE001
            _say(f"the GPUs of this node keep their order: {_agreement.reason(error)}")


class TopowiseRendezvousHandler(RendezvousHandler):  # type: ignore[misc]  # PyTorch may be missing where this is checked
    """A round of PyTorch's rendezvous, then an order of its nodes by topology."""

    def __init__(self, inner: Any, params: Any) -> None:
        self._inner = inner
        self._params = params
        self._library = _Library(dict(params.config))
        # With _agreement.DECIDING, less than the 60 s for which an agent with another back-end waits for ours.
        self._wait = 30.0
        try:
            self._wait = _agreement.seconds_of(params.get("topology_timeout", self._wait))
        except (TypeError, ValueError) as error:
            self._library.reason = f"topology_timeout: {error}"
        self._previous: tuple[int, int] | None = None  # node rank and number of nodes of the last round
        self._server: Any = None

    def get_backend(self) -> str:
        return str(self._params.backend)  # PyTorch checks that it is the one that was asked for

    @property
    def use_agent_store(self) -> bool:
        return bool(getattr(self._inner, "use_agent_store", False))

    def is_closed(self) -> bool:
        return bool(self._inner.is_closed())

    def set_closed(self) -> None:
        self._inner.set_closed()

    def num_nodes_waiting(self) -> int:
        return int(self._inner.num_nodes_waiting())

    def get_run_id(self) -> str:
        return str(self._inner.get_run_id())

    def shutdown(self) -> bool:
        return bool(self._inner.shutdown())

    def next_rendezvous(self) -> Any:
        # PyTorch (2.15) keeps the address of the first round, and its first node then does not give it to a node that joins
        # later, which waits for it in vain. Without the address of an earlier round, each round has its own.
        if getattr(self._inner, "_bootstrap_store_info", None) is not None:
            self._inner._bootstrap_store_info = None
        facts = self._library.facts()
        info = self._inner.next_rendezvous()
        as_tuple = isinstance(info, tuple)
        store, node, nodes = info if as_tuple else (info.store, info.rank, info.world_size)
        facts["previous"] = self._previous
        decision = _agreement.agree(store, node, nodes, facts, self._decide, self._wait)
        order = decision["order"]
        rank = node if order is None else order[node]
        self._previous = (rank, nodes)
        if decision["announce"] and decision.get("why"):
            _say(f"{decision['why']}; the nodes keep PyTorch's order" if order is None else decision["why"])
        if order is None:
            return info
        self._library.arrange(decision, rank)
        if as_tuple:
            return store, rank, nodes
        address = _agreement.share_address(store, rank == 0, self._listen)
        bootstrap = info.bootstrap_store_info if address is None else RendezvousStoreInfo(*address)
        return RendezvousInfo(store, rank, nodes, bootstrap)

    def _decide(self, facts: list[dict[str, Any]]) -> dict[str, Any]:
        return dict(self._library.job.decide(facts))

    def _listen(self) -> tuple[str, int]:
        """Where the processes of the job meet, on this node, which has rank 0."""
        address = getattr(self._params, "local_addr", None) or socket.getfqdn()
        if not self.use_agent_store:
            with socket.create_server(("", 0)) as probe:  # rank 0 itself will listen there, as PyTorch has it
                return address, int(probe.getsockname()[1])
        # A new one in each round: in that of the round before are the addresses of processes that have ended.
        self._server = TCPStore(address, 0, is_master=True, wait_for_workers=False, multi_tenant=True, timeout=timedelta(seconds=300))
        return address, int(self._server.port)


def create(params: Any) -> Any:
    """The handler of one agent: PyTorch's own for this store and these parameters, inside ours."""
    # PyTorch before 2.0 knows no address of the node.
    address = {"local_addr": params.local_addr} if hasattr(params, "local_addr") else {}
    plain = RendezvousParameters("c10d", params.endpoint, params.run_id, params.min_nodes, params.max_nodes, **address, **params.config)
    backend, store = create_backend(plain)
    return TopowiseRendezvousHandler(create_handler(store, backend, plain), params)
