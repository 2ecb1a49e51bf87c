# SPDX-License-Identifier: BSD-3-Clause
"""Converts what a user may give for traffic, topology, messages and mapping into the library's own types."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard, Union

import numpy as np

from . import _llm
from . import _topowise as native
from ._errors import TopowiseWarning, bad_input
from ._topowise import Exchange, Topology, Traffic

if TYPE_CHECKING:
    from ._mapping import Mapping

#: Traffic itself; an array; anything with tocsr() (scipy.sparse); a networkx graph; what the command line takes.
TrafficLike = Union[Traffic, np.ndarray, Sequence[Sequence[float]], str, "os.PathLike[str]", Any]
TopologyLike = Union[Topology, str, "os.PathLike[str]"]
#: An exchange; messages (source, destination, bytes[, start]); traffic, which becomes one message for each pair.
ExchangeLike = Union[Exchange, Iterable[Sequence[float]], TrafficLike]
#: A mapping; the place of every rank; the path of a saved mapping; None for rank i on place i.
MappingLike = Union["Mapping", np.ndarray, Sequence[int], str, "os.PathLike[str]", None]

_MOST_EXACT = float(2**63)


def is_source(given: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether this is a source or a path, which the library reads. Raises as open() does for text that cannot be a path."""
    if not isinstance(given, (str, os.PathLike)):
        return False
    if b"\0" in os.fsencode(given):
        raise bad_input(f"{os.fspath(given)!r} is no path: it has a null character")
    return True


def word(what: str, given: object) -> str:
    """Gives text back, such as the name of a choice. TypeError for anything else."""
    if not isinstance(given, str):
        raise TypeError(f"{what} is text, not {type(given).__name__}")
    if not given.isascii():
        given.encode()  # raises for a lone surrogate, which the library cannot read
    return given


def real(what: str, given: Any) -> float:
    """The number as a float. TypeError for anything else, also for text that contains a number."""
    try:
        return float(given + 0)
    except TypeError:
        raise TypeError(f"{what} is a number, not {type(given).__name__}") from None


def is_graph(given: object) -> bool:
    """Whether this is a networkx graph."""
    return hasattr(given, "is_directed") and hasattr(given, "edges")


def warn(text: str, level: int = 4) -> None:
    """Warns the caller of a public function."""
    warnings.warn(text.removeprefix("warning: "), TopowiseWarning, stacklevel=level)


def warn_of_interrupt() -> None:
    """Warns that the search was interrupted. It raises nothing if warnings are errors, so the answer is not lost."""
    try:
        warn("interrupted: this is the best so far")
    except TopowiseWarning:
        pass


def _numbers(given: Any, what: str) -> np.ndarray:
    """An array of real numbers. BadInput for masked entries, TypeError for entries that are no numbers."""
    if np.ma.is_masked(given):
        raise bad_input(f"{what} has masked entries; .filled(0) makes them nothing")
    try:
        array = np.asarray(given)
    except ValueError:
        raise bad_input(f"the rows of {what} are of different length") from None
    if array.dtype.kind == "O" and any(isinstance(number, int) and abs(number) >= _MOST_EXACT for number in array.flat):
        raise bad_input(f"{what}: a number is too large")
    if array.dtype.kind not in "buif":
        raise TypeError(f"{what} is of dtype {array.dtype}; numbers are needed: bool, integers or floats")
    return array


def floats(given: Any, what: str) -> np.ndarray:
    """A contiguous array of float64. A number that is too large becomes infinite, and the caller's check refuses it."""
    with np.errstate(over="ignore"):
        return np.asarray(_numbers(given, what), dtype=np.float64, order="C")


def whole_numbers(given: Any, what: str) -> np.ndarray:
    """An array of int64. Floats are accepted if they are whole numbers."""
    array = _numbers(given, what)
    if array.dtype.kind == "f":
        if not (np.isfinite(array).all() and (array == np.floor(array)).all() and (np.abs(array) < _MOST_EXACT).all()):
            raise bad_input(f"{what}: not all numbers are whole")
    elif array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        raise bad_input(f"{what}: a number is too large")
    if array.ndim != 1:
        raise bad_input(f"{what} has {array.ndim} dimensions, not 1")
    return np.ascontiguousarray(array, dtype=np.int64)


def _from_sparse(matrix: Any) -> Traffic:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise bad_input(f"{' and '.join(_counted(matrix.shape))} are no square matrix")
    rows = matrix.tocsr()
    values = floats(rows.data, "the traffic")
    index = np.int32 if rows.indptr.dtype == np.int32 and rows.indices.dtype == np.int32 else np.int64
    first = np.ascontiguousarray(rows.indptr, dtype=index)
    return native.traffic_from_rows(rows.shape[0], first, np.ascontiguousarray(rows.indices, dtype=index), values)


def _counted(shape: Sequence[int]) -> list[str]:
    words = ["rows", "columns"]
    return [f"{extent} {words[i] if i < 2 else 'layers'}" for i, extent in enumerate(shape)]


def _from_graph(graph: Any, weight: str) -> Traffic:
    """If the vertices are the numbers 0 .. n-1, vertex v is rank v; else the graph's order numbers them."""
    vertices = list(graph.nodes)
    if set(vertices) == set(range(len(vertices))):
        number = {vertex: int(vertex) for vertex in vertices}
    else:
        number = {vertex: i for i, vertex in enumerate(vertices)}
    count = graph.number_of_edges()
    edges = graph.edges(data=weight, default=1)
    ends = np.fromiter((number[end] for edge in edges for end in edge[:2]), np.int64, 2 * count)
    sources, destinations = ends[::2].copy(), ends[1::2].copy()
    values = floats([edge[-1] for edge in edges] if count else np.zeros(0), f"the edge attribute '{weight}'")
    if values.ndim != 1:
        raise TypeError(f"the edge attribute '{weight}' is a list; one number an edge is needed")
    if not graph.is_directed():
        other = sources != destinations
        back = (destinations[other], sources[other], values[other])
        sources, destinations, values = (np.concatenate(pair) for pair in zip((sources, destinations, values), back))
    return native.traffic_from_pairs(len(vertices), sources, destinations, values)


def _from_array(given: Any) -> Traffic:
    matrix = floats(given, "the traffic")
    if matrix.ndim != 2:
        raise bad_input(f"the traffic has {matrix.ndim} dimensions; it is a square matrix: bytes from row to column")
    return native.traffic_from_dense(matrix)


def as_traffic(
    given: TrafficLike, format: str = "", collectives: str = "auto", memory: str = "all", weight: str = "weight"
) -> Traffic:
    words = word("format", format), word("collectives", collectives), word("memory", memory)
    if is_source(given):
        if isinstance(given, str) and given.startswith(_llm.PREFIX):
            given = _llm.pattern_of(given)
        traffic, found = native.load_traffic(given, *words)
        for text in found:
            warn(text)
        return traffic
    native.check_words(*words)
    if isinstance(given, Traffic):
        return given
    if hasattr(given, "tocsr"):
        return _from_sparse(given)
    if is_graph(given):
        return _from_graph(given, weight)
    return _from_array(given)


def as_topology(given: TopologyLike, format: str = "") -> Topology:
    if isinstance(given, Topology):
        return given
    if not is_source(given):
        raise TypeError(f"a topology is a Topology or text such as 'preset:hgx-h100', not {type(given).__name__}")
    machine = native.load_topology(given, word("format", format))
    for text in machine.warnings:
        warn(text)
    return machine


def exchange_of_columns(sources: np.ndarray, destinations: np.ndarray, sizes: np.ndarray, starts: np.ndarray) -> Exchange:
    """Makes an exchange of what Exchange.messages() gives."""
    return native.exchange_from_messages(sources, destinations, sizes, starts)


def as_exchange(given: ExchangeLike) -> Exchange:
    if isinstance(given, Exchange):
        return given
    if isinstance(given, str):
        star = native.exchange_pattern(given) if given.startswith("pattern:") else None
        if star is not None:
            return star
    if is_source(given) and native.is_exchange_file(given):
        return native.load_exchange(given)
    if isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[0] != given.shape[1] and given.shape[1] in (3, 4):
        raise bad_input(f"{' and '.join(_counted(given.shape))} are no square matrix", "rows of messages are given as a list: array.tolist()")
    if is_source(given) or isinstance(given, (Traffic, np.ndarray)) or hasattr(given, "tocsr") or hasattr(given, "edges"):
        return native.one_message_a_pair(as_traffic(given))
    if not isinstance(given, Iterable):
        raise TypeError(f"messages are an Exchange, a list of (source, destination, bytes) or traffic, not {type(given).__name__}")
    rows: Any = given
    messages = [tuple(message) if isinstance(message, Iterable) else (message,) for message in rows]
    if any(len(message) not in (3, 4) for message in messages):
        raise bad_input("a message is (source, destination, bytes) or (source, destination, bytes, start)")
    table = [message if len(message) == 4 else (*message, 0.0) for message in messages]
    columns = [[message[i] for message in table] for i in range(4)]
    sources, destinations = (
        whole_numbers(np.array(column, dtype=None if column else np.int64), "the ranks of the messages") for column in columns[:2]
    )
    sizes, starts = (floats(column, "the bytes and starts of the messages") for column in columns[2:])
    return native.exchange_from_messages(sources, destinations, sizes, starts)
