#!/bin/sh
# Makes topowise/device/folds.ptx and folds_sm80.ptx, the GPU kernels of every build, from the .cu files of the same names:
#   tools/make_kernels.sh            after a change of the fold code
#   tools/make_kernels.sh --check    only compares, for the tests
# clang does this alone, without any file of NVIDIA's. The first file is PTX 3.2 for compute capability 3.5 (K20, K80), which the drivers of all GPUs
# since then compile; the second is PTX 7.0 for 8.0. Version 14 of clang makes them: others write the same kernels in other words, and every diff would
# be a large one.
set -eu
cd "$(dirname "$0")/.."
for clang in clang++-14 clang++; do
  case $("$clang" --version 2> /dev/null) in *"clang version 14."*) break ;; esac
  clang=
done
if [ -z "$clang" ]; then
  echo "make_kernels.sh: clang 14 is not here (apt-get install clang-14)" >&2
  [ -z "${TOPOWISE_REQUIRE_ALL:-}" ] || exit 1
  exit 77
fi
made=$(mktemp)
trap 'rm -f "$made"' EXIT
# make NAME ARCHITECTURE. All calls are inlined: a call would copy all arguments of a kernel to memory of the thread. Loops over a number of vectors that
# is not known stay loops.
make() {
  kept=topowise/device/$1.ptx
  "$clang" -x cuda --cuda-device-only --cuda-gpu-arch="$2" -nocudainc -nocudalib -std=c++20 -O3 -mllvm -inline-threshold=100000 -mllvm -unroll-runtime=false \
    -I. -S "topowise/device/$1.cu" -o "$made"
  if [ "$check" ]; then
    cmp "$made" "$kept" || { echo "make_kernels.sh: $kept is not what clang 14 makes of $1.cu: run tools/make_kernels.sh" >&2; exit 1; }
  else
    cp "$made" "$kept"
  fi
}
check=
[ "${1:-}" != --check ] || check=yes
make folds sm_35
make folds_sm80 sm_80
