"""The package is typed: mypy --strict accepts it and a program that uses it, and finds the errors in another program."""

import pathlib
import subprocess
import sys

import topowise

PACKAGE = pathlib.Path(topowise.__file__).parent.parent
PROGRAM = '''
import networkx
import numpy as np
import scipy.sparse
import topowise

machine: topowise.Topology = topowise.topology("preset:l40s-8")
for traffic in (np.ones((8, 8)), [[0.0, 1.0], [1.0, 0.0]], scipy.sparse.eye(8), networkx.path_graph(8), "pattern:ring:8"):
    best: topowise.Mapping = topowise.map(traffic, machine, fixed={0: 7}, time_limit="500ms")
order_found: topowise.Order = topowise.order([{"host": "a", "gpu": 0}, {"host": "b"}], "pattern:ring:2", previous=[0, None], keep=0.02)
first: int = order_found.workers[0] + order_found.ranks[0]
cost: float = best.cost + best.lower_bound
proven: bool = best.proven_optimal
congestion: float | None = topowise.evaluate("pattern:ring:8", machine, best).max_congestion
order: topowise.Schedule = topowise.schedule([(0, 1, 1e6), (0, 2, 1e6)], machine)
end: np.ndarray = topowise.predict(order.exchange, machine, [0, 1, 2]).end
sources, destinations, sizes, messages = topowise.traffic("pattern:ring:8").pairs()
try:
    topowise.topology("preset:hgx")
except topowise.Error as error:
    where: str = error.diagnostics[0].where
    line: int = error.diagnostics[0].line
'''
WRONG = '''
import topowise

topowise.map("pattern:ring:8", 8)
topowise.map("pattern:ring:8", "tree:8", seed="1")
topowise.map("pattern:ring:8", "tree:8", mappr="auto")
topowise.topology("live").warnings = []
name: str = topowise.map("pattern:ring:8", "tree:8").cost
'''


def mypy(cache, *words):
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(cache), *words], cwd=PACKAGE,
                          capture_output=True, text=True, check=False)  # fmt: skip
    return done.returncode, done.stdout


def test_the_package_and_a_program_that_uses_it(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    assert mypy(tmp_path / "cache", "topowise", "topowise_torchrun", str(tmp_path / "program.py")) == (0, "Success: no issues found in 18 source files\n")


def test_what_is_wrong_is_found(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    status, found = mypy(tmp_path / "cache", str(tmp_path / "wrong.py"))
    assert status == 1
    wrong = {int(line.split(":")[1]) for line in found.splitlines() if ": error: " in line}
    assert wrong == {4, 5, 6, 7, 8}, found
