A pattern, shown and converted.

  $ topowise traffic pattern:stencil2d:2x3:w=3:bytes=1MB
  pattern:stencil2d:2x3:w=3:bytes=1MB: 6 ranks, 14 pairs, 30 MB in 14 messages; a rank sends to 3 others at most
  
  heaviest pairs
    from  to  bytes  messages  share
       0   1   3 MB         1  10.0%
       1   0   3 MB         1  10.0%
       1   2   3 MB         1  10.0%
       2   1   3 MB         1  10.0%
       3   4   3 MB         1  10.0%
       4   3   3 MB         1  10.0%
       4   5   3 MB         1  10.0%
       5   4   3 MB         1  10.0%
       0   3   1 MB         1   3.3%
       1   4   1 MB         1   3.3%
  $ topowise traffic pattern:ring:4:bytes=8B --matrix bytes
    from\to    0    1    2    3
          0    .  8 B    .    .
          1    .    .  8 B    .
          2    .    .    .  8 B
          3  8 B    .    .    .
  $ topowise traffic pattern:ring:3:bytes=8B --json
  {
    "schema": "topowise.traffic/1",
    "ranks": 3,
    "entries": [
      {"source": 0, "destination": 1, "bytes": 8, "messages": 1},
      {"source": 1, "destination": 2, "bytes": 8, "messages": 1},
      {"source": 2, "destination": 0, "bytes": 8, "messages": 1}
    ],
    "total_bytes": 24
  }
  $ topowise traffic pattern:ring:3:bytes=8B --json --matrix messages | tail -7
    "total_bytes": 24,
    "matrix": [
      [0, 1, 0],
      [0, 0, 1],
      [1, 0, 0]
    ]
  }

Every format that topowise writes is read back.

  $ for suffix in json csv mtx txt; do
  >   topowise traffic pattern:random:6:seed=3 --save r.$suffix > /dev/null
  >   topowise traffic r.$suffix --json | python3 -c "
  > import json, sys
  > print('$suffix', sum(e['bytes'] * (e['source'] + 7 * e['destination']) for e in json.load(sys.stdin)['entries']))"
  > done
  topowise traffic: wrote r.json
  json 466616320
  topowise traffic: wrote r.csv
  csv 466616320
  topowise traffic: wrote r.mtx
  mtx 466616320
  topowise traffic: wrote r.txt
  txt 466616320
  $ topowise traffic pattern:ring:4 --save ring.csv --matrix messages > /dev/null; cat ring.csv
  topowise traffic: wrote ring.csv
  0,1,0,0
  0,0,1,0
  0,0,0,1
  1,0,0,0

A matrix of bytes says nothing of messages. What a rank sends to itself is no pair, and no other rank.

  $ printf '1 2 3\n4 5 6\n7 8 9\n' > square.txt; topowise traffic square.txt --format matrix | head -4
  square.txt: 3 ranks, 6 pairs, 45 B; a rank sends to 2 others at most; 15 B of it are of ranks to themselves
  
  heaviest pairs
    from  to  bytes  share

More messages than a number can hold are at least that many.

  $ cat > many.json <<'END'
  > {"schema": "topowise.traffic/1", "ranks": 2, "entries": [{"source": 0, "destination": 1, "bytes": 5, "messages": 18446744073709551615}, {"source": 1, "destination": 0, "bytes": 5, "messages": 2}]}
  > END
  $ topowise traffic many.json | head -1
  many.json: 2 ranks, 2 pairs, 10 B in at least 18446744073709551615 messages; a rank sends to 1 other at most
