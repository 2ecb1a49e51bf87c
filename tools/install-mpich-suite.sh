#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fetches the source of MPICH's test suite (Debian's source package, checked by apt) and unpacks the files that tests/mpi/mpich_suite_test.py compiles.
#   tools/install-mpich-suite.sh [FOLDER]    default: .deps/mpich-suite. Does nothing if the suite is there already. Needs no root.
set -eu
folder=${1:-.deps/mpich-suite}
[ ! -d "$folder/topo" ] || exit 0
mkdir -p "$(dirname "$folder")"
work=$(mktemp -d "$(dirname "$folder")/mpich-suite-XXXXXX")
trap 'rm -rf "$work"' EXIT
work=$(cd "$work" && pwd)
mkdir -p "$work/lists/partial" "$work/sources"
for list in /etc/apt/sources.list.d/*.sources; do
  [ ! -f "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" > "$work/sources/$(basename "$list")"
done
[ ! -f /etc/apt/sources.list ] || sed -n 's/^deb /deb-src /p' /etc/apt/sources.list > "$work/sources/main.list"
options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$work/sources -o Dir::State::lists=$work/lists"
# shellcheck disable=SC2086  # options of one word each
apt-get -q $options update
# shellcheck disable=SC2086
(cd "$work" && apt-get -q $options source --download-only mpich)
tar -xJf "$work"/mpich_*.orig.tar.xz -C "$work" --strip-components=3 --wildcards '*/test/mpi/coll/*.c' '*/test/mpi/topo/*.c' '*/test/mpi/comm/*.c' '*/testlist*' '*/test/mpi/util/*' '*/test/mpi/include/*' '*/test/mpi/dtpools/include/*' '*/test/mpi/dtpools/src/*'
mkdir "$work/suite"
mv "$work/coll" "$work/topo" "$work/comm" "$work/util" "$work/include" "$work/dtpools" "$work/suite/"
rm -rf "$folder"
mv "$work/suite" "$folder"
