# SPDX-License-Identifier: BSD-3-Clause
"""The place where Open MPI 4 makes the folders of its jobs.

Two processes that begin jobs at the same time may both find that the folder of their user on this host is missing; the second one to make it ends with
"File exists". The last job to end removes the folder. Therefore each job of tests that run side by side has a place of its own, where this folder is
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
