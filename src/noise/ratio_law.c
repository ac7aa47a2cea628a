/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Statements and proofs: proofs/additive-noise.md, Theorem 8 and Lemma 9. */
#include "noise/ratio_law.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/steer.h"
#include "noise/lattice.h"
#include "noise/noise_law.h"

#define PREC 384 /* steers only */

/* Atoms that are kept as they are, classes of Laplace noise for a largest loss of 1, and cells in place of more: steer only. */
#define MOST_ATOMS 2000
#define CLASSES 600.0
#define CELLS 1000

/*
 * What is less likely than 2 to the minus this counts for little in any sum; relative bits of a ratio that is worth keeping; units of work of
 * a row of coins: steer only.
 */
#define REACH_BITS 220
#define RATIO_BITS 96
#define ROW_WORK 400.0

static void ratio_law_init(ratio_law *x, slong room)
{
    x->count = 0;
    x->room = room;
    x->value = _arb_vec_init(room);
    x->mass = _arb_vec_init(room);
    arb_init(x->alone);
}

static void ratio_law_clear(ratio_law *x)
{
    _arb_vec_clear(x->value, x->room);
    _arb_vec_clear(x->mass, x->room);
    arb_clear(x->alone);
}

static void add_atom(ratio_law *x, const arb_t value, const arb_t mass)
{
    arb_set(x->value + x->count, value);
    arb_set(x->mass + x->count++, mass);
}

/* ---- few outcomes: staircase noise, both kinds of Laplace noise ---- */

/* x := the law of p/q under q, of a release whose outcomes are told. */
static void set_outcomes(ratio_law *x, const shuf_noise_t noise)
{
    shuf_law_t law;
    uint64_t one = 1;
    arb_ptr p, q;
    slong i, count;
    noise_law(law, noise, shuf_one, &one);
    count = law->outcomes(NULL, NULL, law, WORD_MAX, PREC);
    p = _arb_vec_init(count);
    q = _arb_vec_init(count);
    ratio_law_init(x, count);
    count = law->outcomes(p, q, law, WORD_MAX, PREC);
    for (i = 0; i < count; i++)
    {
        if (i == count - 1)
            arb_one(p + i);
        else
            arb_div(p + i, p + i, q + i, PREC);
        add_atom(x, p + i, q + i);
    }
    _arb_vec_clear(p, x->room);
    _arb_vec_clear(q, x->room);
    shuf_law_clear(law);
}

/* loss := that of `noise`, moved by at least min(x^2/(4 m^2), x/m), x the loss and m a number of steps: up if above, else down; at least 0. */
static void move_loss(shuf_real_t loss, const shuf_noise_t noise, const fmpz_t steps, int above)
{
    arb_t x, part, less;
    arf_t end;
    arb_init(x); arb_init(part); arb_init(less);
    arf_init(end);
    shuf_real_get_arb(x, noise->loss, PREC);
    arb_div_fmpz(part, x, steps, PREC);
    arb_mul(less, part, part, PREC);
    arb_mul_2exp_si(less, less, -2);
    arb_min(less, less, part, PREC);
    if (above)
    {
        arb_add(x, x, less, PREC);
        arb_get_ubound_arf(end, x, PREC);
        shuf_real_set_d(loss, arf_get_d(end, ARF_RND_CEIL));
    }
    else
    {
        arb_sub(x, x, less, PREC);
        arb_get_lbound_arf(end, x, PREC);
        shuf_real_set_d(loss, fmax(0, arf_get_d(end, ARF_RND_FLOOR)));
    }
    arb_clear(x); arb_clear(part); arb_clear(less);
    arf_clear(end);
}

/* Lemma 9: between discrete Laplace noise of so many steps and barely less. */
static void set_laplace(ratio_laws *x, const shuf_noise_t noise)
{
    const slong steps = (slong) fmin(CLASSES * (1 + sqrt(fmin(steer_real(noise->loss, PREC), MOST_ATOMS))), MOST_ATOMS);
    shuf_noise_t other;
    fmpz_t count;
    shuf_noise_init(other);
    other->kind = SHUF_NOISE_DISCRETE_LAPLACE;
    fmpz_init_set_si(count, steps);
    fmpq_set_si(other->sensitivity, steps, 1);
    move_loss(other->loss, noise, count, 0);
    set_outcomes(&x->below, other);
    if (noise->kind == SHUF_NOISE_LAPLACE)
        shuf_real_set(other->loss, noise->loss);
    else
        move_loss(other->loss, noise, fmpq_numref(noise->sensitivity), 1);
    set_outcomes(&x->above, other);
    fmpz_clear(count);
    shuf_noise_clear(other);
}

/* ---- whole numbers ---- */

/* Noise on whole numbers: weights, and tails Pr[Z >= z], of 0, 1, .. of a symmetric table, or of heads of coins from `low` to `last`. */
typedef struct
{
    lattice_table table;
    int is_coins;
    slong shift;
    slong low;         /* of coins, unless 0 at least a shift below */
    slong first, last; /* the outcomes that are looked at */
} whole_struct;

/* v := Pr[Z >= z], first - shift <= z <= last + 1 */
static void tail_at(arb_t v, const whole_struct *x, slong z)
{
    if (x->is_coins)
    {
        arb_set(v, &x->table.tail[FLINT_MAX(z - x->low, 0)]);
        return;
    }
    arb_set(v, &x->table.tail[z > 0 ? z : 1 - z]);
    if (z <= 0)
    {
        shuf_ball_complement(v, v, PREC);
    }
}

/* v := p(z - shift)/p(z), first <= z <= last */
static void ratio_at(arb_t v, const whole_struct *x, slong z)
{
    const slong y = z - x->shift;
    if (x->is_coins && y < x->low)
        arb_zero(v);
    else if (x->is_coins)
        arb_div(v, &x->table.weight[y - x->low], &x->table.weight[z - x->low], PREC);
    else
        arb_div(v, &x->table.weight[FLINT_ABS(y)], &x->table.weight[FLINT_ABS(z)], PREC);
}

/* p(z + 1) = p(z) (coins - z)/(z + 1), and the sums from the last one down. */
static void set_coins(whole_struct *x, slong coins)
{
    lattice_table *t = &x->table;
    arb_t half;
    slong k;
    arb_init(half);
    arb_set_d(half, 0.5);
    t->last = x->last - x->low;
    t->weight = _arb_vec_init(t->last + 1);
    t->tail = _arb_vec_init(t->last + 2);
    shuf_binomial_pmf(t->weight, (ulong) coins, (ulong) x->low, half, half, PREC);
    for (k = 0; k < t->last; k++)
    {
        arb_mul_si(t->weight + k + 1, t->weight + k, coins - x->low - k, PREC);
        arb_div_si(t->weight + k + 1, t->weight + k + 1, x->low + k + 1, PREC);
    }
    shuf_binomial_tail(t->tail + t->last + 1, (ulong) coins, (ulong) x->last + 1, half, half, PREC);
    for (k = t->last; k >= 0; k--)
        arb_add(t->tail + k, t->tail + k + 1, t->weight + k, PREC);
    shuf_charge(ROW_WORK * (double) t->last);
    arb_clear(half);
}

/* Either law has at most the mass `lost` at other outcomes than are looked at, but for heads that coins alone cannot have. */
static void whole_init(whole_struct *x, arb_t lost, const shuf_noise_t noise)
{
    const slong coins = (slong) noise->coins;
    arb_t half;
    arb_init(half);
    x->is_coins = noise->kind == SHUF_NOISE_BINOMIAL;
    x->shift = fmpz_get_si(fmpq_numref(noise->sensitivity));
    if (!x->is_coins)
    {
        lattice_table_init(&x->table, noise);
        x->first = -lattice_table_reach(&x->table);
        x->last = x->shift - x->first;
        tail_at(lost, x, 1 - x->first);
    }
    else
    {
        x->first = (slong) fmax((double) coins / 2 - sqrt(0.35 * REACH_BITS * (double) coins), 0);
        x->last = FLINT_MIN(coins - x->first + x->shift, coins);
        x->low = FLINT_MAX(x->first - x->shift, 0);
        set_coins(x, coins);
        /* as likely as less than `first` */
        arb_set_d(half, 0.5);
        shuf_binomial_tail(lost, (ulong) coins, (ulong) (coins - x->first) + 1, half, half, PREC);
    }
    arb_clear(half);
    arb_mul_2exp_si(lost, lost, 1);
}

/* p and q := the tails from z on, with the record and without */
static void set_tails(arb_t p, arb_t q, const whole_struct *x, slong z)
{
    tail_at(p, x, z - x->shift);
    tail_at(q, x, z);
}

/* A cell's mass goes to its mean, and to the ratios at its ends, low = the last atom above, and high. */
static void add_cell(ratio_laws *x, const arb_t p, const arb_t q, const arb_t high)
{
    const slong last = x->above.count - 1;
    arb_srcptr low = x->above.value + last;
    arb_t share, t;
    arb_init(share);
    arb_init(t);
    arb_div(t, p, q, PREC);
    if (arb_rel_accuracy_bits(t) > RATIO_BITS)
        add_atom(&x->below, t, q);
    /* (p - low q)/(high - low) goes up; where the ends are not told apart all of q is at the lower one, and the rest of p alone */
    arb_mul(share, low, q, PREC);
    arb_sub(share, p, share, PREC);
    arb_nonnegative_part(share, share);
    arb_sub(t, high, low, PREC);
    if (!arb_is_positive(t))
    {
        arb_add(x->above.alone, x->above.alone, share, PREC);
        arb_zero(share);
        arb_one(t);
    }
    arb_div(share, share, t, PREC);
    arb_min(share, share, q, PREC);
    arb_sub(t, q, share, PREC);
    arb_add(x->above.mass + last, x->above.mass + last, t, PREC);
    add_atom(&x->above, high, share);
    arb_clear(share);
    arb_clear(t);
}

static void set_whole(ratio_laws *x, const whole_struct *w, slong coins)
{
    const slong all = w->last - w->first + 1, width = all <= MOST_ATOMS ? 1 : (all - 1) / CELLS + 1, room = (all - 1) / width + 2;
    arb_t p, q, high, next_p, next_q;
    slong z, next;
    arb_init(p); arb_init(q); arb_init(high); arb_init(next_p); arb_init(next_q);
    x->is_exact = width == 1;
    ratio_law_init(&x->below, room);
    ratio_law_init(&x->above, room);
    if (!x->is_exact)
    {
        ratio_at(high, w, w->first);
        add_atom(&x->above, high, q);
    }
    set_tails(p, q, w, w->first);
    for (z = w->first; z <= w->last; z = next)
    {
        next = FLINT_MIN(z + width, w->last + 1);
        set_tails(next_p, next_q, w, next);
        arb_sub(p, p, next_p, PREC);
        arb_sub(q, q, next_q, PREC);
        ratio_at(high, w, FLINT_MIN(x->is_exact ? z : next, w->last));
        if (x->is_exact)
            add_atom(&x->below, high, q);
        else
            add_cell(x, p, q, high);
        arb_swap(p, next_p);
        arb_swap(q, next_q);
    }
    /* heads that coins alone cannot have */
    if (w->is_coins && w->last == coins)
        tail_at(x->below.alone, w, coins + 1 - w->shift);
    arb_add(x->above.alone, x->above.alone, x->below.alone, PREC);
    arb_clear(p); arb_clear(q); arb_clear(high); arb_clear(next_p); arb_clear(next_q);
}

void ratio_laws_init(ratio_laws *x, const shuf_noise_t noise)
{
    whole_struct w;
    const int is_laplace = noise->kind == SHUF_NOISE_LAPLACE || noise->kind == SHUF_NOISE_DISCRETE_LAPLACE;
    arb_init(x->lost);
    x->is_exact = !is_laplace || (noise->kind == SHUF_NOISE_DISCRETE_LAPLACE && fmpz_cmp_si(fmpq_numref(noise->sensitivity), MOST_ATOMS) <= 0);
    if (is_laplace && !x->is_exact)
    {
        set_laplace(x, noise);
        return;
    }
    if (is_laplace || noise->kind == SHUF_NOISE_STAIRCASE)
    {
        set_outcomes(&x->below, noise);
        ratio_law_init(&x->above, 0);
        return;
    }
    whole_init(&w, x->lost, noise);
    set_whole(x, &w, (slong) noise->coins);
    lattice_table_clear(&w.table);
}

void ratio_laws_clear(ratio_laws *x)
{
    ratio_law_clear(&x->below);
    ratio_law_clear(&x->above);
    arb_clear(x->lost);
}
