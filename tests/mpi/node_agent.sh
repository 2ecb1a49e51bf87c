#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The program that a launcher starts in place of ssh: node_agent.sh [OPTION...] HOST COMMAND... The "host" is this machine under another
# name: one machine acts as several compute nodes. Needs root: in a user namespace, which users without root could make, MPICH does not find
# its peers' memory.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec unshare --uts sh -c 'hostname "$0" && exec sh -c "$1"' "$host" "$*" </dev/null
