# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py: buffers, pickled objects, collectives, a window. Rank 0 prints the size of the pickle."""
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
following, previous = (rank + 1) % ranks, (rank - 1) % ranks

request = world.Isend(bytearray(1), following)
world.Recv(bytearray(1), previous)
request.Wait()
world.Sendrecv(bytearray(2), following, recvbuf=bytearray(2), source=previous)
persistent = world.Send_init(bytearray(4), following)
for _ in range(3):
    incoming = world.Irecv(bytearray(4), previous)
    persistent.Start()
    persistent.Wait()
    incoming.Wait()
persistent.Free()

message = {"rank": 7, "text": "x" * 1000}
pending = world.isend(message, following)
assert world.recv(source=previous) == message
pending.wait()
if rank == 0:
    print("pickle", len(MPI.pickle.dumps(message)), flush=True)

half = world.Split(rank % 2, -rank)  # {2, 0}, {3, 1}
half.Sendrecv(bytearray(32), 1 - half.rank, recvbuf=bytearray(32), source=1 - half.rank)
world.Bcast(bytearray(64), root=1)
half.Free()

exposed, put, got = bytearray(4096), bytearray(1024), bytearray(2048)
window = MPI.Win.Create(exposed, comm=world)
window.Fence()
window.Put(put, following)
window.Fence()
window.Get(got, following)
window.Fence()
window.Free()
