# SPDX-License-Identifier: BSD-3-Clause
"""The answer of topowise.map()."""

from __future__ import annotations

import html
import os
from typing import Any

import numpy as np

from . import _topowise as native
from ._inputs import word
from ._topowise import Topology, Traffic


class Mapping:
    """A place for every rank, and what is known about this mapping. topowise.map() makes it.

    numpy.asarray(mapping), mapping[rank] and len(mapping) refer to `places`. The unit of costs is that of the objective:
    bytes x metric for hop-bytes, seconds for max-congestion and predicted-time, a share of the identity's cost for mix.
    """

    traffic: Traffic  #: the traffic that was mapped
    topology: Topology  #: the machine onto which it was mapped
    interrupted: bool  #: Ctrl-C ended the search; this is the best found until then

    def __init__(self, result: native.MappingResult, question: dict[str, Any], interrupted: bool = False) -> None:
        self._result = result
        self._question = question
        self.traffic = question["traffic"]
        self.topology = question["topology"]
        self.interrupted = interrupted
        self._places = result.places
        self._places.flags.writeable = False

    @property
    def places(self) -> np.ndarray:
        """Place of every rank: int64, shape (ranks,), read-only."""
        return self._places

    @property
    def cost(self) -> float:
        """What the mapping costs; lower is better."""
        return self._result.cost

    @property
    def identity_cost(self) -> float:
        """What rank i on place i would cost."""
        return self._result.identity_cost

    @property
    def gain(self) -> float:
        """1 - cost / identity_cost; 0 if the identity costs nothing."""
        return self._result.gain

    @property
    def lower_bound(self) -> float:
        """No mapping costs less than this; 0 where none is known."""
        return self._result.lower_bound

    @property
    def proven_optimal(self) -> bool:
        """Whether it is proven that no mapping is better in the objective; a predicted time rests on the congestion model."""
        return self._result.proven_optimal

    @property
    def proof_tolerance(self) -> float:
        """The share of the cost by which the proof may be wrong, where that could hide what some pair of ranks pays."""
        return self._result.proof_tolerance

    @property
    def mapper(self) -> str:
        """The mapper that found this mapping."""
        return self._result.mapper

    @property
    def objective(self) -> str:
        """The objective that the mapper made small."""
        return self._result.objective

    @property
    def objective_reason(self) -> str:
        """Why the objective is not the predicted time, where topowise chose it; empty if it is, or if the caller chose."""
        return self._result.objective_reason

    @property
    def weights(self) -> str:
        """What stands for the bytes of the traffic in the costs, as with `map --weights`: "paper", "equal"; empty for bytes."""
        return self._result.weights

    @property
    def assumptions(self) -> list[str]:
        """What the description of the machine assumes, and the result rests on: "NVLink of 25 GB/s a link"."""
        return self._result.assumptions

    @property
    def contradiction(self) -> str:
        """How the description of the machine contradicts itself, so that nothing is called proven; empty if it does not."""
        return self._result.contradiction

    @property
    def hop_bytes(self) -> dict[str, float] | None:
        """Hop-bytes of a mapping whose predicted time "auto" made small: "cost", "identity_cost", "lower_bound"; else None."""
        return self._result.hop_bytes

    @property
    def metric(self) -> str:
        """The metric: what a byte between two places costs."""
        return self._result.metric

    @property
    def seconds(self) -> float:
        """Time that the mapper took."""
        return self._result.seconds

    @property
    def seed(self) -> int:
        """The seed of the random numbers."""
        return self._result.seed

    def to_json(self) -> str:
        """Text in the format topowise.mapping/1, as `topowise map --json` prints it."""
        return self._result.to_json()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what `topowise run --mapping` reads: the mapping and its machine. The file is replaced at once or not at all."""
        self._result.save(path, self.topology)

    def launcher_text(self, launcher: str) -> str:
        """Text that a launcher reads: a rankfile, a hostfile, a Slurm map. `launcher` is one of launcher_names()."""
        return self._result.launcher_text(self.topology, word("launcher", launcher))

    def variables_of_node(self) -> list[tuple[str, str]]:
        """Variables for one process that makes the workers of the first node: device k is the GPU of local rank k."""
        return native.variables_of_node(self._result, self.topology)

    def __reduce__(self) -> tuple[Any, ...]:
        return Mapping, (self._result, self._question, self.interrupted)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, rank: Any) -> Any:
        return self.places[rank]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if dtype is not None and np.dtype(dtype) != self.places.dtype:
            if copy is False:
                raise ValueError(f"places are int64; an array of {np.dtype(dtype)} is a copy")
            return self.places.astype(dtype)
        return self.places.copy() if copy else self.places

    def __repr__(self) -> str:
        bound = f"lower bound {self.lower_bound:.6g}" if self.lower_bound > 0 else "no lower bound"
        proof = "proven optimal" if self.proven_optimal else bound
        if self.proven_optimal and self.objective == "predicted-time":
            proof += " by the congestion model"
        return (
            f"<topowise.Mapping: {len(self)} ranks on '{self.topology.name}', {self.objective} {self.cost:.6g}, "
            f"{100 * abs(self.gain):.1f}% {'less' if self.gain >= 0 else 'more'} than the identity, {proof}>"
        )

    def _repr_html_(self) -> str:
        free: dict[str, Any] = {"mapper": "identity", "imbalance": None, "loads": [], "fixed": {}}
        identity, _ = native.map_ranks(**{**self._question, **free})
        bars = native.draw_levels(self.traffic, self.topology, identity.places, self.places)
        return drawn(repr(self), _LEGEND + bars + native.draw_machine(self.topology, self.places))


def result_of_text(text: str) -> native.MappingResult:
    """Makes a result of what MappingResult.to_json() gives."""
    return native.mapping_from_text(text)


_LEGEND = '<div><span class="swatch before"></span>before: rank i on place i<span class="swatch after"></span>after: this mapping</div>'


def drawn(title: str, drawings: str) -> str:
    """HTML by which a notebook shows drawings."""
    words = html.escape(title.strip("<>"))
    return f'<div class="topowise"><style>{native.drawing_style()}</style><div>{words}</div>{drawings}</div>'


def draw_topology(machine: Topology) -> str:
    """HTML that shows the machine as boxes in boxes; only its name if it has more than 256 places."""
    return drawn(repr(machine), native.draw_machine(machine, np.zeros(0, np.int64)))
