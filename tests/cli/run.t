run stands between a launcher and the program, and becomes the program.

  $ SLURM_JOB_ID=7 SLURM_STEP_ID=1 topowise run --profile app.%j.%s -- sh -c 'basename $TOPOWISE_PROFILE' 2> /dev/null
  app.7.1
  $ topowise run --profile app.%j -- true
  topowise run: error: --profile: %j is the number of the job, and no batch system states it
  hint: SLURM_JOB_ID, PBS_JOBID, LSB_JOBID, FLUX_JOB_ID, COBALT_JOBID, JOB_ID, or a name without %j
  [2]

  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --save m.json > /dev/null
  topowise map: wrote m.json
  $ rank() { OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_LOCAL_RANK=$1 topowise run "${@:2}"; }
  > for r in 0 1 2 3; do rank $r --mapping m.json -- printenv CUDA_DEVICE_ORDER CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES | xargs; done
  > for r in 0 3; do rank $r --mapping m.json --gpu-bind only -- printenv CUDA_VISIBLE_DEVICES; done
  > rank 0 --mapping m.json --gpu-bind none -- printenv CUDA_VISIBLE_DEVICES
  PCI_BUS_ID 2,0,1,3 2,0,1,3
  PCI_BUS_ID 1,0,2,3 1,0,2,3
  PCI_BUS_ID 0,1,3,2 0,1,3,2
  PCI_BUS_ID 0,2,3,1 0,2,3,1
  2
  1
  [1]
  $ export PMI_SIZE=4 PMI_RANK=1 MPI_LOCALRANKID=1
  > CUDA_VISIBLE_DEVICES=0,2 topowise run --mapping m.json -- printenv CUDA_VISIBLE_DEVICES
  > CUDA_VISIBLE_DEVICES=2,3 topowise run --mapping m.json -- printenv CUDA_VISIBLE_DEVICES
  > echo $?
  > ROCR_VISIBLE_DEVICES=1,0 topowise run --mapping m.json --gpu-bind only -- printenv HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES
  2,0
  topowise run: error: rank 1 is mapped to GPU0, but CUDA_VISIBLE_DEVICES='2,3' hides it
  hint: let every rank see all GPUs of the job (srun --gpus-per-node=N without --gpus-per-task), or map with --allow to those that it sees
  3
  1
  1,0

--verify prints expected against actual, and ends the rank if they differ.

  $ export SLURM_PROCID=1 SLURM_LOCALID=1 SLURM_NTASKS=4
  > topowise run --mapping m.json --verify -- echo started
  > CUDA_VISIBLE_DEVICES=0,1,2,3 topowise run --mapping m.json --gpu-bind none --verify -- echo started
  topowise run: verify: rank 1, list of visible GPUs GPU0: as mapped; no driver confirms that this host has these GPUs
  started
  topowise run: verify: rank 1, list of visible GPUs GPU1 instead of GPU0: not as mapped; no driver confirms that this host has these GPUs
  [1]
  $ SLURM_PROCID=1 SLURM_LOCALID=1 SLURM_NTASKS=4 topowise run --mapping m.json --verify --wait 5s -- echo started
  topowise run: verify: rank 1, list of visible GPUs GPU0: as mapped; no driver confirms that this host has these GPUs
  started
  $ export SLURM_PROCID=1 SLURM_LOCALID=0 SLURM_NTASKS=4 SLURM_NODEID=1 SLURM_STEP_TASKS_PER_NODE=3,1
  > topowise run --mapping m.json --verify --wait 1min -- echo started
  > topowise run --mapping m.json -- echo started 2>&1 | sed "s/$(hostname)/HERE/"
  topowise run: warning: the ranks are not on the hosts of the mapping
  hint: start the ranks of a node on one host (srun -N 1), or map to the hosts of the job: cluster:FABRIC,NODE,hosts=job
  topowise run: verify: rank 1, list of visible GPUs GPU0, ranks of the node 1 instead of 0-3: not as mapped; no driver confirms that this host has these GPUs
  topowise run: warning: 'm.json' puts 4 ranks on one node, but HERE runs 1 rank of this job
  hint: start the ranks of a node on one host (srun -N 1), or map to the hosts of the job: cluster:FABRIC,NODE,hosts=job
  started
  $ export SLURM_PROCID=1 SLURM_LOCALID=1 SLURM_NTASKS=4
  > SLURM_JOB_GPUS=2,3 topowise run --mapping m.json -- echo started; SLURM_JOB_GPUS=0,3 topowise run --mapping m.json -- printenv CUDA_VISIBLE_DEVICES
  topowise run: error: rank 1 is mapped to GPU0, which is not among the job's GPUs here (SLURM_JOB_GPUS): GPU2, GPU3
  hint: map to the GPUs of this job: topowise topology live --save FILE, started like the job
  3,0
  $ SLURM_PROCID=1 SLURM_LOCALID=1 SLURM_NTASKS=4 CUDA_VISIBLE_DEVICES=0,0,1,2 topowise run --mapping m.json -- echo started
  topowise run: error: CUDA_VISIBLE_DEVICES='0,0,1,2' names GPU '0' twice
  hint: name each GPU once
  [3]
  $ RANK=1 WORLD_SIZE=4 topowise run -- echo started; RANK=1 WORLD_SIZE=4 LOCAL_RANK=1 topowise run --mapping m.json --verify -- echo started
  topowise run: no launcher is seen, and of RANK, WORLD_SIZE and LOCAL_RANK, which give the rank of a PyTorch job, there is no LOCAL_RANK: this is one process, rank 0 of 1
  started
  topowise run: verify: rank 1, list of visible GPUs GPU0: as mapped; no driver confirms that this host has these GPUs
  started
  $ TORCHELASTIC_RUN_ID=x RANK=one WORLD_SIZE=4 LOCAL_RANK=1 topowise run -- echo started
  topowise run: no launcher is seen, and of RANK, WORLD_SIZE and LOCAL_RANK, which give the rank of a PyTorch job, RANK is no number: this is one process, rank 0 of 1
  started
  $ RANK=1 WORLD_SIZE=4 LOCAL_RANK=9 LOCAL_WORLD_SIZE=4 topowise run --mapping m.json -- echo started
  topowise run: error: the mapping has 4 ranks on node *, but LOCAL_RANK of this process is 9 (glob)
  hint: LOCAL_RANK counts the processes of a node from 0: start it by the launcher, which sets it
  [3]
  $ topowise run --mapping m.json --wait 5s -- true
  topowise run: error: --wait: the ranks of a node wait for each other in --auto and --verify only
  hint: --auto or --verify
  [2]
  $ topowise run --mapping m.json --verify --wait soon -- true
  topowise run: error: --wait: 'soon' is not a time
  hint: --wait 10s, --wait 500ms or --wait 1min
  [2]

Ranks that know each other print one line for their node. If one rank differs, only that one prints, and none of them starts.

  $ cat > four-mapped <<'END'
  > export OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_NAMESPACE=$PWD
  > for r in 0 1 2 3; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_LOCAL_RANK=$r topowise run --mapping m.json --verify "$@" -- echo started > out.$r 2> err.$r & done
  > wait
  > cat err.? out.? | sed "s/ on [^:]*:/ on HOST:/"
  > END
  > bash four-mapped
  topowise run: verify: 4 ranks on HOST: list of visible GPUs* as mapped; no driver confirms that this host has these GPUs (glob)
  started
  started
  started
  started
  $ CUDA_VISIBLE_DEVICES=2,0,1,3 bash four-mapped --gpu-bind none
  topowise run: verify: rank 2, list of visible GPUs GPU1 instead of GPU3*: not as mapped; no driver confirms that this host has these GPUs (glob)
  topowise run: verify: rank 3, list of visible GPUs GPU3 instead of GPU1*: not as mapped; no driver confirms that this host has these GPUs (glob)
  $ topowise map pattern:ring:2 preset:dgx1-v100 --json > no-machine.json
  $ PMI_SIZE=2 PMI_RANK=0 topowise run --mapping no-machine.json -- true
  topowise run: error: 'no-machine.json' does not hold the machine that it maps to
  hint: topowise map TRAFFIC TOPOLOGY --save FILE writes both
  [3]
  $ PMI_SIZE=3 PMI_RANK=0 topowise run --mapping m.json -- true
  topowise run: error: the mapping is for 4 ranks, but this is rank 0 of 3
  hint: start 4 ranks, or map the traffic of a run with 3
  [3]
  $ PMI_SIZE=4 PMI_RANK=0 topowise run --mapping none.json -- true
  topowise run: error: cannot read 'none.json': No such file or directory
  [3]

Recording: the library comes before those that are preloaded already, and the directory becomes absolute.

  $ touch lib.so; export PMI_RANK=0 TOPOWISE_INTERPOSE=lib.so
  > LD_PRELOAD= topowise run --profile prof --trace -- /usr/bin/env bash --norc -c 'set' 2> /dev/null | grep -e ^TOPOWISE_ -e ^LD_PRELOAD -e ^NCCL | sed "s,$PWD,HERE,g; s,PROCESS=.*,PROCESS=ITS_NUMBER,; s,WITNESS=.*,WITNESS=ITS_NAME,"
  LD_PRELOAD=HERE/lib.so
  NCCL_PROFILER_PLUGIN=libtopowise_interpose.so
  TOPOWISE_INTERPOSE=lib.so
  TOPOWISE_PROFILE=HERE/prof
  TOPOWISE_PROFILE_PROCESS=ITS_NUMBER
  TOPOWISE_PROFILE_WITNESS=ITS_NAME
  TOPOWISE_TRACE=1
  $ NCCL_PROFILER_PLUGIN=mine topowise run --profile prof -- printenv NCCL_PROFILER_PLUGIN 2> /dev/null
  mine
  $ TOPOWISE_INTERPOSE=none.so topowise run --profile prof -- true
  topowise run: no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)
  topowise run: error: TOPOWISE_INTERPOSE='none.so' is no file
  [4]

Without a launcher there is one process; run passes the program's exit status on.

  $ topowise run -- sh -c 'exit 7'
  topowise run: no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)
  [7]
  $ topowise run -- no-such-program
  topowise run: no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)
  topowise run: error: cannot start 'no-such-program': No such file or directory
  [4]
  $ topowise run ./app
  topowise run: error: '--' is missing in front of './app'
  hint: topowise run -- ./app
  [2]
  $ topowise run --allreduce auto -- ./app
  topowise run: error: 'auto' is in front of '--'
  hint: --allreduce takes its value behind '=': --allreduce=auto
  [2]
  $ topowise run
  topowise run: error: the command is missing
  hint: topowise run [options] -- COMMAND...
  [2]
  $ topowise run --verify -- true
  topowise run: error: --verify: this needs a mapping
  hint: --mapping FILE, as written by 'topowise map --save FILE', or --auto
  [2]
  $ topowise run --trace -- true
  topowise run: error: --trace: a trace is part of a profile
  hint: --profile DIR
  [2]
  $ topowise run --mapping m.json --gpu-bind best -- true
  topowise run: error: --gpu-bind: unknown GPU binding 'best'
  hint: --gpu-bind permute|only|set-device|none
  [2]

A mapping onto places that are neither GPUs nor cores whose processors are known has no effect here, and the first rank says so.

  $ topowise map pattern:ring:4 tree:2:2 --save tree.json > /dev/null
  topowise map: wrote tree.json
  $ PMI_SIZE=4 PMI_RANK=0 topowise run --mapping tree.json -- echo started; PMI_SIZE=4 PMI_RANK=1 topowise run --mapping tree.json -- echo started
  topowise run: warning: nothing of this mapping is put into effect: the processors of the places of 'tree:2:2' are not known (hwloc's XML and live state them)
  started
  started
  $ echo '{"schema": "topowise.topology/1", "name": "hosts", "places": [{"kind": "node", "name": "a"}, {"kind": "node", "name": "b"}]}' > hosts.json
  > topowise map pattern:ring:2 hosts.json --save hosts.map > /dev/null 2>&1; PMI_SIZE=2 PMI_RANK=0 topowise run --mapping hosts.map -- true 2>&1 | grep 'compute nodes'
  topowise run: warning: the places of 'hosts' are compute nodes, onto which only the launcher puts ranks (map --emit)

Onto cores, each rank is bound to its core, whatever the launcher has bound it to. Here the two cores are the first and the last processor of this job.

  $ cat > cores <<'END'
  > where='import os; print(*sorted(os.sched_getaffinity(0)))'
  > cpus=($(python3 -c "$where")); first=${cpus[0]} last=${cpus[-1]}
  > cores() {  # of these processors: rank 0 is on the second one
  >   echo '{"schema": "topowise.topology/1", "name": "cores", "vertices": [{"id": 0, "kind": "core", "cpus": "'$1'"}, {"id": 1, "kind": "core", "cpus": "'$2'"}],
  >     "places": [{"kind": "core", "vertex": 0}, {"kind": "core", "vertex": 1}]}' > cores.json
  >   topowise map pattern:ring:2 cores.json --allow 1,0 --mapper identity --save cores.map > /dev/null 2>&1
  > }
  > on() { OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_LOCAL_RANK=$1 taskset -c $2 topowise run --mapping cores.map "${@:3}"; }
  > END
  $ . ./cores; cores $first $last
  > [ "$(on 0 $first -- python3 -c "$where") $(on 1 $last -- python3 -c "$where")" = "$last $first" ] && echo bound
  > [ "$(on 0 $first --cpu-bind none -- python3 -c "$where" 2> /dev/null)" = $first ] && echo not bound
  > on 0 $first --verify -- true 2>&1 | sed "s/processors $last:/processors LAST:/"
  > on 0 $first --cpu-bind none --verify -- true
  > OMP_NUM_THREADS=4 on 0 $first -- true
  bound
  not bound
  topowise run: verify: rank 0, processors LAST: as mapped
  topowise run: warning: nothing of this mapping is put into effect: the places of 'cores' are no GPUs, and --cpu-bind none binds no rank to processors
  topowise run: verify: rank 0: nothing was compared: no host, GPU or bound processors are expected
  topowise run: warning: OMP_NUM_THREADS=4, but the mapping binds each rank to its core (1 processor): --cpu-bind none leaves the launcher's binding

If the job does not have the processors of all ranks of a node, none of them is bound, and the first of them says so.

  $ . ./cores; cores 65000 $first
  > for r in 0 1; do on $r $first -- echo started 2>&1 | sed 's/processors [0-9,-]*, and/processors HERE, and/; s/mapping of [^ ]* is/mapping of HOST is/'; done
  > on 1 $first --verify -- echo started 2>&1 | grep -o 'instead of 65000: not as mapped'
  topowise run: warning: the mapping of HOST is not in effect: the job may use processors HERE, and 1 of 2 ranks are mapped to others (rank 1 to *, processors 65000); map onto the cores that the job has ('topowise topology live --save FILE' inside it) (glob)
  started
  started
  instead of 65000: not as mapped

--auto maps when the job starts. Without a profile it maps by the topology alone, and records the run for the next one; with a profile it maps by
that.

  $ export HOME=$PWD TOPOWISE_INTERPOSE=$PWD/lib.so TOPOWISE_NVML_LIBRARY=none.so
  > cat > four <<'END'
  > export OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_NAMESPACE=$PWD
  > for r in 0 1 2 3; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_LOCAL_RANK=$r topowise run --auto "$@" > out.$r 2> err.$r & done
  > wait
  > cat err.? out.? | grep -v ld.so: | sed "s,$PWD,HERE,g; s/-[0-9a-f]*-4/-HASH-4/; s/found in [0-9]* ms/found in N ms/"
  > END
  > bash four --topology preset:perlmutter-a100 -- printenv CUDA_VISIBLE_DEVICES TOPOWISE_PROFILE
  topowise run: auto: 4 ranks on 4 GPUs by the topology alone: no profile yet, calls of MPI and NCCL are recorded into 'HERE/.cache/topowise/profiles/printenv-HASH-4.traffic'
  0,1,2,3
  HERE/.cache/topowise/profiles/printenv-HASH-4.traffic
  0,1,2,3
  HERE/.cache/topowise/profiles/printenv-HASH-4.traffic
  0,1,2,3
  HERE/.cache/topowise/profiles/printenv-HASH-4.traffic
  0,1,2,3
  HERE/.cache/topowise/profiles/printenv-HASH-4.traffic
  $ topowise traffic pattern:transpose:2x2 --save t.csv 2> /dev/null > /dev/null
  > bash four --topology preset:helios-k80 --profile t.csv -- printenv CUDA_VISIBLE_DEVICES TOPOWISE_PROFILE
  topowise run: auto: 4 ranks on 16 GPUs by 'HERE/t.csv': 0.4 % less predicted time than in the default order, proven the least by the congestion model, found in N ms
  0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
  0,2,1,3,4,5,6,7,8,9,10,11,12,13,14,15
  0,1,3,2,4,5,6,7,8,9,10,11,12,13,14,15
  0,2,3,1,4,5,6,7,8,9,10,11,12,13,14,15
  $ bash four --topology preset:helios-k80 --profile t.csv --gpu-bind only -- printenv CUDA_VISIBLE_DEVICES
  topowise run: auto: 4 ranks on 16 GPUs by 'HERE/t.csv': 0.4 % less predicted time than in the default order, proven the least by the congestion model, found in N ms
  0
  2
  3
  1

The same under launchers that name the job and its ranks in other ways.

  $ cat > each <<'END'
  > for r in 0 1 2 3; do eval "env -u PMIX_NAMESPACE $* topowise run --auto --topology preset:helios-k80 --profile t.csv --gpu-bind only -- printenv CUDA_VISIBLE_DEVICES" > out.$r 2> err.$r & done
  > wait
  > cat err.? out.? | grep -v ld.so: | sed "s,$PWD,HERE,g; s/found in [0-9]* ms/found in N ms/"
  > END
  > bash each 'PALS_APID=$PWD PALS_RANKID=$r PALS_LOCAL_RANKID=$r PALS_LOCAL_SIZE=4 PMI_SIZE=4'
  topowise run: auto: 4 ranks on 16 GPUs by 'HERE/t.csv': 0.4 % less predicted time than in the default order, proven the least by the congestion model, found in N ms
  0
  2
  3
  1
  $ bash each 'FLUX_JOB_ID=$PWD FLUX_TASK_RANK=$r FLUX_TASK_LOCAL_ID=$r FLUX_JOB_SIZE=4 FLUX_JOB_NNODES=1'
  topowise run: auto: 4 ranks on 16 GPUs by 'HERE/t.csv': 0.4 % less predicted time than in the default order, proven the least by the congestion model, found in N ms
  0
  2
  3
  1
  $ bash each 'TORCHELASTIC_RUN_ID=$PWD RANK=$r LOCAL_RANK=$r WORLD_SIZE=4 LOCAL_WORLD_SIZE=4 SLURM_PROCID=0 SLURM_JOB_ID=1'
  topowise run: auto: 4 ranks on 16 GPUs by 'HERE/t.csv': 0.4 % less predicted time than in the default order, proven the least by the congestion model, found in N ms
  0
  2
  3
  1

An obstacle is reported in one line, and the program runs.

  $ bash four --topology none.json --profile t.csv -- echo started
  topowise run: warning: auto: cannot read 'none.json': No such file or directory: no rank of this node is mapped
  started
  started
  started
  started
  $ topowise traffic pattern:ring:5 --save five.csv > /dev/null 2>&1
  > bash four --topology preset:helios-k80 --profile five.csv --gpu-bind none -- echo started
  topowise run: auto: 4 ranks on 16 GPUs by the topology alone: 'HERE/five.csv' is of 5 ranks, not 4
  started
  started
  started
  started

Without a GPU there is nothing for --auto to choose.

  $ OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_LOCAL_SIZE=1 PMIX_NAMESPACE=$PWD OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_RANK=0 topowise run --auto --topology tree:2 --profile t.csv -- echo started 2>&1 | sed "s,$PWD,HERE,"
  topowise run: warning: auto: no GPU is known in 'tree:2', and --auto maps ranks onto GPUs alone (for processors: topowise map TRAFFIC live --save FILE, then topowise run --mapping FILE): no rank of this node is mapped
  topowise run: auto: 'HERE/t.csv' is of 4 ranks, not 1
  started

All ranks are mapped or none is: here the second one has given up before the first one has read the machine.

  $ topowise topology preset:helios-k80 --save helios.json > /dev/null 2>&1
  > mkfifo slow
  > rank() { OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=$PWD OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_LOCAL_RANK=$1 topowise run --auto --wait 500ms --topology slow --profile t.csv --gpu-bind only -- sh -c "echo rank $1 sees \${CUDA_VISIBLE_DEVICES-all}" 2> err.$1; }
  > rank 0 > out.0 &
  > rank 1
  > cat helios.json 1<> slow
  > wait
  > cat out.0; grep -c 'no rank of this node is mapped' err.0 err.1
  rank 1 sees all
  rank 0 sees all
  err.0:1
  err.1:1

  $ OMPI_COMM_WORLD_RANK=0 topowise run --auto -- echo started
  topowise run: warning: auto: rank 0: Open MPI does not say how many ranks the job and this node have: no rank of this node is mapped
  started
  $ topowise run --auto --mapping m.json -- true
  topowise run: error: --auto: the mapping is given already
  hint: leave one of --auto and --mapping away
  [2]
  $ topowise run --mapping m.json --avoid-busy -- true
  topowise run: error: --avoid-busy: this belongs to --auto
  hint: --auto
  [2]

--reorder takes its value only after '='; options that belong to it are refused without it.

  $ topowise run --reorder=maybe -- true
  > echo $?
  > topowise run --reorder-only MPI_Cart_create -- true
  > topowise run --reorder --reorder-topology - -- true
  > topowise run --reorder --reorder-only= -- true
  > topowise run --reorder --reorder-time 0 -- true
  > topowise run --reorder --reorder-loads 1,x -- true
  > topowise run --reorder --profile new.traffic --reorder-profile ./new.traffic -- true
  > echo $?
  topowise run: error: --reorder: unknown time to reorder 'maybe'
  hint: --reorder=asked|always|report|world
  2
  topowise run: error: --reorder-only: this belongs to --reorder
  hint: --reorder, --reorder=report
  topowise run: no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)
  topowise run: error: --reorder-topology: the standard input is the program's
  hint: name a file
  topowise run: no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)
  topowise run: error: --reorder-only: the value is empty
  topowise run: no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)
  topowise run: error: --reorder-time: '0' is not above 0
  topowise run: no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)
  topowise run: error: --reorder-loads: 'x' is not a load: a whole number from 1 to 1000000, or N*LOAD
  topowise run: error: --reorder-profile: --profile records there
  hint: record into another directory
  2

--reorder tells the program's MPI where the files are, even if the program changes its directory.

  $ topowise traffic pattern:ring:4 --save ring.txt > /dev/null
  > topowise run --reorder=always --reorder-profile ring.txt --reorder-except 'libx*,main' --reorder-time 20ms -- sh -c 'cd /; test -f "$TOPOWISE_REORDER_PROFILE"; echo $? $TOPOWISE_REORDER $TOPOWISE_REORDER_EXCEPT $TOPOWISE_REORDER_SECONDS'
  topowise traffic: wrote ring.txt
  topowise run: no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)
  0 always libx*,main 0.02

--allreduce tells the preloaded library what to do.

  $ topowise run --allreduce -- sh -c 'echo $TOPOWISE_ALLREDUCE $TOPOWISE_ALLREDUCE_REPORT; echo $LD_PRELOAD | grep -c libtopowise_interpose' 2> /dev/null
  > topowise run --allreduce=shared-buffer --allreduce-report -- sh -c 'echo $TOPOWISE_ALLREDUCE $TOPOWISE_ALLREDUCE_REPORT' 2> /dev/null
  > topowise run --allreduce=rang -- true
  > topowise run --allreduce-report -- true
  auto
  1
  shared-buffer 1
  topowise run: error: --allreduce: unknown algorithm 'rang', did you mean 'ring'?
  hint: --allreduce=auto|staged-host|shared-buffer|binomial|leader-fused|one-shot|two-shot|ring
  topowise run: error: --allreduce-report: this belongs to --allreduce and --collectives-on-gpu
  hint: --allreduce --allreduce-report
  [2]

--collectives-on-gpu does so for other functions. With --allreduce, which then names the algorithm, allreduce is among them.

  $ topowise run --collectives-on-gpu -- sh -c 'echo $TOPOWISE_ALLREDUCE $TOPOWISE_COLLECTIVES_ON_GPU' 2> /dev/null
  > topowise run --collectives-on-gpu=bcast,allgather -- sh -c 'echo $TOPOWISE_ALLREDUCE $TOPOWISE_COLLECTIVES_ON_GPU' 2> /dev/null
  > topowise run --collectives-on-gpu=bcast --allreduce=staged-host -- sh -c 'echo $TOPOWISE_ALLREDUCE $TOPOWISE_COLLECTIVES_ON_GPU' 2> /dev/null
  > topowise run --allreduce --allreduce-init start -- sh -c 'echo $TOPOWISE_ALLREDUCE_INIT' 2> /dev/null
  > topowise run --allreduce-init start -- true
  > topowise run --collectives-on-gpu=bcast,redcue -- true
  auto allreduce,bcast,reduce,allgather,allgatherv,reduce_scatter,reduce_scatter_block
  auto bcast,allgather
  staged-host allreduce,bcast
  start
  topowise run: error: --allreduce-init: this belongs to --allreduce and --collectives-on-gpu
  hint: --allreduce --allreduce-init start
  topowise run: error: --collectives-on-gpu: unknown function 'redcue', did you mean 'reduce'?
  hint: --collectives-on-gpu=allreduce,bcast,reduce,allgather,allgatherv,reduce_scatter,reduce_scatter_block
  [2]

--nic-bind gives each rank one of the NICs near its GPU; variables that are already set stay.

  $ topowise map pattern:ring:8 preset:dgx-a100 --allow 7,6,5,4,3,2,1,0 --mapper identity --save dgx.json > /dev/null 2> /dev/null
  > topowise map pattern:ring:8 preset:mi250x --mapper identity --save mi250x.json > /dev/null 2> /dev/null
  > nic() { OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_RANK=$2 OMPI_COMM_WORLD_LOCAL_RANK=$2 topowise run --mapping $1 --nic-bind near "${@:3}"; }
  > for r in 0 1 2 7; do nic dgx.json $r -- printenv UCX_NET_DEVICES; done
  > UCX_NET_DEVICES=mlx5_9:1 nic dgx.json 0 -- printenv UCX_NET_DEVICES
  > for r in 0 7; do nic dgx.json $r -- printenv NCCL_IB_HCA; done
  > nic mi250x.json 3 -- printenv MPICH_OFI_NIC_POLICY MPICH_OFI_NIC_MAPPING
  > topowise map --no-bound pattern:ring:16 cluster:tree:2,preset:dgx-a100,nic=25GB/s --save pair.json > /dev/null 2>&1
  > OMPI_COMM_WORLD_SIZE=16 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_RANK=0 topowise run --mapping pair.json --nic-bind near -- printenv UCX_NET_DEVICES 2> /dev/null
  > nic dgx.json 1 --verify -- echo started 2>&1 | grep -c 'NIC none of this name instead of mlx5'
  > for r in 0 1; do OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_LOCAL_RANK=$r PMIX_NAMESPACE=nics topowise run --auto --topology preset:dgx-a100 --nic-bind near --verify -- echo started > auto.$r 2>&1 & done; wait; cat auto.* | grep -oE 'NIC none of this name instead of mlx5_[0-9]+, mlx5_[0-9]+' | sort
  > topowise map pattern:ring:4 preset:s822lc-p100 --mapper identity --save none.json > /dev/null 2> /dev/null
  > OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_RANK=0 topowise run --mapping none.json --nic-bind near -- echo started
  > topowise run --nic-bind near -- true
  mlx5_6:1
  mlx5_7:1
  mlx5_4:1
  mlx5_1:1
  mlx5_9:1
  =mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7
  =mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7
  USER
  0:0,1;1:2,3;2:4,5;3:6,7
  mlx5_0:1
  1
  NIC none of this name instead of mlx5_0, mlx5_1
  NIC none of this name instead of mlx5_0, mlx5_1
  topowise run: warning: 's822lc-p100' names no NIC near GPU0: MPI chooses
  started
  topowise run: error: --nic-bind: this needs a mapping
  hint: --mapping FILE, as written by 'topowise map --save FILE', or --auto
  [2]

run recognises a mapping for another machine by its hosts, and prints one line for each node.

  $ printf 'SwitchName=s Nodes=elsewhere[1-2]\n' > fabric.conf
  > topowise map pattern:ring:4 cluster:fabric.conf,preset:gh200-quad,hosts=elsewhere1 --save elsewhere.json > /dev/null 2>&1
  > for r in 0 1; do OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_LOCAL_RANK=$r topowise run --mapping elsewhere.json -- echo started 2>&1 | sed "s/$(hostname)/HERE/"; done
  topowise run: warning: 'elsewhere.json' seems to be made for another machine: rank 0 is mapped to host elsewhere1 but runs on HERE
  hint: topowise map ... --emit openmpi-rankfile > FILE, then mpirun --rankfile FILE ./app, with the options that the first lines of FILE name for Open MPI 4 and for 5
  started
  started
