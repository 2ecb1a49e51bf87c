Two threads measure host memory, which needs no GPU; the result is a machine that the mapper can use.

  $ topowise probe --device host --topology tree:2:2 --sizes 4KiB,64KiB --repetitions 3 --save node.json > /dev/null 2>&1
  $ python3 -c "
  > import json
  > node = json.load(open('node.json'))
  > print(node['pair_matrices']['latency']['source'], node['pair_matrices']['bandwidth']['count'])"
  measured:probe (host memory, two threads) [[0, 3, 3, 3], [3, 0, 3, 3], [3, 3, 0, 3], [3, 3, 3, 0]]
  $ topowise map pattern:ring:4 node.json --metric bandwidth --json | python3 -c "
  > import json, sys
  > print(json.load(sys.stdin)['metric'])"
  bandwidth
  $ topowise probe --device host --topology tree:2:2 --sizes 4KiB --repetitions 2 --pairs 0-1,P2-3 --json 2> /dev/null | python3 -c "
  > import json, sys
  > result = json.load(sys.stdin)
  > print(sorted(result), [(p['first'], p['second'], p['class']) for p in result['pairs']], result['metrics']['distance'][0])"
  ['congestion', 'date', 'levels', 'machine', 'metrics', 'notes', 'pairs', 'schema', 'sizes', 'source'] [(0, 1, 'T1'), (2, 3, 'T1')] [0, 2, 1, 1]

probe refuses requests that make no sense.

  $ topowise probe
  topowise probe: error: the result goes nowhere
  hint: --save FILE.json, or --json
  [2]
  $ topowise probe --device host --topology tree:2:2 --json --sizes banana
  topowise probe: error: --sizes: 'banana' is not a size of 1 B to 16 GiB
  hint: --sizes 1B-64MiB or --sizes 4KiB,1MiB
  [2]
  $ topowise probe --device host --topology tree:2:2 --json --sizes 1MiB-1KiB
  topowise probe: error: --sizes: '1MiB-1KiB' ends before it begins
  hint: --sizes 1B-64MiB
  [2]
  $ topowise probe --device host --topology tree:2:2 --json --pairs 1-1
  topowise probe: error: --pairs: '1-1' is one place twice
  [2]
  $ topowise probe --device host --topology tree:1 --json
  topowise probe: error: a pair needs two places; 'tree:1' has 1
  hint: --topology SOURCE names another machine description
  [4]
