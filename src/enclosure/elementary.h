/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * elementary: functions of doubles, by additions, multiplications, divisions and square roots alone (internal).
 *
 * No function of the C library that rounds in its own way is called anywhere in src: their last bits differ from one library to
 * the next, so that an answer would, too; and nobody proves their errors. Names are FLINT's way (double_extras.h). NAN gives NAN.
 */
#ifndef SHUF_ENCLOSURE_ELEMENTARY_H
#define SHUF_ENCLOSURE_ELEMENTARY_H

/*
 * Within 4 ulp, that is a relative error of at most 8 ROUNDOFF, where the value is a normal double (proofs/elementary.md, Lemmas 1 to 4).
 * e^x; e^x - 1; log x and log(1 + x), which are -HUGE_VAL where the argument of the logarithm is 0, and NAN below.
 */
double d_exp(double x);
double d_expm1(double x);
double d_log(double x);
double d_log1p(double x);

/* sqrt(x^2 + y^2), within 4 ulp where it is normal. Lemma 7. */
double d_hypot(double x, double y);

/*
 * The sine and cosine of finite x: absolute errors of at most 8 ROUNDOFF where |x| <= 2^20, and of ROUNDOFF |x| more beyond; for
 * |x| <= pi/4 within 4 ulp. Lemma 5.
 */
double d_sin(double x);
double d_cos(double x);

/* The angle of (x, y) in [-pi, pi], within 4 ulp; 0 or pi on the axis y = 0. Lemma 6. */
double d_atan2(double y, double x);

/*
 * x^y, x > 0, or any x if y is an integer of at most 2^30 in modulus: then by products, so that a power of ten is exact as far as
 * doubles have it; relative error at most 2 |y| ROUNDOFF while products are normal (Lemma 7). Others steer only.
 */
double d_pow(double x, double y);

/* These steer only. 2^x; sinh x; logarithms to base 2 ("lb") and 10, exact for powers of the base; log Gamma(x), x > 0; erfc x. */
double d_exp2(double x);
double d_sinh(double x);
double d_lb(double x);
double d_log10(double x);
double d_lgamma(double x);
double d_erfc(double x);

#endif
