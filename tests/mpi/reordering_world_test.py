# SPDX-License-Identifier: BSD-3-Clause
"""`topowise run --reorder=world`: MPI_COMM_WORLD itself has another order, and everything that MPI says of it fits the new ranks
(programs/world_order.c and .F90 check it)."""

import re
import struct
import subprocess

from jobs import TOPOWISE, MpiTest, host_in_halves, read_traffic
from reordering_test import HOSTS, RANKS

LESS = r"\S+ -> \S+, \d+\.\d % less"
# Intel MPI binds ranks to different parts of a host if the host has such parts.
REORDERED = rf"topowise: --reorder=world: ranks of MPI_COMM_WORLD reordered \(hop-bytes {LESS}(; inside hosts {LESS})?\); \S+ ms"


class World(MpiTest):
    def run_world(self, command, *options, expect=0, **environment):
        family = self.family.on_hosts(HOSTS, RANKS)
        wrapper = [TOPOWISE, "run", *options, "--"] if options else []
        result = family.run(RANKS, [*wrapper, *command], **environment)
        if expect is not None:
            self.assertEqual(result.returncode, expect, f"{command} {options}\n{result.stdout}\n{result.stderr}")
        return result

    def rows(self, result):
        """[(process, host)] by rank"""
        found = {int(rank): (int(process), host) for rank, process, host in re.findall(r"^(\d+) (\d+) ([\w.-]+)$", result.stdout, re.M)}
        self.assertEqual(sorted(found), list(range(RANKS)), result.stdout)
        self.assertEqual(sorted(process for process, _ in found.values()), list(range(RANKS)))
        return [found[rank] for rank in range(RANKS)]

    def apart(self, result):
        rows = self.rows(result)
        return sum(rows[v][1] != rows[(v + RANKS // 2) % RANKS][1] for v in range(RANKS))

    def profile(self):
        """The traffic of pairs, from a run in the launcher's order, in which the ranks of every pair are apart."""
        profile = self.scratch / "pairs.traffic"
        if not profile.exists():
            result = self.run_world([self.program("world_order.c"), "pairs"], "--profile", profile)
            self.assertEqual(self.apart(result), RANKS)
        return profile

    def in_order(self, command, *options, **more):
        return self.run_world(command, "--reorder=world", "--reorder-profile", self.profile(), *options, **more)

    def test_everything_is_true_to_the_new_ranks(self):
        file = self.scratch / "ranks"
        program = self.program("world_order.c")
        result = self.in_order([program, "all", file], expect=None)
        for way in [] if result.returncode == 0 else ["messages", "groups", "files", "belongings"]:
            alone = self.run_world([program, way, self.scratch / "alone"], expect=None)
            if alone.returncode != 0:  # Intel MPI does not return errors to a program built for the standard ABI
                print(f"not checked: {way}, in which {self.family.name} itself fails", flush=True)
                continue
            result = self.in_order([program, way, file])
        self.assertEqual(self.apart(result), 0)
        self.assertRegex(result.stderr, REORDERED)
        self.assertEqual(struct.unpack(f"{RANKS}i", file.read_bytes()), tuple(range(RANKS)))

    def on_one_host(self):
        """The host is described as two halves: Open MPI 4 and MPICH 5 cannot do one-sided communication between hosts that are one machine."""
        return [TOPOWISE, "run", "--reorder=world", "--reorder-profile", self.profile(), "--reorder-topology", host_in_halves(self.scratch), "--"]

    def only_what_fails_alone(self, result, name, *command):
        """MPICH 4.0 by itself gets some one-sided calls wrong: with the new order nothing else may fail."""
        if result.returncode == 0:
            return
        alone = self.family.run(RANKS, command)
        in_order, by_itself = (set(re.findall(r"^ *rank +\d+: (.+)$", each.stdout + each.stderr, re.M)) for each in (result, alone))
        self.assertNotEqual(by_itself, set(), f"{name}: fails in the new order only\n{result.stdout}\n{result.stderr}")
        self.assertLessEqual(in_order, by_itself, f"{name}\n{result.stdout}\n{result.stderr}")
        print(f"not checked: {name}: {', '.join(sorted(by_itself))}, which {self.family.name} itself gets wrong", flush=True)

    def test_windows(self):
        command = [self.program("world_order.c"), "windows"]
        result = self.family.run(RANKS, [*self.on_one_host(), *command])
        self.only_what_fails_alone(result, "windows", *command)
        self.assertRegex(result.stderr, REORDERED)
        half = [process // (RANKS // 2) for process, _ in self.rows(result)]
        self.assertEqual([half[v] == half[v + RANKS // 2] for v in range(RANKS // 2)], [True] * (RANKS // 2))

    def test_a_recording_is_of_the_ranks_that_the_program_knows(self):
        again = self.scratch / "again.traffic"
        result = self.in_order([self.program("world_order.c"), "pairs"], "--profile", again)
        self.assertEqual(self.apart(result), 0)
        self.assertEqual(result.stderr.count("topowise: recorded "), 1, result.stderr)  # by the launcher's first process, whatever its rank is
        first, _, _ = read_traffic(self.profile(), "--collectives", "none")
        second, _, _ = read_traffic(again, "--collectives", "none")
        self.assertEqual(second, first)

    def test_spawned_processes_see_the_ranks_of_their_parents(self):
        command = [self.program("world_order.c"), "spawn"]
        result = self.in_order(command, expect=None)
        if result.returncode != 0 and self.run_world(command, expect=None).returncode != 0:
            self.skipTest(f"{self.family.name} itself cannot spawn on hosts that are one machine")
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        self.assertRegex(result.stderr, REORDERED)

    def test_calls_past_the_library_are_told(self):
        result = self.in_order([self.program("world_order.c", "-DPAST", suffix="-past"), "pairs"])
        self.assertEqual(self.apart(result), RANKS)
        self.assertIn("the program calls PMPI_Comm_rank, which this library does not see: ranks stay as they are", result.stderr)
        self.assertEqual(result.stderr.count("topowise:"), 2, result.stderr)

    def with_session(self, way):
        """Four ranks on a host in two halves; each rank talks to one in the other half."""
        matrix = self.scratch / "halves.txt"
        matrix.write_text("0 0 1 0\n0 0 0 1\n1 0 0 0\n0 1 0 0\n")
        program = self.program("job_endings.c")
        alone = self.family.run(4, [program, way])
        if "no sessions" in alone.stdout or alone.returncode != 0:
            self.skipTest(f"{self.family.name} cannot do this by itself")
        options = ["--reorder=world", "--reorder-profile", matrix, "--reorder-topology", host_in_halves(self.scratch)]
        result = self.family.run(4, [TOPOWISE, "run", *options, "--", program, way])
        self.assertEqual(result.returncode, 0, f"{way}\n{result.stderr}")
        self.assertEqual(result.stderr.count("mpi://WORLD of a session is no MPI_COMM_WORLD; its ranks stay as they are"), 1, f"{way}\n{result.stderr}")
        return [line for line in result.stderr.splitlines() if re.match(REORDERED, line)], result.stderr

    def test_sessions_are_told_once(self):
        self.assertEqual(self.with_session("sessions")[0], [])

    def test_a_session_around_the_world(self):
        """The session begins before MPI_Init and ends after MPI_Finalize: the world is reordered, and the job ends with its summary. (A session that
        ends before MPI_Init is left out: Open MPI 5.0.11 then hangs in MPI_Init, and MPICH 5.0 sometimes, also without topowise.)"""
        summaries, told = self.with_session("session_around")
        self.assertEqual(len(summaries), 1, told)

    def test_a_recording_of_another_job(self):
        matrix = self.scratch / "other.txt"
        matrix.write_text("0 1 0\n0 0 1\n1 0 0\n")
        result = self.run_world([self.program("world_order.c"), "pairs"], "--reorder=world", "--reorder-profile", matrix)
        self.assertEqual(self.apart(result), RANKS)
        self.assertRegex(result.stderr, r"MPI_COMM_WORLD: ranks stay as they are: '.*other.txt' is of 3 ranks, the job has 8")

    def test_without_a_recording(self):
        for options, why in ((["--reorder=world"], "must be known before they start"),
                             (["--reorder=world", "--reorder-profile", "x", "--reorder-only", "y"], "looks at no calls")):
            result = subprocess.run([TOPOWISE, "run", *options, "--", "true"], capture_output=True, text=True)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(why, result.stderr)

    def test_fortran(self):
        if not self.family.fortran:
            self.skipTest(f"no Fortran compiler for {self.family.name}")
        for binding, name in enumerate(("mpif.h", "mpi", "mpi_f08"), 1):
            if name not in self.family.bindings:
                continue
            file = self.scratch / f"ranks-{binding}"
            program = self.program("world_order.F90", f"-DBINDING={binding}", suffix=f"-f{binding}")
            result = self.family.run(RANKS, [*self.on_one_host(), program, file])
            self.only_what_fails_alone(result, name, program, self.scratch / "alone")
            self.assertRegex(result.stderr, REORDERED, name)
            self.assertEqual(struct.unpack(f"{RANKS}i", file.read_bytes()), tuple(range(RANKS)), name)
