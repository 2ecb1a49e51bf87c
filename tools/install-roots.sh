#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs three releases of Debian in folders of their own, with two MPI libraries and a C compiler, for the tests of packages (as root):
#   tools/install-roots.sh [FOLDER]    default: .deps/roots. Does nothing for a release that is there already.
set -eu
folder=${1:-.deps/roots}
mirror=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2> /dev/null | sed -n 's#^\(URIs: *\|deb \(\[[^]]*\] \)\?\)\(https\?://[^ ]*/debian\)/\?\( .*\)\?$#\3#p' | head -n 1)
mkdir -p "$folder"
for suite in bullseye bookworm trixie; do
  [ ! -f "$folder/$suite/complete" ] || continue
  rm -rf "${folder:?}/$suite"
  debootstrap --variant=minbase "$suite" "$folder/$suite" "${mirror:-http://deb.debian.org/debian}" > "$folder/$suite.log" 2>&1 || { tail "$folder/$suite.log" >&2; exit 1; }
  case $suite in
  bullseye) modules=environment-modules ;;
  bookworm) modules=lmod ;; # the two do not go together
  *) modules="" ;;
  esac
  # shellcheck disable=SC2086  # none or one
  DEBIAN_FRONTEND=noninteractive chroot "$folder/$suite" apt-get install -y -q --no-install-recommends gcc libc6-dev libmpich-dev libopenmpi-dev man-db mpich \
    openmpi-bin pkg-config $modules >> "$folder/$suite.log" 2>&1 || { tail "$folder/$suite.log" >&2; exit 1; }
  chroot "$folder/$suite" apt-get clean
  echo "127.0.0.1 localhost" > "$folder/$suite/etc/hosts"
  touch "$folder/$suite/complete"
done
