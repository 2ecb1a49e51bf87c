#!/bin/sh
# Installs the packages that the build, the tests and the demo of topowise need on Debian or Ubuntu.
#   tools/install-deps.sh build   compilers and libraries, and the tools by which the demo emulates hosts (apt)
#   tools/install-deps.sh test    build, plus sanitizer runtimes, fuzzers, formatters and real applications (apt); plus MPI libraries and the packages
#                              that build and test the Python package (PyPI, in .deps/)
#   tools/install-deps.sh wide    test, plus what only `make test-all` uses: a browser, a second application, MPICH's test suite, the C library of Debian 11
#   tools/install-deps.sh docs    build, plus the tools that make the documentation site (apt, and PyPI in .deps/docs)
# Needs root for apt. Without root it prints the one command to run and fails.
set -eu
cd "$(dirname "$0")/.."
what=${1:-test}

build="g++ cmake ninja-build pkg-config python3 python3-venv libfmt-dev nlohmann-json3-dev libpugixml-dev libyaml-cpp-dev doctest-dev
  libscotch-dev libptscotch-7.0 libhwloc15 liblzma5 libzstd1 openmpi-bin libopenmpi-dev mpich libmpich-dev iproute2 ethtool"
test="gfortran lammps python3-mpi4py clang clang-format clang-tidy lld libclang-rt-dev libbenchmark-dev ccache git file python3-dev"
docs="doxygen"
wide="chromium fonts-dejavu-core gromacs gromacs-data meep-mpi-default xz-utils"
case $what in
build) packages=$build ;;
test) packages="$build $test" ;;
wide) packages="$build $test $wide" ;;
docs) packages="$build $docs" ;;
*) echo "usage: $0 build|test|wide|docs" >&2; exit 2 ;;
esac

missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "these Debian packages are missing:$missing" >&2
    echo "run: sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing" >&2
    echo "without root (docs/recipes/without-root.md), what building needs is in conda-forge:" >&2
    echo "  conda install -c conda-forge cxx-compiler cmake ninja pkg-config python fmt nlohmann_json pugixml yaml-cpp scotch libhwloc openmpi doctest" >&2
    echo "and in Spack: spack install cmake ninja pkgconf python fmt nlohmann-json pugixml yaml-cpp scotch hwloc openmpi doctest" >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  # shellcheck disable=SC2086  # a list of packages
  apt-get install -y -q --no-install-recommends $missing
fi

# Downloads the packages that pip installs with the wheel into a fresh environment. The tests then need no PyPI.
wheels_for() {
  "$1" -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d .deps/wheels "$(grep '^numpy==' python/tests/requirements.txt)"
}

if [ "$what" = test ] || [ "$what" = wide ]; then
  tools/install-mpi-venvs.sh "${TOPOWISE_MPI_VENVS:-.deps/mpi}"
  [ -x .deps/python/bin/python ] || python3 -m venv .deps/python
  .deps/python/bin/python -m pip install -q --disable-pip-version-check -r python/tests/requirements.txt
  wheels_for .deps/python/bin/python
fi
if [ "$what" = wide ]; then
  tools/install-mpich-suite.sh .deps/mpich-suite
  tools/install-old-glibc.sh .deps/glibc-2.31
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
