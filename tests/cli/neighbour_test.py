#!/usr/bin/env python3
"""What another user of the same machine can put in the way: neighbour_test.py PROGRAM

The neighbour has been first at every name that topowise uses in a folder where all users write. The victim then runs topowise. It must neither change a
file of the victim that is named nowhere, nor wait for the neighbour, nor use what is the neighbour's. Needs root, to act as two users.

Linux may protect sticky folders by itself (fs.protected_symlinks, _hardlinks, _fifos, _regular). Everything is tried as the machine is, and again with
full protection if it has less and lets root raise it. With none it is tried only where TOPOWISE_MAY_UNPROTECT=1 says that nobody else relies on it. The
test prints what the machine had. A folder without the sticky bit, to which the same files are written, is never protected."""

import os
import pathlib
import shutil
import socket
import stat
import unittest

from neighbour import FULL, HANG, MEMORY, NEIGHBOUR, NONE, VICTIM, TwoUsers


class Neighbour(TwoUsers):
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
        for place, _ in self.places():
            for words, plant in self.plants():
                with self.subTest(words, place=place):
                    plant(target)
                    status, told = self.save(target)
                    if words == "a device":  # what is written to it goes nowhere
                        self.assertIn(status, (0, 3), told)
                    elif (words, place) == ("a file", "not sticky"):
                        self.assertEqual(status, 0, told)
                    else:
                        self.assertEqual(status, 3, told)
                        self.assertIn(f"cannot write '{target}'", told)
                    self.assertEqual(self.facts(), self.kept)
                    self.assertEqual((self.home / "new").exists(), False)
                    self.assertEqual([path.name for path in self.shared.iterdir()], ["out.json"])
                    self.remove(target)

    def test_a_profile(self):
        """What the neighbour has put under the name that the victim gives as the profile is not followed, not waited for, and left as it is."""
        profile = self.shared / "job.traffic"
        for place, _ in self.places():
            for words, plant in self.plants():
                if words in ("a pipe", "a device"):  # named by the user: read as it comes
                    continue
                with self.subTest(words, place=place):
                    plant(profile)
                    self.job("--profile", str(profile))
                    self.assertEqual(self.facts(), self.kept)
                    self.assertEqual((self.home / "new").exists(), False)
                    self.remove(profile)

    def test_traces_in_a_shared_folder(self):
        """What is not the victim's or root's way to a file is left out, and nobody waits."""
        traces = self.folder("traces", VICTIM, 0o1777)
        for words, plant in self.plants():
            if words in ("a folder", "a file"):
                continue
            for name in ("rank0.json", "0123456789abcdef.0.twprof"):
                with self.subTest(words, name=name):
                    plant(traces / name)
                    run = self.as_victim([self.program, "traffic", str(traces)])
                    _, told = run.communicate(timeout=HANG)
                    self.assertEqual(run.returncode, 3, told)
                    self.assertNotIn("mine", told)
                    self.remove(traces / name)

    def test_links_to_traces_in_the_folder_of_the_neighbour(self):
        """A link in his own folder, into which he alone can write, leads to a trace that only the victim may read. The victim's own link counts."""
        trace = self.write(self.home / "trace.json", VICTIM, '{"distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "x", "ts": 1, "dur": 1}]}')
        traces = self.folder("gift", NEIGHBOUR, 0o755)
        link = traces / "rank0.json"
        link.symlink_to(trace)
        for owner, status, word in ((NEIGHBOUR, 3, "and no traces"), (VICTIM, 0, "2 ranks")):
            os.chown(link, owner, owner, follow_symlinks=False)
            run = self.as_victim([self.program, "traffic", str(traces)])
            shown, told = run.communicate(timeout=HANG)
            self.assertEqual(run.returncode, status, told)
            self.assertIn(word, shown + told)

    def test_a_tuning_of_the_neighbour(self):
        """The cache may be in a folder that all share: then nothing is kept there. In a folder of the victim's own, which the neighbour could once write to,
        his file is neither obeyed nor waited for."""
        cache = self.shared / "topowise/allreduce"
        cache.mkdir(parents=True)
        words = [self.program, "bench", "allreduce", "--ranks", "2", "--tune", "--sizes", "4B", "--repetitions", "1", "--warm-up", "0"]
        path = cache / f"{socket.gethostname()}.json"
        for owner, mode in ((0, 0o777), (VICTIM, 0o755)):
            for folder in (cache.parent, cache):
                os.chown(folder, owner, owner)
                folder.chmod(mode)
            for what, plant in self.plants():
                if owner == VICTIM and "link" in what:  # links in a folder where nobody else can write are the victim's business
                    continue
                with self.subTest(what, owner=owner):
                    plant(path)
                    run = self.as_victim(words, XDG_CACHE_HOME=str(self.shared), **self.gpus())
                    told = run.communicate(timeout=HANG)[1]
                    self.assertEqual(run.returncode, 0 if owner == VICTIM and what in ("a file", "a device") else 3, told)
                    if owner != VICTIM:
                        self.assertIn("cannot trust", told)
                    self.assertEqual(self.facts(), self.kept)
                    self.assertEqual((self.home / "new").exists(), False)
                    self.remove(path)

    def test_results_of_a_benchmark(self):
        """bench --save DIR: a folder that the neighbour has made first, or links in it."""
        results = self.shared / "results"
        for words, plant in self.plants():
            with self.subTest(words):
                plant(results)
                run = self.as_victim([self.program, "bench", "stencil2d", "--topology", "preset:dgx1-v100", "--ranks", "8", "--save", str(results)])
                run.communicate(timeout=HANG)
                self.assertEqual(self.facts(), self.kept)
                self.assertEqual((self.home / "new").exists(), False)
                self.remove(results)

    def test_homes_of_others(self):
        """HOME and XDG_* may be the neighbour's (sudo keeps them) or nothing; TMPDIR may be missing."""
        foreign = self.folder("foreign", NEIGHBOUR, 0o777)
        for words in ("a link to a folder", "a folder", "a file"):
            plant = dict(self.plants())[words]
            with self.subTest(words):
                plant(foreign / ".cache")
                for variables in ({"HOME": str(foreign)}, {"XDG_CACHE_HOME": str(foreign / ".cache")}, {"HOME": "", "TMPDIR": "/none"}, {"XDG_RUNTIME_DIR": str(foreign)}):
                    told = self.job(**variables)
                    self.assertIn("auto: 2 ranks on 8 GPUs by", told[0])
                    self.assertEqual(self.facts(), self.kept)
                self.remove(foreign / ".cache")

    def ranks(self, launcher, *words):
        """Two ranks of an MPI job: their exit status, and what they print on stderr."""
        if not shutil.which(launcher[0]):
            if os.environ.get("TOPOWISE_REQUIRE_ALL") == "1":
                self.fail(f"{launcher[0]} is missing")
            self.skipTest(f"{launcher[0]} is missing")
        run = self.as_victim([*launcher, "-n", "2", self.program, *map(str, words)])
        _, told = run.communicate(timeout=HANG)
        return run.returncode, told

    def assert_job_is_unmoved(self, launcher, *words):
        """Rank 0 saves a result where the neighbour has been first, and the ranks meet where he has been first, too."""
        target = self.shared / "out.json"
        names = [MEMORY / f"topowise-{VICTIM}", MEMORY / f"topowise-{VICTIM}-1", self.shared / f"topowise-{VICTIM}"]
        self.assertEqual(self.ranks(launcher, *words, "--save", target)[0], 0)
        about = target.stat()
        self.assertEqual((about.st_uid, stat.S_IMODE(about.st_mode)), (VICTIM, 0o640))
        self.remove(target)
        for words_of_plant, plant in self.plants():
            with self.subTest(words_of_plant):
                try:
                    for path in (target, *names):
                        plant(path)
                    status, told = self.ranks(launcher, *words, "--save", target)
                    if words_of_plant == "a device":  # what is written to it goes nowhere
                        self.assertIn(status, (0, 3), told)
                    else:
                        self.assertNotEqual(status, 0, told)
                        self.assertIn(f"cannot write '{target}'", told)
                    self.assertEqual(self.facts(), self.kept)
                    self.assertEqual((self.home / "new").exists(), False)
                finally:
                    for path in (target, *names):
                        self.remove(path)

    def test_a_probe_of_a_job(self):
        self.assert_job_is_unmoved(["mpiexec.mpich"], "probe", "--device", "host", "--sizes", "1KiB", "--repetitions", "2")

    def test_a_distributed_mapping(self):
        self.assert_job_is_unmoved(["mpirun.openmpi", "--oversubscribe"], "map", "pattern:ring:8", "tree:2:4", "--distributed")

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
        (self.thesis / "figures.json").write_text("{}")
        self.kept = self.facts()
        status, told = self.save(self.shared / "results/figures.json")
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
        self.assertIn(f"calls of MPI and NCCL are recorded into '{self.shared}/{VICTIM}/true-", told)
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


class WithFullProtection(Neighbour):
    """The same on a machine that protects sticky folders as well as it can."""

    protection = FULL


class WithoutProtection(Neighbour):
    """The same on a machine that protects nothing, where a user may also give names to files of others."""

    protection = NONE


if __name__ == "__main__":
    unittest.main(verbosity=2)
