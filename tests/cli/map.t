The 2D stencil on the 16 GPUs of the literature: 272 -> 176, proven.

  $ topowise map pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --json > map.json
  $ python3 -c "
  > import json
  > m = json.load(open('map.json'))
  > print(m['identity_cost'], m['cost'], m['lower_bound'], m['proven_optimal'], m['mapper'], round(m['gain'], 3), sorted(m))"
  272 176 176 True auto 0.353 ['cost', 'gain', 'identity_cost', 'lower_bound', 'mapper', 'metric', 'objective', 'places', 'proven_optimal', 'ranks', 'schema', 'seconds', 'seed']
  $ topowise map pattern:stencil2d:4x4:w=3:heavy=0 preset:helios-k80 | tail -8
    traffic by level  class  distance  identity          mapped
    level 0           PIX           1   16.8 MB  16.7%  50.3 MB  50.0%
    level 1           PXB           2   8.39 MB   8.3%  25.2 MB  25.0%
    level 2           PHB           3   50.3 MB  50.0%  16.8 MB  16.7%
    level 3           SYS           4   25.2 MB  25.0%  8.39 MB   8.3%
  
  hop-bytes 185 MB (distance x bytes): 35.3% less than the 285 MB of the identity
  lower bound 185 MB: proven optimal; mapper auto, * (glob)

Two runs give the same bytes but for the time.

  $ for run in 1 2; do topowise map pattern:torus2d:4x4:w=3 preset:helios-k80 --json --seed 5 | grep -v seconds > $run; done; diff 1 2

A machine on which no mapping can help says so.

  $ topowise map pattern:ring:8 preset:hgx-h100 | tail -2
  lower bound 8.39 MB: proven optimal; mapper auto, * (glob)
  every two places of 'hgx-h100' are equally far apart (NV18): no mapping can help

Some places only, several ranks a place.

  $ topowise map pattern:ring:3 preset:dgx1-v100 --allow 6-7,GPU1 --mapper identity | head -4
    rank  place  name  NUMA
       0      6  GPU6     1
       1      7  GPU7     1
       2      1  GPU1     0
  $ topowise map pattern:ring:4 preset:dgx1-v100 --allow 0,4 --ranks-per-place 2 --json | grep -e places -e cost
    "places": [0, 0, 4, 4],
    "cost": 2097152,
    "identity_cost": 2097152,
  $ topowise map pattern:ring:17 preset:helios-k80
  topowise map: error: traffic has 17 ranks, but 'helios-k80' offers 16 places
  hint: --ranks-per-place 2 lets 2 ranks share a place
  [3]
  $ topowise map pattern:ring:16 preset:helios-k80 --allow 0-7
  topowise map: error: traffic has 16 ranks, but 'helios-k80' offers 8 places
  hint: --ranks-per-place 2 lets 2 ranks share a place
  [3]

What is saved can be evaluated; the identity is the default.

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
  
    traffic by level  class  distance  identity         mapped
    level 0           PIX           1      16 B  16.7%    16 B  16.7%
    level 1           PXB           2       8 B   8.3%     8 B   8.3%
    level 2           PHB           3      48 B  50.0%    48 B  50.0%
    level 3           SYS           4      24 B  25.0%    24 B  25.0%
  $ topowise evaluate pattern:ring:4 preset:helios-k80 --mapping m.json
  topowise evaluate: error: 'm.json' maps 16 ranks, but the traffic has 4
  [3]
  $ topowise evaluate pattern:ring:16 preset:dgx1-v100 --mapping m.json --ranks-per-place 2
  topowise evaluate: error: the mapping puts rank 0 on place 15, but 'dgx1-v100' has only places 0 to 7
  [3]

Ranks that share places can be evaluated as they were mapped.

  $ topowise map pattern:ring:8:bytes=1B preset:summit-ac922 --ranks-per-place 2 --save shared.json 2> /dev/null > /dev/null
  $ topowise evaluate pattern:ring:8:bytes=1B preset:summit-ac922 --mapping shared.json --ranks-per-place 2 --json | grep hop_bytes
    "hop_bytes": 6,
  $ topowise evaluate pattern:ring:8:bytes=1B preset:summit-ac922 --mapping shared.json
  topowise evaluate: error: the mapping puts more ranks on place 0 (GPU0) than its capacity 1
  hint: --ranks-per-place N lets N ranks share a place
  [3]

What cannot be written is said; the old file stands.

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

Where the optimum is not proven, the bound says how far it may be.

  $ topowise map pattern:torus3d:4x4x4:bytes=1B torus:4x4x4 --mapper random | grep lower
  lower bound 384 B: at most *% above the optimum; mapper random, * (glob)
  $ topowise map pattern:torus3d:4x4x4:bytes=1B torus:4x4x4 --mapper identity | grep lower
  lower bound 384 B: proven optimal; mapper identity, * (glob)

Constraints: fixed ranks cost nothing on a regular machine; ranks of different loads share the places evenly.

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
  topowise map: error: weights:2: '3 # heavy' is not a load: a whole number from 1 to 1000000, or N*LOAD
  [3]
  $ topowise map pattern:ring:4 tree:2 --loads 3,1 --json
  topowise map: error: 2 loads are given for 4 ranks
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
  topowise map: error: --imbalance: 'many' is not a number above 0
  hint: --imbalance 0.03 or --imbalance 3%
  [2]

A mix of two objectives, in units of the identity.

  $ topowise map pattern:stencil2d:4x4:w=3:heavy=0 preset:helios-k80 --objective mix --hop-share 0.7 | tail -2
  mix * less than the 1.000 of the identity (glob)
  lower bound * mapper auto, * (glob)
