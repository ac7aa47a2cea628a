#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# In the chroot of build.sh, below /build: compiles GMP, MPFR, FLINT, Arb, jansson and shufbound from sources/ and source/
# to module.js and module.wasm. What is finished is kept, so that it can be run again.
#
# Everything is compiled for wasm64, where a word of FLINT has the 64 bits that counts of users need, and lowered at the link
# to the 32-bit addresses that every browser has (MEMORY64=2).
set -eu
cd /build
jobs=${JOBS:-2}
export EM_CONFIG=/build/emscripten.py EMCC_CORES="$jobs" LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH=1 CLOSURE="python3 /build/source/web/closure.py"
usr=/build/usr
mkdir -p "$usr/include/flint" "$usr/lib"

# Debian's cache of system libraries has none for wasm64 and is frozen: one of our own, made at the first link.
cat >emscripten.py <<'END'
LLVM_ROOT = '/usr/bin'
BINARYEN_ROOT = '/usr'
NODE_JS = '/usr/bin/node'
LLVM_ADD_VERSION = '19'
CLANG_ADD_VERSION = '19'
FROZEN_CACHE = False
CACHE = '/build/cache'
END
cc="emcc -sMEMORY64=2 -nostdlib++ -Wno-experimental"
# What it calls, without its wrapper, which takes a second each time: for all but the first and the last link. Scripts that look for
# functions link, too; what libc takes from JavaScript is then left open. -O0 keeps wasm-opt out of that.
library=/build/cache/sysroot/lib/wasm64-emscripten
cat >clang <<END
#!/bin/sh
flags="-target wasm64-unknown-emscripten --sysroot=/build/cache/sysroot -fignore-exceptions -mllvm -combiner-global-alias-analysis=false -mllvm -enable-emscripten-sjlj -mllvm -disable-lsr -DEMSCRIPTEN"
case " \$* " in
    *" -c "* | *" -E "* | *" -S "*) exec clang-19 \$flags "\$@" ;;
    *) exec clang-19 \$flags "\$@" -O0 -nostdlib -fuse-ld=/usr/bin/wasm-ld-19 -Wl,--no-entry -Wl,--no-gc-sections \
        -Wl,--allow-undefined-file=/build/from-javascript -L$library -lc -lcompiler_rt -ldlmalloc ;;
esac
END
chmod +x clang
clang=/build/clang
tools="AR=llvm-ar-19 NM=llvm-nm-19 RANLIB=llvm-ranlib-19"

first_link() {
    echo 'int main(void) { return 0; }' >one.c
    $cc -O2 one.c -o one.js
    llvm-nm-19 --undefined-only --just-symbol-name $library/libc.a $library/libcompiler_rt.a $library/libdlmalloc.a | sed -n '/^[A-Za-z_0-9]*$/p' | sort -u >undefined
    llvm-nm-19 --defined-only --just-symbol-name $library/*.a | sort -u | comm -23 undefined - >from-javascript
    test -e $library/libm.a || llvm-ar-19 rc $library/libm.a # it is in libc
}

unpack() {
    tar -xf "$(echo sources/$1_*.orig.tar.*)"
}

gmp() {
    unpack gmp
    cd gmp-*
    mkdir -p doc && printf "all install:\n" >doc/Makefile.in # Debian's tarball has no manual
    ./configure --host=none --prefix="$usr" --disable-assembly --disable-shared --disable-cxx ABI=standard CC="$clang" CC_FOR_BUILD=clang-19 $tools \
        CFLAGS=-O2
    make -j"$jobs"
    cp .libs/libgmp.a "$usr/lib"
    cp gmp.h "$usr/include"
}

mpfr() {
    unpack mpfr4
    cd mpfr-*
    ./configure --host=wasm32-unknown-none --prefix="$usr" --disable-shared --disable-thread-safe --with-gmp="$usr" CC="$clang" \
        $tools CFLAGS=-O2
    make -j"$jobs" -C src
    cp src/.libs/libmpfr.a "$usr/lib"
    cp src/mpfr.h src/mpf2mpfr.h "$usr/include"
}

jansson() {
    unpack jansson
    cd jansson-*
    test -e configure || autoreconf -fi
    ./configure --host=wasm32-unknown-none --prefix="$usr" --disable-shared CC="$clang" $tools CFLAGS=-O2
    make -j"$jobs" -C src install
    make install-pkgconfigDATA
}

# The headers, and what its configure script would choose for a machine with 64-bit words, one thread and no assembly.
flint() {
    unpack flint
    unpack flint-arb
    (
        cd flint2-*
        cp fmpz-conversions-single.in fmpz-conversions.h
        cp fft_tuning64.in fft_tuning.h
        cp fmpz/link/fmpz_single.c fmpz/fmpz.c
        rm -r fmpz/link
        printf '#define %s\n' "FLINT_USES_TLS 0" "FLINT_USES_FENV 0" "FLINT_USES_PTHREAD 0" "FLINT_USES_CPUSET 0" "FLINT_USES_GC 0" "FLINT_USES_BLAS 0" \
            "FLINT_REENTRANT 0" "FLINT_WANT_ASSERT 0" FLINT_DLL >flint-config.h
        cp ./*.h "$usr/include/flint"
    )
    cp arb-*/*.h "$usr/include"
}

configure_shufbound() {
    rm -rf shufbound
    cp -a source shufbound
    cd shufbound
    mkdir -p m4
    autoreconf -fi
    # FLINT and Arb are compiled last: what they lack is seen then; the page hashes nothing
    NETTLE_CFLAGS=' ' NETTLE_LIBS=' ' ac_cv_lib_flint_fmpq_init=yes ac_cv_search_arb_init='none required' PKG_CONFIG_LIBDIR=$usr/lib/pkgconfig \
        ./configure --host=wasm32-unknown-none --disable-shared CC="$clang" $tools CPPFLAGS="-isystem $usr/include" LDFLAGS="-L$usr/lib" CFLAGS="-O2 -fno-builtin-frexp"
}

# The sources may have changed since it was configured: those that have get the time of now. With their own, an object that was made
# of an older text later would stay.
shufbound() {
    (cd source && find . -type f) | while read -r file; do
        cmp -s "source/$file" "shufbound/$file" || { mkdir -p "shufbound/${file%/*}" && cp "source/$file" "shufbound/$file"; }
    done
    cd shufbound
    make -j"$jobs" libparts.la libreport.la
    $clang -O2 -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -I. -Isrc -isystem "$usr/include" -c web/web.c -o web.o
}

# What shufbound needs of FLINT and Arb.
closure() {
    JOBS=$jobs $CLOSURE /build/libflint-needed.a --needs shufbound/web.o shufbound/.libs/libparts.a shufbound/.libs/libreport.a \
        --has "$usr/lib/libgmp.a" "$usr/lib/libmpfr.a" "$usr/lib/libjansson.a" $library/*.a \
        --sources flint2-* arb-* -- $clang -O2 -w -fno-builtin-frexp -I"$usr/include/flint" -I"$usr/include"
}

# wasm-ld 19 takes a static function of an archive's member for the definition of a global one of that name, and then calls
# whatever is first. So ours are linked whole, and the others must have no such names.
link() {
    others="libflint-needed.a $usr/lib/libmpfr.a $usr/lib/libgmp.a $usr/lib/libjansson.a"
    llvm-nm-19 --format=posix $others $library/*.a 2>/dev/null | awk '$2 ~ /^[tdbr]$/ { print $1 }' | sort -u >static
    llvm-nm-19 --format=posix $others $library/*.a 2>/dev/null | awk '$2 ~ /^[TDBRVW]$/ { print $1 }' | sort -u >global
    comm -12 static global >both
    test ! -s both || { echo "static and global:" $(cat both); exit 1; }
    $cc -O2 shufbound/web.o -Wl,--whole-archive shufbound/.libs/libreport.a shufbound/.libs/libparts.a -Wl,--no-whole-archive $others \
        -o module.js --no-entry -sMODULARIZE -sEXPORT_NAME=shufbound -sENVIRONMENT=worker -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB \
        -sSTACK_SIZE=4MB -sFILESYSTEM=0 -sINCOMING_MODULE_JS_API=instantiateWasm,print,printErr -sEXPORTED_RUNTIME_METHODS=ccall,stringToNewUTF8 \
        -sERROR_ON_UNDEFINED_SYMBOLS=1
}

# once STEP: runs it, in a shell of its own that ends at the first error, unless it is done.
once() {
    if [ ! -e "done.$1" ]; then
        echo "web: $1"
        sh "$0" "$1" >"log.$1" 2>&1 || { tail -n 30 "log.$1"; echo "web: $1 failed"; exit 1; }
        touch "done.$1"
    fi
}

if [ $# = 1 ]; then
    "$1"
    exit
fi
# make would configure a changed configure.ac again without what the step tells it
cmp -s source/configure.ac shufbound/configure.ac || rm -f done.configure_shufbound
for step in first_link gmp mpfr jansson flint configure_shufbound; do
    once $step
done
rm -f done.shufbound done.closure done.link
for step in shufbound closure link; do
    once $step
done
echo "web: module.wasm has $(wc -c <module.wasm) bytes"
