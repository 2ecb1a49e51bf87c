bench measures the GPUs of a machine; without a GPU it can still explain.

  $ topowise bench allreduce --ranks 2 --algorithm leader-fused --explain
  > topowise bench allreduce --ranks 6 --gpus 3 --explain | grep moves
  > topowise bench allreduce --ranks 2 --algorithm leader-fused --explain --json
  > topowise bench allreduce --ranks 1 --algorithm ring --explain --csv
  > topowise bench allreduce --explain --tune
  > topowise bench allreducx
  > topowise bench allreduce --sizes 6B
  > topowise bench allreduce --ranks 0
  > topowise bench allreduce --algorithm rang
  leader-fused, 2 ranks: moves 4 m in GPU memory
  rank 0
    until rank 1 says: arrived   (once a call)
    say: agreed   (once a call)
    reduce input, input of rank 1 -> output, output of rank 1
    until this has happened
    say: complete
  rank 1
    say: arrived   (once a call)
    until rank 0 says: agreed   (once a call)
    until rank 0 says: complete
  right in 200 simulated orders of events
  
  staged-host, 6 ranks: moves 12 m in GPU memory, 19 m in host memory, 12 m between the two
  shared-buffer, 6 ranks: moves 31 m in GPU memory
  binomial, 6 ranks: moves 49 m in GPU memory
  leader-fused, 6 ranks: moves 12 m in GPU memory
  one-shot, 6 ranks: moves 24 m in GPU memory
  two-shot, 6 ranks: moves 22 m in GPU memory
  ring, 6 ranks: moves 32 m in GPU memory
  {
    "schema": "topowise.bench-allreduce-plans/1",
    "gpus": 1,
    "right": true,
    "plans": [
      {"algorithm": "leader-fused", "ranks": 2, "gpu_vectors": 4, "host_vectors": 0, "bus_vectors": 0}
    ]
  }
  algorithm,ranks,gpu_vectors,host_vectors,bus_vectors
  ring,1,2,0,0
  topowise bench: error: --tune is about times, and --explain measures nothing
  hint: leave one out
  topowise bench: error: unknown benchmark 'allreducx', did you mean 'allreduce'?
  hint: topowise bench list
  topowise bench: error: --sizes: 6 B are no whole number of floats
  hint: --sizes 4B-16MiB
  topowise bench: error: --ranks: '0' is below 1
  topowise bench: error: --algorithm: unknown algorithm 'rang', did you mean 'ring'?
  hint: --algorithm staged-host|shared-buffer|binomial|leader-fused|one-shot|two-shot|ring
  [2]

On a node of several sockets, --explain also counts what passes between GPUs and between sockets.

  $ topowise bench allreduce --ranks 6 --gpus 3 --sockets 2 --explain | grep -E 'moves|between GPUs'
  > topowise bench allreduce --ranks 4 --gpus 4 --sockets 2 --algorithm ring --explain --json
  > topowise bench collective bcast --ranks 4 --gpus 2 --sockets 2 --explain --csv
  > topowise bench allreduce --sockets 2
  > topowise bench allreduce --sockets 0 --explain
  staged-host, 6 ranks: moves 12 m in GPU memory, 19 m in host memory, 12 m between the two
  between GPUs 0 m, between 2 sockets 6.333 m
  shared-buffer, 6 ranks: moves 31 m in GPU memory
  between GPUs 8 m, between 2 sockets 4 m
  binomial, 6 ranks: moves 49 m in GPU memory
  between GPUs 9 m, between 2 sockets 5 m
  leader-fused, 6 ranks: moves 12 m in GPU memory
  between GPUs 8 m, between 2 sockets 4 m
  one-shot, 6 ranks: moves 24 m in GPU memory
  between GPUs 6 m, between 2 sockets 4 m
  two-shot, 6 ranks: moves 22 m in GPU memory
  between GPUs 4 m, between 2 sockets 2.667 m
  ring, 6 ranks: moves 32 m in GPU memory
  between GPUs 4 m, between 2 sockets 2.667 m
  {
    "schema": "topowise.bench-allreduce-plans/1",
    "gpus": 4,
    "sockets": 2,
    "right": true,
    "plans": [
      {"algorithm": "ring", "ranks": 2, "gpu_vectors": 15, "host_vectors": 0, "bus_vectors": 0, "between_gpus_vectors": 2, "between_sockets_vectors": 2},
      {"algorithm": "ring", "ranks": 3, "gpu_vectors": 26, "host_vectors": 0, "bus_vectors": 0, "between_gpus_vectors": 4, "between_sockets_vectors": 2.666666667},
      {"algorithm": "ring", "ranks": 4, "gpu_vectors": 37, "host_vectors": 0, "bus_vectors": 0, "between_gpus_vectors": 6, "between_sockets_vectors": 2}
    ]
  }
  algorithm,ranks,gpu_vectors,host_vectors,bus_vectors,between_gpus_vectors,between_sockets_vectors
  staged-host,2,2,2,2,0,1
  staged-host,3,3,3,3,0,1
  staged-host,4,4,4,4,0,2
  leader-fused,2,2,0,0,1,1
  leader-fused,3,3,0,0,1,1
  leader-fused,4,4,0,0,2,2
  topowise bench: error: --sockets belongs to --explain: what is measured knows its machine
  hint: add --explain
  topowise bench: error: --sockets: '0' is below 1
  [2]

The other collectives have plans of the two algorithms that do them.

  $ topowise bench collective reduce --ranks 3 --explain --csv
  > topowise bench collective reduce_scatter_block --ranks 2 --algorithm leader-fused --explain
  > topowise bench collective bcast --ranks 2 --algorithm leader-fused --explain --json
  > topowise bench collective bcst
  > topowise bench collective bcast --algorithm ring --explain
  > topowise bench collective bcast --tune
  > topowise bench collective
  algorithm,ranks,gpu_vectors,host_vectors,bus_vectors
  staged-host,2,3,6,3
  staged-host,3,4,8,4
  leader-fused,2,3,0,0
  leader-fused,3,4,0,0
  leader-fused (reduce_scatter), 2 ranks: moves 3 m in GPU memory
  rank 0
    until rank 1 says: arrived   (once a call)
    say: agreed   (once a call)
    reduce input, input of rank 1 -> output, part 1 of 2
    reduce input, input of rank 1 -> output of rank 1, part 2 of 2
    until this has happened
    say: complete
  rank 1
    say: arrived   (once a call)
    until rank 0 says: agreed   (once a call)
    until rank 0 says: complete
  right in 200 simulated orders of events
  
  {
    "schema": "topowise.bench-collective-plans/1",
    "collective": "bcast",
    "gpus": 1,
    "right": true,
    "plans": [
      {"algorithm": "leader-fused", "ranks": 2, "gpu_vectors": 2, "host_vectors": 0, "bus_vectors": 0}
    ]
  }
  topowise bench: error: unknown collective 'bcst', did you mean 'bcast'?
  hint: topowise bench collective allreduce
  topowise bench: error: --algorithm: ring does allreduce only
  hint: --algorithm leader-fused
  topowise bench: error: unknown option '--tune'
  hint: topowise bench collective --help
  topowise bench: error: NAME is missing
  hint: topowise bench collective NAME [options]
  [2]

Every benchmark has a row in the list. bench refuses the options of another benchmark.

  $ echo $(topowise bench list | cut -d' ' -f3)
  name stencil2d torus2d torus3d hypercube overhead allreduce collective cartesian dimensional congestion halo-orders halo-sequence
  $ topowise bench list --json | grep '"overhead"'
      {"name": "overhead", "summary": "seconds of a start that reads and maps, and iterations of the four that pay for it", "figures": "AsHES 2016, figure 5"},
  $ topowise bench stencil2d --algorithm binomial
  > topowise bench allreduce --weight 3
  > topowise bench list --sizes 4B
  topowise bench: error: unknown option '--algorithm'
  hint: topowise bench stencil2d --help
  topowise bench: error: unknown option '--weight'
  hint: topowise bench allreduce --help
  topowise bench: error: unknown option '--sizes'
  hint: topowise bench --help
  [2]

Without a job, benchmarks predict: hop-bytes of the microbenchmarks of AsHES 2016 on its machine, the default mapping against mapping by distance
(docs/papers).

  $ for name in stencil2d torus2d torus3d hypercube; do topowise bench $name --sizes 1KiB --csv 2> /dev/null | grep -E ',(default|distance|latency),' | cut -d, -f1,3-6,13; done
  stencil2d:4x4,1,1024,default,predicted,114688
  stencil2d:4x4,1,1024,distance,predicted,106496
  stencil2d:4x4,1,1024,latency,predicted,106496
  stencil2d:4x4,3,1024,default,predicted,278528
  stencil2d:4x4,3,1024,distance,predicted,180224
  stencil2d:4x4,3,1024,latency,predicted,180224
  torus2d:4x4,1,1024,default,predicted,163840
  torus2d:4x4,1,1024,distance,predicted,163840
  torus2d:4x4,1,1024,latency,predicted,163840
  torus2d:4x4,3,1024,default,predicted,393216
  torus2d:4x4,3,1024,distance,predicted,262144
  torus2d:4x4,3,1024,latency,predicted,262144
  torus3d:4x2x2,1,1024,default,predicted,163840
  torus3d:4x2x2,1,1024,distance,predicted,163840
  torus3d:4x2x2,1,1024,latency,predicted,163840
  torus3d:4x2x2,3,1024,default,predicted,393216
  torus3d:4x2x2,3,1024,distance,predicted,262144
  torus3d:4x2x2,3,1024,latency,predicted,262144
  hypercube:4,1,1024,default,predicted,163840
  hypercube:4,1,1024,distance,predicted,163840
  hypercube:4,1,1024,latency,predicted,163840
  hypercube:4,3,1024,default,predicted,294912
  hypercube:4,3,1024,distance,predicted,196608
  hypercube:4,3,1024,latency,predicted,196608

How many iterations pay for the mapping, for 8 and 16 ranks (figure 5).

  $ topowise bench overhead --sizes 16MiB --csv 2> /dev/null | grep ,distance, | cut -d, -f1,3-6,13
  stencil2d:4x2,3,16777216,distance,predicted,1207959552
  torus2d:4x2,3,16777216,distance,predicted,1610612736
  torus3d:2x2x2,3,16777216,distance,predicted,1073741824
  hypercube:3,3,16777216,distance,predicted,1073741824
  stencil2d:4x4,3,16777216,distance,predicted,2952790016
  torus2d:4x4,3,16777216,distance,predicted,4294967296
  torus3d:4x2x2,3,16777216,distance,predicted,4294967296
  hypercube:4,3,16777216,distance,predicted,3221225472

The topology functions of EuroMPI 2011 on its cluster (figures 2 and 3).

  $ topowise bench cartesian --sizes 1KiB --csv 2> /dev/null | grep -E ',(block|cyclic),' | cut -d, -f1,3-6,13
  torus2d:8x4,10,1024,block,predicted,2031616
  torus2d:8x4,10,1024,cyclic,predicted,1081344
  torus3d:4x4x2,10,1024,block,predicted,2752512
  torus3d:4x4x2,10,1024,cyclic,predicted,1310720
  hypercube:5,10,1024,block,predicted,1245184
  hypercube:5,10,1024,cyclic,predicted,950272
  $ topowise bench dimensional --sizes 1KiB --csv 2> /dev/null | grep -E ',(block|cyclic),' | cut -d, -f1,3-6,13
  alltoall:8x4,1,1024,block,predicted,786432
  alltoall:8x4,1,1024,cyclic,predicted,360448
  alltoall:16x2,1,1024,block,predicted,1605632
  alltoall:16x2,1,1024,cyclic,predicted,1146880

bench saves a figure, its numbers and its command. It refuses a directory that cannot be made, and other wrong words.

  $ topowise bench torus2d --sizes 4KiB,1MiB --weight 3 --topology preset:dgx1-v100 --ranks 8 --mapping identity --save out/figures > shown && ls out/figures && cat out/figures/torus2d.sh
  topowise bench: wrote out/figures/torus2d.svg
  topowise bench: wrote out/figures/torus2d.csv
  topowise bench: wrote out/figures/torus2d.json
  topowise bench: wrote out/figures/torus2d.sh
  topowise bench: warning: predicted by the model; started by mpirun or srun, the ranks of the job measure
  torus2d.csv
  torus2d.json
  torus2d.sh
  torus2d.svg
  #!/bin/sh
  # 2D torus, * (glob)
  topowise bench torus2d --ranks 8 --sizes 4KiB,1MiB --weight 3 --mapping identity --topology preset:dgx1-v100 --save out/figures
  $ topowise bench stencil2d --sizes 4KiB,1MiB --weight 3 --csv --save out 2> /dev/null > shown && cmp shown out/stencil2d.csv && head -c 63 out/stencil2d.svg && echo
  <svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="
  $ touch file && topowise bench stencil2d --save file
  topowise bench: error: --save: 'file' is no directory and cannot be made one
  [3]
  $ topowise bench stencil2d --save /proc 2>&1 | sed 's/: [^:]*$//'
  topowise bench: error: --save: nothing can be written into '/proc'
If a file cannot be written in the end, the result is printed all the same.

  $ mkdir -p taken/stencil2d.svg && topowise bench stencil2d --sizes 4B --mapping identity --weight 3 --csv --save taken | cut -d, -f1-5
  topowise bench: warning: predicted by the model; started by mpirun or srun, the ranks of the job measure
  topowise bench: error: cannot write 'taken/stencil2d.svg': Is a directory
  workload,ranks,weight,bytes,mapping
  stencil2d:4x4,16,3,4,default

  $ topowise bench stencil2d --json --csv
  > topowise bench stencil2d --ranks 17 --sizes 4B
  > topowise bench stencil2d --ranks 20 --sizes 4B
  > topowise bench hypercube --ranks 12 --sizes 4B
  > topowise bench cartesian --ranks 16 --sizes 4B
  > topowise bench stencil2d --weight 1,x
  > topowise bench stencil2d --sizes 4B --mapping nowhere.json
  topowise bench: error: --json and --csv both want the standard output
  hint: --save DIR writes both
  topowise bench: error: 17 ranks do not fit: 'helios-k80' holds 16
  hint: fewer --ranks, or another --topology
  topowise bench: error: 20 ranks do not fit: 'helios-k80' holds 16
  hint: fewer --ranks, or another --topology
  topowise bench: error: 12 ranks make no hypercube
  hint: a power of two: 8, 16, 32
  topowise bench: error: this benchmark is for 32 or 128 ranks, as in the paper, not 16
  hint: mpirun -n 32 topowise bench ...
  topowise bench: error: --weight: 'x' is no number from 1 to 1000
  hint: --weight 1,3
  topowise bench: error: cannot read 'nowhere.json': No such file or directory
  [3]

bench either does what a word says, or refuses it before the work: weights count once, only a job measures, and a wrong date does not end a run that
took long.

  $ topowise bench stencil2d --weight 3,3 --sizes 4B --mapping identity --csv 2> /dev/null | wc -l
  2
  $ topowise map pattern:stencil2d:4x4 preset:helios-k80 --save app.mapping > /dev/null 2> /dev/null
  > topowise bench stencil2d --weight 1,3 --sizes 4B --mapping - --csv < app.mapping 2> /dev/null | cut -d, -f3-6,14,15
  weight,bytes,mapping,kind,mapping_measured_s,pays_after_iterations
  1,4,default,predicted,,
  1,4,-,predicted,,
  3,4,default,predicted,,
  3,4,-,predicted,,
  $ for option in '--device host' '--runs 2' '--repetitions 2' '--warm-up 1'; do topowise bench stencil2d $option; done 2>&1 | grep error
  > topowise bench allreduce --explain --sizes 4B
  > SOURCE_DATE_EPOCH=yesterday topowise bench stencil2d
  topowise bench: error: --device: only the ranks of a job measure, one process predicts
  topowise bench: error: --runs: only the ranks of a job measure, one process predicts
  topowise bench: error: --repetitions: only the ranks of a job measure, one process predicts
  topowise bench: error: --warm-up: only the ranks of a job measure, one process predicts
  topowise bench: error: --sizes is about times, and --explain measures nothing
  hint: leave one out
  topowise bench: error: SOURCE_DATE_EPOCH: 'yesterday' is no number of seconds since 1970
  hint: SOURCE_DATE_EPOCH=$(date +%s)
  [2]
  $ topowise bench congestion --messages '0->1' --sets 4
  > topowise bench congestion --messages '0->1' --small-sets
  topowise bench: error: --sets: there is one set, that of --messages
  hint: leave one out
  topowise bench: error: --small-sets: there is one set, that of --messages
  hint: leave one out
  [2]

When a file's mapping was chosen, it was known how many ranks may share a place.

  $ topowise map pattern:stencil2d:4x4:w=3 preset:l40s-8 --ranks-per-place 2 --save two.json > /dev/null
  > topowise bench stencil2d --ranks 16 --topology preset:l40s-8 --mapping two.json --weight 3 --sizes 1MiB --csv 2> /dev/null | cut -d, -f1-5
  topowise map: wrote two.json
  workload,ranks,weight,bytes,mapping
  stencil2d:4x4,16,3,1048576,default
  stencil2d:4x4,16,3,1048576,two.json
