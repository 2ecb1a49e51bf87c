# SPDX-License-Identifier: BSD-3-Clause
"""Where Open MPI 4 makes the folders of its jobs.

Two processes that begin jobs at once may both find the folder of their user on this host missing, and the second to make it ends
with "File exists"; the last job to end removes it. So jobs of tests that run side by side have a place each, where that folder is
made before."""

import contextlib
import os
import pathlib
import platform
import tempfile

VARIABLE = "OMPI_MCA_orte_tmpdir_base"


@contextlib.contextmanager
def job_folder():
    with tempfile.TemporaryDirectory(prefix="topowise-jobs-", ignore_cleanup_errors=True) as place:
        for host in {platform.node(), platform.node().partition(".")[0]}:
            (pathlib.Path(place) / f"ompi.{host}.{os.geteuid()}").mkdir(mode=0o700)
        yield place
