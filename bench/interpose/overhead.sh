#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What recording adds to an MPI call, in nanoseconds, beside no recording and beside Open MPI's own monitoring.
#
#   bench/interpose/overhead.sh LIBRARY [MPICC [MPIEXEC [ARGUMENT...]]]
#
# LIBRARY is libtopowise_interpose.so; MPICC and MPIEXEC default to mpicc and mpiexec. Rounds of all variants are interleaved
# and the least of each is taken. `idle` is the library preloaded without TOPOWISE_PROFILE.
set -eu
library=$(realpath "$1")
mpicc=${2:-mpicc}
mpiexec=${3:-mpiexec}
shift $(($# < 3 ? $# : 3))
rounds=${ROUNDS:-5}

here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$mpicc" -O2 -o "$work/calls" "$here/calls.c" -ldl
mkdir "$work/monitoring"

launch() { "$mpiexec" "$@" -n 2 "$work/calls"; }
variants="none idle recording"
if ldd "$work/calls" | grep -q 'libmpi\.so\.40'; then variants="$variants monitoring"; fi

run() {
  case $1 in
    none) shift; launch "$@" ;;
    idle) shift; LD_PRELOAD=$library launch "$@" ;;
    recording) shift; LD_PRELOAD=$library TOPOWISE_PROFILE=$work/profile launch "$@" ;;
    monitoring) shift
      launch "$@" --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \
        --mca pml_monitoring_filename "$work/monitoring/x" ;;
  esac
}

round=0
while [ "$round" -lt "$rounds" ]; do
  for variant in $variants; do run "$variant" "$@" | sed "s/^/$variant /" >>"$work/times"; done
  round=$((round + 1))
done

awk -v variants="$variants" '
  { if (!(($2, $1) in least) || $3 < least[$2, $1]) least[$2, $1] = $3; if (!($2 in seen)) { seen[$2]; order[++calls] = $2 } }
  END {
    n = split(variants, name, " ")
    printf "%-10s", "ns/call"
    for (i = 1; i <= n; ++i) printf " %12s", name[i]
    for (i = 2; i <= n; ++i) printf " %14s", "+" name[i]
    print ""
    for (c = 1; c <= calls; ++c) {
      printf "%-10s", order[c]
      for (i = 1; i <= n; ++i) printf " %12.1f", least[order[c], name[i]]
      for (i = 2; i <= n; ++i) printf " %14.1f", least[order[c], name[i]] - least[order[c], "none"]
      print ""
    }
  }' "$work/times"
