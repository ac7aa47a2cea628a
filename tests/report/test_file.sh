#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Output files: only a regular file is replaced, and only by a whole one.
. "${srcdir:-.}/tests/check.sh"

curve() {
    "$program" curve --pair clones --n 10 --eps0 1 --eps 0.1:0.9:5 --plot "$1" >"$work/out" 2>"$work/err"
}

what() {
    stat -c '%F %i %s %t,%T' "$1"
}

# refused PATH WORD: exit 73 before any work, one line that names option, path and the reason; the target untouched
refused() {
    before=$(what "$1" 2>&1)
    curve "$1"
    status=$?
    [ $status = 73 ] || fail "--plot $1: exit $status, not 73"
    [ "$(wc -l <"$work/err")" = 1 ] && grep -qF -e "--plot $1: " "$work/err" && grep -q -e "$2" "$work/err" || {
        fail "--plot $1: the message must name option, path and $2"
        cat "$work/err" >&2
    }
    [ ! -s "$work/out" ] || fail "--plot $1: was refused after work had begun"
    [ "$before" = "$(what "$1" 2>&1)" ] || fail "--plot $1: the target changed"
}

no_leftovers() {
    [ -z "$(find "$work" -name '.shufbound-*')" ] || fail "a temporary file was left behind $1"
}

mkdir "$work/folder.svg" "$work/dir"
mkfifo "$work/fifo.svg"
echo old >"$work/file.svg"
ln -s file.svg "$work/link.svg"
ln -s nowhere.svg "$work/dangling.svg"
refused "$work/folder.svg" folder
refused "$work/fifo.svg" FIFO
refused "$work/link.svg" 'symbolic link'
refused "$work/dangling.svg" 'symbolic link'
refused "$work/missing/plot.svg" 'No such file'
refused "$work/file.svg/plot.svg" 'Not a directory'
[ "$(cat "$work/file.svg")" = old ] || fail "the file behind a symbolic link changed"
if mknod "$work/null.svg" c 1 3 2>/dev/null && mknod "$work/full.svg" c 1 7; then
    refused "$work/null.svg" device
    refused "$work/full.svg" device
else
    echo "no devices: mknod is not allowed here"
fi
if command -v python3 >/dev/null; then
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$work/s.svg" && refused "$work/s.svg" socket
fi

# two files of one name, written in another way
ln -s "$work" "$work/dir/beside"
"$program" audit "${srcdir:-.}/doc/claims/bits.json" --html "$work/one" --latex "$work/dir/beside/one" >"$work/out" 2>"$work/err"
[ $? = 64 ] && [ "$(cat "$work/err")" = "shufbound: --html and --latex are both $work/dir/beside/one: two files are needed" ] && [ ! -s "$work/out" ] &&
    [ ! -e "$work/one" ] || fail "a report over another: $(cat "$work/err")"
rm "$work/dir/beside"
no_leftovers "after two files of one name"

# a folder that cannot be written to; root can, so it steps down
chmod 555 "$work/dir"
if [ "$(id -u)" != 0 ]; then
    refused "$work/dir/plot.svg" 'ermission denied'
elif cp "$program" "$work/program" && chmod 755 "$work" \
    && setpriv --reuid=65534 --regid=65534 --clear-groups "$work/program" --version >/dev/null 2>&1; then
    setpriv --reuid=65534 --regid=65534 --clear-groups "$work/program" curve --pair clones --n 10 --eps0 1 --eps 0.1:0.9:5 \
        --plot "$work/dir/plot.svg" >"$work/out" 2>"$work/err"
    [ $? = 73 ] && grep -q 'ermission denied' "$work/err" || fail "an unwritable folder must give exit 73"
fi
no_leftovers "after a refusal"

# replaced by a whole file, with the permissions of a new one
umask 027
curve "$work/file.svg" || fail "a regular file could not be replaced"
grep -q '</svg>' "$work/file.svg" || fail "the new file is not whole"
[ "$(stat -c %a "$work/file.svg")" = 640 ] || fail "the permissions are not those of a new file"
(cd "$work" && echo x >here.svg) && (
    program=$(readlink -f "$program"); cd "$work" && curve here.svg && grep -q '</svg>' here.svg
) || fail "a path without a folder"
no_leftovers "after success"

# a disk that is full after 512 bytes: the old file stays
echo old >"$work/kept.svg"
(trap '' XFSZ; ulimit -f 1; curve "$work/kept.svg")
[ $? = 73 ] || fail "a full disk must give exit 73"
[ "$(cat "$work/kept.svg")" = old ] || fail "a full disk destroyed the old file"
(trap '' XFSZ; ulimit -f 1; "$program" audit --html "$work/page.html" "$claims/mechanisms.json" --max-seconds 1 >"$work/out" 2>"$work/err")
[ $? = 73 ] || fail "audit --html on a full disk must give exit 73"
[ ! -e "$work/page.html" ] || fail "audit --html on a full disk left a part of the page"
no_leftovers "after a full disk"

# the target changes its kind while the work goes on
mkfifo "$work/go"
"$program" curve --pair clones --n 10 --eps0 1 --eps 0.1:0.9:3000 --plot "$work/changed.svg" >"$work/go" 2>"$work/err" &
process=$!
exec 3<"$work/go"
IFS= read -r _ <&3 # the work has begun; it waits for its output to be read
mkfifo "$work/changed.svg"
cat <&3 >/dev/null
wait $process
[ $? = 73 ] && [ -p "$work/changed.svg" ] || fail "a target that became a FIFO must be left as it is"
no_leftovers "after a target changed"

# standard output on a full disk
if [ -e /dev/full ]; then
    for arguments in --help --version help "delta --help" theorems bound "delta --pair clones --n 10 --eps0 1 --eps 0.5" \
        "curve --pair clones --n 10 --eps0 1 --eps 0.1:0.9:5"; do
        # shellcheck disable=SC2086
        "$program" $arguments >/dev/full 2>"$work/err"
        status=$?
        [ $status = 73 ] && [ "$(wc -l <"$work/err")" = 1 ] || fail "$arguments >/dev/full: exit $status, and one line is wanted"
    done
fi

# an id that would forge a verdict on a terminal
printf '%s' '[{"id": "\u001b[2K\rCERTIFIED  x\u202e", "source": "\u009b1m", "mechanism": {"type": "ldp", "eps0": "1"}, "n": "10",
  "neighbours": "replace", "claim": {"eps": "0.1", "delta": "1e-9"}}]' >"$work/forged.json"
"$program" audit --explain "$work/forged.json" >"$work/out" 2>&1
grep -qF '\u001b[2K\u000dCERTIFIED  x\u202e' "$work/out" || fail "audit does not show the control characters of an id"
LC_ALL=C grep -q "$(printf '[\001-\011\013-\037\177\200-\237]')" "$work/out" && fail "audit prints control characters"
finish
