# SPDX-License-Identifier: LGPL-3.0-or-later
"""questions.py N prints N questions of all kinds, with little effort, so that many of them end where their work does."""
import itertools
import json
import sys

subjects = [
    {"pair": {"type": "clones", "eps0": "2"}}, {"pair": {"type": "clones-stronger", "eps0": "log(5)"}},
    {"pair": {"type": "rr2", "eps0": "1"}}, {"pair": {"type": "krr-strong", "gamma": "1/3", "k": "4"}},
    {"pair": {"type": "krr-weak", "gamma": "1/2", "k": "5"}}, {"pair": {"type": "krr-third", "eps0": "2", "k": "7"}},
    {"pair": {"type": "trinomial", "w0": "1/2", "w1": "1/5", "r0": "1/10", "r1": "1/5"}},
    {"mechanism": {"type": "ldp", "eps0": "3"}}, {"mechanism": {"type": "krr", "k": "16", "eps0": "3"}},
    {"mechanism": {"type": "matrix", "rows": [["1/2", "1/2"], ["1/20", "19/20"]]}},
    {"mechanism": {"type": "rappor", "eps0": "1", "k": "8"}}, {"mechanism": {"type": "laplace", "scale": "1"}},
    {"mechanism": {"type": "rappor", "eps0": "2", "k": "3"}, "release": "sum"}, {"mechanism": {"type": "gaussian", "scale": "1"}},
    {"mechanism": {"type": "noisy-sgd", "sampler": "poisson", "noise_multiplier": "1", "steps": "100", "sampling_rate": "1/100"}},
    {"mechanism": {"type": "noisy-sgd", "sampler": "shuffle", "noise_multiplier": "2", "steps": "100"}},
]
asks = [
    {"ask": {"quantity": "delta", "eps": "0.2"}}, {"ask": {"quantity": "epsilon", "delta": "1e-6"}},
    {"ask": {"quantity": "renyi", "order": "3"}}, {"claim": {"eps": "0.3", "delta": "1e-6"}},
    {"ask": {"quantity": "gdp", "eps": ["0", "1"]}}, {"ask": {"quantity": "tradeoff", "type1": "0.1"}},
    {"ask": {"quantity": "delta", "eps": "0.1"}, "fast": True},
]
settings = [
    {"users": "1000"}, {"users": "200000", "rounds": "30"}, {"users": "3000", "sample": {"scheme": "fixed", "rate": "1/3"}},
    {"users": "50", "rounds": "2", "digits": 9}, {"users": "1000000", "rounds": "4", "sample": {"scheme": "fixed", "rate": "1/10"}},
    {"users": "2000", "sample": {"scheme": "poisson", "rate": "1/5"}},
]
every = list(itertools.product(settings, asks, subjects))
number = min(int(sys.argv[1]), len(every))
for i in range(number):
    setting, ask, subject = every[i * 131 % len(every)]
    if subject.get("mechanism", {}).get("type") == "noisy-sgd":
        setting = {"rounds": "2"} if "rounds" in setting else {}
    print(json.dumps({"id": f"q{i}", **subject, **setting, **ask, "effort": ["300000000", "20000000"][i % 2]}))
