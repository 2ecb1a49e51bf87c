"""topowise.reorder() in a real job of mpi4py."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import topowise

LAB = pathlib.Path(__file__).resolve().parents[2] / "tests" / "lab"


def environment():
    package = str(pathlib.Path(topowise.__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": package, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


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
        before = sum(lab.sent_bytes().values())
        program = [sys.executable, str(pathlib.Path(__file__).with_name("exchange_job.py")), *words]
        job = launcher.job(lab, "openmpi4", ["mpirun.openmpi"], 8, program)
        done = subprocess.run(list(map(str, job)), env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return sum(lab.sent_bytes().values()) - before

    assert sent("before") > 8_000_000  # each message goes over two wires at least
    assert sent("after") < 2_000_000  # what is left are the launcher's bytes and MPI's
    assert sent("after", str(tmp_path / "machine.json")) < 2_000_000


def test_ranks_of_a_job_are_reordered():
    mpirun = shutil.which("mpirun.openmpi")
    assert mpirun, "Open MPI is missing: tools/install-deps.sh test"
    job = [mpirun, "--oversubscribe", "-n", "4", sys.executable, str(pathlib.Path(__file__).with_name("reorder_job.py"))]
    done = subprocess.run(job, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "reordered\n"), done.stderr
