/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/pld.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "enclosure/arf_vec.h"
#include "enclosure/doubles.h"
#include "enclosure/parallel.h"
#include "enclosure/steer.h"
#include "pld/bracket.h"
#include "pld/finite.h"
#include "pld/losses.h"
#include "pld/power.h"

#define PREC 192 /* steers only */

/* The best enclosure so far, and whether this run's is better. */
static void keep_better(shuf_enclosure_t best, const shuf_enclosure_t r)
{
    mag_t width, best_width;
    mag_init(width);
    mag_init(best_width);
    shuf_enclosure_width(width, r);
    if (arf_is_finite(best->hi))
        shuf_enclosure_width(best_width, best);
    else
        mag_inf(best_width);
    if (mag_cmp(width, best_width) < 0)
        shuf_enclosure_set(best, r);
    mag_clear(width);
    mag_clear(best_width);
}

/* Of the work left, for what losses need to be told, after which lines cost little, and what the points of a profile have in common, where that is not known yet. Steer only. */
#define LOSS_SHARE 0.9
#define PREPARE_SHARE 0.6

static void prepare_parts(const shuf_pld_part *parts, size_t count, double limit, const shuf_options *options)
{
    shuf_options o = *options;
    size_t i;
    for (i = 0; i < count; i++)
    {
        const shuf_law_struct *law = parts[i].law;
        shuf_share(&o, limit, LOSS_SHARE / (double) (count - i));
        if ((law->prepare_loss == NULL || !law->prepare_loss(law, &o)) && law->prepare != NULL)
        {
            shuf_share(&o, limit, PREPARE_SHARE / (double) (count - i));
            law->prepare(law, &o);
        }
    }
}

/* Of so many parts at most, with so many digits, where so much of a delta is not known. Steer only. */
#define MOST_SINGLE 32
#define SINGLE_DIGITS 4
#define SINGLE_WIDTH 0.5

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

/* The ends of a delta of which little is known are at least those of single rounds (proofs/pld.md, Lemma 4). */
static void narrow_by_singles(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction, const shuf_real_t eps, slong digits, double limit)
{
    shuf_enclosure_t one, other;
    arb_t t, total;
    arf_t at, share;
    size_t i;
    int known, symmetric = 1;
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

/* delta at eps = point (to_delta), or eps at delta. */
static shuf_status enclose(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction, int to_delta,
                           const shuf_real_t point, const shuf_options *options)
{
    const double start = shuf_work(), limit = shuf_limit(options);
    shuf_enclosure_t by_power;
    shuf_enclosure_init(by_power);
    if ((to_delta ? pld_power_delta : pld_power_epsilon)(by_power, parts, count, point, direction, options))
    {
        shuf_enclosure_set(r, by_power);
    }
    else
    {
        prepare_parts(parts, count, shuf_limit(options), options);
        pld_bracket(r, parts, count, to_delta, point, direction, options);
        keep_better(r, by_power);
        if (to_delta && count <= MOST_SINGLE && steer_relative_width(r) > SINGLE_WIDTH)
            narrow_by_singles(r, parts, count, direction, point, options->digits, limit);
    }
    shuf_enclosure_clear(by_power);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    r->ledger.work = shuf_work() - start;
    return r->status;
}

/* Coq: Bracket.pld_upper, Bracket.pld_upper_power, Bracket.pld_lower, Bracket.pld_lower_power. */
shuf_status shuf_pld_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                           shuf_direction direction, const shuf_options *options)
{
    if (pld_compare_losses(parts, count, eps) >= 0)
    {
        shuf_enclosure_zero(r);
        return SHUF_OK;
    }
    if (pld_finite_delta(r, parts, count, eps, direction, options))
        return r->status;
    return enclose(r, parts, count, direction, 1, eps, options);
}

/* Coq: Divergence.hockey_decreasing. */
shuf_status shuf_pld_epsilon(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t delta,
                             shuf_direction direction, const shuf_options *options)
{
    if (shuf_real_cmp_si(delta, 1) >= 0)
    {
        shuf_enclosure_zero(r);
        return SHUF_OK;
    }
    if (pld_is_infinite(parts, count, delta, direction))
    {
        shuf_enclosure_zero(r);
        arf_pos_inf(r->lo);
        arf_pos_inf(r->hi);
        return r->status = SHUF_DOMAIN;
    }
    if (pld_finite_epsilon(r, parts, count, delta, direction, options))
        return r->status;
    enclose(r, parts, count, direction, 0, delta, options);
    return arf_is_finite(r->hi) ? r->status : SHUF_DOMAIN;
}
