#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Makes the files of a release of the commit that is checked out:
#
#     packaging/release.sh FOLDER
#
# The commit is exported and built elsewhere, so that nothing else enters. Each part is the work of a make target, which names the
# tools that it lacks: the part is then refused with that line, its output stays in release-PART.out, and the exit status is 1.
# The tarball has the same bytes wherever autoconf, automake, libtool and xz are the same.
#
#   WEB_CHROOT   the chroot of make web   (web-build/chroot, kept)
set -eu
test $# = 1 || { echo "usage: release.sh FOLDER" >&2; exit 64; }
root=$(cd "$(dirname "$0")/.." && pwd)
here=$PWD
commit=$(git -C "$root" rev-parse HEAD)
test -z "$(git -C "$root" status --porcelain)" || { echo "release: changes that are not committed (git status)" >&2; exit 1; }
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
WEB_CHROOT=${WEB_CHROOT:-$here/web-build/chroot}
LC_ALL=C.UTF-8
export SOURCE_DATE_EPOCH WEB_CHROOT LC_ALL
unset SHUFBOUND MAKEFLAGS MAKELEVEL
rm -rf "$1"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$root" archive HEAD | tar -xf - -C "$work"
cd "$work"

umask 022
version=$(sed -n 's/^AC_INIT(.*\[\(.*\)\])$/\1/p' configure.ac)
status=0
part() { # PART COMMAND...
    part=$1
    out=$here/release-$part.out
    echo "release: $part"
    shift
    if "$@" >"$out" 2>&1; then
        rm "$out"
    else
        status=1
        echo "release: no $part: $(grep -v '^make' "$out" | tail -n 1)" >&2
    fi
}
pack() { # NAME FOLDER: as NAME.tar.gz, if it could be made
    test ! -d "$2" || { mv "$2" "$1" && sh packaging/pack.sh "$1" | gzip -9n >"$folder/$1.tar.gz"; }
}

part program sh -c './bootstrap && make -s -j2'
[ $status = 0 ] || exit 1
part source make dist
part sdist make sdist
part wheel make wheel
part wheel-arm64 make wheel ARCH=arm64
part vectors make vectors-dist vectors-wheel
part manual make manual
part debian packaging/deb.sh "shufbound-$version.tar.xz" deb-build
part image make oci
part page make web
pack "shufbound-manual-$version" manual/html
pack "shufbound-image-$version" oci-build
mkdir -p page
cp -r web-build/shufbound.html web-build/licences page && pack "shufbound-page-$version" page
for file in shufbound-*.tar.xz shufbound-vectors-*.tar.gz wheel/* manual/shufbound.pdf deb-build/*shufbound*_*; do
    test ! -f "$file" || cp "$file" "$folder"
done
test ! -e "$folder/shufbound.pdf" || mv "$folder/shufbound.pdf" "$folder/shufbound-manual-$version.pdf"
awk -v heading="^## $version" '/^## /{on = $0 ~ heading} on' CHANGELOG.md >"$folder/NOTES.md"
python3 packaging/sbom.py "$folder" "$version" "$commit" >shufbound.spdx.json
mv shufbound.spdx.json "$folder/shufbound-$version.spdx.json"
cd "$folder"
sha256sum -- * >../SHA256SUMS.new
mv ../SHA256SUMS.new SHA256SUMS
cat SHA256SUMS
exit $status
