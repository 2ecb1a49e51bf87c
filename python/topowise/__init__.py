# SPDX-License-Identifier: BSD-3-Clause
"""topowise places the ranks of parallel jobs where their communication is cheapest.

    import numpy as np
    import topowise

    best = topowise.map(np.loadtxt("bytes.txt"), "preset:hgx-h100")
    print(best.places, best.gain, best.proven_optimal)

Every function takes sources as the command line does, or Python objects. docs/recipes/python.md is the guide.
"""

from ._errors import BadInput, Diagnostic, Error, NotAvailable, TopowiseWarning, UsageError
from ._functions import evaluate, exchange, map, predict, schedule, topology, topology_from_text, traffic, traffic_from_text
from ._inputs import exchange_of_columns
from ._mapping import Mapping, draw_topology, result_of_text
from ._mpi import reorder
from ._order import Order, order
from ._results import Evaluation, Prediction, Schedule
from ._topowise import (
    Exchange,
    MappingResult,
    Topology,
    Traffic,
    __version__,
    launcher_names,
    mapper_names,
    preset_names,
)

# copy, pickle and mpi4py use the text or the columns of an object, and make the object from these again.
Traffic.__reduce__ = lambda traffic: (traffic_from_text, (traffic.to_json(),))  # type: ignore[method-assign,assignment]
Topology.__reduce__ = lambda machine: (topology_from_text, (machine.to_json(),))  # type: ignore[method-assign,assignment]
Exchange.__reduce__ = lambda messages: (exchange_of_columns, messages.messages())  # type: ignore[method-assign,assignment]
MappingResult.__reduce__ = lambda result: (result_of_text, (result.to_json(),))  # type: ignore[method-assign,assignment]
Topology._repr_html_ = draw_topology  # type: ignore[method-assign,assignment]  # a notebook shows the machine

__all__ = [
    "BadInput",
    "Diagnostic",
    "Error",
    "Evaluation",
    "Exchange",
    "Mapping",
    "NotAvailable",
    "Order",
    "Prediction",
    "Schedule",
    "Topology",
    "TopowiseWarning",
    "Traffic",
    "UsageError",
    "__version__",
    "evaluate",
    "exchange",
    "launcher_names",
    "map",
    "mapper_names",
    "order",
    "predict",
    "preset_names",
    "reorder",
    "schedule",
    "topology",
    "topology_from_text",
    "traffic",
    "traffic_from_text",
]
