#requires mpirun.openmpi mpiexec.hydra
The launchers themselves read the files that topowise writes for them.

  $ echo '{"schema": "topowise.topology/1", "name": "cores", "places": [{"kind": "core"}, {"kind": "core"}, {"kind": "core"}]}' > cores.json
  $ topowise map pattern:ring:2 cores.json --emit openmpi-rankfile --mapper identity > rankfile; cat rankfile
  # 2 ranks on 'cores'
  # slots are cores, counted from 0, one for each rank of a host; to be read with
  #   Open MPI 4: mpirun --rankfile FILE
  #   Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to :overload-allowed
  #   (whose FILE must not have the letters "pe" in its path)
  rank 0=localhost slot=0
  rank 1=localhost slot=1

Every machine has a processor 0.

  $ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  > sed -i s/slot=1/slot=0/ rankfile; mpirun.openmpi --oversubscribe --rankfile rankfile printenv OMPI_COMM_WORLD_RANK 2>&1 | sort
  0
  1

Hydra of MPICH 4 dies of SIGPIPE if it forwards the end of its input to a program that has ended: this input has no end.

  $ mkfifo input; exec 3<> input; topowise map pattern:ring:3 cores.json --emit mpich-hostfile > hosts 2> /dev/null
  > mpiexec.hydra -f hosts -n 3 printenv PMI_RANK <&3 | sort
  0
  1
  2

run under both families of MPI libraries: every rank finds its own GPU, and the GPUs in its own order. The memory is checked only where this machine
has the GPU's NUMA domain.

  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --save m.json 2> /dev/null > /dev/null
  $ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  > mpirun.openmpi --oversubscribe -n 4 topowise run --mapping m.json --verify -- sh -c 'echo $OMPI_COMM_WORLD_RANK $CUDA_VISIBLE_DEVICES' 2>&1 | sort
  0 2,0,1,3
  1 1,0,2,3
  2 0,1,3,2
  3 0,2,3,1
  topowise run: verify: 4 ranks on *: list of visible GPUs* as mapped* (glob)
  $ exec 3<> input; mpiexec.hydra -n 4 topowise run --mapping m.json --gpu-bind only -- sh -c 'echo $PMI_RANK $CUDA_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES' <&3 | sort
  0 2 2
  1 0 0
  2 3 3
  3 1 1

If a rank cannot be placed, the job ends; it does not hang.

  $ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  > timeout 900 mpirun.openmpi --oversubscribe -n 3 topowise run --mapping m.json -- sleep 10000 2>&1 | grep -m1 error
  topowise run: error: the mapping is for 4 ranks, but this is rank * of 3 (glob)
  $ timeout 900 mpiexec.hydra -n 3 topowise run --mapping m.json -- sleep 10000 > log 2>&1; echo $?
  3

The ranks of a job measure each other under any launcher. One process prints for all.

  $ cat > what.py <<'E'
  > import json, sys
  > machine = json.load(open(sys.argv[1]))
  > latency = machine["pair_matrices"]["latency"]
  > print(len(machine["places"]), latency["source"].split(", ")[0], [len([c for c in row if c > 0]) for row in latency["count"]])
  > E
  > export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  > mpirun.openmpi --oversubscribe -n 3 topowise probe --device host --sizes 4KiB --repetitions 2 --save ompi.json > /dev/null 2>&1; python3 what.py ompi.json
  3 measured:probe (MPI from host memory; 3 ranks on 1 host [2, 2, 2]
  $ mpiexec.hydra -n 4 topowise probe --device host --sizes 4KiB --repetitions 2 --save mpich.json > /dev/null 2>&1; python3 what.py mpich.json
  4 measured:probe (MPI from host memory; 4 ranks on 1 host [3, 3, 3, 3]
  $ mpiexec.hydra -n 2 topowise probe --device host --calibrate --json
  topowise probe: error: --calibrate: the ranks of a job do not calibrate
  hint: start it without a launcher
  [2]
  $ TOPOWISE_MPI_LIBRARY=/no/such/libmpi.so mpiexec.hydra -n 2 topowise probe --device host --json
  topowise probe: error: no MPI library of the launcher (hydra) can be opened: /no/such/libmpi.so: cannot open shared object file: No such file or directory
  hint: TOPOWISE_MPI_LIBRARY=/path/to/libmpi.so names it; started without a launcher, one process measures
  [4]

Open MPI's launcher gives each process a terminal. The output may go to a file, and has no colours.

  $ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  > TERM=xterm mpirun.openmpi -n 1 sh -c 'test -t 1 && topowise topology tree:2:2' | head -1 | cat -v
  tree:2:2: 4 places
