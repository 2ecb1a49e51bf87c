# SPDX-License-Identifier: BSD-3-Clause
"""torchrun --rdzv-backend=topowise: node ranks by topology. docs/recipes/pytorch-jobs.md is the guide.

PyTorch finds the back-end by the entry-point group `torchrun.handlers`. Versions that do not look there are started by
`python -m topowise_torchrun` in place of `torchrun`; a program that calls PyTorch's launcher itself calls register() before.

This is a package of its own, so that what PyTorch imports in every process brings neither NumPy nor the library.
"""

from __future__ import annotations

from typing import Any

NAME = "topowise"


def _create(params: Any) -> Any:
    """The rendezvous handler of one agent. `params`: PyTorch's RendezvousParameters."""
    from ._handler import create

    return create(params)


def handler() -> Any:
    """What PyTorch registers under the name of this back-end."""
    return _create


def register() -> None:
    """Makes the back-end known to PyTorch's launcher in this process; does nothing if it is."""
    from torch.distributed.elastic.rendezvous import rendezvous_handler_registry as registry

    try:
        registry.register(NAME, _create)
    except ValueError:  # PyTorch itself has found it, through another function of this name
        pass
