# SPDX-License-Identifier: BSD-3-Clause
"""Two real applications on an emulated cluster, recorded once and run again with MPI_COMM_WORLD in the order that the recording asks for:
their results stay the same, and less goes over the slow wire. LAMMPS and GROMACS as Debian brings them, on Open MPI 4."""

import os
import re
import shutil
import subprocess

import families
from fabric_test import Fabric, launcher
from jobs import PROGRAMS, TOPOWISE

SLOW = [("s0", "s1"), ("s1", "s0")]
RANKS = 8


class Applications(Fabric):
    description = "two-switches.fabric"

    def application(self, name):
        if self.family.name != "openmpi4":
            self.skipTest("Debian's applications are linked with Open MPI 4")
        path = shutil.which(name, path="/usr/bin")
        if path is None:
            if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
                self.fail(f"{name} is not installed")
            self.skipTest(f"{name} is not installed")
        return path

    def job(self, options, command):
        """(output, bytes over the slow wire); ranks in turn over the hosts."""
        wrapper = [TOPOWISE, "run", *options, "--"] if options else []
        whole = launcher.job(self.lab, self.family.name, self.family.launcher, RANKS, [*wrapper, *command], cyclic=True)
        before = self.lab.sent_bytes()
        result = subprocess.run(list(map(str, whole)), env=self.family.env() | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=families.HANGS,
                                check=False, cwd=self.scratch)
        self.assertEqual(result.returncode, 0, f"{result.stdout[-3000:]}\n{result.stderr[-3000:]}")
        after = self.lab.sent_bytes()
        return result.stdout + result.stderr, sum(after[link] - before[link] for link in SLOW)

    def compare(self, name, command, results, seconds):
        """`results(output)` is what must not change, `seconds(output)` what the application says of its time."""
        machine = self.scratch / "lab.json"
        machine.write_text(self.lab.fabric.topology("lab"))
        profile = self.scratch / f"{name}.traffic"
        self.job(["--profile", profile], command)
        plain, plain_bytes = self.job([], command)
        expected = results(plain)
        ordered, ordered_bytes = self.job(["--reorder=world", "--reorder-profile", profile, "--reorder-topology", machine], command)
        self.assertGreater(len(expected), 2, plain[-3000:])
        self.assertEqual(results(ordered), expected)
        told = re.search(r"ranks of MPI_COMM_WORLD reordered .*", ordered)
        self.assertTrue(told, ordered[-3000:])
        print(f"\n{name}: {plain_bytes / 1e6:.2f} -> {ordered_bytes / 1e6:.2f} MB over the slow wire, {seconds(plain)} -> {seconds(ordered)} s; {told.group(0)}", flush=True)
        self.assertLess(ordered_bytes, 0.8 * plain_bytes)

    def test_lammps(self):
        command = [self.application("lmp"), "-in", PROGRAMS / "melt.lammps", "-log", "none"]
        self.compare("LAMMPS", command, lambda output: re.findall(r"^ +\d+ +[-\d.]+ .*$", output, re.M),
                     lambda output: re.search(r"Loop time of (\S+)", output).group(1))

    def test_gromacs(self):
        gmx, parallel = self.application("gmx"), self.application("gmx_mpi")
        topology = self.scratch / "water.top"
        topology.write_text((PROGRAMS / "water.top").read_text())
        for step in ([gmx, "solvate", "-cs", "spc216", "-box", "8", "3", "3", "-o", "water.gro", "-p", "water.top"],
                     [gmx, "grompp", "-f", PROGRAMS / "water.mdp", "-c", "water.gro", "-p", "water.top", "-o", "water.tpr", "-maxwarn", "2"]):
            made = subprocess.run(list(map(str, step)), cwd=self.scratch, capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stderr[-2000:])
        log = self.scratch / "md.log"
        command = [parallel, "mdrun", "-s", self.scratch / "water.tpr", "-g", log, "-dd", "8", "1", "1", "-npme", "0", "-dlb", "no", "-reprod", "-notunepme",
                   "-nb", "cpu", "-ntomp", "1", "-pin", "off", "-o", self.scratch / "t.trr", "-e", self.scratch / "t.edr", "-c", self.scratch / "t.gro", "-cpt", "-1"]

        def energies(_):
            return re.findall(r"^ +(?:-?\d\.\d+e[+-]\d+ *)+$", log.read_text(), re.M)

        self.compare("GROMACS", command, energies, lambda output: re.search(r"Time:\s+\S+\s+(\S+)", output).group(1))

