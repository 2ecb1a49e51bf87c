The quick form of each row of docs/papers/ashes2016-talk.md. A line "Row: NAME" begins a row (rows_test.py). The slides show the paper's figures:
their results are in ashes2016.t. The application of slide 20 is not available here: its commands are tried with a program that prints which GPU it
has.

Row: Slide 9

  $ topowise topology preset:helios-k80 | head -n 1
  helios-k80: 16 places

Row: Slides 10 and 11

  $ libraries=$(dirname $(dirname $(command -v topowise)))/lib
  > export TOPOWISE_CUDA_LIBRARY=$libraries/libtopowise_fake_cuda.so TOPOWISE_NVML_LIBRARY=$libraries/libtopowise_fake_nvml.so
  > export TOPOWISE_FAKE_NODE=preset:helios-k80 TOPOWISE_FAKE_SESSION=papers-ashes2016-talk-$$
  > topowise probe --sizes 64KiB,128KiB --repetitions 2 --save node.json 2> /dev/null | grep -o 'P[IXH][BX]  *[0-9]*\|SYS  *[0-9]*'
  PIX        8
  PXB       16
  PHB       32
  SYS       64

Row: Slides 18 and 19

  $ for name in stencil2d torus2d torus3d hypercube; do topowise bench $name --weight 3 --sizes 1MiB 2> /dev/null | grep -c predicted; done
  5
  5
  5
  5

Row: Slide 20

  $ topowise map pattern:torus3d:2x2x2:bytes=63kB preset:helios-k80 --objective predicted-time 2> /dev/null | grep '^predicted'
  > topowise map pattern:torus3d:4x2x2:heavy=0:w=2:bytes=32kB preset:helios-k80 --objective hop-bytes 2> /dev/null | grep '^hop-bytes'
  predicted time 36.4 us: 23.9% less than the 47.8 us of the identity
  hop-bytes 6.66 MB (distance x bytes): 23.5% less than the 8.7 MB of the identity
  $ topowise run --profile DIR -- echo recorded 2> /dev/null
  > topowise traffic pattern:stencil3d:4x2x2:w=3:heavy=0 --save lj.csv > /dev/null 2> /dev/null
  > export OMPI_COMM_WORLD_SIZE=16 OMPI_COMM_WORLD_LOCAL_SIZE=16 PMIX_NAMESPACE=$PWD HOME=$PWD
  > for r in $(seq 0 15); do
  >   OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_LOCAL_RANK=$r topowise run --auto --profile lj.csv --topology preset:helios-k80 --gpu-bind only -- printenv CUDA_VISIBLE_DEVICES > gpu.$r 2> err.$r &
  > done
  > wait
  > cat err.* | sed "s,$PWD/,,; s/ in the default order.*//"
  > cat gpu.? gpu.?? | sort -n | xargs
  recorded
  topowise run: auto: 16 ranks on 16 GPUs by 'lj.csv': 35.7 % less predicted time than
  0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15

Row: Slide 26

  $ topowise topology --list | grep k20
  [1]
