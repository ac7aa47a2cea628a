#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Tries a wheel in an environment with nothing but it, and then pytest, of pip's index where the system has none:
#
#     try-wheel.sh CARRIED TEST...
#
# where build-wheel.sh put it: this script's folder, with the wheel, questions, and what the package's tests read. CARRIED is how many
# libraries the wheel carries. Writes answers, as the library gives them.
set -eu
cd "$(dirname "$0")"
export LC_ALL=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
carried=$1
shift
python=$(test -x /usr/bin/python3 && echo /usr/bin/python3 || echo python3)
"$python" -m venv ${SYSTEM_PACKAGES:+--system-site-packages} empty
empty/bin/pip install -q --no-index ./*.whl
CARRIED=$carried empty/bin/python - <<'END'
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
with open("questions", "rb") as questions, open("answers", "wb") as answers:
    for question in questions:
        answers.write(shufbound._library.answer(question.strip(), None) + b"\n")
END
empty/bin/python -c 'import pytest' 2>/dev/null || empty/bin/pip install -q pytest
empty/bin/python -m pytest -q -p no:cacheprovider "$@"
