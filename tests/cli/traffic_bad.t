The error of a pattern points at the mistake.

  $ topowise traffic patern:ring:4
  topowise traffic: error: cannot read 'patern:ring:4': No such file or directory
  hint: did you mean 'pattern:ring:4'?
  [3]
  $ topowise traffic pattern:rng:4
  topowise traffic: error: TRAFFIC:1:9: unknown pattern 'rng', did you mean 'ring'?
      1 | pattern:rng:4
        |         ^
  hint: topowise help patterns
  [3]
  $ topowise traffic pattern:stencil2d:4x
  topowise traffic: error: TRAFFIC:1:19: '' is not an extent
      1 | pattern:stencil2d:4x
        |                   ^
  hint: write pattern:stencil2d:RxC
  [3]
  $ topowise traffic pattern:ring:4:sed=3
  topowise traffic: error: TRAFFIC:1:16: unknown key of pattern 'ring': 'sed'
      1 | pattern:ring:4:sed=3
        |                ^
  hint: it takes bytes
  [3]

  $ topowise map pattern:scatter:8 tree:8
  topowise map: error: TRAFFIC:1:9: pattern 'scatter' is an exchange, which only predict and schedule take
      1 | pattern:scatter:8
        |         ^
  hint: topowise predict pattern:scatter:8 TOPOLOGY
  [3]

Three pairs can be a matrix, too, whatever is between the numbers.

  $ printf '0 1 100\n1 2 200\n2 5 300\n' > blanks; tr ' ' '\t' < blanks > tabs; tr ' ' , < blanks > commas
  $ topowise traffic blanks
  topowise traffic: error: blanks:1: 3 rows of 3 numbers can be a matrix or a list of pairs
      1 | 0 1 100
  hint: the heading 'source destination bytes' makes it a list, --format matrix a matrix
  [3]
  $ for file in tabs commas; do topowise traffic $file 2>&1 | head -1; done
  topowise traffic: error: tabs:1: 3 rows of 3 numbers can be a matrix or a list of pairs
  topowise traffic: error: commas:1: 3 rows of 3 numbers can be a matrix or a list of pairs
  $ topowise traffic blanks --format matrix | head -1 | cut -d, -f1
  blanks: 3 ranks

A line that is none of the format's is an error, not traffic that is missing.

  $ printf 'num_ranks 2\nrank 0 {\nl1: send 8b to 1\nl2: snd 1000000b to 1\n}\n' | topowise traffic -
  topowise traffic: error: stdin:4:5: 'snd' is no operation of GOAL
      4 | l2: snd 1000000b to 1
        |     ^
  hint: send 10b to 1, recv 10b from 0, calc 100, l2 requires l1
  [3]
  $ printf '#Paraver (28/11/2026 at 02:00):1000_ns:1(2):1:2(1:1,1:1),0\n9:gibberish\n' | topowise traffic -
  topowise traffic: error: stdin:2:1: this line is no record of a Paraver trace
      2 | 9:gibberish
        | ^
  hint: records begin with 1: (state), 2: (event), 3: (message), 4:, c: or i:, comments with #
  [3]

A log of NCCL without its calls describes a machine at most.

  $ echo 'n1:7:9 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>' | topowise map - tree:2
  topowise map: error: stdin: this log of NCCL has no calls, where traffic is asked for
  hint: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,COLL
  [3]

A damaged matrix: at most ten errors, then their number.

  $ for row in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$row,x,0,0,0,0,0,0,0,0,0,0"; done > damaged.csv
  $ topowise traffic damaged.csv
  topowise traffic: error: damaged.csv:1:3: 'x' is not a number
      1 | 1,x,0,0,0,0,0,0,0,0,0,0
        |   ^
  topowise traffic: error: damaged.csv:2:3: 'x' is not a number
      2 | 2,x,0,0,0,0,0,0,0,0,0,0
        |   ^
  topowise traffic: error: damaged.csv:3:3: 'x' is not a number
      3 | 3,x,0,0,0,0,0,0,0,0,0,0
        |   ^
  topowise traffic: error: damaged.csv:4:3: 'x' is not a number
      4 | 4,x,0,0,0,0,0,0,0,0,0,0
        |   ^
  topowise traffic: error: damaged.csv:5:3: 'x' is not a number
      5 | 5,x,0,0,0,0,0,0,0,0,0,0
        |   ^
  topowise traffic: error: damaged.csv:6:3: 'x' is not a number
      6 | 6,x,0,0,0,0,0,0,0,0,0,0
        |   ^
  topowise traffic: error: damaged.csv:7:3: 'x' is not a number
      7 | 7,x,0,0,0,0,0,0,0,0,0,0
        |   ^
  topowise traffic: error: damaged.csv:8:3: 'x' is not a number
      8 | 8,x,0,0,0,0,0,0,0,0,0,0
        |   ^
  topowise traffic: error: damaged.csv:9:3: 'x' is not a number
      9 | 9,x,0,0,0,0,0,0,0,0,0,0
        |   ^
  topowise traffic: error: damaged.csv:10:4: 'x' is not a number
     10 | 10,x,0,0,0,0,0,0,0,0,0,0
        |    ^
  topowise traffic: 12 errors in all
  [3]
  $ printf '0 1 2\n1 0\n' > ragged.txt; topowise traffic ragged.txt
  topowise traffic: error: ragged.txt:2: row 2 has 2 numbers, the first has 3
      2 | 1 0
  topowise traffic: error: ragged.txt:3: the matrix ends after 2 of 3 rows
  [3]
  $ printf '0 -1\n1 0\n' > negative.txt; topowise traffic negative.txt
  topowise traffic: error: negative.txt:1:3: '-1' is negative
      1 | 0 -1
        |   ^
  [3]

Topowise's own JSON.

  $ printf '{"schema": "topowise.traffic/1", "ranks": 2,\n "entries": [{"source": 0, "destination": 2, "bytes": 1}, {"source": 0}]}' > wrong.json
  $ topowise traffic wrong.json
  topowise traffic: error: wrong.json:2:43: entries[0].destination: rank 2 does not exist, 'ranks' is 2
      2 |  "entries": [{"source": 0, "destination": 2, "bytes": 1}, {"source": 0}]}
        |                                           ^
  topowise traffic: error: wrong.json:2:59: entries[1]: the key 'destination' is missing
      2 | : [{"source": 0, "destination": 2, "bytes": 1}, {"source": 0}]}
        |                                                 ^
  [3]
  $ echo '{"schema": "topowise.traffic/1", "ranks": 99999999999999999999, "entries": []}' > huge.json; topowise traffic huge.json
  topowise traffic: error: huge.json:1:43: ranks: '1e+20' is not a whole number from 0
      1 | {"schema": "topowise.traffic/1", "ranks": 99999999999999999999, "entries": []}
        |                                           ^
  [3]
  $ (printf '{"schema": "topowise.traffic/1", "entries": '; head -c 1000000 /dev/zero | tr '\0' '[') > deep.json; topowise traffic deep.json 2>&1 | head -1
  topowise traffic: error: deep.json:1:108: nested deeper than 64 levels
  $ topowise topology wrong.json 2>&1 | head -1
  topowise topology: error: wrong.json: this is traffic, where a machine is asked for

A truncated profile, a directory without one, 2 GB of noise.

  $ mkdir none; topowise traffic none
  topowise traffic: error: no profile in 'none': it has neither *.twprof nor *.prof files, and no traces
  hint: record one: mpirun -n 16 topowise run --profile DIR -- ./app
  [3]
  $ mkdir empty; touch empty/00c0ffee00c0ffee.0.twprof; topowise traffic empty
  topowise traffic: error: empty: no recorded profile in it
  hint: record one: mpirun -n 16 topowise run --profile DIR -- ./app
  topowise traffic: error: empty/00c0ffee00c0ffee.0.twprof: not a recorded profile: left out
  [3]
  $ cat > profile.py <<E
  > # A profile of one rank that sent 64 bytes in 2 messages to rank 1, as the recording library lays it out.
  > import struct, sys
  > header = b'TWPROF\\r\\n' + struct.pack('=IIQQiiIIQQQQII', 1, 0x01020304, 4096, 7, 0, 2, 1, 0, 5, 6, 0, 0, 0, 0)
  > rows = struct.pack('=iBBHQQ', 1, 0, 0, 0, 64, 2) + struct.pack('=45Q', *([0] * 6 + [2] + [0] * 38))
  > segment = struct.pack('=IIQQ5Q', 1, 384, 4096, 1, 0, 0, 0, 0, 0) + rows
  > sys.stdout.buffer.write((header.ljust(4096, b'\\0') + segment.ljust(4096, b'\\0'))[:int(sys.argv[1])])
  > E
  $ mkdir whole cut stub
  > python3 profile.py 8192 > whole/0000000000000007.0.twprof; topowise traffic whole
  > python3 profile.py 4200 > cut/0000000000000007.0.twprof; topowise traffic cut; echo $?
  > python3 profile.py 900 > stub/0000000000000007.0.twprof; topowise traffic stub
  topowise traffic: warning: whole: rank 1 left no file: traffic from there is missing
  whole: 2 ranks, 1 pair, 64 B in 2 messages; a rank sends to 1 other at most
  
  heaviest pairs
    from  to  bytes  messages   share
       0   1   64 B         2  100.0%
  topowise traffic: warning: cut/0000000000000007.0.twprof: damaged at byte 4096: the file is cut off; what stands before it is used
  topowise traffic: warning: cut/0000000000000007.0.twprof: damaged at byte 4096: 1 row announced, but 0 found; what stands before it is used
  topowise traffic: warning: cut: rank 1 left no file: traffic from there is missing
  cut: 2 ranks, 0 pairs, 0 B in 0 messages; a rank sends to 0 others at most
  0
  topowise traffic: error: stub: no recorded profile in it
  hint: record one: mpirun -n 16 topowise run --profile DIR -- ./app
  topowise traffic: error: stub/0000000000000007.0.twprof: cut off in its header: left out
  [3]
  $ topowise traffic whole/0000000000000007.0.twprof
  topowise traffic: error: whole/0000000000000007.0.twprof: one process's part of a recorded profile
  hint: give the directory that it lies in
  [3]
  $ python3 -c "
  > import random
  > random.seed(1)
  > with open('noise', 'wb') as f: f.write(random.randbytes(1 << 20)); f.truncate(2 << 30)"
  $ topowise traffic noise 2>&1 | head -1
  topowise traffic: error: noise: this is no text: byte * is 0 (glob)
  $ topowise traffic pattern:ring:4 --save ring.xls
  topowise traffic: error: --save: the suffix of 'ring.xls' names no format
  hint: --save FILE.json, FILE.csv, FILE.mtx or FILE.txt
  [2]
