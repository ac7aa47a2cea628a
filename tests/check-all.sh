#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# check-all.sh SOURCE, from make check-all in the folder of a build: everything that can be checked on one machine, in at most 90
# minutes on two cores. Installs what it needs (as root). What the gate draws from is taken whole, and then comes what the gate
# leaves out: all of Coq from nothing, all faults, all tests under the sanitizers, valgrind, the figures, the manual, the
# wheel, and beside these an hour (SHUFBOUND_SOAK_SECONDS) of random questions. Writes its row of doc/checked.md.
set -eu
source=$(cd "$1" && pwd)
. "$source/tests/tier.sh"
SHUFBOUND_SEED=${SHUFBOUND_SEED:-20261121}
SHUFBOUND_CHECK_ALL=1
SHUFBOUND_TEST_SECONDS=5400
export SHUFBOUND_SEED SHUFBOUND_CHECK_ALL SHUFBOUND_TEST_SECONDS
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

stage packages
"$source/bootstrap" --tests
"$source/bootstrap" --packages fonts-dejavu-core gappa gnuplot-nox groff librsvg2-bin python3-gmpy2 python3-myst-parser python3-pip \
    python3-sphinx python3-venv valgrind weasyprint

stage "soak, in the background"
cp shufbound "$work/shufbound"
SHUFBOUND=$work/shufbound python3 "$source/tests/soak/soak.py" --seconds "${SHUFBOUND_SOAK_SECONDS:-3600}" --state "$work/soak" >"$work/soak.out" 2>&1 &
soak=$!

stage "proofs, from nothing"
make check-proofs
coqchk -silent -Q proofs-build Shufbound Shufbound.Main
export SHUFBOUND_PROOFS="$PWD/proofs-build"

stage "tests, whole"
check
tested=$counts

stage "audit of all claims"
make demo >demo.out
tail -n 3 demo.out

stage valgrind
for arguments in "delta --pair krr-weak --n 200 --gamma 1/4 --k 4 --eps 0.5" "epsilon --pair rr2 --n 1000 --eps0 1 --delta 1e-6" \
    "delta --pair clones --n 1e12 --eps0 1 --eps 1e-5 --digits 3" "delta --pair clones --n 1e5 --eps0 1 --eps 0.01 --fast" \
    "renyi --pair clones --n 1000 --eps0 1 --order 32.5" "renyi --pair krr-weak --n 60 --gamma 1/2 --k 3 --order 2 --digits 4" \
    "epsilon --pair clones --n 1000 --eps0 1 --delta 1e-6 --via renyi --rounds 10 --digits 4" \
    "bound girgis21-3.1 --n 1000 --eps0 1 --order 3" "curve --pair rr2 --n 100 --eps0 1 --order 2:4:3" \
    "audit $source/doc/claims/apple-ml-shuffling-amplification.json"; do
    # shellcheck disable=SC2086
    ./libtool --mode=execute valgrind -q --error-exitcode=1 --leak-check=full ./shufbound $arguments >valgrind.out
done

stage "figures, manual"
make figures >figures.out 2>&1 || { tail -n 20 figures.out; exit 1; }
make manual

stage wheel
# auditwheel is not in Debian 12.
if python3 -m pip download -q --no-deps --retries 0 --timeout 10 -d "$work/pip" auditwheel >/dev/null 2>&1; then
    make wheel >wheel.out 2>&1 || { cat wheel.out; exit 1; }
    tail -n 3 wheel.out
else
    echo "skipped the wheel: pip's index is not reachable"
fi

stage "source distribution of the Python package"
make sdist >sdist.out 2>&1 || { tail -n 40 sdist.out; exit 1; }
tail -n 3 sdist.out

stage faults
# The tests as the gate has them, but with all that it draws from: what a fault's test is given ends it after five minutes, and would
# count as seen.
unset SHUFBOUND_CHECK_ALL
export SHUFBOUND_DRAW=all
python3 "$source/tests/mutation/run.py" --tested "$source" | tee "$work/faults"

stage sanitizers
# In a tree of its own; what runs nothing that is compiled was run above, and so were all vectors.
make distdir >/dev/null
tree=$(echo shufbound-*.*.*/)
mv "$tree" "$work/sanitized"
unset SHUFBOUND_PROOFS
(
    cd "$work/sanitized"
    export SHUFBOUND_VECTORS_SAMPLE=25 SHUFBOUND_VECTORS_CONFIRM=100 SHUFBOUND_SAME_BYTES=10
    ./configure -q --disable-shared CFLAGS="-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
    make -s -j2
    check program_free=
)

stage "the rest of the soak"
wait "$soak" || { tail -n 40 "$work/soak.out"; exit 1; }
tail -n 12 "$work/soak.out"
stage ""
checked night "$tested; $(tail -n 1 "$work/faults"); soak of ${SHUFBOUND_SOAK_SECONDS:-3600} s"
