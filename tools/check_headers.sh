#!/bin/sh
# Compiles every header of the project alone:  tools/check_headers.sh [JOBS]
set -eu
cd "$(dirname "$0")/.."
gpu_only='topowise/device/\(nvidia_threads\|amd_threads\).hpp'

git ls-files 'topowise/*.hpp' 'tests/*.hpp' | grep -vx "$gpu_only" | xargs -P "${1:-$(nproc)}" -I HEADER \
  sh -c 'echo "#include \"HEADER\"" | g++ -std=c++20 -I. -DTOPOWISE_SOURCE_DIR=\".\" -fsyntax-only -x c++ - || { echo "HEADER does not compile alone"; exit 1; }'
# These headers are compiled for a GPU: with the options of tools/make_kernels.sh, and for AMD.
for_gpu() {
  header=$1
  shift
  echo "#include \"$header\"" | clang++ -std=c++20 -I. --cuda-device-only -fsyntax-only "$@" -
}
for_gpu topowise/device/nvidia_threads.hpp -x cuda --cuda-gpu-arch=sm_35 -nocudainc -nocudalib
for_gpu topowise/device/amd_threads.hpp -x hip --offload-arch=gfx90a -nogpuinc -nogpulib
