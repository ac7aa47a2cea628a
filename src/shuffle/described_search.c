/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The parameter of a described randomiser for which (eps, delta) is certified. */
#include "shuffle/terms.h"

#include <math.h>

#include "enclosure/elementary.h"

/* A search for the parameter at which (eps, delta) is just certified. */
typedef struct
{
    shuf_randomiser_struct *randomiser; /* whose parameter is set */
    uint64_t n;
    const shuf_real_struct *eps, *delta;
    double limit;
    shuf_shuffled_kind kind;            /* that certified last */
} calibration;

/* The share of the budget left that one evaluation may use. Steers only. */
#define EVALUATION_SHARE 0.125

/* Whether some upper bound is certainly at most delta with the parameter x. */
static int is_certified(calibration *c, double x)
{
    static const shuf_shuffled_kind upper[] = { SHUF_SHUFFLED_CLONES_STRONGER, SHUF_SHUFFLED_LOCAL_PROFILE, SHUF_SHUFFLED_BLANKET };
    static const slong digits[] = { 1, 4 };
    shuf_enclosure_t r;
    int result = 0;
    size_t i, j;
    shuf_enclosure_init(r);
    shuf_real_set_d(shuf_randomiser_is_line(c->randomiser) ? c->randomiser->scale : c->randomiser->eps0, x);
    for (i = 0; i < 3 && !result; i++)
    {
        /* few digits decide most points */
        for (j = 0; j < 2 && !result; j++)
        {
            shuf_options o = { digits[j], 0.0 };
            shuf_share(&o, c->limit, EVALUATION_SHARE);
            if (shuf_shuffled_delta(r, NULL, c->randomiser, c->n, upper[i], c->eps, &o) == SHUF_DOMAIN
                || shuf_real_cmp_arf(c->delta, r->lo) < 0)
                break;
            result = shuf_real_cmp_arf(c->delta, r->hi) >= 0;
        }
        if (result)
            c->kind = upper[i];
    }
    shuf_enclosure_clear(r);
    return result;
}

/* Whether x is a parameter that the search tries. */
static int is_in_reach(double x)
{
    return x > 1e-3 && x < 1e3;
}

/* From 1 on, until one parameter is certified and one, less private by the factor, is not; else one is out of reach. */
static void bracket(double *good, double *bad, calibration *c, double factor)
{
    const int is_good = is_certified(c, 1);
    const double step = is_good ? 1 / factor : factor;
    double last = 1, x;
    for (x = step; is_in_reach(x) && !shuf_exhausted(c->limit) && is_certified(c, x) == is_good; x *= step)
        last = x;
    *good = is_good ? last : x;
    *bad = is_good ? x : last;
}

shuf_status shuf_shuffled_calibrate(shuf_enclosure_t r, shuf_shuffled_kind *kind, const shuf_randomiser_t randomiser,
                                    uint64_t n, const shuf_real_t eps, const shuf_real_t delta,
                                    const shuf_options *options)
{
    /* a larger scale, a smaller eps0 is more private */
    double start = shuf_work(), factor = shuf_randomiser_is_line(randomiser) ? 2 : 0.5, good, bad, x;
    shuf_randomiser_t copy;
    calibration c;

    shuf_enclosure_unknown(r, 0);
    if (!shuf_randomiser_has_parameter(randomiser) || n < 1 || n > SHUF_MAX_USERS || shuf_real_sgn(delta) < 0 || shuf_real_sgn(eps) < 0
        || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
        return SHUF_DOMAIN;
    shuf_randomiser_init(copy);
    copy->kind = randomiser->kind;
    copy->inputs = randomiser->inputs;
    copy->size = randomiser->size;
    c.randomiser = copy;
    c.n = n;
    c.eps = eps;
    c.delta = delta;
    c.limit = shuf_limit(options);
    bracket(&good, &bad, &c, factor);
    if (is_in_reach(good) && is_in_reach(bad))
    {
        double width = d_pow(10, -(double) FLINT_MIN(options->digits, 9));
        while (fabs(good - bad) > width * good && !shuf_exhausted(c.limit))
        {
            x = ldexp(rint(ldexp((good + bad) / 2, 40)), -40);
            if (is_certified(&c, x))
                good = x;
            else
                bad = x;
        }
        arf_set_d(r->lo, fmin(good, bad));
        arf_set_d(r->hi, fmax(good, bad));
        shuf_enclosure_width(r->ledger.discretisation, r);
        r->status = fabs(good - bad) > width * good ? SHUF_ACCURACY : SHUF_OK;
        *kind = c.kind;
    }
    r->ledger.work = shuf_work() - start;
    shuf_randomiser_clear(copy);
    return r->status;
}
