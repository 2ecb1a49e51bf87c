# SPDX-License-Identifier: BSD-3-Clause
"""What a host knows of the network above it: the switches that Slurm, the labels of Kubernetes or a file name, and its NVLink domain."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._errors import bad_input

#: Labels of nodes that name a part of the network, as topowise/topology_source/fabric/kubernetes.cpp has them: the key ("#": a
#: number), the family, the depth from the outside, and 1 or -1 if greater numbers are further inside or outside. Of the families
#: only the first is used that any node has.
LABELS = (
    ("fabric.topograph.run/tier-#", "topograph", 0, -1),
    ("network.topology.nvidia.com/core", "topograph", 0, 0),
    ("network.topology.nvidia.com/datacenter", "topograph", 0, 0),
    ("network.topology.nvidia.com/spine", "topograph", 1, 0),
    ("network.topology.nvidia.com/leaf", "topograph", 2, 0),
    ("network.topology.nvidia.com/block", "topograph", 2, 0),
    ("topology.k8s.aws/network-node-layer-#", "AWS", 0, 1),
    ("cloud.google.com/gce-topology-block", "Google Cloud", 0, 0),
    ("cloud.google.com/gce-topology-subblock", "Google Cloud", 1, 0),
    ("cloud.google.com/gce-topology-host", "Google Cloud", 2, 0),
    ("oci.oraclecloud.com/rdma.hpc_island_id", "Oracle Cloud", 0, 0),
    ("oci.oraclecloud.com/rdma.network_block_id", "Oracle Cloud", 1, 0),
    ("oci.oraclecloud.com/rdma.local_block_id", "Oracle Cloud", 2, 0),
    ("oci.oraclecloud.com/host.network_block_id", "Oracle Cloud's hosts", 0, 0),
    ("oci.oraclecloud.com/host.rack_id", "Oracle Cloud's hosts", 1, 0),
    ("backend.coreweave.cloud/fabric", "CoreWeave", 0, 0),
    ("backend.coreweave.cloud/superpod", "CoreWeave", 1, 0),
    ("backend.coreweave.cloud/leafgroup", "CoreWeave", 2, 0),
    ("ib.coreweave.cloud/fabric", "CoreWeave", 0, 0),
    ("ib.coreweave.cloud/superpod", "CoreWeave", 1, 0),
    ("ib.coreweave.cloud/leafgroup", "CoreWeave", 2, 0),
    ("topology.nebius.com/gpu-cluster-id", "Nebius", -32, 0),
    ("topology.nebius.com/tier-#", "Nebius", 0, -1),
    ("cloud.provider.com/topology-block", "Kueue", 0, 0),
    ("cloud.provider.com/topology-rack", "Kueue", 1, 0),
)
#: These are outside of all families, the widest first. The second names are those before Kubernetes 1.17.
OUTSIDE = (
    ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"),
    ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"),
)
#: Domains of NVLink, inside of all families. The first that a node has is used.
DOMAINS = (
    "accelerator.topograph.run/domain",
    "network.topology.nvidia.com/accelerator",
    "topology.k8s.aws/ultraserver-id",
    "ds.coreweave.com/nvlink.domain",
    "nvidia.com/gpu.clique",
)
MOST_TIERS = 32  #: greater numbers in a key are not read
_FAMILIES = tuple(dict.fromkeys(family for _, family, _, _ in LABELS))
_EXACT = {key: (family, depth) for key, family, depth, of_number in LABELS if not of_number}
_NUMBERED = {key[:-1]: (family, depth, of_number) for key, family, depth, of_number in LABELS if of_number}
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


def _level(key: str) -> tuple[str, int] | None:
    """(family, depth) of a label's key. None if it is no label of a family."""
    for prefix, (family, depth, of_number) in _NUMBERED.items():
        number = key[len(prefix) :]
        if key.startswith(prefix) and re.fullmatch("[0-9]{1,9}", number) and int(number) < MOST_TIERS:
            return family, depth + of_number * int(number)
    return _EXACT.get(key)


def _by_family(labels: Mapping[str, str]) -> dict[str, dict[int, str]]:
    """What the labels say, by family and depth. Of two labels of one depth the first stays."""
    found: dict[str, dict[int, str]] = {}
    for key, value in labels.items():
        level = _level(key)
        if level is not None and value:
            found.setdefault(level[0], {}).setdefault(level[1], value)
    return found


def of_labels(labels: Mapping[str, str], levels: Sequence[str] = (), others: Iterable[Mapping[str, str]] = ()) -> tuple[str, ...]:
    """The parts of the network that a node's labels name, the widest first. Empty if none does.

    `levels`: names of labels; else the known ones. `others`: the labels of the other nodes, as far as they are known: the same family is
    used for all nodes. Raises BadInput if the node lacks one of `levels`.
    """
    if levels:
        missing = [level for level in levels if level not in labels]
        if missing:
            raise bad_input(f"the node has no label '{missing[0]}'")
        return tuple(labels[level] for level in levels)
    own = _by_family(labels)
    known = set(own).union(*map(_by_family, others))
    family = next((each for each in _FAMILIES if each in known), "")
    outside = [value for names in OUTSIDE for value in [value for key, value in labels.items() if key in names and value][:1]]
    switches = [value for _, value in sorted(own.get(family, {}).items())]
    return (*outside, *switches, *[labels[key] for key in DOMAINS if labels.get(key)][:1])


def _meta(node: Any) -> Any:
    return node.get("metadata") or {}


def _is_node(node: Any, names: Sequence[str]) -> bool:
    addresses = {each.get("address") for each in node.get("status", {}).get("addresses", [])}
    labels = _meta(node).get("labels") or {}
    return bool({_meta(node).get("name"), labels.get("kubernetes.io/hostname"), *addresses} & set(names))


def _labels_of_nodes(nodes: Any, names: Sequence[str]) -> list[Mapping[str, str]]:
    """Of `kubectl get nodes -o json`: a list of nodes, or one node. The node that has one of `names` comes first; empty if none has."""
    items = [item for item in nodes.get("items", [nodes]) if isinstance(item, Mapping)]
    labels = [{str(key): str(value) for key, value in (_meta(item).get("labels") or {}).items()} for item in items]
    own = next((number for number, item in enumerate(items) if _is_node(item, names)), None)
    return [] if own is None else [labels[own], *labels[:own], *labels[own + 1 :]]


def labels_in(text: str, where: str, names: Sequence[str]) -> list[Mapping[str, str]]:
    """The labels of the node that has one of `names`, then those of the other nodes, if they are there.

    `text` is what `kubectl get nodes -o json` prints, or a file of the downward API: lines KEY="VALUE", of this node. Raises
    BadInput if it is neither, or lacks the node.
    """
    if text.lstrip().startswith("{"):
        try:
            labels = _labels_of_nodes(json.loads(text), names)
        except (ValueError, AttributeError, TypeError, RecursionError):
            raise bad_input(f"{where}: this is no list of nodes", "kubectl get nodes -o json") from None
        if not labels:
            raise bad_input(f"{where} has no node {' or '.join(dict.fromkeys(names))}", "kubectl get nodes -o json; NODE_NAME names this node in a pod")
        return labels
    found = [_LINE.match(line) for line in text.splitlines() if line.strip()]
    if not found or None in found:
        raise bad_input(f"{where} has no labels of nodes", 'kubectl get nodes -o json, or lines KEY="VALUE" of the downward API')
    return [{line[1]: line[2] for line in found if line}]


def is_host_table(text: str) -> bool:
    """Whether the text is JSON that names the switches of each host, and nothing else: {"host": ["spine", "leaf"], ...}."""
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
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


def _printed_by(command: Sequence[str], timeout: float, most: int = 1 << 24) -> str:
    """What a program prints. Empty if it takes longer or prints more; then it is ended with all that it has started."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as run:  # noqa: S603
        assert run.stdout is not None
        ended = threading.Timer(timeout, os.killpg, (run.pid, signal.SIGKILL))
        ended.start()
        try:
            printed = run.stdout.read(most + 1)
            if len(printed) > most:
                os.killpg(run.pid, signal.SIGKILL)
            late = run.wait() == -signal.SIGKILL
        finally:
            ended.cancel()
    return "" if late else printed.decode(errors="replace")


def nvlink_domain(environment: Mapping[str, str], timeout: float = 20.0) -> str | None:
    """The NVLink domain of this host's GPUs, "CLUSTER_UUID.CLIQUE", as `nvidia-smi -q` prints it. None: there is none of several hosts."""
    program = shutil.which("nvidia-smi", path=environment.get("PATH"))
    if program is None:
        return None
    try:
        printed = _printed_by([program, "-q"], timeout)
    except OSError:
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
    """(source, switches above this host, the widest first). Both are empty where nothing is known, also if a file names no switch.

    `topology`: a file of labels or a table of hosts; other descriptions of machines are not read here, and give ("topology", ()).
    """
    source = ""
    path: tuple[str, ...] = ()
    with_domain = True
    if topology:
        if not os.path.isfile(topology):
            return "topology", ()
        with open(topology, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if is_host_table(text):
            source, path, with_domain = "table", of_table(text, topology, names), False
        elif _LINE.match(text.splitlines()[0] if text.strip() else "") or '"metadata"' in text:
            own, *others = labels_in(text, topology, names)
            source, path = "labels", of_labels(own, levels, others)
        else:
            return "topology", ()
    elif switches := of_slurm(environment):
        source, path = "Slurm", switches
    source = source if path else ""
    domain = nvlink_domain(environment) if with_domain else None
    if domain is not None and domain not in path:  # labels name it as well
        source, path = (f"{source} and NVLink" if source else "NVLink"), (*path, domain)
    return source, path
