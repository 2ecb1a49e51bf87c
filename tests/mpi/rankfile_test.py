# SPDX-License-Identifier: BSD-3-Clause
"""`map --emit openmpi-rankfile`: each release of Open MPI reads the file with the command that the file contains."""

import json
import re
import shlex
import subprocess

from jobs import TOPOWISE, MpiTest


class Rankfile(MpiTest):
    def test_the_command_in_the_file_reads_the_file(self):
        release = re.search(r"v(\d)", self.family.library).group(1)
        hostile = self.scratch / "hostile.json"  # this name would be a line of its own
        hostile.write_text(json.dumps({"schema": "topowise.topology/1", "name": "x\nrank 1=elsewhere slot=0\n", "places": [{"kind": "core"}] * 2}))
        cores = self.scratch / "cores.json"
        cores.write_text(json.dumps({"schema": "topowise.topology/1", "name": "cores", "places": [{"kind": "core"}] * 2}))
        for machine in (str(cores), "preset:perlmutter-a100", hostile):  # without and with the processors of the places
            with self.subTest(machine):
                text = subprocess.run([TOPOWISE, "map", "pattern:ring:2", str(machine), "--emit", "openmpi-rankfile", "--save", self.scratch / "m"], check=True, capture_output=True, text=True).stdout
                command = re.search(rf"^# +Open MPI {release}: mpirun (.*)$", text, re.M).group(1)
                if "topowise" in command:  # binds the ranks to processors that this machine may not have
                    command = command.replace("topowise run", f"{TOPOWISE} run").replace("MAPPING", "m").replace("--cpu-bind numa", "--cpu-bind none")
                file = self.scratch / "rankfile"
                file.write_text(re.sub(r"slot=.*", "slot=0", text))  # every machine has a processor 0
                words = [word.replace("FILE", file.name) for word in shlex.split(command)]  # Open MPI 5 mistakes "pe" in a path for a directive
                result = subprocess.run([*self.family.launcher, *words, "printenv", "OMPI_COMM_WORLD_RANK"], cwd=self.scratch, env=self.family.env(), capture_output=True, text=True, timeout=900)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(sorted(result.stdout.split()), ["0", "1"])
