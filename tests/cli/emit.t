What launchers read.

  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --emit gpu-env
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=2,0,1,3 HIP_VISIBLE_DEVICES=2,0,1,3
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1,0,2,3 HIP_VISIBLE_DEVICES=1,0,2,3
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,1,3,2 HIP_VISIBLE_DEVICES=0,1,3,2
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,2,3,1 HIP_VISIBLE_DEVICES=0,2,3,1
  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --emit slurm-gpu-map
  --gpu-bind=map_gpu:2,0,3,1
  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --emit openmpi-rankfile
  # 4 ranks on 'perlmutter-a100'
  # slots are the system's processor numbers, shared by ranks of one NUMA domain; to be read with
  #   Open MPI 4: mpirun --mca rmaps_rank_file_physical 1 --rankfile FILE
  #   Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to :overload-allowed
  rank 0=localhost slot=16-31,80-95
  rank 1=localhost slot=48-63,112-127
  rank 2=localhost slot=0-15,64-79
  rank 3=localhost slot=32-47,96-111
  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --emit cray-rank-order
  # 4 ranks on 'perlmutter-a100', one line a node, in the order of the nodes of the job; to be read with
  #   cp FILE MPICH_RANK_ORDER; export MPICH_RANK_REORDER_METHOD=3   before srun, or mpiexec of PALS
  1,3,0,2
  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --emit slurm-hostfile
  topowise map: error: 'perlmutter-a100' does not know the names of its hosts
  hint: --emit slurm-gpu-map needs none on a machine of one node
  [3]
  $ topowise map pattern:ring:4 preset:perlmutter-a100 --emit lsf
  topowise map: error: --emit: unknown launcher 'lsf'
  hint: --emit cray-rank-order|flux-taskmap|gpu-env|hydra-rankmap|mpich-hostfile|openmpi-rankfile|pbs-nodefile|shell|slurm-gpu-map|slurm-hostfile
  [2]

The wrapper script chooses by the variables of any launcher, and agrees with gpu-env.

  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --emit shell > wrap
  $ for shell in sh bash; do for rank in 0 1 2 3; do
  >   PMI_RANK=$rank MPI_LOCALRANKID=$rank $shell wrap sh -c 'echo $CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES'
  > done; done
  PCI_BUS_ID 2,0,1,3 2,0,1,3
  PCI_BUS_ID 1,0,2,3 1,0,2,3
  PCI_BUS_ID 0,1,3,2 0,1,3,2
  PCI_BUS_ID 0,2,3,1 0,2,3,1
  PCI_BUS_ID 2,0,1,3 2,0,1,3
  PCI_BUS_ID 1,0,2,3 1,0,2,3
  PCI_BUS_ID 0,1,3,2 0,1,3,2
  PCI_BUS_ID 0,2,3,1 0,2,3,1
  $ SLURM_PROCID=3 SLURM_LOCALID=0 sh wrap printenv CUDA_VISIBLE_DEVICES
  1,0,2,3
  $ OMPI_COMM_WORLD_RANK=3 sh wrap printenv CUDA_VISIBLE_DEVICES
  0,2,3,1
  $ PMI_RANK=4 sh wrap true
  wrap: rank '4' is not in the mapping
  [3]
  $ sh wrap true
  wrap: rank '' is not in the mapping
  [3]
