/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/singles.h"

/* Of so many parts at most, with so many digits. Steer only. */
#define MOST_SINGLE 32
#define SINGLE_DIGITS 4
#define PREC 192

/* One direction: r := what one of the rounds has at eps or more, and all of them at `share` of it, added. Returns 0 where a law has no profile. */
static int add_singles(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction, const arf_t eps, const arf_t share, slong digits, double limit)
{
    shuf_options o = { FLINT_MIN(digits, SINGLE_DIGITS), 0 };
    arb_t sum, t;
    arf_t lo, hi;
    size_t i;
    arb_init(sum); arb_init(t);
    arf_init(lo); arf_init(hi);
    shuf_enclosure_zero(r);
    for (i = 0; i < count && parts[i].law->evaluate != NULL; i++)
    {
        shuf_share(&o, limit, 1);
        parts[i].law->evaluate(lo, hi, parts[i].law, direction, eps, 1, &o);
        arf_max(r->lo, r->lo, lo);
        shuf_share(&o, limit, 1);
        parts[i].law->evaluate(lo, hi, parts[i].law, direction, share, 1, &o);
        arb_set_arf(t, hi);
        arb_addmul_ui(sum, t, parts[i].rounds, PREC);
    }
    arb_get_ubound_arf(r->hi, sum, PREC);
    arb_clear(sum); arb_clear(t);
    arf_clear(lo); arf_clear(hi);
    return i == count;
}

void singles_narrow(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction, const shuf_real_t eps, slong digits, double limit)
{
    shuf_enclosure_t one, other;
    arb_t t, total;
    arf_t at, share;
    size_t i;
    int known, symmetric = 1;
    if (count > MOST_SINGLE)
        return;
    shuf_enclosure_init(one); shuf_enclosure_init(other);
    arb_init(t); arb_init(total);
    arf_init(at); arf_init(share);
    for (i = 0; i < count; i++)
    {
        arb_add_ui(total, total, parts[i].rounds, PREC);
        symmetric = symmetric && parts[i].law->symmetric;
    }
    shuf_real_get_arb(t, eps, PREC);
    arb_get_ubound_arf(at, t, PREC);
    arb_div(t, t, total, PREC);
    arb_get_lbound_arf(share, t, PREC);
    if (arf_sgn(share) < 0)
        arf_zero(share);
    known = add_singles(one, parts, count, direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, at, share, digits, limit);
    if (known && direction == SHUF_DIRECTION_BOTH && !symmetric)
    {
        known = add_singles(other, parts, count, SHUF_DIRECTION_QP, at, share, digits, limit);
        shuf_enclosure_max(one, one, other);
    }
    if (known)
    {
        arf_max(r->lo, r->lo, one->lo);
        arf_min(r->hi, r->hi, one->hi);
        shuf_enclosure_width(r->ledger.discretisation, r);
    }
    shuf_enclosure_clear(one); shuf_enclosure_clear(other);
    arb_clear(t); arb_clear(total);
    arf_clear(at); arf_clear(share);
}
