# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests of collectives and operations give the same results with all functions of --collectives-on-gpu; all their vectors are on the host."""

import python_suite
from jobs import TOPOWISE, MpiTest


class Reduced(MpiTest):
    def test_mpi4py_collectives(self):
        python_suite.compare(self, ["test_cco_buf", "test_cco_vec", "test_comm", "test_op"], 2, [TOPOWISE, "run", "--collectives-on-gpu", "--"])

    def test_mpi4py_requests(self):
        """Nonblocking and persistent forms."""
        python_suite.compare(self, ["test_cco_nb_buf", "test_cco_nb_vec", "test_cco_pr_buf", "test_cco_pr_vec"], 2, [TOPOWISE, "run", "--collectives-on-gpu", "--"])
