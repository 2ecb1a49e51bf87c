# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests of communicators, virtual topologies and neighbourhood collectives give the same with reordering.

With --reorder=always on one host that nobody describes, where every call is looked at and nothing can move: where ranks do move, a test
that passes reorder=False expects its old neighbours, and then waits for those that did."""

import applications_test
from jobs import TOPOWISE, MpiTest, host_in_halves


class Reordered(MpiTest):
    def test_mpi4py_topologies(self):
        applications_test.compare_suite(self, ["test_comm_topo", "test_cco_ngh_buf", "test_cco_ngh_obj", "test_comm"], 4,
                                        lambda folder: [TOPOWISE, "run", "--reorder", "--reorder-topology", host_in_halves(folder), "--"])

    def test_mpi4py_always(self):
        applications_test.compare_suite(self, ["test_comm_topo", "test_cco_ngh_buf", "test_cco_ngh_obj", "test_comm"], 4,
                                        lambda _: [TOPOWISE, "run", "--reorder=always", "--"])
