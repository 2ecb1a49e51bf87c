# SPDX-License-Identifier: BSD-3-Clause
"""Rules by which systems for machine learning order the nodes of a job, written anew from what their authors say they do.

A rule takes a Job and a list of Node, and returns the nodes in the order of their ranks: as many as the job has.
"""

import collections
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Node:
    name: str
    spine: str
    leaf: str


@dataclasses.dataclass(frozen=True)
class Job:
    """Sizes of the groups of ranks, in Megatron-LM's order; `gpus` ranks on a node."""

    pp: int
    dp: int
    tp: int
    cp: int
    ep: int
    gpus: int

    @property
    def ranks(self):
        return self.pp * self.dp * self.tp * self.cp

    @property
    def nodes(self):
        return self.ranks // self.gpus

    @property
    def stage(self):
        """Nodes of a pipeline stage; at least one."""
        return max(1, self.nodes // self.pp)

    @property
    def group(self):
        """Nodes of an expert group, or, without experts, of a tensor and context group."""
        return max(1, min(self.stage, self.tp * max(self.ep, self.cp) // self.gpus))


def natural(text):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def by_switch(nodes):
    return sorted(nodes, key=lambda node: (natural(node.spine), natural(node.leaf), natural(node.name)))


def leaves(nodes):
    """leaf -> its nodes by name; the leaves in their order."""
    found = collections.OrderedDict()
    for node in by_switch(nodes):
        found.setdefault(node.leaf, []).append(node)
    return found


def torchrun(job, nodes):
    """PyTorch: by the host names as text."""
    return sorted(nodes, key=lambda node: node.name)[: job.nodes]


def addresses(job, nodes):
    """By IP address, or by the numbers in the names."""
    return sorted(nodes, key=lambda node: natural(node.name))[: job.nodes]


def switch(job, nodes):
    """By spine, leaf and name: DLRover before 2026, NeMo-RL's rank out of SLURM_TOPOLOGY_ADDR, and many scripts."""
    return by_switch(nodes)[: job.nodes]


def dlrover_contiguous(job, nodes):
    """DLRover: one group of nodes below a switch after the other, the largest first."""
    groups = sorted(leaves(nodes).values(), key=len, reverse=True)
    return [node for group in groups for node in group][: job.nodes]


def dlrover_columns(job, nodes):
    """DLRover, ep_pp_dp: a column is an expert group of every pipeline stage; the switch with the most whole slots left gets a whole column, as
    far as it reaches."""
    if job.stage % job.group != 0 or job.nodes != job.stage * job.pp:
        return dlrover_contiguous(job, nodes)
    left = [list(group) for group in leaves(nodes).values()]
    slots = {}
    for column in range(job.stage // job.group):
        for stage in range(job.pp):
            here = next((group for group in left if len(group) >= job.group and group is slots.get("last") and stage > 0), None)
            here = here if here is not None else max(left, key=lambda group: len(group) // job.group)
            slots["last"] = here
            if len(here) >= job.group:
                slots[stage, column] = [here.pop(0) for _ in range(job.group)]
    slots.pop("last", None)
    rest = [node for group in left for node in group]
    order = []
    for stage in range(job.pp):
        for column in range(job.stage // job.group):
            order += slots.get((stage, column)) or [rest.pop(0) for _ in range(job.group)]
    return order


def nemo_segments(job, nodes):
    """NeMo-RL: whole segments of nodes inside a domain, domain by domain; what fills no segment comes last."""
    size = job.group
    whole, rest = [], []
    for group in leaves(nodes).values():
        count = len(group) // size * size
        whole += group[:count]
        rest += group[count:]
    return (whole + rest)[: job.nodes]


def kueue(job, nodes):
    """Kueue: at each level the domain with the most free nodes first, the last one the smallest that is enough; pods by index."""

    def fill(groups, count):
        taken = []
        groups = sorted(groups, key=len, reverse=True)
        while count > 0:
            fits = [group for group in groups if len(group) >= count]
            group = min(fits, key=len) if fits else groups[0]
            groups.remove(group)
            taken.append((group, min(count, len(group))))
            count -= taken[-1][1]
        return taken

    spines = collections.OrderedDict()
    for node in by_switch(nodes):
        spines.setdefault(node.spine, []).append(node)
    order = []
    for spine, count in fill(list(spines.values()), job.nodes):
        for leaf, part in fill(list(leaves(spine).values()), count):
            order += leaf[:part]
    return order


RULES = (torchrun, addresses, switch, dlrover_contiguous, dlrover_columns, nemo_segments, kueue)
