#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Answers as text: hand-made ones that the schema accepts.
. "${srcdir:-.}/tests/check.sh"
render=tests/report/render

command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
python3 "$source/tests/report/answers.py" "$source/doc/schema" >"$work/answers" 2>"$work/err"
status=$?
if [ $status = 77 ]; then
    echo "not checked against the schema: Python has no jsonschema"
    python3 "$source/tests/report/answers.py" >"$work/answers" || exit 1
elif [ $status != 0 ]; then
    cat "$work/err" >&2
    exit 1
fi
for what in text explain sentences table; do
    $render $([ $what = explain ] && echo text --explain || echo $what) <"$work/answers" >"$work/$what" || exit 1
done

# has FILE TEXT: a line that is the text, whole
has() {
    grep -qxF -e "$2" "$work/$1" || fail "$1 lacks: $2"
}

# has_not FILE PATTERN
has_not() {
    if LC_ALL=C grep -q -e "$2" "$work/$1"; then fail "$1 has: $2"; fi
}

has text '  the bound itself: delta in [1.455e-5, 1.456e-5]'
has explain 'delta in [1.4552590355144235e-5, 1.4552590355144237e-5]'
has explain '  theorem clones (proved, upper bound)'
has explain '  order 30.8714'
has text '  10 rounds: Renyi divergences add'
has text '  not all digits were reached; the ends hold (--effort high may reach them)'
has explain '  accuracy not reached, the interval is valid'
has text '  cut short by the clock or an interrupt: another run may differ'
[ "$(grep -c 'cut short' "$work/text")" = 2 ] || fail "two answers were cut short"
has text 'Renyi divergence is infinite: the largest privacy loss is infinite'
has text '  no guarantee: chen24-cor2 is refuted'
has explain '  theorem chen24-cor2 (does not certify, upper bound)'
has text 'delta <= 6.619e-5   guaranteed (local-profile: proved on paper)'
has text 'delta >= 7.23e-6   shown by the data below (mixed-data: proved on paper)'
has text 'epsilon >= 0.8365   shown by the data below (krr-same: proved on paper)'
has explain 'no information from blanket'
has text '  subset-selection, k = 10, size = 3, eps0 = 1; seen: how many reports are 1'
has text 'type II error >= 0.8809   guaranteed (krr-weak, dong22-2.12: proved on paper)'
has text 'type II error <= 0.881   shown by the data below (krr-third, dong22-2.12: proved'
has explain '  at the witness, delta in [8.046e-5, 8.047e-5]'
has text 'CERTIFIED: the claim 0.661-GDP for eps from 0 to 4 of gdp'
has text 'error in line 7: unknown member "epss\u001b"'
has explain '    truncation      4.8e-20'
has explain '    validity: pure eps0-LDP (delta0 = 0), uniform permutation, neighbours replace one user'\''s value; n >= 1, eps0 >= 0'
has_not text 'validity:'

# for a page, which breaks lines itself
has sentences 'type II error <= 0.881   shown by the data below (krr-third, dong22-2.12: proved on paper)'
has sentences '  10 users hold 0; against: 9 users hold 0, 1 user holds 1; mechanism: krr, k = 10, eps0 = log(3); seen: how many reports are 1'
has sentences '  krr, k = 16, eps0 = 3 (for replacing a value); 200000 users; neighbours replace one user'\''s value; reports are independent and shuffled'
[ "$(tr -s ' \n' '\n\n' <"$work/text")" = "$(tr -s ' \n' '\n\n' <"$work/sentences")" ] || fail "the sentences are not the text"

# whole ids and numbers, shorter ones rounded outward, 100 columns
has table 'REFUTED    an-id-that-is-much-longer-than-any-column-of-the-table-could-be-and-stays-whole'
grep -qF '(0.7655466356218311, 1.00000000000000000000e-8)' "$work/table" || fail "a claim was cut"
has table '           clones-stronger: epsilon <= 0.11817, delta <= 2.566e-10; clones: epsilon <= 0.12101,'
has table '           krr-same: epsilon >= 0.83656, delta >= 0.001924; data: 10 users hold 0; against: 9 users'
grep -qE '^CERTIFIED  apple-clones-numerical  *\(0\.172790550755978, 1e-6\) +0\.11817 +0\.11702$' "$work/table" || fail "the row of apple-clones-numerical"
grep -qE '^           <= 1\.707e-6|delta <= 1\.707e-6' "$work/table" || fail "1.706815985899899e-06 must be rounded up"
if sed '/^CERTIFIED AT/,$d' "$work/table" | awk 'length > 100 { bad = 1 } END { exit !bad }'; then
    fail "the table is wider than 100 columns"
fi

# nothing moves the cursor
for what in text explain sentences table; do
    has_not $what "$(printf '[\001-\011\013-\037\177\200-\237]')"
done
grep -qF '\u001b[2K\u000dCERTIFIED  x\u202e<script>' "$work/table" || fail "the hostile id"
finish
