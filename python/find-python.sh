# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh
# find_python MODULES, sourced by tests and by what builds packages: $python is one that has these, Debian's own before another, because
# Debian's modules are for that; fails, with "none", if there is none.
find_python() {
    for python in /usr/bin/python3 python3 none; do
        "$python" -c "import $1" 2>/dev/null && return
    done
    return 1
}
