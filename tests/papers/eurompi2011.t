The quick form of each row of docs/papers/eurompi2011.md. A line "Row: NAME" begins a row (rows_test.py). tests/mpi/bench_wires_test.py has the jobs
on the wires of emulated hosts. Figure 4 and table 1 need root and Open MPI 4; elsewhere they say so (and tests/mpi skips them, or fails where
everything must run).

  $ cat > improvements.sh <<'END'
  > topowise bench "$@" --csv 2> /dev/null | python3 -c '
  > import csv, sys
  > for row in csv.DictReader(sys.stdin):
  >     if row["mapping"] != "block":
  >         print(row["workload"], row["mapping"], row["kind"], "%.1f" % float(row["improvement_percent"] or 0))'
  > END

  $ cat > on_hosts.sh <<'END'
  > [ "$(id -u)" = 0 ] && command -v mpirun.openmpi lmp ip tc ethtool unshare > programs && [ "$(wc -l < programs)" = 6 ] || { echo skipped; exit; }
  > export TOPOWISE=$(command -v topowise)
  > script=$SOURCES/$1
  > shift
  > python3 "$script" "$@" | sed -n 's/^| \(.*[0-9] m*s\) |$/\1/p' | sed 's/ | [0-9.]* m*s\b//g'
  > END

Row: Figure 1

  $ topowise bench cartesian --sizes 64B 2> /dev/null | sed -n '/machine/p'
  > topowise topology preset:eurompi2011-a | sed -n '/level  class/,$p'
  machine: eurompi2011-a
    level  class  distance  pairs  bandwidth  latency
        0  PHB           1     48     5 GB/s   200 ns
        1  SYS           2     64     4 GB/s   600 ns
        2  NET1          3    128     2 GB/s   1.6 us
        3  NET3          4    256     2 GB/s   2.6 us

Row: Figure 2

  $ bash improvements.sh cartesian --sizes 64KiB
  torus2d:8x4 cyclic predicted 79.8
  torus2d:8x4 non-weighted predicted 0.0
  torus2d:8x4 weighted predicted 79.3
  torus2d:8x4 network-aware predicted 81.6
  torus3d:4x4x2 cyclic predicted 86.6
  torus3d:4x4x2 non-weighted predicted 0.0
  torus3d:4x4x2 weighted predicted 91.1
  torus3d:4x4x2 network-aware predicted 92.9
  hypercube:5 cyclic predicted 63.6
  hypercube:5 non-weighted predicted 0.0
  hypercube:5 weighted predicted 74.0
  hypercube:5 network-aware predicted 75.0

Row: Figure 3

  $ bash improvements.sh dimensional --sizes 64KiB
  alltoall:8x4 cyclic predicted 88.2
  alltoall:8x4 non-weighted predicted 88.2
  alltoall:8x4 weighted predicted 88.2
  alltoall:8x4 network-aware predicted 88.2
  alltoall:16x2 cyclic predicted 66.2
  alltoall:16x2 non-weighted predicted 30.5
  alltoall:16x2 weighted predicted 30.5
  alltoall:16x2 network-aware predicted 61.2

Row: Figure 4

  $ bash on_hosts.sh bench/application/lammps.py 1 3 1 | xargs
  in turn mapped|skipped (re)
  $ for order in identity cyclic; do topowise evaluate pattern:nas-cg:32:class=C preset:eurompi2011-a --mapping $order | grep -E 'hop-bytes|predicted'; done
  hop-bytes         63.2 GB (distance x bytes)
  predicted time    1.54 s (all messages at once, one a pair)
  hop-bytes         93.6 GB (distance x bytes)
  predicted time    4.54 s (all messages at once, one a pair)

Row: Figure 5

  $ bash improvements.sh cartesian --ranks 128 --sizes 64KiB | grep torus2d
  torus2d:16x8 cyclic predicted -424.1
  torus2d:16x8 non-weighted predicted 29.5
  torus2d:16x8 weighted predicted 77.1
  torus2d:16x8 network-aware predicted 77.0
  $ topowise map pattern:torus3d:8x4x4:w=10:heavy=0:bytes=64KiB tree:4:4:8 --json | python3 -c 'import json, sys; m = json.load(sys.stdin); print(m["identity_cost"], m["cost"])'
  461373440 251658240

Row: Table 1

  $ bash on_hosts.sh bench/reordering/creation.py openmpi4 2 --hosts 2 --graph | tr '\n' ';'; echo
  skipped;|2 . MPI_Comm_dup;2 . MPI_Graph_create, MPI alone;2 . MPI_Graph_create, non-weighted;2 . MPI_Graph_create, weighted;2 . MPI_Graph_create, network-aware; (re)
