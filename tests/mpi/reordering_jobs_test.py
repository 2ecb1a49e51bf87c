# SPDX-License-Identifier: BSD-3-Clause
"""What the preloaded library sees of a job's calls."""

import os
import pathlib
import re
import subprocess

from jobs import TOPOWISE, MpiTest

CONVERSIONS = {"MPI_Comm_c2f", "MPI_Comm_toint"}  # of handles


class Wrappers(MpiTest):
    def declared(self):
        """Functions of this family's mpi.h that take a communicator."""
        source = self.scratch / "header.c"
        source.write_text("#include <mpi.h>\n")
        text = subprocess.run([*self.family.compiler, "-E", source], capture_output=True, text=True, check=True).stdout
        return {name for name, parameters in re.findall(r"\b(MPI_\w+)\s*\(([^()]*)\)", text) if re.search(r"\bMPI_Comm\b(?!\s*\*)", parameters)}

    def exported(self):
        library = os.environ.get("TOPOWISE_INTERPOSE", str(pathlib.Path(TOPOWISE).parents[1] / "lib" / "libtopowise_interpose.so"))
        return {line.split()[-1] for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()}

    def test_no_function_with_a_communicator_is_left_out(self):
        """With --reorder=world a call that passes by would see the launcher's order."""
        declared = self.declared()
        self.assertIn("MPI_Comm_rank", declared)
        self.assertEqual(sorted(declared - self.exported() - CONVERSIONS), [])
