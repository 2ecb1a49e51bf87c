"""Ctrl-C during a search, and other threads beside it. The searches would take minutes."""

import contextlib
import linecache
import os
import signal
import sys
import threading
import time

import pytest
import topowise

#: Takes the time that it is given: nothing proves a mapping of it optimal.
LONG = {"traffic": "pattern:random:512:seed=1:degree=6", "topology": "torus:8x8x8", "mapper": "auto", "time_limit": 300.0}


def is_searching():
    """Whether the main thread stands in the line that calls the library."""
    frame = sys._current_frames()[threading.main_thread().ident]
    return frame.f_code is topowise.map.__code__ and "native.map_ranks(" in linecache.getline(frame.f_code.co_filename, frame.f_lineno)


@contextlib.contextmanager
def signal_in_search(number):
    """Sends the signal once the main thread is in the search: a thread sees that only if the search lets others run."""

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
