#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Builds and tests with FLINT 3 (Debian trixie) in a chroot made for it:
# autoreconf -fi && ./configure && make && make check.
#
#   tests/trixie.sh [TARBALL]
#
# The source is TARBALL (from `make dist`), or else a copy of what git knows about
# the working tree, or else HEAD. Needs root and mmdebstrap.
#
#   MIRROR          Debian mirror            (packaging/mirror.sh)
#   TRIXIE_CHROOT   a chroot to use again    (made if it does not exist, and kept)
#   TRIXIE_JOBS     jobs of make             (2)
#
# Exit status: 77 when mmdebstrap, root or the mirror is missing, 1 when the build
# or a test fails.
set -eu

suite=trixie
packages=autoconf,automake,libtool,pkg-config,gcc,libc6-dev,make,libgmp-dev,libflint-dev,libmpfr-dev,libcmocka-dev,libjansson-dev,nettle-dev
source=$(cd "$(dirname "$0")/.." && pwd)
jobs=${TRIXIE_JOBS:-2}
tarball=
if [ $# -gt 0 ]; then
    tarball=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
fi

skip() {
    echo "trixie: skipped: $1"
    exit 77
}

[ "$(id -u)" = 0 ] || skip "not root"
command -v mmdebstrap >/dev/null 2>&1 || skip "no mmdebstrap (apt-get install mmdebstrap)"

mirror=$("$source/packaging/mirror.sh")

work=$(mktemp -d "${TMPDIR:-/tmp}/trixie.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

chroot=${TRIXIE_CHROOT:-$work/chroot}
if [ ! -e "$chroot/usr/bin/gcc" ]; then
    echo "trixie: making a $suite chroot from $mirror"
    if ! mmdebstrap --mode=root --variant=minbase --include="$packages" "$suite" "$chroot" "$mirror" >"$work/log" 2>&1; then
        tail -n 20 "$work/log"
        skip "mmdebstrap failed, see above"
    fi
fi

rm -rf "$chroot/build"
mkdir -p "$chroot/build/source"
if [ -n "$tarball" ]; then
    tar -xf "$tarball" -C "$chroot/build/source" --strip-components=1
elif git -C "$source" rev-parse --git-dir >/dev/null 2>&1; then
    # what a commit would hold: tracked files and new ones that are not ignored
    (cd "$source" && git ls-files -z --cached --others --exclude-standard \
        | tar --null --ignore-failed-read -T - -cf - 2>/dev/null) | tar -xf - -C "$chroot/build/source"
else
    tar -C "$source" --exclude=.git --exclude='*.o' --exclude='*.lo' --exclude='*.la' --exclude=.libs --exclude=config.status \
        --exclude=config.cache --exclude=autom4te.cache -cf - . | tar -xf - -C "$chroot/build/source"
fi
[ -f "$chroot/build/source/configure.ac" ] || { echo "trixie: no configure.ac in the source"; exit 1; }

cat >"$chroot/build/run" <<'RUN'
set -eu
cd /build/source
dpkg-query -W -f='trixie: ${Package} ${Version}\n' libflint-dev gcc
find /usr/include -path '*flint/arb.h' | grep -q . # FLINT 3: Arb is inside
mkdir -p m4
autoreconf -fi
./configure
make -j"$1"
make -j"$1" check || { cat test-suite.log 2>/dev/null; exit 1; }
RUN
if ! env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 ${SHUFBOUND_SEED:+SHUFBOUND_SEED="$SHUFBOUND_SEED"} \
    chroot "$chroot" sh /build/run "$jobs"; then
    echo "trixie: FAILED"
    exit 1
fi
echo "trixie: passed"
