#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nine programs of Debian and a grid before and after `run --reorder`: the bytes on every wire of four emulated hosts on two switches (tests/lab), with eight
ranks in blocks and in turn. No clock is looked at. Each program is recorded, then runs alone, with --reorder and with --reorder=world and its recording; its
results must be the same. Prints rows of a table, and ends with status 1 if a wire carries more than before, beyond what two runs differ by.

    programs.py [NAME...]

Needs root (tests/lab), Debian's Open MPI, and for each program its package, which `programs.py --packages` lists. What is not installed is named and left out.
TOPOWISE names the program."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests/lab"), str(ROOT / "tests/mpi")]

import fabric
import families
import launcher
from network import Network

TOPOWISE = os.environ.get("TOPOWISE", str(ROOT / "build/release/bin/topowise"))
PROGRAMS = ROOT / "tests/mpi/programs"
RANKS = 8
SLOW = ("s0", "s1")
SECONDS = 600
EXAMPLES = pathlib.Path("/usr/share/lammps/examples")
SCALAPACK = pathlib.Path("/usr/lib/x86_64-linux-gnu/scalapack/openmpi-tests")
ESPRESSO = pathlib.Path("/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz")
# Beyond this two runs of one program do not differ: the launcher's messages, and those of a program that looks at a clock.
SHARE, BYTES = 0.02, 200_000


@dataclass
class Program:
    name: str
    package: str
    needs: str  # a file
    command: list
    results: str  # a pattern of what must not change in its output
    prepare: object = lambda folder: None  # writes its files into the folder in which it runs
    output: str = ""  # the file with its results, if it does not print them


def lammps(example, steps):
    """The example with fewer steps."""
    def prepare(folder):
        shutil.copytree(EXAMPLES / example, folder, dirs_exist_ok=True)
        script = folder / f"in.{example}"
        lines = [line for line in script.read_text().splitlines() if not line.startswith("dump")]
        last = max(i for i, line in enumerate(lines) if line.startswith("run"))
        script.write_text("\n".join([line for line in lines[:last] if not line.startswith("run")] + [f"run {steps}"]) + "\n")
    return prepare


def write(**files):
    def prepare(folder):
        for name, text in files.items():
            (folder / name.replace("_DOT_", ".")).write_text(text)
    return prepare


def water(folder):
    """GROMACS' box of water, as in tests/mpi."""
    (folder / "water.top").write_text((PROGRAMS / "water.top").read_text())
    for step in ("gmx solvate -cs spc216 -box 8 3 3 -o water.gro -p water.top", f"gmx grompp -f {PROGRAMS}/water.mdp -c water.gro -p water.top -o water.tpr -maxwarn 2"):
        subprocess.run(step.split(), cwd=folder, check=True, capture_output=True)


def matrix(folder):
    """MUMPS: seven points of a cube of 12 x 12 x 12."""
    side = 12

    def at(x, y, z):
        return (x * side + y) * side + z + 1

    entries = []
    for x, y, z in ((x, y, z) for x in range(side) for y in range(side) for z in range(side)):
        entries.append(f"{at(x, y, z)} {at(x, y, z)} 6.5")
        for p in ((x + 1, y, z), (x, y + 1, z), (x, y, z + 1)):
            if max(p) < side:
                entries += [f"{at(x, y, z)} {at(*p)} -1.0", f"{at(*p)} {at(x, y, z)} -1.0"]
    (folder / "in").write_text("\n".join([f"{side ** 3} :N", f"{len(entries)} :NZ", *entries, *["1.0"] * side ** 3]) + "\n")


def silicon(folder):
    (folder / "Si.UPF").write_bytes(gzip.decompress(ESPRESSO.read_bytes()))
    (folder / "in").write_text("""&control
 calculation='scf', prefix='si', pseudo_dir='.', outdir='./out', disk_io='none'
/
&system
 ibrav=2, celldm(1)=10.20, nat=2, ntyp=1, ecutwfc=24.0
/
&electrons
 conv_thr=1.0d-8
/
ATOMIC_SPECIES
 Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 1 1 1
""")


LU_DAT = """'SCALAPACK, LU factorization input file'
'MPI Machine'
'LU.out' output file name (if any)
6        device out
1        number of problems sizes
600      values of M
600      values of N
1        number of NB's
32       values of NB
1        number of NRHS's
8        values of NRHS
1        Number of NBRHS's
32       values of NBRHS
1        number of process grids (ordered pairs of P & Q)
2        values of P
4        values of Q
10.0     threshold
F        (T or F) Test Cond. Est. and Iter. Ref. Routines
"""

LLT_DAT = """'ScaLAPACK, LLt factorization input file'
'MPI machine'
'LLT.out' output file name (if any)
6        device out
'U'      define Lower or Upper
1        number of problems sizes
600      values of N
1        number of NB's
32       values of NB
1        number of NRHS's
8        values of NRHS
1        number of NBRHS's
32       values of NBRHS
1        number of process grids (ordered pairs P & Q)
2        values of P
4        values of Q
10.0     threshold
F        (T or F) Test Cond. Est. and Iter. Ref. Routines
"""

PETSC = """import glob, sys
sys.path += glob.glob("/usr/lib/petscdir/petsc*/*real/lib/python3/dist-packages")
import petsc4py
petsc4py.init(sys.argv)
from petsc4py import PETSc
grid = PETSc.DMDA().create([40, 24, 24], dof=1, stencil_width=1)
A = grid.createMatrix()
row, col = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
(x0, x1), (y0, y1), (z0, z1) = grid.getRanges()
sizes = grid.getSizes()
for i in range(x0, x1):
    for j in range(y0, y1):
        for k in range(z0, z1):
            row.index = (i, j, k)
            A.setValueStencil(row, row, 6.1)
            for d in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)):
                to = (i + d[0], j + d[1], k + d[2])
                if all(0 <= t < n for t, n in zip(to, sizes)):
                    col.index = to
                    A.setValueStencil(row, col, -1.0)
A.assemble()
b, x = A.createVecRight(), A.createVecRight()
b.set(1.0)
solver = PETSc.KSP().create()
solver.setOperators(A)
solver.setType("cg")
solver.getPC().setType("jacobi")
solver.setTolerances(rtol=1e-8)
solver.solve(b, x)
norm = x.norm()
if PETSc.COMM_WORLD.rank == 0:
    print(f"iterations {solver.getIterationNumber()} norm {norm:.6f}")
"""

CP2K = """&GLOBAL
  PROJECT water
  RUN_TYPE ENERGY
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME BASIS_SET
    POTENTIAL_FILE_NAME POTENTIAL
    &MGRID
      CUTOFF 100
    &END MGRID
    &QS
    &END QS
    &SCF
      SCF_GUESS ATOMIC
      MAX_SCF 8
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 5.0 5.0 5.0
    &END CELL
    &COORD
      O 0.000 0.000 0.000
      H 0.757 0.586 0.000
      H -0.757 0.586 0.000
    &END COORD
    &KIND H
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
"""

TESTED = r"(?:PASSED|FAILED)$|^ *\d+ tests completed.*$"
THERMO = r"^ +\d+ +[-\d.]+ .*$"
ALL = [
    Program("LAMMPS, melt", "lammps", "/usr/bin/lmp", ["lmp", "-in", PROGRAMS / "melt.lammps", "-log", "none"], THERMO),
    Program("LAMMPS, friction", "lammps lammps-examples", EXAMPLES / "friction/in.friction", ["lmp", "-in", "in.friction", "-log", "none"], THERMO, lammps("friction", 200)),
    Program("LAMMPS, pour", "lammps lammps-examples", EXAMPLES / "pour/in.pour", ["lmp", "-in", "in.pour", "-log", "none"], THERMO, lammps("pour", 1500)),
    Program("Meep, a wave", "meep-mpi-default", "/usr/bin/meep", ["meep", PROGRAMS / "wave.ctl"], r"^field .*$"),
    Program("GROMACS, water", "gromacs", "/usr/bin/gmx_mpi",
            "gmx_mpi mdrun -s water.tpr -g md.log -dd 8 1 1 -npme 0 -dlb no -reprod -notunepme -nb cpu -ntomp 1 -pin off -cpt -1".split(),
            r"^ +(?:-?\d\.\d+e[+-]\d+ *)+$", water, "md.log"),
    Program("ScaLAPACK, LU", "scalapack-mpi-test", SCALAPACK / "xdlu", [SCALAPACK / "xdlu"], TESTED, write(LU_DOT_dat=LU_DAT)),
    Program("ScaLAPACK, Cholesky", "scalapack-mpi-test", SCALAPACK / "xdllt", [SCALAPACK / "xdllt"], TESTED, write(LLT_DOT_dat=LLT_DAT)),
    Program("MUMPS", "mumps-test", "/usr/lib/mumps/dsimpletest", ["sh", "-c", "exec /usr/lib/mumps/dsimpletest < in"], r"Solution is\s+([\d.]{9})\S*\s+([\d.]{9})\S*\s+([\d.]{9})", matrix),
    Program("PETSc, conjugate gradients", "python3-petsc4py-real", "/usr/lib/petscdir", ["/usr/bin/python3", "poisson.py"], r"^iterations .*$", write(poisson_DOT_py=PETSC)),
    Program("Quantum ESPRESSO, silicon", "quantum-espresso quantum-espresso-data", "/usr/bin/pw.x", ["pw.x", "-in", "in"], r"^!.*total energy.*$", silicon),
    Program("CP2K, water", "cp2k", "/usr/bin/cp2k.popt", ["cp2k.popt", "-i", "in", "-o", "result"], r"^ ENERGY\|.*$", write(**{"in": CP2K}), "result"),
    Program("a grid of 4x2, MPI_Cart_create", "", PROGRAMS / "grid_halo.c", ["./grid_halo", "4x2", "cube", "40"], r"$", lambda folder: subprocess.run(
        ["mpicc.openmpi", "-O1", str(PROGRAMS / "grid_halo.c"), "-o", str(folder / "grid_halo")], check=True)),
]


class Trial:
    """One program whose ranks are in blocks or in turn over the hosts."""

    def __init__(self, lab, family, program, cyclic, folder):
        self.lab, self.family, self.program, self.cyclic, self.folder = lab, family, program, cyclic, folder
        (folder / "lab.json").write_text(lab.fabric.topology("lab"))
        program.prepare(folder)

    def run(self, *options):
        """(results, bytes of the slow wire both ways, bytes of all wires of hosts, what topowise said)"""
        wrapper = [TOPOWISE, "run", *options, "--"] if options else []
        command = launcher.job(self.lab, self.family.name, self.family.launcher, RANKS, [*wrapper, *self.program.command], cyclic=self.cyclic)
        if self.program.output:
            (self.folder / self.program.output).unlink(missing_ok=True)
        before = self.lab.sent()
        done = subprocess.run(list(map(str, command)), env=self.family.env() | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}, cwd=self.folder,
                              capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)
        if done.returncode != 0:
            sys.exit(f"{self.program.name} {options}: status {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        sent = {link: now.bytes - before[link].bytes for link, now in self.lab.sent().items()}
        text = (self.folder / self.program.output).read_text(errors="replace") if self.program.output else done.stdout
        said = re.findall(r"^topowise: (--reorder.*)$", done.stderr, re.M)
        return (re.findall(self.program.results, text, re.M), sent[SLOW] + sent[SLOW[::-1]],
                sum(count for link, count in sent.items() if any(end.startswith("h") for end in link)), said[-1] if said else "")


def moved(said):
    """The gain that topowise's line claims, if ranks have moved."""
    gain = re.search(r"([\d.]+) % less", said)
    return f"{gain[1]} % less" if gain and re.search(r"ranks (?:of MPI_COMM_WORLD )?reordered (?:in [1-9]|\()", said) else "none moved"


def rows(lab, family, program):
    """Prints the rows of a program; gives whether a wire carries more than before."""
    worse = False
    for cyclic in (False, True):
        with tempfile.TemporaryDirectory() as name:
            trial = Trial(lab, family, program, cyclic, pathlib.Path(name))
            trial.run("--profile", "profile")
            expected, *alone, _ = trial.run()
            if not expected:
                sys.exit(f"{program.name}: no results were found in its output")
            cells = [f"{count / 1e6:.2f}" for count in alone]
            words = []
            for options in (["--reorder", "--reorder-topology", "lab.json"], ["--reorder=world", "--reorder-profile", "profile", "--reorder-topology", "lab.json"]):
                results, *counts, said = trial.run(*options)
                if results != expected:
                    sys.exit(f"{program.name} {options}: other results\n{expected}\n{results}")
                cells += [f"{count / 1e6:.2f}" for count in counts]
                words.append(moved(said))
                worse = worse or any(now > (1 + SHARE) * before + BYTES for now, before in zip(counts, alone))
            slow, hosts = cells[0::2], cells[1::2]
            print(f"| {program.name} | {'in turn' if cyclic else 'block'} | {' | '.join(slow)} | {' | '.join(hosts)} | {words[0]} | {words[1]} |", flush=True)
    return worse


def main():
    if "--help" in sys.argv:
        print(__doc__)
        return
    if "--packages" in sys.argv:
        print(" ".join(sorted({word for program in ALL for word in program.package.split()})))
        return
    wanted = [program for program in ALL if len(sys.argv) == 1 or any(word.lower() in program.name.lower() for word in sys.argv[1:])]
    if not wanted:
        sys.exit(f"no such program: {', '.join(program.name for program in ALL)}")
    family = families.families()["openmpi4"]
    worse = []
    print("| program | ranks | slow wire: alone | --reorder | world | wires of hosts: alone | --reorder | world | hop-bytes, --reorder | world |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with Network(f"prog{os.getpid() % 100000}", fabric.parse((ROOT / "tests/lab/fabrics/two-switches.fabric").read_text())) as lab:
        for program in wanted:
            if not pathlib.Path(program.needs).exists():
                print(f"{program.name}: not installed ({program.package})", file=sys.stderr)
            elif rows(lab, family, program):
                worse.append(program.name)
    if worse:
        sys.exit(f"a wire carries more than before: {', '.join(worse)}")


if __name__ == "__main__":
    main()
