#!/bin/sh
# torchrun.sh SOURCE_DIR PYTHON BUILD_TREE TORCH_PYTHON: real torchrun jobs (torchrun_lab.py) with the wheel of a build tree. PYTHON has the packages of
# python/tests/requirements.txt; TORCH_PYTHON has PyTorch and NumPy, and the same version of Python. Needs root.
set -eu
source=$1
python=$(realpath -s "$2")
build=$3
torch=$4
[ -x "$torch" ] || {
  echo "there is no $torch: tools/install-deps.sh wide installs PyTorch"
  [ -z "${TOPOWISE_REQUIRE_ALL:-}" ] || exit 1
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$(dirname "$python"):$PATH "$python" -m build --no-isolation -o "$work" --wheel -Ccmake.source-dir=python/prebuilt -Cbuild.targets=all \
  -Cbuild-dir="$work/tree" -Ccmake.define.TOPOWISE_BUILD_TREE="$build" "$source" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$torch" -m pip install -q --disable-pip-version-check --no-deps --target "$work/site" "$work"/topowise-*.whl
PYTHONPATH=$work/site "$python" "$source/python/tests/torchrun_lab.py" "$torch" --test
