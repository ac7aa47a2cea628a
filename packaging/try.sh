#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Tries the packages, the wheels and the sources in FOLDER, which is one of release.sh or of deb.sh:
#
#     packaging/try.sh FOLDER
#
# each kind in a fresh Debian system (fresh.sh) that has no more than Debian's essential packages, from nothing to the README's first
# answer, with the time that it takes.
set -eu
test $# = 1 || { echo "usage: try.sh FOLDER" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1"/*shufbound* "$work"
test ! -e "$1/SHA256SUMS" || (cd "$1" && sha256sum -c --quiet SHA256SUMS)
tarball=$(ls "$work"/shufbound[-_]*.tar.xz | grep -v debian | head -n 1)
version=$(basename "$tarball" | sed 's/^shufbound[-_]//; s/\.\(orig\.\)*tar\.xz$//')
tar -xJf "$tarball" -C "$work" --strip-components=1 --wildcards "*/README.md" "*/doc/claims"
try() { # WAY FILE
    test ! -e "$2" || "$here/fresh.sh" minbase ca-certificates "try $1" "$work" "$version"
}
try package "$work/shufbound_$version"-*.dsc
try wheel "$work/shufbound-$version"-*"_$(uname -m).whl"
try source "$work/shufbound-$version.tar.xz"
