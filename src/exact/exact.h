/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * exact: parameters with an exact value.
 *
 * The string "0.1" is one tenth, not the nearest double. A shuf_real is
 * either a rational q or log(q) with q a positive rational; every comparison
 * of two of them is decided exactly, never from a midpoint: log(q) is
 * transcendental for rational q != 1 (Lindemann), so a rational and a
 * logarithm coincide only at 0 = log(1), and refining Arb enclosures decides
 * every other case.
 */
#ifndef SHUF_EXACT_H
#define SHUF_EXACT_H

#include <stddef.h>
#include <stdint.h>
#include "../flint_headers.h"

/* The number 1. */
extern const fmpq_t shuf_one;

/* Longest number accepted, in characters, and largest decimal exponent. More is refused. */
#define SHUF_REAL_MAX_LENGTH 1024
#define SHUF_REAL_MAX_EXPONENT 10000

/* Largest number of users: sums and products of counts stay in 64 bits. More are refused. */
#define SHUF_MAX_USERS UINT64_C(1000000000000000000)

typedef struct
{
    fmpq_t q;  /* the value, or the argument of the logarithm */
    int is_log; /* 0: q itself; 1: log(q), q > 0 */
    char *text; /* as the user wrote it, or a canonical form */
} shuf_real_struct;

typedef shuf_real_struct shuf_real_t[1];

/* Sets x to 0. */
void shuf_real_init(shuf_real_t x);
void shuf_real_clear(shuf_real_t x);
void shuf_real_set(shuf_real_t x, const shuf_real_t y);

/*
 * Parses a decimal ("0.1", "-1e-9"), a fraction ("16/3"), a hexadecimal float
 * ("0x1.8p-3") or a logarithm of a positive one of these ("log(16/3)").
 * Returns 0, or -1 (x unchanged) for anything else, for texts of more than
 * SHUF_REAL_MAX_LENGTH characters and for exponents beyond
 * +-SHUF_REAL_MAX_EXPONENT (four times that for a binary exponent).
 */
int shuf_real_set_str(shuf_real_t x, const char *text);

/* The exact value of a finite double. Returns 0, or -1 (x unchanged). */
int shuf_real_set_d(shuf_real_t x, double value);

/* The exact value of a finite arf (any precision), a dyadic rational. */
void shuf_real_set_arf(shuf_real_t x, const arf_t value);
void shuf_real_set_fmpq(shuf_real_t x, const fmpq_t value);
/* log(value), value > 0. */
void shuf_real_set_log_fmpq(shuf_real_t x, const fmpq_t value);

/* r := 2 x, exactly: 2 q, or log(q^2). Aliasing is allowed. */
void shuf_real_twice(shuf_real_t r, const shuf_real_t x);

/* r := y where x is what shuf_real_twice made of y, exactly; of no other logarithm. Aliasing is allowed. */
void shuf_real_undo_twice(shuf_real_t r, const shuf_real_t x);

/* r encloses x. */
void shuf_real_get_arb(arb_t r, const shuf_real_t x, slong prec);

/* end := an upper bound of x, or a lower one, of so many bits. */
void shuf_real_end(arf_t end, const shuf_real_t x, int upper, slong prec);

/* r encloses exp(x); exact up to one rounding when x is a logarithm. */
void shuf_real_exp(arb_t r, const shuf_real_t x, slong prec);

/* Sign of x - y, and of x: -1, 0 or 1. Always decided. */
int shuf_real_cmp(const shuf_real_t x, const shuf_real_t y);
int shuf_real_cmp_si(const shuf_real_t x, slong y);
/*
 * Sign of x - y for a finite y of any exponent, without expanding y: an x that
 * a user can write has a size between 2^-(2^20) and 2^(2^20), or is 0.
 */
int shuf_real_cmp_arf(const shuf_real_t x, const arf_t y);
int shuf_real_sgn(const shuf_real_t x);

/*
 * A whole number of users: "100000", "1e6", "2.5e3". Returns 0 and sets *n,
 * or -1 (*n unchanged) unless the text is an integer with
 * 1 <= n <= SHUF_MAX_USERS.
 */
int shuf_users_set_str(uint64_t *n, const char *text);

#endif
