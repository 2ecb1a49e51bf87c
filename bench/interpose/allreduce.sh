#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What `topowise run --allreduce` adds to an MPI_Allreduce of vectors on the host, in nanoseconds.
#
#   bench/interpose/allreduce.sh LIBRARY [MPICC [MPIEXEC [ARGUMENT...]]]
#
# LIBRARY is libtopowise_interpose.so; MPICC and MPIEXEC default to mpicc and mpiexec. RANKS (1) is how many ranks a job has: with more
# than one, calls on MPI_COMM_WORLD are measured too. Rounds (ROUNDS, 5) of all variants are interleaved and the least of each is taken.
# `idle` is the library preloaded without the option.
set -eu
library=$(realpath "$1")
mpicc=${2:-mpicc}
mpiexec=${3:-mpiexec}
shift $(($# < 3 ? $# : 3))
rounds=${ROUNDS:-5}
ranks=${RANKS:-1}

here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$mpicc" -O2 -o "$work/allreduce" "$here/allreduce.c"

launch() { "$mpiexec" "$@" -n "$ranks" "$work/allreduce"; }
round=0
while [ "$round" -lt "$rounds" ]; do
  launch "$@" | sed 's/^/none /' >>"$work/times"
  LD_PRELOAD=$library launch "$@" | sed 's/^/idle /' >>"$work/times"
  LD_PRELOAD=$library TOPOWISE_ALLREDUCE=auto launch "$@" | sed 's/^/allreduce /' >>"$work/times"
  round=$((round + 1))
done

awk '
  { if (!(($2, $1) in least) || $3 < least[$2, $1]) least[$2, $1] = $3; if (!($2 in seen)) { seen[$2]; order[++calls] = $2 } }
  END {
    printf "%-10s %10s %10s %10s %10s %10s\n", "ns/call", "none", "idle", "allreduce", "+idle", "+allreduce"
    for (c = 1; c <= calls; ++c) {
      n = least[order[c], "none"]; i = least[order[c], "idle"]; a = least[order[c], "allreduce"]
      printf "%-10s %10.1f %10.1f %10.1f %10.1f %10.1f\n", order[c], n, i, a, i - n, a - n
    }
  }' "$work/times"
