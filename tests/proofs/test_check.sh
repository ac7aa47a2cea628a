#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# proofs/check.py: its parts agree with their definitions, it checks answers and vectors, and refuses lies of each kind. And
# proofs/STATUS.md is what proofs/status.py prints.
. "${srcdir:-.}/tests/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1

check "the parts" python3 "$source/tests/proofs/check_parts.py" "$source/proofs" "$(share 2)"
check "many answers" python3 "$source/tests/proofs/check_many.py" --questions "$(gate_or_all 10 600)" --vectors "$(gate_or_all 240 1)" --quick \
    ${SHUFBOUND_SEED:+--seed "$SHUFBOUND_SEED"} "$program" "$source"

python3 "$source/proofs/status.py" "$program" "$source" >"$work/status" || fail "no table of theorems"
cmp -s "$work/status" "$source/proofs/STATUS.md" ||
    fail "print proofs/STATUS.md anew: python3 proofs/status.py ./shufbound . >proofs/STATUS.md: $(diff "$work/status" "$source/proofs/STATUS.md" | head -5)"

# says STATUS PATTERN FILE: what it says of an answer
says() {
    status=0
    python3 "$source/proofs/check.py" "$3" >"$work/said" 2>&1 || status=$?
    [ $status = "$1" ] || fail "$3: exit status $status, not $1: $(cat "$work/said")"
    grep -q "$2" "$work/said" || fail "$3: no /$2/ in $(cat "$work/said")"
}

# lie NAME SED-SCRIPT: an altered answer is refused
lie() {
    sed "$2" "$work/answer" >"$work/$1"
    ! cmp -s "$work/$1" "$work/answer" || fail "$1: sed changes nothing"
    says 1 "^refused: " "$work/$1"
}

"$program" epsilon --pair clones-stronger --n 1000 --eps0 1 --delta 1e-6 --json >"$work/answer"
says 0 '^checked: epsilon <= 0.14867[0-9]* and epsilon >= .* 1000, eps0 = 1; by clones-stronger (proofs/clones-stronger.md' "$work/answer"
# 0.14867 lies a little below.
lie an-end 's/\("hi":"0.14867\)[0-9]*/\1/; s/\("lo":"0.14867\)[0-9]*/\1/'
lie a-hexadecimal-end 's/\("hi_hex":"0x1.30\)7/\16/'
lie another-eps0 's/"eps0":"1"/"eps0":"1.01"/'
lie fewer-users 's/"users":"1000"/"users":"999"/'
lie another-delta 's/"delta":"1e-6"/"delta":"1.1e-6"/'
lie another-pair 's/"type":"clones-stronger"/"type":"clones"/'
lie another-theorem 's/"theorem":"clones-stronger"/"theorem":"clones"/'
lie another-side 's/"side":"upper"/"side":"exact"/'
lie unproved 's/"status":"proved"/"status":"unproved"/'
lie no-end 's/"hi":"[^"]*",//'
lie twice 's/"pair":{/"pair":{"eps0":"2",/'
lie no-eps0 's/,"eps0":"1"},"users"/},"users"/'
lie no-answer 's/^./[/'

"$program" ask - >"$work/range" <<'END'
{"mechanism":{"type":"additive-noise","noise":"gaussian","scale":"5/2"},"ask":{"quantity":"gdp","eps":["1","9"]}}
END
says 0 '^checked: mu <= 0.40* *.* for all eps from 1 to 9' "$work/range"
sed 's/"eps":\["1","9"\]/"eps":["9","1"]/' "$work/range" >"$work/empty-range"
says 1 '^refused: a range of eps from above to below' "$work/empty-range"

# of few users, as a lie about many takes minutes
if drawn 3; then
    "$program" epsilon --pair clones-stronger --n 4 --eps0 1 --delta 1e-2 --json | sed 's/"rounds":1/"rounds":[{"rounds":2}]/' >"$work/more-rounds"
    says 1 '^refused: delta at ' "$work/more-rounds"
fi

unknown() {
    sed "$2" "$work/answer" >"$work/$1"
    says 3 "^not covered: " "$work/$1"
}
unknown other-member 's/"users":"1000"/"users":"1000","crowd":"3"/'
unknown rounds 's/"rounds":1/"rounds":[{"honest":"9"}]/'
unknown honest 's/"users":"1000"/"users":"1000","honest":"900"/'
unknown claim 's/"ask":{[^}]*}/"claim":{"eps":"1","delta":"1e-6"}/'
unknown pair 's/clones-stronger/clones-weaker/g'
unknown answers-member 's/"complete"/"surely":true,"complete"/'

echo '{"mechanism":{"type":"krr","k":4,"eps0":"log(28)"},"users":100,"ask":{"quantity":"epsilon","delta":"99e-11"}}' | "$program" ask - >"$work/krr"
says 0 'checked: epsilon <= 3.33220.*4-ary randomised response, .*by clones-stronger' "$work/krr"

if drawn 3; then
    "$program" delta --pair clones-stronger --n 60 --eps0 1 --rounds 3 --eps 0.3 --digits 3 --json >"$work/rounds"
    says 0 '^checked: delta <= 0.0[0-9]* and delta >= 0.0[0-9]* at eps = 0.3, for 3 rounds of the pair clones-stronger' "$work/rounds"
    sed 's/"rounds":3/"rounds":4/' "$work/rounds" >"$work/more-rounds"
    says 1 '^refused: delta is in' "$work/more-rounds"
fi

if drawn 3; then
    # So many users have too many strata for this program.
    "$program" delta --pair clones --n 1e12 --eps0 1 --eps 1e-6 --digits 3 --json >"$work/many-users"
    says 1 'not decided at this fineness' "$work/many-users"
fi
echo '{"pair":{"type":"clones","eps0":"3"}}' | "$program" ask - >"$work/error" 2>/dev/null || true
says 3 '^not covered: an error' "$work/error"
cat "$work/answer" "$work/other-member" >"$work/both"
says 3 '^1 checked, 0 refused, 1 not covered' "$work/both"
finish
