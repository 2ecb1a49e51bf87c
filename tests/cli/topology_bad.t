Unknown names.

  $ topowise topology preset:dgx1-v10
  topowise topology: error: unknown preset 'dgx1-v10', did you mean 'dgx1-v100'?
  hint: topowise topology --list
  [3]
  $ topowise topology node.xml
  topowise topology: error: cannot read 'node.xml': No such file or directory
  hint: a TOPOLOGY is a file, '-', live, preset:NAME, tree:2:2:2 or cluster:FABRIC,NODE
  [3]
  $ topowise topology dgx-a100
  topowise topology: error: cannot read 'dgx-a100': No such file or directory
  hint: did you mean 'preset:dgx-a100'?
  [3]
  $ topowise topology tre:2:2 2>&1 | tail -1; topowise traffic patern:ring:4 2>&1 | tail -1
  hint: did you mean 'tree:2:2'?
  hint: did you mean 'pattern:ring:4'?
  $ for part in host=job hots=n1 nics=25GB/s nvlnk=leaf; do topowise topology cluster:tree:2,preset:dgx2,$part 2>&1 | head -1; done
  topowise topology: error: unknown part of cluster: 'host=', did you mean 'hosts='?
  topowise topology: error: unknown part of cluster: 'hots=', did you mean 'hosts='?
  topowise topology: error: unknown part of cluster: 'nics=', did you mean 'nic='?
  topowise topology: error: unknown part of cluster: 'nvlnk=', did you mean 'nvlink='?
  $ topowise topology preset:dgx2 --format hwloc
  topowise topology: error: --format: unknown format 'hwloc', did you mean 'hwloc-xml'?
  hint: --format *hwloc-xml* (glob)
  [2]

A damaged nvidia-smi matrix: topowise says what is wrong and where, and keeps what is consistent.

  $ printf '\tGPU0\tGPU1\tGPU2\tCPU Affinity\nGPU0\t X \tNV1\tPIX\t0-7\nGPU1\tNV1\t X \tQQQ\t0-7\nGPU2\tPIX\tSYS\n' > damaged.txt
  $ topowise topology damaged.txt --matrix level
  topowise topology: warning: damaged.txt:4:1: row 'GPU2' has 2 cells, the header has 3
  topowise topology: warning: damaged.txt:3:14: unknown class 'QQQ' of GPU1 and GPU2; the other way it is SYS, which is taken
          GPU0  GPU1  GPU2
    GPU0     X   NV1   PIX
    GPU1   NV1     X   SYS
    GPU2   PIX   SYS     X

What nobody says of a pair is not guessed: neither a class that no legend defines, nor cells that are lost.

  $ sed 's/SYS/QQQ/' damaged.txt > undefined.txt
  $ topowise topology undefined.txt
  topowise topology: error: undefined.txt:3:14: unknown class 'QQQ' of GPU1 and GPU2, which no legend in this text defines
      3 | GPU1 NV1  X  QQQ 0-7
        |              ^
  hint: a line 'QQQ = Connection traversing ...' below the table defines it, as do PIX, PXB, PHB, NODE or SYS in its place
  [3]
  $ head -n 2 damaged.txt > cut.txt
  $ topowise topology cut.txt
  topowise topology: error: cut.txt:1: the cells of 1 of 3 pairs of GPUs are lost (GPU1 and GPU2): rows or columns were cut off, or a terminal broke the lines
      1 |  GPU0 GPU1 GPU2 CPU Affinity
  hint: nvidia-smi topo -m > FILE keeps the lines whole; a copy from a narrow terminal does not
  [3]

A cyclic NCCL file: a switch is below itself.

  $ cat > cyclic.xml <<E
  > <system version="1">
  >   <cpu numaid="0" affinity="ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
  >     <pci busid="0000:10:00.0" class="0x060400" link_speed="8.0 GT/s PCIe" link_width="16">
  >       <pci busid="0000:20:00.0" class="0x060400" link_speed="8.0 GT/s PCIe" link_width="16">
  >         <pci busid="0000:10:00.0" class="0x060400" link_speed="8.0 GT/s PCIe" link_width="16">
  >           <pci busid="0000:30:00.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="16">
  >             <gpu dev="0" sm="70" rank="0" gdr="1"/>
  >           </pci>
  >         </pci>
  >       </pci>
  >     </pci>
  >   </cpu>
  > </system>
  > E
  $ topowise topology cyclic.xml
  topowise topology: error: cyclic.xml:5:21: PCI device '0000:10:00.0' stands in two places of the tree
      5 |         <pci busid="0000:10:00.0" class="0x060400" link_speed="8.0 GT/s PCIe" link_width="16">
        |                     ^
  [3]

The same in topowise's own JSON.

  $ echo '{"schema": "topowise.topology/1", "vertices": [{"kind": "group", "name": "a", "parent": 1}, {"kind": "group", "name": "b", "parent": 0}], "places": [{"kind": "gpu", "vertex": 0}]}' > cyclic.json
  $ topowise topology cyclic.json
  topowise topology: error: cyclic.json:1:1: 'a' is its own ancestor
      1 | {"schema": "topowise.topology/1", "vertices": [{"kind": "group", "name": "a", "parent": 1}, {"ki
        | ^
  [3]
  $ printf '{"schema": "topowise.topology/1",\n "places": [{"kind": "gpu"},]}' > broken.json
  $ topowise topology broken.json
  topowise topology: error: broken.json:2:29: not valid JSON: syntax error while parsing value - unexpected ']'; expected '[', '{', or a literal
      2 |  "places": [{"kind": "gpu"},]}
        |                             ^
  [3]
  $ echo '{"schema": "topowise.topology/1", "places": [{"kind": "gpu", "pci": "q"}, {"kind": "cpu"}, {"name": "x"}]}' > wrong.json
  $ topowise topology wrong.json
  topowise topology: error: wrong.json:1:69: places[0].pci: unknown PCI bus id 'q'
      1 | .topology/1", "places": [{"kind": "gpu", "pci": "q"}, {"kind": "cpu"}, {"name": "x"}]}
        |                                                 ^
  topowise topology: error: wrong.json:1:84: places[1].kind: unknown kind of place 'cpu'
      1 | places": [{"kind": "gpu", "pci": "q"}, {"kind": "cpu"}, {"name": "x"}]}
        |                                                 ^
  topowise topology: error: wrong.json:1:92: places[2]: the key 'kind' is missing
      1 |  [{"kind": "gpu", "pci": "q"}, {"kind": "cpu"}, {"name": "x"}]}
        |                                                 ^
  [3]

Of noise, only the head is read, however long it is. Empty files and directories are no machines.

  $ python3 -c "
  > import random
  > random.seed(1)
  > with open('noise', 'wb') as f: f.write(random.randbytes(1 << 20)); f.truncate(2 << 30)"
  $ topowise topology noise
  topowise topology: error: noise: this is no text: byte * is 0 (glob)
  [3]
  $ python3 -c "
  > import resource, subprocess
  > subprocess.run(['topowise', 'topology', 'noise'], stderr=subprocess.DEVNULL)
  > print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1000000)"
  True
  $ topowise topology /dev/null 2>&1 | head -1
  topowise topology: error: /dev/null: the input is empty
  $ topowise topology .
  topowise topology: error: cannot read '.': Is a directory
  hint: a TOPOLOGY is a file, '-', live, preset:NAME, tree:2:2:2 or cluster:FABRIC,NODE
  [3]

topology says what it cannot write, and the old file stays.

  $ topowise topology preset:dgx2 --save no/such/folder/x.json
  topowise topology: error: cannot write 'no/such/folder/x.json': No such file or directory
  [3]
  $ topowise topology preset:dgx2 --json > /dev/full
  topowise topology: error: cannot write the standard output: No space left on device
  [3]

If the system refuses a file, the input is at fault, and the file is named.

  $ ln -s loop loop
  $ topowise topology loop
  topowise topology: error: cannot read 'loop': Too many levels of symbolic links
  hint: a TOPOLOGY is a file, '-', live, preset:NAME, tree:2:2:2 or cluster:FABRIC,NODE
  [3]
  $ topowise map loop loop
  topowise map: error: cannot read 'loop': Too many levels of symbolic links
  [3]
  $ topowise traffic loop,loop
  topowise traffic: error: cannot read 'loop': Too many levels of symbolic links
  [3]
  $ topowise topology loop/inside
  topowise topology: error: cannot read 'loop/inside': Too many levels of symbolic links
  hint: a TOPOLOGY is a file, '-', live, preset:NAME, tree:2:2:2 or cluster:FABRIC,NODE
  [3]
  $ topowise topology $(printf 'n%.0s' $(seq 300)) 2>&1 | sed 's/n\{100,\}/LONG/'
  topowise topology: error: cannot read 'LONG': File name too long
  hint: a TOPOLOGY is a file, '-', live, preset:NAME, tree:2:2:2 or cluster:FABRIC,NODE
  $ topowise map $(printf 'n%.0s' $(seq 300)) tree:4 2>&1 | sed 's/n\{100,\}/LONG/'
  topowise map: error: cannot read 'LONG': File name too long
  $ topowise evaluate pattern:ring:4 tree:4 --mapping loop
  topowise evaluate: error: cannot read 'loop': Too many levels of symbolic links
  [3]
  $ topowise map pattern:ring:4 tree:4 --save loop/inside
  topowise map: error: cannot write 'loop/inside': Too many levels of symbolic links
  [3]
  $ topowise report pattern:ring:4 tree:4 --save /proc/nowhere/report.html
  topowise report: error: cannot write '/proc/nowhere/report.html': No such file or directory
  [3]

Common wrong inputs are named.

  $ printf 'n1:7:7 [0] NCCL INFO Bootstrap : Using eth0\n' > log; topowise topology log
  topowise topology: error: log: this is a log of NCCL without the topology
  hint: NCCL_TOPO_DUMP_FILE=node.xml writes it, NCCL_DEBUG_SUBSYS=INIT,GRAPH prints it
  [3]
  $ topowise traffic pattern:ring:4 --save t.json > /dev/null; topowise map t.json t.json
  topowise traffic: wrote t.json
  topowise map: error: t.json: this is traffic, where a machine is asked for
  hint: TRAFFIC comes first, then TOPOLOGY
  [3]
  $ topowise map pattern:ring:4 tree:4 --save m.json > /dev/null; topowise topology m.json
  topowise map: wrote m.json
  topowise topology: error: m.json: this is a mapping, where a machine is asked for
  hint: --mapping FILE
  [3]

Compressed files, also of traffic, are read like others; topowise says if they are cut off or damaged.

  $ printf 'SwitchName=s Nodes=n[1-2]\n' > s.conf; gzip -k s.conf; topowise topology s.conf.gz --matrix distance > gz; topowise topology - --matrix distance < s.conf.gz | diff - gz && tail -2 gz
    n1   -   1
    n2   1   -
  $ printf '0 1\n1 0\n' > t.txt; gzip -k t.txt; topowise map t.txt.gz s.conf.gz | tail -1
  every two places of 's.conf.gz' are equally far apart (NET1): no mapping has fewer hop-bytes
  $ head -c 30 s.conf.gz > cut.gz; topowise topology cut.gz
  topowise topology: error: 'cut.gz' is cut off: its gzip data do not end
  [3]
  $ printf '0 1\n1 0\n' | gzip | head -c 12 | topowise traffic -
  topowise traffic: error: 'stdin' is cut off: its gzip data do not end
  [3]

A stream without an end is refused after its beginning.

  $ topowise topology /dev/zero
  topowise topology: error: /dev/zero: this is no text: byte 0 is 0
  [3]
  $ topowise traffic /dev/zero
  topowise traffic: error: /dev/zero: this is no text: byte 0 is 0
  [3]
  $ for verb in "topology -" "topology - --format slurm" "traffic -" "traffic - --format matrix" "evaluate pattern:ring:4 tree:4 --mapping -"; do
  >   yes '' | topowise $verb 2>&1 | head -1 | cut -d : -f 3-
  > done
   stdin: this holds nothing but blanks and line ends
   stdin: this holds nothing but blanks and line ends
   stdin: this holds nothing but blanks and line ends
   stdin: this holds nothing but blanks and line ends
   cannot read 'stdin': this holds nothing but blanks and line ends

Unknown is not absent: where a source cannot see NVLink, nothing is proven. If a source that sees it is joined, the question is settled.

  $ cd $SOURCES/tests/corpus && cp nccl-xml/aws-p4d-24xl.xml nccl-xml/azure-ncv4-4xa100.xml nvidia-smi-topo/h100-8x-no-legend.txt "$OLDPWD"
  $ topowise map pattern:ring:8 aws-p4d-24xl.xml 2>&1 > /dev/null
  topowise map: warning: aws-p4d-24xl.xml does not show NVLink or xGMI: it has no <gpu>, as files for virtual machines. GPUs of this kind (A100 SXM4 40GB) have it. Unknown is not absent: join a source that does, FILE+OTHER, for example nvidia-smi topo -m, amd-smi topology or a preset
  $ topowise map pattern:ring:4 azure-ncv4-4xa100.xml 2> /dev/null | tail -2 | sed 's/, [0-9.]* [mu]*s$//'
  lower bound 4.19 MB: optimal for what the source shows; mapper auto
  no mapping has fewer hop-bytes in what the source shows; with the NVLink or xGMI that it does not show a mapping may help
  $ topowise map pattern:alltoall:8 aws-p4d-24xl.xml+preset:dgx-a100 2>&1 | grep -c 'does not show'
  0
  [1]
  $ topowise map h100-8x-no-legend.txt preset:hgx-h100
  topowise map: error: h100-8x-no-legend.txt: this describes a machine, where traffic is asked for
  hint: TRAFFIC comes first, then TOPOLOGY
  [3]

What Slurm prints about nodes and jobs is named as what it is.

  $ printf 'NODELIST   NODES PARTITION STATE \nn0             1      all* idle  \n' > nodes; topowise topology nodes; topowise topology cluster:nodes,preset:hgx-h100 2>&1 | head -1
  topowise topology: error: nodes: this is the output of 'sinfo -N', which says nothing of the network
  hint: scontrol show topology > FILE
  topowise topology: error: nodes: this is the output of 'sinfo -N', which says nothing of the network
  $ printf 'JobId=6 JobName=x\n   UserId=root(0) GroupId=root(0) MCS_label=N/A\n' | topowise topology -
  topowise topology: error: stdin: this is the output of 'scontrol show job', which says nothing of the network
  hint: scontrol show topology > FILE
  [3]
