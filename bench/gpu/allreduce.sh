#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures the allreduce on a machine that has a GPU and nothing else: no network, no MPI, no library of ours.
#   allreduce.sh pack BUILD_DIR FILE.tar.gz   puts program and libraries into one file
#   allreduce.sh run FOLDER [SECONDS]         on the machine, in the unpacked folder: all of it within so many seconds (600)
# What was measured lies in FOLDER as JSON, one file for each number of ranks, with and without MPS.
set -eu

pack() {
  build=$1 file=$2 work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/allreduce" "$work/allreduce/lib"
  cp "$build/bin/topowise" "$0" "$work/allreduce/"
  # All but the C library, which must be the machine's own, as its driver's is.
  ldd "$build/bin/topowise" | awk '$3 ~ "^/" && $1 !~ /^lib(c|m|dl|pthread|rt)\.so/ {print $3}' | xargs -I{} cp -L {} "$work/allreduce/lib/"
  tar -czf "$file" -C "$work" allreduce
  echo "$file: $(du -k "$file" | cut -f1) KiB"
}

now() { date +%s; }

# measure NAME RANKS: a measurement that would take too long ends, and leaves no file
measure() {
  left=$((deadline - $(now)))
  [ "$left" -gt 0 ] || { echo "$1: no time is left"; return; }
  if timeout -k 5 "$left" "$here/topowise" bench allreduce --ranks "$2" --sizes "$sizes" --repetitions 50 --json > "$out/$1.json" 2> "$out/$1.err"; then
    echo "$1: measured"
  else
    echo "$1: not measured (exit status $?): $(tail -n 1 "$out/$1.err")"
    mv "$out/$1.json" "$out/$1.partial"
  fi
}

run() {
  out=$1 deadline=$(($(now) + ${2:-600}))
  here=$(cd "$(dirname "$0")" && pwd)
  sizes=${ALLREDUCE_SIZES:-4B-64MiB}
  export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  mkdir -p "$out"
  "$here/topowise" doctor --json > "$out/doctor.json" || true
  for ranks in 2 4 8 16; do measure "ranks-$ranks" "$ranks"; done
  command -v nvidia-cuda-mps-control > /dev/null || { echo "with MPS: not measured, nvidia-cuda-mps-control is not there"; return; }
  CUDA_MPS_PIPE_DIRECTORY=$(mktemp -d) CUDA_MPS_LOG_DIRECTORY=$(mktemp -d)
  export CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
  nvidia-cuda-mps-control -d || { echo "with MPS: not measured, it does not start"; return; }
  for ranks in 2 4 8 16; do measure "ranks-$ranks-mps" "$ranks"; done
  echo quit | nvidia-cuda-mps-control
}

case ${1:-} in
  pack) [ $# -eq 3 ] && pack "$2" "$3" ;;
  run) [ $# -ge 2 ] && run "$2" "${3:-600}" ;;
  *) sed -n '3,6s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
