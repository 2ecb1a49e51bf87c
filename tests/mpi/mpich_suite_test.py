# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own tests of allreduce with `topowise run --allreduce`, with vectors on the host and in the memory of simulated GPUs; all that know GPUs, and
those of the other functions on the host, with `--collectives-on-gpu`. tools/install-mpich-suite.sh fetches them. A test that fails without topowise does not count, and is reported."""

import os
import pathlib
import tempfile
import time

import families
from jobs import PROGRAMS, TOPOWISE, MpiTest

SUITE = pathlib.Path(os.environ.get("TOPOWISE_MPICH_SUITE", families.VENVS.parent / "mpich-suite"))
# As in the suite's files coll/testlist.in and testlist.gpu: program, ranks, arguments.
ON_HOST = [("allred", 4, ("-count=10",)), ("allred", 7, ("-count=10",)), ("allred", 4, ("-count=100",)), ("allredmany", 4, ()), ("allred2", 4, ()),
           ("allred3", 10, ()), ("allred4", 4, ()), ("allred5", 5, ()), ("allred6", 4, ()), ("allred6", 7, ()), ("icallreduce", 5, ()), ("icallreduce", 7, ()),
           ("iallred", 2, ()), ("op_commutative", 2, ())] + [(f"op{name}", 5, ()) for name in ("band", "bor", "bxor", "land", "lor", "lxor", "max", "maxloc", "min", "minloc", "prod", "sum")]
OTHERS_ON_GPU = [(name, ranks, (*arguments, "-evenmemtype=device", f"-oddmemtype={odd}"))
                 for name, ranks, arguments in (("reduce", 5, ()), ("bcast", 4, ("-typelist=MPI_INT", "-counts=1,17,512,65530", "-seed=100", "-testsizes=2")))
                 for odd in ("device", "host")]
# allgatherv4 with its large vectors takes a minute alone, and is left out.
OTHERS_ON_HOST = [("redscat", 4, ()), ("redscat", 6, ()), ("redscat2", 5, ()), ("redscat3", 8, ()), ("redscatinter", 8, ()), ("red_scat_block", 5, ()),
                  ("red_scat_block2", 5, ()), ("redscatblk3", 8, ()), ("redscatbkinter", 8, ()), ("allgatherv2", 10, ()), ("allgatherv3", 10, ()), ("icallgatherv", 5, ()),
                  ("reduce", 5, ()), ("reduce_local", 2, ()), ("icreduce", 5, ()), ("bcasttest", 4, ()), ("bcastzerotype", 5, ()), ("icbcast", 4, ()),
                  ("allgather2", 10, ()), ("allgather3", 10, ()), ("allgather_struct", 10, ()), ("icallgather", 5, ()), ("nonblocking", 4, ()), ("nonblocking2", 4, ()),
                  ("nonblocking3", 4, ()), ("p_bcast", 4, ()), ("p_bcast2", 8, ()), ("p_red", 4, ()), ("p_allred", 4, ()), ("p_allgather", 10, ()), ("p_allgatherv", 10, ()),
                  ("p_red_scat_block", 4, ()), ("p_redscat", 4, ())]
# With vectors on GPUs, and on the host for every second rank.
ON_GPU = [(name, ranks, (*arguments, "-evenmemtype=device", f"-oddmemtype={odd}"))
          for name, ranks, arguments in (("allred", 4, ("-counts=10,100",)), ("allred", 7, ("-count=10",)), ("allred2", 4, ())) for odd in ("device", "host")]

# All collectives with operations, also nonblocking; MPI_Scan and MPI_Exscan are MPI's, so the host must be able to read the vectors.
OPERATIONS_ON_GPU = [("op_coll", 4, ("-evenmemtype=device", f"-oddmemtype={odd}")) for odd in ("device", "host")]


class Programs(MpiTest):
    """The programs of the suite, each compiled once; their common part is compiled once for all of them."""

    def need_suite(self):
        self.need(SUITE.is_dir(), f"{SUITE} is not there: tools/install-mpich-suite.sh")

    def options(self):
        folders = [PROGRAMS / "mpich_suite" / "include", SUITE / "include", SUITE / "util", SUITE / "dtpools/include"]
        # Open MPI declares the functions of MPI-1 only if it is told to.
        return ["-w", "-O0", "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", *(f"-I{path}" for path in folders)]

    def common_objects(self):
        objects = []
        for source in [*(SUITE / f"util/{part}.c" for part in ("mtest", "mtest_common", "mtest_thread")), *(SUITE / "dtpools/src").glob("*.c")]:
            objects.append(self.scratch / f"mpich-{source.stem}.o")
            if not objects[-1].exists():
                self.family.compile(source, objects[-1], *self.options(), "-c")
        return objects

    def built(self, folder, name, changed=None):
        """Compiles a program. `changed` is its source, if it differs from the suite's."""
        output = self.scratch / f"mpich-{folder}-{name}"
        if not output.exists():
            self.family.compile(changed or SUITE / f"{folder}/{name}.c", output, *self.options(), *self.common_objects(), "-lm", "-ldl", "-lpthread")
        return output


class Suite(Programs):
    def setUp(self):
        self.cuda = os.environ.get("TOPOWISE_FAKE_CUDA", "")
        self.need_suite()
        memory = tempfile.TemporaryDirectory(dir="/dev/shm")
        self.addCleanup(memory.cleanup)
        self.environment = families.MPICH_YIELDS | {"TOPOWISE_FAKE_FOLDER": memory.name, "TOPOWISE_CUDA_LIBRARY": self.cuda, "TOPOWISE_HIP_LIBRARY": "/nowhere", "TOPOWISE_ALLREDUCE_TUNING": "off"}

    def passes(self, name, ranks, arguments, wrapper):
        result = self.family.run(ranks, [*wrapper, self.built("coll", name), *arguments], **self.environment)
        return result.returncode == 0 and "No Errors" in result.stdout, f"{result.stdout[-1000:]}\n{result.stderr[-1000:]}"

    def run_on_host(self, programs, option):
        ran = 0
        begin = time.monotonic()
        for name, ranks, arguments in programs:
            with self.subTest(name=name, ranks=ranks, arguments=arguments):
                alone, told = self.passes(name, ranks, arguments, [])
                if not alone:
                    print(f"SKIPPED: {name} with {ranks} ranks does not pass without topowise either: {told.splitlines()[:1]}")
                    continue
                good, told = self.passes(name, ranks, arguments, [TOPOWISE, "run", option, "--"])
                self.assertTrue(good, f"{name} {arguments} with {ranks} ranks: {told}")
                ran += 1
        print(f"{self.family.name}: {ran} of {len(programs)} programs ran and passed alone and with {option}, in {time.monotonic() - begin:.0f} s", flush=True)
        self.assertGreater(ran, len(programs) // 2)

    def run_on_gpus(self, programs, option):
        for name, ranks, arguments in programs:
            with self.subTest(name=name, ranks=ranks, arguments=arguments):
                good, told = self.passes(name, ranks, arguments, [TOPOWISE, "run", option, "--"])
                self.assertTrue(good, f"{name} {arguments} with {ranks} ranks: {told}")

    def test_host(self):
        self.run_on_host(ON_HOST, "--allreduce")

    def test_other_functions_on_host(self):
        self.run_on_host(OTHERS_ON_HOST, "--collectives-on-gpu")

    def test_gpu(self):
        self.run_on_gpus(ON_GPU, "--allreduce")

    def test_other_functions_on_gpus(self):
        self.run_on_gpus(OTHERS_ON_GPU, "--collectives-on-gpu")

    def test_collectives_with_operations_on_gpus(self):
        self.environment["TOPOWISE_FAKE_COHERENT"] = "1"
        self.run_on_gpus(OPERATIONS_ON_GPU, "--collectives-on-gpu")
