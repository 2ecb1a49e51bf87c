"""The ranks of a job on two or more hosts run this program. Each rank sends a megabyte to the rank that is half the job away. Ranks are those of the job
("before") or those of topowise.reorder() ("after").

usage: exchange_job.py before|after [TOPOLOGY]
"""

import sys

import numpy as np
import topowise
from mpi4py import MPI

BYTES = 1_000_000


def main(when, topology=None):
    comm = MPI.COMM_WORLD
    rank, size = comm.Get_rank(), comm.Get_size()
    if when == "after":
        comm = topowise.reorder(comm, {(rank + size // 2) % size: BYTES}, topology)
        rank = comm.Get_rank()
    partner = (rank + size // 2) % size
    got = np.empty(BYTES, np.uint8)
    comm.Sendrecv(np.full(BYTES, rank, np.uint8), partner, 0, got, partner, 0)
    assert (got == partner).all()


if __name__ == "__main__":
    main(*sys.argv[1:])
