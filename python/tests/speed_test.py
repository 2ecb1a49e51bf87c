"""How much processor time the conversion of traffic takes. Marked `clock`, since other programs on the machine slow memory down."""

import time

import numpy as np
import pytest
import scipy.sparse
import topowise

RANKS, PAIRS = 100_000, 1_000_000


@pytest.mark.clock
@pytest.mark.parametrize("form", ["csr", "coo", "csc"])
def test_a_million_pairs_are_taken_in_within_a_fifth_of_a_second(form):
    random = np.random.default_rng(1)
    rows, columns = random.integers(0, RANKS, PAIRS), random.integers(0, RANKS, PAIRS)
    matrix = scipy.sparse.coo_array((random.random(PAIRS), (rows, columns)), shape=(RANKS, RANKS)).asformat(form)
    seconds = []
    for _ in range(5):
        begin = time.process_time()
        traffic = topowise.traffic(matrix)
        seconds.append(time.process_time() - begin)
    assert traffic.ranks == RANKS
    print(form, min(seconds))
    assert min(seconds) < 0.2
