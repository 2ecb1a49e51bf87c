The quick form of each row of docs/papers/ashes2016.md. A line "Row: NAME" begins a row (rows_test.py). tests/mpi/bench_test.py runs the same
benchmarks as jobs, in host memory and on simulated GPUs. Section V-C needs root and Open MPI 4; elsewhere it says so.

  $ libraries=$(dirname $(dirname $(command -v topowise)))/lib
  > cat > node.sh <<END
  > export TOPOWISE_CUDA_LIBRARY=$libraries/libtopowise_fake_cuda.so TOPOWISE_NVML_LIBRARY=$libraries/libtopowise_fake_nvml.so
  > export TOPOWISE_FAKE_NODE=preset:helios-k80 TOPOWISE_FAKE_SESSION=papers-ashes2016-$$
  > END
  > ls $libraries/libtopowise_fake_cuda.so > /dev/null
  > cat > improvements.sh <<'END'
  > topowise bench "$@" --csv 2> /dev/null | python3 -c '
  > import csv, sys
  > for row in csv.DictReader(sys.stdin):
  >     if row["mapping"] in ("distance", "latency", "bandwidth"):
  >         print(row["workload"], row["weight"], row["bytes"], row["mapping"], row["kind"], "%.1f" % float(row["improvement_percent"] or 0))'
  > END

Row: Figure 1

  $ topowise topology preset:helios-k80 --matrix level > matrix
  > for class in PIX PXB PHB SYS; do echo $class $(($(grep -ow $class matrix | wc -l) / 2)) pairs; done
  PIX 8 pairs
  PXB 16 pairs
  PHB 32 pairs
  SYS 64 pairs

Row: Figure 2

  $ . ./node.sh
  > topowise probe --sizes 64KiB,128KiB --repetitions 2 --save node.json > /dev/null 2> /dev/null
  > topowise topology node.json | head -n 1
  > for pair in '0->1' '0->2' '0->4' '0->8'; do topowise predict preset:helios-k80 --messages "$pair:1GiB" | grep -e '->'; done
  nvml SIMULATED: 16 places
    0->1     1.07 GB    0 s  68.2 ms  68.2 ms   1.00x
    0->2     1.07 GB    0 s  68.2 ms  68.2 ms   1.00x
    0->4     1.07 GB    0 s  82.5 ms  82.5 ms   1.00x
    0->8     1.07 GB    0 s  179 ms  179 ms   1.00x

Row: Figure 3

  $ for name in stencil2d torus2d torus3d hypercube; do bash improvements.sh $name --weight 1 --sizes 256KiB; done
  stencil2d:4x4 1 262144 distance predicted 8.7
  stencil2d:4x4 1 262144 latency predicted 11.3
  stencil2d:4x4 1 262144 bandwidth predicted 0.0
  torus2d:4x4 1 262144 distance predicted 0.0
  torus2d:4x4 1 262144 latency predicted 0.0
  torus2d:4x4 1 262144 bandwidth predicted 0.0
  torus3d:4x2x2 1 262144 distance predicted 0.0
  torus3d:4x2x2 1 262144 latency predicted 0.0
  torus3d:4x2x2 1 262144 bandwidth predicted 0.0
  hypercube:4 1 262144 distance predicted 0.0
  hypercube:4 1 262144 latency predicted 0.0
  hypercube:4 1 262144 bandwidth predicted 0.0

Row: Figure 4

  $ for name in stencil2d torus2d torus3d hypercube; do bash improvements.sh $name --weight 3 --sizes 256KiB; done
  stencil2d:4x4 3 262144 distance predicted 56.6
  stencil2d:4x4 3 262144 latency predicted 56.6
  stencil2d:4x4 3 262144 bandwidth predicted 46.3
  torus2d:4x4 3 262144 distance predicted 60.9
  torus2d:4x4 3 262144 latency predicted 64.7
  torus2d:4x4 3 262144 bandwidth predicted 47.1
  torus3d:4x2x2 3 262144 distance predicted 60.9
  torus3d:4x2x2 3 262144 latency predicted 65.2
  torus3d:4x2x2 3 262144 bandwidth predicted 47.1
  hypercube:4 3 262144 distance predicted 61.0
  hypercube:4 3 262144 latency predicted 61.0
  hypercube:4 3 262144 bandwidth predicted 52.1

Row: Figure 5

  $ topowise bench overhead --sizes 4B,2MiB --save figures > /dev/null 2> /dev/null
  > python3 - <<END
  > import csv
  > pays = {}
  > for row in csv.DictReader(open("figures/overhead.csv")):
  >     if row["mapping"] == "distance":
  >         pays.setdefault(row["workload"], {})[row["bytes"]] = int(row["pays_after_iterations"])
  > print(len(pays), "workloads;", all(of["4"] > of["2097152"] for of in pays.values()))
  > END
  8 workloads; True

Row: Section V-C

  $ [ "$(id -u)" = 0 ] && command -v mpirun.openmpi mpicc.openmpi unshare > programs && [ "$(wc -l < programs)" = 3 ] || alone=1
  > export TOPOWISE=$(command -v topowise)
  > if [ "${alone-}" ]; then echo skipped; else python3 $SOURCES/bench/start/init.py openmpi4 8 --repetitions 1 | sed -n 's/^| 8 | \([^|]*\)| \([^|]*\)|.* ms.*/\1\2/p; s/^| 8 | \([^|]*\)|.*) |$/\1/p'; fi | tr '\n' ';'; echo
  skipped;|a node alone ;a node GPUs chosen ;a node GPUs chosen, set in MPI_Init ;4 hosts alone ;4 hosts ranks reordered in MPI_Init ;stencil2d ;torus2d ;torus3d ;hypercube ; (re)

Row: Section V-B

  $ for name in stencil2d torus2d torus3d hypercube; do topowise bench $name --sizes 1KiB --csv 2> /dev/null > hops.csv; python3 -c '
  > import csv
  > for row in csv.DictReader(open("hops.csv")):
  >     if row["mapping"] in ("default", "distance"):
  >         print(row["workload"], row["weight"], row["mapping"], row["hop_bytes"])'; done
  > for weight in 1 3; do topowise map pattern:stencil2d:4x4:w=$weight:heavy=0:bytes=1KiB preset:helios-k80 --objective hop-bytes | tail -n 2 | sed 's/; mapper.*//'; done
  stencil2d:4x4 1 default 114688
  stencil2d:4x4 1 distance 106496
  stencil2d:4x4 3 default 278528
  stencil2d:4x4 3 distance 180224
  torus2d:4x4 1 default 163840
  torus2d:4x4 1 distance 163840
  torus2d:4x4 3 default 393216
  torus2d:4x4 3 distance 262144
  torus3d:4x2x2 1 default 163840
  torus3d:4x2x2 1 distance 163840
  torus3d:4x2x2 3 default 393216
  torus3d:4x2x2 3 distance 262144
  hypercube:4 1 default 163840
  hypercube:4 1 distance 163840
  hypercube:4 3 default 294912
  hypercube:4 3 distance 196608
  hop-bytes 106 KB (distance x bytes): 7.1% less than the 115 KB of the identity
  lower bound 106 KB: proven optimal in hop-bytes
  hop-bytes 180 KB (distance x bytes): 35.3% less than the 279 KB of the identity
  lower bound 180 KB: proven optimal in hop-bytes
