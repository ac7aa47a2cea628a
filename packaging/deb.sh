#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds the Debian packages of a release:
#
#     packaging/deb.sh shufbound-VERSION.tar.xz FOLDER
#
# The source package and the binary ones, which go to FOLDER, are built in a fresh Debian system (fresh.sh), with lintian's opinion.
set -eu
test $# = 2 || { echo "usage: deb.sh TARBALL FOLDER" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
version=$(basename "$1" .tar.xz | sed 's/^shufbound-//')
mkdir -p "$2"
folder=$(cd "$2" && pwd)
rm -f "$folder"/*shufbound*_"$version"*
cp "$1" "$folder/shufbound_$version.orig.tar.xz"
"$here/fresh.sh" buildd debhelper,devscripts,lintian deb-build "$folder" "$version"
ls -l "$folder"/*.deb
