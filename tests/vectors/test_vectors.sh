#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# shufbound vectors as a user meets it: generation in any shares, interrupts, checks, verdicts, messages.
. "${srcdir:-.}/tests/check.sh"

# expect STATUS PATTERN ARGS...: the exit status, and a pattern in stdout or stderr
expect() {
    status=$1 pattern=$2
    shift 2
    "$program" vectors "$@" >"$work/stdout" 2>"$work/stderr"
    got=$?
    if [ $got != "$status" ] || ! { cat "$work/stdout" "$work/stderr"; echo; } | grep -qe "$pattern"; then
        fail "shufbound vectors $*: exit $got (expected $status), wanted /$pattern/"
        cat "$work/stdout" "$work/stderr" >&2
    fi
    # one line says what is wrong
    if [ "$status" = 64 ] && { [ -s "$work/stdout" ] || [ "$(wc -l <"$work/stderr")" != 1 ]; }; then
        fail "shufbound vectors $*: an error must be one line on stderr alone"
    fi
}

# same A B
same() {
    cmp "$1" "$2" >&2 || fail "$1 and $2 differ"
}

# prompt NUMBER TESTS: a prompt file with these tests
prompt() {
    printf '{"algorithm": "sample", "schema": "../schema/prompt.schema.json", "header": ["\303\251"],
"notes": {"Plain": {"bugType": "BASIC", "description": "d"}}, "numberOfTests": %s,
"testGroups": [{"type": "t", "source": "s", "confirmation": "c", "tests": [%s]}]}\n' "$1" "$2"
}

# test ID QUESTION
test_of() {
    printf '{"tcId": %s, "comment": "c", "flags": ["Plain"], "question": {%s}}' "$1" "$2"
}

# pair TYPE EPS0 USERS, ask QUANTITY POINT VALUE
pair() {
    printf '"pair": {"type": "%s", "eps0": "%s"}, "users": "%s", ' "$1" "$2" "$3"
}
ask() {
    printf '"ask": {"quantity": "%s", "%s": "%s"}' "$1" "$2" "$3"
}

t1=$(test_of 1 "$(pair clones 4 10000)$(ask delta eps 0.5)")
t2=$(test_of 2 '"pair": {"type": "krr-strong", "k": "3", "gamma": "1/2"}, "users": "10", '"$(ask renyi order 2)")
t3=$(test_of 3 '"mechanism": {"type": "ldp", "eps0": "4"}, "users": "1000", "form": {"theorem": "chen24-thm2"}, '"$(ask delta eps 3.2)")
t4=$(test_of 4 "$(pair clones 1 1000)"'"rounds": "3", '"$(ask epsilon delta 1e-6)")
t5=$(test_of 5 "$(pair clones-stronger 1 3000)"'"sample": {"scheme": "fixed", "rate": "1/3"}, '"$(ask delta eps 0.1)")
t6=$(test_of 6 "$(pair clones 1 1000)"'"rounds": "10", '"$(ask epsilon delta 1e-6)"', "via": "strong-composition"')
t7=$(test_of 7 '"pair": {"type": "krr-third", "k": "3", "eps0": "log(3)"}, "users": "20", '"$(ask delta eps 0)"', "digits": 40')
mkdir "$work/prompt" "$work/whole" "$work/shares" "$work/back" "$work/again"
prompt 7 "$t1,$t2,$t3,$t4,$t5,$t6,$t7" >"$work/prompt/g.json"

# ---- generate ----
expect 0 '' generate --output "$work/whole" "$work/prompt/g.json"
[ "$(ls -A "$work/whole")" = g.json ] || fail "generate left other files than the vectors"
grep -q '"infinite": true' "$work/whole/g.json" || fail "no infinite value"
grep -q '"side": "none"' "$work/whole/g.json" || fail "no refuted formula"
grep -q '"per_round"' "$work/whole/g.json" || fail "no strong composition"
grep -q '"generatorVersion": "[0-9.]*"' "$work/whole/g.json" || fail "no version"
grep -qe elapsed -e '"work"' "$work/whole/g.json" && fail "a vector with its time or work"

# the same by hand, test 1
"$program" delta --pair clones --n 10000 --eps0 4 --eps 0.5 --json | grep -o '"lo":"[^"]*"' | sed 's/:/: /' >"$work/lo"
grep -qFf "$work/lo" "$work/whole/g.json" || fail "not what the command line gives"

# shares, in any order, one of them cut off in the middle of a line
expect 0 '' generate --output "$work/shares" --shard 3/3 "$work/prompt/g.json"
expect 0 '' generate --output "$work/shares" --shard 1/3 "$work/prompt/g.json"
[ -e "$work/shares/g.json" ] && fail "a share wrote the whole file"
[ "$(wc -l <"$work/shares/.g.1-of-3.jsonl")" = 3 ] || fail "a share of another size"
size=$(wc -c <"$work/shares/.g.1-of-3.jsonl")
head -c $((size - 20)) "$work/shares/.g.1-of-3.jsonl" >"$work/cut"
cp "$work/cut" "$work/shares/.g.1-of-3.jsonl"
expect 0 '' generate --output "$work/shares" --shard 1/3 "$work/prompt/g.json"
[ "$(wc -l <"$work/shares/.g.1-of-3.jsonl")" = 4 ] || fail "the line that was cut off was not ended"
[ "$(grep -c '}}}$' "$work/shares/.g.1-of-3.jsonl")" = 3 ] || fail "the result that was cut off was not computed again"
expect 0 '' generate --output "$work/shares" "$work/prompt/g.json"
same "$work/whole/g.json" "$work/shares/g.json"
[ "$(ls -A "$work/shares")" = g.json ] || fail "finished shares were left"

# finished results are taken over, but not those of another question or of another version
expect 0 '' generate --output "$work/again" --shard 1/1 "$work/prompt/g.json"
sed -i 's/"terms":[0-9]*/"terms":424242/' "$work/again/.g.1-of-1.jsonl"
sed 's/"eps": "0.5"/"eps": "0.25"/' "$work/prompt/g.json" >"$work/prompt/h.json"
mv "$work/again/.g.1-of-1.jsonl" "$work/again/.h.1-of-1.jsonl"
expect 0 '' generate --output "$work/again" "$work/prompt/h.json"
[ "$(grep -c 424242 "$work/again/h.json")" = 5 ] || fail "not the five finite results of the same questions were taken over"
expect 0 '' generate --output "$work/again" --shard 1/1 "$work/prompt/h.json"
sed -i 's/"terms":[0-9]*/"terms":424242/; s/"version":"/"version":"0/' "$work/again/.h.1-of-1.jsonl"
expect 0 '' generate --output "$work/again" "$work/prompt/h.json"
grep -q 424242 "$work/again/h.json" && fail "results of another version were taken over"

# an interrupt leaves what is finished
slow=$(test_of 8 '"pair": {"type": "krr-strong", "k": "3", "gamma": "1/2"}, "users": "9000000", "rounds": "100000", '"$(ask epsilon delta 1e-6)"', "digits": 9')
prompt 2 "$t1,$slow" >"$work/prompt/slow.json"
began=$(date +%s)
timeout --foreground --preserve-status -s INT 1 "$program" vectors generate --output "$work/again" "$work/prompt/slow.json" 2>"$work/stderr"
[ $? = 130 ] || fail "an interrupted run did not exit with 130"
[ $(($(date +%s) - began)) -lt 15 ] || fail "an interrupted run went on"
grep -q interrupted "$work/stderr" || fail "an interrupted run did not say so"
[ "$(wc -l <"$work/again/.slow.1-of-1.jsonl")" = 1 ] || fail "the finished result was lost"
[ -e "$work/again/slow.json" ] && fail "an interrupted run wrote vectors"

# ---- prompt ----
expect 0 '' prompt --output "$work/back" "$work/whole/g.json"
expect 0 '' generate --output "$work/again" "$work/back/g.json"
same "$work/whole/g.json" "$work/again/g.json"
mkdir "$work/twice"
expect 0 '' prompt --output "$work/twice" "$work/again/g.json"
same "$work/back/g.json" "$work/twice/g.json"

# ---- check ----
expect 0 '^7 agree (7 in the same digits), 0 fail, 0 skipped$' check "$work/whole/g.json"
expect 0 '^5 agree, 0 fail, 2 skipped$' check --fast "$work/whole/g.json"
for seed in 1 2 3 4 5; do
    SHUFBOUND_SEED=$seed
    export SHUFBOUND_SEED
    expect 0 '^1 agree' check --sample 7 "$work/whole/g.json"
    grep -q "^SHUFBOUND_SEED=$seed$" "$work/stdout" || fail "the seed is not shown"
done
unset SHUFBOUND_SEED
# where the parent ignores the ends of its children
ignore="env --ignore-signal=CHLD"
$ignore true 2>/dev/null || ignore=
$ignore "$program" vectors check "$work/whole/g.json" >"$work/stdout" 2>&1 || fail "SIGCHLD ignored: $(cat "$work/stdout")"
# an interval that is far too wide and only touches the value
sed '/"tcId": 1,/,/"ledger"/{s/"lo": "[^"]*"/"lo": "0"/; s/"hi": "[^"]*"/"hi": "1.4552590355144235e-5"/
    s/"lo_hex": "[^"]*"/"lo_hex": "0x0p+0"/; s/"hi_hex": "[^"]*"/"hi_hex": "0x1.e84dcc9e967f7p-17"/; }
    s/"rounding": "2.01e-21"/"rounding": "1"/' "$work/whole/g.json" >"$work/wrong.json"
expect 1 'tcId 1: .*does not contain' check "$work/wrong.json"
# the fifteenth digit, in decimal, then in hexadecimal too
sed 's/1\.45525903551442/1.45525903551443/; s/1\.45525903551442/1.45525903551443/' "$work/whole/g.json" >"$work/wrong.json"
expect 1 '^FAIL .*wrong\.json: tcId 1: lo and lo_hex' check "$work/wrong.json"
sed -i 's/0x1.e84dcc9e967f6p/0x1.e84dcc9e96831p/; s/0x1.e84dcc9e967f8p/0x1.e84dcc9e96833p/' "$work/wrong.json"
expect 1 '^FAIL .*wrong\.json: tcId 1: .*misses' check "$work/wrong.json"
expect 1 '^6 agree (6 in the same digits), 1 fail' check "$work/wrong.json"
sed 's/"theorem": "clones"/"theorem": "clones-stronger"/' "$work/whole/g.json" >"$work/wrong.json"
expect 1 'tcId 1: another theorem' check "$work/wrong.json"
sed 's/"truncation": "1.29e-21"/"truncation": "1.29e-22"/; s/"rounding": "2.01e-21"/"rounding": "1e-22"/' "$work/whole/g.json" >"$work/wrong.json"
expect 1 'tcId 1: the ledger adds up to less' check "$work/wrong.json"

sed '/"tcId": 4/,/"result"/{s/"1000"/"1000000"/; s/"3"/"300"/; s/"1e-6"/"1e-7"/; s/"ask"/"digits": 12, "ask"/; }' "$work/whole/g.json" >"$work/wrong.json"
timeout --foreground --preserve-status -s INT 1 "$program" vectors check "$work/wrong.json" >"$work/stdout" 2>"$work/stderr"
[ $? = 130 ] || fail "an interrupted check did not exit with 130"
grep -q ' 0 fail' "$work/stdout" || fail "an interrupted check failed a test"

# ---- claims ----
# claims VALUE DIRECTION: the claim that a Renyi divergence is at most VALUE, and a witness in a direction
claims() {
    printf '{"algorithm": "claims that are not valid bounds", "generatorVersion": "0", "schema": "schema/negative.schema.json", "header": ["h"],
"notes": {"TheoremInvalid": {"bugType": "B", "description": "d"}}, "numberOfTests": 1,
"testGroups": [{"type": "t", "source": "s", "tests": [{"tcId": 90001, "id": "i", "comment": "c", "flags": ["TheoremInvalid"],
"formula": "chen24-cor2", "claim": {"quantity": "renyi", "bound": "upper", "value": "%s", "value_lo": "1.965", "value_hi": "1.966"},
"reproduce": {"question": {"mechanism": {"type": "ldp", "eps0": "4"}, "users": "1001", "form": {"theorem": "chen24-cor2"},
"ask": {"quantity": "renyi", "order": "18"}}},
"witness": {"question": {"pair": {"type": "rr2", "eps0": "4"}, "users": "1001", "ask": {"quantity": "renyi", "order": "18"}, "direction": "%s"},
"lo": "2.931", "hi": "2.932", "theorem": "rr2", "says": "lower"}}]}]}\n' "$1" "$2"
}
claims 1.9655 pq >"$work/negative.json"
expect 0 '^1 agree' check "$work/negative.json"
expect 0 '^0 agree, 0 fail, 1 skipped' check --fast "$work/negative.json"
claims 2.9315 pq >"$work/negative.json"
expect 1 'tcId 90001: .*not from value_lo' check "$work/negative.json"
claims 1.9655 up >"$work/negative.json"
expect 65 'tcId 90001: "direction" is "up"' check "$work/negative.json"

# ---- judge ----
# answers LIST
answers() {
    printf '{"library": "L", "version": "1", "answers": [%s]}' "$1" >"$work/answers.json"
}
answers '{"tcId": 1, "upper": 1.46e-5, "lower": 0}, {"tcId": 2, "upper": "inf"}, {"tcId": 4, "refused": "no rounds"}'
expect 2 '^L 1: 3 sound, 0 unsound, 0 undecided, 1 refused, 4 not answered$' judge "$work/answers.json" "$work/whole/g.json"
expect 2 '1\.00326$' judge "$work/answers.json" "$work/whole/g.json"
expect 2 '"unknown":0' judge --json "$work/answers.json" "$work/whole/g.json"
answers '{"tcId": 1, "upper": "1.4552590355144236e-5", "lower": 0}'
expect 2 'undecided' judge "$work/answers.json" "$work/whole/g.json"
answers '{"tcId": 1, "upper": "1.4552590355144236e-5"}, {"tcId": 2, "upper": 5}'
expect 1 'unsound' judge "$work/answers.json" "$work/whole/g.json"
answers '{"tcId": 1, "upper": 1}, {"tcId": 77, "upper": 5}'
expect 65 'tcId 77 is in none' judge "$work/answers.json" "$work/whole/g.json"
expect 65 'no results' judge "$work/answers.json" "$work/prompt/g.json"
for word in NaN Infinity -Infinity; do
    answers '{"tcId": 1, "upper": '$word'}'
    expect 65 "${word#-} is no JSON: write" judge "$work/answers.json" "$work/whole/g.json"
done
answers '{"tcId": 1, "upper": 1, "refused \"NaN": }'
expect 65 'not JSON' judge "$work/answers.json" "$work/whole/g.json"
# a program in doubles, one unit below
answers '{"tcId": 1, "upper": 1.4552590355144234e-5, "lower": 1.4552590355144238e-5}'
expect 1 ' 0 sound, 2 unsound' judge "$work/answers.json" "$work/whole/g.json"
expect 2 ' 2 sound, 0 unsound' judge --tolerance 1e-9 "$work/answers.json" "$work/whole/g.json"
expect 2 '"tolerance":"1e-9"' judge --json --tolerance 1e-9 "$work/answers.json" "$work/whole/g.json"
expect 65 'the tolerance is 2' judge --tolerance 2 "$work/answers.json" "$work/whole/g.json"
expect 64 'tolerance does not go with vectors check' check --tolerance 1 "$work/whole/g.json"
# claims are passed over
claims 1.9655 pq >"$work/negative.json"
expect 2 'negative.json: passed over' judge --tolerance 1e-9 "$work/answers.json" "$work/negative.json" "$work/whole/g.json"

# ---- messages ----
# a vector that is an upper bound of a mechanism: a better one is not wrong, and one from below is not known to be right
cat >"$work/answers.json" <<END
{"library":"L","version":"1","answers":[{"tcId":34001,"upper":"0.0143","lower":"0.0143"},{"tcId":34003,"upper":"0.14","lower":"0.137"}]}
END
expect 1 '^L 1: 1 sound, 1 unsound, 2 undecided' judge "$work/answers.json" "$source/vectors/randomisers.json"
# unless it is the exact number
echo '{"library":"L","version":"1","answers":[{"tcId":35024,"upper":"0.9","lower":"0.9"},{"tcId":35019,"upper":"0.003","lower":"0.003"}]}' >"$work/answers.json"
expect 1 '^L 1: 2 sound, 2 unsound, 0 undecided' judge "$work/answers.json" "$source/vectors/dpsgd.json"

expect 64 'generate, check, judge or prompt' nonsense
expect 64 'vectors needs generate|check|judge|prompt'
expect 64 'needs one or more files' check
expect 64 'judge needs' judge "$work/answers.json"
expect 64 'shard does not go with vectors check' check --shard 1/2 "$work/whole/g.json"
expect 64 'I/N' generate --output "$work/again" --shard 2 "$work/prompt/g.json"
expect 64 'from 1 to 2' generate --output "$work/again" --shard 3/2 "$work/prompt/g.json"
expect 64 'would replace' generate --output "$work/prompt" "$work/prompt/g.json"
expect 64 'would replace' prompt --output "$work/whole" "$work/whole/g.json"
expect 64 'to one file' generate --output "$work/again" "$work/prompt/g.json" "$work/back/g.json"
expect 64 'to one file' prompt --output "$work/again" "$work/whole/g.json" "$work/shares/g.json"
expect 73 'cannot read .*missing' generate --output "$work/missing" "$work/prompt/g.json"
expect 65 'cannot open' check "$work/missing.json"
expect 65 'no results' check "$work/prompt/g.json"
expect 65 'not JSON' check "$0"
expect 65 'tcId 1 occurs twice' check "$work/whole/g.json" "$work/shares/g.json"
head -c 20000000 /dev/zero | tr '\0' '[' >"$work/huge.json"
expect 65 '16 MiB' check "$work/huge.json"
head -c 100000 "$work/huge.json" >"$work/deep.json"
expect 65 'not JSON' check "$work/deep.json"
# bad QUESTION: a prompt of it alone
bad() {
    prompt 1 "$(test_of 1 "$1")" >"$work/prompt/bad.json"
}
bad "$(pair clones 1 0)$(ask delta eps 1)"
expect 65 'bad.json: tcId 1: "users" is 0' generate --output "$work/again" "$work/prompt/bad.json"
[ -e "$work/again/bad.json" ] && fail "a bad prompt gave vectors"
bad "$(pair clones-stronger 1 1000000)$(ask delta eps 0.3)"
expect 65 'from 1e-10000' generate --output "$work/again" "$work/prompt/bad.json"
bad "$(pair clones 1 9)$(ask tradeoff type1 0:1:3)"
expect 65 'tcId 1: "type1" is "0:1:3"' generate --output "$work/again" "$work/prompt/bad.json"
bad '"mechanism": {"type": "ldp", "eps0": "1"}, "users": "9", '"$(ask delta eps 0.5)"
expect 65 'not one number' generate --output "$work/again" "$work/prompt/bad.json"
prompt 1 "$(test_of 1 "$(pair clones 1 9)$(ask delta eps 0.5)" | sed 's/"question"/"bound": "upper", &/')" >"$work/prompt/bad.json"
expect 65 'the answer has no such bound' generate --output "$work/again" "$work/prompt/bad.json"
bad '"mechanism": {"type": "ldp", "eps0": "1"}, "users": "9", "form": {"theorem": "--html"}, '"$(ask delta eps 0.5)"
expect 65 'tcId 1: "theorem" is "--html"' generate --output "$work/again" "$work/prompt/bad.json"
bad "$(pair clones 1 9)$(ask delta eps 0.5)"', "max_seconds": "1"'
expect 65 'no "max_seconds"' generate --output "$work/again" "$work/prompt/bad.json"

finish
