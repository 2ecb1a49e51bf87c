"""What a host knows of the network above it. The labels of Kubernetes are compared with what the program reads."""

import json
import pathlib
import random
import re

import pytest
import topowise
from topowise import _hosts


def test_switches_of_slurm():
    of = lambda address, pattern: _hosts.of_slurm({"SLURM_TOPOLOGY_ADDR": address, "SLURM_TOPOLOGY_ADDR_PATTERN": pattern})  # noqa: E731
    assert of("top.s0.h0", "switch.switch.node") == ("top", "s0")
    assert of("b1.gpu01.a.org", "block.node") == ("b1",)
    assert of("h0", "node") is None
    assert of("s0", "switch.node") is None
    assert of("", "") is None
    assert _hosts.of_slurm({}) is None


NODES = {
    "kind": "List",
    "items": [
        {"metadata": {"name": "ip-1", "labels": {"topology.k8s.aws/network-node-layer-1": "n1", "topology.k8s.aws/network-node-layer-2": "n2",
                                                 "topology.kubernetes.io/zone": "z"}}, "status": {"addresses": [{"address": "10.0.0.1"}]}},
        {"metadata": {"name": "ip-2", "labels": {"network.topology.nvidia.com/leaf": "l", "network.topology.nvidia.com/spine": "s"}}},
        {"metadata": {"name": "ip-3", "labels": {"kubernetes.io/hostname": "other", "rack": "r"}}},
    ],
}  # fmt: skip


def test_labels_of_kubernetes(tmp_path):
    file = tmp_path / "nodes.json"
    file.write_text(json.dumps(NODES))
    path = lambda *names, levels=(): _hosts.path_of({}, names, str(file), levels)  # noqa: E731
    assert path("ip-1") == ("labels", ("z",))  # as another node has labels of topograph, which come first
    assert path("pod", "10.0.0.1") == ("labels", ("z",))
    assert path("ip-2") == ("labels", ("s", "l"))
    assert path("other", levels=["rack"]) == ("labels", ("r",))
    with pytest.raises(topowise.BadInput, match="has no node ip-9"):
        path("ip-9")
    with pytest.raises(topowise.BadInput, match="no label 'row'"):
        path("ip-3", "other", levels=["row", "rack"])
    file.write_text('topology.kubernetes.io/zone="z1"\ntopology.kubernetes.io/region="r1"\n')
    assert path("whatever") == ("labels", ("r1", "z1"))
    file.write_text('topology.k8s.aws/network-node-layer-2="n2"\ntopology.k8s.aws/network-node-layer-1="n1"\ntopology.kubernetes.io/zone="z"\n')
    assert path("whatever") == ("labels", ("z", "n1", "n2"))


KUBERNETES = (pathlib.Path(__file__).parents[2] / "topowise/topology_source/fabric/kubernetes.cpp").read_text(encoding="utf-8")


def test_the_labels_of_kubernetes_are_those_that_the_program_reads():
    text = KUBERNETES.replace("-kMostTiers}", f"-{_hosts.MOST_TIERS}}}")
    labels = re.findall(r'^ +Label\{"([^"]+)", "([^"]+)", (-?\d+)(?:, (-?\d+))?\},$', text, re.MULTILINE)
    assert len(labels) == KUBERNETES.count(" Label{")
    assert tuple((key, family, int(depth), int(of_number or 0)) for key, family, depth, of_number in labels) == _hosts.LABELS
    domains = re.search(r"kDomains\{([^;]*)\};", KUBERNETES)
    assert tuple(re.findall('"([^"]+)"', domains[1])) == _hosts.DOMAINS
    assert tuple(tuple(re.findall('"([^"]+)"', re.search(rf"{name}\{{([^;]*)\}};", KUBERNETES)[1])) for name in ("kRegions", "kZones")) == _hosts.OUTSIDE
    assert int(re.search(r"kMostTiers = (\d+);", KUBERNETES)[1]) == _hosts.MOST_TIERS


def switches_above(machine):
    """The names of the switches above each host, the widest first, as the program has read them."""
    words = json.loads(machine.to_json())
    vertices = {vertex["id"]: vertex for vertex in words["vertices"]}
    found = {}
    for place in words["places"]:
        path, at = [], vertices[place["vertex"]]
        while "parent" in at:
            at = vertices[at["parent"]]
            path.insert(0, at["name"])
        found[place["node"]] = path
    return found


@pytest.mark.filterwarnings("ignore::topowise.TopowiseWarning")
@pytest.mark.parametrize("seed", range(30))
def test_the_path_of_a_node_is_the_one_in_the_programs_tree(tmp_path, seed):
    draw = random.Random(seed)
    keys = [key.replace("#", str(number)) for key, *_ in _hosts.LABELS for number in ((0, 2, 7, 31, 32) if "#" in key else (0,))]
    used = [key for key in (*keys, *_hosts.DOMAINS, "rack", "fabric.topograph.run/tier-x") if draw.random() < 0.2] + [draw.choice(names) for names in _hosts.OUTSIDE[draw.randrange(3) :]]
    draw.shuffle(used)
    items = []
    for number in range(6):
        labels = {key: f"{key[-6:]}-{number}" for key in used if draw.random() < 0.9}  # no two nodes share a switch: no domain is split
        items.append({"kind": "Node", "metadata": {"name": f"h{number}", "labels": {"topology.kubernetes.io/zone": f"z{number}", **labels}}})
    file = tmp_path / "nodes.json"
    file.write_text(json.dumps({"kind": "List", "items": items}))
    paths = switches_above(topowise.topology(f"{file}"))
    assert len(paths) == 6
    for host, path in paths.items():
        assert path == ["network", *_hosts.path_of({"PATH": ""}, (host,), str(file))[1]]


def test_a_table_of_hosts(tmp_path):
    file = tmp_path / "hosts.json"
    file.write_text('{"h0": ["p0", "s0"], "h1": ["p0", "s1"]}')
    assert _hosts.path_of({}, ("h1",), str(file)) == ("table", ("p0", "s1"))
    with pytest.raises(topowise.BadInput, match="has no host h7"):
        _hosts.path_of({}, ("h7",), str(file))
    assert not _hosts.is_host_table('{"schema": "topowise.topology/1"}')
    assert not _hosts.is_host_table("[]")
    assert _hosts.path_of({}, ("h0",), "cluster:a,b") == ("topology", ())


def test_nvlink_domain_from_nvidia_smi(tmp_path):
    program = tmp_path / "nvidia-smi"

    def prints(*gpus):
        text = "".join(f"    Fabric\n        CliqueId : {clique}\n        ClusterUUID : {cluster}\n" for cluster, clique in gpus)
        program.write_text(f"#!/bin/sh\ncat << END\n{text}END\n")
        program.chmod(0o755)
        return _hosts.nvlink_domain({"PATH": f"{tmp_path}:/usr/bin:/bin"})

    rack = "50000000-0000-0000-0000-000000000007"
    assert prints((rack, "32766"), (rack, "32766")) == f"{rack}.32766"
    assert prints(("00000000-0000-0000-0000-000000000000", "0")) is None
    assert prints((rack, "1"), (rack, "2")) is None
    assert prints(("N/A", "N/A")) is None
    assert _hosts.nvlink_domain({"PATH": str(tmp_path / "none")}) is None
    for hostile in ("cat /dev/zero", "exec >&-; (exec sleep 100000) & wait", "printf '\\377\\000\\033[2J'", "kill -9 $$"):
        program.write_text(f"#!/bin/sh\n{hostile}\n")
        assert _hosts.nvlink_domain({"PATH": f"{tmp_path}:/usr/bin:/bin"}, 1) is None
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SLURM_TOPOLOGY_ADDR": "s1.h", "SLURM_TOPOLOGY_ADDR_PATTERN": "switch.node"}
    prints((rack, "3"))
    assert _hosts.path_of(environment, ("h",)) == ("Slurm and NVLink", ("s1", f"{rack}.3"))
    labels = tmp_path / "labels"
    labels.write_text(f'nvidia.com/gpu.clique="{rack}.3"\ntopology.kubernetes.io/zone="z"\n')
    assert _hosts.path_of(environment, ("h",), str(labels)) == ("labels", ("z", f"{rack}.3"))
    labels.write_text('rack="r"\n')
    assert _hosts.path_of(environment, ("h",), str(labels)) == ("NVLink", (f"{rack}.3",))
