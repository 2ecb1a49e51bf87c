! SPDX-License-Identifier: BSD-3-Clause
! MPI_Allreduce, MPI_Iallreduce and MPI_Allreduce_init of vectors in GPU memory, called from Fortran: by mpif.h's interface and by mpi_f08's.
!   gpu_allreduce_fortran
! Every rank prints "rank R: N checks, W wrong".
module driver
  use, intrinsic :: iso_c_binding
  implicit none
  abstract interface
    function init_function(flags) bind(c) result(code)
      import :: c_int
      integer(c_int), value :: flags
      integer(c_int) :: code
    end function
    function retain_function(context, device) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: context
      integer(c_int), value :: device
      integer(c_int) :: code
    end function
    function current_function(context) bind(c) result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      integer(c_int) :: code
    end function
    function allocate_function(address, bytes) bind(c) result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), intent(out) :: address
      integer(c_size_t), value :: bytes
      integer(c_int) :: code
    end function
    function copy_function(to, from, bytes) bind(c) result(code)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
      integer(c_int) :: code
    end function
  end interface
  interface
    function dlopen(name, flags) bind(c) result(library)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: flags
      type(c_ptr) :: library
    end function
    function dlsym(library, name) bind(c) result(symbol)
      import :: c_char, c_ptr, c_funptr
      type(c_ptr), value :: library
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: symbol
    end function
  end interface
  procedure(copy_function), pointer :: to_gpu, to_host
  procedure(allocate_function), pointer :: make
contains
  subroutine load()
    character(len=1000) :: name
    type(c_ptr) :: library, context
    procedure(init_function), pointer :: init
    procedure(retain_function), pointer :: retain
    procedure(current_function), pointer :: set_current
    call get_environment_variable("TOPOWISE_CUDA_LIBRARY", name)
    if (name == "/nowhere") then
      call get_environment_variable("TOPOWISE_HIP_LIBRARY", name)
      library = dlopen(trim(name)//c_null_char, 2_c_int)
      call c_f_procpointer(dlsym(library, "hipInit"//c_null_char), init)
      call c_f_procpointer(dlsym(library, "hipMalloc"//c_null_char), make)
      call c_f_procpointer(dlsym(library, "hipMemcpyHtoD"//c_null_char), to_gpu)
      call c_f_procpointer(dlsym(library, "hipMemcpyDtoH"//c_null_char), to_host)
      if (init(0_c_int) /= 0) stop 1
      return
    end if
    library = dlopen(trim(name)//c_null_char, 2_c_int)
    call c_f_procpointer(dlsym(library, "cuInit"//c_null_char), init)
    call c_f_procpointer(dlsym(library, "cuDevicePrimaryCtxRetain"//c_null_char), retain)
    call c_f_procpointer(dlsym(library, "cuCtxSetCurrent"//c_null_char), set_current)
    call c_f_procpointer(dlsym(library, "cuMemAlloc_v2"//c_null_char), make)
    call c_f_procpointer(dlsym(library, "cuMemcpyHtoD_v2"//c_null_char), to_gpu)
    call c_f_procpointer(dlsym(library, "cuMemcpyDtoH_v2"//c_null_char), to_host)
    if (init(0_c_int) /= 0) stop 1
    if (retain(context, 0_c_int) /= 0) stop 1
    if (set_current(context) /= 0) stop 1
  end subroutine
end module

#ifdef OPEN_MPI_4
#define ALLREDUCE_INIT MPIX_Allreduce_init
#define BCAST_INIT MPIX_Bcast_init
#define REDUCE_INIT MPIX_Reduce_init
#define ALLGATHER_INIT MPIX_Allgather_init
#define ALLGATHERV_INIT MPIX_Allgatherv_init
#define REDUCE_SCATTER_INIT MPIX_Reduce_scatter_init
#define REDUCE_SCATTER_BLOCK_INIT MPIX_Reduce_scatter_block_init
#else
#define ALLREDUCE_INIT MPI_Allreduce_init
#define BCAST_INIT MPI_Bcast_init
#define REDUCE_INIT MPI_Reduce_init
#define ALLGATHER_INIT MPI_Allgather_init
#define ALLGATHERV_INIT MPI_Allgatherv_init
#define REDUCE_SCATTER_INIT MPI_Reduce_scatter_init
#define REDUCE_SCATTER_BLOCK_INIT MPI_Reduce_scatter_block_init
#endif

program gpu_allreduce
#if defined(F08) && defined(OPEN_MPI_4)
  use mpi_f08_ext
#elif defined(OPEN_MPI_4)
  use mpi_ext
#endif
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  use driver
  implicit none
  integer, parameter :: count = 1000
  integer(c_size_t), parameter :: bytes = 8 * count
  integer :: rank, ranks, error, call_number, checks, wrong
  double precision, target :: values(count)
  double precision, pointer :: send(:), receive(:)
  double precision :: total
  type(c_ptr) :: send_address, receive_address
#ifdef F08
  type(MPI_Request) :: requests(3)
#else
  integer :: requests(3)
#endif
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call load()
  if (make(send_address, bytes) /= 0 .or. make(receive_address, bytes) /= 0) stop 1
  call c_f_pointer(send_address, send, [count])
  call c_f_pointer(receive_address, receive, [count])
  checks = 0
  wrong = 0
  do call_number = 1, 6
    values = rank + call_number
    if (mod(call_number, 2) == 0) then
      error = to_gpu(receive_address, c_loc(values), bytes)
      call MPI_Allreduce(MPI_IN_PLACE, receive, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    else
      error = to_gpu(send_address, c_loc(values), bytes)
      call MPI_Allreduce(send, receive, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end if
    if (error /= MPI_SUCCESS) wrong = wrong + 1
    error = to_host(c_loc(values), receive_address, bytes)
    total = ranks * (ranks - 1) / 2 + ranks * call_number
    checks = checks + 1
    if (any(values /= total)) wrong = wrong + 1
    ! A vector on the host, which goes to the MPI library.
    values = call_number
    call MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    if (any(values /= call_number)) wrong = wrong + 1
  end do
#ifdef ALL_FUNCTIONS
  do call_number = 1, 3
    call other_functions(mod(call_number, ranks), call_number)
    call other_requests(mod(call_number, ranks), call_number, .false.)
    call other_requests(mod(call_number, ranks), call_number, .true.)
  end do
#endif
  do call_number = 1, 8
    call begin_and_complete(call_number, .false.)
#ifdef MPICH_4
    if (all(call_number /= [1, 2, 5])) cycle  ! MPICH 4.0 itself waits for ever for persistent collectives in the other functions
#endif
    call begin_and_complete(call_number, .true.)
  end do
  print '("rank ", i0, ": ", i0, " checks, ", i0, " wrong")', rank, checks, wrong
  call MPI_Finalize(error)
contains
  subroutine other_functions(root, seed)
    integer, intent(in) :: root, seed
    integer :: part, i
    part = count / ranks
    values = rank + seed
    error = to_gpu(send_address, c_loc(values), bytes)
    call MPI_Bcast(send, count, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, error)
    error = to_host(c_loc(values), send_address, bytes)
    checks = checks + 1
    if (any(values /= root + seed)) wrong = wrong + 1
    values = rank + seed
    error = to_gpu(send_address, c_loc(values), bytes)
    call MPI_Reduce(send, receive, count, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD, error)
    error = to_host(c_loc(values), receive_address, bytes)
    checks = checks + 1
    if (rank == root .and. any(values /= ranks * (ranks - 1) / 2 + ranks * seed)) wrong = wrong + 1
    call MPI_Allgather(send, part, MPI_DOUBLE_PRECISION, receive, part, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
    error = to_host(c_loc(values), receive_address, bytes)
    checks = checks + 1
    do i = 0, ranks - 1
      if (any(values(i * part + 1:(i + 1) * part) /= i + seed)) wrong = wrong + 1
    end do
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, part, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
    if (error /= MPI_SUCCESS) wrong = wrong + 1
    call in_parts(seed)
    call by_bottom(root, seed)
  end subroutine

  ! A vector on the host, by a type of absolute addresses.
  subroutine by_bottom(root, seed)
    integer, intent(in) :: root, seed
    double precision, volatile :: own(count)
    integer(kind=MPI_ADDRESS_KIND) :: places(1)
#ifdef F08
    type(MPI_Datatype) :: absolute
#else
    integer :: absolute
#endif
    own = rank + seed
    call MPI_Get_address(own, places(1), error)
    call MPI_Type_create_hindexed(1, [count], places, MPI_DOUBLE_PRECISION, absolute, error)
    call MPI_Type_commit(absolute, error)
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, root, MPI_COMM_WORLD, error)
    call MPI_Type_free(absolute, error)
    if (any(own /= root + seed)) wrong = wrong + 1
  end subroutine

  ! What the first rank's share becomes, and the last rank's.
  subroutine check_shares(first, last)
    integer, intent(in) :: first, last
    integer :: part
    part = count / ranks
    error = to_host(c_loc(values), receive_address, bytes)
    checks = checks + 1
    if (any(values(1:part) /= first) .or. any(values((ranks - 1) * part + 1:ranks * part) /= last)) wrong = wrong + 1
  end subroutine

  subroutine in_parts(seed)
    integer, intent(in) :: seed
    integer :: part, sums, counts(ranks), begins(ranks), i
    part = count / ranks
    counts = part
    begins = [(i * part, i = 0, ranks - 1)]
    sums = ranks * (ranks - 1) / 2 + ranks * seed
    values = -1
    error = to_gpu(receive_address, c_loc(values), bytes)
    call MPI_Allgatherv(send, part, MPI_DOUBLE_PRECISION, receive, counts, begins, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
    call check_shares(seed, ranks - 1 + seed)
    values = rank + seed
    error = to_gpu(receive_address, c_loc(values), bytes)
    call MPI_Reduce_scatter(send, receive, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call check_shares(sums, rank + seed)
    values = rank + seed
    error = to_gpu(receive_address, c_loc(values), bytes)
    call MPI_Reduce_scatter_block(MPI_IN_PLACE, receive, part, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call check_shares(sums, rank + seed)
  end subroutine

  subroutine other_requests(root, seed, persistent)
    integer, intent(in) :: root, seed
    logical, intent(in) :: persistent
    integer :: part, way, i
    integer :: counts(ranks), begins(ranks)
    part = count / ranks
    counts = part
    begins = [(i * part, i = 0, ranks - 1)]
    do way = 1, 6
      values = rank + seed
      error = to_gpu(send_address, c_loc(values), bytes)
      select case (way)
      case (1)
        if (persistent) then
          call BCAST_INIT(send, count, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), error)
        else
          call MPI_Ibcast(send, count, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, requests(1), error)
        end if
      case (2)
        if (persistent) then
          call REDUCE_INIT(send, receive, count, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), error)
        else
          call MPI_Ireduce(send, receive, count, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD, requests(1), error)
        end if
      case (3)
        if (persistent) then
          call ALLGATHER_INIT(send, part, MPI_DOUBLE_PRECISION, receive, part, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), error)
        else
          call MPI_Iallgather(send, part, MPI_DOUBLE_PRECISION, receive, part, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, requests(1), error)
        end if
      case (4)
        if (persistent) then
          call ALLGATHERV_INIT(send, part, MPI_DOUBLE_PRECISION, receive, counts, begins, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), error)
        else
          call MPI_Iallgatherv(send, part, MPI_DOUBLE_PRECISION, receive, counts, begins, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, requests(1), error)
        end if
      case (5)
        if (persistent) then
          call REDUCE_SCATTER_INIT(send, receive, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), error)
        else
          call MPI_Ireduce_scatter(send, receive, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(1), error)
        end if
      case (6)
        if (persistent) then
          call REDUCE_SCATTER_BLOCK_INIT(send, receive, part, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), error)
        else
          call MPI_Ireduce_scatter_block(send, receive, part, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(1), error)
        end if
      end select
      if (persistent) call MPI_Start(requests(1), error)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
      if (persistent) call MPI_Request_free(requests(1), error)
      if (way == 1) then
        error = to_host(c_loc(values), send_address, bytes)
        if (any(values /= root + seed)) wrong = wrong + 1
      else
        error = to_host(c_loc(values), receive_address, bytes)
        if (way == 2 .and. rank == root .and. any(values /= ranks * (ranks - 1) / 2 + ranks * seed)) wrong = wrong + 1
        if ((way == 3 .or. way == 4) .and. (values(1) /= seed .or. values(ranks * part) /= ranks - 1 + seed)) wrong = wrong + 1
        if (way >= 5 .and. any(values(1:part) /= ranks * (ranks - 1) / 2 + ranks * seed)) wrong = wrong + 1
      end if
      checks = checks + 1
    end do
  end subroutine

  ! One request is in GPU memory, between a null request and one on the host.
  subroutine begin_and_complete(way, persistent)
    integer, intent(in) :: way
    logical, intent(in) :: persistent
    integer :: index, number, indices(3), step
    integer, target :: here(1)
    logical :: done
#ifdef F08
    type(MPI_Status) :: status
#else
    integer :: status(MPI_STATUS_SIZE)
#endif
    values = rank + 10 * way
    here = way
    error = to_gpu(receive_address, c_loc(values), bytes)
    requests = MPI_REQUEST_NULL
    if (persistent) then
      call ALLREDUCE_INIT(MPI_IN_PLACE, receive, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), error)
      call ALLREDUCE_INIT(MPI_IN_PLACE, here, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(3), error)
      if (mod(way, 2) == 0) then
        call MPI_Start(requests(2), error)
        call MPI_Start(requests(3), error)
      else
        call MPI_Startall(2, requests(2:3), error)
      end if
    else
      call MPI_Iallreduce(MPI_IN_PLACE, receive, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(2), error)
      call MPI_Iallreduce(MPI_IN_PLACE, here, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(3), error)
    end if
    done = .false.
    select case (way)
    case (1)
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
      call MPI_Wait(requests(3), MPI_STATUS_IGNORE, error)
    case (2)
      call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
    case (3)
      do step = 1, 2
        call MPI_Waitany(3, requests, index, MPI_STATUS_IGNORE, error)
      end do
    case (4)
      step = 0
      do while (step < 2)
        call MPI_Waitsome(3, requests, number, indices, MPI_STATUSES_IGNORE, error)
        step = step + number
      end do
    case (5)
      do while (.not. done)
        call MPI_Test(requests(3), done, MPI_STATUS_IGNORE, error)
      end do
      done = .false.
      do while (.not. done)
        call MPI_Test(requests(2), done, MPI_STATUS_IGNORE, error)
      end do
    case (6)
      step = 0
      do while (step < 2)
        call MPI_Testany(3, requests, index, done, MPI_STATUS_IGNORE, error)
        if (done .and. index /= MPI_UNDEFINED) step = step + 1
      end do
    case (7)
      step = 0
      do while (step < 2)
        call MPI_Testsome(3, requests, number, indices, MPI_STATUSES_IGNORE, error)
        step = step + number
      end do
    case (8)
      do while (.not. done)
        call MPI_Request_get_status(requests(2), done, status, error)  ! Open MPI 4.1 does nothing with MPI_STATUS_IGNORE
      end do
    end select
    values = -1
    error = to_host(c_loc(values), receive_address, bytes)
    checks = checks + 1
    if (any(values /= ranks * (ranks - 1) / 2 + ranks * 10 * way)) wrong = wrong + 1
    if (way == 8) call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
    if (here(1) /= ranks * way) wrong = wrong + 1
    if (.not. persistent) return
    call MPI_Request_free(requests(2), error)
    call MPI_Request_free(requests(3), error)
  end subroutine
end program
