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

/* delta at eps = point (to_delta), or eps at delta. */
static shuf_status enclose(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction, int to_delta,
                           const shuf_real_t point, const shuf_options *options)
{
    const double start = shuf_work();
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
