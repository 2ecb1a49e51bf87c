#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a launcher starts in place of ssh: node_agent.sh [OPTION...] HOST COMMAND...
# The "host" is this machine under another name, so that one machine acts out several compute nodes. Needs no right but
# to make namespaces: who is not root becomes it in a user namespace of his own.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
[ "$(id -u)" = 0 ] && own= || own=--map-root-user
exec unshare --uts $own sh -c 'hostname "$0" && exec sh -c "$1"' "$host" "$*" </dev/null
