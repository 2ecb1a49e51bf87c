Sites hand out scripts that give every rank the GPU near the processors to which their launcher binds it. A mapping with the same GPUs: 'map' shows
each rank on the NUMA domain to which the site's options bind it, and 'run' makes the same GPU visible as the script, and also sets the NIC.

  $ cat > try <<'END'  # MACHINE SCRIPT RANKS
  > gpus=$(for r in $(seq 0 $(($3 - 1))); do eval "$2"; done | paste -sd,)
  > topowise map --no-bound pattern:ring:$3 preset:$1 --allow $gpus --mapper identity --save $1.json 2> /dev/null |
  >   awk '$1 ~ /^[0-9]+$/ && NF > 4 {print "rank", $1, $3, "NUMA", $(NF - 1), "NIC", $NF}'
  > for r in $(seq 0 $(($3 - 1))); do
  >   for rank in "PALS_RANKID=$r PALS_LOCAL_RANKID=$r PMI_SIZE=$3" "SLURM_JOB_ID=1 SLURM_PROCID=$r SLURM_LOCALID=$r SLURM_NTASKS=$3"; do
  >     found=$(env $rank topowise run --mapping $1.json --gpu-bind only -- printenv CUDA_VISIBLE_DEVICES)
  >     [ "$found" = "$(eval "$2")" ] || echo "rank $r: GPU $(eval "$2") by the script, $found by topowise"
  >   done
  > done
  > PALS_RANKID=1 PALS_LOCAL_RANKID=1 PMI_SIZE=$3 topowise run --mapping $1.json --nic-bind near -- env | grep -E '^(UCX_NET|NCCL_IB|MPICH_OFI)' | sort
  > END

Polaris, ALCF's set_affinity_gpu_polaris.sh (mpiexec --ppn 4 --depth 8 --cpu-bind depth: local rank r on NUMA domain r).

  $ bash try polaris-a100 'echo $((4 - 1 - r % 4))' 4
  rank 0 GPU3 NUMA 0 NIC mlx5_0
  rank 1 GPU2 NUMA 1 NIC mlx5_0
  rank 2 GPU1 NUMA 2 NIC mlx5_1
  rank 3 GPU0 NUMA 3 NIC mlx5_1
  NCCL_IB_HCA==mlx5_0,mlx5_1
  UCX_NET_DEVICES=mlx5_0:1

Perlmutter: GPU 3 - i is near NUMA domain i (srun --ntasks-per-node 4 --cpus-per-task 32 --cpu-bind cores).

  $ bash try perlmutter-a100 'echo $((3 - r % 4))' 4
  rank 0 GPU3 NUMA 0 NIC cxi0
  rank 1 GPU2 NUMA 1 NIC cxi1
  rank 2 GPU1 NUMA 2 NIC cxi2
  rank 3 GPU0 NUMA 3 NIC cxi3
  MPICH_OFI_NIC_MAPPING=0:0;1:1;2:2;3:3
  MPICH_OFI_NIC_POLICY=USER

Frontier and similar machines: the ranks are on the cores of the L3 caches in turn, and there is a table of the GPUs nearest to these.

  $ bash try mi250x 'table=(4 5 2 3 6 7 0 1); echo ${table[r]}' 8
  rank 0 GPU4 NUMA 0 NIC hsn2
  rank 1 GPU5 NUMA 0 NIC hsn2
  rank 2 GPU2 NUMA 1 NIC hsn1
  rank 3 GPU3 NUMA 1 NIC hsn1
  rank 4 GPU6 NUMA 2 NIC hsn3
  rank 5 GPU7 NUMA 2 NIC hsn3
  rank 6 GPU0 NUMA 3 NIC hsn0
  rank 7 GPU1 NUMA 3 NIC hsn0
  MPICH_OFI_NIC_MAPPING=0:6,7;1:2,3;2:0,1;3:4,5
  MPICH_OFI_NIC_POLICY=USER
