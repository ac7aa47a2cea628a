#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A little of the soak: random questions of every kind, checked by laws; the run is taken up where it ended, and a wrong answer
# is told and ends it. SHUFBOUND_SOAK=N asks N questions, SHUFBOUND_SEED=N others.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

soak() { # ARGS...
    SHUFBOUND=$program python3 "$source/tests/soak/soak.py" "$@"
}
questions=${SHUFBOUND_SOAK:-$(gate_or_all 80 160)}
soak --state "$work/state" --questions $((questions / 2)) >"$work/first" || fail "$(cat "$work/first")"
soak --state "$work/state" --questions "$questions" >"$work/whole" || fail "$(cat "$work/whole")"
soak --state "$work/state" --questions 1 >"$work/again"
check "a run that was taken up has all counts" cmp "$work/whole" "$work/again"
soak --kind oracle --questions $(gate_or_all 30 60) >"$work/oracle" || fail "$(cat "$work/oracle")"

# a program that answers with intervals of other questions
cat >"$work/wrong" <<END
#!/bin/sh
"$(command -v "$program")" "\$@" | sed 's/"lo":"0\.[0-9]/"lo":"0.99/; s/"hi":"0\.[0-9]/"hi":"0.99/'
END
chmod +x "$work/wrong"
program=$work/wrong
soak --state "$work/wrong.state" --kind oracle --questions 200 >"$work/out" && fail "a wrong program is not found"
check "the question is told" grep -q '^{"pair"\|^{"mechanism"' "$work/out"
check "and kept" grep -q '"wrong": "enumeration' "$work/wrong.state.wrong.jsonl"
tail -n 1 "$work/whole"
finish
