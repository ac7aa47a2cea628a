#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds and tries the Python wheel for another architecture, in a fresh Debian system of it that is thrown away:
#
#     packaging/wheel.sh ARCH shufbound-VERSION.tar.xz FOLDER
#
# ARCH as Debian names it, arm64 for one. The kernel must run its programs: qemu-user-static and binfmt-support, an hour in place
# of two minutes. Needs mmdebstrap, a mirror and pip's index, and root.
#
#   MIRROR   Debian mirror    (packaging/mirror.sh)
#   SUITE    Debian's release (bookworm), whose glibc the wheel needs
set -eu
test $# = 3 || { echo "usage: wheel.sh ARCH TARBALL FOLDER" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
folder=$(cd "$3" && pwd)
for name in mmdebstrap arch-test; do
    command -v $name >/dev/null || { echo "wheel: no $name (apt-get install $name)" >&2; exit 1; }
done
arch-test "$1" >/dev/null || { echo "wheel: programs of $1 do not run (apt-get install qemu-user-static binfmt-support)" >&2; exit 1; }
mirror=$("$here/mirror.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/in" "$work/out"
cp "$2" "$work/in"
# how this machine reaches pip's index
python3 -m pip config list 2>/dev/null | sed -n "s/^\(global\|install\)\.\([a-z-]*\)='\(.*\)'$/[\1]\n\2 = \3/p" >"$work/in/pip.conf"
cat >"$work/in/build" <<'END'
set -eu
export PIP_CONFIG_FILE=/in/pip.conf LC_ALL=C.UTF-8 PIP_ROOT_USER_ACTION=ignore
mkdir /build
tar xf /in/*.tar.xz -C /build --strip-components=1
cd /build
./configure --quiet --disable-static
make -s -j2 libshufbound.la
python/build-wheel.sh .libs/libshufbound.so.0 /out
END
mmdebstrap --quiet --architectures="$1" --variant=buildd --skip=cleanup \
    --include=ca-certificates,pkg-config,libgmp-dev,libmpfr-dev,libflint-dev,libflint-arb-dev,libjansson-dev,python3-pip,python3-venv,xz-utils \
    --customize-hook="mkdir \"\$1/in\" \"\$1/out\"" --customize-hook="sync-in \"$work/in\" /in" \
    --customize-hook='cp /etc/resolv.conf "$1/etc/resolv.conf"; cp -r /etc/ssl/certs/. "$1/etc/ssl/certs/"' \
    --customize-hook='chroot "$1" sh -eu /in/build' --customize-hook="sync-out /out \"$work/out\"" "${SUITE:-bookworm}" /dev/null "$mirror"
cp "$work"/out/*.whl "$folder"
ls -l "$folder"/*.whl
