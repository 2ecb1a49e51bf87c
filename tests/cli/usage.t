A wrong command line gets a message that names the mistake and the next step; the exit status is 2.

  $ topowise
  topowise: error: a verb is missing
  hint: topowise --help
  [2]
  $ topowise mpa
  topowise: error: unknown verb 'mpa', did you mean 'map'?
  hint: topowise --help
  [2]
  $ topowise map pattern:ring:4
  topowise map: error: TOPOLOGY is missing
  hint: topowise map TRAFFIC TOPOLOGY [options]
  [2]
  $ topowise map pattern:ring:4 preset:dgx1-v100 extra
  topowise map: error: 'extra' is one argument too many
  hint: topowise map TRAFFIC TOPOLOGY [options]
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
  
  usage: topowise evaluate TRAFFIC TOPOLOGY [options]
  
  arguments
    TRAFFIC   a profile, pattern:NAME:DIMS, FILE or -
    TOPOLOGY  the machine: live, preset:NAME, cluster:..., FILE or -
  
  input
    --collectives MODEL  how recorded collectives become pairs; auto: MPI's by openmpi, NCCL's by its
                         own: auto, openmpi, mpich, linear, nccl, nccl-ring, nccl-tree,
                         nccl-hierarchical, nccl-direct, nccl-pat, none [auto]
    --memory KIND        which recorded buffers count, by one end or both: all, host, device,
                         host-host, device-device, mixed [all]
    --mapping FILE       what 'map --save' wrote, or identity, cyclic, random [identity]
  
  objective
    --metric NAME  what a pair of places costs: distance, latency, bandwidth, hops [distance]
  
  places
    --places KIND        which places hold ranks; those of the topology if not given: gpu, core, node
    --allow LIST         use only these places: numbers, ranges, names, PCI bus ids ('0-3,GPU6')
    --ranks-per-place N  let N ranks share a place; the capacity of the topology if not given
  
  algorithm
    --seed N  same seed, same mapping [1]
  
  output
    --json  print JSON
  
  general
    --help  show this
  $ topowise help evaluate | diff - <(topowise evaluate --help)
  $ topowise help | tail -6
  topics
    formats       files that are read, and how they are recognised
    patterns      communication patterns by name
    presets       machines by name
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
