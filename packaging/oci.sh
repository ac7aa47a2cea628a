#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# An image for containers with the program and the Python package, in OCI's layout, from Debian's mirror and the packages of deb.sh:
#
#     packaging/oci.sh PACKAGES FOLDER
#
# PACKAGES is the folder with the packages, FOLDER will have the image. No registry and no container engine is needed: mmdebstrap makes
# the files, oci.py describes them. Everything is tried at the end. The same packages and the same mirror give the same bytes, for the
# SOURCE_DATE_EPOCH of the packages' changelog if there is no other.
#
#   MIRROR   Debian mirror    (packaging/mirror.sh)
#   SUITE    Debian's release (bookworm)
set -eu
test $# = 2 || { echo "usage: oci.sh PACKAGES FOLDER" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "$1" && pwd)
for program in mmdebstrap python3; do
    command -v $program >/dev/null || { echo "oci: no $program (apt-get install $program)" >&2; exit 1; }
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -d "$(sed -n '/^ -- /{s/.*>  //p;q}' "$here/../debian/changelog")" +%s)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/new"
cp "$packages"/libshufbound0_*.deb "$packages"/shufbound_*.deb "$packages"/python3-shufbound_*.deb "$work/new"
# --dpkgopt: what a container does not read
mmdebstrap --quiet --variant=minbase --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook="copy-in \"$work/new\" /" \
    --customize-hook='chroot "$1" sh -c "apt-get install -q -y --no-install-recommends /new/*.deb && rm -r /new"' \
    --customize-hook='rm -f "$1/etc/hostname" "$1/etc/resolv.conf"' \
    --customize-hook='find "$1/usr" -name __pycache__ -prune -exec rm -r {} +' \
    "${SUITE:-bookworm}" "$work/files.tar" "$("$here/mirror.sh")"
rm -rf "$2"
python3 "$here/oci.py" make "$work/files.tar" "$2" "$SOURCE_DATE_EPOCH" "$(dpkg --print-architecture)"
python3 "$here/oci.py" check "$2" "$work/unpacked.tar"
if [ "$(id -u)" = 0 ]; then
    mkdir "$work/root"
    tar -xf "$work/unpacked.tar" -C "$work/root"
    chroot "$work/root" shufbound delta --pair clones --n 10000 --eps0 4 --eps 0.5
    chroot "$work/root" python3 -B -c 'import shufbound; print(shufbound.epsilon("1e-6", mechanism={"type": "ldp", "eps0": "4"}, users=10000))'
fi
du -sh "$2"
