What is inside a node is nearer than what is outside it, whatever was composed.

  $ topowise map pattern:ring:8 cluster:tree:2,tree:2:2 2> /dev/null
  $ topowise map pattern:ring:8 cluster:tree:2,tree:2:2 --metric hops 2> /dev/null | tail -3
  $ topowise map pattern:ring:8 cluster:tree:2,torus:2x2 2> /dev/null | tail -9
  $ topowise topology cluster:tree:40:32,tree:2:2 2> /dev/null | tail -6

The cyclic mapping deals ranks over the nodes, not over the leaf switches.

  $ topowise map pattern:ring:8 cluster:tree:2:2,tree:2 --mapper cyclic 2> /dev/null | head -9

A description that contradicts itself: nothing is called optimal.

  $ topowise topology cluster:tree:2,tree:2 --save cluster.json 2> /dev/null
  $ sed 's/{"class": "NET1", "distance": 2}/{"class": "NET1", "distance": 0.5}/' cluster.json > wrong.json
  $ topowise map pattern:ring:4 wrong.json 2> /dev/null | tail -5
  $ topowise map pattern:ring:4 wrong.json --json 2> /dev/null | grep -e proven -e contradiction -e assumptions

Measured rates that contradict the classes are named, and the option that uses them.

  $ printf '\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\tX\tPIX\tSYS\tSYS\nGPU1\tPIX\tX\tSYS\tSYS\nGPU2\tSYS\tSYS\tX\tPIX\nGPU3\tSYS\tSYS\tPIX\tX\n' > topo.txt
  $ printf 'Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1      2      3\n     0 900.10   6.02  11.31  11.28\n     1   6.05 901.20  11.29  11.33\n     2  11.30  11.27 902.00   6.04\n     3  11.31  11.26   6.01 901.70\n' > p2p.txt
  $ topowise map pattern:ring:4 topo.txt+p2p.txt --objective hop-bytes 2> /dev/null | tail -5
  $ topowise map pattern:ring:4 topo.txt+p2p.txt 2> /dev/null | tail -5

Ranks that send nothing.

  $ printf '0,0\n0,0\n' > silent.csv; topowise map silent.csv preset:l40s-8 2> /dev/null | tail -1
