/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Pairs of atoms, and what is left of a sum over frequencies; notation and proof: proofs/iidsum.md, Lemma 12. */
#include "iidsum/fourier.h"

#include <math.h>
#include <stdlib.h>

#include "enclosure/doubles.h"

#define PREC 96 /* steers only */
#define DOWN (1 - 1e-9) /* pays for the roundings of some million positive terms and of pi: Lemma 12 */

typedef struct
{
    arf_srcptr value;
    double share;
    slong index;
} atom_struct;

static int compare_atoms(const void *a, const void *b)
{
    const atom_struct *x = a, *y = b;
    int sign = arf_cmp(x->value, y->value);
    return sign != 0 ? sign : (x->index > y->index) - (x->index < y->index);
}

/* The atoms by rising value, with shares of the whole from below. */
static atom_struct *sorted_atoms(const shuf_quadrature *q, double theta)
{
    atom_struct *a = flint_malloc((size_t) q->count * sizeof(*a));
    arb_ptr g = _arb_vec_init(q->count);
    arb_t t, whole;
    arf_t end;
    slong j;
    arb_init(t); arb_init(whole); arf_init(end);
    for (j = 0; j < q->count; j++)
    {
        arb_set_d(t, theta);
        arb_mul(t, t, q->value + j, PREC);
        arb_exp(t, t, PREC);
        arb_mul(g + j, t, q->mass + j, PREC);
        arb_add(whole, whole, g + j, PREC);
    }
    for (j = 0; j < q->count; j++)
    {
        arb_div(t, g + j, whole, PREC);
        arb_get_lbound_arf(end, t, 53);
        a[j].value = arb_midref(q->value + j);
        a[j].share = arf_is_finite(end) ? double_below(end) : 0;
        a[j].index = j;
    }
    qsort(a, (size_t) q->count, sizeof(*a), compare_atoms);
    _arb_vec_clear(g, q->count);
    arb_clear(t); arb_clear(whole); arf_clear(end);
    return a;
}

/* The lower half of the weight goes with the upper half, in order. */
void fourier_pairs_init(fourier_pairs *u, const shuf_quadrature *q, double theta)
{
    atom_struct *a = sorted_atoms(q, theta);
    double sum = 0, below = 0, low, high, share;
    slong i = 0, j;
    arf_t d;
    arf_init(d);
    u->share = flint_malloc((size_t) (2 * q->count + 1) * sizeof(double));
    u->distance = flint_malloc((size_t) (2 * q->count + 1) * sizeof(double));
    u->count = 0;
    u->sum = 0;
    for (j = 0; j < q->count; j++)
        sum += a[j].share;
    for (j = 0; j < q->count && below + a[j].share <= sum / 2; j++)
        below += a[j].share;
    low = q->count > 0 ? a[0].share : 0;
    high = j < q->count ? below + a[j].share - sum / 2 : 0;
    while (i < j && j < q->count)
    {
        share = fmin(low, high);
        arf_sub(d, a[j].value, a[i].value, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (share > 0 && arf_cmp_2exp_si(d, -900) > 0 && arf_cmp_2exp_si(d, 900) < 0)
        {
            u->distance[u->count] = arf_get_d(d, ARF_RND_NEAR);
            u->share[u->count] = share * DOWN;
            u->sum += u->share[u->count++];
        }
        low -= share;
        high -= share;
        if (low <= 0)
            low = a[++i].share;
        if (high <= 0)
            high = ++j < q->count ? a[j].share : 0;
    }
    arf_clear(d);
    flint_free(a);
}

void fourier_pairs_clear(fourier_pairs *u)
{
    flint_free(u->share);
    flint_free(u->distance);
}

double fourier_pairs_rest(const fourier_pairs *u, double n, double step, double count)
{
    double reach = step * count, sum = 0;
    slong p;
    if (u->count == 0)
        return HUGE_VAL;
    for (p = 0; p < u->count; p++)
    {
        double d = u->distance[p];
        sum += u->share[p] / u->sum * (log(sqrt(DOUBLE_PI / (n * u->sum * DOWN)) / d + 2 * step / DOUBLE_PI)
                                       + log(1 / reach + d / (2 * DOUBLE_PI)) - log(reach));
    }
    return sum + 1e-6;
}
