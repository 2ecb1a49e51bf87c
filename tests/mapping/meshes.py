# SPDX-License-Identifier: BSD-3-Clause
"""Large meshes like those of numerical programs, made from random numbers, the same on every machine: (count, edges, points).

The points are only for reference mappings. The vertices are numbered at random: a mapper learns nothing from the numbers.
"""
import math
import random


def renumbered(points, edges, numbers):
    names = list(range(len(points)))
    numbers.shuffle(names)
    placed = [None] * len(points)
    for old, new in enumerate(names):
        placed[new] = points[old]
    return len(points), {tuple(sorted((names[u], names[v]))): 1 for u, v in edges}, placed


def random_geometric(count, seed=1):
    """Points in the unit square; points nearer than 0.55 sqrt(ln n / n) are neighbours, as in the rgg graphs of DIMACS 10."""
    numbers = random.Random(seed)
    points = [(numbers.random(), numbers.random()) for _ in range(count)]
    radius = 0.55 * math.sqrt(math.log(count) / count)
    cells = {}
    for index, (x, y) in enumerate(points):
        cells.setdefault((int(x / radius), int(y / radius)), []).append(index)
    edges = []
    for (column, row), here in cells.items():
        near = [other for i in (-1, 0, 1) for j in (-1, 0, 1) for other in cells.get((column + i, row + j), ())]
        edges += [(u, v) for u in here for v in near if u < v and math.dist(points[u], points[v]) < radius]
    return renumbered(points, edges, numbers)


def triangulation(rows, columns, seed=1):
    """A grid in which every square has one of its diagonals."""
    numbers = random.Random(seed)
    index = lambda i, j: i * columns + j
    points = [(i, j) for i in range(rows) for j in range(columns)]
    edges = []
    for i, j in points:
        if j + 1 < columns:
            edges.append((index(i, j), index(i, j + 1)))
        if i + 1 < rows:
            edges.append((index(i, j), index(i + 1, j)))
        if i + 1 < rows and j + 1 < columns:
            edges.append((index(i, j), index(i + 1, j + 1)) if numbers.random() < 0.5 else (index(i, j + 1), index(i + 1, j)))
    return renumbered(points, edges, numbers)


def by_coordinates(points, places):
    """Recursive coordinate bisection (Berger and Bokhari, 1987): cuts across the longer side into halves, as even as possible; `places` is a power of
    two."""
    place = [0] * len(points)

    def split(members, first, count):
        if count == 1:
            for member in members:
                place[member] = first
            return
        extents = [max(points[m][axis] for m in members) - min(points[m][axis] for m in members) for axis in (0, 1)]
        axis = 0 if extents[0] >= extents[1] else 1
        members = sorted(members, key=lambda m: (points[m][axis], m))
        split(members[:len(members) // 2], first, count // 2)
        split(members[len(members) // 2:], first + count // 2, count // 2)

    split(list(range(len(points))), 0, places)
    return place
