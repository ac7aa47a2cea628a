/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/convolve.h"

#include "pld/exact.h"
#include "pld/tilted.h"

struct convolution_struct
{
    enum { TILTED, EXACT } engine;
    tilted_sum_t tilted;
    exact_sum_t exact;
};

convolution *convolution_tilted(const grid_factor *factors, size_t count, double theta, int log2_length, int up)
{
    convolution *c = flint_malloc(sizeof(*c));
    c->engine = TILTED;
    if (tilted_sum_init(c->tilted, factors, count, theta, log2_length, up) == 0)
        return c;
    flint_free(c);
    return NULL;
}

convolution *convolution_exact(const grid_factor *factors, size_t count, slong bits, int up, double limit)
{
    convolution *c = flint_malloc(sizeof(*c));
    c->engine = EXACT;
    if (exact_sum_init(c->exact, factors, count, bits, up, limit) == 0)
        return c;
    flint_free(c);
    return NULL;
}

void convolution_free(convolution *c)
{
    if (c == NULL)
        return;
    if (c->engine == TILTED)
        tilted_sum_clear(c->tilted);
    else
        exact_sum_clear(c->exact);
    flint_free(c);
}

void convolution_delta(arf_t bound, convolution_errors *errors, const convolution *c, const shuf_real_t eps, int tail)
{
    if (c->engine == TILTED)
        tilted_sum_delta(bound, errors, c->tilted, eps, tail);
    else
        exact_sum_delta(bound, errors, c->exact, eps, tail);
}
