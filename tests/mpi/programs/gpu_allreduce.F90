! SPDX-License-Identifier: BSD-3-Clause
! MPI_Allreduce of vectors in GPU memory, called from Fortran: by mpif.h's interface and by mpi_f08's.
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

program gpu_allreduce
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
  print '("rank ", i0, ": ", i0, " checks, ", i0, " wrong")', rank, checks, wrong
  call MPI_Finalize(error)
end program
