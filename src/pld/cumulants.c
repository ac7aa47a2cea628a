/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/cumulants.h"

#include <math.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"

void cumulants_of_atoms(double k[3], const double *value, const double *log_mass, slong count, double centre, double theta)
{
    double most = -HUGE_VAL, m0 = 0, m1 = 0, m2 = 0;
    slong i;
    for (i = 0; i < count; i++)
        most = fmax(most, log_mass[i] + theta * (value[i] - centre));
    for (i = 0; i < count; i++)
    {
        const double x = value[i] - centre, weight = d_exp(log_mass[i] + theta * x - most);
        m0 += weight;
        m1 += weight * x;
        m2 += weight * x * x;
    }
    m1 /= m0;
    k[0] = most + d_log(m0);
    k[1] = m1;
    k[2] = fmax(m2 / m0 - m1 * m1, 1e-300);
}

void cumulants_saddle(double *eps, double *log_delta, const double k[3], double theta)
{
    *eps = k[1] - 1 / theta - 1 / (1 + theta);
    *log_delta = k[0] - theta * *eps - d_log(theta) - d_log1p(theta)
                 - 0.5 * d_log(2 * DOUBLE_PI * (k[2] + 1 / (theta * theta) + 1 / ((1 + theta) * (1 + theta))));
}
