#requires mpirun.openmpi mpicc.openmpi mpicc.mpich gcc
What one rank says after a recording, and why nothing was recorded. The exit status is the program's.

  $ cat > app.c <<'END'
  > #include <mpi.h>
  > #include <signal.h>
  > #include <stdlib.h>
  > #include <string.h>
  > int main(int c, char** v) {
  >   int rank, size, sum = 0;
  >   char sent[1000] = "", received[1000];
  >   if (c > 1 && strcmp(v[1], "dies-early") == 0) raise(SIGKILL);
  >   MPI_Init(&c, &v);
  >   MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  >   MPI_Comm_size(MPI_COMM_WORLD, &size);
  >   if (c == 1) MPI_Sendrecv(sent, 1000, MPI_CHAR, (rank + 1) % size, 0, received, 1000, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  >   if (c > 1 && strcmp(v[1], "exits") == 0) exit(0);
  >   MPI_Finalize();
  >   return c > 1 ? atoi(v[1]) : 0;
  > }
  > END
  > mpicc.openmpi app.c -o app && mpicc.mpich app.c -o foreign && printf 'int main(void) { return 0; }' > plain.c && gcc plain.c -o plain && gcc -static plain.c -o static
  > cat > job <<'END'
  > export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  > n=$1; shift; mpirun.openmpi --oversubscribe -n $n "$@" > out 2>&1; echo "status $?"
  > grep -E '^(topowise|hint)' out | sed "s,$PWD,HERE,g" | awk -v n=$n '++said[$0] == 1; END { for (line in said) if (n > 2 && said[line] >= n) print "EVERY RANK SAYS: " line }'
  > END
  $ bash job 4 topowise run --profile app.traffic -- ./app
  status 0
  topowise: recorded 4 ranks: 4 KB in 4 messages between 4 pairs: topowise traffic HERE/app.traffic
  $ topowise traffic app.traffic | head -1
  app.traffic: 4 ranks, 4 pairs, 4 KB in 4 messages; a rank sends to 1 other at most
  $ bash job 4 topowise run --profile quiet -- ./app 0
  status 0
  topowise: nothing was recorded: 4 ranks sent no message and called no collective
  $ bash job 2 topowise run --profile quiet -- ./plain
  status 0
  topowise: nothing was recorded: the program loaded neither an MPI library nor NCCL
  $ bash job 2 topowise run --profile quiet -- ./static
  status 0
  topowise run: nothing will be recorded: './static' is linked statically, so the recording library cannot be loaded into it
  $ bash job 2 topowise run --profile quiet -- ./foreign
  status 0
  topowise: recorded one rank alone, although the launcher started 2 processes: the program's MPI library is not the launcher's, or does not understand it
  $ bash job 1 topowise run --profile quiet -- ./app exits
  status 1
  topowise: nothing was recorded: rank 0 ended without MPI_Finalize before any message
  $ bash job 1 topowise run --profile quiet -- ./app dies-early
  status 137
  topowise: nothing was recorded: rank 0 ended by a signal, by _exit() or in a program that does not load the recording library, before MPI or NCCL began
  $ printf 'int torch;' > torch.c; gcc -shared -fPIC torch.c -o libtorch_cpu.so; gcc -Wl,--no-as-needed plain.c ./libtorch_cpu.so -Wl,-rpath,$PWD -o gloo
  > topowise run --profile quiet -- ./gloo 2>&1 | tail -1
  topowise: nothing was recorded: the program loaded PyTorch and neither MPI nor NCCL; PyTorch's own backend, gloo, is not recorded

A profile that was cut off says so when it is read.

  $ file=$(ls app.traffic/*.twprof | head -1); head -c 4100 $file > cut; cp cut $file; topowise traffic app.traffic 2>&1 | grep warning | sed 's,[0-9a-f]\{16\},HASH,'
  topowise traffic: warning: app.traffic/HASH.0.twprof: damaged at byte 4096: the file is cut off; what stands before it is used

One error for a job, not one for each rank. (On a machine with much to do a second rank may say it before the first one ends the job.)

  $ bash job 8 topowise run --profil app.traffic -- ./app
  status 2
  topowise run: error: unknown option '--profil', did you mean '--profile'?
  hint: topowise run --help
  $ bash job 8 topowise map --bad
  status 2
  topowise map: error: unknown option '--bad'
  hint: topowise map --help
  $ bash job 8 topowise run --mapping none.json -- ./app
  status 3
  topowise run: error: cannot read 'none.json': No such file or directory
  $ bash job 4 env TOPOWISE_ALLREDUCE_TUNING=none.json topowise run --allreduce -- ./app
  status 3
  topowise run: error: TOPOWISE_ALLREDUCE_TUNING='none.json' is no file
  hint: 'topowise bench allreduce --tune' writes it; TOPOWISE_ALLREDUCE_TUNING=off does without
  $ TOPOWISE_CUDA_LIBRARY=/nowhere TOPOWISE_HIP_LIBRARY=/nowhere topowise bench allreduce --ranks 16 --sizes 64B 2>&1 | sed 's/cannot be opened: .*/cannot be opened/'
  topowise bench: error: ranks 0, 1, 2, 3, 4, 5, 6, 7 and 8 more: the cuda driver cannot be opened
  hint: 'topowise doctor' prints what is missing
  $ lib=$(dirname $(command -v topowise))/../lib; export TOPOWISE_CUDA_LIBRARY=$lib/libtopowise_fake_cuda.so TOPOWISE_HIP_LIBRARY=/nowhere TOPOWISE_FAKE_NODE=preset:l40s-8 TOPOWISE_FAKE_SESSION=$PWD TOPOWISE_FAKE_MEMORY_MIB=4
  > TOPOWISE_FAKE_FAULT=cuModuleLoadData:*:CUDA_ERROR_UNSUPPORTED_PTX_VERSION topowise bench allreduce --ranks 8 --gpus 2 --sizes 64B 2>&1 | grep cuModuleLoadData
  shared-buffer, binomial, leader-fused, one-shot, two-shot, ring: not available here: cuModuleLoadData failed on GPU 0: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (the provided PTX was compiled with an unsupported toolchain.)

The program in this folder, and the forgotten '--', under a launcher.

  $ bash job 2 topowise run app
  status 2
  topowise run: error: '--' is missing in front of 'app'
  hint: topowise run -- app
  $ bash job 2 topowise run -- app
  status 4
  topowise run: error: cannot start 'app': No such file or directory
  hint: ./app is in this folder, which PATH does not name
  $ bash job 2 topowise run --profile d ./app
  status 2
  topowise run: error: '--' is missing in front of './app'
  hint: topowise run --profile d -- ./app
