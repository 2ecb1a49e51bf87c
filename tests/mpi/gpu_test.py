# SPDX-License-Identifier: BSD-3-Clause
"""GPU-aware recording and `run --auto`, on a simulated node with 16 GPUs (tests/fake_driver): SIMULATED."""

import re
import subprocess

from gpu_jobs import RANKS, TOLD, GpuTest, neighbors
from jobs import TOPOWISE, Matrix, read_traffic


class Gpus(GpuTest):
    def test_two_commands(self):
        """The first run records; in the second one every rank is where the messages take less time."""
        gpus, result = self.stencil("--auto")
        self.assertIn("16 ranks on 16 GPUs by the topology alone: no profile yet, calls of MPI and NCCL are recorded into", result.stderr)
        self.assertRegex(result.stderr, r"\ntopowise: recorded 16 ranks: .*: topowise traffic \S+-16\.traffic\n")
        self.assert_default(gpus)
        if all(rank == local for rank, local in self.local_ranks.items()):
            self.assertEqual(self.hop_bytes(gpus), 272)
        profiles = list((self.store / "profiles").iterdir())
        self.assertEqual(len(profiles), 1)
        device, _, _ = read_traffic(profiles[0], "--memory", "device")
        self.assertEqual(device, neighbors(1024, 3))
        self.assertEqual(read_traffic(profiles[0], "--memory", "host")[0], {})
        self.assertEqual(read_traffic(profiles[0], "--memory", "mixed")[0], neighbors(1024, 3))  # received on the host
        self.assertEqual(read_traffic(profiles[0], "--memory", "device-device")[0], {})
        stamps = {file: file.stat().st_mtime_ns for file in profiles[0].iterdir()}

        gpus, result = self.stencil("--auto", "--verify")
        self.assertRegex(result.stderr, r"auto: 16 ranks on 16 GPUs by '.*': \d+\.\d % less predicted time than in the default order")
        self.assertEqual(len(set(gpus.values())), RANKS)
        self.assert_fast(gpus)
        self.assert_as_mapped(result)
        self.assertEqual(stamps, {file: file.stat().st_mtime_ns for file in profiles[0].iterdir()})  # not recorded again
        for binding, memory in (("set-device", "current"), ("only", "device")):
            again, _ = self.stencil("--auto", "--gpu-bind", binding, memory=memory)
            self.assertEqual(again, gpus, binding)

    def test_the_call_that_starts_mpi(self):
        """The mapped GPU is current after each way to start MPI. The runs have --profile FILE: they need no recording."""
        traffic = self.traffic_file(neighbors(1024, 3))
        for start in ("init", "thread", "session"):
            if start == "session" and self.family.name == "openmpi4":
                continue  # MPI 3 has no sessions
            with self.subTest(start):
                gpus, _ = self.stencil("--auto", "--gpu-bind", "set-device", "--profile", traffic, memory="current", start=start)
                self.assert_fast(gpus)

    def test_recorded_gpus(self):
        """The file names the GPU whose memory it was, and --auto with a directory of its own works like the store."""
        profile = self.store / "mine"
        gpus, _ = self.stencil("--auto", "--profile", profile)
        for file in profile.glob("*.twprof"):
            rank = int(file.name.split(".")[1])
            self.assertIn(gpus[rank].encode() + b"\0", file.read_bytes()[:4096])
        shown = subprocess.run([TOPOWISE, "traffic", profile], check=True, capture_output=True, text=True).stdout
        self.assertIn("between GPUs 0 B, between GPU and host 98.3 KB, on the host 0 B", shown)
        self.assertIn(f"GPUs of the ranks: 0 on {gpus[0]}, 1 on {gpus[1]}", shown)
        self.assert_fast(self.stencil("--auto", "--profile", profile)[0])

    def test_buffers_of_the_host(self):
        profile, _ = self.record(RANKS, [self.program("gpu_stencil.c", "-ldl"), 4, 4, 1024, 3, "host"], **self.environment)
        self.assertEqual(read_traffic(profile, "--memory", "host-host")[0], neighbors(1024, 3))
        self.assertEqual(read_traffic(profile, "--memory", "device")[0], {})

    def test_no_driver(self):
        gpus, result = self.stencil("--auto", "--gpu-bind", "set-device", TOPOWISE_CUDA_LIBRARY="/nonexistent/libcuda.so", TOPOWISE_HIP_LIBRARY="/nonexistent")
        self.assertEqual(set(gpus.values()), {None})
        self.assertEqual(sum("no GPU driver is there" in line for line in self.lines(result)), 1, result.stderr)

    def test_no_management_library(self):
        """The driver alone is enough: the ranks are placed as with the management library, and the output says what is not known."""
        absent = {"TOPOWISE_NVML_LIBRARY": "/nonexistent/libnvidia-ml.so"}
        self.stencil("--auto", **absent)
        gpus, result = self.stencil("--auto", "--verify", **absent)
        self.assert_fast(gpus)
        self.assert_as_mapped(result)
        self.assertEqual(sum("/nonexistent/libnvidia-ml.so: cannot open" in line and "known by the cuda driver alone" in line for line in self.lines(result)), 1,
                         result.stderr)

    def test_amd_by_its_driver_alone(self):
        """HIP in place of CUDA, without any of AMD's programs: two ranks are on each of eight GPUs, as near as the driver's order says."""
        hip = {"TOPOWISE_CUDA_LIBRARY": "/nonexistent", "TOPOWISE_NVML_LIBRARY": "/nonexistent", "TOPOWISE_HIP_LIBRARY": self.cuda.replace("fake_cuda", "fake_hip"),
               "TOPOWISE_FAKE_NODE": "preset:mi250x"}
        gpus, result = self.stencil("--auto", "--verify", **hip)
        self.assertEqual(set(gpus.values()), {None})  # the program knows only CUDA
        self.assertIn("16 ranks on 8 GPUs by the topology alone", result.stderr)
        self.assert_as_mapped(result)
        self.assertEqual(sum("known by the hip driver alone" in line for line in self.lines(result)), 1, result.stderr)

    def test_neither_library_nor_driver(self):
        gpus, result = self.stencil("--auto", TOPOWISE_NVML_LIBRARY="/nonexistent", TOPOWISE_CUDA_LIBRARY="/nonexistent", TOPOWISE_HIP_LIBRARY="/nonexistent")
        self.assertEqual(set(gpus.values()), {None})
        self.assertEqual(sum("no GPU is known in" in line and "no rank of this node is mapped" in line for line in self.lines(result)), 1, result.stderr)

    def test_no_permission(self):
        """The devices are there but may not be opened: the program runs as it would without topowise."""
        gpus, result = self.stencil("--auto", TOPOWISE_FAKE_NVML_FAULT="nvmlInit:*:NVML_ERROR_NO_PERMISSION", TOPOWISE_FAKE_FAULT="cuInit:*:CUDA_ERROR_NOT_PERMITTED",
                                    TOPOWISE_HIP_LIBRARY="/nonexistent")
        self.assertEqual(set(gpus.values()), {None})
        self.assertEqual(sum("no rank of this node is mapped" in line for line in self.lines(result)), 1, result.stderr)
        self.assertIn("NVML does not start: insufficient permissions", result.stderr)
        self.assertIn("CUDA_ERROR_NOT_PERMITTED", result.stderr)

    def test_one_gpu_without_permission(self):
        """Neither the management library nor the driver may open one GPU: the ranks are put onto the others."""
        others = ",".join(str(gpu) for gpu in range(RANKS) if gpu != 3)
        gpus, result = self.stencil("--auto", "--verify", TOPOWISE_FAKE_NVML_FAULT="nvmlDeviceGetHandleByIndex:4:NVML_ERROR_NO_PERMISSION", CUDA_VISIBLE_DEVICES=others)
        self.assert_as_mapped(result)
        self.assertIn("16 ranks on 15 GPUs", result.stderr)
        self.assertNotIn("0000:13:00.0", gpus.values())

    def test_ipc_refused(self):
        """The driver says that the GPUs can reach each other, but the system refuses: --verify reports it, and everything goes on."""
        profile = self.store / "mine"
        fault = {"TOPOWISE_FAKE_FAULT": "cuIpcOpenMemHandle:*:CUDA_ERROR_OPERATING_SYSTEM"}
        _, result = self.stencil("--auto", "--profile", profile, memory="shared", **fault)
        self.assertEqual(result.stdout.count("exchanges by the host"), RANKS)
        self.assertEqual(read_traffic(profile, "--collectives", "none")[0], neighbors(1024, 3))
        gpus, result = self.stencil("--auto", "--profile", profile, "--verify", memory="shared", **fault)
        self.assert_fast(gpus)
        self.assertEqual(result.stdout.count("exchanges by the host"), RANKS)
        told = [line for line in self.lines(result) if "cannot open the GPU memory of another one" in line]
        self.assertEqual(len(told), 1, result.stderr)
        self.assertRegex(told[0], r"verify: 16 of 16 ranks on .*: cuIpcOpenMemHandle(_v2)? failed on GPU \d+: CUDA_ERROR_OPERATING_SYSTEM .*--ipc=host")
        _, result = self.stencil("--auto", "--profile", profile, "--verify", memory="shared")
        self.assertEqual(result.stdout.count("exchanges by itself"), RANKS)
        self.assertNotIn("cannot open the GPU memory", result.stderr)

    def test_one_rank_without_gpu(self):
        gpus, result = self.stencil("--auto", before=self.only('[ "$rank" = 5 ] && export CUDA_VISIBLE_DEVICES='))
        self.assertEqual([rank for rank, gpu in gpus.items() if gpu is None], [5])
        self.assertEqual(len(set(gpus.values())), RANKS)
        self.assertIn("rank 5 sees no GPU, so it stays without one", result.stderr)

    def test_different_sets(self):
        gpus, result = self.stencil("--auto", before=self.only('export CUDA_VISIBLE_DEVICES="$rank"'))
        self.assertEqual(gpus, {rank: f"0000:{16 + rank:02x}:00.0" for rank in range(RANKS)})
        self.assertRegex(result.stderr, r"rank (\d+) sees GPU\1 and rank (\d+) sees GPU\2: only ranks that see the same GPUs can be mapped")

    def test_a_rank_that_comes_late(self):
        """Rank 5 (on no node local rank 0) comes when all others have given up and run their program. On a busy machine other ranks may be late,
        too."""
        late = self.only(f'[ "$rank" = 5 ] && until [ $(ls {TOLD} 2> /dev/null | wc -l) = {RANKS - 1} ]; do sleep 0.05; done')
        gpus, result = self.stencil("--auto", "--wait", "500ms", before=late, tells=True)
        self.assert_default(gpus)
        named = re.search(r"local ranks? ([0-9, ]+) of this node did not come within 0.5 s", result.stderr)
        self.assertIn(str(self.local_ranks[5]), named[1].split(", ") if named else [], result.stderr)

    def test_busy_gpus(self):
        busy = {"0000:10:00.0", "0000:13:00.0"}
        gpus, result = self.stencil("--auto", TOPOWISE_FAKE_BUSY="0,3")
        self.assert_default(gpus)
        self.assertIn("0000:13:00.0 is busy (1 process, 0.0 GiB in use): --avoid-busy leaves it out", result.stderr)
        gpus, result = self.stencil("--auto", "--avoid-busy", TOPOWISE_FAKE_BUSY="0,3")
        self.assertFalse(busy & set(gpus.values()))
        self.assertIn("16 ranks on 14 GPUs", result.stderr)
        self.assertLessEqual(max(list(gpus.values()).count(gpu) for gpu in gpus.values()), 2)

    def test_partitioned_gpu(self):
        """Where a GPU is cut into parts (MIG), each rank on it gets a part of its own, and the list of no other rank contains this part."""
        gpus, result = self.stencil("--auto", "--verify", TOPOWISE_FAKE_MIG="0:2")
        self.assertIn("GPU0 is partitioned (MIG): a rank there gets a part, without peer access", result.stderr)
        self.assert_as_mapped(result)
        self.assertLessEqual(list(gpus.values()).count("0000:10:00.0"), 2)
        self.assertEqual(max(list(gpus.values()).count(gpu) for gpu in set(gpus.values()) - {"0000:10:00.0"}), 1)

    def test_ranks_that_were_given_parts(self):
        part = "MIG-51d0fa4e-0001-4000-8000-000000000000"
        gpus, result = self.stencil("--auto", TOPOWISE_FAKE_MIG="0:2", CUDA_VISIBLE_DEVICES=part)
        self.assertEqual(set(gpus.values()), {"0000:10:00.0"})
        self.assertEqual(sum("there is nothing to choose" in line and "no rank of this node is mapped" in line for line in self.lines(result)), 1, result.stderr)

    def test_shared_gpus(self):
        """A client of MPS, and processes that take turns on a GPU, are mapped like other ranks."""
        for mode in ({"TOPOWISE_FAKE_MPS": "1"}, {"TOPOWISE_FAKE_TIMESLICE_US": "100"}):
            with self.subTest(mode):
                gpus, result = self.stencil("--auto", "--avoid-busy", "--verify", TOPOWISE_FAKE_BUSY=",".join(map(str, range(8))), **mode)
                self.assertIn("16 ranks on 8 GPUs", result.stderr)
                self.assertEqual({list(gpus.values()).count(gpu) for gpu in gpus.values()}, {2})
                self.assert_as_mapped(result)

    def test_verify_until_the_end(self):
        """With set-device a program can choose another GPU after MPI_Init. --verify says what holds then, and at the end which ranks did so."""
        traffic = self.traffic_file(neighbors(1024, 3))
        options = ["--auto", "--profile", traffic, "--gpu-bind", "set-device", "--verify"]
        changed = re.compile(r"rank (\d+): verify: at the end of MPI the current GPU is (\S+), not (\S+) of the mapping")
        kept, result = self.stencil(*options, memory="current")
        self.assertIn("device at MPI_Init", result.stderr)
        self.assertEqual(changed.findall(result.stderr), [])
        chosen, result = self.stencil(*options, memory="device")  # it takes the GPU whose number is its local rank
        self.assert_default(chosen)
        self.assertEqual(sorted((int(rank), bus, mapped) for rank, bus, mapped in changed.findall(result.stderr)),
                         [(rank, chosen[rank], kept[rank]) for rank in range(RANKS) if chosen[rank] != kept[rank]], result.stderr)
        self.assertEqual(changed.findall(self.stencil("--auto", "--profile", traffic, "--verify")[1].stderr), [])
        # With the default binding, device 0 is right for the first rank of the node alone.
        program = ["env", "OMPI_COMM_WORLD_LOCAL_RANK=0", "MPI_LOCALRANKID=0", self.program("gpu_stencil.c", "-ldl"), 4, 4, 1024, 3, "device"]
        result = self.family.run(RANKS, [TOPOWISE, "run", "--auto", "--profile", traffic, "--verify", "--", *program], **self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(changed.findall(result.stderr)), RANKS - 1, result.stderr)

    def test_driver_that_fails(self):
        for fault, expected in (("cuInit:1:CUDA_ERROR_SYSTEM_NOT_READY", "is not made current: cuInit: CUDA_ERROR_SYSTEM_NOT_READY"),
                                ("cuDevicePrimaryCtxRetain:1:CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_OUT_OF_MEMORY")):
            with self.subTest(fault):
                _, result = self.stencil("--auto", "--gpu-bind", "set-device", memory="current", TOPOWISE_FAKE_FAULT=fault)
                self.assertIn(expected, result.stderr)

    def test_gpu_lost_while_recording(self):
        _, result = self.stencil("--auto", TOPOWISE_FAKE_FAULT="cuPointerGetAttributes:1+:CUDA_ERROR_ECC_UNCORRECTABLE")
        self.assertIn("the GPU driver does not say where buffers lie (error 214)", result.stderr)
        profile = next((self.store / "profiles").iterdir())
        self.assertEqual(read_traffic(profile)[0], neighbors(1024, 3))

    def test_verify_ends_a_job_that_is_not_as_mapped(self):
        """By default each rank talks to a rank that has a GPU of the other socket, however the launcher numbers the ranks."""
        self.stencil("--auto")
        rank_of = {local: rank for rank, local in self.local_ranks.items()}
        across = Matrix()
        for local in range(RANKS):
            across[rank_of[local], rank_of[(local + RANKS // 2) % RANKS]] += 1024
        _, result = self.stencil("--auto", "--profile", self.traffic_file(across), "--gpu-bind", "none", "--verify", fails=True)
        self.assertIn("not as mapped", result.stderr)
