#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# An answer is a function of the question and the version: the same questions, asked twice, with one, two and four threads
# or jobs, on an idle machine and beside two busy loops, have the same bytes, also with a C library whose functions are off by an ulp.
# SHUFBOUND_SAME_BYTES=N asks N questions; make check-all asks 200.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
busy=
trap 'kill $busy 2>/dev/null; rm -rf "$work"' EXIT

python3 "$source/tests/account/questions.py" "${SHUFBOUND_SAME_BYTES:-$(gate_or_all 4 200)}" >"$work/questions"
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
