#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Real MPI jobs under recording, on one family of MPI libraries:  run.py FAMILY [MODULE[.CLASS[.TEST]]...]

TOPOWISE names the program (build/release/bin/topowise), TOPOWISE_MPI_VENVS the folder that tools/install-mpi-venvs.sh filled (.deps/mpi). The exit
status is 77 if the family is not on this machine, or 1 with TOPOWISE_REQUIRE_ALL=1.
"""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import families
import job_folder
import jobs

MODULES = ["known_matrix_test", "job_endings_test", "gpu_test", "gpu_nodes_test", "applications_test"]
SKIPPED = 77


def main():
    known = families.families()
    if len(sys.argv) < 2 or sys.argv[1] not in known:
        print(f"usage: {sys.argv[0]} {'|'.join(known)} [MODULE...]", file=sys.stderr)
        return 2
    family = known[sys.argv[1]]
    if missing := family.missing():
        required = os.environ.get("TOPOWISE_REQUIRE_ALL") == "1"
        print(f"{'FAILED' if required else 'SKIPPED'}: {family.name} is not on this machine: {missing}")
        return 1 if required else SKIPPED
    jobs.MpiTest.family = family
    modules = sys.argv[2:] or MODULES + ["monitoring_test", "rankfile_test"] * family.monitoring
    with job_folder.job_folder() as place:
        os.environ[job_folder.VARIABLE] = place
        result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromNames(modules))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
