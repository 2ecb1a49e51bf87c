#!/bin/sh
# Formatting of every source, and clang-tidy on those that are asked for.
#   tools/lint.sh [FILE...]   without files: format of all, clang-tidy of all files of the library and the program
set -eu
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
  git ls-files '*.cpp' '*.hpp' '*.c' | xargs clang-format --dry-run --Werror
  set -- $(git ls-files 'topowise/*.cpp' | grep -v _test.cpp)
fi
[ -f build/release/compile_commands.json ] || cmake --preset release > build-lint.log || { cat build-lint.log; exit 1; }
rm -f build-lint.log
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/release
