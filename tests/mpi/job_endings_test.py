# SPDX-License-Identifier: BSD-3-Clause
"""What happens to a recording when a job is killed, aborts, leaves, spawns, pauses, or cannot write."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from families import HANGS
from jobs import PROGRAMS, TOPOWISE, Matrix, MpiTest, read_traffic

RANKS = 3
WORLD = [0, 1, 2]


def ring(size):
    matrix = Matrix()
    matrix.around(WORLD, size)
    return matrix


class JobEndings(MpiTest):
    def life(self, way, expect=0, ranks=RANKS, **environment):
        return self.record(ranks, [self.program("job_endings.c"), way], expect, **environment)

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
        alone = self.family.run(RANKS, [self.program("job_endings.c"), "spawn"])
        if alone.returncode != 0:
            self.skipTest(f"{self.family.name} itself cannot spawn here: exit status {alone.returncode}")
        # A launcher that passes on its own environment gives the library to the children as well.
        profile = self.scratch / "spawn.traffic"
        library = subprocess.run([TOPOWISE, "run", "--profile", profile, "--", "sh", "-c", "echo $LD_PRELOAD"], capture_output=True, text=True).stdout.strip()
        result = self.family.run(RANKS, [self.program("job_endings.c"), "spawn"], LD_PRELOAD=library, TOPOWISE_PROFILE=str(profile))
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
        program = self.program("job_endings.c")
        profile, _ = self.life("pcontrol")
        for way in ("kill", "finalize"):
            self.family.run(RANKS, [TOPOWISE, "run", "--profile", profile, "--", program, way])
            self.assert_matrix(profile, ring(1000))
        self.assertEqual(len(list(pathlib.Path(profile).glob("*.twprof"))), RANKS)

    @contextlib.contextmanager
    def waiting_job(self, record, way):
        """A job that has said that it waits. When the block ends, the job goes on and must end well."""
        fifo = pathlib.Path(tempfile.mkdtemp(dir=self.scratch)) / "go-on"
        os.mkfifo(fifo)
        job = subprocess.Popen([*self.family.launcher, "-n", str(RANKS), *record, way, str(fifo)], env=self.family.env(), stdout=subprocess.PIPE,
                               text=True, start_new_session=True)
        try:
            self.assertEqual(job.stdout.readline(), "waiting\n")
            yield
            with open(fifo, "w"):
                pass
            self.assertIn("done", job.communicate(timeout=HANGS)[0])
        finally:
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGKILL)
                job.communicate()

    def test_a_run_beside_one_that_is_still_recording(self):
        """The files of the waiting job stay, and one line says so; when it has ended, its recording is complete."""
        profile = self.scratch / "shared.traffic"
        record = [TOPOWISE, "run", "--profile", str(profile), "--", str(self.program("job_endings.c"))]
        with self.waiting_job(record, "wait"):
            first = set(profile.glob("*.twprof"))
            second = self.family.run(RANKS, [*record, "finalize"])
            self.assertEqual(second.returncode, 0, second.stderr)
            self.assertTrue(all(path.exists() for path in first), "a file of the job that waits is gone")
            self.assertEqual(len(first), RANKS)
            lines = [line for line in second.stderr.splitlines() if "still recording" in line]
            self.assertEqual(len(lines), 1, second.stderr)
        for path in set(profile.glob("*.twprof")) - first:
            path.unlink()
        self.assertEqual(self.assert_matrix(profile, ring(1000)), "")

    def test_two_jobs_of_one_name(self):
        """All ranks of the second job take another name, even if only the last rank of the first job still records."""
        profile = self.scratch / "namesakes.traffic"
        one_name = ["env", "TORCHELASTIC_RUN_ID=same", "RANK=0", f"WORLD_SIZE={RANKS}"]
        record = [TOPOWISE, "run", "--profile", str(profile), "--", *one_name, str(self.program("job_endings.c"))]
        with self.waiting_job(record, "late"):
            while "rank 2 did not reach MPI_Finalize" not in read_traffic(profile)[2]:
                time.sleep(0.05)
            first = set(profile.glob("*.twprof"))
            second = self.family.run(RANKS, [*record, "finalize"])
            self.assertEqual(second.returncode, 0, second.stderr)
            self.assertTrue(all(path.exists() for path in first), "a file of the job that waits is gone")
            self.assertEqual(len(list(profile.glob("*.twprof"))), 2 * RANKS)
            warnings = self.assert_matrix(profile, ring(1000))
            self.assertNotIn("left no file", warnings)
            self.assertIn("3 files of other runs", warnings)
        third = self.family.run(RANKS, [*record, "finalize"])
        self.assertEqual(third.returncode, 0, third.stderr)
        self.assertEqual(len(list(profile.glob("*.twprof"))), RANKS)
        self.assertEqual(self.assert_matrix(profile, ring(1000)), "")

    def test_limited_file_size(self):
        """No signal ends the job. Nothing fits; each rank says so and counts it."""
        for options in ([], ["--trace"]):
            with self.subTest(options=options):
                profile = pathlib.Path(tempfile.mkdtemp(dir=self.scratch)) / "run.traffic"
                result = self.family.run(RANKS, [TOPOWISE, "run", "--profile", profile, *options, "--", self.program("job_endings.c"), "limit"])
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("done", result.stdout)
                self.assertEqual(result.stderr.count("File too large; what is new from here on is not recorded"), RANKS, result.stderr)
                self.assertRegex(read_traffic(profile)[2], r"ranks 0, 1, 2 could not store everything.* with 3 messages of 3 KB in all")

    def test_nobody_reads_standard_error(self):
        """The line goes to a pipe that nobody reads: no rank is ended by SIGPIPE."""
        blocked = self.scratch / "another-file"
        blocked.write_text("")
        result = self.family.run(RANKS, [TOPOWISE, "run", "--profile", blocked / "run.traffic", "--", self.program("job_endings.c"), "deaf"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("done", result.stdout)

    def test_pipes_and_links_in_the_directory(self):
        """Neither the job nor the reader opens the pipes, because opening would wait for the other end."""
        profile = self.scratch / "planted.traffic"
        profile.mkdir()
        os.mkfifo(profile / "0123456789abcdef.0.twprof")
        (profile / "0123456789abcdef.1.twprof").symlink_to("/dev/zero")
        result = self.family.run(RANKS, [TOPOWISE, "run", "--profile", profile, "--", self.program("job_endings.c"), "finalize"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("done", result.stdout)
        warnings = self.assert_matrix(profile, ring(1000))
        self.assertEqual(warnings.count("not a regular file: left out"), 2, warnings)

    def test_nowhere_to_write(self):
        """There is one clear line, and the job goes on."""
        program = self.program("job_endings.c")
        blocked = self.scratch / "a-file"
        blocked.write_text("")
        result = self.family.run(RANKS, [TOPOWISE, "run", "--profile", blocked / "run.traffic", "--", program, "finalize"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("done", result.stdout)
        lines = [line for line in result.stderr.splitlines() if "topowise" in line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn("run.traffic", lines[0])

    @contextlib.contextmanager
    def recorded_on_full_disk(self, *options):
        """The profile of a job on a file system of 64 KiB, which has room for two headers and no row. The job goes on."""
        mount = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        mounted = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", mount], capture_output=True).returncode == 0
        self.need(mounted, "mounting a small file system needs root")
        try:
            filler = mount / "filler"
            filler.write_bytes(b"x" * (56 << 10))
            result = self.family.run(RANKS, [TOPOWISE, "run", "--profile", mount / "run.traffic", *options, "--", self.program("job_endings.c"), "finalize"])
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("done", result.stdout)
            self.assertIn("No space left on device", result.stderr)
            self.assertLessEqual(len([line for line in result.stderr.splitlines() if "topowise" in line]), RANKS)
            yield mount / "run.traffic"
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_full_disk(self):
        with self.recorded_on_full_disk() as profile:
            _, _, warnings = read_traffic(profile)
        # Each of the two lacks the message, the barrier and the barrier's group.
        self.assertRegex(warnings, r"ranks \d, \d could not store everything, as the disk was full: 6 rows are missing, with 2 messages of 2 KB in all and 2 "
                                   r"collective calls")

    def test_full_disk_and_a_trace(self):
        with self.recorded_on_full_disk("--trace") as profile:
            result = subprocess.run([TOPOWISE, "predict", profile, "preset:dgx1-v100", "--phases"], capture_output=True, text=True)
        # Each of the two lacks the message and the barrier.
        self.assertRegex(result.stderr, r"\b4 calls missing: the disk was full")
        self.assertNotIn("reached its limit", result.stderr)

    def test_a_program_without_mpi(self):
        profile = self.scratch / "without.traffic"
        result = subprocess.run([TOPOWISE, "run", "--profile", str(profile), "--", sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout.strip()), (0, "42"), result.stderr)
        self.assertFalse(profile.exists() and list(profile.glob("*.twprof")))


class Heard(MpiTest):
    """One line of one rank says what was recorded, or why nothing was. The exit status stays the program's."""

    def line(self, command, expect=0, ranks=RANKS, **environment):
        profile, result = self.record(ranks, command, expect, **environment)
        lines = [line for line in result.stderr.splitlines() if "recorded" in line]
        self.assertEqual(len(lines), 1, f"{command}\n{result.stderr}")
        return profile.resolve(), lines[0]

    def made(self, name, source, *options):
        (self.scratch / f"{name}.c").write_text(source)
        subprocess.run(["cc", self.scratch / f"{name}.c", "-o", self.scratch / name, *options], check=True, capture_output=True)
        return self.scratch / name

    def test_what_was_recorded(self):
        """Also if the program is started by a script, which ends later."""
        program = self.program("job_endings.c")
        for command in ([program, "finalize"], ["sh", "-c", f"{program} finalize; true"]):
            profile, line = self.line(command)
            self.assertRegex(line, rf"^topowise: recorded 3 ranks: 3 KB in 3 messages between 3 pairs(; \d+ calls of collectives)?: topowise traffic {profile}$")

    def test_nothing(self):
        plain = self.made("plain", "int main(int c, char** v) { return c > 1 ? 5 : 0; }")
        static = self.made("static", "int main(void) { return 0; }", "-static")
        reason = "topowise: nothing was recorded: the program loaded neither an MPI library nor NCCL"
        for command in ([plain], ["bash", "-c", f"{plain}; {plain}; true"]):
            self.assertEqual(self.line(command)[1], reason)
        self.assertEqual(self.line([static])[1],
                         f"topowise run: nothing will be recorded: '{static}' is linked statically, so the recording library cannot be loaded into it")
        alone = subprocess.run([TOPOWISE, "run", "--profile", self.scratch / "status", "--", plain, "5"], capture_output=True, text=True)
        self.assertEqual((alone.returncode, alone.stderr.splitlines()[-1]), (5, reason))

    def test_pytorch_without_nccl(self):
        """A library of PyTorch's name stands in for PyTorch, whose backend gloo uses sockets alone."""
        (self.scratch / "torch.c").write_text("int torch;")
        library = self.scratch / "libtorch_cpu.so"
        subprocess.run(["cc", "-shared", "-fPIC", self.scratch / "torch.c", "-o", library], check=True)
        program = self.made("gloo", "int main(void) { return 0; }", "-Wl,--no-as-needed", library, f"-Wl,-rpath,{self.scratch}")
        self.assertEqual(self.line([program])[1],
                         "topowise: nothing was recorded: the program loaded PyTorch and neither MPI nor NCCL; PyTorch's own backend, gloo, is not recorded")

    def test_no_message(self):
        (self.scratch / "init.c").write_text("""#include <mpi.h>
            #include <stdlib.h>
            int main(int c, char** v) {
              if (c == 2) return 0;
              MPI_Init(&c, &v);
              if (c > 2) exit(0);
              MPI_Finalize();
              return 0;
            }""")
        init = self.scratch / "init"
        self.family.compile(self.scratch / "init.c", init)
        self.assertEqual(self.line([init])[1], "topowise: nothing was recorded: 3 ranks sent no message and called no collective")
        self.assertRegex(self.line([init, "no"])[1], r"topowise: nothing was recorded: the program loaded libmpi\S* and did not call MPI_Init$")
        self.assertEqual(self.line([init, "and", "exit"], expect=None, ranks=1)[1], "topowise: nothing was recorded: rank 0 ended without MPI_Finalize before any message")

    def test_killed(self):
        """The signal of a rank, its number as the exit status, and a line all the same: also of a script that was killed itself."""
        (self.scratch / "killed.c").write_text("""#include <mpi.h>
            #include <signal.h>
            #include <stdlib.h>
            #include <unistd.h>
            int main(int c, char** v) {
              const int number = atoi(v[2]);
              if (v[1][0] == 'a') MPI_Init(&c, &v);
              if (v[1][0] == 'm') { MPI_Init(&c, &v); MPI_Bcast(&c, 1, MPI_INT, 0, MPI_COMM_WORLD); }
              int rank = 0;
              const char* given = getenv("OMPI_COMM_WORLD_RANK");  /* hydra would wait for the others before MPI_Init */
              if (v[1][0] != 'b') MPI_Comm_rank(MPI_COMM_WORLD, &rank);
              else if (given != NULL) rank = atoi(given);
              while (rank != 0) pause();  /* the launcher ends it */
              if (number == 0) _exit(3);
              raise(number);
              return 0;
            }""")
        killed = self.scratch / "killed"
        self.family.compile(self.scratch / "killed.c", killed)
        nothing = "topowise: nothing was recorded: rank 0 ended by a signal, by _exit() or in a program that does not load the recording library, before MPI or NCCL began"
        for when in ("before", "after", "message"):
            for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, 0):
                with self.subTest(when, signal=number):
                    profile, result = self.record(2, [killed, when, str(int(number))], None)
                    lines = [line for line in result.stderr.splitlines() if "recorded" in line]
                    until = f"topowise: rank 0 ended by a signal or by _exit(); what was recorded until then, if anything: topowise traffic '{profile.resolve()}'"
                    expected = [nothing if when == "before" else until]
                    # Open MPI reads to the end what comes from a rank; hydra may be gone by then.
                    self.assertIn(lines, [expected] if self.family.name.startswith("openmpi") else [expected, []], result.stderr)
        for number in (signal.SIGKILL, signal.SIGABRT):
            alone = subprocess.run([TOPOWISE, "run", "--profile", self.scratch / "alone", "--", killed, "before", str(int(number))], capture_output=True, text=True)
            self.assertEqual((alone.returncode, alone.stderr.splitlines()[-1]), (-number, nothing))
        script = subprocess.run([TOPOWISE, "run", "--profile", self.scratch / "alone", "--", "sh", "-c", "kill -9 $$"], capture_output=True, text=True)
        self.assertEqual((script.returncode, script.stderr.splitlines()[-1]), (-signal.SIGKILL, nothing))

    def test_forked_child(self):
        """A child that ends by _exit(), as those of Python's multiprocessing do, is no rank 0 that has died."""
        (self.scratch / "forked.c").write_text("""#include <mpi.h>
            #include <sys/wait.h>
            #include <unistd.h>
            int main(int c, char** v) {
              int status = 1;
              const pid_t child = fork();
              if (child != 0) return waitpid(child, &status, 0) != child || status != 0;
              MPI_Init(&c, &v);
              MPI_Bcast(&c, 1, MPI_INT, 0, MPI_COMM_WORLD);
              MPI_Finalize();
              _exit(0);
            }""")
        self.family.compile(self.scratch / "forked.c", self.scratch / "forked")
        profile, result = self.record(1, [self.scratch / "forked"])
        self.assertEqual(len(list(profile.glob("*.twprof"))), 1, result.stderr)  # the child's
        self.assertNotIn("rank 0 ended", result.stderr)
        self.assertIn("topowise: recorded 1 rank in processes that this one started: 1 call of collectives: topowise traffic ", result.stderr)

    def test_library_of_another_family(self):
        if self.family.name != "openmpi4":
            self.skipTest("tried with Open MPI's launcher and a program of MPICH")
        self.need(shutil.which("mpicc.mpich"), "mpicc.mpich is missing")
        program = self.scratch / "foreign"
        subprocess.run(["mpicc.mpich", PROGRAMS / "point_to_point.c", "-o", program], check=True, capture_output=True)
        self.assertIn("recorded one rank alone, although the launcher started 3 processes: the program's MPI library is not the launcher's", self.line([program], expect=None)[1])

    def test_one_error_for_all_ranks(self):
        """Also of verbs that start no program; an error of a single rank is reported as well."""
        for command, error in ((["run", "--bad"], "unknown option '--bad'"), (["map", "--bad"], "unknown option '--bad'"), (["run"], "the command is missing"),
                               (["run", "--mapping", "none.json", "--", "true"], "cannot read 'none.json'")):
            result = self.family.run(8, [TOPOWISE, *command])
            self.assertNotEqual(result.returncode, 0)
            said = result.stderr.count(error)
            self.assertTrue(said == result.stderr.count("error: ") and 1 <= said < 8, f"{command}\n{result.stderr}")  # 1, unless rank 0 gets no processor
        goes_on = self.family.run(2, ["sh", "-c", '"$0" map --bad 2> /dev/null; echo goes on', TOPOWISE])
        self.assertEqual((goes_on.returncode, goes_on.stdout.count("goes on")), (0, 2), goes_on.stderr)
        only = 'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 2 ]; then exec "$0" run --bad; else exec "$0" run -- "$@"; fi'
        result = self.family.run(RANKS, ["sh", "-c", only, TOPOWISE, self.program("job_endings.c"), "finalize"])
        self.assertEqual(result.stderr.count("error: unknown option '--bad'"), 1, result.stderr)
