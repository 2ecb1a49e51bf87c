! SPDX-License-Identifier: BSD-3-Clause
! MPI's topology functions through the binding that BINDING names: 1 mpif.h, 2 the module mpi, 3 the module mpi_f08.
! Vertex v talks to v + n/2. Checks that everything fits the new ranks; prints "moved N" or ends with status 1.
#if BINDING == 3
#define COMM type(MPI_Comm)
#else
#define COMM integer
#endif
program topologies
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
  integer :: ierror, rank, ranks, failures, moved, total(2)

  failures = 0
  moved = 0
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call on_a_graph()
  call on_adjacent_edges()
  call on_stated_edges()
  call on_a_grid()
  call on_maps()
  call MPI_Allreduce((/failures, moved/), total, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, i0)', 'moved ', total(2)
  call MPI_Finalize(ierror)
  if (total(1) /= 0) stop 1

contains

  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    print '(a, i0, 2a)', 'rank ', rank, ': ', what
    failures = failures + 1
  end subroutine

  integer function partner_of(vertex)
    integer, intent(in) :: vertex
    partner_of = mod(vertex + ranks / 2, ranks)
  end function

  subroutine check_pairs(pairs)
    COMM, intent(in) :: pairs
    integer :: vertex, got
    call MPI_Comm_rank(pairs, vertex, ierror)
    got = -1
    call MPI_Neighbor_allgather(vertex, 1, MPI_INTEGER, got, 1, MPI_INTEGER, pairs, ierror)
    call check(got == partner_of(vertex), 'MPI_Neighbor_allgather')
    if (vertex /= rank) moved = moved + 1
  end subroutine

  subroutine make_graph(index, edges)
    integer, intent(out) :: index(ranks), edges(ranks)
    integer :: v
    do v = 0, ranks - 1
      index(v + 1) = v + 1
      edges(v + 1) = partner_of(v)
    end do
  end subroutine

  subroutine on_a_graph()
    integer :: index(ranks), edges(ranks), vertex, neighbors(1), kind
    COMM :: pairs
    call make_graph(index, edges)
    call MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, .true., pairs, ierror)
    call check(ierror == MPI_SUCCESS, 'MPI_Graph_create')
    call MPI_Topo_test(pairs, kind, ierror)
    call check(kind == MPI_GRAPH, 'MPI_Topo_test')
    call MPI_Comm_rank(pairs, vertex, ierror)
    call MPI_Graph_neighbors(pairs, vertex, 1, neighbors, ierror)
    call check(neighbors(1) == partner_of(vertex), 'MPI_Graph_neighbors')
    call check_pairs(pairs)
    call MPI_Comm_free(pairs, ierror)
  end subroutine

  subroutine on_adjacent_edges()
    integer :: list(1), weights(1), vertex, in, out, in_list(1), out_list(1), in_weights(1), out_weights(1)
    logical :: weighted
    COMM :: pairs
    list(1) = partner_of(rank)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, list, MPI_UNWEIGHTED, 1, list, MPI_UNWEIGHTED, MPI_INFO_NULL, .true., pairs, ierror)
    call MPI_Dist_graph_neighbors_count(pairs, in, out, weighted, ierror)
    call check(in == 1 .and. out == 1 .and. .not. weighted, 'MPI_UNWEIGHTED')
    call check_pairs(pairs)
    call MPI_Comm_free(pairs, ierror)
    weights(1) = 40 + mod(rank, ranks / 2)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, list, weights, 1, list, weights, MPI_INFO_NULL, .true., pairs, ierror)
    call MPI_Comm_rank(pairs, vertex, ierror)
    call MPI_Dist_graph_neighbors_count(pairs, in, out, weighted, ierror)
    call check(weighted, 'weighted')
    call MPI_Dist_graph_neighbors(pairs, 1, in_list, in_weights, 1, out_list, out_weights, ierror)
    call check(in_list(1) == partner_of(vertex) .and. out_list(1) == partner_of(vertex), 'MPI_Dist_graph_neighbors')
    call check(in_weights(1) == 40 + mod(vertex, ranks / 2) .and. out_weights(1) == in_weights(1), 'weights')
    call check_pairs(pairs)
    call MPI_Comm_free(pairs, ierror)
    ! all vertices without neighbours
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, list, MPI_WEIGHTS_EMPTY, 0, list, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .true., pairs, ierror)
    call MPI_Dist_graph_neighbors_count(pairs, in, out, weighted, ierror)
    call check(in == 0 .and. out == 0, 'MPI_WEIGHTS_EMPTY')
    call MPI_Comm_free(pairs, ierror)
  end subroutine

  ! Each process states the edge of another vertex.
  subroutine on_stated_edges()
    integer :: sources(1), degrees(1), list(1)
    character(8) :: skip
    COMM :: pairs
    call get_environment_variable('WITHOUT_DIST_GRAPH', skip)
    if (skip /= '') return
    sources(1) = ranks - 1 - rank
    degrees(1) = 1
    list(1) = partner_of(sources(1))
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, sources, degrees, list, MPI_UNWEIGHTED, MPI_INFO_NULL, .true., pairs, ierror)
    call check_pairs(pairs)
    call MPI_Comm_free(pairs, ierror)
  end subroutine

  subroutine on_a_grid()
    integer :: extents(2), place(2), vertex, back, row_rank, row_size, before, behind
    logical :: periodic(2), keep(2)
    COMM :: grid, row
    extents = (/ranks / 2, 2/)
    periodic = (/.true., .false./)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, .true., grid, ierror)
    call MPI_Comm_rank(grid, vertex, ierror)
    call MPI_Cart_coords(grid, vertex, 2, place, ierror)
    call MPI_Cart_rank(grid, place, back, ierror)
    call check(back == vertex .and. place(1) == vertex / 2 .and. place(2) == mod(vertex, 2), 'MPI_Cart_coords')
    call MPI_Cart_shift(grid, 0, 1, before, behind, ierror)
    call check(behind == mod(vertex + 2, ranks) .and. before == mod(vertex + ranks - 2, ranks), 'MPI_Cart_shift, periodic')
    call MPI_Cart_shift(grid, 1, 1, before, behind, ierror)
    if (place(2) == 1) call check(before == vertex - 1 .and. behind == MPI_PROC_NULL, 'MPI_Cart_shift, not periodic')
    keep = (/.false., .true./)
    call MPI_Cart_sub(grid, keep, row, ierror)
    call MPI_Comm_rank(row, row_rank, ierror)
    call MPI_Comm_size(row, row_size, ierror)
    call check(row_rank == place(2) .and. row_size == 2, 'MPI_Cart_sub')
    call MPI_Comm_free(row, ierror)
    call MPI_Comm_free(grid, ierror)
  end subroutine

  subroutine on_maps()
    integer :: index(ranks), edges(ranks), extents(1), vertex, cell
    logical :: periodic(1)
    COMM :: pairs
    call make_graph(index, edges)
    call MPI_Graph_map(MPI_COMM_WORLD, ranks, index, edges, vertex, ierror)
    call MPI_Comm_split(MPI_COMM_WORLD, 0, vertex, pairs, ierror)
    call MPI_Comm_rank(pairs, cell, ierror)
    call check(cell == vertex, 'MPI_Graph_map')
    call MPI_Comm_free(pairs, ierror)
    extents(1) = ranks
    periodic(1) = .true.
    call MPI_Cart_map(MPI_COMM_WORLD, 1, extents, periodic, cell, ierror)
    call check(cell >= 0 .and. cell < ranks, 'MPI_Cart_map')
  end subroutine
end program topologies
