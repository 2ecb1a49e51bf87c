#!/bin/sh
# first_screen.sh PROGRAM.C FAMILY...: what README's first screen shows, with the `topowise` in PATH and the MPI libraries FAMILY (openmpi, mpich), on two
# ranks. The commands come on the standard input, as README has them. The working directory is empty and is left empty.
set -eu
source=$1
shift
commands=$(cat)
fail() { echo "first_screen.sh: $*"; exit 1; }
case $commands in *"topowise run --profile"*"topowise map"*"topowise run --mapping"*) ;; *) fail "README's first screen has other commands" ;; esac
topowise doctor > doctor || fail "doctor: exit status $?"
grep -q "MPI" doctor || fail "doctor says nothing of MPI"
for family in "$@"; do
  case $family in
  openmpi) launcher="mpirun.openmpi --oversubscribe"; [ "$(id -u)" -ne 0 ] || launcher="$launcher --allow-run-as-root" ;;
  mpich) launcher=mpiexec.mpich ;;
  esac
  "mpicc.$family" "$source" -o app
  echo "$commands" | sed "s/mpirun -n 16/$launcher -n 2/" > screen
  # Fewer processors than ranks: this machine's places hold two ranks then.
  [ "$(nproc)" -ge 2 ] || sed -i 's/ live / tree:2 /' screen
  sh -eux screen > printed 2>&1 || fail "$family: $(cat printed)"
  [ "$(grep -c '^sum 1$' printed)" = 2 ] || fail "$family: the program did not run twice: $(cat printed)"
  topowise traffic app.traffic > recorded 2>&1 || fail "$family: $(cat recorded)"
  grep -q "app.traffic: 2 ranks" recorded || fail "$family: two ranks were not recorded: $(cat recorded)"
  [ -s app.mapping ] || fail "$family: no mapping was saved"
  rm -rf app app.traffic app.mapping screen printed recorded
done
rm -f doctor
left=$(ls -A)
[ -z "$left" ] || fail "files are left: $left"
echo "first screen: ok"
