"""topowise.order(): ranks for workers that run already. Small cases are compared with all orders."""

import dataclasses
import itertools
import json
import random
import warnings

import numpy as np
import pytest
import topowise
from topowise import _functions, _refine
from topowise._order import HostNames, machine_of_paths

SLURM = "SwitchName=s0 Nodes=h[0-2]\nSwitchName=s1 Nodes=h[3-4]\nSwitchName=top Switches=s[0-1]\n"


def pairs(ranks, *edges):
    matrix = np.zeros((ranks, ranks))
    for a, b, amount in edges:
        matrix[a, b] = matrix[b, a] = amount
    return matrix


def distance(a, b):
    """In a tree of paths: 0 on one host, else one more for each level that the two do not share."""
    if a["host"] == b["host"]:
        return 0
    shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a["path"], b["path"])))
    return 1 + len(a["path"]) - shared


def cost_of(ranks, workers, matrix):
    at = {rank: worker for worker, rank in zip(workers, ranks)}
    return sum(matrix[i, j] * distance(at[i], at[j]) for i in range(len(matrix)) for j in range(len(matrix)))


def random_case(seed):
    draw = random.Random(seed)
    count = draw.randint(2, 7)
    workers = []
    for number in range(count):
        group = draw.randrange(3)
        host = f"h{number}" if draw.random() < 0.7 or not workers else None
        if host is None:
            workers.append(dict(draw.choice(workers)))
        else:
            workers.append({"host": host, "path": (f"g{group}", f"g{group}s{draw.randrange(2)}")})
    ranks = count - draw.randrange(2) if count > 2 else count
    matrix = np.array([[0 if i == j else draw.choice([0, 1, 5, 20]) for j in range(ranks)] for i in range(ranks)], dtype=float)
    return workers, matrix


@pytest.mark.parametrize("seed", range(40))
def test_no_order_is_better(seed):
    workers, matrix = random_case(seed)
    found = topowise.order(workers, matrix)
    assert sorted(rank for rank in found.ranks if rank >= 0) == list(range(len(matrix)))
    wanted = min(cost_of(ranks, workers, matrix) for ranks in itertools.permutations([*range(len(matrix)), *[-1] * (len(workers) - len(matrix))]))
    # The library counts levels that occur; a level without a pair of hosts shifts all, so costs are compared on its own scale as well.
    levels = sorted({distance(a, b) for a, b in itertools.combinations(workers, 2)} - {0})
    if levels == list(range(1, len(levels) + 1)):
        assert found.cost == wanted
    assert found.lower_bound <= found.cost
    assert cost_of(found.ranks, workers, matrix) <= wanted * (1 if levels == list(range(1, len(levels) + 1)) else 3)


def test_tensor_groups_come_below_one_switch():
    workers = [{"host": f"h{i}", "path": ("top", f"s{i % 2}")} for i in range(4)]
    found = topowise.order(workers, pairs(4, (0, 1, 100), (2, 3, 100), (0, 2, 1), (1, 3, 1)))
    assert found.ranks == (0, 2, 1, 3)
    assert (found.cost, found.given_cost, found.proven_optimal) == (408, 804, True)
    assert found.workers == (0, 2, 1, 3)
    assert found.gain == pytest.approx(1 - 408 / 804)


def test_workers_are_objects_as_well():
    @dataclasses.dataclass
    class Bundle:
        host: str
        gpu: int

    found = topowise.order([Bundle("b", 0), Bundle("a", 0), Bundle("b", 1), Bundle("a", 1)], pairs(4, (0, 1, 9), (2, 3, 9)))
    assert found.cost == 0
    assert found.ranks in [(0, 2, 1, 3), (2, 0, 3, 1)]


def test_the_given_order_stays_where_it_is_best():
    workers = [{"host": f"h{i}", "path": f"s{i // 2}"} for i in range(4)]
    assert topowise.order(workers, pairs(4, (0, 1, 9), (2, 3, 9))).ranks == (0, 1, 2, 3)


def test_who_has_a_rank_keeps_it_where_that_costs_nothing():
    workers = [{"host": f"h{i}", "path": f"s{i % 2}"} for i in range(4)]
    traffic = pairs(4, (0, 1, 9), (2, 3, 9))
    for had in itertools.permutations(range(4)):
        found = topowise.order(workers, traffic, previous=had)
        if cost_of(had, workers, traffic) == 36:
            assert (found.ranks, found.moved) == (had, 0)
        assert found.cost == 36


def test_a_new_worker_takes_the_rank_of_the_one_that_left():
    workers = [{"host": f"h{i}", "path": f"s{i % 2}"} for i in (0, 1, 3, 4)]
    found = topowise.order(workers, pairs(4, (0, 1, 9), (2, 3, 9)), previous=[0, 2, 3, None])
    assert (found.ranks, found.moved) == ((0, 2, 3, 1), 0)


def test_an_order_with_spare_workers_is_a_previous_one():
    workers = [{"host": f"h{i}", "path": f"s{i % 2}"} for i in range(8)]
    traffic = pairs(3, (0, 1, 9), (1, 2, 9))
    first = topowise.order(workers, traffic)
    assert first.ranks.count(-1) == 5
    for had in (first.ranks, np.array(first.ranks), [None if rank < 0 else rank for rank in first.ranks]):
        again = topowise.order(workers, traffic, previous=had)
        assert (again.ranks, again.moved, again.cost) == (first.ranks, 0, first.cost)
    gone = [worker for worker in range(8) if worker != first.workers[1]]  # a spare worker takes the rank of the one that left
    replaced = topowise.order([workers[worker] for worker in gone], traffic, previous=[first.ranks[worker] for worker in gone])
    assert (sorted(replaced.ranks), replaced.moved) == ([*[-1] * 4, 0, 1, 2], 0)


def test_ranks_stay_as_long_as_that_costs_little():
    workers = [{"host": f"h{i}", "path": f"s{i // 2}"} for i in range(4)]
    traffic = pairs(4, (0, 1, 10), (2, 3, 10), (0, 2, 9.9), (1, 3, 9.9))
    had = [0, 2, 1, 3]
    assert topowise.order(workers, traffic, previous=had).moved == 2
    assert topowise.order(workers, traffic, previous=had, keep=0.02).ranks == (0, 2, 1, 3)


def test_a_fabric_of_slurm(tmp_path):
    (tmp_path / "topology.conf").write_text(SLURM)
    workers = [{"host": host} for host in ("h0.a.org", "h3", "h1", "h4")]
    found = topowise.order(workers, pairs(4, (0, 1, 9), (2, 3, 9)), tmp_path / "topology.conf")
    assert found.ranks == (0, 2, 1, 3)
    two = [{"host": "h0"}, {"host": "h3"}, {"host": "h0"}, {"host": "h3"}]
    assert topowise.order(two, pairs(4, (0, 1, 9), (2, 3, 9)), tmp_path / "topology.conf").cost == 0


@pytest.mark.filterwarnings("ignore::topowise.TopowiseWarning")
def test_gpus_of_a_cluster(tmp_path):
    (tmp_path / "topology.conf").write_text(SLURM)
    machine = topowise.topology(f"cluster:{tmp_path}/topology.conf,preset:dgx1-v100")
    workers = [{"host": f"h{i}", "gpu": gpu} for gpu in (7, 0, 3, 4) for i in (0, 3)]
    found = topowise.order(workers, "pattern:llm:2x1x4", machine)
    assert found.cost < found.given_cost
    places = [found.workers[rank] for rank in range(8)]
    assert {workers[worker]["host"] for worker in places[:4]} in ({"h0"}, {"h3"})
    for name in ("{gpu}", "GPU{gpu}", "cuda:{gpu}"):
        named = [{"host": worker["host"].upper(), "gpu": name.format(**worker)} for worker in workers]
        assert topowise.order(named, "pattern:llm:2x1x4", machine) == found
    unnamed = [{**worker, "gpu": None if number % 2 else worker["gpu"]} for number, worker in enumerate(workers)]  # they get GPUs that nobody names
    assert topowise.order(unnamed, "pattern:llm:2x1x4", machine).cost > 0
    with pytest.warns(topowise.TopowiseWarning, match="2 workers name the GPU h0:GPU7: they count as sharing it"):
        topowise.order([{"host": "h0", "gpu": 7}, {"host": "h0", "gpu": "cuda:7"}], pairs(2, (0, 1, 1)), machine)


def test_a_gpu_by_its_uuid_or_bus_id():
    machine = json.loads(topowise.topology("preset:dgx1-v100").to_json())
    for place in machine["places"]:
        own = {"uuid": f"GPU-{place['id']:08x}-0000-4000-8000-0123456789ab", "pci": f"0000:a{place['id']}:00.0", "node": "n"}
        machine["vertices"][place["vertex"]].update(own)
        place.update(pci=own["pci"], node="n")
    machine = topowise.topology_from_text(json.dumps(machine))
    numbers = (3, 0, 7, 4)
    found = topowise.order([{"host": "n", "gpu": gpu} for gpu in numbers], "pattern:ring:4", machine)
    uuid = "{0:08x}-0000-4000-8000-0123456789ab"
    for name in (f"GPU-{uuid}", uuid, "0000:a{0}:00.0", "00000000:A{0}:00.0", "a{0}:00.0", "A{0}:00"):  # the fourth as nvidia-smi prints it
        assert topowise.order([{"host": "n", "gpu": name.format(gpu)} for gpu in numbers], "pattern:ring:4", machine) == found


def test_a_host_by_several_of_its_names():
    names = ["h0", "h1.a.org", "H0.a.org", "h1", "h2.a.org", "h2.b.org", "10.0.0.1", "10.0.0.2"]
    for topology, paths in ((None, True), ("SwitchName=s Nodes=h[0-1],h2.a.org,h2.b.org,10.0.0.1,10.0.0.2", False)):
        workers = [{"host": host, **({"path": "s"} if paths else {})} for host in names]
        machine = None if topology is None else topowise.topology_from_text(topology)
        assert topowise.order(workers, pairs(8, (0, 1, 9), (2, 3, 9)), machine).cost == 0
        assert topowise.order(workers, pairs(8, (4, 5, 9), (6, 7, 9), (0, 1, 9), (2, 3, 9)), machine).cost == 36  # four hosts with one worker each


def test_sizes_of_groups_by_their_names():
    workers = [{"host": f"h{i // 2}", "path": f"s{i // 2 % 2}"} for i in range(16)]
    assert topowise.traffic("llm:tp=2,pp=2,dp=4").to_json() == topowise.traffic("pattern:llm:2x4x2").to_json()
    assert topowise.order(workers, "llm:tp=2,pp=2") == topowise.order(workers, "pattern:llm:2x4x2")
    assert topowise.order(workers, "llm:dp=3,tp=2").ranks.count(-1) == 10
    with pytest.raises(topowise.BadInput, match="dp is missing"):
        topowise.traffic("llm:tp=2")


def test_bands_of_a_table():
    found = [position.tolist() for position in _refine.band_orders(6, 1000)]
    assert all(sorted(position) == list(range(6)) for position in found)
    assert found[0] == [0, 1, 2, 3, 4, 5]
    assert [0, 1, 4, 2, 3, 5] in found  # two rows of three in bands of two columns: 0 1 3 4 | 2 5
    assert len(list(_refine.band_orders(2048, 1000))) <= 1500


def test_many_nodes_below_unequal_switches():
    """Twelve switches with 12 to 17 nodes each, 160 nodes of the job: the bound that knows the size of each is near."""
    draw = random.Random(7)
    workers = [{"host": f"n{s}-{i}", "path": f"s{s}"} for s in range(12) for i in range(draw.randint(12, 17))]
    draw.shuffle(workers)
    for traffic in ("pattern:llm:8x20x1", "pattern:llm:4x40x1"):
        found = topowise.order(workers, traffic, time_limit=2.0)
        assert found.lower_bound <= found.cost <= 1.02 * found.lower_bound


def test_workers_of_one_host_are_ordered_as_one():
    workers = [{"host": f"n{i}", "path": f"s{i % 5 // 2}"} for i in range(20) for _ in range(8)]
    whole = topowise.order(workers, "pattern:llm:4x4x8", time_limit=1.0)
    hosts = [worker["host"] for worker in workers]
    for first in range(0, 128, 8):
        assert len({hosts[worker] for worker in whole.workers[first : first + 8]}) == 1


@pytest.mark.parametrize("shape", [(8,), (2, 4), (1, 2, 4), (2, 1, 4), (2, 2, 2), (1, 1, 1)])
def test_even_trees_are_what_their_switches_say(shape):
    draw = random.Random(3)
    workers = [{"host": f"n{'-'.join(map(str, index))}", "path": [f"s{index[: depth + 1]}" for depth in range(len(shape) - 1)]} for index in np.ndindex(*shape)]
    draw.shuffle(workers)
    traffic = topowise.traffic("pattern:random:8" if len(workers) == 8 else "pattern:ring:1")
    found = topowise.order(workers, traffic, time_limit=0.5)
    machine = machine_of_paths({worker["host"]: worker["path"] for worker in workers}, {worker["host"]: 1 for worker in workers})
    assert found.cost == topowise.evaluate(traffic, machine, list(found.workers)).hop_bytes
    assert found.proven_optimal


def test_all_searches_share_the_time_limit(monkeypatch):
    limits = []
    search = _functions.map
    monkeypatch.setattr(_functions, "map", lambda *given, **words: limits.append(words["time_limit"]) or search(*given, **words))
    workers = [{"host": f"n{i}", "path": f"s{i % 5 // 2}"} for i in range(18) for _ in range(8)]
    topowise.order(workers, "pattern:random:144", previous=[*range(140), *[None] * 4], time_limit=0.4)
    assert len(limits) == 3
    assert sum(limits) <= 0.4


def test_orders_along_the_tree():
    machine = topowise.topology("tree:2:3:2")
    distance = machine.pair_costs("distance")
    slots = np.array([11, 0, 1, 6, 7, 8, 9, 9])
    by_group, by_size, lowest, *segments = _refine.tree_orders(distance, slots)
    assert lowest.tolist() == [8, 9, 9, 0, 1, 6, 7, 11]  # pairs of places are the lowest groups
    assert segments[0].tolist() == [0, 1, 6, 7, 8, 9, 9, 11]
    assert segments[1].tolist() == [8, 9, 9, 0, 1, 6, 7, 11]
    assert all(sorted(order) == sorted(slots) for order in segments)
    assert by_group.tolist() == [0, 1, 6, 7, 8, 9, 9, 11]
    assert by_size.tolist() == [9, 9, 8, 6, 7, 11, 0, 1]
    assert list(_refine.name_orders(["n10", "n9", "n1"])) == [[2, 0, 1], [2, 1, 0]]


@pytest.mark.parametrize("seed", range(20))
def test_exchanges_end_where_no_pair_is_better(seed):
    draw = np.random.default_rng(seed)
    machine = topowise.topology("tree:2:2:2")
    distance = machine.pair_costs("distance")
    sent = draw.integers(0, 9, (6, 6)).astype(float)
    slots = draw.permutation(8)
    cost = lambda places: topowise.evaluate(sent, machine, places[:6]).hop_bytes  # noqa: E731
    found = _refine.descend(sent, distance, slots)
    assert sorted(found) == sorted(slots)
    assert cost(found) <= cost(slots)
    for a, b in itertools.combinations(range(8), 2):
        other = found.copy()
        other[[a, b]] = other[[b, a]]
        assert cost(other) >= cost(found) - 1e-6


def test_hosts_by_their_names():
    hosts = HostNames(["a.x.org", "b.x.org", "b.y.org", "c", "10.0.0.1", "10.0.0.2"])
    found = {name: hosts.find(name) for name in ("a.x.org", "a", "A.X.org", "A", "b", "b.y.org", "c.z.org", "10.0.0.2", "10", "10.0.0.3", "d")}
    assert found == {"a.x.org": "a.x.org", "a": "a.x.org", "A.X.org": "a.x.org", "A": "a.x.org", "b": None, "b.y.org": "b.y.org", "c.z.org": "c", "10.0.0.2": "10.0.0.2", "10": None,
                     "10.0.0.3": None, "d": None}  # fmt: skip


def test_the_answer_is_the_same_each_time():
    draw = random.Random(5)
    workers = [{"host": f"n{i}", "path": (f"p{draw.randrange(3)}", f"s{draw.randrange(7)}")} for i in range(40)]
    workers = [{**worker, "path": (worker["path"][0], worker["path"][0] + worker["path"][1])} for worker in workers]
    assert topowise.order(workers, "pattern:llm:5x8x1:layers=5") == topowise.order(workers, "pattern:llm:5x8x1:layers=5")


NESTED: list = []
for _ in range(100_000):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    ("workers", "words", "kind"),
    [
        ([{"gpu": 0}], "worker 0 has no host", TypeError),
        ([{"host": "a"}], "2 ranks, but there are 1 workers", topowise.BadInput),
        ([{"host": "a", "path": "s"}, {"host": "b"}], "name 1 and 0 switches", topowise.BadInput),
        ([{"host": "a", "path": "s"}, {"host": "a", "path": "t"}], "host 'a' name different switches", topowise.BadInput),
        ([{"host": "a"}, {"host": "b", "gpu": 0.5}], "not all numbers are whole", topowise.BadInput),
        ([{"host": "a"}, {"host": "b", "gpu": float("nan")}], "not all numbers are whole", topowise.BadInput),
        ([{"host": "a"}, {"host": "b", "gpu": 10**400}], "a number is too large", topowise.BadInput),
        ([{"host": "a"}, {"host": NESTED}], "of type list, not a name", TypeError),
        ([{"host": "a"}, {"host": "b", "gpu": NESTED}], "the GPU of worker 1", topowise.BadInput),
        ([{"host": "a", "path": ["s"] * 100_000}, {"host": "b", "path": ["t"] * 100_000}], "below 100000 switches", topowise.BadInput),
        ([{"host": "a", "path": [10**5000]}, {"host": "b", "path": "t"}], "not the name of a switch", TypeError),
        ([{"host": "a", "path": [NESTED]}, {"host": "b", "path": "t"}], "not the name of a switch", TypeError),
    ],
)
def test_wrong_workers_are_refused(workers, words, kind):
    with pytest.raises(kind, match=words):
        topowise.order(workers, "pattern:ring:2")


@pytest.mark.filterwarnings("ignore::topowise.TopowiseWarning")
def test_hosts_and_gpus_that_are_not_there(tmp_path):
    (tmp_path / "topology.conf").write_text(SLURM)
    with pytest.raises(topowise.BadInput, match="no host 'h7'"):
        topowise.order([{"host": "h0"}, {"host": "h7"}], "pattern:ring:2", tmp_path / "topology.conf")
    with pytest.raises(topowise.BadInput, match="host 'h1' has no GPU 8"):
        topowise.order([{"host": "h0", "gpu": 0}, {"host": "h1", "gpu": 8}], "pattern:ring:2", f"cluster:{tmp_path}/topology.conf,preset:dgx1-v100")
    with pytest.raises(topowise.BadInput, match="rank 1 twice"):
        topowise.order([{"host": "a"}, {"host": "b"}], "pattern:ring:2", previous=[1, 1])
    for rank, words in ((float("nan"), "not all numbers are whole"), (0.5, "not all numbers are whole"), (10**400, "a number is too large")):
        with pytest.raises(topowise.BadInput, match=words):
            topowise.order([{"host": "a"}, {"host": "b"}], "pattern:ring:2", previous=[0, rank])
    with pytest.raises(topowise.BadInput, match="previous has 1 ranks"):
        topowise.order([{"host": "a"}, {"host": "b"}], "pattern:ring:2", previous=[1])


def test_mistakes_are_named():
    two = [{"host": "a", "path": ["s"]}, {"host": "b", "path": ["s"]}]
    with pytest.raises(topowise.BadInput, match="there are no workers"):
        topowise.order([], pairs(2, (0, 1, 1)))
    with pytest.raises(TypeError, match="the host of worker 1 is of type int, not a name"):
        topowise.order([{"host": "a"}, {"host": 5}], pairs(2, (0, 1, 1)))
    for keep in (-1, float("nan"), float("inf")):
        with pytest.raises(topowise.UsageError, match="keep is"):
            topowise.order(two, pairs(2, (0, 1, 1)), keep=keep)
    with pytest.warns(topowise.TopowiseWarning, match="3 workers name GPU 0 of 'a': they count as sharing it"):
        topowise.order([{"host": "a", "gpu": 0}] * 3, pairs(3, (0, 1, 1)))
    with pytest.warns(topowise.TopowiseWarning, match="the key 'switch' of a worker means nothing here"):
        topowise.order([{"host": "a", "switch": "s"}, {"host": "b", "switch": "t"}], pairs(2, (0, 1, 1)))
    for key, meant in (("GPU", "gpu"), ("gpu_id", "gpu"), ("paths", "path")):
        with pytest.warns(topowise.TopowiseWarning, match=f"the key '{key}' of a worker means nothing here; '{meant}' may be meant"):
            topowise.order([{"host": f"P{i}", key: 0} for i in range(2)], pairs(2, (0, 1, 1)), "tree:2")
    with warnings.catch_warnings():  # a worker may carry what its framework needs
        warnings.simplefilter("error")
        topowise.order([{"host": f"P{i}", "gpu": 0, "gpus": 1, "actor": i} for i in range(2)], pairs(2, (0, 1, 1)), "tree:2")


@pytest.mark.filterwarnings("ignore::topowise.TopowiseWarning")
def test_any_key_may_be_in_a_worker():
    assert topowise.order([{"host": "a", 10**5000: 0}, {"host": "b", "x" * 1_000_000: 0, ((),): NESTED}], pairs(2, (0, 1, 1))).ranks == (0, 1)


def test_workers_may_come_one_by_one():
    assert topowise.order(({"host": name, "path": ["s"]} for name in "ab"), pairs(2, (0, 1, 1))).ranks == (0, 1)
