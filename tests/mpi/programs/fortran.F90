! SPDX-License-Identifier: BSD-3-Clause
! The same calls through the binding that BINDING names: 1 mpif.h, 2 the module mpi, 3 the module mpi_f08.
#if BINDING == 3
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define STATUS_OF type(MPI_Status) ::
#define WINDOW type(MPI_Win)
#else
#define COMM integer
#define REQUEST integer
#define STATUS_OF integer, dimension(MPI_STATUS_SIZE) ::
#define WINDOW integer
#endif
program fortran
#if BINDING == 2
  use mpi
  implicit none
#elif BINDING == 3
  use mpi_f08
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: ierror, rank, ranks, next, previous, i
  integer(kind=MPI_ADDRESS_KIND) :: bytes, offset
  character :: out(65536), in(65536), exposed(65536)
  double precision :: vector(8), total(8)
  COMM :: half
  REQUEST :: requests(2), persistent
  WINDOW :: win
  STATUS_OF status

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  out = 'x'
  vector = 1

  ! blocking
  if (mod(rank, 2) == 0) then
    call MPI_Send(out, 1, MPI_CHARACTER, next, 0, MPI_COMM_WORLD, ierror)
    call MPI_Recv(in, 1, MPI_CHARACTER, previous, 0, MPI_COMM_WORLD, status, ierror)
  else
    call MPI_Recv(in, 1, MPI_CHARACTER, previous, 0, MPI_COMM_WORLD, status, ierror)
    call MPI_Send(out, 1, MPI_CHARACTER, next, 0, MPI_COMM_WORLD, ierror)
  end if
  ! nonblocking
  call MPI_Irecv(in, 2, MPI_CHARACTER, previous, 1, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Isend(out, 2, MPI_CHARACTER, next, 1, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  ! persistent, started three times
  call MPI_Send_init(out, 4, MPI_CHARACTER, next, 2, MPI_COMM_WORLD, persistent, ierror)
  do i = 1, 3
    call MPI_Irecv(in, 4, MPI_CHARACTER, previous, 2, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Start(persistent, ierror)
    call MPI_Wait(persistent, MPI_STATUS_IGNORE, ierror)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
  end do
  call MPI_Request_free(persistent, ierror)
  ! combined
  call MPI_Sendrecv(out, 16, MPI_CHARACTER, next, 3, in, 16, MPI_CHARACTER, previous, 3, MPI_COMM_WORLD, status, ierror)
  ! a communicator of its own: {2, 0} and {3, 1}
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierror)
  call MPI_Sendrecv(out, 32, MPI_CHARACTER, mod(rank / 2, 2), 4, in, 32, MPI_CHARACTER, mod(rank / 2, 2), 4, half, status, ierror)
  ! collectives, one of them in place; 64 bytes
  call MPI_Bcast(vector, 8, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(vector, total, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, total, 8, MPI_DOUBLE_PRECISION, MPI_SUM, half, ierror)
  call MPI_Comm_free(half, ierror)
  ! one-sided
  bytes = 65536
  offset = 0
  call MPI_Win_create(exposed, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  call MPI_Put(out, 1024, MPI_CHARACTER, next, offset, 1024, MPI_CHARACTER, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  call MPI_Get(in, 2048, MPI_CHARACTER, next, offset, 2048, MPI_CHARACTER, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  call MPI_Win_free(win, ierror)
  call MPI_Finalize(ierror)
end program fortran
