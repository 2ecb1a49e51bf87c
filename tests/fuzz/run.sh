#!/bin/sh
# Runs one fuzz target for TOPOWISE_FUZZ_SECONDS:  run.sh TARGET. Its seeds are the small inputs in tests/fuzz/seeds/TARGET/, the files of
# real machines in tests/corpus/, and a larger corpus that is not in the repository: TOPOWISE_CORPUS names its folder; otherwise it is
# shared/corpus beside the checkout, if there is such a folder. All seeds are always run; new inputs are made until the seconds are over.
set -eu
target=$1
seconds=${TOPOWISE_FUZZ_SECONDS:-4}
here=$(dirname "$(readlink -f "$0")")
corpus=${TOPOWISE_CORPUS:-$here/../../../shared/corpus}
name=$(basename "$target")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/found" "$work/new"
seeds=""
for folder in "$here/seeds/$name" "$here"/../corpus/* "$corpus"/*; do [ -d "$folder" ] && seeds="$seeds $folder"; done
# shellcheck disable=SC2086  # a list of folders
if ! "$target" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=2048 -timeout=120 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$work/found/" "$work/new" $seeds 2> "$work/log"; then
  tail -n 40 "$work/log"
  for input in "$work"/found/*; do
    [ -f "$input" ] && cp "$input" . && echo "$name failed; the input: $(pwd)/$(basename "$input")"
  done
  exit 1
fi
grep number_of_executed_units "$work/log"
