#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures what `topowise run --collectives-on-gpu` adds to collectives of vectors on the host, in nanoseconds: each batch of calls beside one of the same
# calls by PMPI, which the library does not see.
#
#   bench/interpose/collectives.sh LIBRARY [MPICC [MPIEXEC [ARGUMENT...]]]
#
# Arguments and variables are those of allreduce.sh. `idle` is the library preloaded without the option. For each variant it prints the
# median of what a call takes more, and what the least one takes more than the least one by PMPI; of each the median of all rounds.
# shellcheck disable=SC2154  # variants.sh sets library, mpicc, mpiexec, work
here=$(dirname "$(realpath "$0")")
. "$here/variants.sh"
"$mpicc" -O2 -o "$work/collectives" "$here/collectives.c"

launch() { "$mpiexec" "$@" -n "${RANKS:-1}" "$work/collectives"; }
run() {
  case $1 in
    none) shift; launch "$@" ;;
    idle) shift; LD_PRELOAD=$library launch "$@" ;;
    on-gpu) shift; LD_PRELOAD=$library TOPOWISE_ALLREDUCE=auto TOPOWISE_COLLECTIVES_ON_GPU=allreduce,bcast,reduce,allgather,allgatherv,reduce_scatter,reduce_scatter_block launch "$@" ;;
  esac
}

round=0
while [ "$round" -lt "${ROUNDS:-5}" ]; do
  for variant in none idle on-gpu; do run "$variant" "$@" | sed "s/^/$variant /" >> "$work/times"; done
  round=$((round + 1))
done
python3 - "$work/times" <<'END'
import statistics
import sys

found = {}
for line in open(sys.argv[1]):
    variant, call, *numbers = line.split()
    found.setdefault(call, {}).setdefault(variant, []).append([float(number) for number in numbers])
variants = ("none", "idle", "on-gpu")
print(f"{'ns/call':<26}{'alone':>9}" + "".join(f"{'+' + variant:>9}{'least':>8}" for variant in variants))
for call, rows in found.items():
    cells = [min(row[0] for row in rows["none"])]
    for variant in variants:
        _, median, least = zip(*rows[variant])
        cells += [statistics.median(median), statistics.median(least)]
    print(f"{call:<26}{cells[0]:>9.1f}" + "".join(f"{median:>9.1f}{least:>8.1f}" for median, least in zip(cells[1::2], cells[2::2])))
END
