The 2D stencil on the 16 GPUs of the literature: 272 -> 176, and the optimum is proven.

  $ topowise map pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --json > map.json
  $ python3 -c "
  > import json
  > m = json.load(open('map.json'))
  > print(m['identity_cost'], m['cost'], m['lower_bound'], m['proven_optimal'], m['mapper'], round(m['gain'], 3), sorted(m))"
  272 176 176 True auto 0.353 ['cost', 'gain', 'identity_cost', 'lower_bound', 'made_for', 'mapper', 'metric', 'objective', 'objective_reason', 'places', 'proven_optimal', 'ranks', 'schema', 'seconds', 'seed']
  $ topowise map pattern:stencil2d:4x4:w=3:heavy=0 preset:helios-k80 --objective hop-bytes | tail -8
    traffic by level  class  distance   before           after
    level 0           PIX           1  16.8 MB  16.7%  50.3 MB  50.0%
    level 1           PXB           2  8.39 MB   8.3%  25.2 MB  25.0%
    level 2           PHB           3  50.3 MB  50.0%  16.8 MB  16.7%
    level 3           SYS           4  25.2 MB  25.0%  8.39 MB   8.3%
  
  hop-bytes 185 MB (distance x bytes): 35.3% less than the 285 MB of the identity
  lower bound 185 MB: proven optimal in hop-bytes; mapper auto, * (glob)

Two runs give the same bytes, except for the times.

  $ for run in 1 2; do for traffic in torus2d:4x4:w=3:bytes=1B torus2d:4x2:w=3; do topowise map pattern:$traffic preset:helios-k80 --json --seed 5; done | grep -v seconds > $run; done; diff 1 2

By itself map makes the time small, where the rates of links are known. For eight ranks the least time is proven.

  $ for traffic in stencil2d:4x2 stencil2d:4x2:w=3 torus2d:4x2 torus3d:2x2x2 hypercube:3; do for machine in helios-k80 l40s-8; do
  > topowise map pattern:$traffic:bytes=1MiB preset:$machine --save time.map 2> /dev/null | grep -e 'predicted time.*%' -e 'lower bound.*mapper' | sed 's/ in predicted.*//'
  > topowise map pattern:$traffic:bytes=1MiB preset:$machine --objective hop-bytes --save hops.map > /dev/null 2> /dev/null
  > for map in time hops; do topowise evaluate pattern:$traffic:bytes=1MiB preset:$machine --mapping $map.map | grep 'predicted'; done; done; done
  predicted time 416 us: 1.9% less than the 424 us of the identity
  lower bound 416 us: proven optimal
  predicted time    416 us (all messages at once, one a pair)
  predicted time    424 us (all messages at once, one a pair)
  predicted time 228 us: 14.9% less than the 268 us of the identity
  lower bound 228 us: proven optimal
  predicted time    228 us (all messages at once, one a pair)
  predicted time    268 us (all messages at once, one a pair)
  predicted time 806 us: 41.6% less than the 1.38 ms of the identity
  lower bound 806 us: proven optimal
  predicted time    806 us (all messages at once, one a pair)
  predicted time    1.01 ms (all messages at once, one a pair)
  predicted time 429 us: 43.1% less than the 753 us of the identity
  lower bound 429 us: proven optimal
  predicted time    429 us (all messages at once, one a pair)
  predicted time    495 us (all messages at once, one a pair)
  predicted time 508 us: 34.4% less than the 774 us of the identity
  lower bound 508 us: proven optimal
  predicted time    508 us (all messages at once, one a pair)
  predicted time    774 us (all messages at once, one a pair)
  predicted time 255 us: 36.3% less than the 400 us of the identity
  lower bound 255 us: proven optimal
  predicted time    255 us (all messages at once, one a pair)
  predicted time    400 us (all messages at once, one a pair)
  predicted time 590 us: 23.8% less than the 773 us of the identity
  lower bound 590 us: proven optimal
  predicted time    590 us (all messages at once, one a pair)
  predicted time    773 us (all messages at once, one a pair)
  predicted time 286 us: 30.5% less than the 411 us of the identity
  lower bound 286 us: proven optimal
  predicted time    286 us (all messages at once, one a pair)
  predicted time    411 us (all messages at once, one a pair)
  predicted time 590 us: 23.8% less than the 773 us of the identity
  lower bound 590 us: proven optimal
  predicted time    590 us (all messages at once, one a pair)
  predicted time    773 us (all messages at once, one a pair)
  predicted time 286 us: 30.5% less than the 411 us of the identity
  lower bound 286 us: proven optimal
  predicted time    286 us (all messages at once, one a pair)
  predicted time    411 us (all messages at once, one a pair)

Where it is hop-bytes that are made small, one line says why, unless the user asked for it.

  $ topowise map pattern:stencil2d:4x4 tree:2:2:2:2 | tail -3
  objective hop-bytes: 60 of 60 links have no rate
  hop-bytes 109 MB (distance x bytes): 7.1% less than the 117 MB of the identity
  lower bound 109 MB: proven optimal in hop-bytes; mapper auto, * (glob)
  $ topowise map pattern:stencil2d:4x4 tree:2:2:2:2 --objective hop-bytes | grep -c objective
  0
  [1]
  $ topowise map pattern:stencil2d:4x2 preset:l40s-8 --metric distance | tail -3
  hop-bytes 37.7 MB (distance x bytes): 0.0% less than the 37.7 MB of the identity
  lower bound 37.7 MB: proven optimal in hop-bytes; mapper auto, * (glob)
  the identity is optimal already: no mapping has fewer hop-bytes
  $ topowise map pattern:stencil2d:4x2 preset:l40s-8 --mapper greedy | tail -3 | sed 's/;.*//'
  hop-bytes 37.7 MB (distance x bytes): 0.0% less than the 37.7 MB of the identity
  lower bound 37.7 MB: proven optimal in hop-bytes
  the identity is optimal already: no mapping has fewer hop-bytes
  $ topowise map pattern:stencil2d:4x2 preset:l40s-8 --loads 1,1,1,1,2,2,2,2 --imbalance 100% | grep objective
  objective hop-bytes: predicted-time knows no loads of ranks
  $ topowise map pattern:ring:600 preset:l40s-8 --ranks-per-place 75 --json | grep -e objective
    "objective": "hop-bytes",
    "objective_reason": "600 ranks are too many to predict each mapping; --objective predicted-time does it anyway",
  $ topowise map pattern:ring:8:bytes=1B preset:l40s-8 | grep objective
  objective hop-bytes: ranks send each other 1 B at most, which is latency alone

A mapping of least time may have more hop-bytes. What is proven is said for each number.

  $ topowise map pattern:stencil2d:4x2 preset:l40s-8 | tail -3 | sed 's/; mapper.*//'
  predicted time 228 us: 14.9% less than the 268 us of the identity
  lower bound 228 us: proven optimal in predicted time by the congestion model
  hop-bytes 46.1 MB (distance x bytes): 22.2% more than the 37.7 MB of the identity; lower bound 37.7 MB
  $ topowise map pattern:ring:2 preset:l40s-8 | tail -3 | sed 's/; mapper.*//'
  lower bound 33.6 us: proven optimal in predicted time by the congestion model
  hop-bytes 2.1 MB (distance x bytes): 0.0% less than the 2.1 MB of the identity; lower bound 2.1 MB
  the identity is optimal already, in predicted time and in hop-bytes: no mapping can help

A machine on which no mapping can help says so.

  $ topowise map pattern:ring:8 preset:hgx-h100 | tail -4
  predicted time 3.13 us: 0.0% less than the 3.13 us of the identity
  lower bound 3.13 us: proven optimal in predicted time by the congestion model; mapper auto, * (glob)
  hop-bytes 8.39 MB (distance x bytes): 0.0% less than the 8.39 MB of the identity; lower bound 8.39 MB
  every two places of 'hgx-h100' are equally far apart (NV18): no mapping can help

Classes that a metric does not tell apart are named, all of them.

  $ printf '\tGPU0\tGPU1\tGPU2\tCPU Affinity\nGPU0\t X \tPIX\tPXB\t0-7\nGPU1\tPIX\t X \tPXB\t0-7\nGPU2\tPXB\tPXB\t X \t0-7\n' > pix.txt
  > topowise map pattern:ring:3 pix.txt --metric bandwidth 2>&1 | tail -1
  every two places of 'pix.txt' have the same bandwidth (PIX, PXB): no mapping has fewer hop-bytes

A machine that falls into parts: the places of each hold their share of all, and no more.

  $ printf 'SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=b[1-3]\n' > parts.conf
  > topowise map pattern:ring:2 parts.conf --imbalance 34% --json 2> /dev/null | grep '"places"'
  > topowise map pattern:ring:4 parts.conf --imbalance 0 2>&1 | grep -v warning
    "places": [1, 2],
  topowise map: error: the usable places of 'parts.conf' fall into 2 parts that nothing connects, the largest of 3 places; none has room for 4 ranks at this imbalance
  hint: topowise topology TOPOLOGY prints NONE where nothing connects two places

Only some places may be used, and several ranks may share a place.

  $ topowise map pattern:ring:3 preset:dgx1-v100 --allow 6-7,GPU1 --mapper identity | head -4
    rank  place  name  NUMA  NIC
       0      6  GPU6     1  mlx5_3
       1      7  GPU7     1  mlx5_3
       2      1  GPU1     0  mlx5_0
  $ topowise map pattern:ring:4 preset:dgx1-v100 --allow 0,4 --ranks-per-place 2 --json | grep -e places -e hop_bytes
    "places": [0, 0, 4, 4],
    "hop_bytes": {"cost": 2097152, "identity_cost": 2097152, "lower_bound": 2097152},
  $ topowise map pattern:ring:17 preset:helios-k80
  topowise map: error: traffic has 17 ranks, but 'helios-k80' offers 16 places
  hint: --ranks-per-place 2 lets 2 ranks share a place
  [3]
  $ topowise map pattern:ring:16 preset:helios-k80 --allow 0-7
  topowise map: error: traffic has 16 ranks, but of the 16 places of 'helios-k80' only 8 may be used
  hint: --ranks-per-place 2 lets 2 ranks share a place; --allow and --places say which places may be used
  [3]
  $ topowise map pattern:ring:3 preset:helios-k80 --allow 0
  topowise map: error: traffic has 3 ranks, but of the 16 places of 'helios-k80' only 1 may be used
  hint: --ranks-per-place 3 lets 3 ranks share a place; --allow and --places say which places may be used
  [3]

A saved mapping can be evaluated; the default mapping is the identity.

  $ topowise map pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --save m.json > /dev/null
  topowise map: wrote m.json
  $ topowise evaluate pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --mapping m.json --json
  {
    "schema": "topowise.evaluation/1",
    "hop_bytes": 176,
    "max_congestion_s": 6.666666666666666e-10,
    "average_dilation": 1.8333333333333333,
    "max_dilation": 4,
    "predicted_time_s": * (glob)
  }
  $ topowise evaluate pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80
  hop-bytes         272 B (distance x bytes)
  max congestion    2 ns on the inter-socket link from socket 0 to socket 1
  predicted time    * (all messages at once, one a pair) (glob)
  average dilation  2.833
  max dilation      4
  
    traffic by level  class  distance  before         after
    level 0           PIX           1    16 B  16.7%   16 B  16.7%
    level 1           PXB           2     8 B   8.3%    8 B   8.3%
    level 2           PHB           3    48 B  50.0%   48 B  50.0%
    level 3           SYS           4    24 B  25.0%   24 B  25.0%
  $ topowise evaluate pattern:ring:4 preset:helios-k80 --mapping m.json
  topowise evaluate: warning: 'm.json' was made for other traffic than this
  topowise evaluate: error: 'm.json' maps 16 ranks, but the traffic has 4
  [3]
  $ topowise evaluate pattern:ring:16 preset:dgx1-v100 --mapping m.json --ranks-per-place 2
  topowise evaluate: error: 'm.json' puts rank 0 on place 14, but 'dgx1-v100' has only places 0 to 7
  [3]

A mapping in which ranks share places can be evaluated as it is.

  $ topowise map pattern:ring:8:bytes=1B preset:summit-ac922 --ranks-per-place 2 --save shared.json 2> /dev/null > /dev/null
  $ topowise evaluate pattern:ring:8:bytes=1B preset:summit-ac922 --mapping shared.json --ranks-per-place 2 --json | grep hop_bytes
    "hop_bytes": 6,
  $ topowise evaluate pattern:ring:8:bytes=1B preset:summit-ac922 --mapping shared.json --json | grep hop_bytes
    "hop_bytes": 6,
  $ topowise evaluate pattern:ring:8:bytes=1B preset:summit-ac922 --mapping shared.json > /dev/null
  $ topowise report pattern:ring:8:bytes=1B preset:summit-ac922 --mapping shared.json --save shared.html && grep -o '8 ranks on summit-ac922' shared.html | head -1
  topowise report: wrote shared.html
  8 ranks on summit-ac922
  $ topowise evaluate pattern:ring:8:bytes=1B preset:summit-ac922 --mapping shared.json --ranks-per-place 1
  topowise evaluate: error: 'shared.json' puts more ranks on place 0 (GPU0) than its capacity 1
  hint: --ranks-per-place N lets N ranks share a place
  [3]

A symbolic link stays; the file that it leads to is replaced.

  $ mkdir far && ln -s far/saved.map near.map && topowise map pattern:ring:4 tree:4 --save near.map > /dev/null
  topowise map: wrote near.map
  $ test -L near.map && grep -c topowise.mapping far/saved.map && ls far
  1
  saved.map

map says what it cannot write, and the old file stays.

  $ echo old > keep
  $ topowise map pattern:ring:4 preset:dgx1-v100 --save /proc/no/file
  topowise map: error: cannot write '/proc/no/file': No such file or directory
  [3]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --save .
  topowise map: error: cannot write '.': Is a directory
  [3]
  $ topowise map pattern:ring:4 preset:dgx1-v100 --save keep --mapper nonsense; cat keep
  topowise map: error: --mapper: unknown mapper 'nonsense'
  hint: --mapper *|list (glob)
  old

Where the optimum is not proven, the bound says how far from the optimum the mapping is at most, rounded up. A bound of less than
half says nothing about the mapping.

  $ topowise map pattern:stencil2d:6x4:bytes=1B:heavy=0 tree:4:6 --mapper identity | grep lower
  lower bound 96 B: at most 8.4% above the optimum; mapper identity, * (glob)
  $ topowise map pattern:torus3d:4x4x4:bytes=1B torus:4x4x4 --mapper random | grep lower
  lower bound 384 B: too weak to judge the mapping by; mapper random, * (glob)
  $ topowise map pattern:torus3d:4x4x4:bytes=1B torus:4x4x4 --mapper identity | grep lower
  lower bound 384 B: proven optimal in hop-bytes; mapper identity, * (glob)

Constraints: on a regular machine, fixed ranks cost nothing; ranks of different loads share the places evenly.

  $ topowise map pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --fix 0=GPU9 --json > fixed.json
  $ python3 -c "
  > import json
  > m = json.load(open('fixed.json'))
  > print(m['places'][0], m['cost'], m['proven_optimal'])"
  9 176 True
  $ topowise map pattern:stencil2d:8x8:bytes=1B tree:2:4 --loads 32*1,32*3 --imbalance 0% --json > loads.json
  $ python3 -c "
  > import json
  > m = json.load(open('loads.json'))
  > load = [0] * 8
  > for rank, place in enumerate(m['places']): load[place] += 1 if rank < 32 else 3
  > print(load, 0 < m['lower_bound'] <= m['cost'] < m['identity_cost'])"
  [16, 16, 16, 16, 16, 16, 16, 16] True
  $ printf '5\n3 # heavy\n' > weights
  $ topowise map pattern:ring:2 tree:2 --loads weights
  topowise map: error: weights:2:1: '3 # heavy' is not a load: a whole number from 1 to 1000000, or N*LOAD
      2 | 3 # heavy
        | ^
  [3]
  $ printf '\357\273\2771\r\n\r\n# two more\r\n2*2\r\n' > weights; topowise map pattern:ring:3:bytes=1B tree:3 --loads weights | head -2 | tail -1
       0      0  P0
  $ topowise map pattern:ring:2 tree:2 --loads '16777216*1,1'
  topowise map: error: --loads: '1': these are loads for more than 16777216 ranks
  [2]
  $ topowise map pattern:ring:4 tree:2 --loads 3,1 --json
  topowise map: error: --loads: 2 loads for 4 ranks
  [2]
  $ : > none; topowise map pattern:ring:4 tree:2 --loads none
  topowise map: error: none: 0 loads for 4 ranks
  [3]
  $ topowise map pattern:ring:4 tree:2 --loads 90,1,1,1
  topowise map: error: no mapping was found whose places hold at most 0.03 more than their share of the load
  hint: --imbalance 0.915 can be kept
  [3]
  $ topowise map pattern:ring:4 tree:4 --fix 0=2,1
  topowise map: error: --fix: '1' is not RANK=PLACE
  hint: --fix 0=GPU3,5=12
  [2]
  $ topowise map pattern:ring:4 tree:4 --imbalance many
  topowise map: error: --imbalance: 'many' is not a number from 0 to 1000
  hint: --imbalance 0.03 or --imbalance 3%
  [2]
  $ topowise map pattern:ring:4 tree:4 --imbalance 1e300 2>&1 | head -1
  topowise map: error: --imbalance: '1e300' is not a number from 0 to 1000
  $ topowise map pattern:ring:4 tree:4 --fix 99=0
  topowise map: error: --fix: rank '99' does not exist, the traffic has ranks 0 to 3
  [2]
  $ topowise map pattern:ring:4 tree:4 --fix 0=99
  topowise map: error: --fix: place '99' does not exist, 'tree:4' has places 0 to 3
  [2]
  $ topowise map pattern:ring:4 tree:4 --loads 1,-1,2,3
  topowise map: error: --loads: '-1' is not a load: a whole number from 1 to 1000000, or N*LOAD
  [2]
  $ topowise map pattern:ring:4 tree:4 --loads -1
  topowise map: error: --loads: '-1' is not a load: a whole number from 1 to 1000000, or N*LOAD
  [2]
  $ printf '1\n1\n1\n1\n' > 'work,4*1'; topowise map pattern:ring:4 tree:4 --loads 'work,4*1' --json | grep -c proven
  1

Weights from 1 to 10, as edges of MPI_Graph_create that are listed so often: ranks 0 and 1 exchange most, 2 and 3 little more than a third.

  $ printf 'source,destination,bytes\n0,1,900\n1,0,100\n1,2,340\n3,2,360\n0,3,1\n' > pairs.csv
  $ topowise map pairs.csv tree:2:2 --weights paper | grep hop-bytes
  topowise map: warning: costs are of weights, not of bytes: 'evaluate' gives those of the mapping
  hop-bytes 44 B (distance x bytes): 0.0% less than the 44 B of the identity
  lower bound 44 B: proven optimal in hop-bytes; * (glob)
  the identity is optimal already: no mapping has fewer hop-bytes
  $ topowise map pairs.csv tree:2:2 --weights paper --save weighed.map > /dev/null
  topowise map: warning: costs are of weights, not of bytes: 'evaluate' gives those of the mapping
  topowise map: wrote weighed.map
  $ topowise evaluate pairs.csv tree:2:2 --mapping weighed.map 2> /dev/null | head -1
  hop-bytes         2.04 KB (distance x bytes)
  $ topowise map pairs.csv tree:2:2 --weights equal 2> /dev/null | grep hop-bytes | head -1
  hop-bytes 12 B (distance x bytes): 0.0% less than the 12 B of the identity
  $ topowise map pairs.csv tree:2:2 --weights paper --objective max-congestion
  topowise map: error: --objective: weights are no bytes, which this objective needs
  hint: --objective hop-bytes
  [2]

A mix of two objectives, each in units of the identity's value.

  $ topowise map pattern:stencil2d:4x4:w=3:heavy=0 preset:helios-k80 --objective mix --hop-share 0.7 | tail -2
  mix * less than the 1.000 of the identity (glob)
  lower bound * mapper auto, * (glob)

A mapping remembers the traffic and the machine for which it was made, under any name. Old files without this record are accepted.

  $ topowise topology preset:helios-k80 --save renamed.json > /dev/null
  topowise topology: wrote renamed.json
  $ topowise map pattern:ring:16:bytes=1B renamed.json --save ring.map > /dev/null
  topowise map: wrote ring.map
  $ grep made_for ring.map
    "made_for": {"traffic": "bdfdf3ed1b3bd335", "topology": "0ee838f43f1e5273"},
  $ topowise evaluate pattern:ring:16:bytes=1B preset:helios-k80 --mapping ring.map | head -1
  hop-bytes         30 B (distance x bytes)
  $ topowise evaluate pattern:torus2d:4x4 tree:4:4 --mapping ring.map | head -1
  topowise evaluate: warning: 'ring.map' was made for another machine than 'tree:4:4': places differ, or how far they are apart
  topowise evaluate: warning: 'ring.map' was made for other traffic than this
  topowise evaluate: warning: max congestion is not known: the bandwidth of the link from '1.0' to 'root' of 'tree:4:4' is not known
  hop-bytes         101 MB (distance x bytes)
  $ topowise predict pattern:ring:16:bytes=1B renamed.json --mapping ring.map | head -1
  16 messages end after 1.6 us (predicted, model pcie-sc16+max-min, 9 events)
  $ topowise predict pattern:torus2d:4x4 renamed.json --mapping ring.map --json | grep makespan
  topowise predict: warning: 'ring.map' was made for other traffic than this
    "makespan_s": 0.0015337200333460283,
  $ topowise predict renamed.json --messages '0->1:1MB' --mapping ring.map --json | grep makespan
    "makespan_s": 6.377594261774787e-05,
  $ topowise predict pattern:ring:8:bytes=1B renamed.json --mapping ring.map --json | grep makespan
  topowise predict: warning: 'ring.map' was made for other traffic than this
    "makespan_s": 9.000768058905676e-07,
  $ printf '0 1 0\n0 0 0\n0 0 0\n' > silent.txt; topowise map silent.txt renamed.json --save silent.map > /dev/null
  topowise map: wrote silent.map
  $ topowise predict silent.txt renamed.json --mapping silent.map --json | grep -c makespan
  1
  $ topowise report pattern:ring:16:bytes=1B tree:16 --mapping ring.map --save report.html
  topowise report: warning: 'ring.map' was made for another machine than 'tree:16': places differ, or how far they are apart
  topowise report: wrote report.html
  $ grep -v made_for ring.map > old.map; topowise evaluate pattern:torus2d:4x4 renamed.json --mapping old.map | head -1
  hop-bytes         168 MB (distance x bytes)

'--save -' writes the mapping to the standard output, and nothing else.

  $ topowise map pattern:ring:16:bytes=1B preset:helios-k80 --save - | topowise evaluate pattern:ring:16:bytes=1B preset:helios-k80 --mapping - | head -1
  hop-bytes         30 B (distance x bytes)
  $ topowise map pattern:ring:16 preset:helios-k80 --save - --json
  topowise map: error: --save - and --json both want the standard output
  hint: --save FILE writes a file
  [2]
  $ topowise map pattern:ring:16 preset:helios-k80 --save - --emit shell
  topowise map: error: --save - and --emit both want the standard output
  hint: --save FILE writes a file
  [2]
  $ topowise topology preset:helios-k80 --save - | topowise topology - | head -1
  helios-k80: 16 places
  $ topowise predict pattern:ring:4 preset:cs-storm-t2 --trace - | python3 -c "import json, sys; print(len(json.load(sys.stdin)['traceEvents']) > 4)"; ls ./- 2> /dev/null || echo no file
  True
  no file
  $ topowise predict pattern:ring:4 preset:cs-storm-t2 --trace - --json
  topowise predict: error: --trace - and --json both want the standard output
  hint: --trace FILE writes a file
  [2]
  $ topowise report pattern:ring:4 preset:cs-storm-t2 --save - --trace -
  topowise report: error: --trace - and --save both want the standard output
  hint: --trace FILE writes a file
  [2]
  $ topowise report pattern:ring:4 preset:cs-storm-t2 --save same --trace ./same; ls same
  topowise report: error: --save and --trace both write './same'
  hint: each needs a file of its own
  ls: cannot access 'same': No such file or directory
  [2]
  $ topowise report pattern:ring:4 preset:cs-storm-t2 --save /dev/null --trace /dev/null
  topowise report: wrote /dev/null; ui.perfetto.dev shows it
  topowise report: wrote /dev/null
  $ topowise topology preset:helios-k80 --save - --json
  topowise topology: error: --save - and --json both want the standard output
  hint: --save FILE writes a file
  [2]
  $ topowise traffic pattern:ring:4 --save - | topowise traffic - | head -1
  -: 4 ranks, 4 pairs, 4.19 MB in 4 messages; a rank sends to 1 other at most
  $ topowise report pattern:ring:4 tree:4 --save - | head -1
  <!DOCTYPE html>
  $ topowise schedule pattern:ring:4 preset:dgx1-v100 --save - | head -2
  {
    "schema": "topowise.exchange/1",
  $ ls -- -
  ls: cannot access '-': No such file or directory
  [2]

An interrupt, or a request to end, ends a search with the best mapping so far. On a terminal, the search shows that it is at work.

  $ cat > interrupt.py <<'END'
  > import json, os, signal, subprocess, sys
  > master, slave = os.openpty()
  > search = 'topowise map pattern:random:600 torus:10x10x6 --time-limit 1000 --save best.map --json'
  > with subprocess.Popen(search.split(), stdout=subprocess.PIPE, stderr=slave) as program:
  >   os.close(slave)
  >   told = ''
  >   while 'next: ' not in told:
  >     told += os.read(master, 4096).decode()
  >   program.send_signal(getattr(signal, sys.argv[1]))
  >   best = json.loads(program.communicate()[0])
  > while 'interrupted' not in told:
  >   told += os.read(master, 65536).decode()
  > print(program.returncode, sorted(best['places']) == list(range(600)))
  > print(json.load(open('best.map'))['cost'] == best['cost'])
  > print(told.splitlines()[-1])
  > END
  $ python3 interrupt.py SIGINT
  130 True
  True
  topowise map: warning: interrupted: this is the best so far
  $ python3 interrupt.py SIGTERM
  130 True
  True
  topowise map: warning: interrupted: this is the best so far

If a result waits for whoever reads it, the first signal ends the program. After an interrupted search nobody waits for a reader to come.

  $ mkfifo unread
  $ cat > full.py <<'END'
  > import os, signal, subprocess
  > MANY = 'pattern:ring:30000 tree:30000'
  > for search in (f'map {MANY} --mapper identity --no-bound --save', f'map {MANY} --mapper identity --no-bound --json',
  >                'schedule pattern:ring:2000 tree:2000 --time-limit 0.1 --save', 'report pattern:ring:256 tree:16:16 --time-limit 0.1 --save'):
  >   for where in (['-', 'unread'] if search.endswith('save') else ['']):
  >     with subprocess.Popen(['topowise', *search.split(), *where.split()], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
  >       reader = os.open('unread', os.O_RDONLY) if where == 'unread' else program.stdout.fileno()
  >       os.read(reader, 1)
  >       program.send_signal(signal.SIGTERM)
  >       print(search.split()[0], where, program.wait())
  > END
  $ python3 full.py
  map - -15
  map unread -15
  map  -15
  schedule - -15
  schedule unread -15
  report - -15
  report unread -15
  $ sed -e 's/best.map --json/unread --json/' -e '/best.*cost/d' interrupt.py > no_reader.py
  $ python3 no_reader.py SIGTERM
  130 True
  topowise map: warning: interrupted: this is the best so far

--mapper identity asks for the identity: no other mapping is searched. Without a bound, nothing is said about one.

  $ topowise map pattern:random:40 tree:5:8 --mapper identity --no-bound | tail -3
  hop-bytes 303 MB (distance x bytes): 0.0% less than the 303 MB of the identity
  no lower bound was asked for; mapper identity, * (glob)
  this is the identity: no other mapping was looked for
  $ topowise map pattern:random:40 tree:5:8 --mapper identity --no-bound --json | grep lower_bound
    "lower_bound": null,
  $ topowise map pattern:random:40 tree:5:8 --no-bound --bound-time 1s
  topowise map: error: --no-bound and --bound-time contradict each other
  [2]

Structured traffic is proven optimal beyond what a search can prove: its boxes are the best on every level.

  $ topowise map pattern:stencil2d:8x4:w=3:heavy=0 tree:2:2:2:2:2 | tail -1
  lower bound 487 MB: proven optimal in hop-bytes; mapper auto, * (glob)
  $ topowise map pattern:llm:16x8x8 tree:16:8:8@1:10:100 | tail -1
  lower bound 28.2 TB: proven optimal in hop-bytes; mapper auto, * (glob)
  $ topowise map pattern:llm:16x16x9 tree:32:72 | tail -1
  lower bound 10.8 TB: proven optimal in hop-bytes; mapper auto, * (glob)

More bytes than a floating-point number can hold are an error.

  $ printf '0 1e307\n1e307 0\n' > huge.txt; topowise map huge.txt tree:2
  topowise map: error: hop-bytes of 2e+307 bytes on 'tree:2' can be more than a floating-point number holds
  hint: give bytes or distances in larger units
  [3]

A proof counts as far as sums of numbers can be told apart. Where that could hide what some pair pays, it is said how far.

  $ printf '0 1e12 3e-3 5\n0.7 0 0.1 2e9\n0 0 0 0.3\n9 8 7 0\n' > decades.txt
  $ topowise map decades.txt tree:2:2 | grep -o 'proven optimal.*;'
  proven optimal in hop-bytes to 1 part in 10^11;
  $ printf '0 1000000 3 5\n7 0 1 2000\n0 0 0 3\n9 8 7 0\n' > whole.txt
  $ topowise map whole.txt tree:2:2 | grep -o 'proven optimal.*;'
  proven optimal in hop-bytes;

More room than can be listed in memory is refused before memory is taken.

  $ topowise map pattern:ring:1000 tree:2000000 --ranks-per-place 1000000
  topowise map: error: 'tree:2000000' has room for 2000000000 ranks, and a list of that would take about 32 GB of memory: at most 268435456 are supported
  hint: --ranks-per-place 1 is enough for 1000 ranks
  [3]
