# SPDX-License-Identifier: BSD-3-Clause
"""What happens to a recording when a job is killed, aborts, leaves, spawns, pauses, or has nowhere to write."""

import os
import pathlib
import signal
import subprocess
import sys

from jobs import TOPOWISE, Matrix, MpiTest, read_traffic

RANKS = 3
WORLD = [0, 1, 2]


def ring(size):
    matrix = Matrix()
    matrix.around(WORLD, size)
    return matrix


class WaysOfLife(MpiTest):
    def life(self, way, expect=0, ranks=RANKS, **environment):
        return self.record(ranks, [self.program("ways_of_life.c"), way], expect, **environment)

    def test_finalize(self):
        profile, result = self.life("finalize")
        self.assertTrue(result.stdout.startswith(self.family.library), result.stdout)
        self.assertEqual(self.assert_matrix(profile, ring(1000)), "")

    def test_killed(self):
        profile, result = self.life("kill", expect=None)
        self.assertNotEqual(result.returncode, 0)
        warnings = self.assert_matrix(profile, ring(1000))
        self.assertIn("did not reach MPI_Finalize", warnings)

    def test_aborted(self):
        profile, result = self.life("abort", expect=None)
        self.assertNotEqual(result.returncode, 0)
        warnings = self.assert_matrix(profile, ring(1000))
        self.assertIn("rank 1 called MPI_Abort", warnings)

    def test_left_without_finalize(self):
        profile, _ = self.life("leave", expect=None)
        warnings = self.assert_matrix(profile, ring(1000))
        self.assertIn("did not reach MPI_Finalize", warnings)

    def test_pcontrol(self):
        profile, _ = self.life("pcontrol")
        self.assert_matrix(profile, ring(1020))

    def test_threads(self):
        profile, result = self.life("threads")
        if "no threads" in result.stdout:
            self.skipTest(f"{self.family.name} has no MPI_THREAD_MULTIPLE")
        self.assert_matrix(profile, ring(1000 + 4 * 500 * 8))
        _, messages, _ = read_traffic(profile, "--collectives", "none")
        self.assertEqual(messages[0, 1], 2001)

    def test_spawned(self):
        alone = self.family.run(RANKS, [self.program("ways_of_life.c"), "spawn"])
        if alone.returncode != 0:
            self.skipTest(f"{self.family.name} itself cannot spawn here: exit status {alone.returncode}")
        # A launcher that passes its own environment on gives the library to the children as well.
        profile = self.scratch / "spawn.traffic"
        library = subprocess.run([TOPOWISE, "run", "--profile", profile, "--", "sh", "-c", "echo $LD_PRELOAD"], capture_output=True, text=True).stdout.strip()
        result = self.family.run(RANKS, [self.program("ways_of_life.c"), "spawn"], LD_PRELOAD=library, TOPOWISE_PROFILE=str(profile))
        self.assertEqual(result.returncode, 0, result.stderr)
        warnings = self.assert_matrix(profile, ring(1000))
        self.assertIn("processes of other jobs", warnings)
        self.assertIn("2 files of other runs or spawned jobs", warnings)

    def test_sessions(self):
        profile, result = self.life("sessions")
        if "no sessions" in result.stdout:
            self.skipTest(f"{self.family.name} has no MPI sessions")
        self.assert_matrix(profile, ring(1000))

    def test_a_second_run_takes_the_place_of_the_first(self):
        program = self.program("ways_of_life.c")
        profile, _ = self.life("pcontrol")
        for way in ("kill", "finalize"):
            self.family.run(RANKS, [TOPOWISE, "run", "--profile", profile, "--", program, way])
            self.assert_matrix(profile, ring(1000))
        self.assertEqual(len(list(pathlib.Path(profile).glob("*.twprof"))), RANKS)

    def test_a_run_beside_one_that_is_still_recording(self):
        """The files of the job that waits stay, and one line says so; when it has ended nothing of it is missing."""
        program = self.program("ways_of_life.c")
        profile, fifo = self.scratch / "shared.traffic", self.scratch / "go-on"
        os.mkfifo(fifo)
        record = [TOPOWISE, "run", "--profile", str(profile), "--", str(program)]
        waiting = subprocess.Popen([*self.family.launcher, "-n", str(RANKS), *record, "wait", str(fifo)], env=self.family.env(), stdout=subprocess.PIPE,
                                   text=True, start_new_session=True)
        try:
            self.assertEqual(waiting.stdout.readline(), "waiting\n")
            first = set(profile.glob("*.twprof"))
            second = self.family.run(RANKS, [*record, "finalize"])
            self.assertEqual(second.returncode, 0, second.stderr)
            self.assertTrue(all(path.exists() for path in first), "a file of the job that waits is gone")
            self.assertEqual(len(first), RANKS)
            lines = [line for line in second.stderr.splitlines() if "still recording" in line]
            self.assertEqual(len(lines), 1, second.stderr)
            with open(fifo, "w"):
                pass
            self.assertIn("done", waiting.communicate(timeout=60)[0])
        finally:
            if waiting.poll() is None:
                os.killpg(waiting.pid, signal.SIGKILL)
                waiting.communicate()
        for path in set(profile.glob("*.twprof")) - first:
            path.unlink()
        self.assertEqual(self.assert_matrix(profile, ring(1000)), "")

    def test_nowhere_to_write(self):
        """One clear line, and the job goes on."""
        program = self.program("ways_of_life.c")
        blocked = self.scratch / "a-file"
        blocked.write_text("")
        result = self.family.run(RANKS, [TOPOWISE, "run", "--profile", blocked / "run.traffic", "--", program, "finalize"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("done", result.stdout)
        lines = [line for line in result.stderr.splitlines() if "topowise" in line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn("run.traffic", lines[0])

    def test_full_disk(self):
        """A file system of 64 KiB: the job goes on, what fits is kept, and the reader says that something is missing."""
        mount = self.scratch / "small"
        mount.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", mount], capture_output=True).returncode != 0:
            self.skipTest("mounting a small file system needs root")
        try:
            filler = mount / "filler"
            filler.write_bytes(b"x" * (56 << 10))
            result = self.family.run(RANKS, [TOPOWISE, "run", "--profile", mount / "run.traffic", "--", self.program("ways_of_life.c"), "finalize"])
            _, _, warnings = read_traffic(mount / "run.traffic")
        finally:
            subprocess.run(["umount", mount], check=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("done", result.stdout)
        self.assertIn("No space left on device", result.stderr)
        self.assertLessEqual(len([line for line in result.stderr.splitlines() if "topowise" in line]), RANKS)
        # Two headers fit and no row: of each of the two the message, the barrier and its group.
        self.assertRegex(warnings, r"ranks \d, \d could not store everything, as the disk was full: 6 rows are missing, with 2 messages of 2 KB in all and 2 "
                                   r"collective calls")

    def test_a_program_without_mpi(self):
        profile = self.scratch / "without.traffic"
        result = subprocess.run([TOPOWISE, "run", "--profile", str(profile), "--", sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout.strip()), (0, "42"), result.stderr)
        self.assertFalse(profile.exists() and list(profile.glob("*.twprof")))
