#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: oracle_test.py FACTORS_PROGRAM [CASES [SEED]]

Compares the product with bench/model/naive.py, in exact rational arithmetic, on random trees and sets of messages."""

import pathlib
import random
import subprocess
import sys
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "model"))
import naive  # noqa: E402


def random_case(rng):
    count = rng.randint(3, 22)
    equal = rng.random() < 0.7
    rc = rng.random() < 0.6
    tau = rng.choice([Fraction(1, 5), Fraction(21, 121), Fraction(rng.randrange(50), 103)]) if rc else Fraction(0)
    capacity = (lambda: 1.0) if equal else (lambda: rng.choice([0.25, 0.5, 1.0, 2.0]))
    bushy = rng.random()
    vertices = [(-1, 1.0, 1.0, rc, tau)]  # tau is exact here; the program gets the nearest double
    for v in range(1, count):
        parent = rng.randrange(max(0, v - 4), v) if rng.random() < bushy else rng.randrange(0, max(1, v // 3))
        vertices.append((parent, capacity(), capacity(), False, Fraction(0)))
    parents = {v[0] for v in vertices}
    leaves = [v for v in range(count) if v not in parents]
    messages = []
    for source in leaves:
        others = [d for d in leaves if d != source]
        if others and rng.random() < 0.85:
            messages.append((source, rng.choice(others[: 1 + len(others) // rng.choice([1, 1, 2, 4])])))
    return vertices, messages


def exact_factors(vertices, messages):
    switches = [naive.Switch(rc, tau) for _, _, _, rc, tau in vertices]
    for switch, (parent, up, down, _, _) in zip(switches, vertices):
        if parent >= 0:
            switch.attach(switches[parent], Fraction(up), Fraction(down))
    return naive.Model(switches).factors([naive.Communication(s, d) for s, d in messages])


def main():
    program = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    made = [random_case(rng) for _ in range(cases)]
    lines = []
    for vertices, messages in made:
        lines.append(f"{len(vertices)} {len(messages)}")
        lines += [f"{p} {u!r} {d!r} {int(rc)} {float(t)!r}" for p, u, d, rc, t in vertices]
        lines += [f"{s} {d}" for s, d in messages]
    answers = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True).stdout
    answers = answers.splitlines()
    assert len(answers) == cases, f"{cases} cases, {len(answers)} answers"
    worst, compared, blocked = 0.0, 0, 0
    for number, ((vertices, messages), answer) in enumerate(zip(made, answers)):
        found = [float(word) for word in answer.split()]
        exact = exact_factors(vertices, messages)
        assert len(found) == len(exact)
        for c, (mine, theirs) in enumerate(zip(found, exact)):
            difference = abs(Fraction(mine) - theirs)
            if difference > Fraction(1, 10**12):
                sys.exit(f"case {number}, message {messages[c]}: {mine}, exactly {float(theirs)}\n{vertices}\n{messages}")
            worst, compared = max(worst, float(difference)), compared + 1
            blocked += theirs < 1
    print(f"{cases} trees, {compared} factors ({blocked} below 1): largest difference {worst:.1e}")


if __name__ == "__main__":
    main()
