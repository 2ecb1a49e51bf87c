"""The rendezvous back-end without PyTorch: how nodes agree, and what they decide. torchrun_lab.py runs real jobs."""

import json
import sys
import threading
import types

import pytest
import topowise
import topowise_torchrun
from topowise import _hosts, _llm, _torchrun
from topowise_torchrun import _agreement

LLM = {"traffic": "llm:tp=2", "pp": "2", "layers": "2", "hidden": "256", "sequence": "2", "microbatches": "1"}


class MemoryStore:
    """A store of PyTorch as its documentation describes it, for threads: get() of a missing key is an error here, since nothing must block."""

    def __init__(self):
        self.values, self.lock = {}, threading.Lock()

    def set(self, key, value):
        with self.lock:
            self.values[key] = value

    def get(self, key):
        with self.lock:
            return self.values[key].encode()

    def add(self, key, amount):
        with self.lock:
            self.values[key] = self.values.get(key, 0) + amount
            return self.values[key]

    def compare_set(self, key, expected, desired):
        with self.lock:
            if self.values.get(key, "") == expected:
                self.values[key] = desired
            return self.values.get(key, expected).encode()


def all_nodes(count, work):
    """What work(node) gives on each node; all run at once."""
    results = [None] * count
    threads = [threading.Thread(target=lambda node=node: results.__setitem__(node, work(node))) for node in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


# ---- agreement


def reversed_order(facts):
    return {"order": list(range(len(facts)))[::-1], "why": f"hosts {','.join(each['host'] for each in facts)}"}


def test_all_nodes_take_the_order_of_the_first():
    store = MemoryStore()
    found = all_nodes(5, lambda node: _agreement.agree(store, node, 5, {"host": f"h{node}"}, reversed_order, 600))
    assert [each["order"] for each in found] == [[4, 3, 2, 1, 0]] * 5
    assert [each["announce"] for each in found] == [True, False, False, False, False]
    assert found[0]["why"] == "hosts h0,h1,h2,h3,h4"


@pytest.mark.parametrize("missing", [0, 2])
def test_a_node_that_never_comes_leaves_all_without_an_order(missing):
    store = MemoryStore()
    here = lambda node: node != missing and _agreement.agree(store, node, 4, {"host": "h"}, reversed_order, 0, deciding=0)  # noqa: E731
    found = [each for each in all_nodes(4, here) if each]
    assert [each["order"] for each in found] == [None] * 3
    assert len({each["why"] for each in found}) == 1


def test_a_late_order_does_not_count():
    """The first node decides after another has given up: both read what came first."""
    store = MemoryStore()
    late = _agreement.agree(store, 1, 2, {"host": "b"}, reversed_order, 0, deciding=0)
    first = _agreement.agree(store, 0, 2, {"host": "a"}, reversed_order, 600)
    assert late["order"] is None
    assert first["order"] is None
    assert (late["announce"], first["announce"]) == (True, False)


def decide_nothing(_facts):
    raise topowise.BadInput("no\nswitch")


@pytest.mark.parametrize(
    ("decide", "facts", "why"),
    [
        (decide_nothing, {}, "no switch"),
        (reversed_order, {"error": "no library"}, "node 0 (a): no library"),
        (lambda _: {"order": [0, 0]}, {}, "the order has another number of nodes"),
        (lambda _: {"order": [0]}, {}, "the order has another number of nodes"),
        (lambda _: {"order": [0, "1"]}, {}, "the order has another number of nodes"),
        (lambda _: {}, {}, ""),
    ],
)
def test_what_fails_is_one_reason_on_all_nodes(decide, facts, why):
    store = MemoryStore()
    found = all_nodes(2, lambda node: _agreement.agree(store, node, 2, {"host": "ab"[node], **facts}, decide, 600))
    assert [(each["order"], each["why"]) for each in found] == [(None, why)] * 2


GOOD = json.dumps({"host": "b", "version": _agreement.VERSION})


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "node 1 has written nothing where its description is expected"),
        ("no JSON", "node 1 has written no JSON object where its description is expected"),
        ('"b"', "node 1 has written no JSON object where its description is expected"),
        ("[[" * 100000, "node 1 has written 200000 bytes where its description is expected"),
        ("[" * 60000, "node 1 has written no JSON object where its description is expected"),
        (GOOD.replace("}", f', "path": "{"x" * 70000}"}}'), f"node 1 has written {len(GOOD) + 70012} bytes where its description is expected"),
        ('{"host": "b"}', "node 1 (b) has another version of topowise"),
        ('{"host": ["b"], "version": 2}', "node 1 (?) has another version of topowise"),
        (GOOD.replace("}", ', "error": ["x"]}'), "node 1 (b): ['x']"),
    ],
)
def test_a_node_that_writes_something_else(written, why):
    class Damaged(MemoryStore):
        def set(self, key, value):
            super().set(key, written if key.endswith("node/1") else value)

    store = Damaged()
    found = all_nodes(3, lambda node: _agreement.agree(store, node, 3, {"host": "abc"[node]}, reversed_order, 600))
    assert [(each["order"], each["why"]) for each in found] == [(None, why)] * 3
    assert [each["announce"] for each in found] == [True, False, False]


def test_bytes_that_are_no_text():
    with pytest.raises(ValueError, match="node 4 has written no JSON object"):
        _agreement._facts_of(4, b'{"host": "\xff"}')


def test_a_node_says_what_it_cannot_write():
    for fact, why in [("x" * 70000, "characters to say of itself, more than 65536"), ({1}, "Object of type set is not JSON serializable")]:
        store = MemoryStore()
        found = all_nodes(2, lambda node, store=store, fact=fact: _agreement.agree(store, node, 2, {"host": "ab"[node], "path": fact if node else ""}, reversed_order, 600))
        assert [each["order"] for each in found] == [None] * 2
        assert found[0]["why"].startswith("node 1 (b): ")
        assert why in found[0]["why"]
        assert found[0]["why"] == found[1]["why"]


@pytest.mark.parametrize("kept", ["no JSON", "[1, 0]", '{"order": [1, 0]}', f'{{"order": [1, 0], "why": 7, "version": {_agreement.VERSION}}}'])
def test_a_decision_of_another_program(kept):
    store = MemoryStore()
    store.set("topowise/decision", kept)
    store.add("topowise/decided", 1)
    found = all_nodes(2, lambda node: _agreement.agree(store, node, 2, {"host": "ab"[node]}, reversed_order, 600))
    assert [(each["order"], each["why"]) for each in found] == [(None, "the first node has another version of topowise")] * 2


def test_a_decision_that_is_too_long():
    store = MemoryStore()
    found = all_nodes(2, lambda node: _agreement.agree(store, node, 2, {"host": "ab"[node]}, lambda _: {"order": [1, 0], "why": "x" * (5 << 20)}, 600))
    assert [each["order"] for each in found] == [None] * 2
    assert "more than 4194304" in found[0]["why"]


@pytest.mark.parametrize("kept", ["no JSON", "7", '["h"]', '["h", "port"]', "null"])
def test_an_address_that_is_none(kept):
    store = MemoryStore()
    store.set("topowise/master", kept)
    assert all_nodes(2, lambda node: _agreement.share_address(store, node == 0, lambda: ("h1", 77))) == [None] * 2


def test_one_address_for_all():
    store = MemoryStore()
    assert all_nodes(3, lambda node: _agreement.share_address(store, node == 1, lambda: ("h1", 77))) == [("h1", 77)] * 3

    def cannot():
        raise OSError("no port")

    store = MemoryStore()
    assert all_nodes(3, lambda node: _agreement.share_address(store, node == 1, cannot)) == [None] * 3


# ---- traffic by the sizes of groups


@pytest.mark.parametrize(
    ("text", "ranks", "pattern"),
    [
        ("llm:tp=8,pp=4,dp=4", None, "pattern:llm:4x4x8"),
        ("llm:tp=8,pp=4", 128, "pattern:llm:4x4x8"),
        ("llm:tp=2,cp=2,ep=2,order=megatron", 16, "pattern:llm:1x4x2:cp=2:ep=2:order=tp-cp-ep-dp-pp"),
        ("llm:tp=2,order=tp-cp-ep-pp-dp,dp=3", 6, "pattern:llm:1x3x2:order=tp-cp-ep-pp-dp"),
    ],
)
def test_sizes_of_groups(text, ranks, pattern):
    assert _llm.pattern_of(text, ranks) == pattern
    assert topowise.traffic(pattern).ranks == (ranks or 128)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("llm:tp=8,xp=2", "unknown key 'xp'"),
        ("llm:tp=0", "tp is '0'"),
        ("llm:tp=eight", "tp is 'eight'"),
        ("llm:tp", "'tp' has no value"),
        ("llm:tp=2,tp=2", "tp is given twice"),
        ("llm:tp=3", "16 ranks are no multiple of tp x pp x cp = 3"),
        ("llm:tp=8,dp=4", "make 32 ranks, but the job has 16"),
    ],
)
def test_sizes_that_do_not_make_the_job(text, words):
    with pytest.raises(topowise.BadInput, match=words):
        _llm.pattern_of(text, 16)


# ---- what is decided


def nodes_of(*switches, processes=2, previous=None):
    had = previous or [None] * len(switches)
    return [{"host": f"h{i}", "names": [f"h{i}"], "source": "Slurm", "path": [switch], "processes": processes, "previous": old}
            for i, (switch, old) in enumerate(zip(switches, had))]  # fmt: skip


def decided(facts, **config):
    return _torchrun.Job({**LLM, **config}, {}, ["train"]).decide(facts)


def test_blocks_of_ranks():
    sent = topowise.traffic("pattern:llm:2x2x2")
    between, inside, kinds = _torchrun.blocks(sent, 4)
    whole = sent.matrix()
    assert between.matrix().tolist() == [[0 if a == b else whole[2 * a : 2 * a + 2, 2 * b : 2 * b + 2].sum() for b in range(4)] for a in range(4)]
    for node in range(4):
        assert sorted(inside[kinds[node]]) == sorted((a, b, whole[2 * node + a, 2 * node + b]) for a in range(2) for b in range(2) if a != b)
    with pytest.raises(topowise.BadInput, match="8 ranks, which 3 nodes cannot share evenly"):
        _torchrun.blocks(sent, 3)


def test_replicas_of_a_stage_come_below_one_switch():
    found = decided(nodes_of("s0", "s1", "s0", "s1"))
    assert found["order"] == [0, 2, 1, 3]
    assert found["why"].startswith("4 nodes ordered by Slurm: hop-bytes between nodes are ")
    assert found["why"].endswith("% less than in PyTorch's order, proven optimal")


def test_the_order_of_a_node_that_left_and_one_that_came():
    found = decided(nodes_of("s0", "s1", "s1", "s0", previous=[(0, 4), (2, 4), (3, 4), None]))
    assert found["order"] == [0, 2, 3, 1]
    assert found["why"].endswith("; 0 of 3 nodes have another rank than before")


def test_two_nodes_that_claim_one_rank():
    found = decided(nodes_of("s0", "s1", "s0", "s1", previous=[(1, 4), (1, 4), (7, 8), None]))
    assert sorted(found["order"]) == [0, 1, 2, 3]


def test_replicas_follow_from_the_nodes_that_are_there():
    assert sorted(decided(nodes_of(*["s0", "s1"] * 3))["order"]) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("facts", "config", "words"),
    [
        ([{**node, "source": "", "path": []} for node in nodes_of("a", "b")], {}, "h0 does not know which switches"),
        ([*nodes_of("a"), *nodes_of("b", processes=4)], {}, "different numbers of processes"),
        (nodes_of("a", "b", "c"), {}, "no multiple"),
        (nodes_of("a", "b"), {"traffic": ""}, "no traffic is known for this program|no traffic is known"),
        (nodes_of("a", "b"), {"traffic": "pattern:ring:6"}, "6 ranks, but the job 4"),
        ([*nodes_of("a"), {**nodes_of("a", "b")[1], "source": "labels and NVLink"}], {}, "different sources: h0 knows Slurm, h1 knows labels"),
        (nodes_of("a", "b", processes=None), {"traffic": ""}, "how many processes a node starts"),
    ],
)
def test_what_cannot_be_decided(facts, config, words):
    with pytest.raises(topowise.BadInput, match=words):
        decided(facts, **config)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("host", ["", None, 7, ["h1"]]),
        ("names", [[], "h1", None, [1]]),
        ("source", [None, 7]),
        ("path", ["s0", None, [["s0"]]]),
        ("processes", [0, -2, "2", 2.0, True, [2]]),
        ("previous", [1, [1], [1, 2, 3], ["1", "4"], [-1, 4], {}]),
    ],
)
def test_a_node_that_says_something_else(key, values):
    for value in values:
        facts = [*nodes_of("s0", "s1")[:1], {**nodes_of("s0", "s1")[1], key: value}]
        with pytest.raises(topowise.BadInput, match=rf"node 1 \((h1|\?)\) says something else as its {key}\nhint: it may have another version"):
            decided(facts)
    if key != "previous":
        del facts[1][key]
        with pytest.raises(topowise.BadInput, match=rf"node 1 \((h1|\?)\) does not say its {key}\n"):
            decided(facts)


def test_nodes_that_all_have_another_traffic_inside(monkeypatch):
    monkeypatch.setattr(_torchrun, "_MOST_PAIRS", 1)
    found = decided(nodes_of("s0", "s1"), traffic="pattern:random:4")
    assert found["inside"] == [[]]
    assert found["kinds"] == [0, 0]
    assert found["why"].endswith("; GPUs keep their order, as nodes differ too much in their traffic")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nodes.json", json.dumps({"items": [{"metadata": {"name": f"h{i}", "labels": {"rack": "r"}}} for i in range(2)]})),
        ("labels", 'rack="r"\nkubernetes.io/arch="amd64"\ntopology.kubernetes.io/zone=""\n'),
        ("hosts.json", '{"h0": [], "h1": []}'),
    ],
)
def test_a_file_that_names_no_switch_is_no_source(tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text)
    facts = [{**node, **dict(zip(("source", "path"), _hosts.path_of({"PATH": ""}, node["names"], str(file))))} for node in nodes_of("a", "b")]
    assert [(each["source"], each["path"]) for each in facts] == [("", ())] * 2
    with pytest.raises(topowise.BadInput, match="h0 does not know which switches"):
        decided(facts)


def test_a_topology_that_the_deciding_node_reads(tmp_path):
    (tmp_path / "topology.conf").write_text("SwitchName=s0 Nodes=h0,h2\nSwitchName=s1 Nodes=h1,h3\nSwitchName=top Switches=s[0-1]\n")
    config = {**LLM, "topology": str(tmp_path / "topology.conf")}
    facts = [{**_torchrun.Job(config, {}, []).facts(), "host": f"h{i}", "names": ["x", f"h{i}.a.org"], "processes": 2} for i in range(4)]
    assert {each["source"] for each in facts} == {"topology"}
    found = decided(facts, topology=config["topology"])
    assert found["order"] == [0, 2, 1, 3]
    assert found["why"].startswith("4 nodes ordered by the topology: ")
    facts[3]["names"] = ["h9"]
    with pytest.raises(topowise.BadInput, match="no host 'h9'"):
        decided(facts, topology=config["topology"])


def test_the_profile_of_an_earlier_run(tmp_path, monkeypatch):
    script = tmp_path / "train.py"
    script.write_text("")
    monkeypatch.setenv("TOPOWISE_PROFILES", str(tmp_path))
    from topowise import _topowise as native

    stored = native.stored_profile(["python3", str(script)], 4)
    assert stored.startswith(f"{tmp_path}/train.py-")
    topowise.traffic([[0, 0, 9, 0], [0, 0, 0, 9], [9, 0, 0, 0], [0, 9, 0, 0]]).save(stored)
    job = _torchrun.Job({}, {}, [])
    job._command = ["python3", str(script)]
    assert job.decide(nodes_of("s0", "s1"))["order"] == [0, 1]
    assert native.stored_profile(["python3", str(script)], 8) != stored


def test_gpus_of_a_node_in_the_order_of_its_workers():
    inside = [(0, 1, 9e6), (1, 0, 9e6), (2, 3, 9e6), (3, 2, 9e6), (0, 2, 1e6), (1, 3, 1e6)]
    machine = topowise.topology("preset:dgx1-v100")
    variables = _torchrun.gpus_in_order(inside, 4, machine)
    gpus = [int(word) for word in variables["CUDA_VISIBLE_DEVICES"].split(",")]
    assert sorted(gpus) == list(range(8))
    assert variables["HIP_VISIBLE_DEVICES"] == variables["CUDA_VISIBLE_DEVICES"]
    ranks = [[a, b, amount] for a, b, amount in inside]
    best = topowise.evaluate([[sum(v for a, b, v in ranks if (a, b) == (i, j)) for j in range(4)] for i in range(4)], machine, gpus[:4])
    plain = topowise.evaluate([[sum(v for a, b, v in ranks if (a, b) == (i, j)) for j in range(4)] for i in range(4)], machine)
    assert best.predicted_time < plain.predicted_time
    own = _torchrun.gpus_in_order(inside, 4, machine, first=True).get("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7").split(",")
    assert sorted(own[:4]) == ["0", "1", "2", "3"]  # nobody has said that the others are the job's
    assert _torchrun.gpus_in_order(inside, 4, topowise.topology("tree:8")) == {}
    assert _torchrun.gpus_in_order(inside, 9, machine) == {}
    assert _torchrun.gpus_in_order([(0, 1, 1.0)], 2, topowise.topology("preset:hgx-h100")) == {}
    assert _torchrun.gpus_in_order([(0, 1, 1.0)], 2, topowise.topology("preset:hgx-h100"), always=True)["CUDA_VISIBLE_DEVICES"] == "0,1,2,3,4,5,6,7"


# ---- the handler, on a stand-in for what it takes from PyTorch


class Info:
    def __init__(self, store, rank, world_size, bootstrap_store_info):
        self.store, self.rank, self.world_size, self.bootstrap_store_info = store, rank, world_size, bootstrap_store_info


class Address:
    def __init__(self, master_addr, master_port):
        self.master_addr, self.master_port = master_addr, master_port


class Server:
    made = 0

    def __init__(self, host, port, **words):
        assert words["is_master"]
        Server.made += 1
        self.port = 4000 + Server.made


class Params:
    def __init__(self, backend, endpoint, run_id, min_nodes, max_nodes, local_addr=None, **config):
        self.backend, self.endpoint, self.run_id, self.local_addr, self.config = backend, endpoint, run_id, local_addr, config
        self.min_nodes, self.max_nodes = min_nodes, max_nodes

    def get(self, key, default=None):
        return self.config.get(key, default)


class Inner:
    """PyTorch's own handler: rounds of nodes 0 .. n-1 in one store each."""

    rounds: list = []
    use_agent_store = True

    def __init__(self, node, as_tuple):
        self.node, self.as_tuple, self.round = node, as_tuple, 0

    def next_rendezvous(self):
        store, nodes = Inner.rounds[self.round]
        self.round += 1
        return (store, self.node, nodes) if self.as_tuple else Info(store, self.node, nodes, Address("inner", 1))

    def get_run_id(self):
        return "run"

    def shutdown(self):
        return True


@pytest.fixture
def pytorch(monkeypatch):
    """The modules of PyTorch that the handler imports, as versions from 2.4 on have them."""
    names = ["torch", "torch.distributed", "torch.distributed.elastic", "torch.distributed.elastic.rendezvous",
             "torch.distributed.elastic.rendezvous.c10d_rendezvous_backend", "torch.distributed.elastic.rendezvous.dynamic_rendezvous"]  # fmt: skip
    modules = {name: types.ModuleType(name) for name in names}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    modules["torch.distributed"].TCPStore = Server
    rendezvous = modules["torch.distributed.elastic.rendezvous"]
    rendezvous.RendezvousHandler, rendezvous.RendezvousParameters, rendezvous.RendezvousInfo, rendezvous.RendezvousStoreInfo = object, Params, Info, Address
    monkeypatch.delitem(sys.modules, "topowise_torchrun._handler", raising=False)
    Server.made = 0
    created = []

    def back_end(params):
        created.append(params)
        return "backend", "store"

    modules["torch.distributed.elastic.rendezvous.c10d_rendezvous_backend"].create_backend = back_end
    modules["torch.distributed.elastic.rendezvous.dynamic_rendezvous"].create_handler = lambda *_: Inner(*pytorch_node)
    pytorch_node = [0, False]

    def make(node, as_tuple=False, **config):
        pytorch_node[:] = [node, as_tuple]
        monkeypatch.setattr(sys, "argv", ["launcher"])
        made = topowise_torchrun.handler()(Params("topowise", "h0:1", "run", 4, 4, f"10.0.0.{node}", **{"nproc": "2", **LLM, **config}))
        assert created[-1].backend == "c10d"
        assert made.get_backend() == "topowise"
        return made

    yield make
    sys.modules.pop("topowise_torchrun._handler", None)


def joined(handlers, monkeypatch, switches):
    for handler, switch in zip(handlers, switches):
        handler._library.job._environment = {"SLURM_TOPOLOGY_ADDR": f"{switch}.n", "SLURM_TOPOLOGY_ADDR_PATTERN": "switch.node",
                                             "SLURMD_NODENAME": f"n{handler._params.local_addr[-1]}", "PATH": ""} if switch else {"PATH": ""}  # fmt: skip
    return all_nodes(len(handlers), lambda node: handlers[node].next_rendezvous())


def test_every_agent_gets_its_node_rank_and_one_address(pytorch, monkeypatch, capfd):
    Inner.rounds = [(MemoryStore(), 4), (MemoryStore(), 4)]
    handlers = [pytorch(node) for node in range(4)]
    for port in (4001, 4002):  # in the store of the first round are the addresses of processes that have ended
        found = joined(handlers, monkeypatch, ["s0", "s1", "s0", "s1"])
        assert [info.rank for info in found] == [0, 2, 1, 3]
        assert {(info.bootstrap_store_info.master_addr, info.bootstrap_store_info.master_port) for info in found} == {("10.0.0.0", port)}
    assert [line[:27] for line in capfd.readouterr().err.splitlines()] == ["topowise: 4 nodes ordered b"] * 2


def test_versions_that_return_three_values(pytorch, monkeypatch):
    Inner.rounds = [(MemoryStore(), 4)]
    handlers = [pytorch(node, as_tuple=True) for node in range(4)]
    found = joined(handlers, monkeypatch, ["s0", "s1", "s0", "s1"])
    assert [(info[1], info[2]) for info in found] == [(0, 4), (2, 4), (1, 4), (3, 4)]


def test_what_pytorch_decided_stays_where_nothing_is_known(pytorch, monkeypatch, capfd):
    Inner.rounds = [(MemoryStore(), 4)]
    handlers = [pytorch(node) for node in range(4)]
    found = joined(handlers, monkeypatch, ["s0", "s1", "", "s1"])
    assert [info.rank for info in found] == [0, 1, 2, 3]
    assert {info.bootstrap_store_info.master_addr for info in found} == {"inner"}
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "does not know which switches" in lines[0]


def test_a_library_that_cannot_be_used_is_a_reason(pytorch, monkeypatch, capfd):
    Inner.rounds = [(MemoryStore(), 2)]
    monkeypatch.setattr(_torchrun, "Job", lambda *_: 1 / 0)
    handlers = [pytorch(node) for node in range(2)]
    found = all_nodes(2, lambda node: handlers[node].next_rendezvous())
    assert [info.rank for info in found] == [0, 1]
    assert "division by zero; the nodes keep PyTorch's order" in capfd.readouterr().err


@pytest.mark.parametrize("wrong", [{"topology_timeout": "soon"}, {"keep": "all"}, {"nproc": "two"}, {"nproc": "0"}])
def test_a_setting_that_is_no_number_is_a_reason(pytorch, monkeypatch, capfd, wrong):
    Inner.rounds = [(MemoryStore(), 2)]
    handlers = [pytorch(node, **wrong) for node in range(2)]
    found = all_nodes(2, lambda node: handlers[node].next_rendezvous())
    assert [info.rank for info in found] == [0, 1]
    assert list(wrong.values())[0] in capfd.readouterr().err


@pytest.mark.parametrize("wrong", ["nan", "inf", "-inf", "0", "-1", "1e999", None])
def test_a_wait_that_would_not_end_or_begin_is_a_reason(pytorch, monkeypatch, capfd, wrong):
    Inner.rounds = [(MemoryStore(), 2)]
    handlers = [pytorch(node, topology_timeout=wrong) for node in range(2)]
    assert [handler._wait for handler in handlers] == [30.0] * 2
    assert [info.rank for info in all_nodes(2, lambda node: handlers[node].next_rendezvous())] == [0, 1]
    assert "topology_timeout: " in capfd.readouterr().err
    assert pytorch(0, topology_timeout="0.5")._wait == 0.5


def test_waiting_ends():
    assert not _agreement._reaches(MemoryStore(), "counter", 1, 0)
