#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
#
# Builds the manual: html/ and shufbound.pdf in the folder BUILD.
#
#     SHUFBOUND=./shufbound doc/manual/build.sh BUILD
#
# The plots of the papers' figures are in it after make figures, which makes them
# in doc/figures below the folder where this runs. Sphinx with MyST for HTML, WeasyPrint for the PDF. The table of theorems
# comes from the program's registry, chapters end with the headers they
# describe, and errata, figures, claims and proofs are the project's own files.
# Installs the Debian packages that are missing (as root; otherwise prints the
# line to run).
set -eu
LC_ALL=C.UTF-8
export LC_ALL
shufbound=${SHUFBOUND:-shufbound}
test $# = 1 || { echo "usage: build.sh BUILD" >&2; exit 64; }
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1

"$root/bootstrap" --packages python3-sphinx python3-myst-parser weasyprint librsvg2-bin fonts-dejavu-core groff

# The folders keep their places, so that links between the files hold.
rm -rf "$build"
mkdir -p "$build/source/doc" "$build/source/proofs" "$build/source/vectors" "$build/source/tests/mutation" "$build/source/python/example" "$build/source/workflow"
cp "$root"/doc/manual/conf.py "$root"/doc/manual/index.md "$build/source"
sed 's#doc/manual/index.md#index.md#' "$root/README.md" >"$build/source/README.md"
cp "$root/CONTRIBUTING.md" "$build/source"
cp -r "$root/doc/manual" "$root/doc/errata" "$root/doc/figures" "$root/doc/claims" "$root/doc/audit-pack.md" "$root/doc/checked.md" "$root/doc/compared.md" "$root/doc/published.md" "$root/doc/replies" "$root/doc/gaps" "$root/doc/mechanisms" "$root/doc/schema" "$root/doc/examples" "$build/source/doc"
rm "$build/source/doc/manual/index.md"
# Texts to be posted: linked to, no chapters.
for reply in "$build"/source/doc/replies/*.md; do
    { printf -- '---\norphan: true\n---\n'; cat "$reply"; } >"$reply.new"
    mv "$reply.new" "$reply"
done
cp "$root"/proofs/*.md "$build/source/proofs"
cp "$root/vectors/README.md" "$root/vectors/CHANGELOG.md" "$root/vectors/negative.json" "$build/source/vectors"
cp "$root/python/README.md" "$build/source/python"
cp "$root/python/example/README.md" "$build/source/python/example"
cp "$root/workflow/README.md" "$build/source/workflow"
cp -r "$root/src" "$build/source/src"
"$shufbound" theorems --json | python3 "$root/doc/manual/theorems.py" >"$build/source/doc/manual/theorems.md"
if [ -d doc/figures ]; then
    cp doc/figures/*.csv doc/figures/*.svg "$build/source/doc/figures" 2>/dev/null || true
fi
python3 "$root/doc/manual/gallery.py" "$build/source/doc/figures" >"$build/source/doc/manual/gallery.md"
MANWIDTH=100 groff -man -Tutf8 -P-c "$root/doc/shufbound.1" | sed 's/.\x08//g' >"$build/source/doc/manual/shufbound.1.txt"

SHUFBOUND_VERSION=$("$shufbound" --version | sed 's/.* //')
export SHUFBOUND_VERSION
sphinx-build -q -W --keep-going -b html "$build/source" "$build/html"
sphinx-build -q -W --keep-going -b singlehtml "$build/source" "$build/single"
# WeasyPrint does not draw the symbols of gnuplot's SVG.
for plot in "$build"/single/_images/*.svg; do
    [ ! -e "$plot" ] || rsvg-convert --zoom 1.5 -o "${plot%.svg}.png" "$plot"
done
sed -i 's#\(_images/[^"]*\)\.svg#\1.png#g' "$build/single/index.html"
python3 "$root/doc/manual/front.py" "$SHUFBOUND_VERSION" "$build/single/index.html"
weasyprint -q "$build/single/index.html" "$build/shufbound.pdf" -s "$root/doc/manual/print.css"
rm -rf "$build/source" "$build/single" "$build/html/.doctrees"
echo "$build/html/index.html and $build/shufbound.pdf"
