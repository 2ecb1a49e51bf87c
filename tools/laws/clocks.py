"""No test depends on the clock. A test sleeps only while it waits for an event. It reads a clock only if the table MAY gives the reason."""

import re

SLEEP = re.compile(r"\b(?:sleep|usleep|nanosleep|sleep_for|sleep_until)\s*\(|(?:^|[;&|]|\bdo\b|\bthen\b)\s*(?:[$>]\s*)?sleep\s+[\d.]")
READS = re.compile(r"\b(?:steady_clock|system_clock|high_resolution_clock)::now\b|\btime\.time(?:_ns)?\s*\("
                   r"|(?<!\w)(?:monotonic|perf_counter|process_time|thread_time)(?:_ns)?\s*\(|\bdatetime\.now\s*\(|\bMPI_Wtime\s*\("
                   r"|\b(?:clock_gettime|gettimeofday)\s*\(|(?<![\w.>:])(?:std::)?clock\s*\(\)|\$\{?(?:SECONDS|EPOCH\w+)\b")
# A loop that looks for an event, in the same line or in the line before.
WAITS = re.compile(r"\b(?:while|until)\b")
# A guard against a hang. It must be minutes longer than anything takes.
GUARD = re.compile(r"(?:^|[;&|(]|\bdo\b)\s*(?:[$>]\s*)?timeout\s+(?:-\S+\s+)*([\d.]+)|\btimeout=([\d.]+)")
SHORTEST_GUARD = 600
MAY_GIVE_UP = {
    "tests/fuzz/run.sh": "an input of 64 KiB that takes minutes is a defect",
    "tests/mpi/families.py": "a job that hung is asked to end before it is killed",
}
# File, or the beginning of its path -> why it may sleep and read a clock.
MAY = {
    "tests/fake_driver/": "a stand-in imitates how long a device takes; the tests that measure this have the label clock",
    "tests/lab/": "an emulated cluster, not a test",
    "tests/fixtures/": "the recording of a fixture, not a test",
    "tests/mpi/programs/gpu_exchange.c": "measures a paced exchange; the tests of that have the label clock",
    "tests/mpi/programs/gpu_progress.c": "a rank comes late on purpose; the test also passes if it does not",
    "tests/mpi/programs/neighbor_exchange.c": "prints a time that tests with the label clock read",
    "tests/mpi/programs/pair_exchange.c": "prints a time that tests with the label clock read",
    "tests/mpi/programs/paper_exchange.c": "prints a time that tests with the label clock read",
    "tests/mpi/mpich_suite_test.py": "prints how long the suite took",
    "python/tests/torchrun_job.py": "prints the time of a step, which no test compares",
    "python/tests/speed_test.py": "has the label clock",
}
SUFFIXES = {".cpp", ".hpp", ".c", ".F90", ".f90", ".py", ".sh", ".t"}


def _files(tree):
    yield from sorted(path for path in (tree.root / "topowise").rglob("*_test.cpp"))
    for folder in ("tests", "python/tests"):
        yield from sorted(path for path in (tree.root / folder).rglob("*") if path.suffix in SUFFIXES and "tests/tools/" not in path.as_posix())


def breaches(tree):
    for path in _files(tree):
        name = path.relative_to(tree.root).as_posix()
        if name.startswith(tuple(MAY)):
            continue
        before = ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if SLEEP.search(line) and not WAITS.search(line) and not WAITS.search(before):
                yield f"{name}:{number}: a test sleeps: wait for the event, or give tools/laws/clocks.py the reason"
            if READS.search(line):
                yield f"{name}:{number}: a test reads a clock: count instead, or give tools/laws/clocks.py the reason"
            if name not in MAY_GIVE_UP and any(float(seconds) < SHORTEST_GUARD for guard in GUARD.findall(line) for seconds in guard if seconds):
                yield f"{name}:{number}: a test gives up after less than {SHORTEST_GUARD} s, which a loaded machine may take"
            before = line
