"""Two users of one machine, for the tests that play a neighbour: what he can put under a name, and the victim's files that must stay as they are."""

import contextlib
import fcntl
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
# Values of fs.protected_*: what Linux does for users of sticky folders.
FULL = {"symlinks": 1, "hardlinks": 1, "fifos": 2, "regular": 2}
NONE = dict.fromkeys(FULL, 0)
MAY_UNPROTECT = os.environ.get("TOPOWISE_MAY_UNPROTECT") == "1"


def protection_of(name):
    return pathlib.Path("/proc/sys/fs/protected_" + name)


@contextlib.contextmanager
def protected(wanted):
    """The machine with this protection: yields the values that hold, or None if the machine has it already or does not let itself be changed. None wanted:
    as it is. No other test changes it meanwhile."""
    with open(__file__, encoding="utf-8") as lock, contextlib.ExitStack() as restored:
        fcntl.flock(lock, fcntl.LOCK_EX if wanted else fcntl.LOCK_SH)
        before = {name: int(protection_of(name).read_text()) for name in FULL if protection_of(name).exists()}
        if wanted is None:
            yield before
            return
        weakens = any(wanted[name] < value for name, value in before.items())
        if wanted == before or (weakens and not MAY_UNPROTECT):
            yield None
            return
        try:
            for name, value in before.items():
                restored.callback(protection_of(name).write_text, f"{value}\n")
                protection_of(name).write_text(f"{wanted[name]}\n")
        except OSError:  # not in this container
            restored.close()
            yield None
            return
        yield {name: int(protection_of(name).read_text()) for name in before}



class TwoUsers(unittest.TestCase):
    protection = None  # as the machine has it

    def run(self, result=None):
        with protected(self.protection) as values:
            if values is not None:
                self.say_once(values)
                super().run(result)
        return result

    @classmethod
    def say_once(cls, values):
        if "said" not in cls.__dict__:
            cls.said = True
            print(f"{cls.__name__}: fs.protected_* {values}", file=sys.stderr, flush=True)

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

    def library(self, name):
        """A copy of a library of the build, where the victim can open it."""
        built, copy = PROGRAM.parents[1] / "lib" / name, self.scratch / name
        if not copy.exists():
            shutil.copy2(built, copy)
            copy.chmod(0o755)
        return str(copy)

    def gpus(self):
        """Variables for simulated GPUs, whose own files are where no neighbour can write."""
        folder = self.home / "gpus"
        if not folder.exists():
            self.folder("home/gpus", VICTIM, 0o700)
        return {"TOPOWISE_CUDA_LIBRARY": self.library("libtopowise_fake_cuda.so"), "TOPOWISE_FAKE_FOLDER": str(folder), "TOPOWISE_FAKE_SESSION": str(VICTIM)}

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
                self.remove(path)
                make(path)
                if path.lstat().st_uid == 0:
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

        def device(path):
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero: it never ends
            path.chmod(0o666)

        return [("a link to a folder", owned(lambda path: path.symlink_to(self.thesis))), ("a link to nothing", owned(lambda path: path.symlink_to(self.home / "new"))),
                ("a link to a file", owned(lambda path: path.symlink_to(self.thesis / "chapter.tex"))), ("a folder", owned(folder)), ("a pipe", owned(fifo)),
                ("a socket", owned(listening)), ("a file", owned(file)), ("a device", owned(device))]

    def places(self):
        """Shared folders in which Linux protects, and in which nobody does."""
        self.shared.chmod(0o1777)
        yield "sticky", self.shared
        self.shared.chmod(0o777)
        yield "not sticky", self.shared

    @staticmethod
    def remove(path):
        if path.is_symlink() or not path.is_dir():  # protected links are not followed, not even by root
            path.unlink(missing_ok=True)
        else:
            shutil.rmtree(path)

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
