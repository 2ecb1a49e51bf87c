A preset: places, classes, levels.

  $ topowise topology preset:dgx1-v100
  dgx1-v100: 8 places
  
    id  name  NUMA  nearest NICs
     0  GPU0     0  mlx5_0 (PIX)
     1  GPU1     0  mlx5_0 (PIX)
     2  GPU2     0  mlx5_1 (PIX)
     3  GPU3     0  mlx5_1 (PIX)
     4  GPU4     1  mlx5_2 (PIX)
     5  GPU5     1  mlx5_2 (PIX)
     6  GPU6     1  mlx5_3 (PIX)
     7  GPU7     1  mlx5_3 (PIX)
  
          GPU0  GPU1  GPU2  GPU3  GPU4  GPU5  GPU6  GPU7
    GPU0     X   NV1   NV1   NV2   NV2   SYS   SYS   SYS
    GPU1   NV1     X   NV2   NV1   SYS   NV2   SYS   SYS
    GPU2   NV1   NV2     X   NV2   SYS   SYS   NV1   SYS
    GPU3   NV2   NV1   NV2     X   SYS   SYS   SYS   NV1
    GPU4   NV2   SYS   SYS   SYS     X   NV1   NV1   NV2
    GPU5   SYS   NV2   SYS   SYS   NV1     X   NV2   NV1
    GPU6   SYS   SYS   NV1   SYS   NV1   NV2     X   NV2
    GPU7   SYS   SYS   SYS   NV1   NV2   NV1   NV2     X
  
    level  class  distance  pairs  bandwidth  latency
        0  NV2           1      8    50 GB/s   700 ns
        1  NV1           2      8    25 GB/s   700 ns
        2  SYS           3     12     6 GB/s   1.3 us
  $ topowise topology preset:dgx1-v100 --matrix bandwidth
  bandwidth in GB/s
          GPU0  GPU1  GPU2  GPU3  GPU4  GPU5  GPU6  GPU7
    GPU0     -    25    25    50    50     6     6     6
    GPU1    25     -    50    25     6    50     6     6
    GPU2    25    50     -    50     6     6    25     6
    GPU3    50    25    50     -     6     6     6    25
    GPU4    50     6     6     6     -    25    25    50
    GPU5     6    50     6     6    25     -    50    25
    GPU6     6     6    25     6    25    50     -    50
    GPU7     6     6     6    25    50    25    50     -
  $ topowise topology preset:helios-k80 --explain GPU0 4
  GPU0 -> GPU4: class PHB, level 2, distance 3, 15.8 GB/s, 900 ns
    from            to              link  bandwidth  latency  source
    GPU0            PCIe switch 1   pcie  15.8 GB/s   150 ns  preset (nominal)
    PCIe switch 1   PCIe switch 0   pcie  15.8 GB/s   150 ns  preset (nominal)
    PCIe switch 0   root complex 0  pcie  15.8 GB/s   150 ns  preset (nominal)
    root complex 0  PCIe switch 3   pcie  15.8 GB/s   150 ns  preset (nominal)
    PCIe switch 3   PCIe switch 4   pcie  15.8 GB/s   150 ns  preset (nominal)
    PCIe switch 4   GPU4            pcie  15.8 GB/s   150 ns  preset (nominal)
  $ topowise topology --list | head -2
    preset                    machine
    preset:a100-pcie-bridge8  8 A100 PCIe, NV12 bridges (0,2) (1,3) (4,5) (6,7), SYS else

The JSON has the keys of docs/cli.md, and the written file reads back as the same machine.

  $ topowise topology tree:2:2@1:10 --json --matrix distance
  {
    "schema": "topowise.topology/1",
    "name": "tree:2:2",
    "places": [
      {"id": 0, "kind": "slot", "name": "P0", "pci": null, "numa": null, "node": "", "capacity": 1, "vertex": 3},
      {"id": 1, "kind": "slot", "name": "P1", "pci": null, "numa": null, "node": "", "capacity": 1, "vertex": 4},
      {"id": 2, "kind": "slot", "name": "P2", "pci": null, "numa": null, "node": "", "capacity": 1, "vertex": 5},
      {"id": 3, "kind": "slot", "name": "P3", "pci": null, "numa": null, "node": "", "capacity": 1, "vertex": 6}
    ],
    "vertices": [
      {"id": 0, "kind": "group", "name": "root", "pci": null, "numa": null, "node": ""},
      {"id": 1, "kind": "group", "name": "1.0", "pci": null, "numa": null, "node": "", "parent": 0},
      {"id": 2, "kind": "group", "name": "1.1", "pci": null, "numa": null, "node": "", "parent": 0},
      {"id": 3, "kind": "group", "name": "P0", "pci": null, "numa": null, "node": "", "parent": 1},
      {"id": 4, "kind": "group", "name": "P1", "pci": null, "numa": null, "node": "", "parent": 1},
      {"id": 5, "kind": "group", "name": "P2", "pci": null, "numa": null, "node": "", "parent": 2},
      {"id": 6, "kind": "group", "name": "P3", "pci": null, "numa": null, "node": "", "parent": 2}
    ],
    "links": [
      {"from": 1, "to": 0, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 0, "to": 1, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 2, "to": 0, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 0, "to": 2, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 3, "to": 1, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 1, "to": 3, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 4, "to": 1, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 1, "to": 4, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 5, "to": 2, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 2, "to": 5, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 6, "to": 2, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"},
      {"from": 2, "to": 6, "kind": "abstract", "bandwidth_bytes_per_s": 0, "latency_s": 0, "source": "tree"}
    ],
    "levels": [
      {"class": "T1", "distance": 1},
      {"class": "T2", "distance": 10}
    ],
    "arities": [2, 2],
    "warnings": [],
    "matrix": [
      [0, 1, 10, 10],
      [1, 0, 10, 10],
      [10, 10, 0, 1],
      [10, 10, 1, 0]
    ]
  }
  $ for machine in dgx1-v100 helios-k80 mi250x perlmutter-a100; do
  >   topowise topology preset:$machine --save $machine.json > /dev/null
  >   topowise topology $machine.json --json | diff - $machine.json
  > done
  topowise topology: wrote dgx1-v100.json
  topowise topology: wrote helios-k80.json
  topowise topology: wrote mi250x.json
  topowise topology: wrote perlmutter-a100.json
  $ topowise topology preset:summit-ac922 --json | python3 -c "
  > import json, sys
  > t = json.load(sys.stdin)
  > print(t['schema'], sorted(t), sorted(t['places'][0]), sorted(t['links'][0]))"
  topowise.topology/1 ['levels', 'links', 'name', 'places', 'schema', 'vertices', 'warnings'] ['capacity', 'id', 'kind', 'name', 'node', 'numa', 'pci', 'vertex'] ['bandwidth_bytes_per_s', 'from', 'kind', 'latency_s', 'source', 'to']

topology reads the standard input and recognises the format.

  $ printf '\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV2\t0-7\nGPU1\tNV2\t X \t0-7\n' | topowise topology -
  stdin: 2 places
  
    id  name  CPUs
     0  GPU0  0-7
     1  GPU1  0-7
  
          GPU0  GPU1
    GPU0     X   NV2
    GPU1   NV2     X
  
    level  class  distance  pairs  bandwidth  latency
        0  NV2           1      1    50 GB/s   700 ns
  
  rests on: NVLink of 25 GB/s a link

Output of PowerShell, and lines that end with CR alone.

  $ printf '\tGPU0\tGPU1\nGPU0\t X \tNV12\nGPU1\tNV12\t X \n' > lf
  $ python3 -c "open('utf16', 'wb').write(('\ufeff' + open('lf').read().replace('\n', '\r\n')).encode('utf-16-le'))"
  $ tr '\n' '\r' < lf > cr
  $ for file in lf utf16 cr; do topowise topology $file --matrix level; done
          GPU0  GPU1
    GPU0     X  NV12
    GPU1  NV12     X
          GPU0  GPU1
    GPU0     X  NV12
    GPU1  NV12     X
          GPU0  GPU1
    GPU0     X  NV12
    GPU1  NV12     X
