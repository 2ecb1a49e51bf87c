#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures what recording adds to an MPI call, in nanoseconds, beside no recording and beside Open MPI's own monitoring.
#
#   bench/interpose/overhead.sh LIBRARY [MPICC [MPIEXEC [ARGUMENT...]]]
#
# LIBRARY is libtopowise_interpose.so; MPICC and MPIEXEC default to mpicc and mpiexec. All variants are run in interleaved rounds,
# and the least time of each counts. `idle` is the library preloaded without TOPOWISE_PROFILE.
# shellcheck disable=SC2154  # variants.sh sets library, mpicc, mpiexec, work
here=$(dirname "$(realpath "$0")")
. "$here/variants.sh"
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

compare "$variants" "$@"
