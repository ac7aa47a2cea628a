/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * enclosure: the result of a certified computation.
 *
 * An enclosure is a closed interval [lo, hi] that contains the quantity, and
 * a ledger that says where its width comes from. Printing rounds outward: lo
 * towards minus infinity, hi towards plus infinity.
 *
 * What functions return, here and everywhere: what computes an enclosure
 * returns a shuf_status, r->status too, and r is valid but for SHUF_DOMAIN
 * where its header says so. What sets, reads or writes returns 0, or -1 with
 * its output unchanged. What answers a question (is_, has_, _find, _certifies)
 * returns 1 or 0. A sign is -1, 0 or 1.
 */
#ifndef SHUF_ENCLOSURE_H
#define SHUF_ENCLOSURE_H

#include "budget.h"

typedef enum
{
    SHUF_OK = 0,       /* the requested accuracy was reached */
    SHUF_ACCURACY = 3, /* a valid but wider enclosure: budget or precision ran out */
    SHUF_DOMAIN = 64   /* parameters outside the validity region; no enclosure */
} shuf_status;

/*
 * Upper bounds on what each source of error adds to the width hi - lo; their
 * sum is at least the width.
 */
typedef struct
{
    mag_t truncation;     /* outcomes left out of a sum, bounded by their mass */
    mag_t discretisation; /* strata or cells represented by their end values */
    mag_t aliasing;       /* what lies outside the window of a transform */
    mag_t rounding;       /* finite working precision, decimal output included */
    ulong terms;          /* strata summed or blocks bracketed */
    slong precision;      /* working precision in bits */
    double step;          /* of a grid of privacy losses; 0 without one */
    double work;          /* charged, see budget.h */
} shuf_ledger_struct;

typedef struct
{
    arf_t lo;
    arf_t hi;
    shuf_ledger_struct ledger;
    shuf_status status;
} shuf_enclosure_struct;

typedef shuf_enclosure_struct shuf_enclosure_t[1];

/* [0, 0] with an empty ledger. */
void shuf_enclosure_init(shuf_enclosure_t r);
void shuf_enclosure_clear(shuf_enclosure_t r);
void shuf_enclosure_set(shuf_enclosure_t r, const shuf_enclosure_t x);

/* The exact value 0, and an enclosure of the ball x with rounding as its only error. */
void shuf_enclosure_zero(shuf_enclosure_t r);
void shuf_enclosure_set_arb(shuf_enclosure_t r, const arb_t x, slong prec);

/* The same of a number that is at least 0: lo is, too. */
void shuf_enclosure_set_value(shuf_enclosure_t r, const arb_t x, slong prec);

/* lo := max(lo, 0) and hi := min(hi, 1), of a probability. */
void shuf_ends_cut(arf_t lo, arf_t hi);

/* Nothing is known: [0, 1], or [0, +inf], and SHUF_DOMAIN, which is returned. */
shuf_status shuf_enclosure_unknown(shuf_enclosure_t r, int at_most_one);

/* An Arb ball that contains [lo, hi]. */
void shuf_enclosure_get_arb(arb_t r, const shuf_enclosure_t x, slong prec);

/* r contains max(x, y) for every value in x and y; ledgers are combined. */
void shuf_enclosure_max(shuf_enclosure_t r, const shuf_enclosure_t x, const shuf_enclosure_t y);

/* Upper bound of the width hi - lo, and of the sum of the ledger's parts. */
void shuf_enclosure_width(mag_t width, const shuf_enclosure_t x);
void shuf_ledger_total(mag_t total, const shuf_ledger_struct *ledger);

/* The ledger's parts are kept; what they lack of the width goes to the rounding. */
void shuf_enclosure_settle(shuf_enclosure_t r);

/* r := what both say, but for the ledger, which is that of x where x is inside r. The program ends where they do not meet: one of them is wrong. */
void shuf_enclosure_intersect(shuf_enclosure_t r, const shuf_enclosure_t x);

/* Whether hi - lo <= 10^-digits hi, certainly, both finite. */
int shuf_ends_accurate(const arf_t lo, const arf_t hi, slong digits);
int shuf_enclosure_accurate(const shuf_enclosure_t x, slong digits);

/*
 * The finite x as a decimal of at most `digits` significant digits, rounded
 * down (up = 0) or up (up = 1): the decimal's value is <= x, or >= x. Free
 * the result with flint_free.
 */
char *shuf_decimal(const arf_t x, slong digits, int up);

/* As a hexadecimal double, rounded likewise; below DBL_TRUE_MIN down to 0. */
char *shuf_hexfloat(const arf_t x, int up);

/*
 * The two ends as outward decimals of at most `digits` digits in lo_text and
 * hi_text (flint_free them). What the decimal rounding adds to the width is
 * charged to the ledger, which then speaks of the printed interval. (Beyond
 * the exponents that shuf_real reads back, the ledger stays as it is.)
 */
void shuf_enclosure_print(char **lo_text, char **hi_text, shuf_enclosure_t x, slong digits);

/* The upper or lower end of the ball x, rounded away from it: to so many bits (x is finite), or to a double, infinite where x is not finite. */
void shuf_ball_end(fmpq_t end, const arb_t x, int upper, slong prec);
double shuf_ball_end_d(const arb_t x, int upper);

/* r := 1 - x, e^-x, and x q; r may be x. */
void shuf_ball_complement(arb_t r, const arb_t x, slong prec);
void shuf_ball_exp_minus(arb_t r, const arb_t x, slong prec);
void shuf_ball_mul_fmpq(arb_t r, const arb_t x, const fmpq_t q, slong prec);

/* end := a lower bound of so many bits of x >= 0, at least 0. */
void shuf_ball_least(arf_t end, const arb_t x, slong prec);

/* v := Pr[Z > x], Z a standard normal variable; v may be x. */
void shuf_normal_tail(arb_t v, const arb_t x, slong prec);

/* mass := Pr[Z > x] and excess := E(Z - x)_+ = density(x) - x Pr[Z > x]; neither may be x. */
void shuf_normal_excess(arb_t mass, arb_t excess, const arb_t x, slong prec);

#endif
