#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# What make dist packs has the same bytes whatever the times, permissions and order of files; the bill of materials has every file of a
# release with its checksum, and the libraries that wheels, packages and the page name; an unknown library is refused.
set -eu
packaging=$(cd "${srcdir:-.}/packaging" && pwd)
grep -q '^am__tar = sh .*/packaging/pack.sh "$$tardir"$' Makefile || { echo "FAIL: make dist packs with something else" >&2; exit 1; }
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
tar --version 2>/dev/null | grep -q GNU || { echo "skipped: no GNU tar"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

mkdir -p one/tree/below two/tree/below
echo b >one/tree/b && echo a >one/tree/a && ln -s a one/tree/link && echo c >one/tree/below/c
(umask 077 && echo c >two/tree/below/c && echo a >two/tree/a && echo a >two/tree/link && echo b >two/tree/b)
find two -exec touch -h -d 2001-02-03 {} +
export SOURCE_DATE_EPOCH=1700000000
sh "$packaging/pack.sh" one/tree >one.tar
(cd two && TZ=Asia/Tokyo sh "$packaging/pack.sh" tree) >two.tar
cmp one.tar two.tar || { echo "FAIL: other bytes of the same files" >&2; exit 1; }

mkdir -p release/d-0.1.dist-info
cd release
echo tarball >shufbound-9.8.7.tar.xz
echo page >shufbound-page-9.8.7.tar.gz
echo package >libshufbound0_9.8.7-1_amd64.deb
printf 'Installed-Build-Depends:\n libflint-dev (= 2.9.0-5),\n libmpfr-dev (= 4.2.0-1),\n other (= 1)\n' >shufbound_9.8.7-1_amd64.buildinfo
printf 'Libraries:\n  libgf2x3 1.3.0-2 (source gf2x): file libgf2x3\n' >d-0.1.dist-info/CARRIED
python3 -m zipfile -c shufbound-9.8.7-py3-none-any.whl d-0.1.dist-info
rm -r d-0.1.dist-info
cd ..
python3 "$packaging/sbom.py" release 9.8.7 c0ffee >sbom.json
python3 - sbom.json release <<'PYTHON'
import hashlib
import json
import pathlib
import sys

bill = json.loads(pathlib.Path(sys.argv[1]).read_text())
assert bill["spdxVersion"] == "SPDX-2.3" and bill["creationInfo"]["created"] == "2023-11-14T22:13:20Z", bill
packages = {p["SPDXID"]: p for p in bill["packages"]}
assert len(packages) == len(bill["packages"]), "two packages of one name"
listed = {p["packageFileName"]: p["checksums"][0]["checksumValue"] for p in packages.values() if "packageFileName" in p}
assert listed == {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in pathlib.Path(sys.argv[2]).iterdir()}, listed
related = {(packages[r["spdxElementId"]]["name"].split("_")[0], r["relationshipType"], packages[r["relatedSpdxElement"]]["name"])
           for r in bill["relationships"] if r["relationshipType"] != "DESCRIBES"}
page = {("shufbound-page-9.8.7.tar.gz", "CONTAINS", name) for name in ("flint", "flint-arb", "gmp", "jansson", "mpfr4")}
assert related == page | {("shufbound-9.8.7-py3-none-any.whl", "CONTAINS", "gf2x"), ("libshufbound0", "DEPENDS_ON", "flint"),
                          ("libshufbound0", "DEPENDS_ON", "mpfr4")}, related
assert all(p["versionInfo"] and p["licenseDeclared"] for p in packages.values())
(wheel,) = (p for p in packages.values() if p["name"].endswith(".whl"))
assert wheel["licenseConcluded"] == "LGPL-3.0-or-later AND GPL-2.0-or-later", wheel
PYTHON
mkdir x-0.1.dist-info
echo '  libnew1 1.0-1 (source new): file libnew1' >x-0.1.dist-info/CARRIED
python3 -m zipfile -c release/x-0.1-py3-none-any.whl x-0.1.dist-info
if python3 "$packaging/sbom.py" release 9.8.7 c0ffee >sbom.json 2>err || ! grep -q "KeyError: 'new'" err; then
    echo "FAIL: a library without a known licence is taken" >&2
    exit 1
fi
echo ok
