#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds the page: web/build.sh FOLDER
#
# writes FOLDER/shufbound.html, one file that needs nothing else, and the licences of what it carries. The compiler is Debian
# trixie's emscripten, in a chroot below FOLDER; the libraries are Debian's source packages, whose SHA-256 is in sources.sha256.
# Needs root, mmdebstrap, python3 and a Debian mirror; ten minutes and 2 GB when it is made for the first time.
#
#   MIRROR       Debian mirror     (packaging/mirror.sh)
#   WEB_CHROOT   the chroot        (FOLDER/chroot)
#   JOBS         how many at once  (2)
set -eu
test $# = 1 || { echo "usage: build.sh FOLDER" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$here")
mkdir -p "$1"
folder=$(cd "$1" && pwd)
chroot=${WEB_CHROOT:-$folder/chroot}
emscripten=3.1.69

fail() {
    echo "web: $1" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail "not root"
for program in mmdebstrap python3; do
    command -v $program >/dev/null || fail "no $program (apt-get install $program)"
done

mirror=$("$source/packaging/mirror.sh")

inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/build LC_ALL=C.UTF-8 JOBS="${JOBS:-2}" ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} chroot "$chroot" "$@"
}

if [ ! -e "$chroot/usr/bin/emcc" ]; then
    echo "web: making a chroot from $mirror"
    mmdebstrap --mode=root --variant=minbase --include=emscripten,make,m4,autoconf,automake,libtool,pkg-config,xz-utils,ca-certificates \
        trixie "$chroot" "deb $mirror trixie main" "deb-src $mirror trixie main" "deb-src $mirror bookworm main" >"$folder/chroot.log" 2>&1 \
        || { tail -n 20 "$folder/chroot.log" >&2; fail "mmdebstrap failed"; }
fi
grep -q "^\"*$emscripten" "$chroot/usr/share/emscripten/emscripten-version.txt" || fail "the chroot has not emscripten $emscripten"

# The sources of the libraries, which must be those that are known.
mkdir -p "$chroot/build/sources"
if ! (cd "$chroot/build/sources" && sha256sum -c --status "$here/sources.sha256" 2>/dev/null); then
    inside sh -c 'cd /build/sources && apt-get update -q && apt-get source -q --download-only --tar-only gmp/trixie mpfr4/trixie jansson/trixie flint/bookworm flint-arb/bookworm' \
        >"$folder/sources.log" 2>&1 || { tail -n 20 "$folder/sources.log" >&2; fail "no sources"; }
    (cd "$chroot/build/sources" && sha256sum -c --quiet "$here/sources.sha256") || fail "other sources than those of sources.sha256"
fi

# The program's own: what is needed to configure and compile it.
rm -rf "$chroot/build/source"
mkdir "$chroot/build/source"
(cd "$source" && tar --exclude='*.o' --exclude='*.lo' --exclude=.libs --exclude=.deps --exclude=.dirstamp -cf - configure.ac Makefile.am shufbound.pc.in src tests/*/tests.am web) | tar -xf - -C "$chroot/build/source"
inside sh /build/source/web/compile.sh || exit 1

mkdir -p "$folder/licences"
cp "$source/COPYING" "$source/COPYING.LESSER" "$folder/licences"
for file in "$chroot"/build/sources/*.tar.*; do
    name=$(basename "$file")
    name=${name%%_*}
    tar -xOf "$file" --wildcards --no-wildcards-match-slash '*/COPYING' '*/COPYING.LESSER' '*/COPYING.LESSERv3' '*/LICENSE' >"$folder/licences/$name" 2>/dev/null || true
    test -s "$folder/licences/$name" || fail "no licence in $file"
done
cp "$chroot/usr/share/doc/emscripten/copyright" "$folder/licences/emscripten"
python3 "$here/assemble.py" "$here" "$chroot/build" "$source/configure.ac" "$folder/shufbound.html"
