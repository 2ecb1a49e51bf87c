#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures what `topowise run --collectives-on-gpu` adds to collectives of vectors on the host, in nanoseconds.
#
#   bench/interpose/collectives.sh LIBRARY [MPICC [MPIEXEC [ARGUMENT...]]]
#
# Arguments and variables are those of allreduce.sh.
# shellcheck disable=SC2154  # variants.sh sets library, mpicc, mpiexec, work
here=$(dirname "$(realpath "$0")")
. "$here/variants.sh"
"$mpicc" -O2 -o "$work/collectives" "$here/collectives.c"

launch() { "$mpiexec" "$@" -n "${RANKS:-1}" "$work/collectives"; }
run() {
  case $1 in
    none) shift; launch "$@" ;;
    idle) shift; LD_PRELOAD=$library launch "$@" ;;
    on-gpu) shift; LD_PRELOAD=$library TOPOWISE_ALLREDUCE=auto TOPOWISE_COLLECTIVES_ON_GPU=bcast,reduce,allgather,allgatherv,reduce_scatter,reduce_scatter_block launch "$@" ;;
  esac
}

compare "none idle on-gpu" "$@"
