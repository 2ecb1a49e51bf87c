#!/bin/sh
# Runs everything that needs a GPU, one after the other:  bench/gpu/run.sh BUILD_DIR [simulated]
# BUILD_DIR was configured with -DTOPOWISE_BENCH=ON or -DBUILD_TESTING=ON. "simulated" runs on the stand-in for the driver: this checks the
# scripts, not a GPU. The script goes on after a failure; the exit status is 1 if there was a failure.
set -u
build=$1
if [ "${2:-}" = simulated ]; then
  TOPOWISE_CUDA_LIBRARY=$(find "$build" -name libtopowise_fake_cuda.so | head -n 1)
  TOPOWISE_NVML_LIBRARY=$(find "$build" -name libtopowise_fake_nvml.so | head -n 1)
  export TOPOWISE_CUDA_LIBRARY TOPOWISE_NVML_LIBRARY
  export TOPOWISE_FAKE_NODE="${TOPOWISE_FAKE_NODE:-preset:dgx1-v100}" TOPOWISE_FAKE_SESSION="bench-$$"
fi
status=0
step() {
  printf '\n== %s\n' "$*"
  "$@" || { status=1; printf 'FAILED: %s\n' "$*"; }
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
step "$build/bin/gpu_bench" devices
step "$build/bin/gpu_bench" sharing
step "$build/bin/gpu_bench" pointers
step "$build/bin/gpu_bench" kernels
step "$build/bin/topowise" doctor
step "$build/bin/topowise" topology live
# The probe measures pairs, so it needs two GPUs.
[ "$("$build/bin/gpu_bench" devices 2> /dev/null | grep -c ', compute ')" -lt 2 ] || step "$build/bin/topowise" probe --save "$scratch/measured.json"
exit $status
