Files that launchers read.

  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --emit gpu-env
  topowise map: use: env $(sed -n "$((rank + 1))p" FILE) ./app
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=2,0,1,3 HIP_VISIBLE_DEVICES=2,0,1,3
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1,0,2,3 HIP_VISIBLE_DEVICES=1,0,2,3
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,1,3,2 HIP_VISIBLE_DEVICES=0,1,3,2
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,2,3,1 HIP_VISIBLE_DEVICES=0,2,3,1
  # one process that makes the workers: CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=2,0,3,1 HIP_VISIBLE_DEVICES=2,0,3,1
  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --emit slurm-gpu-map
  topowise map: use: srun $(cat FILE) ./app
  topowise map: this needs a job that has all these processors (--exclusive); else leave --cpu-bind out
  --gpu-bind=map_gpu:2,0,3,1 --cpu-bind=mask_cpu:0xffff000000000000ffff0000,0xffff000000000000ffff000000000000,0xffff000000000000ffff,0xffff000000000000ffff00000000
  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow 2,0,3,1 --mapper identity --emit openmpi-rankfile
  topowise map: warning: this file chooses no GPU: rank 0 is mapped to GPU2, and a program that takes the GPU of its local rank takes another one; with it 'topowise run --mapping FILE -- ./app' (--save FILE) or --emit shell gives each rank its GPU
  # 4 ranks on 'perlmutter-a100'
  # slots are the system's processor numbers, shared by ranks of one NUMA domain; to be read with
  #   Open MPI 4: mpirun --mca rmaps_rank_file_physical 1 --rankfile FILE
  #   Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to none topowise run --mapping MAPPING --cpu-bind numa --
  #   (whose FILE must not have the letters "pe" in its path)
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
  hint: --emit cray-rank-order|deepspeed-hostfile|flux-taskmap|gpu-env|hydra-rankmap|mpich-hostfile|nccl-topo|openmpi-rankfile|pbs-nodefile|rank-order|shell|slurm-gpu-map|slurm-hostfile|torchrun
  [2]

topowise refuses a job that no mapping can fill, before it searches for one.

  $ topowise map pattern:ring:9 tree:2:2 --emit gpu-env
  topowise map: error: P0 is no GPU
  hint: --emit rank-order|cray-rank-order|flux-taskmap
  [3]

A place of a network, or a position of which no more is known, is a node of its own: files that count nodes have one for each place, and files that name
hosts are refused.

  $ topowise map pattern:ring:4 torus:2x2 --allow 3,0,2,1 --mapper identity --emit cray-rank-order
  # 4 ranks on 'torus:2x2', one line a place, in the order of the nodes (or slots) of the job; to be read with
  #   cp FILE MPICH_RANK_ORDER; export MPICH_RANK_REORDER_METHOD=3   before srun, or mpiexec of PALS
  1
  3
  2
  0
  $ topowise map pattern:ring:3 preset:frontier-network --allow 9000,4,5 --mapper identity --emit flux-taskmap 2>&1
  topowise map: use: flux run -N NODES -n N $(cat FILE) ./app
  topowise map: the numbers count nodes without ranks, too: the job must have all 9472 places of the machine as nodes, in their order
  --taskmap=manual:[[9000,1,1,1],[4,2,1,1]]
  $ for launcher in openmpi-rankfile hydra-rankmap mpich-hostfile slurm-hostfile pbs-nodefile shell; do
  >   for machine in tree:2:2 torus:2x2 mesh:4 dragonfly:2:2:1 preset:fugaku-network; do topowise map pattern:ring:4 $machine --emit $launcher 2>&1 | grep error; done; done | sort | uniq -c
        2 topowise map: error: 'dragonfly:2:2:1' does not know the names of its hosts
        2 topowise map: error: 'fugaku-network' does not know the names of its hosts
        2 topowise map: error: 'mesh:4' does not know the names of its hosts
        2 topowise map: error: 'torus:2x2' does not know the names of its hosts
        2 topowise map: error: 'tree:2:2' does not know the names of its hosts
        5 topowise map: error: P0 is no GPU
       15 topowise map: error: the machine does not name its hosts, and each of its places may be one

The wrapper script finds its rank by the variables of any launcher, and agrees with gpu-env.

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

An existing list of GPUs is the set to choose from; the script does not use a GPU that the list hides.

  $ CUDA_VISIBLE_DEVICES=3,2,1 PMI_RANK=0 MPI_LOCALRANKID=0 sh wrap sh -c 'echo $CUDA_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES "$@"' x 'a  b' '*'
  2,3,1 2,3,1 a  b *
  $ CUDA_VISIBLE_DEVICES='3, 2, -1, 1' PMI_RANK=0 MPI_LOCALRANKID=0 sh wrap printenv CUDA_VISIBLE_DEVICES
  2,3
  $ CUDA_VISIBLE_DEVICES=2,2,1 PMI_RANK=0 MPI_LOCALRANKID=2 sh wrap printenv CUDA_VISIBLE_DEVICES
  2,1
  $ HIP_VISIBLE_DEVICES=0,2 PMI_RANK=0 MPI_LOCALRANKID=1 sh wrap printenv HIP_VISIBLE_DEVICES
  0,2
  $ for list in 0,1 '' GPU-1234 1,-1,2; do CUDA_VISIBLE_DEVICES=$list PMI_RANK=0 MPI_LOCALRANKID=0 sh wrap true; done
  wrap: rank 0 is mapped to GPU 2, but CUDA_VISIBLE_DEVICES='0,1' hides it ('topowise run' also knows UUIDs)
  wrap: rank 0 is mapped to GPU 2, but CUDA_VISIBLE_DEVICES='' hides it ('topowise run' also knows UUIDs)
  wrap: rank 0 is mapped to GPU 2, but CUDA_VISIBLE_DEVICES='GPU-1234' hides it ('topowise run' also knows UUIDs)
  wrap: rank 0 is mapped to GPU 2, but CUDA_VISIBLE_DEVICES='1,-1,2' hides it ('topowise run' also knows UUIDs)
  [3]
  $ ROCR_VISIBLE_DEVICES=0,1,2,3 PMI_RANK=0 MPI_LOCALRANKID=0 sh wrap printenv HIP_VISIBLE_DEVICES
  2,0,1,3
  $ ROCR_VISIBLE_DEVICES=2,3 PMI_RANK=0 MPI_LOCALRANKID=0 sh wrap true
  wrap: HIP counts inside ROCR_VISIBLE_DEVICES='2,3', which only 'topowise run' does too
  [3]

PyTorch jobs: a process of torchrun takes the rank that is mapped to its node, and that rank's GPU, with a script as with 'topowise run'. Here the
mapping is for hosts of other names: nodes are matched by their order.

  $ map() { topowise map pattern:alltoall:6 "cluster:tree:2,preset:perlmutter-a100,hosts=n[0-1]" --mapper random --seed 2 "$@" 2> /dev/null; }
  > map --emit torchrun > wrap; map --save m.json > /dev/null
  > show='echo $RANK $ROLE_RANK $CUDA_VISIBLE_DEVICES'
  > for node in 0 1; do for local in 0 1 2; do
  >   process() { env WORLD_SIZE=6 LOCAL_WORLD_SIZE=3 GROUP_RANK=$node LOCAL_RANK=$local RANK=$((3 * node + local)) ROLE_WORLD_SIZE=6 ROLE_RANK=$((3 * node + local)) TORCHELASTIC_RUN_ID=x TORCHELASTIC_USE_AGENT_STORE=True TOPOWISE_MATCH_NODES=order "$@"; }
  >   process sh wrap sh -c "$show" | tee -a script
  >   process topowise run --mapping m.json --match-nodes order -- sh -c "$show" >> run
  > done; done; cmp script run
  3 3 2,0,1,3
  4 4 0,3,1,2
  5 5 0,2,1,3
  0 0 0,1,2,3
  1 1 0,2,1,3
  2 2 0,1,3,2
  $ WORLD_SIZE=6 LOCAL_WORLD_SIZE=3 GROUP_RANK=0 LOCAL_RANK=0 RANK=0 TORCHELASTIC_RUN_ID=x topowise run --mapping m.json -- true 2>&1 | sed 's/host, .*/host/'
  topowise run: error: the mapping has no rank on this host
  hint: map to the hosts of the job, or --match-nodes order: node rank i is the mapping's node i
  $ WORLD_SIZE=6 LOCAL_WORLD_SIZE=3 GROUP_RANK=0 LOCAL_RANK=0 sh wrap true 2>&1 | sed 's/host, [^ ]*/host/'
  wrap: the mapping has no rank on this host (TOPOWISE_MATCH_NODES=order: node rank i is its node i)
  $ WORLD_SIZE=8 LOCAL_WORLD_SIZE=4 GROUP_RANK=0 LOCAL_RANK=0 sh wrap true
  wrap: the mapping is for 6 ranks, not '8'
  [3]
  $ topowise map pattern:alltoall:6 'cluster:tree:2,preset:perlmutter-a100,hosts=n[0-1]' --mapper random --seed 2 --emit deepspeed-hostfile 2> /dev/null
  # 6 ranks on '2 x perlmutter-a100 on tree:2', one a GPU; which of them is which rank, says the mapping. To be read with
  #   deepspeed --hostfile FILE --include n1:0,2,3@n0:1,2,3 --no_python --no_local_rank topowise run --mapping MAPPING -- python train.py
  n1 slots=4
  n0 slots=4
  $ topowise map pattern:alltoall:6 cluster:tree:2,preset:perlmutter-a100 --mapper random --seed 2 --emit rank-order 2> /dev/null
  # 6 ranks on '2 x perlmutter-a100 on tree:2': the process of each, counted node by node and GPU by GPU
  3
  4
  5
  1
  2
  0
  $ topowise map pattern:ring:4 preset:perlmutter-a100 --allow GPU0 --ranks-per-place 4 --emit deepspeed-hostfile
  topowise map: error: several ranks share GPU 0 of a node, but DeepSpeed starts one a GPU
  hint: --emit torchrun
  [3]

Hosts that no source names: no file has a name that topowise made up, and where nodes are counted they are taken in their order.

  $ for machine in cluster:tree:2,preset:perlmutter-a100 preset:gb200-nvl72; do
  >   for launcher in openmpi-rankfile hydra-rankmap mpich-hostfile slurm-hostfile pbs-nodefile deepspeed-hostfile; do topowise map pattern:ring:8 $machine --mapper identity --emit $launcher 2>&1 | grep -e error -e hint; done; done | sort | uniq -c
       12 hint: cluster:FABRIC,NODE,hosts=LIST names them
        6 topowise map: error: no source names the hosts of the machine: 'P0' is made up, and no launcher knows it
        6 topowise map: error: no source names the hosts of the machine: 'tray0' is made up, and no launcher knows it
  $ topowise topology cluster:tree:2,preset:perlmutter-a100 --save named.json > /dev/null 2>&1; topowise map pattern:ring:8 named.json --emit slurm-hostfile 2>&1 | grep error
  topowise map: error: no source names the hosts of the machine: 'P0' is made up, and no launcher knows it
  $ topowise map pattern:ring:8 cluster:tree:3,preset:perlmutter-a100 --allow 0-3,8-11 --mapper identity --emit cray-rank-order 2> /dev/null | grep 'left out'
  # nodes without ranks are left out: the job must have the nodes 0,2 of the machine, in this order
  $ topowise map pattern:alltoall:6 cluster:tree:2,preset:perlmutter-a100 --mapper random --seed 2 --save p.json --emit torchrun 2> /dev/null > wrap
  $ for node in 0 1; do
  >   process() { env WORLD_SIZE=6 LOCAL_WORLD_SIZE=3 GROUP_RANK=$node LOCAL_RANK=0 RANK=$((3 * node)) TORCHELASTIC_RUN_ID=x TORCHELASTIC_USE_AGENT_STORE=True "$@"; }
  >   process sh wrap printenv RANK; process topowise run --mapping p.json -- printenv RANK
  > done
  3
  3
  0
  0
  $ WORLD_SIZE=6 LOCAL_WORLD_SIZE=3 GROUP_RANK=0 LOCAL_RANK=0 TOPOWISE_MATCH_NODES=name sh wrap true
  wrap: no source names the hosts of the mapping: only TOPOWISE_MATCH_NODES=order is possible, node rank i is its node i
  [3]

A host may have the name of a word of the file.

  $ topowise map pattern:ring:8 cluster:tree:2,preset:perlmutter-a100,hosts=MAPPING,n1 --mapper identity --save m.json --emit deepspeed-hostfile 2> /dev/null
  # 8 ranks on '2 x perlmutter-a100 on tree:2', one a GPU; which of them is which rank, says the mapping. To be read with
  #   deepspeed --hostfile FILE --no_python --no_local_rank topowise run --mapping m.json -- python train.py
  MAPPING slots=4
  n1 slots=4

GPUs of several vendors in one node: each vendor's variable counts only the vendor's own GPUs.

  $ echo '{"schema": "topowise.topology/1", "name": "mixed", "places": [{"kind": "gpu", "name": "NVIDIA GPU0"}, {"kind": "gpu", "name": "AMD GPU0"},
  > {"kind": "gpu", "name": "NVIDIA GPU1"}, {"kind": "gpu", "name": "AMD GPU1"}, {"kind": "gpu", "name": "Intel GPU0"}]}' > mixed.json
  $ topowise map pattern:ring:5 mixed.json --mapper identity --emit gpu-env
  topowise map: use: env $(sed -n "$((rank + 1))p" FILE) ./app
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,1
  HIP_VISIBLE_DEVICES=1,0
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=1,0
  HIP_VISIBLE_DEVICES=0,1
  ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE ZE_ENABLE_PCI_ID_DEVICE_ORDER=1 ZE_AFFINITY_MASK=0
  $ topowise map pattern:ring:5 mixed.json --mapper identity --emit shell > mixed.sh
  $ for rank in 0 1 2 3 4; do PMI_RANK=$rank sh mixed.sh sh -c 'echo "cuda=$CUDA_VISIBLE_DEVICES hip=$HIP_VISIBLE_DEVICES ze=$ZE_AFFINITY_MASK"'; done
  cuda=0,1 hip= ze=
  cuda= hip=1,0 ze=
  cuda=1,0 hip= ze=
  cuda= hip=0,1 ze=
  cuda= hip= ze=0
  $ topowise map pattern:ring:5 mixed.json --mapper identity --emit slurm-gpu-map
  topowise map: error: the node has GPUs of several vendors, each of which counts its own, and Slurm's map has one number for each GPU
  hint: --emit shell, or 'topowise run --mapping FILE' in front of the program
  [3]
  $ topowise map pattern:ring:12 preset:aurora-pvc --mapper identity --emit gpu-env | tail -1
  topowise map: use: env $(sed -n "$((rank + 1))p" FILE) ./app
  ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE ZE_ENABLE_PCI_ID_DEVICE_ORDER=1 ZE_AFFINITY_MASK=5.1

The topology file of NCCL: it describes the machine by bus id, and leaves out unknown facts.

  $ cp $SOURCES/tests/corpus/nccl-xml/azure-ncv4-4xa100.xml node.xml
  $ topowise map pattern:ring:4 node.xml --emit nccl-topo 2> /dev/null | tee again.xml
  <system version="1">
    <!-- a node of 'node.xml' -->
    <cpu numaid="0" affinity="00ffffff">
      <pci busid="0001:00:00.0" class="0x030200"/>
    </cpu>
    <cpu numaid="1" affinity="0000ffff,ff000000">
      <pci busid="0002:00:00.0" class="0x030200"/>
    </cpu>
    <cpu numaid="2" affinity="000000ff,ffff0000,00000000">
      <pci busid="0003:00:00.0" class="0x030200"/>
    </cpu>
    <cpu numaid="3" affinity="ffffff00,00000000,00000000">
      <pci busid="0004:00:00.0" class="0x030200"/>
    </cpu>
  </system>
  $ topowise topology again.xml --matrix level 2> /dev/null
          GPU0  GPU1  GPU2  GPU3
    GPU0     X   SYS   SYS   SYS
    GPU1   SYS     X   SYS   SYS
    GPU2   SYS   SYS     X   SYS
    GPU3   SYS   SYS   SYS     X
  $ topowise map pattern:ring:8 preset:dgx1-v100 --emit nccl-topo
  topowise map: error: 'GPU0' has no PCI bus id, by which NCCL finds it
  hint: topowise topology live --save node.json, or a '+' with a source that has bus ids
  [3]

emit refuses nodes that differ, before the search if all their places are filled. It also refuses a rank that is fixed to a place without a GPU.

  $ printf 'SwitchName=s0 Nodes=n[0-1]\n' > two.conf
  $ topowise map pattern:ring:12 cluster:two.conf,preset:dgx1-v100,n1=preset:polaris-a100 --time-limit 1000s --mapper random --emit slurm-gpu-map
  topowise map: error: the nodes need different maps, but Slurm uses one map on all nodes
  hint: --emit shell, or 'topowise run --mapping FILE' in front of the program
  [3]
  $ cp $SOURCES/tests/corpus/nccl-xml/mi300a-4-rccl.xml other.xml
  > for ranks in 8 7; do topowise map pattern:ring:$ranks cluster:two.conf,n0=node.xml,other.xml --mapper identity --emit nccl-topo 2>&1 | grep -v warning; done
  topowise map: error: the nodes 'n0' and 'n1' differ, but NCCL reads the file of its own node
  hint: one node at a time: topowise map TRAFFIC NODE --emit nccl-topo, or --allow its GPUs
  topowise map: error: the nodes 'n0' and 'n1' differ, but NCCL reads the file of its own node
  hint: one node at a time: topowise map TRAFFIC NODE --emit nccl-topo, or --allow its GPUs
  $ topowise map pattern:ring:4 cluster:two.conf,n0=node.xml,other.xml --allow 4-7 --emit nccl-topo 2> /dev/null | sed 1,2d | diff - <(topowise map pattern:ring:4 other.xml --emit nccl-topo 2> /dev/null | sed 1,2d) && echo alike
  alike
  $ echo '{"schema": "topowise.topology/1", "places": [{"kind": "gpu", "name": "GPU0"}, {"kind": "core", "name": "core0"}]}' > odd.json
  $ topowise map pattern:ring:2 odd.json --fix 1=1 --emit gpu-env
  topowise map: error: rank 1 is fixed to core0, a place that gpu-env cannot name
  hint: another place with --fix, or 'topowise help launchers'
  [3]

If a file holds a part of the mapping alone, a warning says so, and what puts all of it into effect.

  $ topowise map pattern:ring:4 preset:l40s-8 --allow 1,0,2,3 --mapper identity --emit openmpi-rankfile | tail -4
  topowise map: warning: this file holds a part of the mapping alone: rank 0 on GPU1 and rank 1 on GPU0 could change places in it; with it 'topowise run --mapping FILE -- ./app' (--save FILE) or --emit shell gives each rank its GPU
  rank 0=localhost slot=0
  rank 1=localhost slot=1
  rank 2=localhost slot=2
  rank 3=localhost slot=3
  $ topowise map pattern:ring:4 preset:l40s-8 --mapper identity --emit openmpi-rankfile | tail -1
  rank 3=localhost slot=3
  $ topowise map pattern:ring:4 cluster:tree:1,preset:perlmutter-a100,nic=25GB/s,hosts=n0 --allow 1,0,2,3 --mapper identity --emit slurm-hostfile | uniq -c
  topowise map: use: SLURM_HOSTFILE=FILE srun --distribution=arbitrary -n N ./app
  topowise map: warning: this file holds a part of the mapping alone: rank 0 on n0:GPU1 and rank 2 on n0:GPU2 could change places in it; with it 'topowise run --mapping FILE -- ./app' (--save FILE) or --emit shell gives each rank its GPU
        4 n0
  $ topowise map pattern:ring:2 preset:perlmutter-a100 --allow 2,3 --emit rank-order
  topowise map: warning: this file counts on local rank k using the k-th GPU of its node that the job sees, and rank 0 is on GPU2, which is another one if the job sees all; with it 'topowise run --mapping FILE -- ./app' (--save FILE) or --emit shell gives each rank its GPU
  # 2 ranks on 'perlmutter-a100': the process of each, counted node by node and GPU by GPU
  0
  1
  $ topowise map pattern:ring:4 tree:2:2 --allow 1,0,2,3 --mapper identity --emit mpich-hostfile | uniq -c
  topowise map: error: the machine does not name its hosts, and each of its places may be one
  hint: map onto a machine with hosts: cluster:FABRIC,NODE,hosts=LIST

A file about GPUs alone leaves the hosts to the launcher. Where the processors near the GPUs are known, Slurm gets them too.

  $ topowise map pattern:ring:4 cluster:two.conf,preset:perlmutter-a100,nic=25GB/s --allow 3,7,2,6 --mapper identity --emit slurm-gpu-map
  topowise map: use: srun $(cat FILE) ./app
  topowise map: this needs a job that has all these processors (--exclusive); else leave --cpu-bind out
  topowise map: warning: this file leaves the hosts to the launcher, and rank 2 is mapped to n0, where a launcher that fills one host after the other does not put it; a list of hosts does (--emit slurm-hostfile, openmpi-rankfile, mpich-hostfile ...)
  --gpu-bind=map_gpu:3,2 --cpu-bind=mask_cpu:0xffff000000000000ffff,0xffff000000000000ffff0000
  $ topowise map pattern:ring:4 preset:l40s-8 --allow 1,0,2,3 --mapper identity --emit slurm-gpu-map
  topowise map: use: srun $(cat FILE) ./app
  topowise map: the processors are left to Slurm, because those near GPU1 are not known
  --gpu-bind=map_gpu:1,0,2,3
  $ topowise map pattern:ring:12 preset:aurora-pvc --emit slurm-gpu-map
  topowise map: error: GPU0.0 is a part of a GPU, and Slurm's map has whole ones
  hint: --emit shell, or 'topowise run --mapping FILE' in front of the program
  [3]

A rankfile has the system's numbers of processors, and Open MPI 5 counts cores: where the two may differ, topowise binds the ranks.

  $ cores() { echo '{"schema": "topowise.topology/1", "name": "cores", "vertices": [{"id": 0, "kind": "core", "cpus": "'$1'"}, {"id": 1, "kind": "core", "cpus": "'$2'"}], "places": [{"kind": "core", "vertex": 0}, {"kind": "core", "vertex": 1}]}'; }
  > for cpus in '0 1' '0,2 1,3'; do cores $cpus > cores.json; topowise map pattern:ring:2 cores.json --allow 1,0 --mapper identity --emit openmpi-rankfile | grep -e slot -e 'MPI 5'; done
  > topowise map pattern:ring:2 cores.json --allow 1,0 --mapper identity --emit slurm-hostfile
  > topowise map pattern:ring:2 cores.json --allow 1,0 --mapper identity --emit mpich-hostfile
  > topowise map pattern:ring:2 cores.json --emit gpu-env
  # slots are the system's processor numbers; to be read with
  #   Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to :overload-allowed
  rank 0=localhost slot=1
  rank 1=localhost slot=0
  # slots are the system's processor numbers; to be read with
  #   Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to none topowise run --mapping MAPPING --
  rank 0=localhost slot=1,3
  rank 1=localhost slot=0,2
  topowise map: error: 'cores' does not know the names of its hosts
  hint: map onto a machine with hosts: live, cluster:FABRIC,NODE
  topowise map: use: mpiexec -f FILE -n N ./app
  topowise map: warning: this file holds a part of the mapping alone: rank 0 on place 1 and rank 1 on place 0 could change places in it; with it 'topowise run --mapping FILE -- ./app' (--save FILE) binds each rank to its core
  localhost:1
  localhost:1
  topowise map: error: a place is no GPU
  hint: --emit openmpi-rankfile, or 'topowise run --mapping FILE -- ./app' (--save FILE)
  [3]
