#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds the Debian packages of a release and tries them:
#
#     packaging/deb.sh shufbound-VERSION.tar.xz FOLDER
#
# in two fresh Debian systems that are thrown away. The first builds the source package and the binary ones, which go to FOLDER,
# and runs lintian. In the second, which has nothing but Debian's essential packages, the new ones are installed with apt, three lines of Python
# ask for the README's number, and autopkgtest runs debian/tests. Needs mmdebstrap and a mirror, and root or user namespaces.
#
#   MIRROR   Debian mirror    (packaging/mirror.sh)
#   SUITE    Debian's release (bookworm)
#   JOBS     how many at once (2)
set -eu
test $# = 2 || { echo "usage: deb.sh TARBALL FOLDER" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
version=$(basename "$1" .tar.xz | sed 's/^shufbound-//')
mkdir -p "$2"
folder=$(cd "$2" && pwd)
command -v mmdebstrap >/dev/null || { echo "deb: no mmdebstrap (apt-get install mmdebstrap)" >&2; exit 1; }
rm -f "$folder"/*shufbound*_"$version"*
cp "$1" "$folder/shufbound_$version.orig.tar.xz"

fresh() { # VARIANT PACKAGES SCRIPT: runs the script in a system of that, with the folder at /packages
    mmdebstrap --quiet --variant="$1" --include="$2" --skip=cleanup --customize-hook="mkdir \"\$1/packages\"" \
        --customize-hook="sync-in \"$folder\" /packages" --customize-hook="copy-in \"$here/$3\" /" \
        --customize-hook="chroot \"\$1\" env JOBS=${JOBS:-2} VERSION=$version sh -eu /$3" \
        --customize-hook="sync-out /packages \"$folder\"" "${SUITE:-bookworm}" /dev/null "$("$here/mirror.sh")"
}
fresh buildd debhelper,devscripts,lintian deb-build
fresh minbase ca-certificates deb-try
ls -l "$folder"/*.deb
