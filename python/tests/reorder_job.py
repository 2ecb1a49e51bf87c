"""The ranks of a job run this program. Reordering must bring the vertices of a graph that crosses hosts together, and a wrong graph must be an error on
every rank.

usage: reorder_job.py; the hosts are simulated: even ranks are on host0, odd ranks on host1.
"""

import sys

import networkx
import numpy as np
import scipy.sparse
import topowise
from mpi4py import MPI
from topowise import _mpi


def main():
    comm = MPI.COMM_WORLD
    rank, size = comm.Get_rank(), comm.Get_size()
    _mpi._host_name = lambda: f"host{rank % 2}"
    # A vertex sends only to vertices of its half. After the reordering each half is on one host.
    half = size // 2
    first = rank // half * half
    mine = {vertex: 1000.0 for vertex in range(first, first + half) if vertex != rank}
    matrix = np.zeros((size, size))
    for r in range(size):
        begin = r // half * half
        matrix[r, begin : begin + half] = 1000
    np.fill_diagonal(matrix, 0)
    row = scipy.sparse.csr_array(matrix[[rank]])
    found = set()
    whole = (matrix, scipy.sparse.csr_array(matrix), topowise.traffic(matrix), networkx.from_numpy_array(matrix))
    for graph in (mine, list(mine), matrix[rank], row, *whole):
        new = topowise.reorder(comm, graph)
        assert new.Get_size() == size
        hosts = new.allgather(f"host{rank % 2}")
        assert len(set(hosts[:half])) == len(set(hosts[half:])) == 1, hosts
        found.add(tuple(new.allgather(rank)))
        new.Free()
    assert len(found) == 1, found
    for wrong, words in (({size: 1.0}, "has the neighbour"), (np.ones((2, 3)), "2 rows and 3 columns"), ({0: -1.0}, "is '-1' bytes"), ("pattern:ring:3", "3 ranks")):
        try:
            topowise.reorder(comm, wrong if rank == size - 1 else {})
            raise AssertionError("no error")
        except topowise.BadInput as error:
            assert words in str(error), error
    try:
        topowise.reorder(comm, {}, "preset:no-such-machine")
        raise AssertionError("no error")
    except topowise.BadInput as error:
        assert "unknown preset" in str(error)
    if rank == 0:
        print("reordered")


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(1)
