# SPDX-License-Identifier: BSD-3-Clause
"""New ranks for a running MPI job (mpi4py): which process plays which vertex of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

import numpy as np

from . import _inputs
from . import _topowise as native
from ._errors import bad_input, usage
from ._inputs import TopologyLike

#: For this rank: {neighbour: bytes}; neighbours; a row. Or for all ranks: a square matrix, Traffic, a networkx graph.
GraphLike = Union[Mapping[int, float], Iterable[int], Any]

_Row = tuple[np.ndarray, np.ndarray]


def _row_of_matrix(matrix: Any, rank: int, size: int) -> _Row:
    if len(matrix.shape) == 1:
        matrix = np.asarray(matrix).reshape(1, -1)
    if len(matrix.shape) != 2:
        raise bad_input(f"the graph has {len(matrix.shape)} dimensions, not a row or a square matrix")
    rows, columns = matrix.shape
    if columns != size or rows not in (1, size):
        raise bad_input(f"the graph has {rows} rows and {columns} columns, but the communicator {size} ranks")
    row = matrix.tocsr()[[rank if rows > 1 else 0], :].toarray() if hasattr(matrix, "tocsr") else np.asarray(matrix)[[rank if rows > 1 else 0], :]
    weights = _inputs.floats(row, "the graph").ravel()
    neighbours = np.flatnonzero(weights)
    return neighbours.astype(np.int64), weights[neighbours]


def _row_of_traffic(graph: Any, rank: int, size: int) -> _Row:
    traffic = _inputs.as_traffic(graph)
    if traffic.ranks != size:
        raise bad_input(f"the graph has {traffic.ranks} ranks, but the communicator {size}")
    sources, destinations, weights = traffic.pairs()[:3]
    own = sources == rank
    return destinations[own], weights[own]


def _row_of(graph: GraphLike, rank: int, size: int) -> _Row:
    """The vertices to which the vertex of this rank sends, and the bytes."""
    if isinstance(graph, native.Traffic) or _inputs.is_source(graph) or _inputs.is_graph(graph):
        return _row_of_traffic(graph, rank, size)
    if hasattr(graph, "shape"):
        return _row_of_matrix(graph, rank, size)
    pairs = graph if isinstance(graph, Mapping) else {}
    neighbours = list(pairs) if isinstance(graph, Mapping) else list(graph)
    numbers = _inputs.whole_numbers(np.array(neighbours, dtype=None if neighbours else np.int64), "the neighbours")
    weights = _inputs.floats(list(pairs.values()) or [1.0] * len(numbers), "the graph")
    for number in numbers:
        if not 0 <= number < size:
            raise bad_input(f"rank {rank} has the neighbour {number}, but the communicator has only ranks 0 to {size - 1}")
    return numbers, weights


def _played(rows: list[_Row], hosts: list[str], topology: TopologyLike | None, time_limit: float | None) -> np.ndarray:
    """The process that plays each vertex."""
    size = len(rows)
    sources = np.repeat(np.arange(size, dtype=np.int64), [len(row[0]) for row in rows])
    destinations, weights = (np.concatenate([row[i] for row in rows]) for i in range(2))
    graph = native.traffic_from_pairs(size, sources, destinations, weights)
    cluster = None if topology is None else _inputs.as_topology(topology)
    return native.reorder(graph, hosts, cluster, time_limit)[0]


def _attempt(work: Any) -> tuple[Any, Exception | None]:
    try:
        return work(), None
    except Exception as error:  # noqa: BLE001  # all ranks get the error, so none waits for ever
        return None, error


def reorder(comm: Any, graph: GraphLike, topology: TopologyLike | None = None, *, time_limit: float | None = None) -> Any:
    """Make a new communicator of the same processes, in which rank v plays vertex v of the graph.

    comm        an intracommunicator of mpi4py; all its ranks call this function
    graph       what the vertex of this rank sends: {neighbour: bytes}, a list of neighbours (a byte each), or a row (shape
                (n,) or (1, n)) as array or scipy.sparse. Or the whole graph, the same on all ranks: a square matrix, Traffic,
                a networkx graph, or what traffic() reads. The vertex of a rank is the rank's number in `comm`
    topology    the cluster, which rank 0 reads; its hosts are found by name. None: ranks of one host are near to each other,
                and all hosts are equally far apart
    time_limit  seconds that the mapping may take; None: it depends on the number of ranks

    A process keeps its vertex where its host stays the same. Free the communicator with Free(). If a rank's graph is wrong,
    or the mapping fails, all ranks raise the same error.
    """
    if comm.Is_inter():
        raise bad_input("an intercommunicator has no ranks of one group to reorder", "its local group: comm.Merge(), or a communicator of each side")
    if time_limit is not None and not time_limit > 0:
        raise usage(f"time_limit is {time_limit}, not a time above 0")
    rank, size = comm.Get_rank(), comm.Get_size()
    row, wrong = _attempt(lambda: _row_of(graph, rank, size))
    gathered = comm.gather((row, wrong, _host_name()), root=0)
    vertex_of: np.ndarray | None = None
    if rank == 0:
        wrong = next((each[1] for each in gathered if each[1] is not None), None)
        if wrong is None:
            rows, hosts = [each[0] for each in gathered], [each[2] for each in gathered]
            processes, wrong = _attempt(lambda: _played(rows, hosts, topology, time_limit))
            vertex_of = None if wrong else np.argsort(processes)
    vertex_of, wrong = comm.bcast((vertex_of, wrong), root=0)
    if wrong is not None:
        raise wrong
    assert vertex_of is not None
    return comm.Split(0, int(vertex_of[rank]))


def _host_name() -> str:
    import socket

    return socket.gethostname()
