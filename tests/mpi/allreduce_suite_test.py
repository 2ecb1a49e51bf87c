# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests of collectives and operations give the same results with --allreduce; all their vectors are on the host."""

import python_suite
from jobs import TOPOWISE, MpiTest


class Reduced(MpiTest):
    def test_mpi4py_collectives(self):
        python_suite.compare(self, ["test_cco_buf", "test_comm", "test_op"], 2, [TOPOWISE, "run", "--allreduce", "--"])
