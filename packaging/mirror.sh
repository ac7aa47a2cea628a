#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Prints the Debian mirror to take packages from: MIRROR, else the first that this machine uses.
mirror=${MIRROR:-}
if [ -z "$mirror" ]; then
    # deb lines and deb822 files
    mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null \
        | sed -n -e 's/^URIs:[[:space:]]*\([^[:space:]]*\).*/\1/p' \
                 -e 's/^deb[[:space:]]\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^[:space:]]*\).*/\2/p' \
        | sed -e 's,/*$,,' | grep '/debian$' | head -n 1)
fi
test -n "$mirror" || { echo "mirror.sh: no Debian mirror: MIRROR names one" >&2; exit 1; }
echo "$mirror"
