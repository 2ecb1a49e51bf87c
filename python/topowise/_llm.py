# SPDX-License-Identifier: BSD-3-Clause
"""The traffic of a training step, named by the sizes of its groups: "llm:tp=8,pp=4,dp=4,ep=8,order=megatron"."""

from __future__ import annotations

from ._errors import bad_input

#: Orders of ranks by the name of what makes them, fastest first, as `pattern:llm:...:order=` takes them.
_ORDERS = {"megatron": "tp-cp-ep-dp-pp", "deepspeed": "tp-cp-ep-dp-pp", "torchtitan": "tp-cp-ep-dp-pp", "nemo": "tp-cp-ep-dp-pp"}
_GROUPS = ("pp", "dp", "tp")
#: What `pattern:llm` takes beside the three extents.
KEYS = ("layers", "hidden", "sequence", "batch", "microbatches", "cp", "ep", "experts", "topk", "order", "precision", "gradients",
        "allreduce", "node", "context")  # fmt: skip
PREFIX = "llm:"


def _size(name: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise bad_input(f"llm: {name} is '{text}', not a number of ranks")
    return int(text)


def _replicas(given: dict[str, str], ranks: int | None) -> int:
    """Data-parallel replicas: what is given, else what the job's ranks leave."""
    others = 1
    for name in ("tp", "pp", "cp"):
        others *= _size(name, given.get(name, "1"))
    if "dp" in given:
        stated = _size("dp", given["dp"])
        if ranks is not None and stated * others != ranks:
            raise bad_input(f"llm: tp, pp, cp and dp make {stated * others} ranks, but the job has {ranks}", "without dp, it follows from the job")
        return stated
    if ranks is None:
        raise bad_input("llm: dp is missing", "llm:tp=8,pp=4,dp=4")
    if ranks % others != 0:
        raise bad_input(f"llm: {ranks} ranks are no multiple of tp x pp x cp = {others}")
    return ranks // others


def pattern_of(text: str, ranks: int | None = None) -> str:
    """The pattern that "llm:KEY=VALUE,..." names. `ranks`: of the job, from which dp follows if it is not given.

    Sizes that are not given are 1. Raises BadInput for a key that is not known, and sizes that do not make the job.
    """
    given: dict[str, str] = {}
    for part in filter(None, text.removeprefix(PREFIX).split(",")):
        key, equals, value = part.partition("=")
        if key not in KEYS and key not in _GROUPS:
            raise bad_input(f"llm: unknown key '{key}'", f"one of {', '.join((*_GROUPS, *KEYS))}")
        if not equals or not value:
            raise bad_input(f"llm: '{part}' has no value", f"{key}=NUMBER")
        if key in given:
            raise bad_input(f"llm: {key} is given twice")
        given[key] = value
    extents = {"pp": _size("pp", given.get("pp", "1")), "dp": _replicas(given, ranks), "tp": _size("tp", given.get("tp", "1"))}
    if "order" in given:
        given["order"] = _ORDERS.get(given["order"], given["order"])
    keys = [f"{key}={value}" for key, value in given.items() if key not in _GROUPS]
    return ":".join(["pattern:llm:" + "x".join(str(extents[name]) for name in _GROUPS), *keys])
