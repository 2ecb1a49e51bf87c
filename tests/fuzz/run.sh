#!/bin/sh
# Runs every fuzz target for a few seconds:  run.sh BIN_DIR [SECONDS]
# Seeds are the small inputs in tests/fuzz/seeds/TARGET/, the files of real machines in tests/corpus/ and, where it is present, a larger corpus.
set -eu
bin=$1
seconds=${2:-8}
here=$(dirname "$(readlink -f "$0")")
corpus=${TOPOWISE_CORPUS:-$here/../../../shared/corpus}
passed=0
failed=0
for target in "$bin"/*_fuzz; do
  name=$(basename "$target")
  work=$(mktemp -d)
  seeds=""
  for folder in "$here/seeds/$name" "$here"/../corpus/* "$corpus"/*; do [ -d "$folder" ] && seeds="$seeds $folder"; done
  # shellcheck disable=SC2086  # a list of folders
  if "$target" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=2048 -timeout=10 -print_final_stats=0 -verbosity=0 \
      -artifact_prefix="$work/" "$work" $seeds 2> "$work.log"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name failed; the input and the end of its log:"
    ls -l "$work"/crash-* "$work"/timeout-* "$work"/oom-* 2> /dev/null || true
    tail -n 30 "$work.log"
  fi
  rm -f "$work.log"
done
echo "fuzz: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
