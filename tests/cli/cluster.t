A fabric with nodes in it: 16 nodes of 8 GPUs in two groups. Each GPU leaves its node by its own adapter.

  $ topowise topology cluster:tree:2:8,preset:hgx-h100 --explain P0:GPU3 P9:GPU5
  topowise topology: warning: tree:2:8: the rates of its links are not stated; what the hosts below can send is assumed to fit through
  P0:GPU3 -> P9:GPU5: class NET3, level 2, distance 3, 50 GB/s
    from              to                link     bandwidth  latency  source
    P0:GPU3           P0:PCIe switch 3  pcie       63 GB/s   150 ns  preset (nominal)
    P0:PCIe switch 3  P0:mlx5_3         pcie       50 GB/s   150 ns  preset (nominal)
    P0:mlx5_3         1.0               network    50 GB/s           preset (nominal)
    1.0               root              network   3.2 TB/s           composed (assumed)
    root              1.1               network   3.2 TB/s           composed (assumed)
    1.1               P9:mlx5_5         network    50 GB/s           preset (nominal)
    P9:mlx5_5         P9:PCIe switch 5  pcie       50 GB/s   150 ns  preset (nominal)
    P9:PCIe switch 5  P9:GPU5           pcie       63 GB/s   150 ns  preset (nominal)
  $ topowise map pattern:halo3d:4x4x8:bytes=1B cluster:tree:2:8,preset:hgx-h100,nic=50GB/s --save 128.map | grep '^hop-bytes'
  topowise map: warning: tree:2:8: the rates of its links are not stated; what the hosts below can send is assumed to fit through
  topowise map: wrote 128.map
  hop-bytes * (distance x bytes): *% less than the 1.06 KB of the identity (glob)
  $ topowise evaluate pattern:halo3d:4x4x8:bytes=1B cluster:tree:2:8,preset:hgx-h100,nic=50GB/s --mapping 128.map --json | grep -c -e hop_bytes -e max_congestion_s -e predicted_time_s
  topowise evaluate: warning: tree:2:8: the rates of its links are not stated; what the hosts below can send is assumed to fit through
  3
  $ topowise predict pattern:ring:128 cluster:tree:2:8,preset:hgx-h100,nic=50GB/s --mapping cyclic --json | grep -A 3 link_models
  topowise predict: warning: tree:2:8: the rates of its links are not stated; what the hosts below can send is assumed to fit through
    "link_models": [
      {"model": "pcie-sc16", "kinds": ["pcie"]},
      {"model": "max-min", "kinds": ["inter-socket", "host", "nvlink", "network"]}
    ],
  $ topowise report pattern:halo3d:4x4x8:bytes=1B cluster:tree:2:8,preset:hgx-h100,nic=50GB/s --mapping cyclic --save report.html
  topowise report: warning: tree:2:8: the rates of its links are not stated; what the hosts below can send is assumed to fit through
  topowise report: wrote report.html
  $ for objective in max-congestion predicted-time mix; do topowise map pattern:ring:16 cluster:tree:2,preset:hgx-h100,nic=50GB/s --objective $objective --json 2> /dev/null | grep '"objective"'; done
    "objective": "max-congestion",
    "objective": "predicted-time",
    "objective": "mix",

A node without an adapter gets one. With every preset, every objective has the rates that it needs.

  $ topowise help presets | grep -o 'preset:[^ ]*' | grep -v -e eurompi2011 -e network -e pod > presets
  $ for preset in $(cat presets); do topowise evaluate pattern:ring:2 cluster:tree:2,$preset --mapping cyclic --json 2> /dev/null | grep -c -e '"max_congestion_s": [0-9]' -e '"predicted_time_s": [0-9]'; done > known
  $ topowise topology cluster:tree:2,preset:eurompi2011-a
  topowise topology: error: 'eurompi2011-a' is no node but a cluster: it has the network switch S2
  hint: give it as the machine itself, without cluster:
  [3]
  $ grep -c -x 2 known | diff - <(grep -c . presets) && uniq known
  2
  $ topowise map pattern:ring:39 cluster:tree:8,preset:l40s-8 --objective max-congestion 2>&1 | grep -e assumed -e error
  topowise map: warning: l40s-8: no adapter is described; one at the first processor is assumed, with 31.5 GB/s, the rate of a GPU's PCIe link (nic=50GB/s states it)

The hosts of the job are used in their order; every launcher's file names them.

  $ cat > topology.conf <<'END'
  > SwitchName=s1 Nodes=n[1-2]
  > SwitchName=s2 Nodes=n[3-4]
  > SwitchName=top Switches=s[1-2]
  > END
  $ SLURM_JOB_NODELIST='n[3,1]' topowise map pattern:ring:16 cluster:topology.conf,preset:hgx-h100,hosts=job,nic=50GB/s --mapper identity --emit slurm-hostfile 2> /dev/null | uniq -c
        8 n3
        8 n1
  $ SLURM_JOB_NODELIST='n[3,1]' topowise map pattern:ring:16 cluster:topology.conf,preset:hgx-h100,hosts=job,nic=50GB/s --mapper identity --emit mpich-hostfile 2> /dev/null | uniq -c
        8 n3:1
        8 n1:1
  $ SLURM_JOB_NODELIST='n[3,1]' topowise map pattern:ring:16 cluster:topology.conf,preset:hgx-b200,hosts=job --mapper identity --emit openmpi-rankfile 2> /dev/null | tail -2
  rank 14=n1 slot=56-111,168-223
  rank 15=n1 slot=56-111,168-223
  $ SLURM_JOB_NODELIST='n[3,1]' topowise map pattern:ring:16 cluster:topology.conf,preset:hgx-h100,hosts=job,nic=50GB/s --mapper identity --emit slurm-gpu-map 2> /dev/null
  --gpu-bind=map_gpu:0,1,2,3,4,5,6,7
  $ SLURM_JOB_NODELIST='n[3,1]' topowise map pattern:ring:16 cluster:topology.conf,preset:hgx-h100,hosts=job,nic=50GB/s --mapper identity --emit cray-rank-order 2> /dev/null
  # 16 ranks on '2 x hgx-h100 on topology.conf', one line a node, in the order of the nodes of the job; to be read with
  #   cp FILE MPICH_RANK_ORDER; export MPICH_RANK_REORDER_METHOD=3   before srun, or mpiexec of PALS
  0,1,2,3,4,5,6,7
  8,9,10,11,12,13,14,15
  $ SLURM_JOB_NODELIST='n[3,1]' topowise map pattern:ring:16 cluster:topology.conf,preset:hgx-h100,hosts=job,nic=50GB/s --mapper identity --emit gpu-env 2> /dev/null | sed -n 16,18p
  CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 HIP_VISIBLE_DEVICES=0,1,2,3,4,5,6,7
  # one process that makes the workers of n3: CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 HIP_VISIBLE_DEVICES=0,1,2,3,4,5,6,7
  # one process that makes the workers of n1: CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 HIP_VISIBLE_DEVICES=0,1,2,3,4,5,6,7
  $ SLURM_JOB_NODELIST='n[3,1]' topowise map pattern:ring:16 cluster:topology.conf,preset:hgx-h100,hosts=job,nic=50GB/s --mapper identity --emit shell 2> /dev/null | grep '^15'
  15) gpu=7 gpus=8; : "${local_rank:=7}" ;;
  $ SLURM_JOB_NODELIST='n[1,7-9]' topowise topology cluster:topology.conf,preset:hgx-h100,hosts=job
  topowise topology: error: 'topology.conf' does not know 3 of the hosts: n7, n8, n9
  hint: it knows hosts like n1
  [3]
  $ printf 'n2 slots=8\nn4\n' > hostfile; topowise topology cluster:topology.conf,preset:hgx-h100,hosts=@hostfile | grep GPU0 | head -2
  topowise topology: warning: topology.conf: the rates of its links are not stated; what the hosts below can send is assumed to fit through
     0  n2:GPU0  n2       0  n2:mlx5_0 (PIX)
     8  n4:GPU0  n4       0  n4:mlx5_0 (PIX)

Of its hosts a job may have a part: some ranks, some GPUs, several components.

  $ SLURM_JOB_NODELIST='n[1-2]' SLURM_TASKS_PER_NODE=7,1 topowise map pattern:ring:8 cluster:topology.conf,preset:hgx-h100,hosts=job,nic=50GB/s --emit slurm-hostfile 2> /dev/null | sort | uniq -c
        7 n1
        1 n2
  $ SLURM_JOB_NODELIST='n[1-2]' SLURM_TASKS_PER_NODE='4(x2)' topowise topology cluster:topology.conf,preset:hgx-h100,hosts=job,nic=50GB/s 2>&1 | grep -E 'the job has|places$'
  topowise topology: warning: the job has 4 of 8 places of n1, 4 of 8 places of n2 (SLURM_TASKS_PER_NODE)
  2 x hgx-h100 on topology.conf: 8 places
  $ SLURM_HET_SIZE=2 SLURM_JOB_NODELIST=n1 SLURM_JOB_NODELIST_HET_GROUP_0=n1 SLURM_JOB_NODELIST_HET_GROUP_1=n[3-4] SLURM_GPUS_PER_NODE_HET_GROUP_0=8 SLURM_GPUS_PER_NODE_HET_GROUP_1=2 \
  >   topowise topology cluster:topology.conf,preset:hgx-h100,hosts=job,nic=50GB/s 2>&1 | grep -E 'the job has|places$'
  topowise topology: warning: the job has 2 of 8 places of n3, 2 of 8 places of n4 (SLURM_GPUS_PER_NODE); which of them is not stated, and the first ones are taken
  3 x hgx-h100 on topology.conf: 12 places
  $ printf 'n1 slots=2\nn2 slots=1\n' > hostfile; topowise map pattern:ring:3 cluster:topology.conf,preset:hgx-h100,hosts=@hostfile,nic=50GB/s --emit mpich-hostfile 2> /dev/null
  n1:1
  n1:1
  n2:1

A table of nodes with their states is a list of hosts, too: those that no job gets are left out.

  $ printf 'NODELIST NODES PARTITION STATE\nn1 1 gpu* idle\nn1 1 all idle\nn2 1 gpu* down*\nn3 1 gpu* mix\nn4 1 gpu* drng\n' > nodes
  > topowise topology cluster:topology.conf,preset:hgx-h100,hosts=@nodes,nic=50GB/s 2>&1 | grep -E 'left out|places$'
  topowise topology: warning: nodes: 1 node is left out, down: n2
  topowise topology: warning: nodes: 1 node is left out, drng: n4
  2 x hgx-h100 on topology.conf: 16 places
  $ topowise map pattern:ring:3 cluster:topology.conf,preset:hgx-h100,hosts=@nodes,nic=50GB/s --allow 0,8,9 --mapper identity --emit slurm-hostfile 2> /dev/null
  n1
  n3
  n3
  $ printf 'n1 down\nn2 drain\n' > nodes; topowise topology cluster:topology.conf,preset:hgx-h100,hosts=@nodes
  topowise topology: error: 'nodes': no job gets any of the nodes: they are down or drain
  [3]

A cluster may have several kinds of nodes, and a saved cluster keeps its properties.

  $ topowise topology 'cluster:topology.conf,n[1-3]=preset:hgx-h100,preset:dgx-a100,nic=25GB/s' --save mixed.json 2> /dev/null | head -1
  4 x hgx-h100, dgx-a100 on topology.conf: 32 places
  $ topowise topology mixed.json --explain n1:GPU0 n4:GPU7 2> /dev/null | head -1
  n1:GPU0 -> n4:GPU7: class NET3, level 3, distance 4, 25 GB/s
  $ topowise topology 'cluster:topology.conf,n[1-3]=preset:hgx-h100,preset:dgx-a100,nic=25GB/s' --explain n1:GPU0 n4:GPU7 2> /dev/null | head -1
  n1:GPU0 -> n4:GPU7: class NET3, level 3, distance 4, 25 GB/s

Places may be whole nodes, and several sources may make a node.

  $ topowise map pattern:ring:4 cluster:tree:2:2,preset:hgx-h100,nic=50GB/s --places node 2> /dev/null | grep level
    traffic by level  class  distance   before            after
    level 0           NET1          1      0 B    0.0%      0 B    0.0%
    level 1           NET3          2      0 B    0.0%      0 B    0.0%
  $ topowise topology cluster:tree:2,preset:dgx-a100+preset:dgx-a100,nic=25GB/s 2> /dev/null | head -1
  2 x dgx-a100+dgx-a100 on tree:2: 16 places

topowise refuses clusters that make no sense, and says why.

  $ topowise topology cluster:topology.conf
  topowise topology: error: 'cluster:topology.conf' wants a fabric and a node
  hint: cluster:FABRIC,NODE[,hosts=job][,nic=50GB/s], as cluster:topology.conf,preset:hgx-h100
  [2]
  $ topowise topology cluster:preset:hgx-h100,preset:hgx-h100
  topowise topology: error: 'hgx-h100' is no fabric: its places are gpus, not hosts
  hint: cluster:FABRIC,NODE with a Slurm or InfiniBand file, tree:, torus:, mesh: or dragonfly: as FABRIC
  [3]
  $ topowise topology 'cluster:topology.conf,n[1-2]=preset:hgx-h100'
  topowise topology: error: host n3 has no description
  hint: cluster:FABRIC,n[01-16]=NODE,OTHER: the last is for all other hosts
  [3]
  $ env -u SLURM_JOB_NODELIST topowise topology cluster:topology.conf,preset:hgx-h100,hosts=job
  topowise topology: error: hosts=job: no batch system names the hosts of this job (SLURM_JOB_NODELIST, PBS_NODEFILE, LSB_DJOB_HOSTFILE)
  hint: hosts=n[01-16], or hosts=@HOSTFILE
  [4]
  $ topowise topology 'cluster:topology.conf,preset:hgx-h100,hosts=n[1-2'
  topowise topology: error: hosts:1:1: a bracket is not closed
      1 | n[1-2
        | ^
  [2]
  $ SLURM_JOB_NODELIST='n[1-2' topowise topology cluster:topology.conf,preset:hgx-h100,hosts=job 2>&1 | head -1
  topowise topology: error: SLURM_JOB_NODELIST:1:1: a bracket is not closed
  $ topowise topology cluster:absent.conf,preset:hgx-h100
  topowise topology: error: cannot read 'absent.conf': No such file or directory
  hint: a TOPOLOGY is a file, '-', live, preset:NAME, tree:2:2:2 or cluster:FABRIC,NODE
  [3]

A cable list of iblinkinfo is a fabric too. A fabric is no node, and a node is no fabric. The rate of a slot without a known port is assumed.

  $ cat > iblinkinfo.txt <<END
  > CA: n1 mlx5_0:
  >       0x0002c903000e0b73      1    1[  ] ==( 4X      53.125 Gbps Active/  LinkUp)==>       9    1[  ] "MF0;leaf1:MQM8700/U1" ( )
  > CA: n2 mlx5_0:
  >       0x0002c903000e0b74      2    1[  ] ==( 4X      53.125 Gbps Active/  LinkUp)==>       9    2[  ] "MF0;leaf1:MQM8700/U1" ( )
  > Switch: 0x7cfe900300a0b0c0 MF0;leaf1:MQM8700/U1:
  >            9    1[  ] ==( 4X      53.125 Gbps Active/  LinkUp)==>       1    1[  ] "n1 mlx5_0" ( )
  >            9    2[  ] ==( 4X      53.125 Gbps Active/  LinkUp)==>       2    1[  ] "n2 mlx5_0" ( )
  >            9    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
  > END
  $ topowise topology cluster:iblinkinfo.txt,preset:gh200 | tail -2
    level  class  distance  pairs  bandwidth
        0  NET1          1      1    25 GB/s
  $ head -2 iblinkinfo.txt | topowise topology -
  topowise topology: error: stdin: the output is cut off: it names one host, 'n1', and devices that it does not list
  hint: ibnetdiscover > FILE
  [3]
  $ topowise topology cluster:iblinkinfo.txt,iblinkinfo.txt
  topowise topology: error: 'iblinkinfo.txt' is no node: its places are hosts, not devices or cores
  hint: cluster:FABRIC,NODE with a preset, or what nvidia-smi, NCCL, hwloc or lspci print, as NODE
  [3]
  $ topowise topology cluster:tree:2,preset:tpu-v5p-pod
  topowise topology: error: 'tpu-v5p-pod' is no node but a network of 8960 places
  hint: give it as the machine itself, without cluster:, or as FABRIC: cluster:NETWORK,NODE
  [3]
  $ topowise topology cluster:tree:2,preset:hgx-a800 2>&1 > /dev/null | head -1
  topowise topology: warning: hgx-a800: the rate of its adapters is not stated and taken for that of their PCIe links (nic=50GB/s states it)

The arguments in the wrong order, and two files in one.

  $ topowise map preset:dgx-a100 pattern:ring:8
  topowise map: error: 'preset:dgx-a100' describes a machine, where traffic is asked for
  hint: TRAFFIC comes first, then TOPOLOGY
  [3]
  $ topowise topology pattern:ring:8
  topowise topology: error: 'pattern:ring:8' is traffic, where a machine is asked for
  hint: TRAFFIC comes first, then TOPOLOGY
  [3]
  $ topowise topology pattern:ring:8 --json > /dev/null
  topowise topology: error: 'pattern:ring:8' is traffic, where a machine is asked for
  hint: TRAFFIC comes first, then TOPOLOGY
  [3]
  $ cat $SOURCES/tests/corpus/nccl-xml/aws-p4d-24xl.xml $SOURCES/tests/corpus/nccl-xml/azure-ncv4-4xa100.xml > glued.xml; topowise topology glued.xml 2>&1 | sed -e 's/:[0-9]*:[0-9]*: /:LINE: /' -e '2,3d'
  topowise topology: error: glued.xml:LINE: a second <system> begins here: a file describes one machine
  hint: give each as a file of its own; A.xml+B.xml joins files that describe one machine

A cluster that would not fit into memory is refused before memory is taken.

  $ echo 'SwitchName=s0 Nodes=n[1-100000]' > many.conf
  $ topowise topology cluster:many.conf,tree:1000
  topowise topology: error: the cluster is too large: 100000 hosts with 100000000 places would take about 48 GB of memory, at most 5 GB are supported
  hint: cluster:FABRIC,NODE,hosts=LIST takes some of the hosts
  [3]
  $ topowise topology cluster:many.conf,tree:1000,hosts=n[7-8] | head -1
  topowise topology: warning: tree:1000: no adapter is described; one at the first processor is assumed, with 31.5 GB/s, the rate of a GPU's PCIe link (nic=50GB/s states it)
  2 x tree:1000 on many.conf: 2000 places

The network of the site, by a stand-in for Slurm's program.

  $ mkdir site; cat > site/scontrol <<'END'
  > #!/bin/sh
  > [ "$*" = "show topology" ] && echo "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]" && echo "SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[3-4]" && echo "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=leaf[1-2]"
  > END
  $ chmod +x site/scontrol; PATH=$PWD/site:$PATH topowise topology live:fabric --matrix level | tail -4
    n1     X  NET1  NET3  NET3
    n2  NET1     X  NET3  NET3
    n3  NET3  NET3     X  NET1
    n4  NET3  NET3  NET1     X
  $ PATH=$PWD/site:$PATH topowise topology cluster:live,preset:dgx-a100 2> /dev/null | head -1
  4 x dgx-a100 on scontrol show topology: 32 places

Without a TOPOLOGY, a job of several hosts is mapped to them on that network, one of a host to this machine.

  $ PATH=$PWD/site:$PATH SLURM_JOB_NODELIST='n[1,3]' topowise map pattern:ring:2 2> /dev/null | grep -o 'links of .* carry'
  links of scontrol show topology that carry
  $ PATH=$PWD/site:$PATH SLURM_JOB_NODELIST=n3 topowise map pattern:ring:99999 2>&1 | grep -o "but 'live' offers"
  but 'live' offers

And where no program describes it:

  $ PATH=$(dirname $(command -v topowise)) topowise topology cluster:live,preset:dgx-a100
  topowise topology: error: no program describes the network (scontrol show topology: not installed; ibnetdiscover: not installed; kubectl get nodes -o json: not installed)
  hint: cluster:FABRIC,NODE with a file: topology.conf, or what ibnetdiscover prints to root
  [4]
  $ mkdir down; printf '#!/bin/sh\necho "slurm_load_topo error: Unable to contact slurm controller" >&2\nexit 1\n' > down/scontrol
  $ printf '#!/bin/sh\nkill -9 $$\n' > down/ibnetdiscover; chmod +x down/*; ln -s /bin/sh down/sh
  $ PATH=$PWD/down:$(dirname $(command -v topowise)) topowise topology live:fabric
  topowise topology: error: no program describes the network (scontrol show topology: it ended with status 1: slurm_load_topo error: Unable to contact slurm controller; ibnetdiscover: it ended with signal 9; kubectl get nodes -o json: not installed)
  hint: cluster:FABRIC,NODE with a file: topology.conf, or what ibnetdiscover prints to root
  [4]
  $ topowise topology live:fabri
  topowise topology: error: cannot read 'live:fabri': No such file or directory
  hint: did you mean 'live:fabric'?
  [3]

In the script of a job of Slurm whose controller does not answer, a task on each host says where that is. In a step nothing is started.

  $ mkdir step; cat > step/srun <<'END'
  > #!/bin/sh
  > for n in 1 2; do echo "$n: HOME=/"; echo "$n: SLURM_TOPOLOGY_ADDR=top.leaf1.n$n"; echo "$n: SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node"; done
  > echo "0: SLURM_TOPOLOGY_ADDR=top.leaf2.n3"; echo "0:         ClusterUUID                       : 00000000-0000-0000-0000-000000000000"
  > END
  $ chmod +x step/srun; PATH=$PWD/step:$(dirname $(command -v topowise)) SLURM_JOB_ID=7 SLURM_TOPOLOGY_ADDR=top.leaf1.n1 topowise topology live:fabric --matrix level | tail -3
    n1     X  NET1  NET3
    n2  NET1     X  NET3
    n3  NET3  NET3     X
  $ PATH=$PWD/step:$(dirname $(command -v topowise)) SLURM_JOB_ID=7 SLURM_TOPOLOGY_ADDR=top.leaf1.n1 SLURM_STEP_ID=0 topowise topology live:fabric
  topowise topology: error: no program describes the network (scontrol show topology: not installed; ibnetdiscover: not installed; kubectl get nodes -o json: not installed)
  hint: cluster:FABRIC,NODE with a file: topology.conf, or what ibnetdiscover prints to root
  [4]

The nodes of a large site are 17 MB of JSON, by a stand-in for kubectl.

  $ mkdir large; cat > large/kubectl <<'END'
  > #!/bin/sh
  > PATH=/usr/bin:/bin
  > echo '{"kind": "NodeList", "items": ['
  > echo '{"metadata": {"name": "n1", "labels": {"topology.kubernetes.io/zone": "z"}}, "status": {"images": ['
  > yes '{"names": ["registry.local/image"], "sizeBytes": 100},' | head -n 320000
  > echo '{}]}},'
  > echo '{"metadata": {"name": "n2", "labels": {"topology.kubernetes.io/zone": "z"}}}]}'
  > END
  $ chmod +x large/kubectl; PATH=$PWD/large:$(dirname $(command -v topowise)) topowise topology cluster:live,preset:dgx-a100 2> /dev/null | head -1
  2 x dgx-a100 on kubectl get nodes -o json: 16 places
