# SPDX-License-Identifier: BSD-3-Clause
"""Where Open MPI 4 makes the folders of its jobs.

Two jobs that begin at once may both find the folder of their user on this host missing, and the second to make it ends with
"File exists". So tests that run side by side have a place each, and there that folder is made before and never empty, as the last
job to end removes an empty one."""

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
            folder = pathlib.Path(place) / f"ompi.{host}.{os.geteuid()}"
            folder.mkdir(mode=0o700)
            (folder / "kept").touch()
        yield place
