#!/bin/sh
# Compiles every header of the project alone:  tools/check_headers.sh [JOBS]
set -eu
cd "$(dirname "$0")/.."
git ls-files 'topowise/*.hpp' 'tests/*.hpp' | xargs -P "${1:-$(nproc)}" -I HEADER \
  sh -c 'echo "#include \"HEADER\"" | g++ -std=c++20 -I. -DTOPOWISE_SOURCE_DIR=\".\" -fsyntax-only -x c++ - || { echo "HEADER does not compile alone"; exit 1; }'
