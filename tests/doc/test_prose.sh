#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Spelling and style of what people read. codespell looks at the pages, the manual page and the source with its messages; proselint at
# the pages without their code: in the gate at half of those that the last day's commits changed and one in ten of the others, in make
# check-all at all, and at the proofs, too. A finding is mended, or explained: as a word of tests/doc/words, or below.
. "${srcdir:-.}/tests/check.sh"
source=$(cd "$source" && pwd)
for tool in codespell proselint python3; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done

# spelt FOLDER: \n in a message is no letter
spelt() {
    (cd "$1" && find ./*.md doc proofs python vectors workflow src web packaging -name '*.[ch1]' -o -name '*.md' -o -name '*.sh' -o -name '*.py' \
        -o -name '*.js' -o -name '*.txt') >"$work/files"
    sed 's/ .*//' "$source/tests/doc/words" >"$work/ignored"
    (cd "$1" && xargs codespell --ignore-regex '\\n' -I "$work/ignored" <"$work/files") >&2
}

mkdir -p "$work/config/proselint" "$work/home"
# Off is what takes mathematics for prose, or asks for other signs than the keyboard has: (c), (R) and ... are formulas, ! a factorial. Its
# paragraphs that begin with "but" are lines that do.
cat >"$work/config/proselint/config" <<'END'
{"checks": {"typography.symbols": false, "typography.exclamation": false, "hyperbole.misc": false, "security.credit_card": false, "misc.but": false}}
END

# styled FOLDER [PATH...]: the pages of these paths
styled() {
    folder=$1
    shift
    rm -rf "$work/pages"
    mkdir "$work/pages"
    (cd "$folder" && find "$@" -name '*.md') | while read -r page; do
        if grep -qxF "$page" "$work/changed"; then of=2; else of=10; fi
        [ "$page" = page.md ] || drawn $of || continue
        mkdir -p "$work/pages/$(dirname "$page")"
        awk '/^ *```/ { code = !code; print ""; next } code || /^    / { print ""; next } { gsub(/`[^`]*`/, "code"); print }' "$folder/$page" >"$work/pages/$page"
    done
    (cd "$work/pages" && find . -name '*.md' -print0 | HOME=$work/home XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/home xargs -0 -n 8 -P 2 proselint) >&2
}

python3 "$source/tests/changed.py" "$source" >"$work/changed"
check "spelling" spelt "$source"
# shellcheck disable=SC2046
check "style" styled "$source" README.md CONTRIBUTING.md CHANGELOG.md doc python vectors workflow $(gate_or_all "" proofs)

# And both can fail.
(cd "$work" && mkdir wrong && cd wrong && mkdir doc proofs python vectors workflow src web packaging)
echo 'At the end of the day this is very unique.' >"$work/wrong/page.md"
echo 'puts("an\nexeption");' >"$work/wrong/src/wrong.c"
spelt "$work/wrong" 2>"$work/log" && fail "a misspelt message passes"
grep -q 'wrong.c:2: exeption' "$work/log" || fail "codespell says: $(cat "$work/log")"
styled "$work/wrong" page.md 2>"$work/log" && fail "a cliche passes"
grep -q 'page.md:1:.*unique' "$work/log" || fail "proselint says: $(cat "$work/log")"
finish
