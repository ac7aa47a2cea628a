/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* cumulants: what lines are placed by; estimates, no bounds (internal). */
#ifndef SHUF_PLD_CUMULANTS_H
#define SHUF_PLD_CUMULANTS_H

#include "../flint_headers.h"

/* k := log of the sum of e^{log_mass[i] + theta (value[i] - centre)}, count > 0, and its first two derivatives. */
void cumulants_of_atoms(double k[3], const double *value, const double *log_mass, slong count, double centre, double theta);

/* The eps and the log delta that a theta belongs to, k being those of the loss: the saddle point of e^{K - theta eps}/(theta (1 + theta)). */
void cumulants_saddle(double *eps, double *log_delta, const double k[3], double theta);

#endif
