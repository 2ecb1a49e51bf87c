#!/bin/sh
# run.sh BUILD_DIR CLIENT_DIR VERSION: installs the build, moves the installed tree, builds and runs the client against it in both
# ways, and holds what is installed against headers.txt.
set -eu
build=$1
client=$2
version=$3
here=$(dirname "$client")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" > "$work/install.log" 2>&1 || { cat "$work/install.log"; exit 1; }
mv "$work/first" "$work/moved"

# One hop-bytes total by hand (272: rank i on GPU i), one proven (176); two messages of 1 GB inside a switch: 2e9 bytes, 40 ms.
expected="272 176 2e+09 0.04 1"
check() {
  [ "$1" = "$3" ] || { echo "$2: '$1', expected '$3'"; exit 1; }
  echo "$2: ok"
}

# --- which headers, and that each can be included alone; what none of the public ones includes has no business here
find "$work/moved/include/topowise" -type f | sed "s|^$work/moved/include/topowise/||" | LC_ALL=C sort > "$work/headers.txt"
diff "$here/headers.txt" "$work/headers.txt" || { echo "these headers are installed and should not be, or the other way round"; exit 1; }
echo "headers: ok"
grep -v / "$work/headers.txt" | sed 's|.*|#include <topowise/&>|' > "$work/all.cpp"
g++ -std=c++20 -MM -I"$work/moved/include" "$work/all.cpp" | tr -d '\\' | tr ' ' '\n' | sed -n 's|.*/include/topowise/||p' | LC_ALL=C sort > "$work/included.txt"
diff "$work/headers.txt" "$work/included.txt" || { echo "these headers are installed, but no public one includes them"; exit 1; }
grep -v / "$work/headers.txt" | while read -r header; do
  echo "#include <topowise/$header>" | g++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$work/moved/include" -x c++ - ||
    { echo "$header cannot be included alone"; exit 1; }
done
echo "each alone: ok"

# --- the client, by find_package and by pkg-config
cmake -S "$client" -B "$work/client" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/moved" > "$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/client" > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
check "$("$work/client/client")" "find_package" "$expected"
targets=$(sed -n 's/.*add_library(\(topowise::[a-z_]*\) .*/\1/p' "$(find "$work/moved" -name topowise-targets.cmake)")
check "$targets" "targets" "topowise::topowise"

pc=$(dirname "$(find "$work/moved" -name topowise.pc)")
# shellcheck disable=SC2046  # a list of flags
g++ -std=c++20 "$client/client.cpp" -o "$work/pc-client" $(PKG_CONFIG_PATH="$pc" pkg-config --cflags --libs topowise)
check "$("$work/pc-client")" "pkg-config" "$expected"

# --- one version everywhere
check "$("$work/pc-client" --version)" "version of the headers" "$version"
check "$(PKG_CONFIG_PATH="$pc" pkg-config --modversion topowise)" "version of pkg-config" "$version"
check "$("$work/moved/bin/topowise" --version | grep -o '[0-9]*\.[0-9]*\.[0-9]*' | head -n 1)" "version of the program" "$version"
check "$(sed -n 's/^version: //p' "$here/../../CITATION.cff")" "version of CITATION.cff" "$version"
check "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' "$here/../../CHANGELOG.md" | head -n 1)" "version of CHANGELOG.md" "$version"

check "$("$work/moved/bin/topowise" map pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --json |
  python3 -c 'import json, sys; m = json.load(sys.stdin); print("%g %g" % (m["identity_cost"], m["cost"]))')" "installed program" "272 176"
[ -f "$(find "$work/moved" -name 'libtopowise_interpose.so')" ] || { echo "libtopowise_interpose.so is not installed"; exit 1; }
echo "installed package: ok"
