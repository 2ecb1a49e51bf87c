#!/bin/sh
# Makes topowise/device/folds.ptx, the GPU kernels of every build, from folds.cu:
#   tools/make_kernels.sh            after a change of the fold code
#   tools/make_kernels.sh --check    only compares, for the tests
# clang does this alone, without any file of NVIDIA's. The result is PTX 3.2 for compute capability 3.5 (K20, K80), which the drivers of all GPUs since
# then compile. Version 14 of clang makes it: others write the same kernels in other words, and every diff would be a large one.
set -eu
cd "$(dirname "$0")/.."
kept=topowise/device/folds.ptx
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
# All calls are inlined: a call would copy all arguments of a kernel to memory of the thread.
"$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_35 -nocudainc -nocudalib -std=c++20 -O3 -mllvm -inline-threshold=100000 -I. \
  -S topowise/device/folds.cu -o "$made"
if [ "${1:-}" = --check ]; then
  cmp "$made" $kept || { echo "make_kernels.sh: $kept is not what clang 14 makes of folds.cu: run tools/make_kernels.sh" >&2; exit 1; }
else
  cp "$made" $kept
fi
