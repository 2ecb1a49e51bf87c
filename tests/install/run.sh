#!/bin/sh
# run.sh BUILD_DIR CLIENT_DIR: installs the build, moves the installed tree, builds and runs the client against it in both ways.
set -eu
build=$1
client=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" > "$work/install.log" 2>&1 || { cat "$work/install.log"; exit 1; }
mv "$work/first" "$work/moved"

expected="272 176"
check() {
  [ "$1" = "$expected" ] || { echo "$2: client printed '$1', expected '$expected'"; exit 1; }
  echo "$2: ok"
}

cmake -S "$client" -B "$work/client" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/moved" > "$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/client" > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
check "$("$work/client/client")" "find_package"

pc=$(dirname "$(find "$work/moved" -name topowise.pc)")
# shellcheck disable=SC2046  # a list of flags
g++ -std=c++20 "$client/client.cpp" -o "$work/pc-client" $(PKG_CONFIG_PATH="$pc" pkg-config --cflags --libs topowise)
check "$("$work/pc-client")" "pkg-config"

check "$("$work/moved/bin/topowise" map pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --json |
  python3 -c 'import json, sys; m = json.load(sys.stdin); print("%g %g" % (m["identity_cost"], m["cost"]))')" "installed program"
[ -f "$(find "$work/moved" -name 'libtopowise_interpose.so')" ] || { echo "libtopowise_interpose.so is not installed"; exit 1; }
echo "installed package: ok"
