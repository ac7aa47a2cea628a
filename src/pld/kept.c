/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/kept.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"

#define PREC 160 /* steers only */

/* Steer only. */
#define MOST_KEPT 24        /* size of an array */
#define MOST_TERMS 4000000 /* of all lines that are kept */
#define MOST_READ 2 /* of them for one eps */

typedef struct kept_lines
{
    shuf_direction direction;
    double eps;
    int sides, lines[2];
    line_struct *line[2];
    slong terms;
} kept_lines;

void lines_read(shuf_enclosure_t r, double *gap, double *log_least, const line_struct *line, int count, const arb_t eps)
{
    shuf_enclosure_t below;
    mag_t width;
    arf_t difference;
    line_read(r, &line[0], eps);
    if (gap != NULL)
        *gap = 0;
    if (log_least != NULL)
        *log_least = steer_log(r->hi);
    if (count < 2)
        return;
    shuf_enclosure_init(below); mag_init(width); arf_init(difference);
    line_read(below, &line[1], eps);
    arf_sub(difference, r->lo, below->hi, 53, ARF_RND_UP);
    if (gap != NULL && arf_sgn(difference) > 0)
        *gap = d_exp(steer_log(difference) - steer_log(r->hi));
    if (log_least != NULL)
        *log_least = steer_log(below->hi);
    arf_set(r->lo, below->lo);
    mag_add(r->ledger.rounding, r->ledger.rounding, below->ledger.rounding);
    mag_add(r->ledger.truncation, r->ledger.truncation, below->ledger.truncation);
    mag_add(r->ledger.aliasing, r->ledger.aliasing, below->ledger.aliasing);
    /* the rest is the gap between both laws, and what was added to their losses */
    shuf_enclosure_width(width, r);
    mag_set(r->ledger.discretisation, width);
    shuf_enclosure_clear(below); mag_clear(width); arf_clear(difference);
}

/* The first ones. */
static void drop(shuf_pld_kept_struct *kept)
{
    kept_lines *first = &kept->item[0];
    size_t i;
    int j, k;
    for (j = 0; j < first->sides; j++)
    {
        for (k = 0; k < first->lines[j]; k++)
            line_clear(&first->line[j][k]);
        flint_free(first->line[j]);
    }
    kept->count--;
    for (i = 0; i < kept->count; i++)
        kept->item[i] = kept->item[i + 1];
}

void shuf_pld_kept_clear(shuf_pld_kept_struct *kept)
{
    while (kept->count > 0)
        drop(kept);
    flint_free(kept->item);
}

static slong terms_of_all(const shuf_pld_kept_struct *kept)
{
    slong terms = 0;
    size_t i;
    for (i = 0; i < kept->count; i++)
        terms += kept->item[i].terms;
    return terms;
}

void kept_add(shuf_pld_kept_struct *kept, shuf_direction direction, const shuf_real_t eps, line_struct *const line[2], const int lines[2], int sides)
{
    kept_lines *x;
    int j, k;
    if (kept->item == NULL)
        kept->item = flint_malloc(MOST_KEPT * sizeof(kept_lines));
    while (kept->count == MOST_KEPT || (kept->count > 0 && terms_of_all(kept) > MOST_TERMS))
        drop(kept);
    x = &kept->item[kept->count++];
    *x = (kept_lines) { direction, steer_real(eps, 64), sides, { 0, 0 }, { NULL, NULL }, 0 };
    for (j = 0; j < sides; j++)
    {
        x->line[j] = line[j];
        x->lines[j] = lines[j];
        for (k = 0; k < lines[j]; k++)
            x->terms += line[j][k].count;
    }
}

/* The lines nearest to `at` of those that are farther away than `beyond`; NULL: there are none. */
static const kept_lines *nearest(const shuf_pld_kept_struct *kept, shuf_direction direction, double at, double beyond)
{
    const kept_lines *found = NULL;
    size_t i;
    for (i = 0; i < kept->count; i++)
    {
        const kept_lines *x = &kept->item[i];
        const double distance = fabs(x->eps - at);
        if (x->direction == direction && distance > beyond && (found == NULL || distance < fabs(found->eps - at)))
            found = x;
    }
    return found;
}

int kept_read(shuf_enclosure_t r, const shuf_pld_kept_struct *kept, shuf_direction direction, const shuf_real_t eps, slong digits)
{
    const double at = steer_real(eps, 64);
    const kept_lines *x = nearest(kept, direction, at, -1);
    shuf_enclosure_t e, other;
    arb_t K;
    int i;
    shuf_enclosure_init(e); shuf_enclosure_init(other);
    arb_init(K);
    shuf_real_get_arb(K, eps, PREC);
    shuf_enclosure_unknown(r, 1);
    for (i = 0; i < MOST_READ && x != NULL && !shuf_enclosure_accurate(r, digits); i++)
    {
        lines_read(e, NULL, NULL, x->line[0], x->lines[0], K);
        if (x->sides == 2)
        {
            lines_read(other, NULL, NULL, x->line[1], x->lines[1], K);
            shuf_enclosure_max(e, e, other);
        }
        if (steer_relative_width(e) < steer_relative_width(r))
            shuf_enclosure_set(r, e);
        x = nearest(kept, direction, at, fabs(x->eps - at));
    }
    shuf_enclosure_clear(e); shuf_enclosure_clear(other);
    arb_clear(K);
    return shuf_enclosure_accurate(r, digits);
}
