# SPDX-License-Identifier: BSD-3-Clause
"""The results of evaluate(), predict() and schedule(). Times are in seconds; lower is always better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._topowise import Exchange


@dataclass(frozen=True)
class Evaluation:
    """Every number by which a mapping is judged."""

    hop_bytes: float  #: sum over pairs of ranks of bytes x metric
    average_dilation: float  #: hop-bytes over the bytes between different ranks
    max_dilation: float  #: the largest metric of two ranks that exchange bytes
    link_load: np.ndarray  #: bytes by link: float64, shape (links,); empty where routes are not known
    max_congestion: float | None  #: seconds that the fullest link needs; None if not known
    predicted_time: float | None  #: seconds for one message of each pair, all at once; None if not known
    fullest_link: tuple[str, str] | None  #: names of its two ends; None if no link carries bytes
    #: one dictionary for each kind of groups of ranks: "groups", "number", "ranks", "bytes", and "touched", which gives for each kind of part
    #: of the machine (mean, most, least possible) of the parts that a group touches; empty where no groups are known
    spread: list[dict[str, Any]]
    unknown: str  #: which of these numbers are missing, and why; empty if none is
    assumptions: list[str]  #: what the numbers rest on beyond what sources state: "NVLink of 25 GB/s a link"


@dataclass(frozen=True)
class Prediction:
    """When each message begins and ends, in the order of the exchange."""

    begin: np.ndarray  #: when its source has sent what came before it: float64, shape (messages,)
    end: np.ndarray  #: when it has arrived: float64, shape (messages,)
    makespan: float  #: the last end
    assumptions: list[str]  #: what the times rest on beyond what sources state


@dataclass(frozen=True)
class Schedule:
    """An order of messages, and how good it is. Latencies are left out, since they add the same time to every order."""

    exchange: Exchange  #: the messages sorted by source, those of each source in the best order found
    makespan: float  #: from the first start to the last end
    lower_bound: float  #: no order is faster
    proven_optimal: bool  #: the makespan is the lower bound
    interrupted: bool  #: Ctrl-C ended the search; this is the best found until then
    assumptions: list[str]  #: what the times rest on beyond what sources state
