#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# A little of the soak: random questions of every kind, checked by laws; the run is taken up where it ended, and a wrong answer
# is told and ends it. SHUFBOUND_SOAK=N asks N questions, SHUFBOUND_SEED=N others. Then some questions of each kind of mechanism and
# pair, compared with references of their own: other ones with each commit.
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

truth() { # ARGS...
    SHUFBOUND=$program python3 "$source/tests/soak/truth.py" --seed "${SHUFBOUND_SEED:-$commit}" "$@"
}
commit=$(git -C "$source" rev-parse --short HEAD 2>/dev/null || echo 1)
program=${SHUFBOUND:-./shufbound}
truth --cases "$(gate_or_all 2 30)" >"$work/truth" || fail "$(cat "$work/truth")"

# kinds TOPIC PREFIX: the names that help lists
kinds() {
    "$program" help "$1" | sed -n "s/^  \([a-z][a-z0-9-]*\)  .*/$2\1/p"
}
{ kinds mechanisms ""; kinds pairs "pair "; kinds samplers "noisy-sgd "; } | grep -v -x 'noisy-sgd\|additive-noise' >"$work/kinds"
while read -r kind; do
    grep -q "^$kind: " "$work/truth" || fail "no case of $kind"
done <"$work/kinds"

# a program whose upper ends are a thousandth too small
cat >"$work/small" <<END
#!/usr/bin/python3
import json, subprocess, sys
from decimal import Decimal
run = subprocess.run(["$(command -v "$program")", *sys.argv[1:]], stdin=sys.stdin, capture_output=True, text=True)
for line in run.stdout.splitlines():
    answer = json.loads(line)
    for bound in [answer.get(x) for x in ("value", "upper")]:
        if bound and bound["hi"]:
            bound["hi"] = str(Decimal(bound["hi"]) * Decimal("0.999"))
    print(json.dumps(answer))
END
chmod +x "$work/small"
program=$work/small
for kind in krr "noise gaussian" "noisy-sgd fixed" "pair clones" "rounds of users"; do
    truth --kind "$kind" --cases 50 >"$work/out" && fail "$kind: upper ends that are too small are not found"
    check "$kind: the question is told" grep -q "^WRONG: $kind" "$work/out"
done
tail -n 1 "$work/whole"
finish
