#!/bin/sh
# The main job, end to end, with real MPI ranks:  examples/demo.sh BUILD_DIR
# Records a halo exchange on 16 ranks, reads a real machine's description, maps, and runs the program again with the mapping.
set -eu
build=${1:-build/release}
examples=$(dirname "$0")
out=${TOPOWISE_DEMO_OUTPUT:-demo-output}
topowise=$build/bin/topowise
machine=$examples/machines/k80-16gpu.nvidia-smi.txt
ranks=16

if command -v mpirun.openmpi > /dev/null && [ -x "$build/bin/examples/halo_exchange.openmpi" ]; then
  program=$build/bin/examples/halo_exchange.openmpi
  launch="mpirun.openmpi --oversubscribe -n $ranks"
  [ "$(id -u)" -ne 0 ] || launch="$launch --allow-run-as-root"
elif command -v mpiexec.mpich > /dev/null && [ -x "$build/bin/examples/halo_exchange.mpich" ]; then
  program=$build/bin/examples/halo_exchange.mpich
  launch="mpiexec.mpich -n $ranks"
else
  echo "demo: no MPI library with its compiler wrapper (Debian: openmpi-bin libopenmpi-dev)" >&2
  exit 4
fi
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1   # 16 ranks on whatever this machine has
mkdir -p "$out"
rm -rf "$out/halo.traffic"

step() { printf '\n\033[1m== %s\033[0m\n' "$1"; shift; echo "\$ $*"; "$@"; }
[ -t 1 ] || step() { printf '\n== %s\n' "$1"; shift; echo "\$ $*"; "$@"; }

# shellcheck disable=SC2086  # the launcher is a command with its options
{
  step "1. Record: the program runs unchanged, the library beside it counts" \
    $launch "$topowise" run --profile "$out/halo.traffic" -- "$program" --iterations 200
  step "2. What the ranks said to each other" "$topowise" traffic "$out/halo.traffic"
  step "3. The machine" "$topowise" topology "$machine"
  step "4. Map: traffic onto topology" "$topowise" map "$out/halo.traffic" "$machine" --save "$out/mapping.json"
  step "5. Run again: every rank gets its mapped GPU, all GPUs stay visible" \
    $launch "$topowise" run --mapping "$out/mapping.json" --gpu-bind permute --verify -- "$program" --iterations 200
}
echo
echo "The profile, the mapping and nothing else were left in $out/."
