A wrong command line gets a message that names the mistake and the next step; the exit status is 2.

  $ topowise
  topowise: error: a verb is missing
  hint: topowise --help
  [2]
  $ topowise mpa
  topowise: error: unknown verb 'mpa', did you mean 'map'?
  hint: topowise --help
  [2]
  $ topowise map
  topowise map: error: TRAFFIC is missing
  hint: topowise map TRAFFIC [TOPOLOGY] [options]
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 extra
  topowise map: error: 'extra' is one argument too many
  hint: topowise map TRAFFIC [TOPOLOGY] [options]
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --mappr exact
  topowise map: error: unknown option '--mappr', did you mean '--mapper'?
  hint: topowise map --help
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --mapper tabo
  topowise map: error: --mapper: unknown mapper 'tabo', did you mean 'tabu'?
  hint: --mapper auto|exact|*|list (glob)
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --metric bandwith
  topowise map: error: --metric: unknown metric 'bandwith', did you mean 'bandwidth'?
  hint: --metric distance|latency|bandwidth|hops
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --seed x
  topowise map: error: --seed: 'x' is not a whole number
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --seed -3
  topowise map: error: --seed: '-3' is below 0
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --time-limit -1
  topowise map: error: --time-limit: '-1' is not above 0
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --ranks-per-place 0
  topowise map: error: --ranks-per-place: '0' is below 1
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --seed
  topowise map: error: --seed: N is missing
  hint: topowise map --help
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --json=yes
  topowise map: error: --json: this option takes no value
  hint: topowise map --help
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --allow 0-9
  topowise map: error: --allow: place '9' does not exist, 'dgx1-v100' has places 0 to 7
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --json --emit shell
  topowise map: error: --emit and --json both want the standard output
  hint: --save FILE writes the JSON
  [2]
  $ topowise traffic pattern:ring:4:bytes=1B --save ring.csv > ring.txt; topowise topology tree:4 --save tree.json > tree.txt
  topowise traffic: wrote ring.csv
  topowise topology: wrote tree.json
  $ topowise map - - < ring.csv
  topowise map: error: only one input can be the standard input
  [2]
  $ topowise map - tree:4 --loads - < ring.csv
  topowise map: error: only one input can be the standard input
  [2]
  $ topowise evaluate - tree:4 --mapping - < ring.csv
  topowise evaluate: error: only one input can be the standard input
  [2]
  $ topowise topology cluster:-,- < tree.json
  topowise topology: error: only one input can be the standard input
  [2]
  $ topowise evaluate ring.csv 'cluster:tree:2,-,hosts=@-'
  topowise evaluate: error: only one input can be the standard input
  [2]
  $ topowise topology preset:dgx1-v100 --json > ./-; cat ./- | topowise topology preset:dgx1-v100+- 2> /dev/null | head -1
  dgx1-v100+dgx1-v100: 8 places
  $ cat ring.csv | topowise predict /dev/stdin preset:dgx1-v100 | head -1
  4 messages end after 700 ns (predicted, model pcie-sc16+max-min, 4 events)
  $ topowise bench stencil2d --weight 1 --sizes 4B --topology - --mapping -
  topowise bench: error: only one input can be the standard input
  [2]
  $ topowise map - tree:4 --json --save - < ring.csv
  topowise map: error: --save - and --json both want the standard output
  hint: --save FILE writes a file
  [2]
  $ topowise map - tree:4 --save - < ring.csv | topowise evaluate ring.csv tree:4 --mapping - 2> /dev/null | head -1
  hop-bytes         4 B (distance x bytes)
  $ topowise run --mapping - -- true < tree.json
  topowise run: error: --mapping: the standard input is the program's
  hint: name a file
  [2]
  $ topowise predict pattern:ring:4 preset:dgx1-v100 --link-bandwidth 1e19
  topowise predict: error: --link-bandwidth: '1e19' is not a bandwidth from 1 B/s to 1000 TB/s
  hint: --link-bandwidth 11.6GiB/s
  [2]
  $ topowise topology preset:dgx1-v100 --explain 1
  topowise topology: error: --explain: A B is missing
  hint: topowise topology --help
  [2]
  $ topowise topology preset:dgx1-v100 --explain 1 GPU12
  topowise topology: error: --explain: unknown place 'GPU12', did you mean 'GPU1'?
  hint: topowise topology lists the places of a machine
  [2]
  $ topowise completion tcsh
  topowise completion: error: unknown shell 'tcsh'
  hint: topowise completion SHELL
  [2]
  $ topowise help format
  topowise help: error: unknown topic 'format', did you mean 'formats'?
  hint: topowise help
  [2]

Help and version are results: they go to the standard output, with exit status 0.

  $ topowise --version
  topowise \d+\.\d+\.\d+ (re)
  $ topowise --help | head -2
  topowise: places the ranks of parallel jobs where their communication is cheapest
  usage: topowise VERB ...
  $ topowise evaluate --help
  topowise evaluate: every objective of a given mapping
  
  example:
    topowise evaluate app.traffic node.json --mapping app.mapping
    topowise evaluate pattern:ring:8 preset:dgx1-v100 --mapping random --seed 7 --json
  
  usage: topowise evaluate TRAFFIC [TOPOLOGY] [options]
  
  arguments
    TRAFFIC   a profile, pattern:NAME:DIMS, FILE or -
    TOPOLOGY  the machine: live, preset:NAME, cluster:..., FILE or -; not given: live, or in a job of
              several hosts cluster:live,live,hosts=job
  
  input
    --collectives MODEL  how recorded collectives become pairs; auto: MPI's by openmpi, NCCL's by its
                         own: auto, openmpi, mpich, linear, nccl, nccl-ring, nccl-tree,
                         nccl-hierarchical, nccl-direct, nccl-pat, none [auto]
    --memory KIND        which recorded buffers count, by one end or both: all, host, device,
                         host-host, device-device, mixed [all]
    --run NAME           which of several runs that were recorded into one profile, as 'slurm 7.1' or
                         '7.1'; without it the one that began last
    --mapping FILE       what 'map --save' wrote, or identity, cyclic, random [identity]
  
  objective
    --metric NAME  what a pair of places costs: distance, latency, bandwidth, hops [distance]
  
  places
    --places KIND        what holds ranks; by default the topology's own places: gpu, core, node
    --allow LIST         use only these places: numbers, ranges, names, PCI bus ids ('0-3,GPU6')
    --ranks-per-place N  let N ranks share a place; by default as many as the topology says
  
  algorithm
    --seed N  the same seed gives the same mapping [1]
  
  output
    --wire FORMAT  also show the bytes between nodes with the headers of each frame or packet:
                   ethernet-tcp, infiniband
    --json         print JSON
  
  general
    --help  show this
  $ topowise help evaluate | diff - <(topowise evaluate --help)
  $ topowise help | tail -7
  topics
    formats       files that are read, and how they are recognised
    patterns      communication patterns by name
    presets       machines by name
    classes       NV12, PIX, SYS, NET1: how two places reach each other
    launchers     ways to put a mapping into effect
    environment   variables that are read and set

Three ways to ask for the version.

  $ topowise -V
  topowise 0.1.0
  $ topowise version
  topowise 0.1.0
  $ topowise --version
  topowise 0.1.0

The command that lists the presets refuses arguments that it would ignore.

  $ topowise topology --list --json | head -3
  {
    "schema": "topowise.preset-list/1",
    "presets": [
  $ topowise topology --list --json | python3 -c 'import json, sys; print([p["summary"] for p in json.load(sys.stdin)["presets"] if p["name"] == "hgx-h100"] != [])'
  True
  $ topowise map --mapper list --json | python3 -c 'import json, sys; print([m["name"] for m in json.load(sys.stdin)["mappers"]][:3])'
  ['auto', 'exact', 'tabu']
  $ topowise version --json
  topowise: error: 'version' takes nothing, but '--json' is given
  hint: topowise --version
  [2]
  $ topowise topology tree:2 --list --save F
  topowise topology: error: --list lists the presets and takes nothing else but --json, and '--save' is given
  hint: topowise topology --list
  [2]
  $ topowise topology tree:2 --list
  topowise topology: error: --list lists the presets and takes nothing else but --json, and 'tree:2' is given
  hint: topowise topology --list
  [2]
  $ topowise topology --list | head -1
    preset                    machine

A file is not written under a suffix of another format.

  $ topowise topology tree:2 --save m.svg
  topowise topology: error: --save: 'm.svg' would hold JSON, whatever its suffix says
  hint: --save m.json
  [2]
  $ topowise map pattern:ring:2 tree:2 --save m.csv
  topowise map: error: --save: 'm.csv' would hold JSON, whatever its suffix says
  hint: --save m.json
  [2]
  $ topowise report pattern:ring:2 tree:2 --save x.PDF
  topowise report: error: --save: 'x.PDF' would hold HTML, whatever its suffix says
  hint: --save x.html
  [2]
  $ for name in x.docx x.md x.eps x.npz; do topowise report pattern:ring:2 tree:2 --save $name 2>&1 | grep error; done
  topowise report: error: --save: 'x.docx' would hold HTML, whatever its suffix says
  topowise report: error: --save: 'x.md' would hold HTML, whatever its suffix says
  topowise report: error: --save: 'x.eps' would hold HTML, whatever its suffix says
  topowise report: error: --save: 'x.npz' would hold HTML, whatever its suffix says
  $ topowise predict pattern:ring:2 tree:2 --trace t.html
  topowise predict: error: --trace: 't.html' would hold JSON, whatever its suffix says
  hint: --trace t.json
  [2]
  $ topowise traffic pattern:ring:2 --save x.json.gz
  topowise traffic: error: --save: the suffix of 'x.json.gz' names no format
  hint: --save FILE.json, FILE.csv, FILE.mtx or FILE.txt
  [2]
  $ topowise topology tree:2 --save x.json.gz
  topowise topology: error: --save: 'x.json.gz' would hold JSON, whatever its suffix says
  hint: --save x.json
  [2]
  $ topowise map pattern:ring:2 tree:2 --save app.mapping > /dev/null
  topowise map: wrote app.mapping
  $ ls m.svg m.csv x.PDF t.html 2> /dev/null
  [2]

A rank that an option names is a matter of usage, a name that is nearly right has a hint.

  $ topowise predict --messages '0->99:1MB' tree:2:2
  topowise predict: error: the messages name rank 99, but 'tree:2:2' has room for ranks 0 to 3
  [2]
  $ topowise predict --messages '0->2:1MB' --mapping app.mapping tree:2
  topowise predict: error: the messages name rank 2, but 'app.mapping' has room for ranks 0 to 1
  [2]
  $ topowise evaluate pattern:ring:4 tree:2:2 --mapping cyclc
  topowise evaluate: error: cannot read 'cyclc': No such file or directory
  hint: did you mean 'cyclic'?
  [3]
  $ topowise report pattern:ring:4 tree:2:2 --mapping auot --save page.html 2>&1 | tail -1
  hint: did you mean 'auto'?
  $ topowise evaluate pattern:ring:4 tree:2:2 --mapping elsewhere
  topowise evaluate: error: cannot read 'elsewhere': No such file or directory
  [3]

Help that is not printed on a terminal is as wide as COLUMNS says.

  $ for columns in 60 80 1000 wide; do COLUMNS=$columns topowise map --help | sed '/^  topowise/d; /^  mpirun/d; /^usage/d' | awk '{ if (length > most) most = length } END { print most <= 60, most <= 80, most <= 100 }'; done
  1 1 1
  0 1 1
  0 0 1
  0 0 1

So are the list of verbs and the topics.

  $ for columns in 80 90 1000; do for words in --help 'help environment' 'help formats' 'help patterns' 'help presets' 'help classes'; do COLUMNS=$columns topowise $words | sed '/^  topowise/d; /^  mpirun/d; /^usage/d'; done | awk -v c=$columns '{ if (length > most) most = length } END { print most <= c && most <= 100 }'; done
  1
  1
  1

The explanation of a route is in the JSON, too.

  $ topowise topology preset:l40s-8 --explain GPU0 GPU2 --json | python3 -c "
  > import json, sys
  > machine = json.load(sys.stdin)
  > why = machine['explanation']
  > print(why['from'], why['to'], why['class'], why['level'], why['distance'], len(why['links']), sorted(why['links'][0]), len(machine['places']))"
  0 2 NODE 1 2 6 ['bandwidth_bytes_per_s', 'from', 'kind', 'latency_s', 'source', 'to', 'width'] 8

The command begins behind '--'. A hint says what to type; a program in this folder is not found by its name alone.

  $ topowise run --profile d ./app --size 3
  topowise run: error: '--' is missing in front of './app'
  hint: topowise run --profile d -- ./app --size 3
  [2]
  $ printf '#!/bin/sh\n' > here-only; topowise run -- here-only 2>&1 | grep -v launcher
  topowise run: error: cannot start 'here-only': No such file or directory
  hint: chmod +x ./here-only
  $ chmod +x here-only; topowise run -- here-only 2>&1 | grep -v launcher
  topowise run: error: cannot start 'here-only': No such file or directory
  hint: ./here-only is in this folder, which PATH does not name

Messages survive a file that can hold them.

  $ printf 'source,destination,bytes,messages\n0,1,3000,3\n3,3,0,0\n' > counted.csv
  $ topowise traffic counted.csv --save again.csv 2>&1 > /dev/null; cat again.csv; topowise traffic again.csv | head -1
  topowise traffic: wrote again.csv
  source,destination,bytes,messages
  0,1,3000,3
  3,3,0,0
  again.csv: 4 ranks, 1 pair, 3 KB in 3 messages; a rank sends to 1 other at most
  $ topowise traffic counted.csv --save again.mtx 2>&1 > /dev/null
  topowise traffic: wrote again.mtx
  topowise traffic: it holds bytes and no numbers of messages; FILE.csv and FILE.json hold both

A file that cannot be written is refused before the work, not after it. A benchmark writes a directory, which has no suffix of a file.

  $ printf 'no machine' > broken.json
  > for verb in 'map pattern:ring:4 broken.json' 'schedule pattern:ring:4 broken.json' 'report pattern:ring:4 broken.json'; do topowise $verb --save missing/x; done
  > topowise predict pattern:ring:4 broken.json --trace missing/x
  topowise map: error: cannot write 'missing/x': No such file or directory
  topowise schedule: error: cannot write 'missing/x': No such file or directory
  topowise report: error: cannot write 'missing/x': No such file or directory
  topowise predict: error: cannot write 'missing/x': No such file or directory
  [3]
  $ topowise bench halo-orders --save figure.svg
  topowise bench: error: --save: 'figure.svg' would be a directory, whatever its suffix says
  hint: --save figure
  [2]

A variable that names a file that is not there is seen.

  $ TOPOWISE_ALLREDUCE_TUNING=none.json topowise run --allreduce -- true 2>&1 | tail -2
  topowise run: error: TOPOWISE_ALLREDUCE_TUNING='none.json' is no file
  hint: 'topowise bench allreduce --tune' writes it; TOPOWISE_ALLREDUCE_TUNING=off does without
  $ for options in --allreduce --collectives-on-gpu=bcast '--profile p --allreduce'; do TOPOWISE_HIP_LIBRARY=./none.so topowise run $options -- true 2>&1 | grep warning; done
  topowise run: warning: TOPOWISE_HIP_LIBRARY='./none.so' is no file
  topowise run: warning: TOPOWISE_HIP_LIBRARY='./none.so' is no file
  topowise run: warning: TOPOWISE_HIP_LIBRARY='./none.so' is no file
  $ for name in TOPOLOGY PROFILE; do env TOPOWISE_REORDER_$name=none.json topowise run --reorder -- true 2>&1 | grep error; done
  topowise run: error: cannot read 'none.json': No such file or directory
  topowise run: error: cannot read 'none.json': No such file or directory
  $ TOPOWISE_NVML_LIBRARY=none-NVML.so TOPOWISE_CUDA_LIBRARY=none-CUDA.so TOPOWISE_HIP_LIBRARY=none-HIP.so PATH=$(dirname $(command -v topowise)) topowise topology live 2> seen > /dev/null
  > grep -o 'warning: .*none-.*.so: cannot open shared object file' seen
  warning: NVML cannot be loaded: none-NVML.so: cannot open shared object file
  warning: the cuda driver cannot be opened: none-CUDA.so: cannot open shared object file
  warning: the hip driver cannot be opened: none-HIP.so: cannot open shared object file
  $ TOPOWISE_INTERPOSE=none.so topowise doctor | grep -c "TOPOWISE_INTERPOSE='none.so' is no file"
  2
  $ OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 TOPOWISE_MPI_LIBRARY=none.so topowise probe --device host --json 2>&1 | head -1
  topowise probe: error: no MPI library of the launcher (Open MPI) can be opened: none.so: cannot open shared object file: No such file or directory
