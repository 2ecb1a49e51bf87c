#!/usr/bin/env python3
"""What another user of the same machine can put in the way: neighbour_test.py PROGRAM

The neighbour has been first at every name that topowise uses in a folder where all users write. The victim then runs topowise. It must neither change a
file of the victim that is named nowhere, nor wait for the neighbour, nor use what is the neighbour's. Needs root, to act as two users."""

import os
import pathlib
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
HANG = 1200  # seconds: a guard
# No user has these numbers, and tests that run side by side have others.
VICTIM = 1_000_000 + 2 * os.getpid()
NEIGHBOUR = VICTIM + 1
MEMORY = pathlib.Path("/dev/shm")
LONG_AGO = (0, 0)


class Neighbour(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
                self.fail("only root can act as two users")
            self.skipTest("only root can act as two users")
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="topowise-neighbour-"))
        self.scratch.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.scratch)
        self.program = self.scratch / "topowise"  # where it was built, another user may not be able to go
        shutil.copy2(PROGRAM, self.program)
        self.program.chmod(0o755)
        self.home = self.folder("home", VICTIM, 0o755)
        self.thesis = self.folder("home/thesis", VICTIM, 0o755)
        for name in ("chapter.tex", "plan.0", "report.1.0", "open.0", "0123456789abcdef.0.twprof"):
            self.write(self.thesis / name, VICTIM)
        os.utime(self.thesis, LONG_AGO)
        self.shared = self.folder("shared", 0, 0o1777)  # as /tmp
        self.traffic = self.write(self.home / "t.csv", VICTIM, "0,9\n9,0\n")
        self.kept = self.facts()

    def folder(self, name, user, mode):
        path = self.scratch / name
        path.mkdir()
        os.chown(path, user, user)
        path.chmod(mode)
        return path

    @staticmethod
    def write(path, user, text="mine\n"):
        path.write_text(text)
        os.chown(path, user, user)
        path.chmod(0o600)
        return path

    def facts(self):
        """All that is in the victim's folder: content, owner, mode, number of names."""
        found = {}
        for path in sorted(self.thesis.iterdir()):
            about = path.lstat()
            found[path.name] = (path.read_text(), about.st_uid, stat.filemode(about.st_mode))
        return found

    def plants(self):
        """What a neighbour can put under a name: [(words, function of the path)]."""

        def owned(make):
            def plant(path):
                make(path)
                if path.is_symlink() or path.stat().st_uid == 0:
                    os.chown(path, NEIGHBOUR, NEIGHBOUR, follow_symlinks=False)
            return plant

        def folder(path):
            path.mkdir()
            path.chmod(0o777)
            os.mkfifo(path / "report.1.0", 0o666)
            (path / "plan.0").symlink_to(self.thesis / "plan.0")
            os.utime(path, LONG_AGO)

        def listening(path):
            with socket.socket(socket.AF_UNIX) as end:
                end.bind(str(path))
            path.chmod(0o777)

        def fifo(path):
            os.mkfifo(path)
            path.chmod(0o666)

        def file(path):
            path.write_text("the neighbour's\n")
            path.chmod(0o666)

        return [("a link to a folder", owned(lambda path: path.symlink_to(self.thesis))), ("a link to nothing", owned(lambda path: path.symlink_to(self.home / "new"))),
                ("a link to a file", owned(lambda path: path.symlink_to(self.thesis / "chapter.tex"))), ("a folder", owned(folder)), ("a pipe", owned(fifo)),
                ("a socket", owned(listening)), ("a file", owned(file))]

    @staticmethod
    def remove(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def as_victim(self, words, **environment):
        return subprocess.Popen(words, cwd=self.home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, umask=0o027, user=VICTIM, group=VICTIM,
                                extra_groups=[], env={"PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(self.shared)} | environment)

    def job(self, *options, **environment):
        """Two ranks, as torchrun starts them: what each prints on stderr."""
        ranks = [self.as_victim([self.program, "run", "--auto", "--wait", "1000s", "--topology", "preset:dgx1-v100", *options, "--", "true"],
                                RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2", LOCAL_WORLD_SIZE="2", MASTER_ADDR="localhost", MASTER_PORT=str(VICTIM), **environment)
                 for rank in range(2)]
        try:
            told = [rank.communicate(timeout=HANG)[1] for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
        self.assertEqual([rank.returncode for rank in ranks], [0, 0], told)
        return told

    def save(self, path):
        run = self.as_victim([self.program, "topology", "preset:dgx1-v100", "--save", str(path)])
        _, told = run.communicate(timeout=HANG)
        return run.returncode, told

    def assert_mapped(self, told):
        self.assertIn("auto: 2 ranks on 8 GPUs by", told[0])
        self.assertEqual(told[1], "")
        self.assertEqual(self.facts(), self.kept)

    def test_nothing_in_the_way(self):
        self.assert_mapped(self.job("--profile", self.traffic))
        self.assertEqual([path for path in MEMORY.iterdir() if str(VICTIM) in path.name], [])

    def test_each_name_of_a_meeting(self):
        names = [f"topowise-{VICTIM}", f"topowise-{VICTIM}-1", f"topowise-{VICTIM}-anything", f"topowise-{VICTIM}-0123456789abcdef"]
        for words, plant in self.plants():
            with self.subTest(words):
                paths = [MEMORY / name for name in names]
                try:
                    for path in paths:
                        plant(path)
                    self.assert_mapped(self.job("--profile", self.traffic))
                finally:
                    for path in paths:
                        self.remove(path)

    def test_all_names_of_a_meeting(self):
        """Then the ranks meet in the victim's home, where the neighbour cannot be first."""
        plant = dict(self.plants())["a folder"]
        paths = [place / f"topowise-{VICTIM}{end}" for place in (MEMORY, self.shared, pathlib.Path("/tmp")) for end in ("", "-1", "-2", "-3")]
        try:
            for path in paths:
                plant(path)
            self.assert_mapped(self.job("--profile", self.traffic))
        finally:
            for path in paths:
                self.remove(path)

    def test_a_file_to_save(self):
        """Not replaced where the neighbour has taken its name, which a sticky folder forbids for the file, too."""
        target = self.shared / "out.json"
        for words, plant in self.plants():
            with self.subTest(words):
                plant(target)
                status, told = self.save(target)
                self.assertEqual(status, 3, told)
                self.assertIn(f"cannot write '{target}'", told)
                self.assertEqual(self.facts(), self.kept)
                self.assertEqual((self.home / "new").exists(), False)
                self.assertEqual([path.name for path in self.shared.iterdir()], ["out.json"])
                self.remove(target)

    def test_a_file_to_save_where_all_may_replace_it(self):
        """A folder without the sticky bit: what the neighbour could read and write there is replaced by a file that only the victim can write."""
        self.shared.chmod(0o777)
        target = self.shared / "out.json"
        dict(self.plants())["a file"](target)
        self.assertEqual(self.save(target)[0], 0)
        about = target.stat()
        self.assertEqual((about.st_uid, stat.S_IMODE(about.st_mode)), (VICTIM, 0o640))

    def test_a_file_to_save_that_is_a_second_name(self):
        target = self.shared / "out.json"
        os.link(self.thesis / "chapter.tex", target)
        self.assertEqual(self.save(target)[0], 0)
        self.assertEqual(self.facts(), self.kept)
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o600)

    def test_a_file_to_save_below_a_link(self):
        (self.shared / "results").symlink_to(self.thesis)
        os.chown(self.shared / "results", NEIGHBOUR, NEIGHBOUR, follow_symlinks=False)
        status, told = self.save(self.shared / "results/chapter.tex")
        self.assertEqual(status, 3)
        self.assertIn("'results' in it is a link of another user", told)
        self.assertEqual(self.facts(), self.kept)

    def test_own_links_are_followed(self):
        (self.shared / "mine").symlink_to(self.home / "real.json")
        os.chown(self.shared / "mine", VICTIM, VICTIM, follow_symlinks=False)
        self.assertEqual(self.save(self.shared / "mine")[0], 0)
        self.assertTrue((self.shared / "mine").is_symlink())
        self.assertIn("topowise", (self.home / "real.json").read_text())

    def test_a_store_of_all_users(self):
        told = self.job(TOPOWISE_PROFILES=str(self.shared))[0]
        self.assertIn(f"this run is recorded into '{self.shared}/{VICTIM}/true-", told)
        (profile,) = (self.shared / str(VICTIM)).iterdir()
        for place in (profile, profile.parent):
            for words, plant in self.plants():
                with self.subTest(words, place=place.name):
                    self.remove(place)
                    plant(place)
                    told = self.job(TOPOWISE_PROFILES=str(self.shared))[0]
                    self.assertIn("and this run is not recorded", told)
                    self.assertEqual(self.facts(), self.kept)
            self.remove(place)

    def test_a_store_of_the_neighbour(self):
        for mode in (0o777, 0o1777):
            store = self.folder(f"store-{mode:o}", NEIGHBOUR, mode)
            self.assertIn(f"'{store}' belongs to user {NEIGHBOUR}", self.job(TOPOWISE_PROFILES=str(store))[0])
            self.assertEqual(list(store.iterdir()), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
