"""Inputs of careless users, and the results or errors that they get."""

import ast
import copy
import gzip
import inspect
import json
import os
import pathlib
import pickle

import networkx
import numpy as np
import pytest
import scipy.sparse
import topowise
from topowise import _topowise

TREE = "tree:2:4"
ONES = np.ones((8, 8))


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", ">f8", "f2"])
def test_every_real_dtype_and_layout_is_taken(dtype):
    matrix = (np.arange(64).reshape(8, 8) % 2).astype(dtype)
    wanted = topowise.traffic(matrix.astype(float)).to_json()
    assert topowise.traffic(matrix).to_json() == wanted
    assert topowise.traffic(np.asfortranarray(matrix)).to_json() == wanted
    assert topowise.traffic(np.repeat(matrix, 2, axis=1)[:, ::2]).to_json() == wanted


def test_the_input_is_not_changed():
    matrix = ONES.copy()
    matrix.flags.writeable = False
    topowise.map(matrix, TREE)
    rows = scipy.sparse.csr_matrix(([1.0, 2.0, 3.0], [1, 0, 1], [0, 3, 3]), shape=(2, 2))
    assert topowise.traffic(rows).pairs()[2].tolist() == [2.0, 4.0]  # the bytes of the pair that is listed twice are added up
    assert rows.nnz == 3


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.ones((3, 4)), "3 rows and 4 columns are no square matrix"),
        (-ONES, "is '-1' bytes"),
        (ONES * np.nan, "is 'nan' bytes"),
        (ONES * np.inf, "is 'inf' bytes"),
        (np.ones(8), "1 dimensions"),
        (5, "0 dimensions"),
        (np.full((2, 2), np.longdouble("1e4000")), "is 'inf' bytes"),
        (np.zeros((0, 0)), "traffic has no ranks"),
        ([[1, 2], [3]], "of different length"),
        (np.ones((9, 9)), "offers 8 places"),
        (scipy.sparse.csr_array(np.ones((2, 3))), "2 rows and 3 columns are no square matrix"),
        (scipy.sparse.csr_array(-np.ones((2, 2))), "is '-1' bytes"),
    ],
)
def test_wrong_numbers_are_bad_input(matrix, words):
    with pytest.raises(topowise.BadInput, match=words):
        topowise.map(matrix, TREE)


@pytest.mark.parametrize("matrix", [ONES.astype(complex), ONES.astype(str), ONES.astype(object), None])
def test_what_is_no_number_is_a_type_error(matrix):
    with pytest.raises(TypeError, match="numbers are needed"):
        topowise.map(matrix, TREE)


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": -1}, {"time_limit": 0}, {"time_limit": float("nan")}, {"time_limit": "soon"}, {"bound_time": -1}, {"bound_time": float("nan")}, {"ranks_per_place": 0},
        {"allowed": []}, {"allowed": [-1]}, {"allowed": [0.5]}, {"allowed": [99] * 8}, {"fixed": {0: 99}}, {"fixed": {-1: 0}},
        {"loads": [2**40] * 8, "imbalance": 0.1}, {"hop_share": 2}, {"threads": -1}, {"mapper": "tabo"},
    ],
)  # fmt: skip
def test_wrong_options_are_errors_of_topowise(wrong):
    with pytest.raises(topowise.Error):
        topowise.map(ONES, TREE, **wrong)


@pytest.mark.parametrize("wrong", [{"seed": 1.5}, {"ranks_per_place": "2"}])
def test_options_of_another_type_are_type_errors(wrong):
    with pytest.raises(TypeError, match="is a whole number, not"):
        topowise.map(ONES, TREE, **wrong)
    with pytest.raises(TypeError, match="a topology is a Topology or text"):
        topowise.map(ONES, None)


@pytest.mark.parametrize("wrong", ["ab", [(1,)], [(1, 2, 3)]])
def test_what_is_fixed_is_pairs(wrong):
    with pytest.raises(TypeError, match="pairs of a rank and a place are needed"):
        topowise.map(ONES, TREE, fixed=wrong)
    with pytest.raises(TypeError, match="fixed is {rank: place} or pairs of them, not int"):
        topowise.map(ONES, TREE, fixed=3)
    assert topowise.map(ONES, TREE, fixed=np.array([[0, 7]]))[0] == 7


def test_the_list_of_mappers_is_no_mapper():
    with pytest.raises(topowise.UsageError, match="unknown mapper 'list'") as raised:
        topowise.map(ONES, TREE, mapper="list")
    assert "'list'" not in raised.value.hint


def test_whole_numbers_beyond_64_bits_are_too_large():
    for wrong in ({"allowed": [2**70]}, {"traffic": [[0, 2**70], [0, 0]]}):
        with pytest.raises(topowise.BadInput, match=": a number is too large"):
            topowise.map(**({"traffic": ONES, "topology": TREE} | wrong))


def test_a_path_that_is_not_utf8_is_told(tmp_path):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    with pytest.raises(topowise.BadInput, match=r"cannot read '.*\?\.csv'"):
        topowise.topology(odd)
    pathlib.Path(odd).write_text("0 1\n1 0\n")
    assert topowise.traffic(odd).ranks == 2
    pathlib.Path(odd).write_text("0 1\n1 x\n")
    with pytest.raises(topowise.BadInput, match=r"\.csv:2:3"):
        topowise.traffic(odd)


@pytest.mark.parametrize("place", [1.5, "a", None, [1]])
def test_places_of_another_type_are_plain_type_errors(place):
    machine = topowise.topology(TREE)
    for ask in (machine.distance, machine.level, machine.bandwidth, machine.latency):
        with pytest.raises(TypeError, match=f"^a place is a whole number, not {type(place).__name__}$"):
            ask(0, place)
    with pytest.raises(TypeError, match="^metric is text, not int$"):
        machine.pair_costs(3)
    with pytest.raises(topowise.BadInput, match=f"place {2**70} is none of"):
        machine.distance(2**70, 0)
    assert machine.distance(np.uint8(1), True) == 0


@pytest.mark.parametrize("name", ["format", "collectives", "memory"])
@pytest.mark.parametrize("source", ["pattern:ring:4", np.ones((2, 2)), networkx.path_graph(2), scipy.sparse.eye(2)])
def test_words_are_checked_where_nothing_is_read_too(name, source):
    with pytest.raises(topowise.UsageError, match="unknown .* 'x'"):
        topowise.traffic(source, **{name: "x"})
    with pytest.raises(topowise.UsageError, match="unknown topology format 'x'"):
        topowise.topology(TREE, format="x")


def test_errors_are_value_errors_too():
    with pytest.raises(ValueError, match="unknown preset 'hgx', did you mean"):
        topowise.topology("preset:hgx")


def test_graphs():
    path = networkx.path_graph(3)
    assert [column.tolist() for column in topowise.traffic(path).pairs()[:3]] == [[0, 1, 1, 2], [1, 0, 2, 1], [1, 1, 1, 1]]
    shuffled = networkx.DiGraph()
    shuffled.add_nodes_from([2, 0, 1])
    shuffled.add_edge(0, 2, bytes=5)
    sources, destinations, sizes, _ = topowise.traffic(shuffled, weight="bytes").pairs()
    assert (sources.tolist(), destinations.tolist(), sizes.tolist()) == ([0], [2], [5])
    named = networkx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "c")])
    assert topowise.traffic(named).pairs()[2].tolist() == [2, 1]
    with pytest.raises(TypeError, match="edge attribute 'weight'"):
        topowise.traffic(networkx.Graph([("a", "b", {"weight": "x"})]))
    with pytest.raises(TypeError, match="'weight' is a list; one number an edge is needed"):
        topowise.traffic(networkx.Graph([("a", "b", {"weight": [1]})]))


TRACES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "pytorch" / "tp-pp"


def test_traces_of_a_pytorch_job():
    job = topowise.traffic(TRACES)
    assert job.ranks == 8
    assert job.total_bytes == 8 * (64 * 4096 + 2 * 49152 + 8 * 4096)  # tensor, data and pipeline parallel
    assert topowise.traffic(f"{TRACES}/rank*.json.gz").to_json() == job.to_json()
    assert topowise.traffic(TRACES, collectives="nccl").to_json() == job.to_json()
    with pytest.warns(topowise.TopowiseWarning, match="ranks 0, 1, 2, 4, 5, 6, 7 of 8 left no trace"):
        topowise.traffic(TRACES / "rank3.json.gz")


def test_options_count():
    assert topowise.map(ONES, TREE, fixed={0: 7})[0] == 7
    assert set(topowise.map(ONES, TREE, allowed=[2, 3], ranks_per_place=4).places) == {2, 3}
    assert topowise.map(ONES, TREE, mapper="random", seed=7).seed == 7
    heavy = topowise.map("pattern:ring:8", "tree:2", imbalance=0.0, loads=[7, 1, 1, 1, 1, 1, 1, 1])
    assert (heavy.places == heavy[0]).sum() == 1


def test_a_mapping_is_an_array(tmp_path):
    found = topowise.map("pattern:ring:8", "preset:l40s-8")
    assert np.asarray(found) is found.places
    assert np.asarray(found, dtype=np.int32).dtype == np.int32
    assert len(found) == 8
    with pytest.raises(ValueError, match="read-only"):
        found.places[0] = 1
    found.save(tmp_path / "saved.json")
    wanted = topowise.evaluate("pattern:ring:8", "preset:l40s-8", found).hop_bytes
    for form in (tmp_path / "saved.json", list(found), found.places):
        assert topowise.evaluate("pattern:ring:8", "preset:l40s-8", form).hop_bytes == wanted == found.hop_bytes["cost"]
    assert "<svg" in found._repr_html_()
    assert "rank 7" in found._repr_html_()
    assert "before: rank i on place i" in found._repr_html_()  # the legend of the colours
    assert "prefers-color-scheme" not in found._repr_html_()  # the notebook's theme may differ from the desktop's


@pytest.mark.parametrize("mapping", [[0, 1], [0] * 7 + [99], [0] * 7 + [-1], "no-file", [0.5] * 8, [[0] * 8]])
def test_wrong_mappings(mapping):
    with pytest.raises(topowise.BadInput):
        topowise.evaluate(ONES, TREE, mapping)


def test_topologies():
    machine = topowise.topology("preset:l40s-8")
    assert len(machine) == machine.capacity == len(machine.place_names) == 8
    assert machine.pair_costs().shape == (8, 8)
    assert machine.pair_costs()[0, 7] == machine.distance(0, 7) == machine.level(0, 7) + 1
    assert machine.bandwidth(0, 1) > 1e9
    assert "<svg" in machine._repr_html_()
    assert "<svg" not in topowise.topology("torus:8x8x8")._repr_html_()
    again = topowise.topology_from_text(machine.to_json())
    assert again.to_json() == machine.to_json()
    with pytest.raises(topowise.BadInput, match="whose places are 0 to 7"):
        machine.distance(0, 8)


@pytest.mark.parametrize("messages", [[(0, 2)], [(0, 0, 5)], [(0, -1, 5)], [(0, 1, -5)], [(0, 99, 5)], [(0.5, 1, 5)]])
def test_wrong_messages(messages):
    with pytest.raises(topowise.BadInput):
        topowise.predict(messages, "preset:l40s-8")


def test_traffic_that_is_text():
    assert topowise.traffic_from_text("0 5\n7 0\n").matrix().tolist() == [[0, 5], [7, 0]]
    with pytest.raises(topowise.BadInput, match="pasted:2:3: "):
        topowise.traffic_from_text("0 5\n7 x\n", where="pasted")


def test_values_are_pickled_and_copied(tmp_path):
    machine = topowise.topology("cluster:tree:2,preset:l40s-8,nic=25GB/s")
    messages = topowise.exchange([(0, 1, 5), (1, 0, 7, 1e-3)])
    for value in (topowise.traffic("pattern:stencil2d:4x4"), machine, messages):
        for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
            assert again.to_json() == value.to_json()


def test_mappings_are_pickled_and_copied(tmp_path):
    first = topowise.map("pattern:stencil2d:4x2", "preset:hgx-h100", fixed={0: 3})
    for again in (pickle.loads(pickle.dumps(first)), copy.deepcopy(first)):
        assert again.to_json() == first.to_json()
        assert again.topology.to_json() == first.topology.to_json()
        assert not again.places.flags.writeable
        assert repr(again) == repr(first) and again._repr_html_() == first._repr_html_()
        again.save(tmp_path / "again.mapping")
        first.save(tmp_path / "first.mapping")
        assert (tmp_path / "again.mapping").read_bytes() == (tmp_path / "first.mapping").read_bytes()


def test_masked_entries_are_no_numbers():
    matrix = np.ma.masked_array(np.ones((4, 4)), mask=np.eye(4))
    with pytest.raises(topowise.BadInput, match=r"the traffic has masked entries; \.filled\(0\) makes them nothing"):
        topowise.traffic(matrix)
    assert topowise.traffic(matrix.filled(0)).matrix().sum() == 12
    assert topowise.traffic(np.ma.masked_array(np.ones((4, 4)))).matrix().sum() == 16


def test_matrices_and_links():
    matrix = np.arange(9.0).reshape(3, 3)
    assert (topowise.traffic(matrix).matrix() == matrix).all()
    sparse = scipy.sparse.csr_array((20000, 20000))
    with pytest.raises(topowise.BadInput, match="20000 ranks would be too large\nhint: it is made of at most 16384 ranks"):
        topowise.traffic(sparse).matrix()
    machine = topowise.topology("preset:l40s-8")
    numbers = topowise.evaluate("pattern:ring:8", machine)
    links = machine.links()
    assert len(links) == len(numbers.link_load)
    first, second, kind, bandwidth, latency = links[int(np.argmax([load / link[3] for load, link in zip(numbers.link_load, links)]))]
    assert (first, second) == numbers.fullest_link
    assert kind in ("pcie", "host", "inter-socket")
    assert bandwidth > 1e9
    assert latency >= 0


def test_every_public_name_is_documented_and_typed():
    for name in topowise.__all__:
        if not name.startswith("__"):
            assert inspect.getdoc(getattr(topowise, name)) or name.endswith("_names"), name
    stub = ast.parse(pathlib.Path(_topowise.__file__).with_name("_topowise.pyi").read_text())
    stated = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert set(stated) == {name for name in dir(_topowise) if not name.startswith("_")}
    for name in ("Traffic", "Topology", "Exchange", "MappingResult"):
        body = stated[name].body
        members = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        members |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
        real = {member for member in vars(getattr(_topowise, name)) if not member.startswith("__")}
        assert real == {member for member in members if not member.startswith("__")}, name


@pytest.mark.parametrize(
    "wrong",
    [
        {"hop_share": 2},
        {"seed": -1},
        {"ranks_per_place": 0},
        {"time_limit": 0},
        {"time_limit": "abc"},
        {"imbalance": float("inf")},
        {"imbalance": "much"},
    ],
)
def test_what_is_out_of_range_is_a_usage_error(wrong):
    with pytest.raises(topowise.UsageError):
        topowise.map(ONES, TREE, **wrong)


@pytest.mark.parametrize("name", ["format", "collectives", "memory"])
def test_unknown_names_are_refused_where_nothing_has_them_too(name):
    with pytest.raises(topowise.UsageError, match="nope"):
        topowise.traffic("pattern:ring:4", **{name: "nope"})


@pytest.mark.parametrize("name", ["mapper", "objective", "metric"])
def test_a_choice_is_text(name):
    with pytest.raises(TypeError, match="is text, not int"):
        topowise.map(ONES, TREE, **{name: 3})


def test_the_objective_is_the_time_where_rates_are_known():
    found = topowise.map("pattern:torus2d:4x2", "preset:l40s-8")
    assert (found.objective, found.objective_reason) == ("predicted-time", "")
    assert found.cost == topowise.evaluate("pattern:torus2d:4x2", "preset:l40s-8", found).predicted_time
    assert found.hop_bytes["lower_bound"] <= found.hop_bytes["cost"]
    assert "by the congestion model" in repr(found)
    nearest = topowise.map("pattern:torus2d:4x2", "preset:l40s-8", objective="hop-bytes")
    assert nearest.hop_bytes is None
    assert found.cost < topowise.evaluate("pattern:torus2d:4x2", "preset:l40s-8", nearest).predicted_time
    assert topowise.map("pattern:torus2d:4x2", "preset:l40s-8", objective="auto").places.tolist() == found.places.tolist()
    for chosen in ({"metric": "distance"}, {"mapper": "greedy"}):
        by_user = topowise.map("pattern:torus2d:4x2", "preset:l40s-8", **chosen)
        assert (by_user.objective, by_user.objective_reason) == ("hop-bytes", "")
    assert topowise.map("pattern:ring:8", "tree:2:4").objective_reason == "20 of 20 links have no rate"


def test_fixed_ranks_may_be_pairs():
    assert topowise.map(ONES, TREE, fixed=[(0, 1)]).places[0] == 1
    with pytest.raises(topowise.BadInput, match="fixed twice"):
        topowise.map(ONES, TREE, fixed=[(0, 1), (0, 2)])


def test_exchanges_are_what_the_program_takes(tmp_path):
    assert len(topowise.exchange("pattern:scatter:8")) == 7
    assert len(topowise.exchange("pattern:gather:5:bytes=1KiB")) == 4
    pairs = json.loads(topowise.exchange("pattern:alltoall:8").to_json())["communications"]
    assert [row["destination"] for row in pairs if row["source"] == 2] == [3, 0, 1, 6, 7, 4, 5]  # as programs send
    path = tmp_path / "saved.json.gz"
    path.write_bytes(gzip.compress(topowise.exchange([(0, 1, 100), (1, 2, 50)]).to_json().encode()))
    assert len(topowise.exchange(path)) == 2
    with pytest.raises(topowise.BadInput, match="tolist"):
        topowise.exchange(np.ones((5, 4)))


def test_a_mapping_made_for_another_question_is_told(tmp_path):
    topowise.map("pattern:ring:8", "preset:hgx-h100").save(tmp_path / "saved")
    with pytest.warns(topowise.TopowiseWarning, match="made for other traffic"):
        topowise.evaluate("pattern:alltoall:8", "preset:hgx-h100", tmp_path / "saved")
    with pytest.warns(topowise.TopowiseWarning, match="made for another machine"):
        topowise.predict("pattern:ring:8", "preset:l40s-8", tmp_path / "saved")


def test_paths_need_not_be_utf8(tmp_path):
    path = os.fsencode(tmp_path) + b"/ring\xff.json"
    topowise.traffic("pattern:ring:4").save(os.fsdecode(path))
    assert topowise.traffic(os.fsdecode(path)).ranks == 4
    topowise.topology("tree:2").save(os.fsdecode(path))
    assert len(topowise.topology(os.fsdecode(path))) == 2


def test_places_are_numpys_int64_and_stay():
    found = topowise.map(ONES, TREE)
    assert isinstance(found.places[0], np.int64)
    with pytest.raises(AttributeError):
        found.places = [0] * 8


def test_schedule_ends_in_time():
    best = topowise.schedule("pattern:alltoall:32", "tree:4:8", steps=10**12, time_limit="50ms")
    assert best.makespan >= best.lower_bound > 0


def test_the_bound_has_a_time_of_its_own():
    without = topowise.map("pattern:random:40", "torus:4x4x4", mapper="greedy", bound_time=0)
    assert without.lower_bound == 0
    usual = topowise.map("pattern:random:40", "torus:4x4x4", mapper="greedy")
    assert 0 < usual.lower_bound <= usual.cost == without.cost
    longest = topowise.map("pattern:random:40", "torus:4x4x4", time_limit=5, bound_time="10s")  # half of the time is left for the search
    assert longest.cost < longest.identity_cost


@pytest.mark.parametrize(
    "call",
    [
        lambda path: topowise.traffic(path),
        lambda path: topowise.topology(path),
        lambda path: topowise.exchange(path),
        lambda path: topowise.evaluate(ONES, TREE, path),
        lambda path: topowise.traffic(ONES).save(path),
        lambda path: topowise.topology(TREE).save(path),
        lambda path: topowise.exchange(ONES).save(path),
        lambda path: topowise.map(ONES, TREE).save(path),
    ],
)
def test_a_path_that_is_none_is_told(call):
    with pytest.raises(ValueError, match="null (byte|character)"):
        call("a\0b")
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        call("a\ud800b")
    with pytest.raises((TypeError, topowise.BadInput)) as raised:
        call(3)
    assert "incompatible" not in str(raised.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: topowise.map(ONES, TREE).launcher_text(None), "launcher is text, not NoneType"),
        (lambda: topowise.evaluate(ONES, TREE, metric=3), "metric is text, not int"),
        (lambda: topowise.predict(ONES, TREE, model=3), "model is text, not int"),
        (lambda: topowise.schedule(ONES, TREE, model=None), "model is text, not NoneType"),
        (lambda: topowise.predict(ONES, TREE, link_bandwidth="1GB/s"), "link_bandwidth is a number, not str"),
        (lambda: topowise.predict(ONES, TREE, tau="x"), "tau is a number, not str"),
        (lambda: topowise.map(ONES, TREE, hop_share=None), "hop_share is a number, not NoneType"),
        (lambda: topowise.map(ONES, TREE, time_limit=None), "time_limit is a number, not NoneType"),
        (lambda: topowise.map(ONES, TREE, seed=None), "the seed is a whole number, not NoneType"),
        (lambda: topowise.map(ONES, TREE, fixed={"0": 1}), "a fixed rank is a whole number, not str"),
        (lambda: topowise.traffic("pattern:ring:4", format=None), "format is text, not NoneType"),
        (lambda: topowise.topology(TREE, format=3), "format is text, not int"),
        (lambda: topowise.traffic_from_text(b"1"), "the matrix is text, not bytes"),
        (lambda: topowise.topology_from_text("{}", where=None), "where is text, not NoneType"),
        (lambda: topowise.exchange(None), r"messages are .* or traffic, not NoneType"),
        (lambda: topowise.predict(5, TREE), r"messages are .* or traffic, not int"),
    ],
)
def test_a_value_of_the_wrong_type_is_told_by_its_name(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_numbers_beyond_what_is_counted_with_are_told():
    with pytest.raises(topowise.UsageError, match="the place of a fixed rank is 1208925819614629174706176, not"):
        topowise.map(ONES, TREE, fixed={0: 2**80})
    with pytest.raises(topowise.BadInput, match="a message is"):
        topowise.exchange((0, 1, 5))


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: topowise.map(np.ones((9, 9)), TREE), "ranks_per_place=2 lets 2 ranks share a place"),
        (lambda: topowise.map(ONES, TREE, fixed={0: 1, 1: 1}), "ranks_per_place=N or imbalance=E lets more ranks share a place"),
        (lambda: topowise.map(ONES, TREE, metric="x"), "metric='distance'|'latency'|'bandwidth'|'hops'"),
        (lambda: topowise.map(ONES, TREE, mapper="x"), "mapper='auto'|"),
        (lambda: topowise.traffic("pattern:ring:4", memory="x"), "memory='all'|'host'|'device'"),
        (lambda: topowise.topology_from_text("{}", format="x"), "format='json'|"),
        (lambda: topowise.map(ONES, TREE).launcher_text("x"), "launcher='"),
    ],
)
def test_hints_name_arguments_not_options(call, hint):
    with pytest.raises(topowise.Error) as raised:
        call()
    assert raised.value.hint.startswith(hint)
    assert f"hint: {hint}" in str(raised.value)
    assert "--" not in str(raised.value) + raised.value.diagnostics[0].where
