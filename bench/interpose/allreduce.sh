#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures what `topowise run --allreduce` adds to an MPI_Allreduce of vectors on the host, in nanoseconds.
#
#   bench/interpose/allreduce.sh LIBRARY [MPICC [MPIEXEC [ARGUMENT...]]]
#
# LIBRARY is libtopowise_interpose.so; MPICC and MPIEXEC default to mpicc and mpiexec. RANKS (1) is the number of ranks of a job: with more
# than one, calls on MPI_COMM_WORLD are measured too. All variants are run in ROUNDS (5) interleaved rounds, and the least time of each counts.
# `idle` is the library preloaded without the option.
# shellcheck disable=SC2154  # variants.sh sets library, mpicc, mpiexec, work
here=$(dirname "$(realpath "$0")")
. "$here/variants.sh"
"$mpicc" -O2 -o "$work/allreduce" "$here/allreduce.c"

launch() { "$mpiexec" "$@" -n "${RANKS:-1}" "$work/allreduce"; }
run() {
  case $1 in
    none) shift; launch "$@" ;;
    idle) shift; LD_PRELOAD=$library launch "$@" ;;
    allreduce) shift; LD_PRELOAD=$library TOPOWISE_ALLREDUCE=auto launch "$@" ;;
  esac
}

compare "none idle allreduce" "$@"
