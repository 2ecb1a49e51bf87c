"""On random clusters and jobs, no rule of another system (bench/rank_order) orders nodes better than topowise.order()."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "rank_order"))
import rank_order  # noqa: E402
import rules  # noqa: E402


@pytest.mark.filterwarnings("ignore::topowise.TopowiseWarning")
@pytest.mark.parametrize("first", range(0, 50, 10))
def test_no_rule_is_better(first):
    for seed in range(first, first + 10):
        results, found = rank_order.judged(seed, "1s")
        for rule in rules.RULES:
            assert results["topowise"][0] <= results[rule.__name__][0] * (1 + 1e-9), (seed, rule.__name__)
            assert results["topowise, predicted time"][1] <= results[rule.__name__][1] * (1 + 1e-9), (seed, rule.__name__)
        assert found.lower_bound <= found.cost * (1 + 1e-9)


def nodes(*leaves):
    return [rules.Node(f"n{number}", "p", leaf) for number, leaf in enumerate(leaves)]


def names(found):
    return [node.name for node in found]


def test_what_the_rules_do():
    job = rules.Job(pp=2, dp=4, tp=8, cp=1, ep=2, gpus=8)  # 8 nodes, stages of 4, expert groups of 2
    mixed = nodes("b", "a", "b", "a", "a", "a", "a", "b", "a", "b", "b")[:8]
    assert names(rules.torchrun(job, [rules.Node("n10", "p", "a"), *mixed])) == ["n0", "n1", "n10", "n2", "n3", "n4", "n5", "n6"]
    assert names(rules.addresses(job, [rules.Node("n10", "p", "a"), *mixed]))[-1] == "n7"
    assert names(rules.switch(job, mixed)) == ["n1", "n3", "n4", "n5", "n6", "n0", "n2", "n7"]
    assert names(rules.dlrover_contiguous(job, mixed)) == ["n1", "n3", "n4", "n5", "n6", "n0", "n2", "n7"]
    # Both stages of the first expert group below a, those of the second one below what is left.
    assert names(rules.dlrover_columns(job, mixed)) == ["n1", "n3", "n0", "n2", "n4", "n5", "n6", "n7"]
    assert names(rules.nemo_segments(job, mixed)) == ["n1", "n3", "n4", "n5", "n0", "n2", "n6", "n7"]
    assert names(rules.kueue(job, mixed)) == ["n1", "n3", "n4", "n5", "n6", "n0", "n2", "n7"]
    small = rules.Job(pp=1, dp=3, tp=8, cp=1, ep=1, gpus=8)
    assert names(rules.kueue(small, mixed)) == ["n0", "n2", "n7"]  # the smallest leaf that is enough
