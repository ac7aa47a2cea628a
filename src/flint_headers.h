/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Arb lives in <arb.h> (Arb 2.23, Debian 12) or in <flint/arb.h> (FLINT 3). */
#ifndef SHUF_FLINT_HEADERS_H
#define SHUF_FLINT_HEADERS_H

#include <gmp.h>
#include <flint/flint.h>
#include <flint/ulong_extras.h>

/* Counts of users go through ulong: 32 bits would cut them. */
#if FLINT_BITS != 64
#error "shufbound needs a 64-bit ulong (FLINT_BITS = 64): on this machine counts of users would be cut"
#endif

#include <flint/fmpz.h>
#include <flint/fmpz_vec.h>
#include <flint/fmpq.h>
#include <flint/fmpq_vec.h>
#if defined(__has_include)
#if __has_include(<flint/arb.h>)
#define SHUF_FLINT3 1
#endif
#endif
#ifdef SHUF_FLINT3
#include <flint/arf.h>
#include <flint/arb.h>
#include <flint/arb_mat.h>
#include <flint/arb_poly.h>
#include <flint/acb.h>
#include <flint/acb_calc.h>
#include <flint/arb_hypgeom.h>
#else
#include <arf.h>
#include <arb.h>
#include <arb_mat.h>
#include <arb_poly.h>
#include <acb.h>
#include <acb_calc.h>
#include <arb_hypgeom.h>
#endif

#endif
