#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Runs a script of this folder in a fresh Debian system, which is thrown away:
#
#     packaging/fresh.sh VARIANT PACKAGES SCRIPT FOLDER VERSION
#
# VARIANT and PACKAGES are mmdebstrap's. SCRIPT may have arguments. The folder is /packages there, and comes back as the script left it. Needs mmdebstrap and a
# mirror, and root or user namespaces.
#
#   MIRROR   Debian mirror    (packaging/mirror.sh)
#   SUITE    Debian's release (bookworm)
#   JOBS     how many at once (2)
set -eu
test $# = 5 || { echo "usage: fresh.sh VARIANT PACKAGES SCRIPT FOLDER VERSION" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
command -v mmdebstrap >/dev/null || { echo "fresh: no mmdebstrap (apt-get install mmdebstrap)" >&2; exit 1; }
mmdebstrap --quiet --variant="$1" --include="$2" --skip=cleanup --customize-hook="mkdir \"\$1/packages\"" \
    --customize-hook="sync-in \"$4\" /packages" --customize-hook="copy-in \"$here/${3%% *}\" /" \
    --customize-hook="chroot \"\$1\" env JOBS=${JOBS:-2} VERSION=$5 sh -eu /$3" \
    --customize-hook="sync-out /packages \"$4\"" "${SUITE:-bookworm}" /dev/null "$("$here/mirror.sh")"
