#!/usr/bin/env python3
"""Every name under which topowise makes a file where others can write: neighbour_sweep_test.py PROGRAM

Each command of the table below runs twice where nobody is in its way, and the kernel says (inotify) which names it makes in the shared folders meanwhile,
however briefly. Names of both runs can be foreseen. The neighbour then puts everything that he can under each of them, in a sticky folder and in one that
nobody protects, and the command runs again. With TOPOWISE_MAY_UNPROTECT=1 all is tried once more on a machine that protects nothing (fs.protected_*). No
list of names is kept by hand, so a new name is tried as soon as a command makes it. A new option, variable or source file that makes files fails until it
has a row (WRITERS)."""

import ctypes
import dataclasses
import os
import pathlib
import re
import shutil
import stat
import struct
import subprocess
import sys
import unittest

from neighbour import HANG, MEMORY, NEIGHBOUR, NONE, PROGRAM, VICTIM, TwoUsers

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from laws import files as law_of_files  # noqa: E402

GRID, MACHINE = "pattern:torus2d:4x2", "preset:dgx1-v100"


@dataclasses.dataclass(frozen=True)
class Row:
    """A command that makes files. `{shared}`, `{program}`, `{app}` and `{traffic}` are paths; the home of the victim is below `{shared}` if `home`."""

    words: tuple
    environment: tuple = ()
    home: bool = False
    launcher: tuple = ()  # an MPI job of two ranks
    job: bool = False  # two ranks, as torchrun starts them
    gpus: bool = False  # simulated ones


def row(words, **more):
    return Row(tuple(words.split()), **more)


MPICH = ("mpiexec.mpich", "-n", "2")
ROWS = {
    "topology --save": row(f"{{program}} topology {MACHINE} --save {{shared}}/out"),
    "traffic --save": row(f"{{program}} traffic {GRID} --save {{shared}}/out.mtx"),
    "map --save": row(f"{{program}} map {GRID} {MACHINE} --save {{shared}}/out"),
    "schedule --save": row("{program} schedule pattern:halo2d:2x4 preset:cs-storm-t2 --time-limit 10ms --save {shared}/out"),
    "predict --trace": row(f"{{program}} predict {GRID} {MACHINE} --trace {{shared}}/out"),
    "report --save": row(f"{{program}} report {GRID} {MACHINE} --save {{shared}}/out"),
    "report --trace": row(f"{{program}} report {GRID} {MACHINE} --save {{shared}}/out --trace {{shared}}/trace"),
    "probe --save": row("{program} probe --device host --sizes 1KiB --repetitions 2 --save {shared}/out", launcher=MPICH),
    "bench --save": row(f"{{program}} bench stencil2d --topology {MACHINE} --ranks 8 --save {{shared}}/results"),
    "bench overhead": row("{program} bench overhead --ranks 8 --sizes 1KiB --topology tree:2:4"),
    "bench allreduce --tune": row("{program} bench allreduce --ranks 2 --tune --sizes 4B --repetitions 1 --warm-up 0", home=True, gpus=True),
    "run --auto": row(f"{{program}} run --auto --wait 1000s --topology {MACHINE} --profile {{traffic}} -- true", job=True),
    "run --auto, TOPOWISE_PROFILES": row(f"{{program}} run --auto --wait 1000s --topology {MACHINE} -- true", job=True, environment=(("TOPOWISE_PROFILES", "{shared}/store"),)),
    "run --auto, the store at home": row(f"{{program}} run --auto --wait 1000s --topology {MACHINE} -- true", job=True, home=True),
    "run --profile": row("{program} run --profile {shared}/recorded -- {app}", launcher=MPICH),
}

# Source file -> the rows or tests by which its names are tried. Files with a reason in tools/laws/files.py make none where others can write.
WRITERS = {
    "topowise/benchmark/selection.cpp": "bench overhead",
    "topowise/cli/save.cpp": "topology --save",
    "topowise/cli/verb/bench_options.cpp": "bench --save",
    "topowise/collective/tuning.cpp": "bench allreduce --tune",
    "topowise/interpose/recording/own_file.cpp": "run --profile",
    "topowise/interpose/recording/profile_file.cpp": "run --profile",
    "topowise/interpose/recording/older_jobs.cpp": "run --profile",
    "topowise/job/auto_orders.cpp": "run --auto, the store at home",
    "topowise/job/meeting/meeting_place.cpp": "run --auto",
    "topowise/job/meeting/posted_file.cpp": "run --auto",
    "topowise/job/profile_store.cpp": "run --auto, TOPOWISE_PROFILES",
    "topowise/library/reading.cpp": "map --save",
}
MAKES = re.compile(r"\b(?:PrivateFolder::make|make_below|make_folders|write_file|write_target|Replacement|open_device_or_pipe|open_pipe_with_reader|mkd?temp|mkdirat?)\s*[({]|\.create\(")
ELSEWHERE = re.compile(r"/proc|/sys|no file|/dev/null|without a name|librar|asks whether|lists the folder|the program('s own file| that the user starts)")


class Names:
    """The names that are made in folders from now on."""

    IN_CREATE, IN_MOVED_TO = 0x100, 0x80

    def __init__(self, folders):
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._queue = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._queue < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self._folders = {}
        for folder in folders:
            watch = self._libc.inotify_add_watch(self._queue, os.fsencode(folder), self.IN_CREATE | self.IN_MOVED_TO)
            if watch < 0:
                raise OSError(ctypes.get_errno(), str(folder))
            self._folders[watch] = folder

    def end(self):
        found = set()
        while True:
            try:
                events = os.read(self._queue, 1 << 16)
            except BlockingIOError:
                break
            while events:
                watch, _, _, length = struct.unpack_from("iIII", events)
                found.add(self._folders[watch] / os.fsdecode(events[16 : 16 + length].rstrip(b"\0")))
                events = events[16 + length :]
        os.close(self._queue)
        return found


class Sweep(TwoUsers):
    def setUp(self):
        super().setUp()
        (self.scratch / "app.c").write_text(
            "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); MPI_Bcast(&c, 1, MPI_INT, 0, MPI_COMM_WORLD); return MPI_Finalize(); }\n"
        )
        self.app = self.scratch / "app"

    def need(self, a_row):
        if a_row.launcher and not (shutil.which(a_row.launcher[0]) and shutil.which("mpicc.mpich")):
            if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
                self.fail(f"{a_row.launcher[0]} or mpicc.mpich is missing")
            return False
        if a_row.launcher and not self.app.exists():
            subprocess.run(["mpicc.mpich", self.scratch / "app.c", "-o", self.app], check=True, capture_output=True)
        return True

    def start(self, a_row):
        """Runs a row to its end: [(exit status, standard error)]."""
        places = {"shared": str(self.shared), "program": str(self.program), "app": str(self.app), "traffic": str(self.traffic)}
        words = [word.format(**places) for word in (*a_row.launcher, *a_row.words)]
        environment = {name: value.format(**places) for name, value in a_row.environment} | {"TOPOWISE_INTERPOSE": self.library("libtopowise_interpose.so")}
        environment |= self.gpus() if a_row.gpus else {}
        if a_row.home:
            environment["HOME"] = str(self.shared)
        ranks = range(2) if a_row.job else [None]
        as_rank = lambda rank: dict(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2", LOCAL_WORLD_SIZE="2", MASTER_ADDR="localhost", MASTER_PORT="29500")  # noqa: E731
        started = [self.as_victim(words, **environment, **({} if rank is None else as_rank(rank))) for rank in ranks]
        try:
            told = [each.communicate(timeout=HANG)[1] for each in started]
        finally:
            for each in started:
                each.kill()
        return [(each.returncode, text) for each, text in zip(started, told)]

    def clean(self):
        for path in [*self.shared.iterdir(), *(path for path in MEMORY.iterdir() if str(VICTIM) in path.name)]:
            self.remove(path)

    def made(self, a_row):
        """The names that one run makes in the shared folders, and whatever is in them at its end."""
        self.clean()
        watched = Names([self.shared, MEMORY])
        ended = self.start(a_row)
        found = {path for path in watched.end() if path.parent == self.shared or str(VICTIM) in path.name}
        for folder, folders, files in os.walk(self.shared):
            found |= {pathlib.Path(folder) / name for name in (*folders, *files)}
        self.clean()
        for status, told in ended:
            self.assertEqual(status, 0, told)
        return found

    def foreseeable(self, a_row):
        return sorted(self.made(a_row) & self.made(a_row))

    def plants(self):
        def second_name(path):
            self.remove(path)
            os.link(self.thesis / "chapter.tex", path)

        return [*super().plants(), ("a second name of a file of the victim", second_name)]

    def assert_unmoved(self, path, words, held):
        self.assertEqual(self.facts(), self.kept)
        self.assertFalse((self.home / "new").exists())
        if path.is_symlink() or not path.exists():
            return
        about = path.lstat()
        if stat.S_ISREG(about.st_mode) and about.st_uid == NEIGHBOUR:
            self.assertEqual(path.read_text(), "the neighbour's\n")
        if stat.S_ISREG(about.st_mode) and about.st_uid == VICTIM:
            self.assertEqual(about.st_mode & 0o022, 0, f"others can write to {path}")
        if held is not None:
            try:
                self.assertEqual(os.read(held, 1), b"", "the neighbour reads what the victim writes")
            except BlockingIOError:
                pass

    def attack(self, a_row, path, words, plant, sticky):
        """The neighbour is first at one name. What is above it has been made by the victim, and is open to all."""
        self.clean()
        above = [folder for folder in path.parents if self.shared in folder.parents]
        for folder in reversed(above):
            folder.mkdir()
        for folder in above:
            os.chown(folder, VICTIM, VICTIM)
            folder.chmod(0o1777 if sticky else 0o777)
        self.shared.chmod(0o1777 if sticky else 0o777)
        plant(path)
        held = os.open(path, os.O_RDONLY | os.O_NONBLOCK) if words == "a pipe" else None
        try:
            for status, told in self.start(a_row):
                self.assertIn(status, (0, 2, 3, 4), told)
            self.assert_unmoved(path, words, held)
        finally:
            if held is not None:
                os.close(held)
            self.clean()

    def test_every_name(self):
        tried = 0
        for name, a_row in ROWS.items():
            if not self.need(a_row):
                continue
            paths = self.foreseeable(a_row)
            with self.subTest(name):
                self.assertTrue(paths or name == "bench overhead", "it makes no name that can be foreseen: the row tries nothing")
            for path in paths:
                for words, plant in self.plants():
                    if words == "a second name of a file of the victim" and path.parent == MEMORY:
                        continue  # another file system
                    for sticky in (True, False) if path.parent != MEMORY else (True,):
                        with self.subTest(name, path=path.name, plant=words, sticky=sticky):
                            self.attack(a_row, path, words, plant, sticky)
                            tried += 1
        print(f"{tried} attacks", file=sys.stderr)


class SweepWithoutProtection(Sweep):
    protection = NONE


class Table(unittest.TestCase):
    """A new way to make a file must have a row."""

    def test_every_source_that_makes_files(self):
        makes = set()
        for source in (ROOT / "topowise").rglob("*.cpp"):
            name = str(source.relative_to(ROOT))
            if name.endswith("_test.cpp") or name.startswith("topowise/base/"):  # what all of them call
                continue
            by_law = name in law_of_files.MAY and not ELSEWHERE.search(law_of_files.MAY[name][1])
            code = re.sub(r"//[^\n]*", "", source.read_text(encoding="utf-8"))
            if by_law or MAKES.search(code):
                makes.add(name)
        self.assertEqual(makes, set(WRITERS))
        self.assertEqual(set(WRITERS.values()) - set(ROWS), set())

    def test_every_option_that_names_a_file_to_write(self):
        for source in sorted((ROOT / "topowise/cli/verb").glob("*.cpp")):
            code = source.read_text(encoding="utf-8")
            verb = source.stem
            for option in re.findall(r'written_file\(\s*"(--[a-z-]+)"', code):
                self.assertIn(f"{verb} {option}", ROWS)

    def test_every_variable_that_names_a_folder(self):
        help_text = subprocess.run([PROGRAM, "help", "environment"], check=True, capture_output=True, text=True).stdout
        named = set(re.findall(r"^  (TOPOWISE_\w+) +(?:folder|file) ", help_text, re.MULTILINE))
        tried = {name for a_row in ROWS.values() for name, _ in a_row.environment}
        self.assertEqual(named - tried, {"TOPOWISE_ALLREDUCE_TUNING"})  # only read, and by the user's own word


if __name__ == "__main__":
    unittest.main(verbosity=2)
