Measures what a machine with GPUs has; without one it can still explain.

  $ topowise bench allreduce --ranks 2 --algorithm leader-fused --explain
  > topowise bench allreduce --ranks 6 --gpus 3 --explain | grep moves
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
  topowise bench: error: unknown benchmark 'allreducx', did you mean 'allreduce'?
  hint: topowise bench --help
  topowise bench: error: --sizes: 6 B are no whole number of floats
  hint: --sizes 4B-16MiB
  topowise bench: error: --ranks: '0' is below 1
  topowise bench: error: --algorithm: unknown algorithm 'rang', did you mean 'ring'?
  hint: --algorithm staged-host|shared-buffer|binomial|leader-fused|one-shot|two-shot|ring
  [2]
