"""Ctrl-C during calls that would take minutes or for ever, and other threads that run beside such calls."""

import contextlib
import linecache
import os
import signal
import sys
import threading
import time
import warnings

import pytest
import topowise

#: The search takes all the time that it is given, since it cannot prove any mapping of this problem optimal.
LONG = {"traffic": "pattern:random:512:seed=1:degree=6", "topology": "torus:8x8x8", "mapper": "auto", "time_limit": 300.0}


def is_searching():
    """Whether the main thread is at a line that calls the library for a search."""
    frame = sys._current_frames()[threading.main_thread().ident]
    search = {topowise.map.__code__: "native.map_ranks(", topowise.schedule.__code__: "native.schedule("}.get(frame.f_code)
    return search is not None and search in linecache.getline(frame.f_code.co_filename, frame.f_lineno)


@contextlib.contextmanager
def signal_in_search(number):
    """Sends the signal as soon as the main thread is in the search. A thread can see that only if the search lets other threads run."""

    def work():
        while not is_searching():
            time.sleep(0.01)
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield
    thread.join()


def test_an_interrupt_gives_the_best_so_far():
    with pytest.warns(topowise.TopowiseWarning, match="interrupted: this is the best so far"), signal_in_search(signal.SIGINT):
        found = topowise.map(**LONG)
    assert found.interrupted
    assert found.cost <= found.identity_cost
    assert sorted(found.places) == list(range(512))


def test_an_interrupt_gives_the_best_order_so_far():
    messages = [(a, b, 3e6 * (1 + (7 * a + 3 * b) % 5)) for a in range(8) for b in range(8) if a != b]
    with pytest.warns(topowise.TopowiseWarning, match="interrupted: this is the best so far"), signal_in_search(signal.SIGINT):
        best = topowise.schedule(messages, "preset:cs-storm-t2", range(8), steps=2**62)
    assert best.interrupted and not best.proven_optimal
    assert sorted(zip(*(column.tolist() for column in best.exchange.messages()[:3]))) == sorted(messages)


def test_an_interrupt_is_no_error_where_warnings_are():
    with warnings.catch_warnings(), signal_in_search(signal.SIGINT):
        warnings.simplefilter("error")
        assert topowise.map(**LONG).interrupted


def test_another_signal_handler_may_raise():
    class Alarm(Exception):
        pass

    def raise_alarm(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, raise_alarm)
    try:
        with signal_in_search(signal.SIGALRM), pytest.raises(Alarm):
            topowise.map(**LONG)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_interrupt_ends_the_reading_of_a_trace(tmp_path):
    trace = tmp_path / "rank0.json"
    os.mkfifo(trace)

    def write_without_end():
        event = b'{"ph": "X", "cat": "cpu_op", "name": "aten::add", "ts": 1, "dur": 1, "args": {}},\n' * 10_000
        with open(trace, "wb", buffering=0) as pipe:
            pipe.write(b'{"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}, "traceEvents": [\n')
            try:
                for i in range(sys.maxsize):
                    pipe.write(event)
                    if i == 4:
                        os.kill(os.getpid(), signal.SIGINT)
            except BrokenPipeError:  # the reader has ended
                pass

    writer = threading.Thread(target=write_without_end)
    writer.start()
    with pytest.raises(KeyboardInterrupt):
        topowise.traffic(trace)
    writer.join()
