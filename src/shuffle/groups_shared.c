/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Binary reports of groups from above: what all users who randomise at least so much share (theorem groups-shared). */
#include <math.h>

#include "shuffle/binary.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "shuffle/bit_sum.h"
#include "shuffle/groups_law.h"

/* Bits of the probabilities. Steers only. */
#define PREC 128

/* Numbers of users seen are put together in so many cells, and what is rarer than that below them in one. Steer only. */
#define CELLS 8
#define RARE 1e-14
#define COMMON 0.999

/* Digits of a cell's value: cells are wider. Steers only. */
#define CELL_DIGITS 3

/* So many eps0 of groups are tried. Steers only. */
#define TRIES 64

typedef struct
{
    binary_t x;        /* the reports of those who are not seen, and of the user who differs */
    bit_group *coin;   /* of the others, whether they are not seen */
    size_t count;
    bit_sum *hidden;   /* how many are not; NULL until it is needed */
} shared_data;

static void shared_clear(shuf_law_struct *self)
{
    shared_data *d = self->data;
    size_t i;
    for (i = 0; i < d->count; i++)
    {
        arb_clear(d->coin[i].one);
        arb_clear(d->coin[i].rest);
    }
    flint_free(d->coin);
    bit_sum_free(d->hidden);
    binary_clear(d->x);
    flint_free(d);
}

/* mass := an upper bound of Pr[from <= M < to], added up. */
static void add_masses(arf_t mass, const bit_sum *s, uint64_t from, uint64_t to)
{
    arf_t lo, hi;
    uint64_t c;
    arf_init(lo); arf_init(hi);
    arf_zero(mass);
    for (c = from; c < to; c++)
    {
        bit_sum_mass(lo, hi, s, c);
        arf_add(mass, mass, hi, 64, ARF_RND_UP);
    }
    arf_clear(lo); arf_clear(hi);
}

/* The first number from which on Pr[M <= number] is more than that, about. */
static uint64_t quantile(const bit_sum *s, double part)
{
    arf_t lo, hi;
    double sum = 0;
    uint64_t c = bit_sum_first(s), end = c + bit_sum_length(s);
    arf_init(lo); arf_init(hi);
    for (; c + 1 < end && sum <= part; c++)
    {
        bit_sum_mass(lo, hi, s, c);
        sum += arf_get_d(hi, ARF_RND_NEAR);
    }
    arf_clear(lo); arf_clear(hi);
    return c > bit_sum_first(s) && sum > part ? c - 1 : c;
}

/*
 * hi := a bound of E h(M): for each cell its probability times the value at its first number, which is the largest.
 * Coq: GroupsShared.largest_falls.
 */
static void expectation(arf_t hi, shared_data *d, const shuf_real_t eps, const shuf_options *options)
{
    const uint64_t first = bit_sum_first(d->hidden), end = first + bit_sum_length(d->hidden);
    const uint64_t low = quantile(d->hidden, RARE), high = quantile(d->hidden, COMMON), width = (high - low) / CELLS + 1;
    const double limit = shuf_limit(options);
    shuf_options o = { FLINT_MIN(options->digits, CELL_DIGITS), 0 };
    shuf_enclosure_t value;
    arf_t mass;
    uint64_t c;
    shuf_enclosure_init(value);
    arf_init(mass);
    /* outside the window, and before the cells: at most 1 each */
    add_masses(hi, d->hidden, UINT64_MAX - 1, UINT64_MAX);
    add_masses(mass, d->hidden, first, low);
    arf_add(hi, hi, mass, 64, ARF_RND_UP);
    for (c = low; c < end; )
    {
        const uint64_t next = c + width > high ? end : c + width;
        add_masses(mass, d->hidden, c, next);
        d->x->users = c + 1;
        shuf_share(&o, limit, c + width > high ? 1 : fmin(1, (double) width / (double) (high - c)));
        binary_delta(value, NULL, d->x, eps, SHUF_DIRECTION_BOTH, 0, &o);
        arf_mul(mass, mass, value->hi, 64, ARF_RND_UP);
        arf_add(hi, hi, mass, 64, ARF_RND_UP);
        c = next;
    }
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
    shuf_enclosure_clear(value);
    arf_clear(mass);
}

/* The bound is the number itself. */
static shuf_status shared_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                                shuf_direction direction, const shuf_options *options)
{
    shared_data *d = self->data;
    (void) where;
    (void) direction;
    shuf_enclosure_zero(r);
    if (shuf_real_cmp(eps, d->x->largest_loss) >= 0)
        return r->status = SHUF_OK;
    if (d->hidden == NULL)
        d->hidden = bit_sum_new(d->coin, d->count, shuf_limit(options));
    if (d->hidden == NULL)
        return shuf_enclosure_unknown(r, 1);
    expectation(r->hi, d, eps, options);
    arf_set(r->lo, r->hi);
    r->ledger.terms = CELLS;
    return r->status = SHUF_OK;
}

static shuf_status shared_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                                  shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return shuf_law_invert(r, self, delta, direction, GROUPS_MAX_EPSILON + 1, options);
}

/* The group whose eps0 leaves the most variance unseen, of up to TRIES of them; any will do. */
static size_t choose(const groups_entry *entry, size_t count)
{
    const size_t step = count / TRIES + 1;
    double *e = flint_malloc(count * sizeof(*e)), most = -1;
    size_t i, j, best = 0;
    for (i = 0; i < count; i++)
        e[i] = d_exp(steer_real(entry[i].eps0, 64));
    for (i = 0; i < count; i += step)
    {
        double variance = 0;
        for (j = 0; j < count; j++)
            variance += (double) entry[j].users * fmin(1, (e[i] + 1) / (e[j] + 1));
        variance *= e[i] / ((e[i] + 1) * (e[i] + 1));
        if (variance > most)
        {
            most = variance;
            best = i;
        }
    }
    flint_free(e);
    return best;
}

/* p := E/(E+1), the other way round in q, of e^eps0. */
static void set_bits(counts_bits_t bits, const shuf_real_t eps0)
{
    shuf_real_exp(bits->p, eps0, PREC);
    arb_add_ui(bits->q, bits->p, 1, PREC);
    arb_inv(bits->q, bits->q, PREC);
    arb_mul(bits->p, bits->p, bits->q, PREC);
    arb_set(bits->p_rest, bits->q);
    arb_set(bits->q_rest, bits->p);
}

/* one := (E_t + 1)/(E + 1), that a report with E is made as one with E_t; 1 where E <= E_t. */
static void set_coin(bit_group *coin, const shuf_real_t shared, const shuf_real_t eps0)
{
    arb_t t, e;
    arb_init(t); arb_init(e);
    arb_one(coin->one);
    arb_zero(coin->rest);
    if (shuf_real_cmp(eps0, shared) > 0)
    {
        shuf_real_exp(t, shared, PREC);
        shuf_real_exp(e, eps0, PREC);
        arb_sub(coin->rest, e, t, PREC);
        arb_add_ui(e, e, 1, PREC);
        arb_add_ui(t, t, 1, PREC);
        arb_div(coin->one, t, e, PREC);
        arb_div(coin->rest, coin->rest, e, PREC);
    }
    arb_clear(t); arb_clear(e);
}

/* Coq: GroupsShared.groups_shared. */
void groups_shared(shuf_law_t law, const groups_entry *entry, size_t count)
{
    const size_t widest = groups_widest(entry, count), left_out = groups_narrowest(entry, count), shared = choose(entry, count);
    shared_data *d = flint_calloc(1, sizeof(*d));
    size_t i;
    d->coin = flint_malloc(count * sizeof(*d->coin));
    d->count = count;
    for (i = 0; i < count; i++)
    {
        arb_init(d->coin[i].one);
        arb_init(d->coin[i].rest);
        set_coin(&d->coin[i], entry[shared].eps0, entry[i].eps0);
        d->coin[i].count = entry[i].users - (i == left_out);
    }
    binary_init(d->x);
    set_bits(d->x->bits, entry[shared].eps0);
    set_bits(d->x->own, entry[widest].eps0);
    d->x->has_own = d->x->mirrored = d->x->has_loss = 1;
    shuf_real_set(d->x->largest_loss, entry[widest].eps0);
    shuf_law_init(law);
    law->data = d;
    law->clear = shared_clear;
    law->delta = shared_delta;
    law->epsilon = shared_epsilon;
    law->symmetric = 1;
}
