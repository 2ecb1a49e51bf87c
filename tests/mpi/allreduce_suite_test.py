# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's own tests of collectives and operations give the same results with all functions of --collectives-on-gpu, with vectors on the host, and with all
vectors in the memory of a simulated GPU (programs/mpi4py_on_gpus.py)."""

import os
import re
import tempfile

import python_suite
from jobs import PROGRAMS, TOPOWISE, MpiTest


class Reduced(MpiTest):
    def test_mpi4py_collectives(self):
        python_suite.compare(self, ["test_cco_buf", "test_cco_vec", "test_comm", "test_op"], 2, [TOPOWISE, "run", "--collectives-on-gpu", "--"])

    def test_mpi4py_requests(self):
        """Nonblocking and persistent forms."""
        python_suite.compare(self, ["test_cco_nb_buf", "test_cco_nb_vec", "test_cco_pr_buf", "test_cco_pr_vec"], 2, [TOPOWISE, "run", "--collectives-on-gpu", "--"])


class OnGpus(MpiTest):
    """The host may read and write these GPUs' memory, so that functions that no GPU does are MPI's."""

    def compare(self, modules):
        """The calls done on GPUs, by function, as rank 0 counts them."""
        memory = tempfile.TemporaryDirectory(dir="/dev/shm")
        self.addCleanup(memory.cleanup)
        other = python_suite.compare(self, modules, 2, [TOPOWISE, "run", "--collectives-on-gpu", "--allreduce-report", "--"], [PROGRAMS / "mpi4py_on_gpus.py"],
                                     TOPOWISE_FAKE_FOLDER=memory.name, TOPOWISE_FAKE_COHERENT="1", TOPOWISE_FAKE_SESSION=memory.name.replace("/", "-"),
                                     TOPOWISE_CUDA_LIBRARY=os.environ.get("TOPOWISE_FAKE_CUDA", ""), TOPOWISE_HIP_LIBRARY="/nowhere", TOPOWISE_ALLREDUCE_TUNING="off")
        found = {function: int(count) for function, count in re.findall(r"(MPI_\w+) in GPU memory: (\d+) by leader-fused", other.errors)}
        print(f"{self.family.name}: mpi4py's {', '.join(modules)} on simulated GPUs: {found}", flush=True)
        return found

    def test_mpi4py_collectives(self):
        found = self.compare(["test_cco_buf", "test_cco_vec"])
        self.assertEqual(set(found), {f"MPI_{name}" for name in ("Allreduce", "Reduce", "Bcast", "Allgather", "Allgatherv", "Reduce_scatter", "Reduce_scatter_block")})

    def test_mpi4py_requests(self):
        """Nonblocking and persistent forms go through copies on the host."""
        self.compare(["test_cco_nb_buf", "test_cco_nb_vec", "test_cco_pr_buf", "test_cco_pr_vec"])
