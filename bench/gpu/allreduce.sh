#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures on a machine that has a GPU, a shell with timeout and mktemp, and nothing else: no network, no MPI, no library of ours. One call does all.
#   allreduce.sh pack BUILD_DIR FILE.tar.gz [MPICH]       packs programs and libraries into one file; MPICH is the folder of an MPICH (bin/, lib/)
#   allreduce.sh run FOLDER [SECONDS [simulated]]         on that machine, in the unpacked folder: measures all within SECONDS (600)
# FOLDER gets machine.txt, run.txt (the output of run.sh), mpi.txt (the preloaded library under MPI), recorded.txt (what it records of device buffers),
# auto-1.txt and auto-2.txt (run --auto), staging-N.csv (what users do without topowise), nccl.csv (NCCL among the GPUs, where it is), tune.txt and tuning.json, collective-NAME.json, and one JSON file for each
# algorithm, number of ranks, and range of sizes, with and without MPS; tables.py reads it and writes the tables of the documentation. "simulated" runs on the stand-in for the driver. Exit status 5
# if a measurement failed or had no time (missing.txt lists these), 4 without a GPU.
set -eu

# The files of the C library. The packed one is only used if the machine's own is missing, or too old for the programs that were built here.
c_library='^(ld-linux.*|lib(c|m|dl|pthread|rt|util|resolv))\.so'

# libraries_of FILE...: prints the paths of all libraries that the files need; fails if one is missing
libraries_of() {
  ldd "$@" | awk '/not found/ {print "allreduce.sh:" $0 > "/dev/stderr"; lacks = 1} $3 ~ "^/" && !seen[$3]++ {print $3}
                  $1 ~ "^/.*ld-linux" && !seen[$1]++ {print $1} END {exit lacks}'
}

pack() {
  build=$1 file=$2 mpich=${3:+$(cd "$3" && pwd)} work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  here=$(cd "$(dirname "$0")" && pwd)
  to=$work/allreduce
  mkdir -p "$to/bin" "$to/lib" "$to/libc" "$to/libexec"
  cp "$here/allreduce.sh" "$here/run.sh" "$to/"
  cp "$build/bin/topowise" "$build/bin/gpu_bench" "$to/libexec/"
  cp "$build/lib/libtopowise_interpose.so" "$build/lib/libtopowise_allreduce.so" "$build/lib/libtopowise_engine.so" "$to/lib/"
  "$build/bin/topowise" doctor | grep -q 'yes GPU kernels' || { echo "allreduce.sh: $build has no GPU kernels" >&2; exit 1; }
  for library in fake_cuda fake_nvml; do
    [ ! -e "$build/lib/libtopowise_$library.so" ] || cp "$build/lib/libtopowise_$library.so" "$to/lib/"
  done
  if [ -n "$mpich" ]; then
    programs=$here/../../tests/mpi/programs
    for program in gpu_allreduce gpu_collectives; do "$mpich/bin/mpicc" -O1 -pthread "$programs/$program.c" -o "$to/libexec/$program"; done
    "$mpich/bin/mpicc" -O1 -I"$programs" "$here/staging.c" -o "$to/libexec/staging"
    cp -L "$mpich/bin/mpiexec.gforker" "$to/libexec/"
  fi
  export LD_LIBRARY_PATH="${mpich:+$mpich/lib:$mpich/lib/mpich:}${LD_LIBRARY_PATH:-}"
  libraries=$(libraries_of "$to"/libexec/* "$to"/lib/*)
  for library in $libraries; do
    case $(basename "$library" | grep -cE "$c_library") in 0) cp -L "$library" "$to/lib/" ;; *) cp -L "$library" "$to/libc/" ;; esac
  done
  for program in topowise gpu_bench; do ln -s start "$to/bin/$program"; done
  cat > "$to/bin/start" <<'END'
#!/bin/sh
# The program of this name, by the machine's C library or by the one that came along. Some machines have their driver in LD_LIBRARY_PATH.
name=$(basename "$0") here=$(cd "$(dirname "$0")/.." && pwd) machines=${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
if [ -n "${CARRIED_C_LIBRARY:-}" ]; then
  exec "$here"/libc/ld-linux*.so* --library-path "$here/libc:$here/lib$machines" "$here/libexec/$name" "$@"
fi
LD_LIBRARY_PATH=$here/lib$machines exec "$here/libexec/$name" "$@"
END
  chmod +x "$to/bin/start"
  tar -czf "$file" -C "$work" allreduce
  echo "$file: $(du -k "$file" | cut -f1) KiB"
}

left() { echo $((deadline - $(date +%s))); }

# limited SECONDS NAME COMMAND...: runs the command for at most SECONDS, and within the time that is left; its output goes to the file NAME
limited() {
  most=$1 name=$2
  shift 2
  [ "$(left)" -ge "$most" ] || most=$(left)
  if [ "$most" -le 0 ]; then
    echo "$name: no time is left"
    echo "$name" >> "$out/missing.txt"
  elif timeout -k 5 "$most" "$@" > "$out/$name.part" 2> "$out/$name.err"; then
    mv "$out/$name.part" "$out/$name"
    echo "$name: done"
  else
    echo "$name: exit status $? within $most s: $(grep -v '^hint' "$out/$name.err" | head -n 1)"
    mv "$out/$name.part" "$out/$name.failed"
    echo "$name" >> "$out/missing.txt"
  fi
}

# measure_all SUFFIX SHARE: measures each algorithm. All measurements together get SHARE percent of the time that is left. Each may take
# three times its equal share of that. The longest measurements come first, and the others get the time that they leave. If a measurement is cut
# off, all sizes of its range are lost.
measure_all() {
  end=$(($(left) * (100 - $2) / 100))
  todo=$(($(echo $numbers | wc -w) * $(echo $algorithms | wc -w) * $(echo $ranges | wc -w)))
  for ranks in $numbers; do
    for algorithm in $algorithms; do
      for range in $ranges; do
        name=ranks-$ranks-$algorithm-$range$1
        # The paper's ranks share one GPU.
        on=$(case $algorithm in *shot | ring) echo "$gpus" ;; *) echo 1 ;; esac)
        calls=$(case $range in *MiB) echo '--repetitions 10 --warm-up 3' ;; *) echo '--repetitions 100' ;; esac)
        limited $((3 * ($(left) - end) / todo + 10)) "$name.json" "$here/bin/topowise" bench allreduce --ranks "$ranks" --gpus "$on" \
          --algorithm "$algorithm" --sizes "$range" $calls --json
        todo=$((todo - 1))
      done
    done
  done
}

# Tests the preloaded library in MPI jobs: every type and operation, derived types, communicators, threads, requests by way of the host.
try_mpi() {
  [ -e "$here/libexec/gpu_allreduce" ] || { echo "mpi: this file was packed without an MPI library"; return; }
  start=
  machines=${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  [ -z "${CARRIED_C_LIBRARY:-}" ] || start="$(echo "$here"/libc/ld-linux*.so*) --library-path $here/libc:$here/lib$machines"
  export MPIR_CVAR_POLLS_BEFORE_YIELD=1 MPIR_CVAR_ENABLE_HEAVY_YIELD=1
  [ -n "$start" ] || export LD_LIBRARY_PATH="$here/lib$machines"
  limited 120 mpi.txt $start "$here/libexec/mpiexec.gforker" -n 4 $start "$here/libexec/topowise" run --allreduce --allreduce-report -- \
    $start "$here/libexec/gpu_allreduce" "everything,fallback,communicators,threads$([ "$1" -gt 1 ] || echo ,halves)" "$1"  # GPUs round one by one
  grep -hs 'checks\|MPI_Allreduce' "$out"/mpi.txt* || true
  # What a job does with device buffers is recorded. The first job with --auto records, and the second is placed by that; each sees its own GPU.
  profile=$out/profile
  limited 60 collectives.txt $start "$here/libexec/mpiexec.gforker" -n 4 $start "$here/libexec/topowise" run --collectives-on-gpu --profile "$profile" -- \
    $start "$here/libexec/gpu_collectives" communicators "$1"
  limited 20 recorded.txt $start "$here/libexec/topowise" traffic "$profile" --memory device
  for job in 1 2; do
    # This launcher gives the job no name and says nothing of nodes, as Slurm does; all ranks are on one.
    SLURM_JOB_ID=$$ SLURM_STEP_ID=$job XDG_CACHE_HOME=$out/cache limited 60 auto-$job.txt $start "$here/libexec/mpiexec.gforker" -n 4 sh -c 'export SLURM_PROCID=$PMI_RANK MPI_LOCALNRANKS=4 MPI_LOCALRANKID=$PMI_RANK; exec "$@"' sh \
      $start "$here/libexec/topowise" run --auto --collectives-on-gpu -- $start "$here/libexec/gpu_collectives" communicators 1
    [ ! -e "$out/auto-$job.txt" ] || cat "$out/auto-$job.txt.err" >> "$out/auto-$job.txt"
  done
  for ranks in ${ALLREDUCE_STAGING:-4 8 16}; do
    limited 45 staging-$ranks.csv $start "$here/libexec/mpiexec.gforker" -n "$ranks" $start "$here/libexec/topowise" run --allreduce -- \
      $start "$here/libexec/staging" "$1" "${ALLREDUCE_STAGING_MIB:-64}"
  done
}

# What users have among several GPUs of one process.
try_nccl() {
  limited 60 nccl.csv "$here/bin/gpu_bench" nccl
  grep -hs '^#' "$out/nccl.csv" || true
}

# Measures the other collectives, and writes down the fastest algorithm of each size, as jobs would read it.
try_choices() {
  for name in reduce bcast allgather reduce_scatter_block; do
    limited 20 "collective-$name.json" "$here/bin/topowise" bench collective "$name" --ranks 4 --sizes 4B,64KiB,4MiB --repetitions 20 --json
  done
  TOPOWISE_ALLREDUCE_TUNING=$out/tuning.json && export TOPOWISE_ALLREDUCE_TUNING
  limited 60 tune.txt "$here/bin/topowise" bench allreduce --ranks 4 --tune --sizes 4B,64KiB,1MiB,16MiB --repetitions 10
}

# measure_with_mps SHARE: measures the same under MPS.
measure_with_mps() {
  if [ -n "$simulated" ]; then
    TOPOWISE_FAKE_MPS=1 && export TOPOWISE_FAKE_MPS
  else
    CUDA_MPS_PIPE_DIRECTORY=$scratch/mps CUDA_MPS_LOG_DIRECTORY=$out/mps
    mkdir -p "$CUDA_MPS_PIPE_DIRECTORY" "$CUDA_MPS_LOG_DIRECTORY"
    export CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
    nvidia-cuda-mps-control -d || { echo "with MPS: not measured, it does not start"; return; }
  fi
  # A daemon that has started may still refuse clients.
  if timeout 30 "$here/bin/gpu_bench" devices > "$out/mps.txt" 2>&1 && grep -q 'MPS 1$' "$out/mps.txt"; then
    measure_all -mps "$1"
  else
    echo "with MPS: not measured, this process is no client of it: $(tail -n 1 "$out/mps.txt")"
  fi
  [ -n "$simulated" ] || echo quit -t 5 | timeout 15 nvidia-cuda-mps-control || true
}

# Finds the driver if the loader does not find it.
find_driver() {
  "$here/bin/gpu_bench" devices > /dev/null 2>&1 && return
  for folder in /usr/local/nvidia/lib64 /usr/lib64 /usr/lib/x86_64-linux-gnu /usr/lib64/nvidia /usr/lib/wsl/lib /run/opengl-driver/lib /usr/local/cuda/compat; do
    [ -e "$folder/libcuda.so.1" ] || continue
    TOPOWISE_CUDA_LIBRARY=$folder/libcuda.so.1 "$here/bin/gpu_bench" devices > /dev/null 2>&1 || continue
    echo "the driver is $folder/libcuda.so.1, where the loader does not look"
    export TOPOWISE_CUDA_LIBRARY="$folder/libcuda.so.1"
    [ ! -e "$folder/libnvidia-ml.so.1" ] || export TOPOWISE_NVML_LIBRARY="$folder/libnvidia-ml.so.1"
    return
  done
}

# hold_gpus SECONDS: keeps the GPUs open. A driver shuts a GPU down if no process (and no persistence daemon) has it open; starting it again takes seconds.
hold_gpus() {
  for device in /dev/nvidia[0-9]*; do
    [ -r "$device" ] || continue
    sleep "$1" < "$device" > /dev/null 2>&1 &
    held="$held $!"
  done
}

# Prints the machine on which the figures were measured.
describe_machine() {
  for command in 'uname -a' 'cat /proc/cpuinfo' 'cat /proc/meminfo' 'df -h' 'nvidia-smi -q' 'nvidia-smi topo -m'; do
    printf '\n== %s\n' "$command"
    timeout 20 $command 2>&1 || true
  done
}

run() {
  out=$1 deadline=$(($(date +%s) + ${2:-600} - 5)) simulated=${3:-}
  here=$(cd "$(dirname "$0")" && pwd)
  mkdir -p "$out"
  rm -f "$out/missing.txt"
  out=$(cd "$out" && pwd)
  [ -w "${TMPDIR:-/tmp}" ] || export TMPDIR="$out"
  scratch=$(mktemp -d) held=
  trap '[ -z "$held" ] || kill $held 2> /dev/null; rm -rf "$scratch"' EXIT
  case $here in *[[:space:]:]*)  # LD_PRELOAD and LD_LIBRARY_PATH cannot hold such a path
    ln -s "$here" "$scratch/allreduce"
    here=$scratch/allreduce ;;
  esac
  export TOPOWISE_INTERPOSE="$here/lib/libtopowise_interpose.so"
  if [ -n "$simulated" ]; then
    export TOPOWISE_CUDA_LIBRARY="${TOPOWISE_CUDA_LIBRARY:-$here/lib/libtopowise_fake_cuda.so}" TOPOWISE_NVML_LIBRARY="${TOPOWISE_NVML_LIBRARY:-$here/lib/libtopowise_fake_nvml.so}"
    export TOPOWISE_FAKE_NODE="${TOPOWISE_FAKE_NODE:-preset:dgx1-v100}" TOPOWISE_FAKE_SESSION="${TOPOWISE_FAKE_SESSION:-carried-$$}"
    export TOPOWISE_FAKE_MEMORY_MIB="${TOPOWISE_FAKE_MEMORY_MIB:-8192}"
  else
    export TOPOWISE_CUDA_LIBRARY="${TOPOWISE_CUDA_LIBRARY:-libcuda.so.1}"
    # Kernels are compiled only once, also if there is no home directory.
    export CUDA_CACHE_PATH="${CUDA_CACHE_PATH:-$scratch/kernels}"
    hold_gpus "${2:-600}"
  fi
  # The preloaded library needs the newest C library of all files.
  LD_LIBRARY_PATH="$here/lib" LD_PRELOAD="$here/lib/libtopowise_interpose.so" "$here/libexec/topowise" --version > /dev/null 2>&1 ||
    export CARRIED_C_LIBRARY=1
  [ -z "${CARRIED_C_LIBRARY:-}" ] || echo "by the C library that came along: the machine's is missing or too old"
  [ -n "$simulated" ] || find_driver
  describe_machine > "$out/machine.txt"
  limited 120 run.txt "$here/run.sh" "$here"
  gpus=$("$here/bin/gpu_bench" devices 2> /dev/null | grep -c ', compute ' || true)
  [ "$gpus" -gt 0 ] || { echo "no GPU: $(head -n 1 "$out/run.txt.err")"; return 4; }
  algorithms='leader-fused staged-host shared-buffer binomial'
  [ "$gpus" -eq 1 ] || algorithms="$algorithms one-shot two-shot ring"
  ranges=${ALLREDUCE_SIZES:-8MiB-64MiB 128KiB-4MiB 4B-64KiB}
  numbers=${ALLREDUCE_RANKS:-16 8 4 2}
  if [ -n "$simulated" ] || command -v nvidia-cuda-mps-control > /dev/null; then
    measure_all '' 45
    (measure_with_mps 80)
  else
    measure_all '' 75
    echo "with MPS: not measured, nvidia-cuda-mps-control is not there"
  fi
  (try_mpi "$gpus")
  (try_choices)
  (try_nccl)
  [ ! -e "$out/missing.txt" ] || { echo "$(wc -l < "$out/missing.txt") measurements are missing: $out/missing.txt"; return 5; }
}

case ${1:-} in
  pack) [ $# -ge 3 ] && pack "$2" "$3" "${4:-}" ;;
  run) [ $# -ge 2 ] && run "$2" "${3:-600}" "${4:-}" ;;
  *) sed -n '3,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
