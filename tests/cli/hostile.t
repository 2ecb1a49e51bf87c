Anyone may have written the names in a file. None of their control characters reaches a terminal. topowise refuses a name that would be more than a
name in a launcher's file (the tests of the launchers try many more).

  $ cat > machine.py <<'END'
  > import json, sys
  > name, host, place, cpus = (text.encode().decode('unicode_escape') for text in sys.argv[1:5])
  > places = [{'id': i, 'kind': 'gpu', 'vertex': i} for i in range(2)]
  > vertices = [{'id': i, 'kind': 'gpu', 'name': place + str(i), 'node': host, 'cpus': cpus} for i in range(2)]
  > link = {'from': 0, 'to': 1, 'kind': 'nvlink'}
  > print(json.dumps({'schema': 'topowise.topology/1', 'name': name, 'places': places, 'vertices': vertices,
  >                   'links': [link, {**link, 'from': 1, 'to': 0}], 'warnings': ['look: ' + name]}))
  > END
  $ python3 machine.py 'a\nb\x1b[31m' n0 'G\x1b]0;owned\x07\nP' 0-3 > hostile.json
  $ topowise topology hostile.json
  topowise topology: warning: look: a\u{a}b\u{1b}[31m
  a\u{a}b\u{1b}[31m: 2 places
  
    id  name                         node  CPUs
     0  G\u{1b}]0;owned\u{7}\u{a}P0  n0    0-3
     1  G\u{1b}]0;owned\u{7}\u{a}P1  n0    0-3
  
                                 G\u{1b}]0;owned\u{7}\u{a}P0  G\u{1b}]0;owned\u{7}\u{a}P1
    G\u{1b}]0;owned\u{7}\u{a}P0                            X                          NV1
    G\u{1b}]0;owned\u{7}\u{a}P1                          NV1                            X
  
    level  class  distance  pairs
        0  NV1           1      1

    id  name                         node  CPUs
     0  G\u{1b}]0;owned\u{7}\u{a}P0  n0    0-3
     1  G\u{1b}]0;owned\u{7}\u{a}P1  n0    0-3

                                 G\u{1b}]0;owned\u{7}\u{a}P0  G\u{1b}]0;owned\u{7}\u{a}P1
    G\u{1b}]0;owned\u{7}\u{a}P0                            X                          NV1
    G\u{1b}]0;owned\u{7}\u{a}P1                          NV1                            X

    level  class  distance  pairs
        0  NV1           1      1
  $ topowise map pattern:ring:2 hostile.json 2> /dev/null | tail -1
  every two places of 'a\u{a}b\u{1b}[31m' are equally far apart (NV1): no mapping has fewer hop-bytes
  $ topowise map pattern:ring:2 hostile.json --emit openmpi-rankfile
  topowise map: warning: look: a\u{a}b\u{1b}[31m
  # 2 ranks on 'a\u{a}b\u{1b}[31m'
  # slots are the system's processor numbers, shared by ranks of one NUMA domain; to be read with
  #   Open MPI 4: mpirun --mca rmaps_rank_file_physical 1 --rankfile FILE
  #   Open MPI 5: mpirun --map-by rankfile:file=FILE --bind-to none topowise run --mapping MAPPING --cpu-bind numa --
  #   (whose FILE must not have the letters "pe" in its path)
  rank 0=n0 slot=0-3
  rank 1=n0 slot=0-3
  $ topowise map pattern:ring:2 hostile.json --emit shell > script; sed -n 2p script; sh -n script
  topowise map: warning: look: a\u{a}b\u{1b}[31m
  # Starts a program with the GPU that its rank is mapped to: 2 ranks on 'a\u{a}b\u{1b}[31m'.
  $ topowise topology hostile.json --explain 0 1
  topowise topology: warning: look: a\u{a}b\u{1b}[31m
  G\u{1b}]0;owned\u{7}\u{a}P0 -> G\u{1b}]0;owned\u{7}\u{a}P1: class NV1, level 0, distance 1
    from                         to                           link
    G\u{1b}]0;owned\u{7}\u{a}P0  G\u{1b}]0;owned\u{7}\u{a}P1  nvlink
  $ python3 machine.py m 'n0\ntouch owned\n' GPU 0-3 > host.json
  $ for launcher in openmpi-rankfile mpich-hostfile slurm-hostfile; do topowise map pattern:ring:2 host.json --emit $launcher; done
  topowise map: warning: look: m
  topowise map: error: the machine has a node 'n0\u{a}touch owned\u{a}', which is no name of a host: no launcher reads it
  hint: a host name has letters, digits, '.', '-' and '_', and begins with a letter or digit
  topowise map: warning: look: m
  topowise map: error: the machine has a node 'n0\u{a}touch owned\u{a}', which is no name of a host: no launcher reads it
  hint: a host name has letters, digits, '.', '-' and '_', and begins with a letter or digit
  topowise map: warning: look: m
  topowise map: error: the machine has a node 'n0\u{a}touch owned\u{a}', which is no name of a host: no launcher reads it
  hint: a host name has letters, digits, '.', '-' and '_', and begins with a letter or digit
  [3]
  $ topowise map pattern:ring:2 host.json --emit cray-rank-order
  topowise map: warning: look: m
  # 2 ranks on 'm', one line a node, in the order of the nodes of the job; to be read with
  #   cp FILE MPICH_RANK_ORDER; export MPICH_RANK_REORDER_METHOD=3   before srun, or mpiexec of PALS
  0,1
  $ python3 machine.py m n0 GPU '0-3\ntouch owned' > cpus.json
  $ topowise map pattern:ring:2 cpus.json --emit openmpi-rankfile
  topowise map: warning: look: m
  topowise map: error: 'GPU0' has the processors '0-3\u{a}touch owned', which are no list
  hint: a list of processors is written 0-3,8
  [3]
  $ python3 machine.py 'K\xf6ln' n0 GPU 0-3 > umlaut.json; topowise topology umlaut.json | head -1
  topowise topology: warning: look: Köln
  Köln: 2 places
  $ topowise topology "$(printf 'no\nsuch\033[31mfile')"
  topowise topology: error: cannot read 'no\u{a}such\u{1b}[31mfile': No such file or directory
  hint: a TOPOLOGY is a file, '-', live, preset:NAME, tree:2:2:2 or cluster:FABRIC,NODE
  [3]
  $ cp hostile.json "$(printf 'a\nb\033[31m.json')"; topowise topology "$(printf 'a\nb\033[31m.json')" --save "$(printf 'c\nd.json')" > /dev/null
  topowise topology: wrote c\u{a}d.json
  topowise topology: warning: look: a\u{a}b\u{1b}[31m

So it is with characters that turn the direction of writing or have no width, in JSON as well.

  $ python3 machine.py 'n\u202e1\u200b' 'n\u2066\u061c0' 'G\ufeff' 0-3 > unseen.json
  $ topowise topology unseen.json
  topowise topology: warning: look: n\u{202e}1\u{200b}
  n\u{202e}1\u{200b}: 2 places
  
    id  name        node               CPUs
     0  G\u{feff}0  n\u{2066}\u{61c}0  0-3
     1  G\u{feff}1  n\u{2066}\u{61c}0  0-3
  
                G\u{feff}0  G\u{feff}1
    G\u{feff}0           X         NV1
    G\u{feff}1         NV1           X
  
    level  class  distance  pairs
        0  NV1           1      1

    id  name        node               CPUs
     0  G\u{feff}0  n\u{2066}\u{61c}0  0-3
     1  G\u{feff}1  n\u{2066}\u{61c}0  0-3

                G\u{feff}0  G\u{feff}1
    G\u{feff}0           X         NV1
    G\u{feff}1         NV1           X

    level  class  distance  pairs
        0  NV1           1      1
  $ topowise topology unseen.json --save - 2> /dev/null | grep -o '"name": "n[^,]*'
  "name": "n\u202e1\u200b"
  $ topowise map pattern:ring:2 unseen.json --emit mpich-hostfile
  topowise map: warning: look: n\u{202e}1\u{200b}
  topowise map: error: the machine has a node 'n\u{2066}\u{61c}0', which is no name of a host: no launcher reads it
  hint: a host name has letters, digits, '.', '-' and '_', and begins with a letter or digit
  [3]
  $ topowise report pattern:ring:2 unseen.json --save unseen.html; grep -c 'n.u{202e}1.u{200b}' unseen.html; python3 -c "print([c for c in open('unseen.html', encoding='utf-8').read() if c in '\u202e\u200b\u2066\u061c\ufeff'])"
  topowise report: warning: look: n\u{202e}1\u{200b}
  topowise report: wrote unseen.html
  10
  []
