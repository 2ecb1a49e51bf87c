#!/bin/sh
# Runs NVIDIA's assembler on the kernels' PTX, for every generation of GPUs; needs no GPU:  bench/gpu/assemble.sh BUILD_DIR PTXAS
# PTXAS is a program of the CUDA toolkit, or of the Python package nvidia-cuda-nvcc-cu12 (nvidia/cuda_nvcc/bin/ptxas).
set -u
status=0
for generation in sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120; do
  for image in kernels folds; do
    if "$2" -arch=$generation "$1/kernels/$image.ptx" -o /dev/null; then
      printf '%s: %s assembles\n' $generation $image
    else
      printf '%s: %s FAILED\n' $generation $image
      status=1
    fi
  done
done
exit $status
