Halo exchanges by the model: the orders of SC'16, section VIII, and a program's phases.

  $ topowise bench halo-orders --model pcie-sc16
  Orders of the messages of a halo exchange
  machine: cs-storm-t2
  model: pcie-sc16
  link: 12.5 GB/s
  kind: predicted
  bytes: 300 MiB
  
    grid   order                   orders    time  alone is 1  fastest is 1
    2x4    fastest                  20736  128 ms        5.05             1
    2x4    median                   20736  190 ms       7.511         1.487
    2x4    slowest                  20736  246 ms       9.732         1.927
    2x4    all W,E,N,S                  4  165 ms       6.552         1.297
    2x4    all W,N,E,S                  4  181 ms       7.151         1.416
    2x4    all N,S,W,E                  4  198 ms        7.84         1.552
    2x4    all W,N,S,E                  4  201 ms       7.949         1.574
    2x4    all N,W,S,E                  4  220 ms       8.705         1.724
    2x4    all N,W,E,S                  4  225 ms       8.914         1.765
    2x2x2  fastest                1679616  124 ms       4.896             1
    2x2x2  median                 1679616  223 ms       8.832         1.804
    2x2x2  slowest                1679616  319 ms       12.63         2.581
    2x2x2  all 1-,1+,2-,0-,0+,2+       16  188 ms       7.464         1.524
    2x2x2  all 0-,2-,1-,1+,2+,0+        8  300 ms       11.89         2.429
  $ topowise bench halo-sequence --model pcie-sc16
  topowise bench: warning: the sequence is COSMO's as far as the paper gives it: phases of 254 KB for those above 100 KB, 40 KB for those below
  Halo exchanges, as given and in the fastest order
  machine: cs-storm-t2
  model: pcie-sc16
  link: 12.5 GB/s
  kind: predicted
  order: N,S,E,W
  
    phase  exchanges     bytes    given     best  given over best
    0             30  254000 B   160 us   103 us            1.552
    1             60   40000 B  25.2 us  16.2 us            1.552
    2             90  254000 B   160 us   103 us            1.552
    3             70   40000 B  25.2 us  16.2 us            1.552
    4             62  254000 B   160 us   103 us            1.552
    all          312            32.4 ms  20.9 ms            1.552
  $ topowise bench halo-sequence --topology preset:cs-storm-t2 --sequence 2x64KiB,1x1B --directions W,E,N,S --csv | sed 's/\(\.[0-9][0-9][0-9]\)[0-9]*\(e-0.\)*/\1\2/g'
  phase,exchanges,bytes,given_s,best_s,given_over_best
  0,2,65536,3.581e-05,2.772e-05,1.292
  1,1,1,1.800e-06,1.800e-06,1
  all,3,,7.343e-05,5.724e-05,1.282
  $ topowise bench halo-orders --topology preset:cs-storm-t2 --halo 2x2 --save saved --json | python3 -c "
  > import json, sys
  > found = json.load(sys.stdin)
  > print(found['schema'], found['kind'], [row['orders'] for row in found['rows'][:3]])"
  > ls saved && cat saved/halo-orders.sh | tail -1 && grep -o 'predicted time, one' saved/halo-orders.svg
  topowise bench: wrote saved/halo-orders.svg
  topowise bench: wrote saved/halo-orders.csv
  topowise bench: wrote saved/halo-orders.json
  topowise bench: wrote saved/halo-orders.sh
  topowise.bench-halo-orders/1 predicted [16, 16, 16]
  halo-orders.csv
  halo-orders.json
  halo-orders.sh
  halo-orders.svg
  topowise bench halo-orders --topology preset:cs-storm-t2 --halo 2x2 --json --save saved
  predicted time, one
  $ topowise bench halo-orders --topology preset:cs-storm-t2 --halo 3x3
  topowise bench: error: the grid has 9 ranks, 'cs-storm-t2' has 8 places
  [3]
  $ topowise bench halo-orders --sizes 1KiB,300MiB
  topowise bench: error: --sizes: the orders are those of one size
  hint: --sizes 300MiB
  [2]
  $ topowise bench halo-orders --topology preset:cs-storm-t2 --halo 2y3
  > topowise bench halo-sequence --topology preset:cs-storm-t2 --sequence 3x
  > topowise bench halo-sequence --topology preset:cs-storm-t2 --directions N,S
  > topowise bench halo-sequence --topology preset:cs-storm-t2 --halo 2x2x2
  > topowise bench halo-orders --topology preset:cs-storm-t2 --sets 4
  topowise bench: error: --halo: '2y3' is no grid
  hint: --halo 2x4,2x2x2
  topowise bench: error: --sequence: '3x' is no number of exchanges and whole bytes
  hint: --sequence 30x254KB,60x40KB,90x254KB,70x40KB,62x254KB
  topowise bench: error: --directions: 'N,S' does not name each direction once
  hint: --directions N,S,W,E
  topowise bench: error: --directions: in which order does the program serve its neighbours?
  hint: --directions 0-,0+,1-,1+,2-,2+
  topowise bench: error: unknown option '--sets'
  hint: topowise bench halo-orders --help
  [2]

bench refuses grids without neighbours, and parts of a byte.

  $ topowise bench halo-orders --halo 1
  > topowise bench halo-orders --halo 2x4,1x1 --csv
  > topowise bench halo-sequence --halo 1x1
  > topowise bench halo-sequence --sequence 3x0.5B
  topowise bench: error: --halo: in '1' nobody has a neighbour
  hint: --halo 2x4,2x2x2
  topowise bench: error: --halo: in '1x1' nobody has a neighbour
  hint: --halo 2x4,2x2x2
  topowise bench: error: --halo: in '1x1' nobody has a neighbour
  hint: --halo 2x4,2x2x2
  topowise bench: error: --sequence: '3x0.5B' is no number of exchanges and whole bytes
  hint: --sequence 30x254KB,60x40KB,90x254KB,70x40KB,62x254KB
  [2]
