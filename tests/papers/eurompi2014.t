The quick form of each row of docs/papers/eurompi2014.md. A line "Row: NAME" begins a row (rows_test.py). The GPUs are simulated: the results are
checked, but the times mean nothing here.

  $ libraries=$(dirname $(dirname $(command -v topowise)))/lib
  > cat > node.sh <<END
  > export TOPOWISE_CUDA_LIBRARY=$libraries/libtopowise_fake_cuda.so TOPOWISE_NVML_LIBRARY=$libraries/libtopowise_fake_nvml.so
  > export TOPOWISE_FAKE_NODE=preset:helios-k80 TOPOWISE_FAKE_SESSION=papers-eurompi2014-$$
  > END
  > ls $libraries/libtopowise_fake_cuda.so > /dev/null

Row: Figure 1

  $ topowise bench allreduce --ranks 4 --algorithm shared-buffer --explain | grep -E 'moves|right in'
  shared-buffer, 4 ranks: moves 21 m in GPU memory
  right in 200 simulated orders of events

Row: Section 3.2

  $ topowise bench allreduce --ranks 4 --algorithm binomial --explain | grep -E 'moves|right in'
  binomial, 4 ranks: moves 31 m in GPU memory
  right in 200 simulated orders of events

Row: Section 3.3

  $ sh $SOURCES/bench/gpu/allreduce.sh pack $(dirname $(dirname $(command -v topowise))) all.tar.gz > /dev/null && tar -xzf all.tar.gz
  > printf '#!/bin/sh\n' > allreduce/run.sh  # the other programs of bench/gpu have tests of their own
  > ALLREDUCE_SIZES=4B ALLREDUCE_RANKS=4 TOPOWISE_FAKE_NODE=tree:1 sh allreduce/allreduce.sh run FOLDER 120 simulated | grep done | grep -v run.txt
  > grep -l '"right": true' FOLDER/*shared-buffer*.json
  ranks-4-leader-fused-4B.json: done
  ranks-4-staged-host-4B.json: done
  ranks-4-shared-buffer-4B.json: done
  ranks-4-binomial-4B.json: done
  ranks-4-leader-fused-4B-mps.json: done
  ranks-4-staged-host-4B-mps.json: done
  ranks-4-shared-buffer-4B-mps.json: done
  ranks-4-binomial-4B-mps.json: done
  collective-reduce.json: done
  collective-bcast.json: done
  collective-allgather.json: done
  collective-reduce_scatter_block.json: done
  tune.txt: done
  nccl.csv: done
  FOLDER/ranks-4-shared-buffer-4B-mps.json
  FOLDER/ranks-4-shared-buffer-4B.json

Row: Figure 2

  $ for ranks in 4 8 16; do topowise bench allreduce --ranks $ranks --explain | grep -E '^(staged-host|shared-buffer|binomial|leader-fused).*moves'; done
  > . ./node.sh
  > topowise bench allreduce --ranks 16 --explain --save figures > /dev/null 2> /dev/null
  > grep -c '<svg' figures/allreduce-plans.svg
  > grep -E '^(shared-buffer|binomial|leader-fused),16' figures/allreduce-plans.csv
  > for ranks in 4 8 16; do
  >   topowise bench allreduce --ranks $ranks --gpus 1 --sizes 4B,64KiB --repetitions 2 --warm-up 1 --csv 2> /dev/null > figure2.csv
  >   grep -E '^(staged-host|shared-buffer|binomial|leader-fused)' figure2.csv | cut -d, -f1,2,6
  >   sed -n "/false/p" figure2.csv
  > done
  staged-host, 4 ranks: moves 8 m in GPU memory, 13 m in host memory, 8 m between the two
  shared-buffer, 4 ranks: moves 21 m in GPU memory
  binomial, 4 ranks: moves 31 m in GPU memory
  leader-fused, 4 ranks: moves 8 m in GPU memory
  staged-host, 8 ranks: moves 16 m in GPU memory, 25 m in host memory, 16 m between the two
  shared-buffer, 8 ranks: moves 41 m in GPU memory
  binomial, 8 ranks: moves 67 m in GPU memory
  leader-fused, 8 ranks: moves 16 m in GPU memory
  staged-host, 16 ranks: moves 32 m in GPU memory, 49 m in host memory, 32 m between the two
  shared-buffer, 16 ranks: moves 81 m in GPU memory
  binomial, 16 ranks: moves 139 m in GPU memory
  leader-fused, 16 ranks: moves 32 m in GPU memory
  1
  shared-buffer,16,81,0,0
  binomial,16,139,0,0
  leader-fused,16,32,0,0
  staged-host,4,true
  staged-host,65536,true
  shared-buffer,4,true
  shared-buffer,65536,true
  binomial,4,true
  binomial,65536,true
  leader-fused,4,true
  leader-fused,65536,true
  staged-host,4,true
  staged-host,65536,true
  shared-buffer,4,true
  shared-buffer,65536,true
  binomial,4,true
  binomial,65536,true
  leader-fused,4,true
  leader-fused,65536,true
  staged-host,4,true
  staged-host,65536,true
  shared-buffer,4,true
  shared-buffer,65536,true
  binomial,4,true
  binomial,65536,true
  leader-fused,4,true
  leader-fused,65536,true

Row: Figure 3

  $ . ./node.sh
  > for ranks in 4 8 16; do
  >   topowise bench allreduce --ranks $ranks --gpus 1 --sizes 4B,64KiB --repetitions 2 --warm-up 1 --algorithm shared-buffer --amortise --csv 2> /dev/null > figure3.csv
  >   cut -d, -f1,2,6 figure3.csv
  >   python3 -c "
  > import csv
  > for row in csv.DictReader(open('figure3.csv')):
  >     assert row['amortised_calls'] == 'never' or int(row['amortised_calls']) >= 0, row"
  > done
  algorithm,bytes,right
  staged-host,4,true
  staged-host,65536,true
  shared-buffer,4,true
  shared-buffer,65536,true
  algorithm,bytes,right
  staged-host,4,true
  staged-host,65536,true
  shared-buffer,4,true
  shared-buffer,65536,true
  algorithm,bytes,right
  staged-host,4,true
  staged-host,65536,true
  shared-buffer,4,true
  shared-buffer,65536,true

Row: Section 6

  $ for gpus in 1 4; do topowise bench allreduce --ranks 8 --gpus $gpus --sockets 2 --explain --csv | grep -E '^[a-z-]+,8,' | cut -d, -f1,6,7; done
  staged-host,0,4.5
  shared-buffer,0,0
  binomial,0,0
  leader-fused,0,0
  one-shot,0,0
  two-shot,0,0
  ring,0,0
  staged-host,0,12.5
  shared-buffer,12,8
  binomial,12,6
  leader-fused,12,8
  one-shot,12,8
  two-shot,6,4
  ring,6,2
