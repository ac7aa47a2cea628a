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
#include "pld/kept.h"
#include "pld/losses.h"
#include "pld/power.h"

#define PREC 192 /* steers only */

/* The best ends of both; where these do not meet, as bounds of a law that became better may not, the narrower one. */
static void keep_better(shuf_enclosure_t best, const shuf_enclosure_t r)
{
    if (arf_cmp(best->lo, r->hi) <= 0 && arf_cmp(r->lo, best->hi) <= 0)
    {
        shuf_enclosure_intersect(best, r);
        shuf_enclosure_settle(best);
    }
    else if (steer_relative_width(r) < steer_relative_width(best))
        shuf_enclosure_set(best, r);
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

/* Of the work, for lines where a power comes after them. Steer only. */
#define LINES_SHARE 0.6

/* delta at eps = point (to_delta), or eps at delta. */
static shuf_status enclose(shuf_enclosure_t r, shuf_pld_kept_struct *kept, const shuf_pld_part *parts, size_t count, shuf_direction direction, int to_delta,
                           const shuf_real_t point, const shuf_options *options)
{
    const double start = shuf_work(), limit = shuf_limit(options);
    const int is_first = kept == NULL || parts[0].law->has_cheap_powers || parts[0].law->pair == NULL; /* whether a power comes before lines, which serve many eps */
    shuf_options o = *options;
    shuf_enclosure_t by_power, by_kept;
    shuf_enclosure_init(by_power); shuf_enclosure_init(by_kept);
    shuf_enclosure_unknown(by_power, to_delta); shuf_enclosure_unknown(by_kept, to_delta);
    if (kept != NULL && kept_read(by_kept, kept, direction, point, options->digits))
    {
        shuf_enclosure_set(r, by_kept);
    }
    else if (is_first && (to_delta ? pld_power_delta : pld_power_epsilon)(by_power, parts, count, point, direction, options))
    {
        shuf_enclosure_set(r, by_power);
    }
    else
    {
        prepare_parts(parts, count, limit, options);
        shuf_share(&o, limit, is_first ? 1 : LINES_SHARE);
        pld_bracket(r, kept, parts, count, to_delta, point, direction, &o);
        if (!is_first && !shuf_enclosure_accurate(r, options->digits))
        {
            shuf_share(&o, limit, 1);
            pld_power_delta(by_power, parts, count, point, direction, &o);
        }
        keep_better(r, by_power);
        keep_better(r, by_kept);
    }
    shuf_enclosure_clear(by_power); shuf_enclosure_clear(by_kept);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    r->ledger.work = shuf_work() - start;
    return r->status;
}

/* Coq: Bracket.pld_upper, Bracket.pld_upper_power, Bracket.pld_lower, Bracket.pld_lower_power. */
shuf_status shuf_pld_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                           shuf_direction direction, const shuf_options *options)
{
    return shuf_pld_delta_kept(r, NULL, parts, count, eps, direction, options);
}

shuf_status shuf_pld_delta_kept(shuf_enclosure_t r, shuf_pld_kept_struct *kept, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                                shuf_direction direction, const shuf_options *options)
{
    if (pld_compare_losses(parts, count, eps) >= 0)
    {
        shuf_enclosure_zero(r);
        return SHUF_OK;
    }
    if (pld_finite_delta(r, parts, count, eps, direction, options))
        return r->status;
    return enclose(r, kept, parts, count, direction, 1, eps, options);
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
    enclose(r, NULL, parts, count, direction, 0, delta, options);
    return arf_is_finite(r->hi) ? r->status : SHUF_DOMAIN;
}
