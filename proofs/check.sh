#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds the Coq development in a folder of its own and checks it:
#
#     SHUFBOUND=./shufbound proofs/check.sh [BUILD [N [R]]]
#
# Installs the Debian packages that are missing (as root; otherwise prints the
# line to run). development.py compiles everything from scratch with two jobs,
# and records the hashes of what it made; then manifest.py compares statements, axioms and the tags in the C, gappa checks
# the straight-line kernels, and the kernel of Coq checks a certificate for
# every test vector of a delta or an epsilon with up to N users (10000), of
# several rounds if it takes up to R rows of the evaluator (200000). With more
# users than 10000 Coq's separate checker, coqchk, goes through the main theorems too.
set -eu
proofs=$(cd "$(dirname "$0")" && pwd)
build=${1:-proofs-build}
most=${2:-10000}
rows=${3:-200000}
shufbound=${SHUFBOUND:-./shufbound}
"$shufbound" --version >/dev/null

"$proofs/../bootstrap" --packages coq libcoq-interval libcoq-flocq gappa python3 make

python3 -B "$proofs/development.py" compile "$build"
python3 "$proofs/manifest.py" tags "$proofs/.."
python3 "$proofs/manifest.py" coq "$build" "$proofs/.."
python3 "$proofs/manifest.py" open "$proofs/.."
"$proofs/gappa/check.sh"
# Coq's separate checker, on the main theorems and all that they need; some three minutes.
if [ "$most" -gt 10000 ]; then
    coqchk -silent -Q "$build" Shufbound Shufbound.Main
fi
set --
for file in "$proofs"/../vectors/*.json; do
    [ "${file##*/}" = negative.json ] || set -- "$@" "$file"
done
SHUFBOUND=$shufbound python3 "$proofs/coq/certificates.py" --jobs 2 --max-n "$most" --max-rows "$rows" --proofs "$build" "$@"
