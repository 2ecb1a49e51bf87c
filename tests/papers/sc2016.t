The quick form of each row of docs/papers/sc2016.md. A line "Row: NAME" begins a row (rows_test.py). The rows that measure run on a simulated node,
without pacing: the times mean nothing here, the test is only that they are there.

  $ libraries=$(dirname $(dirname $(command -v topowise)))/lib
  > cat > node.sh <<END
  > export TOPOWISE_CUDA_LIBRARY=$libraries/libtopowise_fake_cuda.so TOPOWISE_NVML_LIBRARY=$libraries/libtopowise_fake_nvml.so
  > export TOPOWISE_FAKE_NODE=preset:cs-storm-t2 TOPOWISE_FAKE_SESSION=papers-sc2016-$$
  > END
  > ls $libraries/libtopowise_fake_cuda.so > /dev/null

Row: Figure 1

  $ topowise topology preset:cs-storm-t1 | tail -n 3
  > topowise topology preset:cs-storm-t2 | tail -n 4
    level  class  distance  pairs  bandwidth  latency
        0  PIX           1      4  12.5 GB/s   300 ns
        1  PXB           2     24  12.5 GB/s   600 ns
    level  class  distance  pairs  bandwidth  latency
        0  PIX           1      4  12.5 GB/s   300 ns
        1  PXB           2      8  12.5 GB/s   600 ns
        2  PHB           3     16  12.5 GB/s   900 ns

Row: Section II-A

  $ . ./node.sh
  > topowise probe --calibrate --sizes 64KiB,128KiB --repetitions 2 --save node.json 2> /dev/null | grep -c '^B is .* of 12 pairs below PCIe switches'
  1

Row: Figure 2

  $ topowise predict preset:cs-storm-t2 --messages '0->3:300MiB 1->2:300MiB' --model pcie-sc16 --explain | sed -n 4,5p
  > topowise predict preset:cs-storm-t2 --messages '0->1:300MiB 2->1:300MiB' --model pcie-sc16 --explain | sed -n 4,5p
    0->3     315 MB    0 s  50.5 ms  25.3 ms   2.00x  upstream: with 1->2 at port PCIe switch 1 -> PCIe switch 0
    1->2     315 MB    0 s  50.5 ms  25.3 ms   2.00x  upstream: with 0->3 at port PCIe switch 1 -> PCIe switch 0
    0->1     315 MB    0 s  50.5 ms  25.3 ms   2.00x  downstream: with 2->1 at port PCIe switch 1 -> GPU1
    2->1     315 MB    0 s  50.5 ms  25.3 ms   2.00x  downstream: with 0->1 at port PCIe switch 1 -> GPU1

Row: Figure 3

  $ . ./node.sh
  > for set in '0->3 1->2' '0->1 2->1' '0->1 4->1' '4->1'; do
  >   topowise bench congestion --messages "$set" --sizes 1KiB-4KiB --repetitions 2 --warm-up 0 --csv 2> /dev/null | cut -d, -f1-5
  > done
  set,transfers,bytes,source,destination
  given,2,1024,0,3
  given,2,1024,1,2
  given,2,2048,0,3
  given,2,2048,1,2
  given,2,4096,0,3
  given,2,4096,1,2
  set,transfers,bytes,source,destination
  given,2,1024,0,1
  given,2,1024,2,1
  given,2,2048,0,1
  given,2,2048,2,1
  given,2,4096,0,1
  given,2,4096,2,1
  set,transfers,bytes,source,destination
  given,2,1024,0,1
  given,2,1024,4,1
  given,2,2048,0,1
  given,2,2048,4,1
  given,2,4096,0,1
  given,2,4096,4,1
  set,transfers,bytes,source,destination
  given,1,1024,4,1
  given,1,2048,4,1
  given,1,4096,4,1

Row: Section III

  $ for set in '0->3:300MiB 1->2:300MiB' '0->1:300MiB 2->1:300MiB' '0->1:300MiB 4->1:300MiB' '4->1:300MiB'; do
  >   for tau in 0.17355 0.2; do topowise predict preset:cs-storm-t2 --model pcie-sc16 --tau $tau --messages "$set" --json; done
  > done | python3 -c "
  > import json, sys
  > decoder, text, lone = json.JSONDecoder(), sys.stdin.read().strip(), 300 * 1024**2 / (11.6 * 1024**3)
  > while text:
  >     found, end = decoder.raw_decode(text)
  >     text = text[end:].strip()
  >     print([round(c['end_s'] / lone, 2) for c in found['communications']])"
  [2.0, 2.0]
  [2.0, 2.0]
  [2.0, 2.0]
  [2.0, 2.0]
  [1.48, 2.11]
  [1.43, 2.14]
  [1.21]
  [1.25]

Row: Figure 4

  $ topowise predict preset:cs-storm-t2 --messages '0->2:300MiB 1->4:200MiB 3->2:100MiB' --model pcie-sc16 --factors --timeline | grep -E '^step|who'
  step 1: 0 s to 16.8 ms
  step 2: 16.8 ms to 33.7 ms
  step 3: 33.7 ms to 42.1 ms
  who sends to whom, 42.1 ms from left to right (the digit is the last one of the destination)

Row: Figure 5

  $ published_test --test-case="SC'16 Example*" | grep 'test cases' | cut -d'|' -f1,2,3
  [doctest] test cases:  3 |  3 passed | 0 failed 

Row: Table I

  $ topowise predict preset:cs-storm-t2 --messages '0->2:300MiB 1->4:300MiB 3->2:300MiB 6->4:300MiB' --tau 0.2 --model pcie-sc16 --factors | sed -n '/^step 1/,/^$/p'
  step 1: 0 s to 36.1 ms
    message  A source  B upstream  C downstream  D head of line  D freed  factor    sent    left
    0->2        1.000       0.500         0.500           0.300    0.300   0.300  135 MB  180 MB
    1->4        1.000       0.500         0.300           0.300    0.300   0.300  135 MB  180 MB
    3->2        1.000       1.000         0.500           0.500    0.700   0.700  315 MB     0 B
    6->4        1.000       1.000         0.700           0.700    0.700   0.700  315 MB     0 B
  

Row: Table II

  $ topowise predict preset:cs-storm-t2 --messages '0->2:300MiB 1->4:300MiB 3->2:300MiB 6->4:300MiB' --tau 0.2 --model pcie-sc16 --factors --json | python3 -c "
  > import json, sys
  > found = json.load(sys.stdin)
  > print([round(1e3 * c['end_s'], 3) for c in found['communications']])
  > for step in found['steps']:
  >     print([round(f['factor'], 3) for f in step['factors']],
  >           [round((step['end_s'] - step['start_s']) * f['factor'] * found['unit_bytes_per_s'] / 1024**2, 2) for f in step['factors']])"
  [64.944, 64.944, 36.08, 36.08]
  [0.3, 0.3, 0.7, 0.7] [128.57, 128.57, 300.0, 300.0]
  [0.5, 0.5] [171.43, 171.43]

Row: Section V-E

  $ topowise schedule pattern:halo3d:2x2x2:bytes=300MiB preset:cs-storm-t2 --model pcie-sc16 --enumerate | sed -n '1s/,[^,]*$//p'
  best 124 ms (proven), as given 198 ms (1.60x), 1679616 orders

Row: Section VII

  $ topowise predict preset:cs-storm-t2 --messages '0->1:300MiB' --model pcie-sc16 --json | python3 -c "
  > import json, sys
  > print(round(1e3 * json.load(sys.stdin)['makespan_s'], 4))"
  > . ./node.sh
  > topowise bench congestion --sets 0 --sizes 128KiB --repetitions 2 --json 2> /dev/null | python3 -c "
  > import json, sys
  > found = json.load(sys.stdin)
  > print(found['congestion']['link_bandwidth_bytes_per_s'] > 0, found['sizes'][0]['alone_s'] > 0, found['sizes'][0]['errors']['count'])"
  25.2559
  True True 78

Row: Figure 6

  $ . ./node.sh
  > for machine in cs-storm-t1 cs-storm-t2; do
  >   TOPOWISE_FAKE_NODE=preset:$machine topowise bench congestion --sets 20 --small-sets --transfers 3 --sizes 4KiB --repetitions 1 --warm-up 0 --save figure6 --json 2> /dev/null | python3 -c "
  > import collections, json, sys
  > [size] = json.load(sys.stdin)['sizes']
  > print(sorted(collections.Counter(s['name'].split()[0] for s in size['sets']).items()))
  > print(size['errors']['count'] == sum(b['transfers'] for b in size['histogram']) == sum(len(s['transfers']) for s in size['sets']))"
  > done
  > ls figure6
  [('all-to-all', 1), ('gather', 1), ('near', 59), ('random', 20), ('ring', 1), ('scatter', 1), ('spread', 21)]
  True
  [('all-to-all', 1), ('gather', 1), ('near', 59), ('random', 20), ('ring', 1), ('scatter', 1), ('spread', 57)]
  True
  congestion.csv
  congestion.json
  congestion.sh
  congestion.svg

Row: Figure 7

  $ topowise traffic pattern:halo2d:2x4 | head -n 1
  > topowise traffic pattern:halo3d:2x2x2 | head -n 1
  pattern:halo2d:2x4: 8 ranks, 20 pairs, 21 MB in 20 messages; a rank sends to 3 others at most
  pattern:halo3d:2x2x2: 8 ranks, 24 pairs, 25.2 MB in 24 messages; a rank sends to 3 others at most

Row: Figure 8

  $ topowise schedule pattern:halo2d:2x4:bytes=300MiB preset:cs-storm-t2 --model pcie-sc16 --save best.json | sed -n '1s/,[^,]*$//p; /step /,$p'
  topowise schedule: wrote best.json
  best 128 ms (proven), as given 198 ms (1.55x), 20736 orders
    step  rings, and messages in no ring
       1  (0 4 5 6 7 3 2 1)
       2  (0 1 5 4) (2 3 7 6)
       3  (1 2 6 5)

Row: Figure 9

  $ topowise bench halo-orders --halo 2x4 --model pcie-sc16 --save figure9 | sed -n '/fastest /,/slowest/p'
  > ls figure9
  topowise bench: wrote figure9/halo-orders.svg
  topowise bench: wrote figure9/halo-orders.csv
  topowise bench: wrote figure9/halo-orders.json
  topowise bench: wrote figure9/halo-orders.sh
    grid  order        orders    time  alone is 1  fastest is 1
    2x4   fastest       20736  128 ms        5.05             1
    2x4   median        20736  190 ms       7.511         1.487
    2x4   slowest       20736  246 ms       9.732         1.927
  halo-orders.csv
  halo-orders.json
  halo-orders.sh
  halo-orders.svg

Row: Section VIII-A

  $ topowise bench halo-orders --halo 2x4 --model pcie-sc16 --csv | python3 -c "
  > import csv, sys
  > for row in csv.DictReader(sys.stdin): print(row['order'], row['orders'], round(float(row['fastest_is_1']), 3))"
  > . ./node.sh
  > topowise bench congestion --messages best.json --sizes 4KiB --repetitions 2 --warm-up 0 --csv 2> /dev/null | wc -l
  fastest 20736 1.0
  median 20736 1.487
  slowest 20736 1.927
  all W,E,N,S 4 1.297
  all W,N,E,S 4 1.416
  all N,S,W,E 4 1.552
  all W,N,S,E 4 1.574
  all N,W,S,E 4 1.724
  all N,W,E,S 4 1.765
  21

Row: Figure 10

  $ topowise bench halo-sequence 2> /dev/null | tail -n 7
    phase  exchanges     bytes    given     best  given over best
    0             30  254000 B   161 us   104 us             1.55
    1             60   40000 B  26.7 us  17.4 us            1.536
    2             90  254000 B   161 us   104 us             1.55
    3             70   40000 B  26.7 us  17.4 us            1.536
    4             62  254000 B   161 us   104 us             1.55
    all          312            32.8 ms  21.2 ms            1.548

Row: Figure 11

  $ topowise schedule pattern:halo3d:2x2x2:bytes=300MiB preset:cs-storm-t2 --model pcie-sc16 --save best3d.json | sed -n '1s/,[^,]*$//p; /step /,$p'
  topowise schedule: wrote best3d.json
  best 124 ms (proven), as given 198 ms (1.60x), 1679616 orders
    step  rings, and messages in no ring
       1  (0 1 5 4 6 7 3 2)
       2  (0 2 6 4) (1 3 7 5)
       3  (0 4 5 7 6 2 3 1)

Row: Section VIII-B

  $ topowise bench halo-orders --halo 2x2x2 --model pcie-sc16 --csv | python3 -c "
  > import csv, sys
  > time = {row['order']: float(row['time_s']) for row in csv.DictReader(sys.stdin)}
  > print(round(time['slowest'] / time['fastest'], 3), round(time['slowest'] / time['median'], 3))"
  > . ./node.sh
  > topowise bench congestion --messages best3d.json --sizes 4KiB --repetitions 2 --warm-up 0 --csv 2> /dev/null | wc -l
  2.581 1.43
  25
