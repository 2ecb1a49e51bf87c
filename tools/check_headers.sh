#!/bin/sh
# Compiles every header of the project alone:  tools/check_headers.sh [JOBS]
set -eu
cd "$(dirname "$0")/.."
gpu_only=topowise/device/gpu_threads.hpp

git ls-files 'topowise/*.hpp' 'tests/*.hpp' | grep -vxF "$gpu_only" | xargs -P "${1:-$(nproc)}" -I HEADER \
  sh -c 'echo "#include \"HEADER\"" | g++ -std=c++20 -I. -DTOPOWISE_SOURCE_DIR=\".\" -fsyntax-only -x c++ - || { echo "HEADER does not compile alone"; exit 1; }'
# This header is compiled with the options of tools/make_kernels.sh.
echo "#include \"$gpu_only\"" | clang++ -std=c++20 -I. -x cuda --cuda-device-only --cuda-gpu-arch=sm_35 -nocudainc -nocudalib -fsyntax-only -
