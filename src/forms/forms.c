/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "forms/forms.h"

/* What is still undecided at 8192 bits is taken to lie on the edge of a region, and refused. Steers only. */
#define MAX_PREC 8192

shuf_status form_refine(shuf_enclosure_t r, const shuf_bound_form *form, const shuf_bound_query_t q, const shuf_options *options)
{
    shuf_status status = SHUF_DOMAIN;
    slong prec;
    arb_t value;
    arb_init(value);
    for (prec = 64 + 4 * options->digits; prec < MAX_PREC + 4 * options->digits && status != SHUF_OK; prec *= 2)
    {
        /* outside, or not yet decided: more digits settle it */
        if (!form->formula(value, q, form->variant, prec) || !arb_is_finite(value))
            continue;
        shuf_enclosure_set_arb(r, value, prec);
        status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    if (status != SHUF_DOMAIN)
        r->status = status;
    arb_clear(value);
    return status;
}

int form_compare(const shuf_bound_form *form, const shuf_bound_query_t q, const arf_t eps, slong digits)
{
    shuf_bound_query_struct at = *q;
    shuf_real_t point;
    arb_t value, delta;
    slong prec;
    int result = 0;

    arb_init(value); arb_init(delta); shuf_real_init(point);
    shuf_real_set_arf(point, eps);
    *at.point = *point;
    for (prec = 64 + 4 * digits; prec < MAX_PREC + 4 * digits && result == 0; prec *= 2)
    {
        if (!form->formula(value, &at, form->variant, prec))
            continue;
        shuf_real_get_arb(delta, q->point, prec);
        if (arb_le(value, delta))
            result = -1;
        else if (arb_gt(value, delta))
            result = 1;
    }
    shuf_real_clear(point); arb_clear(value); arb_clear(delta);
    return result;
}

shuf_status form_bisect(shuf_enclosure_t r, arf_t lo, arf_t hi, const shuf_bound_form *form, const shuf_bound_query_t q,
                        const shuf_options *options)
{
    slong prec = 64 + 4 * options->digits;
    int sign = 1;
    arf_t middle;
    arf_init(middle);
    shuf_enclosure_zero(r);
    for (;;)
    {
        arf_set(r->lo, lo);
        arf_set(r->hi, hi);
        if (sign == 0 || shuf_enclosure_accurate(r, options->digits))
            break;
        arf_add(middle, lo, hi, prec, ARF_RND_DOWN);
        arf_mul_2exp_si(middle, middle, -1);
        sign = form_compare(form, q, middle, options->digits);
        if (sign != 0)
            arf_swap(sign < 0 ? hi : lo, middle);
    }
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.precision = prec;
    r->status = sign != 0 ? SHUF_OK : SHUF_ACCURACY;
    arf_clear(middle);
    return r->status;
}
