#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# portability.sh SHUFBOUND [WHERE...]: builds this commit for other processors and with other compilers, asks each program the same
# questions of all kinds (tests/account/questions.py), and prints a table: whose answers have SHUFBOUND's bytes. Ends with 1 if any has others.
#
# WHERE is an architecture of Debian with 64 bits (arm64, s390x, ...), which is cross-compiled against Debian 12 and run by qemu, or "CC FLAGS", a
# compiler of this machine: by default those below. Debian's systems are unpacked and thrown away, nothing
# of them runs. Needs mmdebstrap, qemu-user-static, a mirror (packaging/mirror.sh), and a cross compiler of each architecture.
#
#   QUESTIONS   how many (60)
#   JOBS        of make (2)
set -eu
test $# -ge 1 || { echo "usage: portability.sh SHUFBOUND [WHERE...]" >&2; exit 64; }
source=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "$1")
shift
test $# -gt 0 || set -- "gcc -O0" "gcc -O3" "gcc -O2 -march=native" "clang -O2" arm64 s390x
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
number=${QUESTIONS:-60}
python3 "$source/tests/account/questions.py" "$number" >"$work/questions"
"$program" ask "$work/questions" >"$work/expected" 2>/dev/null || test $? = 65 # a refused question is an answer, too
git -C "$source" archive --prefix=tree/ HEAD | tar -C "$work" -xf -
(cd "$work/tree" && autoreconf -fi >/dev/null 2>&1)

# build ARGUMENTS OF CONFIGURE...: the program, in the folder in which this is called
build() {
    "$work/tree/configure" -q --disable-shared "$@" >configure.out 2>&1 && make -s -j"${JOBS:-2}" shufbound >make.out 2>&1 && return 0
    tail -n 5 configure.out make.out >&2
    return 1
}

# cross ARCHITECTURE: the program for it; sets `run` to how it is called, and `compiler`
cross() {
    triplet=$(dpkg-architecture -f -a"$1" -qDEB_HOST_GNU_TYPE 2>/dev/null)
    system=$work/system-$1
    case $1 in
    arm64) cpu=aarch64 ;;
    *) cpu=$1 ;;
    esac
    compiler="$triplet-gcc"
    command -v "$triplet-gcc" >/dev/null || { echo "portability: no $triplet-gcc" >&2; return 1; }
    mmdebstrap --quiet --architectures="$1" --variant=extract \
        --include=libc6-dev,libgmp-dev,libmpfr-dev,libflint-dev,libflint-arb-dev,libjansson-dev,nettle-dev \
        bookworm "$system" "$("$source/packaging/mirror.sh")" || return 1
    find "$system/usr/lib" -type l -lname '/*' | while read -r link; do
        ln -sfr "$system$(readlink "$link")" "$link"
    done
    PKG_CONFIG_SYSROOT_DIR=$system PKG_CONFIG_LIBDIR=$system/usr/lib/$triplet/pkgconfig:$system/usr/share/pkgconfig
    export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
    build --host="$triplet" CC="$triplet-gcc --sysroot=$system"
    built=$?
    unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
    run="qemu-$cpu-static -L $system"
    return $built
}

failures=0
echo "| processor | compiler | answers with the same bytes, of $number |"
echo "|---|---|---|"
for where; do
    mkdir "$work/build"
    cd "$work/build"
    run=
    case $where in
    *" "*)
        processor=$(uname -m)
        compiler=$where
        build CC="${where%% *}" CFLAGS="${where#* }" && built=yes || built=
        ;;
    *)
        processor=$where
        cross "$where" && built=yes || built=
        ;;
    esac
    if [ -z "$built" ]; then
        row="not built"
        failures=1
    else
        $run ./shufbound ask "$work/questions" >"$work/answers" 2>/dev/null || true
        row=$(paste -d '\n' "$work/expected" "$work/answers" | awk 'NR % 2 { of = $0; next } of == $0 { same++ } END { print same + 0 }')
        [ "$row" = "$number" ] || failures=1
    fi
    echo "| $processor | $compiler | $row |"
    cd "$work"
    rm -rf "$work/build" "$work/system-$where"
done
exit $failures
