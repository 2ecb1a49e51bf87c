# SPDX-License-Identifier: BSD-3-Clause
"""What a host knows of the network above it: the switches that Slurm, the labels of Kubernetes or a file name, and its NVLink domain."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import bad_input

#: Labels of nodes that name a part of the network, the widest part first in each family.
LABELS = (
    ("network.topology.nvidia.com/core", "network.topology.nvidia.com/spine", "network.topology.nvidia.com/block", "network.topology.nvidia.com/leaf",
     "network.topology.nvidia.com/accelerator"),
    ("cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock", "cloud.google.com/gce-topology-host"),
    ("topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2", "topology.k8s.aws/network-node-layer-3"),
    ("topology.kubernetes.io/region", "topology.kubernetes.io/zone", "topology.kubernetes.io/rack"),
)  # fmt: skip
_LINE = re.compile(r'\s*([^\s="]+)\s*=\s*"((?:[^"\\]|\\.)*)"\s*$')


def of_slurm(environment: Mapping[str, str]) -> tuple[str, ...] | None:
    """The switches or blocks in SLURM_TOPOLOGY_ADDR, the widest first, without the host. None if Slurm does not set it."""
    address, pattern = environment.get("SLURM_TOPOLOGY_ADDR", ""), environment.get("SLURM_TOPOLOGY_ADDR_PATTERN", "")
    kinds = pattern.split(".")
    # Names of hosts may have dots, which names of switches have not: the host is what is left.
    parts = address.split(".", len(kinds) - 1)
    if not address or kinds[-1] != "node" or len(parts) != len(kinds) or len(kinds) == 1:
        return None
    return tuple(parts[:-1])


def of_labels(labels: Mapping[str, str], levels: Sequence[str] = ()) -> tuple[str, ...] | None:
    """The parts of the network that a node's labels name, the widest first. `levels`: names of labels; else the known ones."""
    if levels:
        missing = [level for level in levels if level not in labels]
        if missing:
            raise bad_input(f"the node has no label '{missing[0]}'")
        return tuple(labels[level] for level in levels)
    for family in LABELS:
        path = tuple(labels[label] for label in family if labels.get(label))
        if path:
            return path
    return None


def _labels_of_node(nodes: Any, names: Sequence[str]) -> Mapping[str, str] | None:
    """Of `kubectl get nodes -o json`: a list of nodes, or one node."""
    items = nodes.get("items", [nodes]) if isinstance(nodes, Mapping) else []
    for item in items:
        meta = item.get("metadata", {}) if isinstance(item, Mapping) else {}
        labels = meta.get("labels", {})
        addresses = {each.get("address") for each in item.get("status", {}).get("addresses", [])} if isinstance(item, Mapping) else set()
        if {meta.get("name"), labels.get("kubernetes.io/hostname"), *addresses} & set(names):
            return {str(key): str(value) for key, value in labels.items()}
    return None


def labels_in(text: str, where: str, names: Sequence[str]) -> Mapping[str, str]:
    """The labels of the node that has one of `names`.

    `text` is what `kubectl get nodes -o json` prints, or a file of the downward API: lines KEY="VALUE", of this node. Raises
    BadInput if it is neither, or lacks the node.
    """
    if text.lstrip().startswith("{"):
        try:
            labels = _labels_of_node(json.loads(text), names)
        except (ValueError, AttributeError, TypeError):
            raise bad_input(f"{where}: this is no list of nodes", "kubectl get nodes -o json") from None
        if labels is None:
            raise bad_input(f"{where} has no node {' or '.join(dict.fromkeys(names))}", "kubectl get nodes -o json; NODE_NAME names this node in a pod")
        return labels
    found = [_LINE.match(line) for line in text.splitlines() if line.strip()]
    if not found or None in found:
        raise bad_input(f"{where} has no labels of nodes", 'kubectl get nodes -o json, or lines KEY="VALUE" of the downward API')
    return {line[1]: line[2] for line in found if line}


def is_host_table(text: str) -> bool:
    """Whether the text is JSON that names the switches of each host, and nothing else: {"host": ["spine", "leaf"], ...}."""
    try:
        table = json.loads(text)
    except ValueError:
        return False
    if not isinstance(table, dict) or not table or "schema" in table:
        return False
    return all(isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value)) for value in table.values())


def of_table(text: str, where: str, names: Sequence[str]) -> tuple[str, ...]:
    """The switches of a host in such a table, the widest first. Raises BadInput if it lacks the host."""
    table = json.loads(text)
    for name in names:
        if name in table:
            value = table[name]
            return (value,) if isinstance(value, str) else tuple(value)
    raise bad_input(f"{where} has no host {' or '.join(dict.fromkeys(names))}")


def nvlink_domain(environment: Mapping[str, str], timeout: float = 20.0) -> str | None:
    """The NVLink domain of this host's GPUs, "CLUSTER_UUID.CLIQUE", as `nvidia-smi -q` prints it. None: there is none of several hosts."""
    program = shutil.which("nvidia-smi", path=environment.get("PATH"))
    if program is None:
        return None
    try:
        printed = subprocess.run([program, "-q"], capture_output=True, text=True, timeout=timeout, check=False).stdout  # noqa: S603
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    clusters = set(re.findall(r"^\s*ClusterUUID\s*:\s*([0-9A-Fa-f-]+)\s*$", printed, re.MULTILINE))
    cliques = set(re.findall(r"^\s*CliqueId\s*:\s*(\d+)\s*$", printed, re.MULTILINE))
    if len(clusters) != 1 or len(cliques) > 1 or not next(iter(clusters)).strip("0-"):
        return None
    return f"{clusters.pop()}.{''.join(cliques)}"


def names_of(environment: Mapping[str, str], host: str) -> tuple[str, ...]:
    """Names of this host: what the batch system or the pod's NODE_NAME says, else its own, with and without the domain."""
    given = [environment.get(variable, "") for variable in ("SLURMD_NODENAME", "NODE_NAME")]
    return tuple(dict.fromkeys(name for name in (*given, host, host.split(".")[0]) if name))


def path_of(environment: Mapping[str, str], names: Sequence[str], topology: str = "", levels: Sequence[str] = ()) -> tuple[str, tuple[str, ...]]:
    """(source, switches above this host, the widest first). The source is empty where nothing is known.

    `topology`: a file of labels or a table of hosts; other descriptions of machines are not read here, and give ("topology", ()).
    """
    source = ""
    path: tuple[str, ...] = ()
    if topology:
        if not os.path.isfile(topology):
            return "topology", ()
        with open(topology, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if is_host_table(text):
            source, path = "table", of_table(text, topology, names)
        elif _LINE.match(text.splitlines()[0] if text.strip() else "") or '"metadata"' in text:
            source, path = "labels", of_labels(labels_in(text, topology, names), levels) or ()
        else:
            return "topology", ()
    elif switches := of_slurm(environment):
        source, path = "Slurm", switches
    domain = nvlink_domain(environment)
    if domain is not None and source != "table":
        source, path = (f"{source} and NVLink" if source else "NVLink"), (*path, domain)
    return source, path
