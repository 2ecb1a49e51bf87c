#!/bin/sh
# Runs the benchmarks of mappers, congestion model and recording one after the other:  bench/run.sh BUILD_DIR
# BUILD_DIR was configured with -DTOPOWISE_BENCH=ON (`make bench`). Figures are for this machine; compare ratios of one run, never two runs.
set -eu
build=$1
here=$(dirname "$0")
printf 'machine: %s, %s cores\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
printf '\n== quality of the mappers\n'
"$build/bin/quality_bench"
printf '\n== congestion model\n'
"$build/bin/model_bench"
printf '\n== overhead of recording\n'
library=$(find "$build" -name libtopowise_interpose.so | head -n 1)
root=""
[ "$(id -u)" -ne 0 ] || root=--allow-run-as-root
# shellcheck disable=SC2086  # an option or nothing
"$here/interpose/overhead.sh" "$library" mpicc.openmpi mpirun.openmpi $root --oversubscribe
