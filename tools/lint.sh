#!/bin/sh
# Runs clang-tidy by the rules of .clang-tidy:  tools/lint.sh [FILE...]   (without a FILE: all sources of topowise/ but the tests)
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- $(git ls-files 'topowise/*.cpp' | grep -v _test.cpp)
[ -f build/release/compile_commands.json ] || cmake --preset release -DBUILD_TESTING=ON > build-lint.log || { cat build-lint.log; exit 1; }
rm -f build-lint.log
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/release
