#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds the Python wheel for another architecture and tries it:
#
#     packaging/wheel.sh ARCH TREE FOLDER
#
# ARCH as Debian names it, arm64 for one. TREE is what `make distdir` made, FOLDER is where the wheel goes. A cross compiler builds the
# library against a fresh Debian 12 of that architecture, which is thrown away. The wheel is tried there, so that its programs must
# run: with qemu-user-static and binfmt-support they do. Needs mmdebstrap, a mirror, pip's index and root. With SAME_AS, a program for
# this machine, the wheel's answers to some questions must be the program's to the byte.
#
#   MIRROR   Debian mirror    (packaging/mirror.sh)
#   JOBS     how many at once (2)
set -eu
test $# = 3 || test $# = 4 || { echo "usage: wheel.sh ARCH TREE FOLDER" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
needs() { # PROGRAM PACKAGES
    command -v "$1" >/dev/null || { echo "wheel: no $1 (apt-get install $2)" >&2; exit 1; }
}
needs mmdebstrap mmdebstrap
needs arch-test arch-test
needs dpkg-architecture dpkg-dev
arch-test "$1" >/dev/null || { echo "wheel: programs of $1 do not run here (apt-get install qemu-user-static binfmt-support, then update-binfmts --enable)" >&2; exit 1; }
triplet=$(dpkg-architecture -f -a"$1" -qDEB_HOST_GNU_TYPE 2>/dev/null)
needs "$triplet-gcc" "gcc-$(echo "$triplet" | tr _ -)"

if [ $# = 3 ]; then
    mkdir -p "$3"
    tree=$(cd "$2" && pwd)
    folder=$(cd "$3" && pwd)
    exec mmdebstrap --quiet --architectures="$1" --variant=minbase \
        --include=libc6-dev,libgmp-dev,libmpfr-dev,libflint-dev,libflint-arb-dev,libjansson-dev,python3-pip,python3-pytest,python3-venv \
        --customize-hook="\"$here/wheel.sh\" \"$1\" \"$tree\" \"$folder\" \"\$1\"" bookworm /dev/null "$("$here/mirror.sh")"
fi

# From here on called by mmdebstrap, with the system's folder. Its absolute links would lead out of it, to no library or a static one.
system=$4
find "$system/usr/lib/$triplet" -type l -lname '/*' | while read -r link; do
    ln -sfr "$system$(readlink "$link")" "$link"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# nettle is the program's
PKG_CONFIG_SYSROOT_DIR=$system PKG_CONFIG_LIBDIR=$system/usr/lib/$triplet/pkgconfig:$system/usr/share/pkgconfig \
    "$2/configure" --quiet --host="$triplet" CC="$triplet-gcc --sysroot=$system" NETTLE_CFLAGS=' ' NETTLE_LIBS=' '
make -s -j"${JOBS:-2}" libshufbound.la
"$here/../python/build-wheel.sh" .libs/libshufbound.so.0 "$3" "$system"
