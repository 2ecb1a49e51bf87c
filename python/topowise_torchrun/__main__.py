# SPDX-License-Identifier: BSD-3-Clause
"""python -m topowise_torchrun ARGUMENTS: torchrun, with the back-end `topowise` also where PyTorch does not look for it."""

from torch.distributed.run import main

from . import register

if __name__ == "__main__":
    register()
    main()
