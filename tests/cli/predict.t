The full example of the SC'16 paper: 36 and 65 ms, and which message slows which.

  $ topowise predict preset:cs-storm-t2 --messages '0->2:300MiB 1->4:300MiB 3->2:300MiB 6->4:300MiB' --tau 0.2 --model pcie-sc16 --explain
  4 messages end after 64.9 ms (predicted, model pcie-sc16, 3 events)
  
    message   bytes  begin      end    alone  slower  most time lost to
    0->2     315 MB    0 s  64.9 ms  25.3 ms   2.57x  head of line: behind 1->4 at port PCIe switch 3 -> PCIe switch 4
    1->4     315 MB    0 s  64.9 ms  31.6 ms   2.06x  root complex: with 6->4 at port PCIe switch 3 -> PCIe switch 4
    3->2     315 MB    0 s  36.1 ms  25.3 ms   1.43x  downstream: with 0->2 at port PCIe switch 2 -> GPU2
    6->4     315 MB    0 s  36.1 ms  25.3 ms   1.43x  root complex: with 1->4 at port PCIe switch 3 -> PCIe switch 4
  
  PCIe congestion model on links of kind pcie

The trace is JSON with a track for each rank, and a track and a counter for each link; the JSON has the time steps.

  $ topowise predict preset:cs-storm-t2 --messages '0->2:300MiB 1->4:300MiB' --model pcie-sc16 --trace trace.json --json > p.json
  topowise predict: wrote trace.json; ui.perfetto.dev shows it
  $ python3 -c "
  > import json
  > t = json.load(open('trace.json'))['traceEvents']
  > print(sorted({e['ph'] for e in t}), sum(e['ph'] == 'X' and e['pid'] == 1 for e in t))
  > p = json.load(open('p.json'))
  > print(round(p['makespan_s'] * 1e3, 3), [f['factor'] for f in p['steps'][0]['factors']])"
  ['C', 'M', 'X'] 2
  50.512 [0.5, 0.5]

The best order of a 3D halo is proven; all orders of a 2D halo are enumerated; a saved order gives the same predicted time.

  $ topowise schedule pattern:halo3d:2x2x2:bytes=300MiB preset:cs-storm-t2 | head -1
  best 124 ms (proven), as given 198 ms (1.60x), 1679616 orders, * (glob)
  $ topowise schedule pattern:halo2d:2x4:bytes=300MiB preset:cs-storm-t2 --enumerate --save best.json --json > all.json
  topowise schedule: wrote best.json
  $ topowise predict best.json preset:cs-storm-t2 --model pcie-sc16 --json > best.prediction
  $ python3 -c "
  > import json
  > s = json.load(open('all.json'))
  > print(s['evaluated'], s['proven_optimal'], round(s['worst_s'] / s['best']['makespan_s'], 3))
  > print(abs(json.load(open('best.prediction'))['makespan_s'] / s['best']['makespan_s'] - 1) < 1e-9)"
  20736 True 1.927
  True

The steps of the model, as in Tables I and II of the paper (128.57 and 171.43 MiB are 135 and 180 MB).

  $ topowise predict preset:cs-storm-t2 --messages '0->2:300MiB 1->4:300MiB 3->2:300MiB 6->4:300MiB' --tau 0.2 --model pcie-sc16 --factors | tail -n +9
  step 1: 0 s to 36.1 ms
    message  A source  B upstream  C downstream  D head of line  D freed  factor    sent    left
    0->2        1.000       0.500         0.500           0.300    0.300   0.300  135 MB  180 MB
    1->4        1.000       0.500         0.300           0.300    0.300   0.300  135 MB  180 MB
    3->2        1.000       1.000         0.500           0.500    0.700   0.700  315 MB     0 B
    6->4        1.000       1.000         0.700           0.700    0.700   0.700  315 MB     0 B
  
  step 2: 36.1 ms to 64.9 ms
    message  A source  B upstream  C downstream  D head of line  D freed  factor    sent  left
    0->2        1.000       0.500         0.500           0.500    0.500   0.500  180 MB   0 B
    1->4        1.000       0.500         0.500           0.500    0.500   0.500  180 MB   0 B
  
  PCIe congestion model on links of kind pcie

A mapping minimises the predicted time. Here the optimum is proven, and it is not an optimum in hop-bytes.

  $ topowise map pattern:halo3d:2x2x2:bytes=16MiB preset:cs-storm-t2 --time-limit 900s --save time.json | tail -3
  topowise map: wrote time.json
  predicted time 11.9 ms: 23.7% less than the 15.6 ms of the identity
  lower bound 11.9 ms: proven optimal in predicted time by the congestion model; mapper auto, * (glob)
  hop-bytes 940 MB (distance x bytes): 16.7% more than the 805 MB of the identity; lower bound 805 MB
  $ topowise map pattern:halo3d:2x2x2:bytes=16MiB preset:cs-storm-t2 --objective hop-bytes --save bytes.json > /dev/null
  topowise map: wrote bytes.json
  $ for m in time bytes; do
  >   topowise evaluate pattern:halo3d:2x2x2:bytes=16MiB preset:cs-storm-t2 --mapping $m.json | head -3; done
  hop-bytes         940 MB (distance x bytes)
  max congestion    8.08 ms on the pcie link from PCIe switch 1 to PCIe switch 0
  predicted time    11.9 ms (all messages at once, one a pair)
  hop-bytes         805 MB (distance x bytes)
  max congestion    5.39 ms on the pcie link from PCIe switch 0 to root complex 0
  predicted time    15.6 ms (all messages at once, one a pair)

Ranks that share a place send each other nothing over wires.

  $ topowise map pattern:ring:8:bytes=1MB preset:summit-ac922 --ranks-per-place 2 --save shared.json > /dev/null
  topowise map: wrote shared.json
  $ topowise predict pattern:ring:8:bytes=1MB preset:summit-ac922 --mapping shared.json | head -6
  8 messages end after 33.1 us (predicted, model pcie-sc16+max-min, 5 events)
  
    message  bytes  begin      end    alone  slower
    0->1      1 MB    0 s      0 s      0 s
    1->2      1 MB    0 s  20.7 us  20.7 us   1.00x
    2->3      1 MB    0 s      0 s      0 s

On a terminal, an enumeration shows its progress. An interrupt ends it with the best order so far; whether the remaining orders are better stays open.
Several interrupts at the same moment count as one, because timeout(1) and launchers send it both to the program and to its group.

  $ python3 -c "
  > import json, os, signal, subprocess
  > master, slave = os.openpty()
  > enumerate = 'topowise schedule pattern:halo2d:3x4 preset:helios-k80 --enumerate --json'
  > with subprocess.Popen(enumerate.split(), stdout=subprocess.PIPE, stderr=slave) as program:
  >   print(os.read(master, 4096).decode().splitlines()[0])
  >   for repeat in range(3):
  >     program.send_signal(signal.SIGINT)
  >   s = json.loads(program.communicate()[0])
  > os.close(slave)
  > rest = b''
  > while not rest.rstrip().endswith(b'best so far'): rest += os.read(master, 4096)
  > print(rest.decode().splitlines()[-1])
  > best = s['best']['makespan_s']
  > print(program.returncode, 0 < s['evaluated'] < s['orders'], s['proven_optimal'])
  > print(0 < s['lower_bound_s'] < best <= s['median_s'] <= s['worst_s'])
  > print(sum(map(len, s['best']['orders'])), s['best']['makespan_with_latency_s'] > best)"
  topowise schedule: * of 429981696 orders, best * us, about * s to go (glob)
  *topowise schedule: warning: interrupted: this is the best so far (glob)
  130 True False
  True
  34 True

The phases of a recorded run: here one exchange three times, 20 ms apart, then a broadcast, then a part that a trace does not show.

  $ mkdir profile; cat > profile.py <<'END'
  > import struct
  > def row(ms, peer, size, operation=255, group=0):
  >     return struct.pack('<QQQiHBB', ms * 1000000, size, group, peer, operation, 0, 0)
  > def segment(kind, size, body):
  >     length = (64 + len(body) + 4095) // 4096 * 4096
  >     return (struct.pack('<IIQQ', kind, size, length, len(body) // size).ljust(64, b'\0') + body).ljust(length, b'\0')
  > for rank in range(4):
  >     head = b'TWPROF\r\n' + struct.pack('<IIQQiiIIQQQQII', 1, 0x01020304, 4096, 7, rank, 4, 1, 0, 10**9, 0, 0, 0, 1, 0)
  >     rows = [row(20 * i, (rank + 1) % 4, 30000000) for i in range(3)] + [row(60, 0, 8000000, 1, 5)]
  >     if rank == 3: rows.append(row(61, -1, 80, 9, 5))
  >     members = struct.pack('<QIIQQiiQ', 5, 1, 0, 4, 0, 0, 1, 4)
  >     open(f'profile/0000000000000007.{rank}.twprof', 'wb').write(
  >         head.ljust(4096, b'\0') + segment(4, 1, members) + segment(5, 32, b''.join(rows)))
  > END
  $ python3 profile.py; topowise predict profile preset:cs-storm-t2 --phases
  topowise predict: warning: profile: 1 collective calls (alltoallv; 80 B of their callers) are left out: a trace does not say whom they send how much
  hint: without --phases they count as recorded
  4 phases of 2 kinds: 7.87 ms (predicted, model pcie-sc16)
  
    phase  first at  times  messages   bytes      one      all  share
        1       0 s      3         4  120 MB  2.41 ms  7.23 ms  91.8%
        2     60 ms      1         3   24 MB   643 us   643 us   8.2%
  
  PCIe congestion model on links of kind pcie
  $ topowise predict profile preset:cs-storm-t2 --phases --collectives none --mapping random --seed 3
  3 phases of 1 kind: 8.75 ms (predicted, model pcie-sc16)
  identity: 7.23 ms
  
    phase  first at  times  messages   bytes      one      all   share  one, identity
        1       0 s      3         4  120 MB  2.92 ms  8.75 ms  100.0%        2.41 ms
  
  PCIe congestion model on links of kind pcie
  $ topowise predict profile preset:cs-storm-t2 --phases --collectives none --json | python3 -c "
  > import json, sys
  > p = json.load(sys.stdin)
  > print(p['phases'][0] | {'makespan_s': 0}, abs(p['total_s'] / p['phases'][0]['makespan_s'] - 3) < 1e-9)"
  {'first_s': 0, 'occurrences': 3, 'messages': 4, 'bytes': 120000000, 'makespan_s': 0} True

A halo exchange of two sizes, whose ranks serve their neighbours in the order N, S, E, W, as in SC'16, section VIII-A:
what the best order of each phase is worth.

  $ mkdir halo; sed -e 's/range(4)/range(8)/' -e 's/rank, 4, 1/rank, 8, 1/' -e "s,profile/,halo/," -e '/^    rows = /,/^    members/d' profile.py > halo.py
  > sed -i "s/^    open/    y, x = divmod(rank, 4)\\n    near = [n for n, there in ((rank - 4, y > 0), (rank + 4, y < 1), (rank + 1, x < 3), (rank - 1, x > 0)) if there]\\n    rows = [row(20 * i, n, size) for i, size in enumerate([254000, 40000, 254000]) for n in near]\\n    open/; s/segment(4, 1, members) + //" halo.py
  > python3 halo.py; topowise predict halo preset:cs-storm-t2 --phases --best-order
  > topowise predict halo preset:cs-storm-t2 --phases --best-order --model pcie-sc16 --json | python3 -c "
  > import json, sys
  > p = json.load(sys.stdin)
  > print([round(one['makespan_s'] / one['best_order_makespan_s'], 3) for one in p['phases']], round(p['total_s'] / p['best_order_total_s'], 3))"
  > topowise predict pattern:ring:8 preset:cs-storm-t2 --best-order
  3 phases of 2 kinds: 349 us (predicted, model pcie-sc16)
  in the best order of messages: 226 us (1.55x)
  
    phase  first at  times  messages    bytes      one      all  share  one, best order
        1       0 s      2        20  5.08 MB   161 us   323 us  92.4%           104 us
        2     20 ms      1        20   800 KB  26.7 us  26.7 us   7.6%          17.4 us
  
  PCIe congestion model on links of kind pcie
  [1.552, 1.552] 1.552
  topowise predict: error: --best-order: it is about phases, with --phases
  hint: topowise schedule finds the best order of one exchange
  [2]

Several ranks may share a place if a mapping says so; a mapping made here keeps to the capacity of the places.

  $ topowise map pattern:ring:8:bytes=1MB preset:summit-ac922 --ranks-per-place 2 --save shared.json > /dev/null 2>&1
  > topowise predict pattern:ring:8:bytes=1MB preset:summit-ac922 --mapping shared.json | head -5
  > topowise schedule pattern:ring:8:bytes=1MB preset:summit-ac922 --mapping shared.json | head -1 | sed 's/, found in [^,]*$//'
  > topowise predict pattern:ring:8:bytes=1MB preset:summit-ac922
  8 messages end after 33.1 us (predicted, model pcie-sc16+max-min, 5 events)
  
    message  bytes  begin      end    alone  slower
    0->1      1 MB    0 s      0 s      0 s
    1->2      1 MB    0 s  20.7 us  20.7 us   1.00x
  best 31.3 us (proven), as given 31.3 us (1.00x), 1 order
  topowise predict: error: the messages name rank 7, but 'summit-ac922' has room for ranks 0 to 5
  [3]
  $ topowise map pattern:ring:4 tree:2 --ranks-per-place 2 --save shared.json > /dev/null 2>&1
  > topowise predict profile tree:2 --phases --collectives none --mapping shared.json --link-bandwidth 1GB/s | head -1
  3 phases of 1 kind: 90 ms (predicted, model max-min)
  $ topowise predict pattern:ring:4 preset:cs-storm-t2 --phases
  topowise predict: error: 'pattern:ring:4' is no recorded profile, so nothing is known of phases
  hint: record one: mpirun -n 16 topowise run --profile DIR --trace -- ./app
  [3]
  $ topowise predict profile preset:cs-storm-t2 --phases --explain
  topowise predict: error: --phases: '--explain' is about one exchange, not about phases
  hint: leave one of the two out
  [2]
  $ topowise predict profile preset:cs-storm-t2 --gap 5ms
  topowise predict: error: --gap: only phases have a silence between them
  hint: --phases
  [2]

What is impossible ends in a clear error.

  $ topowise schedule pattern:alltoall:40000 preset:cs-storm-t2 --enumerate
  topowise schedule: error: TRAFFIC:1:18: '40000' is 1.6e+09 messages, at most 16777216 are possible
      1 | pattern:alltoall:40000
        |                  ^
  [3]
  $ topowise predict pattern:scatter:4:byts=3 preset:l40s-8
  topowise predict: error: EXCHANGE:1:19: unknown key of pattern 'scatter': 'byts', did you mean 'bytes'?
      1 | pattern:scatter:4:byts=3
        |                   ^
  hint: it takes bytes
  [3]
  $ topowise schedule pattern:scatter:0 preset:l40s-8
  topowise schedule: error: EXCHANGE:1:17: '0' is not a number of ranks from 2 to 9999999
      1 | pattern:scatter:0
        |                 ^
  hint: write pattern:scatter:N
  [3]
  $ topowise schedule preset:cs-storm-t2 --messages '0->2:3MB 0->4:3MB@1ms'
  topowise schedule: error: communication 1 starts at 1 ms, others do not: their order is given by their start
  hint: topowise predict plays messages in the order of their start
  [3]
  $ topowise predict preset:cs-storm-t2 --messages '0->2:3xx'
  topowise predict: error: --messages: '0->2:3xx' is no message: '3xx' is no size of a message
  hint: --messages '0->2:300MB 1->4:300MB@0.5ms'
  [2]
  $ topowise schedule pattern:alltoall:8 preset:cs-storm-t2 --enumerate
  topowise schedule: error: 4.16e+29 orders are too many to try them all
  hint: without --enumerate the search looks for the best order only
  [3]
  $ topowise predict preset:cs-storm-t2 --messages '0->99:3MB'
  topowise predict: error: the messages name rank 99, but 'cs-storm-t2' has room for ranks 0 to 7
  [2]
  $ topowise predict preset:cs-storm-t2 --messages '0->1:-3MB'
  topowise predict: error: --messages: '0->1:-3MB' is no message: '-3MB' is no size of a message
  hint: --messages '0->2:300MB 1->4:300MB@0.5ms'
  [2]
  $ topowise predict preset:cs-storm-t2 --messages '0->1:3MB@nan'
  topowise predict: error: --messages: '0->1:3MB@nan' is no message: 'nan' is no time
  hint: --messages '0->2:300MB 1->4:300MB@0.5ms'
  [2]
  $ echo '{"schema": "topowise.exchange/1", "communications": [{"source": 0, "destination": 2, "bytes": -5}]}' > negative.json
  $ topowise predict negative.json preset:cs-storm-t2 2>&1 | head -1
  topowise predict: error: negative.json:1:* communications[0].bytes: '-5' is below 0 (glob)
  $ echo '{"vertices": [{"kind": "gpu", "name": "a", "parent": "b"}, {"kind": "pcie-switch", "name": "b", "parent": "a"}],
  > "places": [{"kind": "gpu", "vertex": "a"}]}' > cycle.json
  $ topowise predict cycle.json --messages '0->1:3MB' 2>&1 | head -1
  topowise predict: error: cycle.json:1:1: 'a' is its own ancestor
  $ topowise predict preset:helios-k80 --messages '0->9:3MB' --model pcie-sc16
  topowise predict: error: the host link from 'root complex 0' to 'socket 0' is not part of a PCIe tree
  hint: --model auto
  [3]
  $ topowise predict preset:cs-storm-t2 --messages '0->2:3MB' --tau 0.9
  topowise predict: error: --tau: '0.9' is no number in [0, 0.5)
  hint: --tau 0.17355
  [2]

predict tells which model each kind of link follows.

  $ topowise predict preset:hgx-h100 --messages '0->1:1MB' --json | grep -A 3 model
    "model": "pcie-sc16+max-min",
    "asked_model": "auto",
    "link_models": [
      {"model": "pcie-sc16", "kinds": ["pcie"]},
      {"model": "max-min", "kinds": ["inter-socket", "host", "nvlink"]}
    ],
    "makespan_s": 3.022222222222222e-06,
    "unit_bytes_per_s": 63015000000,
  $ topowise predict preset:hgx-h100 --messages '0->1:1MB' --json --model pcie-filled | grep -A 3 model
    "model": "pcie-filled+max-min",
    "asked_model": "pcie-filled",
    "link_models": [
      {"model": "pcie-filled", "kinds": ["pcie"]},
      {"model": "max-min", "kinds": ["inter-socket", "host", "nvlink"]}
    ],
    "makespan_s": 3.022222222222222e-06,
    "unit_bytes_per_s": 63015000000,

  $ topowise predict preset:cs-storm-t2 --messages '0->1:1MB' --json | grep '"model"' | head -1
    "model": "pcie-sc16",
  $ topowise predict tree:2:2 --messages '0->1:1MB' --link-bandwidth 1GB/s --json | grep '"model"' | head -1
    "model": "max-min",

An exchange without messages takes no time, and no number is divided by this zero.

  $ echo '{"schema": "topowise.exchange/1", "communications": []}' > empty.json
  $ topowise predict empty.json preset:cs-storm-t2 | head -1
  0 messages end after 0 s (predicted, model pcie-sc16, 0 events)
  $ topowise predict preset:cs-storm-t2 --messages '0->2:3MB' | head -1 | cut -d' ' -f1-4
  1 message ends after
  $ topowise schedule empty.json preset:cs-storm-t2 | sed 's/, found in [^,]*$//'
  best 0 s (proven), as given 0 s, 1 order
  $ topowise schedule empty.json preset:cs-storm-t2 --enumerate | sed 's/, found in [^,]*$//'
  best 0 s (proven), as given 0 s, 1 order
  worst 0 s, median 0 s

Large all-to-alls: in rotation, the GPUs of a node would meet at their adapters; in matchings, none meet. The number of orders is greater than a
floating-point number can hold.

  $ topowise schedule pattern:alltoall:512 cluster:tree:8:8,preset:hgx-h100 2> /dev/null | head -1 | sed 's/, found in [^,]*$//'
  best 10.6 ms (proven), as given 10.6 ms (1.00x), more than 1e308 orders

The link of another vendor has a class, but no rate that is known: all that print a time say which one they take. Links that no message takes are not
named, nor any where the user states the rate.

  $ printf '\tGPU0\tGPU1\nGPU0\t X \tMT2\nGPU1\tMT2\t X \n' > vendor.txt
  $ topowise predict vendor.txt --messages '0->1:1MB' | tail -1
  topowise predict: warning: vendor.txt:2:10: 'MT2' (MTLink of Moore Threads) counts as LINK2, nearer than all of PCIe; neither its rate nor its latency is known
  rests on: 'MT2' is nearer than PCIe; the vendor's own links of 25 GB/s each where no source states it
  $ for verb in predict schedule evaluate map; do topowise $verb pattern:ring:2 vendor.txt 2> /dev/null | grep 'rests on'; done
  > topowise map pattern:ring:2 vendor.txt --objective predicted-time 2> /dev/null | grep 'rests on'
  > for verb in predict schedule evaluate; do topowise $verb pattern:ring:2 vendor.txt --json 2> /dev/null | grep -A3 assumptions; done
  > topowise predict vendor.txt --messages '0->1:1MB' --link-bandwidth 9GB/s 2> /dev/null | grep 'rests on'
  > topowise predict preset:dgx1-v100 --messages '0->1:1MB' | grep -c 'rests on' || true
  rests on: 'MT2' is nearer than PCIe; the vendor's own links of 25 GB/s each where no source states it
  rests on: 'MT2' is nearer than PCIe; the vendor's own links of 25 GB/s each where no source states it
  rests on: 'MT2' is nearer than PCIe; the vendor's own links of 25 GB/s each where no source states it
  rests on: 'MT2' is nearer than PCIe
  rests on: 'MT2' is nearer than PCIe; the vendor's own links of 25 GB/s each where no source states it
    "assumptions": [
      "'MT2' is nearer than PCIe",
      "the vendor's own links of 25 GB/s each where no source states it"
    ],
    "assumptions": [
      "'MT2' is nearer than PCIe",
      "the vendor's own links of 25 GB/s each where no source states it"
    ]
    "assumptions": [
      "'MT2' is nearer than PCIe",
      "the vendor's own links of 25 GB/s each where no source states it"
    ]
  rests on: 'MT2' is nearer than PCIe
  0
  $ topowise map pattern:ring:2 vendor.txt --metric bandwidth > /dev/null
  topowise map: warning: vendor.txt:2:10: 'MT2' (MTLink of Moore Threads) counts as LINK2, nearer than all of PCIe; neither its rate nor its latency is known
  topowise map: error: the bandwidth between GPU0 and GPU1 of 'vendor.txt' is not known
  hint: --metric distance needs no measured or nominal rates
  [3]

A pattern is sent in the order of programs, which is named; --order has others. A traffic has no order.

  $ for order in given destination rotation pairs; do
  >   topowise predict pattern:alltoall:16 cluster:tree:2,preset:hgx-h100 --order $order 2> /dev/null | sed -n '1s/ (.*//p; $p'
  > done
  > topowise traffic pattern:ring:4 --save ring.csv > /dev/null
  > topowise predict ring.csv preset:dgx1-v100 | tail -n 1
  > topowise predict pattern:halo2d:2x4 preset:cs-storm-t2 --json | grep message_order
  > topowise predict pattern:ring:4 preset:cs-storm-t2 --phases --order pairs
  240 messages end after 168 us
  each rank sends in this order: rank XOR 1, rank XOR 2, ...; without a power of two of ranks rank + 1, rank + 2, ...
  240 messages end after 1.34 ms
  each rank sends in this order: by destination
  240 messages end after 1.34 ms
  each rank sends in this order: rank + 1, rank + 2, ...
  240 messages end after 168 us
  each rank sends in this order: rank XOR 1, rank XOR 2, ...
  topowise traffic: wrote ring.csv
  each rank sends in this order: by destination
    "message_order": "dimension by dimension, downwards before upwards"
  topowise predict: error: --phases: '--order' is about one exchange, not about phases
  hint: leave one of the two out
  [2]

Headers are shown beside the payload.

  $ topowise evaluate pattern:torus2d:8x4:w=10:heavy=0:bytes=8B preset:eurompi2011-a --wire ethernet-tcp | sed -n '/^between/p'
  > topowise evaluate pattern:ring:4:bytes=1B preset:dgx1-v100 --wire ethernet-tcp | sed -n '/^between/p'
  > topowise evaluate pattern:torus2d:8x4:w=10:heavy=0:bytes=8B preset:eurompi2011-a --wire infiniband --json | grep '"payload\|"wire_b'
  between nodes: 2.56 KB of payload, 4.67 KB with the headers of ethernet-tcp; in the default order 2.56 KB and 4.67 KB
  between nodes: nothing, so that there are no headers of ethernet-tcp
    "payload_bytes": 2560,
    "wire_bytes": 3520

A start-up of each message: small messages hardly meet, large ones get a half each.

  $ for size in 1KiB 300MiB; do topowise predict preset:cs-storm-t2 --model pcie-sc16 --messages "0->3:$size 1->2:$size" --startup 20us --json | grep -E 'startup_s|makespan_s'; done
    "startup_s": *e-05, (glob)
    "makespan_s": 2.0164426606276938e-05,
    "startup_s": *e-05, (glob)
    "makespan_s": 0.05053185344827586,
  $ topowise predict preset:cs-storm-t2 --messages '0->3:1KiB' --startup 20us | tail -1
  PCIe congestion model on links of kind pcie; start-up of each message 20 us
  $ topowise predict preset:cs-storm-t2 --messages '0->3:1KiB' --startup soon
  topowise predict: error: --startup: 'soon' is not a time
  hint: --startup 10s, --startup 500ms or --startup 1min
  [2]
