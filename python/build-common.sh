# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh
# What the scripts that build the Python packages have in common, sourced by them from their own folder: $root, an empty $work that is
# removed at the end, the python that has what is needed, and the files that a package carries.
LC_ALL=C.UTF-8
export LC_ALL PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
unset SHUFBOUND SHUFBOUND_LIBRARY PYTHONPATH # what is tried is what was built
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. "$root/python/find-python.sh"

# need_python MODULES: $python has them
need_python() {
    find_python "$1" || { echo "there is no python3 with $1" >&2; exit 69; }
}

# copy_vectors FOLDER: all but negative.json, which has claims, not results
copy_vectors() {
    mkdir "$1"
    cp "$root"/vectors/*.json "$1"
    rm "$1/negative.json"
}

# copy_package: the Python package as $work/source, with vectors and licences
copy_package() {
    cp -r "$root/python" "$work/source"
    chmod -R u+w "$work/source"
    rm -rf "$work/source/shufbound.egg-info" "$work/source/build"
    mkdir "$work/source/licences"
    cp "$root/COPYING" "$root/COPYING.LESSER" "$work/source/licences"
    copy_vectors "$work/source/shufbound/vectors"
}
