The quick form of each row of docs/papers/eurompi2014.md. A line "Row: NAME" begins a row (rows_test.py). The GPUs are acted
out: times mean nothing here; results are checked.

  $ libraries=$(dirname $(dirname $(command -v topowise)))/lib
  > cat > node.sh <<END
  > export TOPOWISE_CUDA_LIBRARY=$libraries/libtopowise_fake_cuda.so TOPOWISE_NVML_LIBRARY=$libraries/libtopowise_fake_nvml.so
  > export TOPOWISE_FAKE_NODE=preset:helios-k80 TOPOWISE_FAKE_SESSION=papers-eurompi2014-$$
  > END
  > ls $libraries/libtopowise_fake_cuda.so > /dev/null

Row: Figure 1

  $ topowise bench allreduce --ranks 4 --algorithm shared-buffer --explain | grep -E 'moves|right in'

Row: Section 3.2

  $ topowise bench allreduce --ranks 4 --algorithm binomial --explain | grep -E 'moves|right in'

Row: Section 3.3

  $ bash -n $SOURCES/bench/gpu/allreduce.sh && grep -c MPS $SOURCES/bench/gpu/allreduce.sh | grep -vx 0 > /dev/null

Row: Figure 2

  $ for ranks in 4 8 16; do topowise bench allreduce --ranks $ranks --explain | grep moves; done
  > . ./node.sh
  > for ranks in 4 8 16; do
  >   topowise bench allreduce --ranks $ranks --gpus 1 --sizes 4B,64KiB --repetitions 2 --warm-up 1 --csv 2> /dev/null | cut -d, -f1,2,6
  > done

Row: Figure 3

  $ . ./node.sh
  > for ranks in 4 8; do
  >   topowise bench allreduce --ranks $ranks --gpus 1 --sizes 4B,64KiB --repetitions 2 --warm-up 1 --algorithm shared-buffer --amortise --csv 2> /dev/null | cut -d, -f1,2,6
  > done
