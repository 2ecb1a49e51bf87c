What is inside a node is nearer than what is outside it, whatever was composed.

  $ topowise map pattern:ring:8 cluster:tree:2,tree:2:2 2> /dev/null
    rank  place  name   node  NIC
       0      0  P0:P0  P0    nic
       1      1  P0:P1  P0    nic
       2      2  P0:P2  P0    nic
       3      3  P0:P3  P0    nic
       4      4  P1:P0  P1    nic
       5      5  P1:P1  P1    nic
       6      6  P1:P2  P1    nic
       7      7  P1:P3  P1    nic
  
    traffic by level  class  distance   before           after
    level 0           T1            1  4.19 MB  50.0%  4.19 MB  50.0%
    level 1           T2            2   2.1 MB  25.0%   2.1 MB  25.0%
    level 2           NET1          3   2.1 MB  25.0%   2.1 MB  25.0%
  
  objective hop-bytes: 24 of 32 links have no rate
  hop-bytes 14.7 MB (distance x bytes): 0.0% less than the 14.7 MB of the identity
  lower bound 14.7 MB: proven optimal in hop-bytes; mapper auto, * (glob)
  rests on: an adapter of 31.5 GB/s at the first processor of tree:2:2, which describes none
  the identity is optimal already: no mapping has fewer hop-bytes
  $ topowise map pattern:ring:8 cluster:tree:2,tree:2:2 --metric hops 2> /dev/null | tail -3
  lower bound 4.19 MB: proven optimal in hop-bytes; mapper auto, * (glob)
  rests on: an adapter of 31.5 GB/s at the first processor of tree:2:2, which describes none
  the identity is optimal already: no mapping has fewer hop-bytes
  $ topowise map pattern:ring:8 cluster:tree:2,torus:2x2 2> /dev/null | tail -9
    traffic by level  class  distance   before           after
    level 0           T1            1  4.19 MB  50.0%  6.29 MB  75.0%
    level 1           T2            2   2.1 MB  25.0%      0 B   0.0%
    level 2           NET1          3   2.1 MB  25.0%   2.1 MB  25.0%
  
  objective hop-bytes: 16 of 24 links have no rate
  hop-bytes 12.6 MB (distance x bytes): 14.3% less than the 14.7 MB of the identity
  lower bound 12.6 MB: proven optimal in hop-bytes; mapper auto, * (glob)
  rests on: an adapter of 31.5 GB/s at the first processor of torus:2x2, which describes none
  $ topowise topology cluster:tree:40:32,tree:2:2 2> /dev/null | tail -7
    level  class  distance
        0  T1            1
        1  T2            2
        2  NET1          3
        3  NET3          4
  
  rests on: an adapter of 31.5 GB/s at the first processor of tree:2:2, which describes none; links of tree:40:32 that carry all that the hosts below can send

The cyclic mapping deals ranks over the nodes, not over the leaf switches.

  $ topowise map pattern:ring:8 cluster:tree:2:2,tree:2 --mapper cyclic 2> /dev/null | head -9
    rank  place  name   node  NIC
       0      0  P0:P0  P0    nic
       1      2  P1:P0  P1    nic
       2      4  P2:P0  P2    nic
       3      6  P3:P0  P3    nic
       4      1  P0:P1  P0    nic
       5      3  P1:P1  P1    nic
       6      5  P2:P1  P2    nic
       7      7  P3:P1  P3    nic

A description that contradicts itself: nothing is called optimal.

  $ topowise topology cluster:tree:2,tree:2 --save cluster.json 2> /dev/null
  2 x tree:2 on tree:2: 4 places
  
    id  name   node  nearest NICs
     0  P0:P0  P0    P0:nic (T1)
     1  P0:P1  P0    P0:nic (T1)
     2  P1:P0  P1    P1:nic (T1)
     3  P1:P1  P1    P1:nic (T1)
  
           P0:P0  P0:P1  P1:P0  P1:P1
    P0:P0      X     T1   NET1   NET1
    P0:P1     T1      X   NET1   NET1
    P1:P0   NET1   NET1      X     T1
    P1:P1   NET1   NET1     T1      X
  
    level  class  distance  pairs
        0  T1            1      2
        1  NET1          2      4
  
  rests on: an adapter of 31.5 GB/s at the first processor of tree:2, which describes none
  $ sed 's/{"class": "NET1", "distance": 2}/{"class": "NET1", "distance": 0.5}/' cluster.json > wrong.json
  $ topowise map pattern:ring:4 wrong.json 2> /dev/null | tail -5
  objective hop-bytes: 8 of 16 links have no rate
  hop-bytes 2.1 MB (distance x bytes): 33.3% less than the 3.15 MB of the identity
  lower bound 2.1 MB; mapper auto, * (glob)
  rests on: an adapter of 31.5 GB/s at the first processor of tree:2, which describes none
  nothing is called optimal, since the description of '2 x tree:2 on tree:2' contradicts itself: NET1 has distance 0.5, less than the 1 of T1, which is nearer
  $ topowise map pattern:ring:4 wrong.json --json 2> /dev/null | grep -e proven -e contradiction -e assumptions
    "proven_optimal": false,
    "assumptions": [
    "contradiction": "NET1 has distance 0.5, less than the 1 of T1, which is nearer",

Nor is a mapping that the user has made, also where it meets the bound.

  $ topowise map pattern:ring:4 wrong.json --mapper cyclic --save cyclic.mapping > /dev/null 2>&1
  $ topowise report pattern:ring:4 wrong.json --mapping cyclic.mapping --save page.html 2> /dev/null; grep -o 'proven\|Nothing is called optimal' page.html
  Nothing is called optimal

A matrix of pairs does not say which of them share wires.

  $ printf 'Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     0      1\n     0 900.0 24.0\n     1  24.0 900.0\n' > pair.txt
  > topowise map pattern:ring:2 pair.txt 2> /dev/null | grep 'rests on'; topowise map pattern:ring:2 pair.txt --objective hop-bytes 2> /dev/null | grep -c 'rests on' || true
  rests on: no wires that pairs share, of which a measured matrix says nothing
  0

Measured rates that contradict the classes are named, and the option that uses them.

  $ printf '\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\tX\tPIX\tSYS\tSYS\nGPU1\tPIX\tX\tSYS\tSYS\nGPU2\tSYS\tSYS\tX\tPIX\nGPU3\tSYS\tSYS\tPIX\tX\n' > topo.txt
  $ printf 'Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1      2      3\n     0 900.10   6.02  11.31  11.28\n     1   6.05 901.20  11.29  11.33\n     2  11.30  11.27 902.00   6.04\n     3  11.31  11.26   6.01 901.70\n' > p2p.txt
  $ topowise map pattern:ring:4 topo.txt+p2p.txt --objective hop-bytes 2> /dev/null | tail -5
  hop-bytes 6.29 MB (distance x bytes): 0.0% less than the 6.29 MB of the identity
  lower bound 6.29 MB: proven optimal in hop-bytes; mapper auto, * (glob)
  rests on: bandwidths without peer access
  the rates contradict the order of the classes: SYS (11.3 GB/s) is faster than PIX (6.05 GB/s), although it is farther; --metric bandwidth and --objective predicted-time map by the rates
  the identity is optimal already: no mapping has fewer hop-bytes
  $ topowise map pattern:ring:4 topo.txt+p2p.txt 2> /dev/null | tail -5
  predicted time 174 us: 0.3% less than the 174 us of the identity
  lower bound 174 us: proven optimal in predicted time by the congestion model; mapper auto, * (glob)
  hop-bytes 6.29 MB (distance x bytes): 0.0% less than the 6.29 MB of the identity; lower bound 6.29 MB
  rests on: bandwidths without peer access; PCIe of 15.8 GB/s
  the rates contradict the order of the classes: SYS (11.3 GB/s) is faster than PIX (6.05 GB/s), although it is farther; hop-bytes follow the order, the other numbers the rates of the links

Ranks that send nothing.

  $ printf '0,0\n0,0\n' > silent.csv; topowise map silent.csv preset:l40s-8 2> /dev/null | tail -1
  the ranks send nothing: every mapping is as good as any other

Hosts that nothing connects: ranks that talk go to one part, or nowhere.

  $ printf 'SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=m[0-2]\n' > parts.conf
  $ topowise topology parts.conf 2> /dev/null | tail -2
        0  NET1          1      9
        1  NONE        inf     12
  $ topowise map pattern:ring:4 parts.conf 2> /dev/null | tail -3
  hop-bytes 4.19 MB (distance x bytes): 0.0% less than the 4.19 MB of the identity
  lower bound 4.19 MB: proven optimal in hop-bytes; mapper auto, * (glob)
  the identity is optimal already: no mapping has fewer hop-bytes
  $ topowise map pattern:ring:6 parts.conf 2>&1 | grep -v warning
  topowise map: error: the usable places of 'parts.conf' fall into 2 parts that nothing connects, the largest of 4 places; none has room for 6 ranks
  hint: topowise topology TOPOLOGY prints NONE where nothing connects two places
  $ topowise evaluate pattern:ring:6 parts.conf --mapping identity 2> /dev/null | head -1
  hop-bytes         infinite (distance x bytes)
  $ topowise evaluate pattern:ring:6 parts.conf --mapping identity --json 2> /dev/null | grep hop_bytes
    "hop_bytes": null,
  $ printf 'SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n1\n' > alone.conf; topowise map pattern:ring:2 alone.conf 2>&1 | grep error
  topowise map: error: the usable places of 'alone.conf' fall into 2 parts that nothing connects, the largest of 1 place; none has room for 2 ranks

Where rates are assumed, a faster mapping has to be worth its hop-bytes. The fastest that is not is named.

  $ topowise map pattern:stencil2d:4x2:bytes=1MiB cluster:tree:2,preset:l40s-8 2> /dev/null | grep 'less predicted time would cost'
  by assumed rates 9.1% less predicted time would cost 25.0% more hop-bytes: --objective predicted-time looks for the least time alone
  $ topowise map pattern:stencil2d:4x2:bytes=1MiB cluster:tree:2,preset:l40s-8 --json 2> /dev/null | python3 -c "import json, sys; m = json.load(sys.stdin); s = m['spared']
  > print(s['cost'] < m['cost'], s['hop_bytes'] > m['hop_bytes']['cost'], m['lower_bound'] <= s['cost'], m['proven_optimal'])"
  True True True False
