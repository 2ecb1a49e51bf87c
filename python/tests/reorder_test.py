"""topowise.reorder() in a real job of mpi4py."""

import os
import pathlib
import shutil
import subprocess
import sys

import topowise


def test_ranks_of_a_job_are_reordered():
    mpirun = shutil.which("mpirun.openmpi")
    assert mpirun, "Open MPI is missing: tools/install-deps.sh test"
    package = str(pathlib.Path(topowise.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": package, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    job = [mpirun, "--oversubscribe", "-n", "4", sys.executable, str(pathlib.Path(__file__).with_name("reorder_job.py"))]
    done = subprocess.run(job, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "reordered\n"), done.stderr
