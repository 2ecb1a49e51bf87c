# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests of collectives and operations give the same with --allreduce, whose calls they all make with vectors on the
host."""

import applications_test
from jobs import TOPOWISE, MpiTest


class Reduced(MpiTest):
    def test_mpi4py_collectives(self):
        applications_test.compare_suite(self, ["test_cco_buf", "test_comm", "test_op"], 2,
                                        lambda _: [TOPOWISE, "run", "--allreduce", "--"])
