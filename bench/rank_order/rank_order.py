#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""topowise.order() beside the rules in use (rules.py), on random clusters and jobs.

    rank_order.py [--cases 1000] [--first 0] [--time-limit 1s]

A cluster has nodes of 8 GPUs below uneven leaf switches and spines; names and switches do not go together. A job has random sizes of tensor, context,
expert, data and pipeline groups. Each case is judged by hop-bytes between nodes, which topowise makes small, and by the predicted time of the same
messages, all at once, which objective="predicted-time" makes small, on links of 50 GB/s a node and uplinks that carry a half of what is below them.
"""

import argparse
import json
import random
import statistics
import warnings

import rules
import topowise
from topowise import _torchrun

GPUS = 8


def cluster(draw, count):
    """Nodes below leaves of different sizes."""
    spines = draw.randint(1, 3)
    nodes, leaf = [], 0
    while len(nodes) < count:
        size = min(draw.randint(1, max(2, count // 3)), count - len(nodes))
        nodes += [(f"p{leaf % spines}", f"s{leaf}")] * size
        leaf += 1
    numbers = list(range(len(nodes)))
    if draw.random() < 0.7:
        draw.shuffle(numbers)
    return [rules.Node(f"n{number}", spine, f"{spine}{leaf}") for number, (spine, leaf) in zip(numbers, nodes)]


def case(seed):
    """(job, nodes); a quarter of the jobs leave nodes of the cluster spare."""
    draw = random.Random(seed)
    while True:
        pp, tp = draw.choice([1, 2, 4, 8]), draw.choice([1, 2, 4, 8])
        cp, dp = draw.choice([1, 1, 2]), draw.choice([1, 2, 3, 4, 6, 8, 12, 16, 32])
        ep = draw.choice([ep for ep in (1, 1, 2, 4, 8, 16) if dp * cp % ep == 0])
        job = rules.Job(pp, dp, tp, cp, ep, GPUS)
        if job.ranks % GPUS == 0 and 4 <= job.nodes <= 64 and (job.nodes % pp == 0 or job.nodes < pp):
            break
    spare = draw.randint(1, 8) if draw.random() < 0.25 else 0
    return job, cluster(draw, job.nodes + spare)


def machine_of(nodes):
    """The tree of spines, leaves and nodes, with rates."""
    vertices, links = [{"id": 0, "kind": "network-switch", "name": "top"}], []
    numbers = {"": 0}

    def add(name, kind, above, rate):
        numbers[name] = len(vertices)
        vertices.append({"id": len(vertices), "kind": kind, "name": name, "parent": numbers[above]})
        ends = (numbers[name], numbers[above])
        links.extend({"from": a, "to": b, "kind": "network", "bandwidth_bytes_per_s": rate} for a, b in (ends, ends[::-1]))

    for field, above in (("spine", lambda node: ""), ("leaf", lambda node: node.spine)):
        for name in dict.fromkeys(getattr(node, field) for node in nodes):
            below = [node for node in nodes if getattr(node, field) == name]
            add(name, "network-switch", above(below[0]), 50e9 * len(below) / 2)
    places = []
    for node in nodes:
        add(node.name, "compute-node", node.leaf, 50e9)
        places.append({"id": len(places), "kind": "node", "name": node.name, "node": node.name, "vertex": numbers[node.name]})
    return topowise.topology_from_text(json.dumps({"schema": "topowise.topology/1", "name": "cluster", "vertices": vertices, "links": links, "places": places}))


def traffic_of(job):
    sent = topowise.traffic(f"pattern:llm:{job.pp}x{job.dp}x{job.tp}:layers={4 * job.pp}:cp={job.cp}:ep={job.ep}")
    return _torchrun.blocks(sent, job.nodes)[0]


def judged(seed, time_limit):
    """name of the rule -> (hop-bytes, predicted seconds), and whether that of topowise is proven optimal."""
    job, nodes = case(seed)
    machine, sent = machine_of(nodes), traffic_of(job)
    place = {node.name: number for number, node in enumerate(nodes)}
    workers = [{"host": node.name} for node in nodes]
    found = topowise.order(workers, sent, machine, time_limit=time_limit)
    by_time = topowise.order(workers, sent, machine, objective="predicted-time", time_limit=time_limit)
    orders = {rule.__name__: [place[node.name] for node in rule(job, nodes)] for rule in rules.RULES}
    orders["topowise"], orders["topowise, predicted time"] = list(found.workers), list(by_time.workers)
    results = {}
    for name, places in orders.items():
        assert len(set(places)) == job.nodes, name
        numbers = topowise.evaluate(sent, machine, places)
        results[name] = numbers.hop_bytes, numbers.predicted_time or 0.0
    return results, found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", type=int, default=1000)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--time-limit", default="1s")
    given = options.parse_args()
    warnings.simplefilter("ignore", topowise.TopowiseWarning)
    cases = [judged(seed, given.time_limit) for seed in range(given.first, given.first + given.cases)]
    proven = sum(found.proven_optimal for _, found in cases)
    within = sum(found.cost <= 1.01 * found.lower_bound for _, found in cases)
    print(f"{given.cases} cases; topowise: proven optimal in {proven}, within 1% of the bound in {within}")
    print("| order | least hop-bytes | mean over the least | worst | least predicted time | mean over the least | worst |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    rows = []
    for name in cases[0][0]:
        row = [name]
        for number in range(2):
            over = [results[name][number] / least if (least := min(each[number] for each in results.values())) else 1.0 for results, _ in cases]
            row += [f"{100 * sum(ratio <= 1 + 1e-9 for ratio in over) / len(over):.1f}%", f"{statistics.geometric_mean(over):.3f}", f"{max(over):.2f}"]
        rows.append(row)
    for row in sorted(rows, key=lambda row: float(row[2])):
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
