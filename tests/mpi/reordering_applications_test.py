# SPDX-License-Identifier: BSD-3-Clause
"""Real applications on an emulated cluster. They are recorded once, and run again with MPI_COMM_WORLD in the order that the recording asks for: their
results stay the same, and fewer bytes cross the slow wire. LAMMPS, Meep and GROMACS are Debian's packages, on Open MPI 4."""

import os
import re
import shutil
import statistics
import subprocess

from fabric_test import Fabric, launcher
from jobs import PROGRAMS, TOPOWISE

SLOW = [("s0", "s1"), ("s1", "s0")]
RANKS = 8
RUNS = 3  # runs of each way, in turn


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

    def run_application(self, options, command):
        """Returns (output, bytes over the slow wire); the ranks go in turn over the hosts."""
        wrapper = [TOPOWISE, "run", *options, "--"] if options else []
        whole = launcher.job(self.lab, self.family.name, self.family.launcher, RANKS, [*wrapper, *command], cyclic=True)
        result = self.job(whole, cwd=self.scratch, OMP_NUM_THREADS="1")
        return result.stdout + result.stderr, sum(self.carried[link].bytes for link in SLOW)

    def compare(self, name, command, results, seconds):
        """`results(output)` must not change; `seconds(output)` is the application's own time."""
        machine = self.scratch / "lab.json"
        machine.write_text(self.lab.fabric.topology("lab"))
        profile = self.scratch / f"{name}.traffic"
        self.run_application(["--profile", profile], command)
        ways = {"alone": [], "reordered": ["--reorder=world", "--reorder-profile", profile, "--reorder-topology", machine]}
        expected, crossed, times = None, {way: [] for way in ways}, {way: [] for way in ways}
        for _ in range(RUNS):
            for way, options in ways.items():
                output, sent = self.run_application(options, command)
                expected = expected or results(output)
                self.assertGreater(len(expected), 2, output[-3000:])
                self.assertEqual(results(output), expected)
                self.assertEqual("ranks of MPI_COMM_WORLD reordered" in output, way == "reordered", output[-3000:])
                crossed[way].append(sent)
                times[way].append(float(seconds(output)))
        for way in ways:
            print(f"\n{name}, {way}: {statistics.median(crossed[way]) / 1e6:.2f} MB over the slow wire, {statistics.median(times[way]):.1f} s ({min(times[way]):.1f} to {max(times[way]):.1f})",
                  end="", flush=True)
        print(flush=True)
        self.assertLess(max(crossed["reordered"]), 0.8 * min(crossed["alone"]))

    def test_lammps(self):
        command = [self.application("lmp"), "-in", PROGRAMS / "melt.lammps", "-log", "none"]
        self.compare("LAMMPS", command, lambda output: re.findall(r"^ +\d+ +[-\d.]+ .*$", output, re.M),
                     lambda output: re.search(r"Loop time of (\S+)", output).group(1))

    def test_meep(self):
        command = [self.application("meep"), PROGRAMS / "wave.ctl"]
        self.compare("Meep", command, lambda output: re.findall(r"^field .*$", output, re.M),
                     lambda output: re.search(r"Elapsed run time = (\S+)", output).group(1))

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
