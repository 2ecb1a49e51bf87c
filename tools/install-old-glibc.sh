#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fetches the C library of Debian 11 (glibc 2.31) and the files that linking against it needs, as packages that apt checks, and unpacks them in FOLDER.
# A program that is configured with cmake -DTOPOWISE_OLD_GLIBC=FOLDER runs on Debian 11 and on everything newer. Installs nothing, needs no root.
#   tools/install-old-glibc.sh [FOLDER [ARCHITECTURE]]    default: .deps/glibc-2.31, of this machine. Does nothing if the library is there already.
# For another ARCHITECTURE than that of this machine (arm64) FOLDER also gets the libraries of Debian 12 with which topowise is built.
set -eu
folder=${1:-.deps/glibc-2.31}
architecture=${2:-}
[ ! -d "$folder/usr" ] || exit 0
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keys" ] || { echo "$keys is missing: apt-get install debian-archive-keyring" >&2; exit 1; }
mkdir -p "$(dirname "$folder")"
work=$(mktemp -d "$(dirname "$folder")/glibc-XXXXXX")
trap 'rm -rf "$work"' EXIT
work=$(cd "$work" && pwd)
mkdir -p "$work/lists/partial" "$work/sources" "$work/root"
# The mirror from which this machine gets Debian. Packages that it no longer has are in Debian's archive.
mirror=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2> /dev/null | sed -n 's#^\(URIs: *\|deb \(\[[^]]*\] \)\?\)\(https\?://[^ ]*/debian\)/\?\( .*\)\?$#\3#p' | head -n 1)
mirror=${mirror:-http://deb.debian.org/debian}
for uri in "$mirror" http://archive.debian.org/debian; do
  libraries=""
  set -- -q -o Dir::Etc::sourcelist=/nonexistent -o Dir::Etc::sourceparts="$work/sources" -o Dir::State::lists="$work/lists" -o Acquire::Languages=none
  if [ -n "$architecture" ]; then
    printf 'Types: deb\nURIs: %s\nSuites: bookworm\nComponents: main\nSigned-By: %s\n' "$mirror" "$keys" > "$work/sources/libraries.sources"
    libraries="libfmt-dev/bookworm libfmt9/bookworm libpugixml-dev/bookworm libpugixml1v5/bookworm libyaml-cpp-dev/bookworm libyaml-cpp0.7/bookworm nlohmann-json3-dev/bookworm"
    set -- "$@" -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Dir::State::status=/dev/null
  fi
  printf 'Types: deb\nURIs: %s\nSuites: bullseye\nComponents: main\nSigned-By: %s\n' "$uri" "$keys" > "$work/sources/bullseye.sources"
  # shellcheck disable=SC2086  # a list of packages
  apt-get "$@" -o APT::Update::Error-Mode=any update && (cd "$work" && apt-get "$@" download libc6/bullseye libc6-dev/bullseye $libraries) && break
done
for package in "$work"/libc6*.deb; do
  dpkg-deb -x "$package" "$work/root"
done
rm -r "$work/root/usr/include"  # glibc's headers are those of the compiler: the library is linked against, no more
for package in "$work"/*.deb; do
  case $package in
  */libc6*) ;;
  *) dpkg-deb -x "$package" "$work/root" ;;
  esac
done
# Absolute links become relative links within the folder, so the folder may be anywhere.
find "$work/root" -type l -lname '/*' | while read -r link; do
  ln -sfr "$work/root$(readlink "$link")" "$link"
done
rm -rf "$folder"
mv "$work/root" "$folder"
