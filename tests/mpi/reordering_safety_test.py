# SPDX-License-Identifier: BSD-3-Clause
"""Why `topowise run --reorder` is safe to try: calls have names and can be left out; a warning names a program that does not notice its new ranks; and
the weights of an earlier run are used (programs/topology_corners.c)."""

import os
import re
import shutil
import subprocess

from jobs import PROGRAMS, TOPOWISE, host_in_halves
from reordering_corners_test import HOSTS, RANKS, Job


class Lists(Job):
    def moved(self, *options):
        result, moved = self.corner("disagree none", *options)
        return moved, self.lines(result)[-1]

    def test_calls_by_place_function_and_file(self):
        reported, _ = self.corner("disagree none", "--reorder=report")
        place = re.search(r"MPI_Graph_create at (topology_corners\+0x[0-9a-f]+) \((\w+)\+0x", reported.stderr)
        for name in ("MPI_Graph_create", "topology_corners", "topology*", place.group(1), place.group(2)):
            moved, told = self.moved("--reorder", "--reorder-except", f"nobody,{name}")
            self.assertEqual(moved, 0, name)
            self.assertIn("ranks reordered in 0; 1 left out by --reorder-only or --reorder-except", told)
            self.assertGreater(self.moved("--reorder", "--reorder-only", name)[0], 0, name)
        self.assertEqual(self.moved("--reorder", "--reorder-only", "nobody")[0], 0)
        self.assertGreater(self.moved("--reorder", "--reorder-except", "nobody")[0], 0)

    def test_blanks_and_entries_that_name_nothing(self):
        moved, _ = self.moved("--reorder", "--reorder-except", "MPI_Cart_create, MPI_Graph_create ")
        self.assertEqual(moved, 0)
        result, moved = self.corner("disagree none", "--reorder", "--reorder-except", "MPI_Cart_create, nobody")
        self.assertGreater(moved, 0)
        told = self.lines(result)
        self.assertEqual(told[:-1], ["topowise: --reorder-except: none of these calls is named by 'MPI_Cart_create', 'nobody'"])

    def test_one_summary_for_many_calls(self):
        result, _ = self.corner("communicators")
        told = self.lines(result)
        self.assertEqual(len(told), 1, result.stderr)
        self.assertRegex(told[0], r"--reorder=asked: 26 calls, ranks reordered in \d+ \(hop-bytes .*; \d+ without a clearly better order; 8 on one host; ")

    def test_each_line_once(self):
        """Both halves of the job report the same: it is printed once."""
        result, moved = self.corner("communicators", "--reorder=report")
        self.assertEqual(moved, 0)
        lines = [line for line in self.lines(result) if "nothing" not in line]
        self.assertEqual(len(lines), len(set(lines)), result.stderr)


class KnownLibraries(Job):
    """A library under the name of one that is known to pass reorder = 1 and to go on with its old ranks (programs/known_library.c)."""

    def wrong(self, library, *options):
        """How many processes got another's data, and what was said."""
        built = self.scratch / library
        self.family.compile(PROGRAMS / "known_library.c", built, "-DLIBRARY", "-shared", "-fPIC")
        program = self.scratch / f"uses-{library}"
        self.family.compile(PROGRAMS / "known_library.c", program, "-Wl,--no-as-needed", built, f"-Wl,-rpath,{self.scratch}")
        family = self.family.on_hosts(HOSTS, RANKS)
        result = family.run(RANKS, [TOPOWISE, "run", *options, "--", program])
        self.assertEqual(result.returncode, 0, f"{result.stdout}\n{result.stderr}")
        return int(re.search(r"^wrong (\d+)$", result.stdout, re.M).group(1)), self.lines(result)

    def test_they_are_left_as_they_are(self):
        for library, name in (("libpetsc_real.so.3.18", "PETSc"), ("libMultiRegions.so", "Nektar++")):
            wrong, told = self.wrong(library, "--reorder")
            self.assertEqual(wrong, 0, told)
            self.assertRegex(told[0], rf"MPI_Dist_graph_create_adjacent at {re.escape(library)}\+0x.*: left as it is: {re.escape(name)} .* ignores its new ranks: ")
            self.assertIn("1 call, ranks reordered in 0; 1 of libraries that ignore their new ranks (--reorder-include)", told[-1])

    def test_unless_the_user_says_otherwise(self):
        wrong, told = self.wrong("libpetsc.so", "--reorder", "--reorder-include", "libpetsc*,nobody")
        self.assertGreater(wrong, 0, told)
        self.assertIn("topowise: --reorder-include: none of these calls is named by 'nobody'", told)
        wrong, told = self.wrong("libother.so", "--reorder")
        self.assertGreater(wrong, 0, told)


class GoesOn(Job):
    """Signs that a program does not know its new ranks."""

    def warnings(self, kind):
        result, moved = self.corner(f"goes_on {kind}", expect=None)
        self.assertGreater(moved, 0)
        return [line for line in self.lines(result) if "warning" in line]

    def test_programs_that_notice(self):
        for kind in ("aware", "shift", "copies"):
            self.assertEqual(self.warnings(kind), [], kind)

    def test_programs_that_do_not(self):
        for kind, said in (("blind", "uses the new communicator without having asked"), ("coordinates", "asks for the coordinates of the old one"),
                           ("old", "keeps sending to the neighbours of that rank in the old communicator")):
            told = self.warnings(kind)
            self.assertEqual(len(told), 1, f"{kind}: {told}")
            self.assertIn(said, told[0])
            self.assertRegex(told[0], r"--reorder-except 'topology_corners\+0x[0-9a-f]+'")


class Extents(Job):
    def test_names_of_files_in_one_line(self):
        odd = self.scratch / "two\nlines"
        shutil.copy(self.program("topology_corners.c"), odd)
        result = self.family.run(1, [TOPOWISE, "run", "--reorder=report", "--reorder-topology", host_in_halves(self.scratch), "--", odd, "grid", "1x1"])
        self.assertRegex(result.stderr, r"MPI_Cart_create at two\?lines\+0x.*: 1 vertex, 1 process on 1 host: ranks would stay")

    def test_a_report_names_better_ones(self):
        result, _ = self.corner("grid 8x1", "--reorder=report")
        self.assertRegex(result.stderr, r"MPI_Cart_create at .*; extents 4x2 would cost 33\.3 % less than 8x1 if the grid cuts a cube")


class Weights(Job):
    def apart(self, *options, expect=0):
        result, _ = self.corner("weights", *options, expect=expect)
        found = re.search(r"^apart (\d+)$", result.stdout, re.M)
        return int(found.group(1)) if found else None, result

    def profile(self):
        profile = self.scratch / "recorded.traffic"
        if not profile.exists():
            self.assertEqual(self.apart("--profile", profile)[0], RANKS)
        return profile

    def test_what_was_recorded_weighs_more_than_edges(self):
        self.assertEqual(self.apart("--reorder")[0], RANKS, "the graph alone says that nothing is to be gained")
        apart, _ = self.apart("--reorder", "--reorder-profile", self.profile())
        self.assertEqual(apart, 0)

    def test_while_the_next_profile_is_recorded(self):
        again = self.scratch / "again.traffic"
        apart, _ = self.apart("--reorder", "--reorder-profile", self.profile(), "--profile", again)
        self.assertEqual(apart, 0)
        total = subprocess.run([TOPOWISE, "traffic", str(again), "--collectives", "none"], capture_output=True, text=True, check=True).stdout
        self.assertIn(f"{RANKS} ranks", total)

    def test_a_profile_of_another_job(self):
        matrix = self.scratch / "other.txt"
        matrix.write_text("0 1 0\n0 0 1\n1 0 0\n")
        apart, result = self.apart("--reorder", "--reorder-profile", matrix)
        self.assertEqual(apart, RANKS)
        self.assertRegex(result.stderr, r"'.*other.txt' is of 3 ranks, the job has 8: edges weigh what the program says")

    def test_a_profile_of_another_program(self):
        """The recording is used, because a program may be built anew under another name."""
        other = self.scratch / "renamed"
        shutil.copy(self.program("topology_corners.c"), other)
        family = self.family.on_hosts(HOSTS, RANKS)
        result = family.run(RANKS, [TOPOWISE, "run", "--reorder", "--reorder-profile", self.profile(), "--", other, "weights"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("apart 0", result.stdout)
        self.assertEqual(result.stderr.count("recorded.traffic' was recorded from 'topology_corners', this is 'renamed'"), 1, result.stderr)
        _, own = self.apart("--reorder", "--reorder-profile", self.profile())
        self.assertNotIn("was recorded from", own.stderr)

    def test_files_that_are_missing_or_wrong_end_the_job(self):
        """Rank 0 alone reads the files, before MPI_Init: no launcher may keep the others waiting there."""
        wrong = self.scratch / "wrong.json"
        wrong.write_text("{}")
        for option, file in (("--reorder-topology", self.scratch / "missing.json"), ("--reorder-profile", wrong)):
            result = self.family.run(2, [TOPOWISE, "run", "--reorder", option, file, "--", self.program("topology_corners.c"), "maps"])
            self.assertEqual(result.returncode, 3, f"{option}\n{result.stdout}\n{result.stderr}")
            self.assertEqual(result.stderr.count("topowise run: error:"), 1, result.stderr)

    def test_no_profile_and_its_own(self):
        missing = subprocess.run([TOPOWISE, "run", "--reorder", "--reorder-profile", "/nowhere", "--", "true"], capture_output=True, text=True)
        self.assertEqual(missing.returncode, 3, missing.stderr)
        os.mkfifo(self.scratch / "pipe")
        for option in ("--reorder-profile", "--reorder-topology"):
            pipe = subprocess.run([TOPOWISE, "run", "--reorder", option, self.scratch / "pipe", "--", "true"], capture_output=True, text=True, timeout=900)
            self.assertEqual(pipe.returncode, 3, pipe.stderr)
            self.assertRegex(pipe.stderr, "pipe' is a pipe, and is read more than once")
        own = subprocess.run([TOPOWISE, "run", "--profile", "x", "--reorder", "--reorder-profile", "./x", "--", "true"], capture_output=True, text=True)
        self.assertEqual(own.returncode, 2)
        self.assertIn("--profile records there", own.stderr)
