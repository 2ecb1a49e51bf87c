# SPDX-License-Identifier: BSD-3-Clause
# Scripts that compare a program with and without the preloaded library begin with `. variants.sh`. Their arguments are
# LIBRARY [MPICC [MPIEXEC [ARGUMENT...]]]; afterwards only ARGUMENT... are left. ROUNDS (5) says how often each variant is run.
set -eu
library=$(realpath "$1")
mpicc=${2:-mpicc}
mpiexec=${3:-mpiexec}
shift $(($# < 3 ? $# : 3))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compare "VARIANT..." ARGUMENT...: runs `run VARIANT ARGUMENT...` in interleaved rounds; it must print lines "CALL NANOSECONDS". Prints the
# least time of each call, and how much it exceeds that of the first variant.
compare() {
  variants=$1
  shift
  round=0
  while [ "$round" -lt "${ROUNDS:-5}" ]; do
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
        for (i = 2; i <= n; ++i) printf " %14.1f", least[order[c], name[i]] - least[order[c], name[1]]
        print ""
      }
    }' "$work/times"
}
