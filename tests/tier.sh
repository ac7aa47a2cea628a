# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh
# What the tiers of checking have in common, sourced by .ci/run, check-all.sh and release-check.sh: stages with their times, the
# closing line of a make check, and the tier's row in doc/checked.md.
tier_begin=$(date +%s)
stage_name=

# stage NAME: ends the stage before, and begins one; the last one is: stage ""
stage() {
    now=$(date +%s)
    [ -z "$stage_name" ] || printf '==== %s: %d min %02d s (%d min %02d s in all)\n' "$stage_name" $(((now - stage_begin) / 60)) \
        $(((now - stage_begin) % 60)) $(((now - tier_begin) / 60)) $(((now - tier_begin) % 60))
    stage_name=$1
    stage_begin=$now
}

# check ARGS...: make check with these arguments; what is slow, why tests were skipped, and a line of counts, kept in $counts
check() {
    make -j2 check "$@" >check.out 2>&1 && check_status=0 || check_status=$?
    grep -v '^PASS: \|^make\|^  C' check.out || true
    if [ "$check_status" != 0 ]; then
        cat test-suite.log || true
    fi
    echo "the slowest tests (seconds):"
    find tests -name '*.log' -exec stat -c '%W %Y %n' {} + | awk '{print $2 - $1, $3}' | sort -rn | head -n 12 || true
    sed -n 's/^SKIP: //p' check.out | while read -r name; do
        echo "skipped $name: $(sed -n 's/^skipped: //p' "$name.log")"
    done
    counts=$(awk '/^# PASS:/ {p=$3} /^# FAIL:/ {f=$3} /^# ERROR:/ {e=$3} /^# SKIP:/ {s=$3}
                  END {printf "%d passed, %d failed, %d skipped", p, f+e, s}' check.out)
    echo "$counts"
    return "$check_status"
}

# checked TIER FIGURES: its row in doc/checked.md, for the commit that is checked out, below the folder $source
checked() {
    [ -d "$source/.git" ] || [ -f "$source/.git" ] || return 0
    total=$(($(date +%s) - tier_begin))
    row="| $1 | $(git -C "$source" rev-parse --short=10 HEAD) | $(git -C "$source" log -1 --format=%cs) | $((total / 60)) min | $2 |"
    awk -v tier="$1" -v row="$row" -F' [|] ' '$1 == "| " tier { print row; next } { print }' "$source/doc/checked.md" >"$source/doc/checked.new"
    mv "$source/doc/checked.new" "$source/doc/checked.md"
    echo "doc/checked.md: $row"
}
