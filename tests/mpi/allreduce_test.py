# SPDX-License-Identifier: BSD-3-Clause
"""`topowise run --allreduce`: MPI_Allreduce of vectors in the memory of simulated GPUs (tests/fake_driver). The results are compared with what
MPI makes of the same vectors on the host (programs/gpu_allreduce.c, programs/gpu_requests.c, programs/gpu_progress.c). `--collectives-on-gpu`: other
functions as well (programs/gpu_collectives.c)."""

import json
import os
import pathlib
import re
import tempfile

from families import MPICH_YIELDS
from jobs import TOPOWISE, MpiTest, read_traffic

ALGORITHMS = ["leader-fused", "shared-buffer", "binomial", "staged-host", "one-shot", "two-shot", "ring"]


class AllreduceTest(MpiTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.on_hip = os.environ.get("TOPOWISE_TEST_DRIVER") == "hip"
        cls.driver = os.environ.get("TOPOWISE_FAKE_HIP" if cls.on_hip else "TOPOWISE_FAKE_CUDA", "")

    def setUp(self):
        self.need(os.path.exists(self.driver), "TOPOWISE_FAKE_CUDA, or TOPOWISE_FAKE_HIP, names no library")
        self.store = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        memory = tempfile.TemporaryDirectory(dir="/dev/shm")  # killed ranks leave files in this folder
        self.addCleanup(memory.cleanup)
        self.environment = MPICH_YIELDS | {"TOPOWISE_FAKE_FOLDER": memory.name, "TOPOWISE_CUDA_LIBRARY": "/nowhere" if self.on_hip else self.driver, "TOPOWISE_HIP_LIBRARY": self.driver if self.on_hip else "/nowhere", "TOPOWISE_FAKE_SESSION": self.store.name, "TOPOWISE_ALLREDUCE_TUNING": "off"}

    def job(self, ranks, scenarios, gpus=1, *, options=("--allreduce",), wrap=(), family=None, expect=0, source="gpu_allreduce.c", **environment):
        """The job's result, after checking that every rank has reported its checks."""
        command = [*wrap, TOPOWISE, "run", *options, "--allreduce-report", "--", self.program(source), scenarios, gpus]
        result = (family or self.family).run(ranks, command, **self.environment | environment)
        self.told = f"{command}\n{result.stdout}\n{result.stderr}"
        if expect is not None:
            self.assertEqual(result.returncode, expect, self.told)
            found = re.findall(r"^rank (\d+): (\d+) checks, (\d+) wrong$", result.stdout, re.MULTILINE)
            self.assertEqual(sorted(int(rank) for rank, _, _ in found), list(range(ranks)), self.told)
            self.assertEqual({wrong for _, _, wrong in found}, {"0"}, self.told)
            self.checks = int(found[0][1])
        return result

    def by(self, result, function="MPI_Allreduce"):
        """The number of calls by algorithm, as rank 0 prints them."""
        lines = re.findall(rf"topowise: {function} in GPU memory: (.*)", result.stderr)
        self.assertEqual(len(lines), 1, self.told)
        return {name: int(count) for count, name in re.findall(r"(\d+) by ([a-z-]+)", lines[0])}

    def call(self, name):
        """What the driver calls a function of CUDA."""
        return {"cuLaunchKernel": "hipModuleLaunchKernel"}.get(name, name.replace("cu", "hip", 1)) if self.on_hip else name

    def fortran(self, *more, options=("--allreduce",)):
        """The job of the Fortran program by every module that there is."""
        if not self.family.fortran:
            self.skipTest("no Fortran compiler for this family")
        for binding in ((), ("-DF08",))[:1 + ("mpi_f08" in self.family.bindings)]:
            defined = [*binding, *more, *(f"-D{name}" for family, name in (("openmpi4", "OPEN_MPI_4"), ("mpich4", "MPICH_4")) if family == self.family.name)]
            program = self.program("gpu_allreduce.F90", "-J", str(self.scratch), *defined, suffix="-fortran" + "".join(defined))
            result = self.family.run(4, [TOPOWISE, "run", *options, "--allreduce-report", "--", program], **self.environment)
            self.told = f"{result.stdout}\n{result.stderr}"
            yield result

    def only(self, rank, variable):
        """Sets a variable on one rank."""
        return ["sh", "-c", f'if [ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {rank} ]; then export {variable}; fi; exec "$@"', "sh"]



class Allreduce(AllreduceTest):
    def test_a_build_without_kernels_says_so(self):
        """Once in a job, and in the report. The calls are right, and go another way than the one that was asked for. So does an incomplete
        installation."""
        libraries = pathlib.Path(self.driver).parent
        (self.store / "libtopowise_interpose.so").symlink_to(libraries / "libtopowise_interpose.so")
        incomplete = self.job(3, "host", 2, TOPOWISE_INTERPOSE=str(self.store / "libtopowise_interpose.so"), expect=None)
        self.assertEqual(incomplete.stderr.count("collectives on GPUs stay the MPI library's: "), 1, self.told)
        (self.store / "libtopowise_allreduce.so").symlink_to(libraries / "without_kernels" / "libtopowise_allreduce.so")
        lack = "this build has no GPU kernels: it was made with TOPOWISE_KERNELS=OFF"
        for options, first in ((("--allreduce=leader-fused",), "leader-fused"), (("--allreduce",), "(leader-fused|one-shot|two-shot|ring)")):
            result = self.job(3, "once", 2, options=options, TOPOWISE_INTERPOSE=str(self.store / "libtopowise_interpose.so"))
            self.assertEqual(set(self.by(result)), {"staged-host"}, self.told)
            self.assertEqual(len(re.findall(f"MPI_Allreduce: {first} is not used: {re.escape(lack)}$", result.stderr, re.MULTILINE)), 1, self.told)
            self.assertRegex(result.stderr, rf"MPI_Allreduce in GPU memory: \d+ by staged-host; {re.escape(lack)}\n")

    def test_every_type_and_operation(self):
        """One vector is larger than one exchange can take."""
        for ranks, gpus in ((1, 1), (3, 2), (5, 4)):
            found = self.by(self.job(ranks, "everything", gpus))
            self.assertEqual(sum(found.values()), self.checks)
            self.assertEqual(set(found), {1: {"leader-fused"}, 2: {"one-shot", "two-shot"}, 4: {"one-shot", "ring"}}[gpus])

    def test_sixteen_bits(self):
        """f16, REAL2 and bf16, by whatever types the library has for them: sums have 32 bits and are rounded once, alike on all ranks."""
        types = {"openmpi4": 0, "openmpi5": 2, "mpich4": 0, "mpich5": 3, "mpich5-abi": 1, "intel": 2}[self.family.name]
        for ranks in (3, 4):
            result = self.job(ranks, "halves")
            self.assertEqual((self.checks, self.by(result)), (types, {"leader-fused": types} if types else {}))

    def test_sixteen_ranks(self):
        """A communicator of one rank is on one GPU."""
        found = self.by(self.job(16, "once", 4))
        self.assertEqual(found, {"leader-fused": 3, "one-shot": self.checks - 3})

    def test_every_algorithm(self):
        for algorithm in ALGORITHMS:
            result = self.job(3, "once", 2, options=[f"--allreduce={algorithm}"], TOPOWISE_FAKE_DELAY_US="50")
            self.assertEqual(self.by(result), {algorithm: self.checks})

    def test_what_no_gpu_reduces_goes_by_the_host(self):
        """Derived types with gaps, the program's own operations, long double, vectors without elements, ranks whose buffer is on the host."""
        self.assertEqual(self.by(self.job(3, "fallback")), {"leader-fused": 2})

    def test_requests(self):
        """MPI_Iallreduce and MPI_Allreduce_init, completed in every way; also begun by one thread and completed by another."""
        self.job(4, "everything", 2, source="gpu_requests.c")
        self.job(3, "threads", 2, source="gpu_requests.c")

    def test_an_error_where_a_request_is_completed(self):
        """The error is on the rank whose driver refuses."""
        wrap = self.only(1, "TOPOWISE_FAKE_FAULT=cuMemcpyHtoDAsync:2:CUDA_ERROR_LAUNCH_FAILED")
        result = self.job(3, "survive", 2, wrap=wrap, source="gpu_requests.c")
        self.assertEqual(sorted(re.findall(r"^rank (\d): (\d) failed$", result.stdout, re.MULTILINE)), [("0", "0"), ("1", "1"), ("2", "0")], self.told)
        self.assertEqual(len(re.findall("MPI_Allreduce: GPU memory cannot be written: " + self.call("cuMemcpyHtoDAsync"), result.stderr)), 1, self.told)

    def test_mpi_goes_on_while_a_rank_waits(self):
        """Messages, nonblocking collectives and windows of ranks that wait in the call, on one host and on two."""
        self.assertEqual(self.by(self.job(3, "windows", source="gpu_progress.c")), {"leader-fused": 5})
        self.job(4, "messages", 2, source="gpu_progress.c", family=self.family.on_hosts(["apple", "birch"], 4))

    def test_gpus_that_do_not_reach_each_other(self):
        """Rank 0's communicators of itself and of the even ranks are on one GPU, the others on both."""
        result = self.job(4, "once", 2, TOPOWISE_FAKE_PEER="none")
        self.assertEqual(self.by(result), {"leader-fused": 7, "staged-host": 10})

    def test_tuned(self):
        """A tuning measured on this machine chooses; a tuning from another machine is ignored, with one line."""
        machine = "SIMULATED Tesla K80"
        file = self.store / "tuning.json"
        for told in ("wrong", "right"):
            file.write_text(json.dumps({"schema": "topowise.allreduce-tuning/1", "machine": machine,
                                        "rows": [{"ranks": 4, "gpus": 1, "sizes": [{"bytes": 4, "algorithm": "binomial"}]}]}))
            result = self.job(4, "everything", TOPOWISE_ALLREDUCE_TUNING=str(file))
            lines = re.findall(r"topowise: MPI_Allreduce: \S+ was measured on '.*' and is ignored on '(.*)'", result.stderr)
            if told == "wrong":
                self.assertEqual(len(lines), 1, self.told)
                self.assertEqual(self.by(result), {"leader-fused": self.checks})
                machine = lines[0]
            else:
                self.assertEqual((lines, self.by(result)), ([], {"binomial": self.checks}))

    def test_ranks_on_several_hosts(self):
        """Reduces on the GPUs of each host, and among the hosts by MPI. Communicators with one rank on each host go by way of the host."""
        family = self.family.on_hosts(["apple", "birch"], 4)
        result = self.job(4, "everything", family=family, TOPOWISE_FAKE_DELAY_US="50")
        self.assertEqual(self.by(result), {"leader-fused": self.checks})
        for algorithm in ("staged-host", "ring"):  # the last algorithm is for one host: another takes its place
            self.job(4, "once,fallback", 2, family=family, options=[f"--allreduce={algorithm}"])  # in the end the hosts vote to leave all calls to MPI

    def test_an_error_on_one_of_several_hosts(self):
        """All ranks of all hosts get the error, also in the middle of a call of several pieces, and none hangs."""
        for rank, fault in ((2, "cuLaunchKernel:3:CUDA_ERROR_LAUNCH_FAILED"), (0, "cuMemcpyDtoHAsync:6:CUDA_ERROR_LAUNCH_FAILED"), (3, "cuMemcpyHtoDAsync:6:CUDA_ERROR_LAUNCH_FAILED")):
            family = self.family.on_hosts(["apple", "birch"], 4)
            wrap = self.only(rank, f"TOPOWISE_FAKE_FAULT={fault}")
            options = ["--allreduce=staged-host"] if rank == 3 else ["--allreduce"]
            result = self.job(4, "survive", wrap=wrap, family=family, options=options)
            failed = re.findall(r"^rank \d: (\d) failed$", result.stdout, re.MULTILINE)
            self.assertEqual(len(failed), 4, self.told)
            self.assertEqual(len(set(failed)), 1, self.told)

    def test_several_threads(self):
        for algorithm in ("auto", "shared-buffer"):
            self.job(4, "threads", options=[f"--allreduce={algorithm}"], TOPOWISE_FAKE_DELAY_US="50")

    def test_a_rank_that_cannot_share_its_memory(self):
        wrap = self.only(1, "TOPOWISE_FAKE_FAULT=cuIpcGetMemHandle:*:CUDA_ERROR_INVALID_VALUE")
        self.assertEqual(self.by(self.job(4, "everything", wrap=wrap)), {"staged-host": self.checks})

    def test_an_error_is_the_communicators(self):
        """With MPI_ERRORS_RETURN all ranks get the one error, and later calls are right: they go by way of MPI."""
        wrap = self.only(0, "TOPOWISE_FAKE_FAULT=cuLaunchKernel:3:CUDA_ERROR_LAUNCH_FAILED")
        result = self.job(4, "survive", wrap=wrap)
        self.assertEqual(len(re.findall(r"^rank \d: 1 failed$", result.stdout, re.MULTILINE)), 4, self.told)
        self.assertEqual(self.by(result), {"leader-fused": 2})
        self.assertRegex(result.stderr, rf"MPI_Allreduce: rank 0 cannot go on in call \d+: {self.call('cuLaunchKernel')} failed on GPU 0: (CUDA_ERROR_LAUNCH_FAILED|hipErrorLaunchFailed)")

    def test_a_vector_that_cannot_be_read(self):
        """The rank takes part nevertheless, and later calls are right. In a blocking call all ranks get the error, in a nonblocking one only that
        rank."""
        wrap = self.only(1, "TOPOWISE_FAKE_FAULT=cuMemcpyDtoHAsync:2:CUDA_ERROR_LAUNCH_FAILED,cuMemcpyDtoHAsync:5:CUDA_ERROR_LAUNCH_FAILED")
        result = self.job(3, "unreadable", wrap=wrap)
        failed = sorted(re.findall(r"^rank (\d): (\d) failed$", result.stdout, re.MULTILINE))
        self.assertEqual(failed, [("0", "0"), ("0", "1"), ("1", "1"), ("1", "1"), ("2", "0"), ("2", "1")], self.told)
        self.assertEqual(len(re.findall("MPI_Allreduce: GPU memory cannot be read: " + self.call("cuMemcpyDtoHAsync"), result.stderr)), 2, self.told)

    def test_a_rank_that_is_killed(self):
        result = self.job(4, "killed", expect=None)
        self.assertNotIn(result.returncode, (0, 124), self.told)  # the error is reported, and no rank hangs

    def test_recorded_at_the_same_time(self):
        """Recording sees the same calls."""
        profile = self.store / "run.traffic"
        self.job(4, "once", 2, options=["--allreduce", "--profile", profile])
        self.assertTrue(read_traffic(profile, "--memory", "device")[0])

    def test_fortran(self):
        """From Fortran, by both modules: with MPICH and related libraries through the C function, with Open MPI through the wrapper of the Fortran
        function."""
        for result in self.fortran():
            self.assertEqual(sorted(re.findall(r"rank (\d): (?:17|22) checks, 0 wrong", result.stdout)), ["0", "1", "2", "3"], self.told)
            self.assertEqual(self.by(result), {"leader-fused": 6})

    def test_without_a_gpu(self):
        """A program that never loads a driver runs as without --allreduce."""
        result = self.job(2, "host", TOPOWISE_CUDA_LIBRARY="/nowhere", TOPOWISE_HIP_LIBRARY="/nowhere")
        self.assertEqual(self.by(result), {})


FUNCTIONS = ["MPI_Allreduce", "MPI_Reduce", "MPI_Bcast", "MPI_Allgather", "MPI_Allgatherv", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block"]
ALL_FUNCTIONS = ("--collectives-on-gpu",)


class Collectives(AllreduceTest):
    def collectives(self, ranks, scenarios, gpus=1, options=ALL_FUNCTIONS, **more):
        return self.job(ranks, scenarios, gpus, options=options, source="gpu_collectives.c", **more)

    def calls_by(self, result):
        """The number of calls of all functions by algorithm."""
        found = {}
        for function in FUNCTIONS:
            for name, count in self.by(result, function).items():
                found[name] = found.get(name, 0) + count
        return found

    def test_every_function(self):
        """From every root, in place and not, around the sizes of pieces, in one sequence with MPI_Allreduce. Only calls without elements are left to MPI."""
        for ranks, gpus in ((1, 1), (2, 1), (3, 2), (5, 4)):
            result = self.collectives(ranks, "everything", gpus)
            for function in FUNCTIONS[1:]:
                self.assertEqual(set(self.by(result, function)), {"leader-fused"}, self.told)
            empty = 2 * len(range(0, ranks, ranks - 1 if ranks > 4 else 1)) + 2 * 4
            self.assertEqual(sum(self.calls_by(result).values()), self.checks - empty, self.told)

    def test_sixteen_ranks(self):
        self.collectives(16, "everything", 4)

    def test_by_the_host(self):
        """staged-host needs neither kernels nor access to other processes' memory."""
        for options, variables in (((*ALL_FUNCTIONS, "--allreduce=staged-host"), {}), (ALL_FUNCTIONS, {"TOPOWISE_FAKE_PEER": "none"})):
            self.assertEqual(set(self.calls_by(self.collectives(3, "everything", 3, options, **variables))), {"staged-host"}, self.told)

    def test_late(self):
        self.collectives(4, "everything,communicators", 2, TOPOWISE_FAKE_DELAY_US="50")

    def test_a_sender_on_the_host_may_go_on(self):
        """MPI's broadcast and reduction do not keep ranks together."""
        for delay in ("0", "300"):
            result = self.collectives(4, "mixed", 2, TOPOWISE_FAKE_DELAY_US=delay)
            self.assertEqual([self.by(result, function) for function in FUNCTIONS], [{}, {"leader-fused": 120}, {"leader-fused": 120}, {}, {}, {}, {}], self.told)

    def test_types_that_no_gpu_takes(self):
        """Derived types, also of one rank only, and operations of the program's own are the MPI library's."""
        result = self.collectives(3, "derived")
        self.assertEqual(self.calls_by(result), {}, self.told)

    def test_types_in_another_order(self):
        """A type without gaps may have its data in another order than they are sent in."""
        result = self.collectives(3, "transposed")
        self.assertEqual((self.by(result, "MPI_Bcast"), self.by(result, "MPI_Allgather")), ({}, {}), self.told)

    def test_parts_of_different_sizes(self):
        """Parts that differ in size, have gaps or lie in another order go through the host, which leaves the gaps as they are. Ranks that have the
        same parts in their order are done on the GPU."""
        for ranks, gpus in ((3, 1), (4, 2)):
            result = self.collectives(ranks, "parts", gpus)
            self.assertEqual([self.by(result, f"MPI_{name}") for name in ("Allgatherv", "Reduce_scatter")], [{"leader-fused": 8}, {"leader-fused": 4}], self.told)
        self.collectives(4, "parts", 2, family=self.family.on_hosts(["apple", "birch"], 4))

    def test_only_what_is_asked_for(self):
        """With one function, calls of the others are MPI's: it gets vectors that the host can read."""
        result = self.collectives(3, "everything", options=("--collectives-on-gpu=bcast",), TOPOWISE_FAKE_COHERENT="1")
        self.assertEqual(set(self.by(result, "MPI_Bcast")), {"leader-fused"})
        self.assertEqual(re.findall(r"MPI_\w+ in GPU memory", result.stderr), ["MPI_Bcast in GPU memory"], self.told)

    def test_an_error_is_the_communicators(self):
        wrap = self.only(0, "TOPOWISE_FAKE_FAULT=cuLaunchKernel:3:CUDA_ERROR_LAUNCH_FAILED")
        result = self.collectives(4, "survive", wrap=wrap)
        self.assertEqual(len(re.findall(r"^rank \d: 1 failed$", result.stdout, re.MULTILINE)), 4, self.told)
        self.assertRegex(result.stderr, rf"MPI_Bcast: rank 0 cannot go on in call \d+: {self.call('cuLaunchKernel')} failed on GPU 0", self.told)

    def test_several_hosts(self):
        """Where a communicator is on several hosts, these calls go through the host's memory."""
        result = self.collectives(4, "everything,derived", 2, family=self.family.on_hosts(["apple", "birch"], 4))
        self.assertEqual(set(self.by(result)), {"leader-fused"}, self.told)
        self.assertEqual(self.by(result, "MPI_Bcast"), {}, self.told)

    def test_requests(self):
        """Nonblocking and persistent forms, on copies on the host; one rank's vector may be on the host."""
        for scenario in ("requests", "persistent"):
            for gpus in (1, 2):
                self.assertEqual(self.calls_by(self.collectives(4, scenario, gpus, TOPOWISE_FAKE_DELAY_US="50")), {}, self.told)

    def test_an_error_where_a_request_is_completed(self):
        wrap = self.only(1, "TOPOWISE_FAKE_FAULT=cuMemcpyHtoDAsync:1:CUDA_ERROR_LAUNCH_FAILED")
        result = self.collectives(3, "requests", 1, wrap=wrap, expect=None)
        self.assertNotEqual(result.returncode, 0, self.told)
        self.assertRegex(result.stderr, rf"MPI_\w+: GPU memory cannot be written: {self.call('cuMemcpyHtoDAsync')}")

    def test_when_ranks_meet(self):
        """At their first call, or in MPI_Init. Calls are the same."""
        for more, met in (((), "did not meet"), (("--allreduce-init", "start"), "met")):
            for family in (self.family, self.family.on_hosts(["apple", "birch"], 4)):
                result = self.collectives(4, "communicators", 2, (*ALL_FUNCTIONS, *more), family=family)
                self.assertEqual(re.findall(r"^rank \d: (.*) in MPI_Init$", result.stdout, re.MULTILINE), [met] * 4, self.told)
        report = self.collectives(2, "host", 1, (*ALL_FUNCTIONS, "--allreduce-init", "start")).stderr
        self.assertIn("MPI_Allreduce in GPU memory: none", report)

    def test_fortran(self):
        for result in self.fortran("-DALL_FUNCTIONS", options=ALL_FUNCTIONS):
            self.assertEqual(sorted(re.findall(r"rank (\d): (?:71|76) checks, 0 wrong", result.stdout)), ["0", "1", "2", "3"], self.told)
            self.assertEqual([self.by(result, function) for function in FUNCTIONS], [{"leader-fused": count} for count in (6, 3, 3, 6, 3, 3, 3)], self.told)

    def test_on_the_host(self):
        self.assertEqual(self.calls_by(self.collectives(3, "host")), {})


class InFull(AllreduceTest):
    """The tests of Allreduce with more ranks, in every combination."""

    def test_every_type_and_operation(self):
        for ranks in (2, 8):
            self.assertEqual(self.by(self.job(ranks, "everything")), {"leader-fused": self.checks})

    def test_every_algorithm(self):
        for algorithm in ALGORITHMS:
            result = self.job(4, "everything,communicators", 2, options=[f"--allreduce={algorithm}"], TOPOWISE_FAKE_DELAY_US="50")
            self.assertEqual(self.by(result), {algorithm: self.checks})

    def test_sixteen_ranks(self):
        found = self.by(self.job(16, "everything,communicators", 4, options=["--allreduce=leader-fused"]))
        self.assertEqual(found, {"leader-fused": self.checks})

    def test_ranks_on_several_hosts(self):
        for algorithm in ("auto", "staged-host", "ring"):
            family = self.family.on_hosts(["apple", "birch"], 4)
            options = [f"--allreduce={algorithm}"]
            result = self.job(4, "everything", family=family, options=options, TOPOWISE_FAKE_DELAY_US="50")
            self.assertEqual(self.by(result), {"staged-host" if algorithm == "staged-host" else "leader-fused": self.checks})
            self.job(4, "communicators", 2, family=family, options=options)
            self.job(4, "fallback", family=family, options=options)

    def test_without_a_gpu(self):
        self.assertEqual(self.by(self.job(4, "host", TOPOWISE_CUDA_LIBRARY="/nowhere", TOPOWISE_HIP_LIBRARY="/nowhere")), {})
