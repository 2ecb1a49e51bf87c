# SPDX-License-Identifier: BSD-3-Clause
"""Further orders to choose from, where the mapper's is not proven: those that follow the tree of the machine, and exchanges of pairs.

Any list of orders has a best one, so the answer is never worse than the rules that people use in place of a search.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Iterator, Sequence

import numpy as np

#: With more ranks a step of descend() takes too long, and the mapper divides the problem instead.
MOST_RANKS = 256
#: Messages that are looked at to compare bands.
_MOST_MESSAGES = 30_000_000


def tree_orders(distance: np.ndarray, slots: np.ndarray) -> Iterator[np.ndarray]:
    """The slots of a machine group by group: in the order of the groups; the largest first, at each level, or at the lowest
    that has groups; and with whole segments of 2 to 16 slots of a group before what fills none.

    `distance`: between places, shape (places, places). `slots`: the place of every slot; a place that holds three ranks is
    there three times.
    """
    places = np.unique(slots)
    count = np.bincount(slots, minlength=len(distance))
    apart = distance[np.ix_(places, places)]
    near = [apart <= level for level in np.unique(apart)[::-1]]
    by_group = [group.argmax(axis=1) for group in near]  # the first place that is at most so far away
    by_size = [-(group @ count[places]) for group in near]
    lowest = max(0, len(near) - 2)  # the last level is the place itself
    for columns in (by_group, [key for pair in zip(by_size, by_group) for key in pair], [by_size[lowest], by_group[lowest]]):
        order = np.lexsort([places, *columns[::-1]])
        yield np.repeat(places[order], count[places[order]])
    order = np.lexsort([places, *by_group[::-1]])
    group_of = np.repeat(by_group[lowest][order], count[places[order]])
    in_order = np.repeat(places[order], count[places[order]])
    for size in range(2, 17):
        number = np.concatenate([np.arange(members) for members in np.unique(group_of, return_counts=True)[1]])
        members = np.bincount(group_of)[group_of]
        rest = number[np.argsort(np.argsort(group_of, kind="stable"), kind="stable")] >= members // size * size
        yield np.concatenate([in_order[~rest], in_order[rest]])


def band_orders(ranks: int, tries: int) -> Iterator[np.ndarray]:
    """Orders of ranks that are a table of any number of columns: band by band of some rows, or of some columns, in one direction
    or in turn in both. Groups of consecutive ranks, of any sizes, are then near to squares of the table.

    Gives the position of each rank. `tries`: about how many orders there may be; the widest bands are left out.
    """
    rank = np.arange(ranks)
    shapes = [columns for columns in range(1, ranks + 1) if ranks % columns == 0]
    for columns in shapes:
        row, column = np.divmod(rank, columns)
        for along, across in ((row, column), (column, row)):
            widest = min(int(along.max()) + 1, max(1, tries // (4 * len(shapes)))) if across.any() else 1
            for height in range(1, widest + 1):
                band, inside = np.divmod(along, height)
                back = np.where(band % 2 == 1, across.max() - across, across)
                for keys in ([inside, across, band], [np.where(back % 2 == 1, -inside, inside), back, band]):
                    position = np.empty(ranks, dtype=np.int64)
                    position[np.lexsort(keys)] = rank
                    yield position


def name_orders(hosts: Sequence[str]) -> Iterator[list[int]]:
    """The workers by the names of their hosts: as text, and by the numbers in them."""
    yield sorted(range(len(hosts)), key=lambda worker: hosts[worker])
    numbers = [[(part.isdigit(), part.zfill(20) if part.isdigit() else part) for part in re.split(r"(\d+)", host)] for host in hosts]
    yield sorted(range(len(hosts)), key=lambda worker: numbers[worker])


def best_bands(sent: tuple[np.ndarray, ...], ranks: int, distance: np.ndarray, layouts: Sequence[np.ndarray], until: float = math.inf) -> np.ndarray:
    """The places of the ranks in the best of the orders of bands, along the best of some layouts of the slots.

    `sent`: sources, destinations and bytes of the messages. `until`: the time by time.monotonic() at which the best so far counts.
    """
    sources, destinations, amounts = sent[:3]

    def cost(places: np.ndarray) -> float:
        return float(amounts @ distance[places[sources], places[destinations]])

    tries = _MOST_MESSAGES // max(1, len(amounts), ranks)
    if tries < 2:
        return layouts[0]
    orders = itertools.islice(band_orders(ranks, tries // 2), tries // 2)
    in_time = itertools.takewhile(lambda _: time.monotonic() < until, orders)
    few = sorted(((cost(layouts[0][order]), number, order) for number, order in enumerate(in_time)), key=lambda each: each[:2])[:8]
    candidates = [layout[order] for _, _, order in few for layout in layouts][: tries // 2]
    return min(candidates or layouts, key=cost)


def descend(sent: np.ndarray, distance: np.ndarray, slots: np.ndarray, until: float = math.inf) -> np.ndarray:
    """Exchanges the two slots that lower hop-bytes most, until no pair does. Slots beyond the ranks are spare, and may come in.

    `sent`: bytes between ranks. Returns the place of every slot, those of the ranks first. Ends, since each step lowers the
    cost; after 4 x slots steps or `until`, a time by time.monotonic(), at the latest.
    """
    ranks, count = len(sent), len(slots)
    both = np.zeros((count, count))
    both[:ranks, :ranks] = sent + sent.T
    np.fill_diagonal(both, 0)
    slots = slots.copy()
    for _ in range(4 * count):
        if time.monotonic() > until:
            break
        here = distance[np.ix_(slots, slots)]
        cost = both @ here  # of rank r on the slot of rank s
        own = np.diag(cost)
        change = cost + cost.T - own[:, None] - own[None, :] + 2 * both * here
        best = int(change.argmin())
        a, b = divmod(best, count)
        if change[a, b] >= -1e-9 * max(1.0, own.sum()):
            break
        slots[[a, b]] = slots[[b, a]]
    return slots
