/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * saddle: where a stratum's sum lives (internal). Floating point, no guarantee:
 * these estimates only choose what the certified code then bounds.
 */
#ifndef SHUF_SADDLE_H
#define SHUF_SADDLE_H

#include "stratum_power.h"

/* Units of one of the functions below but saddle_point, which takes some dozens of them. Steers only. */
#define SADDLE_COST 60

/* log phi(x); at order 1 the log of p, which |phi| exceeds at most by a factor max_loss */
double saddle_log_phi(const power_context_t s, double K, double x);

/* About log(Bin(m,rho)(mx) phi(x)), up to the binomial's square root factor. */
double saddle_exponent(const power_context_t s, double m, double K, double x);

/* The x of the largest exponent. */
double saddle_point(const power_context_t s, double m, double K);

/* About log V, given the saddle point x0. */
double saddle_log_value(const power_context_t s, double m, double K, double x0);

#endif
