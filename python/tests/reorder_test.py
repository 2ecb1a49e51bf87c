"""topowise.reorder() in a real job of mpi4py."""

import os
import pathlib
import shutil
import subprocess
import sys

import nanobind_backend
import networkx
import numpy
import pytest
import scipy
import topowise

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAB = ROOT / "tests" / "lab"


def environment(*more):
    package = pathlib.Path(topowise.__file__).parent.parent
    path = os.pathsep.join(map(str, (package, *more)))
    return {**os.environ, "PYTHONPATH": path, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def assert_reordered(mpiexec, python, **environment):
    job = [mpiexec, "-n", "4", python, str(pathlib.Path(__file__).with_name("reorder_job.py"))]
    done = subprocess.run(list(map(str, job)), capture_output=True, text=True, check=False, **environment)
    assert (done.returncode, done.stdout) == (0, "reordered\n"), done.stderr


@pytest.fixture
def lab():
    """Four emulated hosts behind two switches (tests/lab)."""
    sys.path.insert(0, str(LAB))
    import fabric
    from network import Network, NotPossible

    network = Network(f"p{os.getpid() % 1000000}", fabric.parse((LAB / "fabrics" / "two-switches.fabric").read_text()))
    try:
        network.up()
    except NotPossible as reason:
        if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
            raise
        pytest.skip(str(reason))
    yield network
    network.down()


def test_messages_leave_the_wires(lab, tmp_path):
    import launcher

    (tmp_path / "machine.json").write_text(lab.fabric.topology("two switches"))

    def sent(*words):
        before = sum(link.bytes for link in lab.sent().values())
        program = [sys.executable, str(pathlib.Path(__file__).with_name("exchange_job.py")), *words]
        job = launcher.job(lab, "openmpi4", ["mpirun.openmpi"], 8, program)
        done = subprocess.run(list(map(str, job)), env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return sum(link.bytes for link in lab.sent().values()) - before

    assert sent("before") > 8_000_000  # each message crosses at least two wires
    assert sent("after") < 2_000_000  # only the launcher's and MPI's own bytes are left
    assert sent("after", str(tmp_path / "machine.json")) < 2_000_000


def test_ranks_of_a_job_are_reordered():
    mpirun = shutil.which("mpirun.openmpi")
    assert mpirun, "Open MPI is missing: tools/install-deps.sh test"
    assert_reordered(mpirun, sys.executable, env={**environment(), "OMPI_MCA_rmaps_base_oversubscribe": "1"})


def test_ranks_of_a_job_of_mpich_are_reordered(tmp_path):
    """Runs the Python of MPICH's virtual environment, with NumPy and other packages of this environment."""
    venv = pathlib.Path(os.environ.get("TOPOWISE_MPI_VENVS") or ROOT / ".deps" / "mpi") / "v-mpich"
    if not (venv / "bin" / "mpiexec").exists() or not (venv / "lib" / f"python3.{sys.version_info[1]}").exists():
        assert os.environ.get("TOPOWISE_REQUIRE_ALL") != "1", "MPICH is missing: tools/install-mpi-venvs.sh"
        pytest.skip("MPICH is missing, or is for another Python: tools/install-mpi-venvs.sh")
    for package in (numpy, scipy, networkx, nanobind_backend):
        folder = pathlib.Path(package.__file__).parent
        for name in (folder.name, folder.name + ".libs"):
            if (folder.parent / name).exists():
                (tmp_path / name).symlink_to(folder.parent / name)
    assert_reordered(venv / "bin" / "mpiexec", venv / "bin" / "python", env=environment(tmp_path))
