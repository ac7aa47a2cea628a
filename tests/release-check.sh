#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# release-check.sh SOURCE, from make release-check in the folder of a build: what only a release needs. The Debian packages, the
# image and the wheel for another architecture, built in clean systems and tried there; the page for browsers, made from the sources and compared with the program; the
# distribution's own check; everything with FLINT 3. Needs root and a Debian mirror. Writes its row of doc/checked.md.
set -eu
source=$(cd "$1" && pwd)
. "$source/tests/tier.sh"
"$source/bootstrap" --tests

stage distcheck
make distcheck >distcheck.out 2>&1 || { tail -n 60 distcheck.out; exit 1; }
stage packages
make deb
make oci
stage "wheel for 64-bit ARM"
"$source/bootstrap" --packages arch-test binfmt-support gcc-aarch64-linux-gnu qemu-user-static
make wheel ARCH=arm64
stage "the page"
make web
srcdir=$source sh "$source/tests/web/test_page.sh" >page.out || { cat page.out; exit 1; } # no test of make check: a skip is a failure here
cat page.out
paged=$(tail -n 1 page.out)
stage "FLINT 3"
"$source/tests/trixie.sh"
stage ""
checked release "the page: $paged; packages, distcheck and FLINT 3 pass"
