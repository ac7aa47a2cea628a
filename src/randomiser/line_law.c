/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "randomiser/line_law.h"

void line_ratio_init(ratio_struct *r, const line_struct *l, slong prec)
{
    r->kind = l->kind;
    r->prec = prec;
    arb_init(r->spread); arb_init(r->half); arb_init(r->bottom); arb_init(r->top);
    arb_init(r->factor); arb_init(r->root_half);
    shuf_real_get_arb(r->spread, l->scale, prec);
    arb_inv(r->spread, r->spread, prec);
    if (l->kind == SHUF_RANDOMISER_GAUSSIAN)
    {
        arb_mul(r->half, r->spread, r->spread, prec);
        arb_mul_2exp_si(r->half, r->half, -1);
        arb_set_ui(r->root_half, 2);
        arb_rsqrt(r->root_half, r->root_half, prec);
        arb_set_arf(r->top, l->cut);
    }
    else
    {
        arb_exp(r->top, r->spread, prec);
        arb_neg(r->factor, r->spread);
        arb_exp(r->bottom, r->factor, prec);
        arb_mul_2exp_si(r->factor, r->factor, -1);
        arb_exp(r->factor, r->factor, prec);
        arb_mul_2exp_si(r->factor, r->factor, -1);
    }
    if (l->from_one)
        arb_one(r->bottom);
}

void line_ratio_clear(ratio_struct *r)
{
    arb_clear(r->spread); arb_clear(r->half); arb_clear(r->bottom); arb_clear(r->top);
    arb_clear(r->factor); arb_clear(r->root_half);
}

void line_image_init(image_struct *m, const line_struct *l, image_kind kind, slong prec)
{
    arb_init(m->slope);
    arb_init(m->offset);
    arb_one(m->slope);
    m->sign = (kind == IMAGE_RATIO || kind == IMAGE_PLUS) ? 1 : -1;
    if (kind == IMAGE_PLUS)
    {
        shuf_real_exp(m->offset, l->eps, prec);
        arb_neg(m->offset, m->offset);
    }
    else if (kind == IMAGE_MINUS)
    {
        shuf_real_exp(m->slope, l->eps, prec);
        arb_one(m->offset);
    }
}

void line_image_clear(image_struct *m)
{
    arb_clear(m->slope);
    arb_clear(m->offset);
}
