! SPDX-License-Identifier: BSD-3-Clause
! Checks that MPI_COMM_WORLD is the same for Fortran, by the binding that BINDING names (topologies.F90): ranks, messages, communicators,
! packed data, attributes, names and a file (the first argument).
#if BINDING == 3
#define COMM type(MPI_Comm)
#define FILE type(MPI_File)
#define WINDOW type(MPI_Win)
#define STATUS type(MPI_Status)
#else
#define COMM integer
#define FILE integer
#define WINDOW integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#endif
program world_order
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
  integer :: ierror, rank, ranks, failures, total, got, next, before, position, length
  integer(kind=MPI_ADDRESS_KIND) :: bound, bytes
  integer(kind=MPI_OFFSET_KIND) :: offset
  integer, volatile :: exposed  ! MPI writes it without the compiler's knowledge
  integer, allocatable :: all(:)
  logical :: found
  character(len=8) :: packed
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=512) :: path
  COMM :: copy
  FILE :: output
  WINDOW :: win
  STATUS :: status

  failures = 0
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  allocate(all(ranks))
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)

  call MPI_Allgather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  do position = 1, ranks
    call check(all(position) == position - 1, 'MPI_Allgather')
  end do
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 1, got, 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call check(got == before, 'MPI_Sendrecv')
  if (rank == 0) then
    call MPI_Send(rank, 1, MPI_INTEGER, ranks - 1, 2, MPI_COMM_WORLD, ierror)
  else if (rank == ranks - 1) then
    call MPI_Probe(0, 2, MPI_COMM_WORLD, status, ierror)
    call MPI_Recv(got, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call check(got == 0, 'MPI_Recv')
  end if
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, copy, ierror)
  call MPI_Comm_rank(copy, got, ierror)
  call check(got == ranks - 1 - rank, 'MPI_Comm_split')
  call MPI_Comm_free(copy, ierror)
  position = 0
  call MPI_Pack(rank, 1, MPI_INTEGER, packed, 8, position, MPI_COMM_WORLD, ierror)
  position = 0
  call MPI_Unpack(packed, 8, position, got, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call check(got == rank, 'MPI_Pack')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, bound, found, ierror)
  call check(found .and. bound >= 32767, 'MPI_TAG_UB')
  call MPI_Comm_set_name(MPI_COMM_WORLD, 'all of us', ierror)
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierror)
  call check(name(1:length) == 'all of us', 'MPI_Comm_get_name')
  bytes = 4
  exposed = -1
  call MPI_Win_create(exposed, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  bytes = 0
  call MPI_Put(rank, 1, MPI_INTEGER, next, bytes, 1, MPI_INTEGER, win, ierror)
  call MPI_Win_fence(0, win, ierror)
  call check(exposed == before, 'MPI_Put')
  call MPI_Win_free(win, ierror)
  call get_command_argument(1, path)
  call MPI_File_open(MPI_COMM_WORLD, trim(path), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, output, ierror)
  call check(ierror == MPI_SUCCESS, 'MPI_File_open')
  if (ierror == MPI_SUCCESS) then
    offset = 4 * rank
    call MPI_File_write_at_all(output, offset, rank, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call MPI_File_close(output, ierror)
  end if

  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
  if (total /= 0) stop 1

contains

  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    print '(a, i0, 2a)', 'rank ', rank, ': ', what
    failures = failures + 1
  end subroutine
end program
