# SPDX-License-Identifier: BSD-3-Clause
# The compiled part. Traffic, Topology and Exchange are public; the rest is called by the Python files beside this one.
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]

class Traffic:
    """How many bytes each rank sends to each other rank. Immutable; made by topowise.traffic()."""
    @property
    def ranks(self) -> int:
        """Number of ranks."""
    @property
    def total_bytes(self) -> float:
        """Bytes of all pairs, including those of a rank to itself."""
    def pairs(self) -> tuple[_Ints, _Ints, _Floats, NDArray[np.uint64]]:
        """(source, destination, bytes, messages) of every pair, sorted by source, then destination."""
    def matrix(self) -> _Floats:
        """Bytes from rank (row) to rank (column): float64, shape (ranks, ranks). Raises BadInput above 16384 ranks."""
    def __reduce__(self) -> tuple[Any, ...]: ...
    def to_json(self) -> str:
        """Text in the format topowise.traffic/1."""
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to_json() to a file."""

class Topology:
    """A machine: places that hold ranks, and how any two reach each other. Immutable; made by topowise.topology()."""
    @property
    def name(self) -> str:
        """Name of the machine."""
    @property
    def place_names(self) -> list[str]:
        """Name of every place, by number."""
    @property
    def capacity(self) -> int:
        """Ranks that all places hold together."""
    @property
    def levels(self) -> list[str]:
        """Classes of the paths between places, nearest first."""
    @property
    def warnings(self) -> list[str]:
        """Oddities of the description."""
    def __len__(self) -> int: ...
    def distance(self, a: int, b: int) -> float:
        """Level of the pair of places + 1, or what the source states; 0 for a place and itself."""
    def level(self, a: int, b: int) -> int:
        """Index in `levels` of the path between two places; -1 for a place and itself."""
    def bandwidth(self, a: int, b: int) -> float:
        """Bytes per second between two places; 0 if unknown."""
    def latency(self, a: int, b: int) -> float:
        """Seconds between two places; 0 if unknown."""
    def pair_costs(self, metric: str = "distance") -> _Floats:
        """What a byte between two places costs: float64, shape (places, places). Raises BadInput above 16384 places."""
    def links(self) -> list[tuple[str, str, str, float, float]]:
        """(from, to, kind, bandwidth, latency) of every link, by number: names of its ends, bytes per second, seconds."""
    def __reduce__(self) -> tuple[Any, ...]: ...
    def to_json(self) -> str:
        """Text in the format topowise.topology/1."""
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to_json() to a file."""
    def _repr_html_(self) -> str: ...

class Exchange:
    """Messages in an order. Each source sends its own messages one by one. Immutable; made by topowise.exchange()."""
    @property
    def ranks(self) -> int:
        """One more than the largest rank named."""
    def __len__(self) -> int: ...
    def messages(self) -> tuple[_Ints, _Ints, _Floats, _Floats]:
        """(source, destination, bytes, start) of every message; start in seconds."""
    def __reduce__(self) -> tuple[Any, ...]: ...
    def to_json(self) -> str:
        """Text in the format topowise.exchange/1."""
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to_json() to a file."""

class MappingResult:
    @property
    def places(self) -> _Ints: ...
    @property
    def mapper(self) -> str: ...
    @property
    def objective(self) -> str: ...
    @property
    def objective_reason(self) -> str: ...
    @property
    def hop_bytes(self) -> dict[str, float] | None: ...
    @property
    def metric(self) -> str: ...
    @property
    def cost(self) -> float: ...
    @property
    def identity_cost(self) -> float: ...
    @property
    def lower_bound(self) -> float: ...
    @property
    def proven_optimal(self) -> bool: ...
    @property
    def seconds(self) -> float: ...
    @property
    def seed(self) -> int: ...
    @property
    def gain(self) -> float: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def to_json(self) -> str: ...
    def save(self, path: str | os.PathLike[str], machine: Topology) -> None: ...
    def launcher_text(self, machine: Topology, launcher: str) -> str: ...

def draw_levels(traffic: Traffic, machine: Topology, before: _Ints, after: _Ints) -> str: ...
def draw_machine(machine: Topology, places: _Ints) -> str: ...
def drawing_style() -> str: ...
def evaluate(traffic: Traffic, machine: Topology, places: _Ints, metric: str) -> dict[str, Any]: ...
def exchange_from_messages(sources: _Ints, destinations: _Ints, bytes: _Floats, starts: _Floats) -> Exchange: ...
def launcher_names() -> list[str]:
    """Launchers that Mapping.launcher_text() writes for."""

def exchange_pattern(name: str) -> Exchange | None: ...
def is_exchange_file(path: str | os.PathLike[str]) -> bool: ...
def load_exchange(path: str | os.PathLike[str]) -> Exchange: ...
def load_mapping(path: str | os.PathLike[str]) -> tuple[MappingResult, _Ints]: ...
def signs_of_another_question(name: str, saved: MappingResult, machine: Topology, traffic: Traffic) -> list[str]: ...
def load_topology(source: str | os.PathLike[str], format: str) -> Topology: ...
def load_traffic(source: str | os.PathLike[str], format: str, collectives: str, memory: str) -> tuple[Traffic, list[str]]: ...
def check_words(format: str, collectives: str, memory: str) -> None: ...
def mapping_from_text(text: str) -> MappingResult: ...
def map_ranks(**question: object) -> tuple[MappingResult, bool]: ...
def mapper_names() -> list[str]:
    """Mappers that topowise.map() knows."""

def one_message_a_pair(traffic: Traffic) -> Exchange: ...
def parse_seconds(text: str) -> float: ...
def predict(
    exchange: Exchange, topology: Topology, places: _Ints, model: str, link_bandwidth: float | None, tau: float | None
) -> tuple[_Floats, _Floats, float]: ...
def preset_names() -> list[str]:
    """Machines that topology("preset:NAME") knows, sorted."""

def reorder(
    graph: Traffic, hosts: list[str], cluster: Topology | None, seconds: float | None
) -> tuple[_Ints, float, float, bool]: ...
def schedule(
    exchange: Exchange,
    topology: Topology,
    places: _Ints,
    model: str,
    link_bandwidth: float | None,
    tau: float | None,
    seed: int,
    steps: int,
    time_limit: float,
) -> tuple[Exchange, float, float, bool, bool]: ...
def topology_from_text(where: str, text: str, format: str) -> Topology: ...
def traffic_from_dense(matrix: _Floats) -> Traffic: ...
def traffic_from_pairs(ranks: int, sources: _Ints, destinations: _Ints, bytes: _Floats) -> Traffic: ...
def traffic_from_rows(ranks: int, first: np.ndarray, destinations: np.ndarray, bytes: _Floats) -> Traffic: ...
def traffic_from_text(where: str, text: str, format: str) -> Traffic: ...
