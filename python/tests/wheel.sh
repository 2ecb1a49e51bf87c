#!/bin/sh
# wheel.sh SOURCE_DIR PYTHON WHEELS HOW...: tests the wheel as a user gets it. pip installs it with its requirements into a fresh virtual environment in
# another folder. There the test uses the program, the preloaded library, the plugin of NCCL and the module. PYTHON has the packages of
# python/tests/requirements.txt. pip takes the requirements from the folder WHEELS. Nothing is downloaded.
#   HOW: made FOLDER OLD_GLIBC  the wheel in FOLDER, which tools/make_packages.py made; its program also runs with the glibc that
#                               tools/install-old-glibc.sh unpacked in OLD_GLIBC (`make test`)
#        source BUILD_DIR CXX   a wheel from the source archive, compiled in BUILD_DIR; auditwheel bundles it with the libraries that it links (`make test-all`)
set -eu
source=$1
python=$(realpath -s "$2")
wheels=$3
how=$4
build=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
[ -x "$python" ] || {
  echo "there is no $python: tools/install-deps.sh wide makes it where Python of that version is installed (pyenv, uv, Debian 13)"
  [ -z "${TOPOWISE_REQUIRE_ALL:-}" ] || exit 1
  exit 77
}
PATH=$(dirname "$python"):$PATH
export PATH
unset PYTHONPATH

mkdir "$work/bundled"
old=""
case $how in
made)
  old=$6
  [ -d "$old/usr" ] || fail "there is no glibc in $old: tools/install-old-glibc.sh"
  cp "$build"/topowise-*.whl "$work/bundled"
  ;;
source)
  # The archive is always unpacked in this folder, so a compiler cache finds the same paths again.
  mkdir -p "$build"
  rm -rf "$build"/topowise-* "$build/tree"
  "$python" -m build --no-isolation --sdist -o "$work/archive" "$source" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  tar -C "$build" -xzf "$work"/archive/topowise-*.tar.gz
  "$python" -m build --no-isolation --wheel -o "$work/plain" -Cbuild-dir="$build/tree" -Ccmake.define.CMAKE_CXX_COMPILER="$6" "$build"/topowise-* > "$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
  "$python" -m auditwheel repair -w "$work/bundled" "$work"/plain/topowise-*.whl > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  ;;
*) fail "'$how' is no way to a wheel" ;;
esac
wheel=$(ls "$work"/bundled/topowise-*.whl)
case $wheel in *-cp310-abi3-manylinux*) ;; *) fail "the wheel is for this machine or this Python only: $wheel" ;; esac
echo "wheel: $(basename "$wheel"), $(du -k "$wheel" | cut -f 1) kB"

"$python" -m venv "$work/venv"
venv="$work/venv/bin"
"$venv/python" -m pip install -q --disable-pip-version-check --no-index --find-links "$wheels" "$wheel"
cd "$work"
site=$("$venv/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
for file in "$site"/topowise/bin/topowise "$site"/topowise/lib/*.so; do
  ! ldd "$file" | grep -E 'not found|lib(fmt|pugixml|yaml-cpp)[^ ]* => /(usr/)?lib' || fail "$file needs libraries that the wheel does not bring"
done
echo "self-contained: ok"

"$venv/topowise" map pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --json > map.json
"$venv/python" -c 'import json; m = json.load(open("map.json")); assert (m["identity_cost"], m["cost"]) == (272, 176), m'
echo "program: ok"
if [ -n "$old" ]; then
  case $wheel in *-manylinux_2_28_*) ;; *) fail "the wheel is not for glibc 2.28: $wheel" ;; esac
  loader=$(echo "$old"/lib/*/ld-2.31.so)
  older() { "$loader" --library-path "$(dirname "$loader")" "$@"; }
  for file in "$site"/topowise/bin/topowise "$site"/topowise/lib/*.so "$site"/topowise/_topowise.abi3.so; do
    older --list "$file" > listed 2>&1 || fail "$file does not load with glibc 2.31: $(cat listed)"
    ! grep -E "not found" listed || fail "$file does not load with glibc 2.31"
  done
  older "$site/topowise/bin/topowise" map pattern:stencil2d:4x4:w=3:heavy=0:bytes=1B preset:helios-k80 --json > older.json
  sed -i '/seconds/d' map.json older.json
  cmp map.json older.json
  [ "$(older "$site/topowise/bin/topowise" map pattern:no:1 tree:2 2>&1 | head -n 1)" = "topowise map: error: TRAFFIC:1:9: unknown pattern 'no'" ] ||
    fail "errors do not arrive with glibc 2.31"
  echo "glibc 2.31: ok"
fi
# The program finds the preloaded library beside itself. The library is in the process that the program starts, and it is the plugin that NCCL asks for there.
cat > started.py <<'END'
import ctypes, os

print([line.split()[-1] for line in open("/proc/self/maps") if "libtopowise_interpose" in line][0])
plugin = ctypes.CDLL(os.environ["NCCL_PROFILER_PLUGIN"])  # as NCCL opens it
print(ctypes.c_char_p.in_dll(plugin, "ncclProfiler_v4").value.decode())  # the plugin's structure begins with its name
END
"$venv/topowise" run --profile profile -- "$venv/python" started.py > started
[ "$(cat started)" = "$site/topowise/lib/libtopowise_interpose.so
topowise" ] || fail "the preloaded library or the plugin of NCCL is not there: $(cat started)"
echo "preloaded library, plugin of NCCL: ok"
# The first Python example of the README.
sed -n '/^```python$/,/^```$/p' "$source/README.md" | sed '1d; /^```$/,$d' > example.py
[ -s example.py ] || fail "README.md has no Python example"
"$venv/python" example.py
echo "README's example: ok"
"$venv/python" -c 'import topowise; assert "/venv/" in topowise.__file__'
"$venv/python" -c 'from importlib.metadata import entry_points as found; assert callable(found(group="torchrun.handlers")["topowise"].load()())'
echo "torchrun's back-end: ok"
