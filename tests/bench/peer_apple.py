#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Runs Apple's computeamplification.py, unchanged, on one point.

usage: peer_apple.py DIR N EPS0 DELTA ITERATIONS STEP

Prints the peer's lower bound, upper bound, and the seconds that the upper bound
alone took (in process, imports excluded, best of a few runs). Both are eps for
the clones pair at DELTA, as the peer's example.py computes them.
"""
import contextlib
import io
import sys
import time


def main():
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    sys.dont_write_bytecode = True
    sys.path.insert(0, sys.argv[1])
    import computeamplification as peer

    n, eps0, delta = int(float(sys.argv[2])), float(sys.argv[3]), float(sys.argv[4])
    iterations, step = int(sys.argv[5]), int(sys.argv[6])

    best = float("inf")
    spent = 0.0
    with contextlib.redirect_stdout(io.StringIO()):  # it prints remarks
        while True:
            start = time.perf_counter()
            upper = peer.numericalanalysis(n, eps0, delta, iterations, step, True)
            seconds = time.perf_counter() - start
            best = min(best, seconds)
            spent += seconds
            if spent > 1.0:
                break
        lower = peer.numericalanalysis(n, eps0, delta, iterations, step, False)
    print(repr(float(lower)), repr(float(upper)), "%.6f" % best)


if __name__ == "__main__":
    main()
