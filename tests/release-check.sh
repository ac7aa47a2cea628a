#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# release-check.sh SOURCE, from make release-check in the folder of a build: what only a release needs. The distribution's
# own check; the files of make release, tried in clean systems; the page for browsers, compared with the program; other compilers and
# processors; everything with FLINT 3. Needs root, a Debian mirror and pip's index, and a clean work tree. Writes its row of doc/checked.md.
set -eu
source=$(cd "$1" && pwd)
. "$source/tests/tier.sh"
"$source/bootstrap" --tests

stage distcheck
make distcheck >distcheck.out 2>&1 || { tail -n 60 distcheck.out; exit 1; }
stage release
"$source/bootstrap" --packages arch-test binfmt-support gcc-aarch64-linux-gnu mmdebstrap python3-venv qemu-user-static
update-binfmts --enable # where no init has done it
make release
stage "the release in clean systems"
"$source/packaging/try.sh" release
stage "the page"
rm -rf page
mkdir page
tar -xzf release/shufbound-page-*.tar.gz -C page --strip-components=1
SHUFBOUND_WEB_PAGE=page/shufbound.html srcdir=$source sh "$source/tests/web/test_page.sh" >page.out || { cat page.out; exit 1; } # no test of make check: a skip is a failure here
cat page.out
paged=$(tail -n 1 page.out)
stage "other compilers and processors"
"$source/bootstrap" --packages clang gcc-aarch64-linux-gnu gcc-s390x-linux-gnu libc6-dev-arm64-cross libc6-dev-s390x-cross
"$source/tests/portability.sh" shufbound
stage "FLINT 3"
"$source/tests/trixie.sh" release/shufbound-*.tar.xz
stage ""
checked release "the page: $paged; release, distcheck and FLINT 3 pass"
