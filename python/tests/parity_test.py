"""Python and the command line give the same answers to the same questions."""

import itertools
import json
import os
import pathlib
import random
import re
import subprocess

import numpy as np
import pytest
import scipy.sparse
import topowise

PROGRAM = os.environ["TOPOWISE_PROGRAM"]
QUESTIONS = [
    ("pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B", "preset:helios-k80", {}),
    ("pattern:ring:8", "preset:hgx-h100", {"seed": 7, "mapper": "random"}),
    ("pattern:stencil2d:2x4:w=3:heavy=0:bytes=1MB", "preset:l40s-8", {"objective": "max-congestion"}),
    ("pattern:halo2d:2x4", "preset:l40s-8", {"objective": "predicted-time", "metric": "bandwidth", "mapper": "cyclic"}),
    ("pattern:alltoall:12", "tree:2:3", {"ranks_per_place": 2, "mapper": "greedy"}),
    ("pattern:stencil2d:4x4", "torus:4x4", {"seed": 3}),
]


def program(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)


def options(chosen):
    return [word for name, value in chosen.items() for word in ("--" + name.replace("_", "-"), str(value))]


@pytest.mark.parametrize(("pattern", "machine", "chosen"), QUESTIONS)
def test_map_gives_the_same_places_costs_and_bytes(pattern, machine, chosen):
    told = json.loads(program("map", pattern, machine, "--json", *options(chosen)).stdout)
    found = topowise.map(pattern, machine, **chosen)
    mine = json.loads(found.to_json())
    assert mine.pop("seconds") >= 0
    assert told.pop("seconds") >= 0
    assert mine == told
    assert found.places.tolist() == told["places"]
    launched = program("map", pattern, machine, "--emit", "mpich-hostfile", *options(chosen))
    if launched.returncode == 0:
        assert found.launcher_text("mpich-hostfile") == launched.stdout
    from_array = topowise.map(dense(topowise.traffic(pattern)), machine, **chosen)
    assert from_array.places.tolist() == found.places.tolist()
    assert from_array.cost == found.cost


MAPPERS = ("identity", "cyclic", "random", "greedy", "multilevel")
METRICS = ("distance", "bandwidth", "latency")
SHAPES = ("ring:{n}", "alltoall:{n}:bytes=3KiB", "random:{n}:seed={seed}:degree=3", "stencil2d:{half}x2:w=3", "torus2d:2x{half}", "halo2d:{half}x2", "transpose:{half}x2",
          "llm:2x1x{half}")  # fmt: skip


def questions():
    """Each preset with the next pattern, and each pattern with some machine; all other options are random."""
    lot = random.Random(20)
    machines = [f"preset:{name}" for name in topowise.preset_names()] + ["tree:2:2:4", "torus:4x4", "mesh:3x5", "dragonfly:2:3:2"]
    for machine, shape in zip(machines, itertools.cycle(SHAPES)):
        most = min(len(topowise.topology(machine)), 24)
        half = lot.randint(1, most // 2) if most > 2 else 1
        pattern = "pattern:" + shape.format(n=max(2, 2 * half - lot.randint(0, 1)), half=half, seed=lot.randint(1, 99))
        chosen = {"mapper": lot.choice(MAPPERS), "metric": lot.choice(METRICS), "seed": lot.randint(0, 2**63 - 1)}
        if most <= 8 and lot.randint(0, 1):
            chosen["mapper"] = "auto"
        yield pattern, machine, chosen


def without_seconds(text):
    return re.sub(r'"seconds": [^,\n]*', "", text)


def answer(call):
    """The result of the call, or the text of its error."""
    try:
        return call()
    except topowise.Error as error:
        return str(error)


@pytest.mark.filterwarnings("ignore::topowise.TopowiseWarning")
@pytest.mark.parametrize(("pattern", "machine", "chosen"), list(questions()))
def test_any_question_has_the_same_bytes_as_its_answer(pattern, machine, chosen, tmp_path):
    told = program("map", pattern, machine, "--json", *options(chosen))
    found = answer(lambda: topowise.map(pattern, machine, **chosen))
    if isinstance(found, str):
        assert _letters(found) in _letters(told.stderr)
        return
    assert without_seconds(told.stdout) == without_seconds(found.to_json())
    for launcher in topowise.launcher_names():
        emitted = program("map", pattern, machine, "--emit", launcher, *options(chosen))
        text = answer(lambda launcher=launcher: found.launcher_text(launcher))
        if emitted.returncode == 0:
            assert text == emitted.stdout, launcher
        else:  # the program refuses before it maps, and may name another place of the same kind
            assert re.sub(r"\d", "", _letters(text)) in re.sub(r"\d", "", _letters(emitted.stderr)), launcher
    found.save(tmp_path / "saved.mapping")
    judged = json.loads(program("evaluate", pattern, machine, "--mapping", str(tmp_path / "saved.mapping"), "--json").stdout)
    numbers = topowise.evaluate(pattern, machine, found)
    names = {"hop_bytes": "hop_bytes", "average_dilation": "average_dilation", "max_dilation": "max_dilation", "max_congestion": "max_congestion_s",
             "predicted_time": "predicted_time_s"}  # fmt: skip
    assert {name: getattr(numbers, name) for name in names} == {name: judged[key] for name, key in names.items()}


CLUSTER = "cluster:tree:2,preset:l40s-8,nic=25GB/s"
ODD = [
    ("silent.csv", "tree:2:4", [], {}),
    ("alone.csv", "tree:2:4", [], {}),
    ("alone.csv", "tree:1", [], {}),
    ("pattern:ring:9", "tree:2:4", [], {}),
    ("pattern:ring:9", "tree:2:4", ["--imbalance", "50%"], {"imbalance": "50%"}),
    ("pattern:stencil2d:2x4", "preset:l40s-8", ["--fix", "0=5,3=0"], {"fixed": {0: 5, 3: 0}}),
    ("pattern:stencil2d:2x4", "preset:l40s-8", ["--fix", "0=5,3=5"], {"fixed": {0: 5, 3: 5}}),
    ("pattern:ring:4", "preset:l40s-8", ["--allow", "6,2-4"], {"allowed": [6, 2, 3, 4]}),
    ("pattern:ring:4", "preset:l40s-8", ["--allow", "6,2"], {"allowed": [6, 2]}),
    ("pattern:ring:4", "tree:4", ["--loads", "1,1,1,2"], {"loads": [1, 1, 1, 2]}),
    ("pattern:ring:8", "tree:2", ["--imbalance", "0", "--loads", "7,1,1,1,1,1,1,1"], {"imbalance": 0, "loads": [7] + [1] * 7}),
    ("pattern:halo2d:2x4", "preset:l40s-8", ["--objective", "mix", "--hop-share", "0.3"], {"objective": "mix", "hop_share": 0.3}),
    ("pattern:llm:2x2x2", CLUSTER, ["--mapper", "multilevel", "--no-bound"], {"mapper": "multilevel", "bound_time": 0}),
    ("pattern:llm:2x2x2", CLUSTER, ["--metric", "hops", "--allow", "0-3,8-11"], {"metric": "hops", "allowed": [0, 1, 2, 3, 8, 9, 10, 11]}),
    ("pattern:ring:2", "großer Knoten.json", [], {}),
]  # fmt: skip
NAMED = """{"schema": "topowise.topology/1", "name": "Knoten „groß“", "places": [{"kind": "gpu", "name": "Grafik ①", "node": "höhe-1"},
  {"kind": "gpu", "name": "Grafik ②", "node": "höhe-1"}]}"""


@pytest.mark.filterwarnings("ignore::topowise.TopowiseWarning")
@pytest.mark.parametrize(("pattern", "machine", "words", "chosen"), ODD)
def test_odd_questions_have_the_same_bytes_too(pattern, machine, words, chosen, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("silent.csv", "0,0\n0,0\n"), ("alone.csv", "source,destination,bytes\n0,0,7\n"), ("großer Knoten.json", NAMED)):
        (tmp_path / name).write_text(text, encoding="utf-8")

    def told_by(*more):
        return program("map", pattern, machine, *words, *more)

    told = told_by("--json")
    found = answer(lambda: topowise.map(pattern, machine, **chosen))
    if isinstance(found, str):
        assert _letters(found.split("\n")[0]) in _letters(told.stderr)
        return
    assert without_seconds(found.to_json()) == without_seconds(told.stdout)
    told_by("--save", "told.mapping")
    found.save("found.mapping")
    assert without_seconds(pathlib.Path("found.mapping").read_text()) == without_seconds(pathlib.Path("told.mapping").read_text())
    for launcher in topowise.launcher_names():
        emitted = told_by("--emit", launcher)
        text = answer(lambda launcher=launcher: found.launcher_text(launcher))
        assert text == emitted.stdout if emitted.returncode == 0 else isinstance(text, str), launcher


def dense(traffic):
    sources, destinations, sizes, _ = traffic.pairs()
    matrix = np.zeros((traffic.ranks, traffic.ranks))
    matrix[sources, destinations] = sizes
    return matrix


@pytest.mark.parametrize("machine", ["preset:l40s-8", "preset:hgx-h100", "torus:2x4"])
@pytest.mark.parametrize("pattern", ["pattern:stencil2d:2x4", "pattern:ring:8"])
def test_evaluate_topology_and_traffic_are_those_of_the_program(pattern, machine):
    told = json.loads(program("evaluate", pattern, machine, "--mapping", "identity", "--json").stdout)
    numbers = topowise.evaluate(pattern, machine)
    assert numbers.hop_bytes == told["hop_bytes"]
    assert numbers.max_congestion == told["max_congestion_s"]
    assert numbers.predicted_time == told["predicted_time_s"]
    assert numbers.assumptions == told.get("assumptions", [])
    assert numbers.average_dilation == told["average_dilation"]
    assert topowise.topology(machine).to_json() == program("topology", machine, "--json").stdout
    assert topowise.traffic(pattern).to_json() == program("traffic", pattern, "--json").stdout


def test_predict_and_schedule_are_those_of_the_program(tmp_path):
    messages = [(0, 2, 300e6), (0, 4, 300e6), (1, 4, 300e6), (3, 2, 300e6)]
    path = tmp_path / "exchange.json"
    topowise.exchange(messages).save(path)
    machine = "preset:cs-storm-t2"
    told = json.loads(program("predict", str(path), machine, "--json").stdout)
    played = topowise.predict(messages, machine)
    assert played.makespan == told["makespan_s"]
    assert played.end.tolist() == [message["end_s"] for message in told["communications"]]
    assert topowise.predict(path, machine).makespan == played.makespan
    told = json.loads(program("schedule", str(path), machine, "--json").stdout)
    best = topowise.schedule(messages, machine)
    assert best.makespan == told["best"]["makespan_s"]
    assert best.lower_bound == told["lower_bound_s"]
    assert best.proven_optimal
    assert played.assumptions == best.assumptions == []


def test_times_name_the_rates_that_no_source_states():
    messages, machine = [(0, 1, 1e6)], "torus:2x2"
    assert topowise.predict(messages, machine).assumptions == ["links of 12.5 GB/s where no source states it"]
    for verb, call in (("predict", topowise.predict), ("schedule", topowise.schedule)):
        told = json.loads(program(verb, "pattern:ring:4", machine, "--json").stdout)
        assert told["assumptions"] == call("pattern:ring:4", machine).assumptions


def _letters(text):
    """The text without the characters in which an argument differs from an option."""
    return re.sub(r"[-_= '\"]", "", text.replace("--emit", "launcher"))


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (["map", "pattern:ring:9", "tree:2:4"], lambda: topowise.map("pattern:ring:9", "tree:2:4")),
        (["map", "pattern:ring:4", "preset:hgx"], lambda: topowise.map("pattern:ring:4", "preset:hgx")),
        (["map", "no-file", "tree:2"], lambda: topowise.map("no-file", "tree:2")),
        (["map", "pattern:rin:4", "tree:4"], lambda: topowise.map("pattern:rin:4", "tree:4")),
        (["map", "pattern:ring:4", "tree:4", "--metric", "dist"], lambda: topowise.map("pattern:ring:4", "tree:4", metric="dist")),
        (["map", "pattern:ring:4", "tree:4", "--objective", "hops"], lambda: topowise.map("pattern:ring:4", "tree:4", objective="hops")),
        (["map", "pattern:ring:4", "tree:4", "--mapper", "tabo"], lambda: topowise.map("pattern:ring:4", "tree:4", mapper="tabo")),
        (["map", "pattern:ring:4", "tree:4", "--emit", "slum"], lambda: topowise.map("pattern:ring:4", "tree:4").launcher_text("slum")),
        (["evaluate", "pattern:ring:4", "tree:4", "--metric", "latency"], lambda: topowise.evaluate("pattern:ring:4", "tree:4", metric="latency")),
    ],
)  # fmt: skip
def test_errors_have_the_text_and_the_hint_of_the_program_by_this_sides_names(words, call):
    told = program(*words)
    with pytest.raises(topowise.Error) as raised:
        call()
    text = told.stderr.rstrip("\n").removeprefix(f"topowise {words[0]}: error: ")
    assert _letters(str(raised.value)) == _letters(text)
    assert raised.value.status == told.returncode
    assert raised.value.hint in str(raised.value)


def test_a_damaged_file_is_located(tmp_path):
    path = tmp_path / "node.json"
    path.write_text('{"schema": "topowise.topology/1", "places": [}')
    with pytest.raises(topowise.BadInput) as raised:
        topowise.topology(path)
    assert raised.value.diagnostics[0].line == 1
    assert "error: " + str(raised.value) in program("topology", str(path)).stderr


def test_sparse_matrices_of_every_form_are_the_same_traffic():
    matrix = scipy.sparse.random(50, 50, 0.1, random_state=1, format="csr")
    wanted = topowise.traffic(matrix.toarray()).to_json()
    for form in ("csr", "csc", "coo", "lil", "dok", "bsr"):
        assert topowise.traffic(matrix.asformat(form)).to_json() == wanted
    wide = scipy.sparse.csr_array(matrix)
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
    assert topowise.traffic(wide).to_json() == wanted


def test_constraints_mean_what_they_mean_to_the_program():
    loads = ",".join(["1"] * 16)
    told = json.loads(program("map", "pattern:stencil2d:4x4", "preset:l40s-8", "--imbalance", "50%", "--loads", loads, "--json").stdout)
    found = topowise.map("pattern:stencil2d:4x4", "preset:l40s-8", imbalance="50%", loads=[1] * 16)
    assert (found.identity_cost, found.gain) == (told["identity_cost"], told["gain"])
    told = json.loads(program("map", "pattern:ring:4", "tree:4", "--loads", "1,1,1,2", "--json").stdout)
    assert topowise.map("pattern:ring:4", "tree:4", loads=[1, 1, 1, 2]).places.tolist() == told["places"]
    with pytest.raises(topowise.UsageError, match="both say how full a place may be"):
        topowise.map(np.ones((8, 8)), "tree:2:4", imbalance=0.5, ranks_per_place=2)
