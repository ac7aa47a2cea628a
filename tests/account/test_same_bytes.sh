#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# An answer is a function of the question and the version: the same questions, asked twice, with one, two and four threads
# or jobs, on an idle machine and beside two busy loops, have the same bytes, also with a C library whose functions are off by an ulp. SHUFBOUND_SAME_BYTES=N asks N questions; make check-all asks 200.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
busy=
trap 'kill $busy 2>/dev/null; rm -rf "$work"' EXIT

# Questions of all kinds, with little effort, so that many of them end where their work does.
python3 - "${SHUFBOUND_SAME_BYTES:-$(gate_or_all 30 200)}" >"$work/questions" <<'END'
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
END
number=$(wc -l <"$work/questions")

# asked WHAT ARGS...: the answers must be those of the first time
asked() {
    what=$1
    shift
    "$program" ask "$@" "$work/questions" >"$work/answers" 2>"$work/stderr"
    status=$?
    if [ "$(wc -l <"$work/answers")" != "$number" ]; then
        echo "FAIL: $what: exit $status, $(wc -l <"$work/answers") answers: $(cat "$work/stderr")" >&2
        failures=$((failures + 1))
    elif [ ! -e "$work/first" ]; then
        cp "$work/answers" "$work/first"
    elif ! cmp -s "$work/first" "$work/answers"; then
        echo "FAIL: $what: other answers" >&2
        diff "$work/first" "$work/answers" | cut -c1-600 | head -8 >&2
        failures=$((failures + 1))
    fi
}

asked "the first time"
[ "$(grep -c '"question"' "$work/first")" -ge $((number / 2)) ] || { echo "FAIL: few answers" >&2; failures=$((failures + 1)); }
grep -q '"accuracy_reached":false,"tried"' "$work/first" || echo "no answer ended with its work"
grep -q -e elapsed -e '"complete":false' "$work/first" && { echo "FAIL: an answer with a time" >&2; failures=$((failures + 1)); }
asked "once more"
asked "two jobs" --jobs 2
for threads in 2 4; do
    asked "$threads threads" --threads $threads
done
cat >"$work/off.c" <<'END'
#include <dlfcn.h>
#include <math.h>
#define OFF(f) double f(double x) { double (*of)(double), y; *(void **) &of = dlsym(RTLD_NEXT, #f); y = of(x); return nextafter(y, y > 0.3 ? 0 : 9); }
OFF(cos) OFF(exp) OFF(exp2) OFF(expm1) OFF(log) OFF(log10) OFF(log1p) OFF(log2) OFF(sin)
END
if grep -q fsanitize config.log; then
    echo "not tried with another C library: this is a build with sanitizers"
elif ${CC:-cc} -D_GNU_SOURCE -shared -fPIC -fno-builtin -o "$work/off.so" "$work/off.c" -ldl; then
    LD_PRELOAD=$work/off.so asked "functions that are off by an ulp"
    unset LD_PRELOAD # some shells keep it after a function
else
    echo "not tried with another C library: the compiler makes none"
fi
(while :; do :; done) &
busy=$!
(while :; do :; done) &
busy="$busy $!"
asked "beside busy loops"
asked "beside busy loops, four threads" --threads 4

echo "$number questions, $(grep -c '"error"' "$work/first") of them refused"
[ $failures = 0 ]
