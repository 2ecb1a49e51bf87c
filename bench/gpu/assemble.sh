#!/bin/sh
# The kernels' PTX through NVIDIA's assembler, for every generation of GPUs; needs no GPU:  bench/gpu/assemble.sh BUILD_DIR PTXAS
# PTXAS is in the CUDA toolkit, or in the Python package nvidia-cuda-nvcc-cu12 (nvidia/cuda_nvcc/bin/ptxas).
set -u
status=0
for generation in sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120; do
  if "$2" -arch=$generation "$1/kernels/kernels.ptx" -o /dev/null; then
    printf '%s assembles\n' $generation
  else
    printf '%s FAILED\n' $generation
    status=1
  fi
done
exit $status
