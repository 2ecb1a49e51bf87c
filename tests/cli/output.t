If the standard output cannot be written, this is an error. If no one reads it, this is none.

  $ topowise topology preset:dgx1-v100 > /dev/full
  topowise topology: error: cannot write the standard output: No space left on device
  [3]
  $ topowise topology preset:dgx1-v100 >&-
  topowise topology: error: cannot write the standard output: Bad file descriptor
  [3]
  $ (ulimit -f 1; topowise topology preset:dgx1-v100 --json > cut.json)
  topowise topology: error: cannot write the standard output: File too large
  [3]
  $ (ulimit -f 1; topowise topology preset:dgx1-v100 --save cut.json)
  topowise topology: error: cannot write 'cut.json': File too large
  [3]
  $ (ulimit -f 1; topowise run -- sh -c 'yes > filled' 2> filled.log; kill -l $?)
  XFSZ
  $ topowise topology preset:dgx1-v100 --json | head -1
  {
  $ (trap '' PIPE; topowise topology preset:mi100-16 --json; echo "status $?" >&2) | true
  status 0
  $ topowise topology preset:dgx1-v100 --save saved.json >&- 2>&-; python3 -c "import json; print(len(json.load(open('saved.json'))['places']))"
  8

#requires script
There are colours only on a terminal, and NO_COLOR and TERM=dumb switch them off there.

  $ topowise topology preset:dgx1-v100 | grep -c "$(printf '\033')"
  0
  [1]
  $ terminal() { script -qec "$1" /dev/null < /dev/null | grep -c "$(printf '\033')"; }
  > TERM=xterm terminal 'topowise topology preset:dgx1-v100'; TERM=dumb terminal 'topowise topology preset:dgx1-v100'
  > TERM=xterm NO_COLOR=1 terminal 'topowise topology preset:dgx1-v100'
  4
  0
  0
  [1]

Completion scripts and manual pages are well-formed.

  $ topowise completion bash | bash -n
  $ source <(topowise completion bash)
  > complete_line() {  # bash cuts words at ':' and '='
  >   COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_WORDBREAKS=':='
  >   mapfile -t COMP_WORDS < <(printf '%s\n' "$@" | sed 's/[:=]/\n&\n/g' | sed '/^$/d'); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  >   _topowise 2> /dev/null; echo "${COMPREPLY[@]}"
  > }
  > complete_line topowise ev
  > complete_line topowise map --mapper ex
  > complete_line topowise topology preset:dgx1
  > complete_line topowise topology live:; complete_line topowise topology live:f
  > complete_line topowise predict --order=r; complete_line topowise run --allreduce=leader-f
  > complete_line topowise map --obj
  > complete_line topowise help form
  > complete_line topowise bench halo-o
  > complete_line topowise completion f
  > complete_line topowise map --no-bound -- --obj; complete_line topowise topology -- preset:dgx1
  > mkdir own; printf '#!/bin/sh\n' > own/my-halo; chmod +x own/my-halo
  > PATH=$PWD/own:$PATH complete_line topowise run --profile app.traffic -- my-ha
  > complete_line topowise run --profile app.traffic -- my-halo --ver
  evaluate
  exact
  dgx1-p100 dgx1-v100
  node fabric
  fabric
  rotation
  leader-fused
  --objective
  formats
  halo-orders
  fish
  
  dgx1-p100 dgx1-v100
  my-halo
  
  $ for verb in '' topology map run; do topowise help --man $verb | head -1; done
  .TH TOPOWISE 1 "" "topowise 0.1.0" "User Commands"
  .TH TOPOWISE-TOPOLOGY 1 "" "topowise 0.1.0" "User Commands"
  .TH TOPOWISE-MAP 1 "" "topowise 0.1.0" "User Commands"
  .TH TOPOWISE-RUN 1 "" "topowise 0.1.0" "User Commands"

doctor finds what this machine has, and says what it cannot do without the rest.

  $ topowise doctor --json | python3 -c "
  > import json, sys
  > items = json.load(sys.stdin)['items']
  > print(len(items) > 8, all(i['found'] or (i['detail'] and i['cost'] and i['remedy']) for i in items))"
  True True
  $ PATH=$(dirname $(command -v topowise)) topowise doctor | head -4
  MPI
    no  launcher                   no mpirun, mpiexec or srun in PATH
          costs: no parallel job can be started
          get it: apt-get install openmpi-bin
