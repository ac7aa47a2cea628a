#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""What a question from Python costs over the call of the C function: medians of many, by the clock and of the processor."""
import json
import statistics
import time

import shufbound
from shufbound import _library

QUESTIONS = [
    {"pair": {"type": "rr2", "eps0": "1"}, "users": "20", "ask": {"quantity": "delta", "eps": "0.5"}, "digits": 2},
    {"pair": {"type": "clones", "eps0": "4"}, "users": "1000", "ask": {"quantity": "delta", "eps": "0.5"}},
    {"mechanism": {"type": "ldp", "eps0": "4"}, "users": "100", "ask": {"quantity": "epsilon", "delta": "1e-6"}},
]


def seconds(function):
    clock, processor = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - clock, time.process_time() - processor


def main():
    library = _library.library()
    for question in QUESTIONS:
        text = json.dumps(question).encode()

        def call():
            _library.take(library.shuf_answer_json(text))
        # in turn, so that both meet the same load
        times = [(*seconds(call), *seconds(lambda: shufbound.ask(question))) for _ in range(1000)]
        alone, alone_processor, asked, asked_processor = (1e3 * statistics.median(column) for column in zip(*times))
        print(f"C function {alone:.3f} ms, from Python {asked - alone:.3f} ms more, of the processor {asked_processor - alone_processor:.3f} ms more: "
              + json.dumps(question))


if __name__ == "__main__":
    main()
