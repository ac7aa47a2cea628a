/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The lemmas are those of proofs/nodes.md. */
#include "hockey/nodes.h"

#include <stdlib.h>

#include "binomial/binomial.h"
#include "enclosure/elementary.h"
#include "enclosure/memory.h"
#include "enclosure/parallel.h"
#include "enclosure/doubles.h"
#include "hockey/hockey.h"

/* Counts stay below 2^26, so that a product with 26 bits is exact: proofs/nodes.md, Lemma 3. */
#define MAX_USERS (UINT64_C(1) << 26)
#define HIGH_BITS 26

/* What is left out is certainly below this part of the value, if doubles reach that far. Steers only: Lemma 5 bounds it. */
#define SMALL 0x1p-43

/* ---- one factor of the multinomial law ---- */

/*
 * at[k - first] = 2^-exponent lambda^k/k!, first <= k <= last, each with at
 * most TABLE_ROUNDINGS roundings, none above 4 LIFT. The
 * terms beyond either end are at most `below` or `above` (Lemma 2).
 */
typedef struct
{
    slong first, last, exponent;
    double *at, below, above;
} table_struct;

typedef table_struct table_t[1];

/* Every so many terms a new one comes from Arb; a step has 3.02 roundings (Lemma 2). */
#define TABLE_BLOCK 64
#define TABLE_ROUNDINGS 192

/*
 * Terms below 2^-RANGE times the largest are left out; of many users those below 2^-NEAR_RANGE times the smallest value to that power.
 * Steer only: Lemma 2 bounds them.
 */
#define RANGE 980.0
#define NEAR_RANGE 150.0
#define FAR_RANGE 1.25
#define MANY_OTHERS 1e4
/* All are scaled up by LIFT (Lemma 6). */
#define LOG2_LIFT 32
#define LIFT 0x1p32
#define TABLE_PREC 128 /* steers only */
#define PREC 192 /* steers only */

static double log2_term(double k, double log_lambda)
{
    return (k * log_lambda - d_lgamma(k + 1)) / d_log(2.0);
}

/* Between good, whose term has that logarithm or more, and bad beyond: the last that has, by bisection. */
static slong range_end(slong good, slong bad, double least, double log_lambda)
{
    while (good - bad > 1 || bad - good > 1)
    {
        slong k = FLINT_MIN(good, bad) + FLINT_ABS(good - bad) / 2;
        if (log2_term((double) k, log_lambda) >= least)
            good = k;
        else
            bad = k;
    }
    return good;
}

/* The terms from k = least to k = most, down to 2^-range. Returns 0 when doubles will not do or memory is short. */
static int table_set(table_t t, const arb_t lambda, slong least, slong most, double range)
{
    arb_t log_lambda, x, y;
    double l, estimated = estimate(lambda), step = 0;
    slong mode, k;
    int ok = 1;
    t->first = t->last = least;
    t->exponent = 0;
    t->below = t->above = 0;
    t->at = NULL;
    if (arb_is_zero(lambda))
    {
        t->at = memory_claim(sizeof(double));
        if (t->at != NULL)
            t->at[0] = 1;
        return t->at != NULL && least == 0;
    }

    arb_init(log_lambda); arb_init(x); arb_init(y);
    arb_log(log_lambda, lambda, TABLE_PREC);
    l = arf_get_d(arb_midref(log_lambda), ARF_RND_NEAR);
    mode = FLINT_MIN(FLINT_MAX((slong) estimated, least), most);
    t->exponent = (slong) floor(log2_term((double) mode, l)) - LOG2_LIFT;

    t->first = range_end(mode, least - 1, (double) (t->exponent + LOG2_LIFT) - range, l);
    t->last = range_end(mode, most + 1, (double) (t->exponent + LOG2_LIFT) - range, l);

    t->at = memory_claim((size_t) (t->last - t->first + 1) * sizeof(double));
    ok = t->at != NULL && (t->last == t->first || constant(&step, lambda));
    for (k = t->first; ok && k <= t->last; k++)
    {
        double *at = t->at + (k - t->first);
        if ((k - t->first) % TABLE_BLOCK == 0)
        {
            arb_mul_si(x, log_lambda, k, TABLE_PREC);
            arb_set_si(y, k + 1);
            arb_hypgeom_lgamma(y, y, TABLE_PREC);
            arb_sub(x, x, y, TABLE_PREC);
            arb_exp(x, x, TABLE_PREC);
            arb_mul_2exp_si(x, x, -t->exponent);
            ok = constant(at, x);
        }
        else
        {
            *at = at[-1] * (step / (double) k);
        }
        ok = ok && *at >= 0x1p-960 && *at <= 4 * LIFT;
    }
    if (ok && t->first > 0)
        t->below = 1.01 * t->at[0] * fmin(1, (double) t->first / estimated);
    if (ok)
        t->above = 1.01 * t->at[t->last - t->first] * fmin(1, estimated / (double) (t->last + 1)) + 0x1p-940;
    arb_clear(log_lambda); arb_clear(x); arb_clear(y);
    return ok;
}

static void table_clear(table_t t)
{
    free(t->at);
}

static int table_has(const table_t t, slong k)
{
    return k >= t->first && k <= t->last;
}

/* At least the term, wherever k is. */
static double table_bound(const table_t t, slong k)
{
    return k < t->first ? t->below : k > t->last ? t->above : 1.01 * t->at[k - t->first];
}

/* ---- nodes ---- */

/*
 * gap = theta m - kappa rest: the outcomes with b < gap count, each with
 * weight (gap - b) W (Lemma 1). Both factors are in two parts, the first of at
 * most 26 bits. A top node has gap < 1 in every stratum; its gap and its
 * `unit` are measured in multiples of theta.
 */
typedef struct
{
    double theta_high, theta_low, kappa_high, kappa_low;
    double total; /* sum of W (gap - b)_+ over what was walked, */
    double carry; /* and what its additions have lost, of a mixture */
    double mass;  /* sum of W 1(b <= gap), at the largest gap possible */
    double left;  /* probability of the strata not walked */
    double reach; /* about u/unit: what probability 1 might add to total */
    double terms; /* additions behind total */
    int known;    /* u is well separated from 0 */
    int is_top;
    double slack; /* of a mixture: above the error of its gaps; else above what blocks add to that */
    double error; /* of what was added in blocks (Lemma 8) */
} node;

/* Above the error of a gap (Lemma 3). */
#define SLACK 0x1p-47

/* floor(gap) and the fraction; -1 when gap < 0 for certain (Lemma 3). m and rest are exact. */
static inline slong locate(double *fraction, const node *at, double m, double rest)
{
    double high = at->theta_high * m, low = at->theta_low * m, y = at->kappa_high * rest, sum, part;
    slong j;
    if (y > 0)
    {
        /* high - y without error */
        double x = high, back;
        high = x - y;
        back = high - x;
        low = (low - at->kappa_low * rest) + ((x - (high - back)) - (y + back));
    }
    sum = high + low;
    *fraction = 0;
    if (!(sum >= 0))
        return sum < -SLACK ? -1 : 0;
    j = (slong) sum;
    part = (high - (double) j) + low;
    if (part < 0)
    {
        part += 1;
        j--;
    }
    else if (part >= 1)
    {
        part -= 1;
        j++;
    }
    *fraction = part;
    return j;
}

/* high + low = x nearly, high of at most HIGH_BITS bits. */
static void split(double *high, double *low, const arb_t x)
{
    arf_t h, r;
    arf_init(h);
    arf_init(r);
    arf_set_round(h, arb_midref(x), HIGH_BITS, ARF_RND_DOWN);
    arf_sub(r, arb_midref(x), h, ARF_PREC_EXACT, ARF_RND_DOWN);
    *high = arf_get_d(h, ARF_RND_NEAR);
    *low = arf_get_d(r, ARF_RND_NEAR);
    arf_clear(h);
    arf_clear(r);
}

/* ---- the problem ---- */

typedef struct
{
    const shuf_pair_struct *pair;
    shuf_direction direction;
    arf_srcptr s;
    ulong n, others;
    shuf_pair_weights_t weights;
    table_t f, g;     /* of b and a */
    table_t y, z;     /* of the revealed rest, and of the users never seen */
    arb_t unit_mass;  /* W = unit_mass f g y z */
    node *nodes;
    arb_ptr u, unit;  /* value = scale unit unit_mass total */
    slong live, top;  /* nodes 0 .. live-1 are walked, those from top on are top nodes */
    double a_over_b;  /* about lambda of a over lambda of b */
    double rest_odds; /* rest/(1-rest), of a random rest */
    double low_share, high_share, whole; /* q, 1 - q, and lambda of a and b together (Lemma 8) */
    double range;     /* of the tables */
    double *product, *F, *G; /* of a stratum, by outcome, */
    double *C0, *C1;  /* and by random rest (Lemma 6) */
    double cut;       /* sum of W 1(b left out) m over the strata walked */
    double spread;    /* largest G(j+1)/F(j), */
    double rest_spread; /* and C1(i+1)/C0(i) */
    double walked;    /* strata, and blocks of them that were added at once */
    double window;    /* most outcomes that a node went through in a stratum with a random rest */
} problem_struct;

typedef problem_struct problem_t[1];

/* The most bits that telling s from the largest loss may take. Steers only. */
#define MAX_PREC 16384

/*
 * excess = e^s - 1 of node i, and its u. *w is replaced by `fine` when it takes
 * more precision. Returns 0 when u is not well separated from 0.
 */
static int set_u(arb_t excess, const shuf_pair_weights_struct **w, shuf_pair_weights_t fine, problem_t p, slong i)
{
    arb_struct *u = p->u + i;
    arb_t t;
    slong prec;
    int ok = 0;
    arb_init(t);
    for (prec = PREC; !ok && prec <= MAX_PREC; prec *= 2)
    {
        if (prec > PREC)
        {
            shuf_pair_get_weights(fine, p->pair, p->direction, prec);
            *w = fine;
        }
        /* u = w0 - w1 - excess w1, -v = u + excess (w0 + w1) */
        arb_set_arf(excess, p->s + i);
        arb_expm1(excess, excess, prec);
        arb_sub(u, (*w)->w0, (*w)->w1, prec);
        arb_mul(t, excess, (*w)->w1, prec);
        arb_sub(u, u, t, prec);
        ok = arb_is_positive(u) && arb_rel_accuracy_bits(u) >= 100;
    }
    arb_clear(t);
    return ok;
}

/* theta and kappa in multiples of the unit that they choose, and the double constants. */
static void set_constants(problem_t p, slong i, const arb_t excess, const shuf_pair_weights_struct *w, int is_top)
{
    node *at = p->nodes + i;
    arb_struct *unit = p->unit + i;
    arb_t theta, kappa, t;
    arb_init(theta); arb_init(kappa); arb_init(t);
    arb_div(theta, p->u + i, w->rho, PREC);
    arb_add(unit, w->w0, w->w1, PREC);
    arb_mul(unit, unit, excess, PREC);
    arb_add(unit, unit, p->u + i, PREC);
    arb_div(unit, unit, w->rho_complement, PREC);
    arb_add(unit, unit, theta, PREC);
    arb_mul(kappa, excess, w->w2, PREC);
    arb_mul(kappa, kappa, w->odds, PREC);
    arb_div(t, theta, unit, PREC);
    arb_mul_ui(t, t, p->n, PREC);
    arb_sub_ui(t, t, 1, PREC);
    at->is_top = is_top || arb_is_negative(t);
    if (at->is_top)
        arb_set(unit, theta);
    arb_div(theta, theta, unit, PREC);
    arb_div(kappa, kappa, unit, PREC);
    /* with kappa >= n the gap is negative for every rest >= 1 */
    if (arf_cmp_si(arb_midref(kappa), (slong) (2 * p->n)) > 0)
        arb_set_ui(kappa, 2 * p->n);
    split(&at->theta_high, &at->theta_low, theta);
    split(&at->kappa_high, &at->kappa_low, kappa);
    at->total = at->carry = at->mass = at->slack = at->error = 0;
    arb_div(t, p->u + i, unit, PREC);
    arb_div(t, t, p->unit_mass, PREC);
    at->reach = arf_cmpabs_2exp_si(arb_midref(t), 1000) < 0 ? estimate(t) : 0x1p1000;
    arb_clear(theta); arb_clear(kappa); arb_clear(t);
}

/* Node i: a top node if that is asked for, or if it is one. */
static void node_set(problem_t p, slong i, int is_top)
{
    const shuf_pair_weights_struct *w = p->weights;
    shuf_pair_weights_t fine;
    arb_t excess;
    arb_init(excess);
    shuf_pair_weights_init(fine);
    p->nodes[i].known = set_u(excess, &w, fine, p, i);
    p->nodes[i].is_top = 0;
    if (p->nodes[i].known)
        set_constants(p, i, excess, w, is_top);
    shuf_pair_weights_clear(fine);
    arb_clear(excess);
}

/* ---- one stratum ---- */

/* Units of work: a node set up and read, an outcome of a stratum, a node (and a rest) there, a stratum. Steer only. */
#define NODE_WORK 1600.0
#define OUTCOME_WORK 1.0
#define STEP_WORK 3.0
#define STRATUM_WORK 100.0

/* Pr[b = j], F(j) = Pr[b <= j] and G(j) = E (j - b)_+, first <= j <= last, without the b < first (unnormalised). */
static void cumulate(problem_t p, slong m, slong first, slong last)
{
    const double *f = p->f->at + (first - p->f->first), *g = p->g->at + (m - first - p->g->first);
    double F = 0, G = 0;
    slong i;
    for (i = 0; i <= last - first; i++)
    {
        G += F;
        p->product[i] = f[i] * g[-i];
        F += p->product[i];
        p->F[i] = F;
        p->G[i] = G;
    }
    p->spread = fmax(p->spread, G / F + 1);
}

/* All nodes from `from` on, with the only rest of the stratum. Returns how many had a part in it. */
static slong add_single(problem_t p, slong from, double m, double rest, double weight, slong first, slong last)
{
    slong i;
    for (i = from; i < p->top; i++)
    {
        node *at = p->nodes + i;
        double fraction;
        slong j = locate(&fraction, at, m, rest), above = j;
        if (fraction > 1 - SLACK)
            above++;
        if (above < first)
            return i - from;
        above = FLINT_MIN(above, last);
        if (j > last)
        {
            j = last;
            fraction = 1;
        }
        if (j >= first)
            at->total += weight * (p->G[j - first] + fraction * p->F[j - first]);
        at->mass += weight * p->F[above - first];
    }
    if (first > 0)
        return i - from;
    for (i = FLINT_MAX(from, p->top); i < p->live; i++)
    {
        node *at = p->nodes + i;
        double fraction;
        slong j = locate(&fraction, at, m, rest);
        if (j < 0)
            break;
        at->total += weight * p->F[0] * ((double) j + fraction);
        at->mass += weight * p->F[0];
    }
    return i - from;
}

/* More than a few roundings (Lemma 5). */
#define UP (1 + 0x1p-50)

/* What a mixture over the rest leaves out, as a part of the sum (Lemmas 6 and 7). */
#define SMALL_REST 0x1p-46

/* Of what a gap falls by from the least rest on: above the roundings of that (Lemma 3). */
#define FALL 0x1p-50

/* Outcomes that are added up before they are added to the others (Lemma 7). */
#define BLOCK 64

/* at->total += x, without loss (Knuth's two-sum). */
static inline void add_exactly(node *at, double x)
{
    double sum = at->total + x, back = sum - at->total;
    at->carry += (at->total - (sum - back)) + (x - back);
    at->total = sum;
}

static inline slong floor_of(double x)
{
    slong k = (slong) x;
    return k - (x < (double) k);
}

/* floor(x) cut to 0 .. most; 0 when x is no number. */
static inline slong index_of(double x, slong most)
{
    return x >= (double) most ? most : x > 0 ? (slong) x : 0;
}

/*
 * Adds to a node what the outcomes b = first .. end contribute together with
 * the rests low .. low + most: the sum over the rests is C1 and C0, that over
 * the outcomes for which all rests count is G and F (Lemma 6). The gap is that
 * of the least rest, whole + fraction. Returns how many outcomes were summed.
 */
static slong add_mixed(const problem_t p, node *at, slong whole, double fraction, double slack, slong most, slong first,
                       slong end)
{
    const double kappa = at->kappa_high + at->kappa_low, rate = 1 / kappa, fall = kappa * (double) most;
    const slong beyond = FLINT_MIN(whole + floor_of(fraction + slack), end);
    slong b = FLINT_MIN(whole + floor_of(fraction - fall), end), begin, stop;
    double sum = 0, mass = 0;
    if (b >= first)
    {
        const double F = p->F[b - first], G = p->G[b - first], x = fraction + ((double) (whole - b) - fall);
        sum = kappa * p->C1[most] * F + p->C0[most] * (G + (x > 0 ? x : 0) * F);
        mass = p->C0[most] * F;
    }
    for (b = begin = FLINT_MAX(b + 1, first); b <= beyond; b = stop)
    {
        double part = 0, term = 0;
        slong i = 0;
        for (stop = FLINT_MIN(b + BLOCK, beyond + 1); b < stop; b++)
        {
            const double left = (double) (whole - b), gap = left + fraction, weight = p->product[b - first];
            double x;
            i = index_of(gap * rate, most);
            x = fraction + (left - kappa * (double) i);
            x = x > kappa && i < most ? kappa : x > 0 ? x : 0;
            term = weight * (kappa * p->C1[i] + x * p->C0[i]);
            part += term;
            mass += weight * p->C0[index_of((gap + 2 * slack) * rate, most)];
        }
        sum += part;
        if (b <= beyond && term <= 0.25 * SMALL_REST * sum)
        {
            double ratio = 1.0001 * p->product[b - first] / p->product[b - 1 - first];
            ratio *= d_exp(-0.9999 * rate * p->C0[i] / (p->C1[i] + p->C0[i]));
            if (ratio < 1 && term * ratio <= 0.9 * SMALL_REST * sum * (1 - ratio))
                break;
        }
    }
    add_exactly(at, sum);
    at->mass += mass;
    return FLINT_MAX(b - begin, 0) + 1;
}

/* The same for all nodes from `from` on and the rests low .. high, C0 and C1 being theirs. */
static slong add_mixture(problem_t p, slong from, double m, slong low, slong high, slong first, slong last)
{
    slong i, done, steps = 0;
    for (i = from; i < p->live; i++)
    {
        node *at = p->nodes + i;
        const double all = (at->theta_high + at->theta_low) * m, fall = (at->kappa_high + at->kappa_low) * (double) (high - low);
        const double slack = 2 * SLACK + FALL * fmin(fall, all);
        double fraction;
        const slong whole = locate(&fraction, at, m, (double) low);
        if (fraction < (double) (first - whole) - slack || (i >= p->top && first > 0))
            break;
        at->slack = fmax(at->slack, slack);
        done = add_mixed(p, at, whole, fraction, slack, high - low, first, i < p->top ? last : 0);
        p->window = fmax(p->window, (double) done);
        steps += done;
    }
    return steps;
}

/*
 * C0 and C1, the sums of the weights and of those, for the rests that a
 * stratum of `number` unseen users needs; *sum is their weight. What is left
 * out above is below SMALL_REST of it, *tail bounds what is left out below.
 * Returns 0 if there is none.
 */
static int set_rests(problem_t p, slong *low, slong *high, double *sum, double *tail, slong number)
{
    const table_struct *y = p->y, *z = p->z;
    slong first = FLINT_MAX(y->first, number - z->last), last = FLINT_MIN(y->last, number - z->first), r;
    double above = 0, weight = 0, ratio;
    *tail = 0;
    if (first > last)
        return 0;
    for (r = first; r <= last; r++)
    {
        weight = y->at[r - y->first] * z->at[number - r - z->first];
        if (weight >= 0x1p-980)
            break;
    }
    if (r > last)
        return 0;
    *low = r;
    if (r > 0)
    {
        ratio = (double) r / ((double) (number - r + 1) * p->rest_odds);
        if (!(ratio < 0.999))
            return 0;
        *tail = 1.01 * weight * ratio / (1 - ratio) + 0x1p-1060;
    }
    *sum = p->C0[0] = weight;
    p->C1[0] = 0;
    for (*high = r; *high < number; ++*high)
    {
        ratio = (double) (number - *high) * p->rest_odds / (double) (*high + 1);
        above = ratio < 0.999 ? 1.01 * weight * ratio / (1 - ratio) : HUGE_VAL;
        if (above <= 0.9 * SMALL_REST * *sum)
            break;
        if (*high == last)
            return 0;
        weight = y->at[*high + 1 - y->first] * z->at[number - *high - 1 - z->first];
        p->C1[*high + 1 - *low] = p->C1[*high - *low] + *sum;
        *sum += weight;
        p->C0[*high + 1 - *low] = *sum;
    }
    p->rest_spread = fmax(p->rest_spread, p->C1[*high - *low] / *sum + 1);
    return 1;
}

/* The last outcome that counts for the nodes from `from` on; -1: every gap is negative. */
static slong set_last(const problem_t p, slong from, slong m, slong rest)
{
    double fraction;
    slong last;
    if (from >= p->top)
        return 0;
    last = locate(&fraction, p->nodes + from, (double) m, (double) rest);
    if (last < 0)
        return -1;
    if (fraction > 1 - (p->weights->rest_is_random ? 2 * SLACK + FALL * (double) m : SLACK))
        last++;
    return FLINT_MIN(last, m - 1); /* theta < 1, though it may be rounded to 1 */
}

/* The first outcome that need be looked at: *left_out is above the terms f g before it. Returns 0 if there is none. */
static int set_first(slong *first, double *left_out, const problem_t p, slong m, slong last, double weight, double strata)
{
    const node *end = p->nodes + (p->live - 1);
    /* terms below `least` do not matter even to the smallest value */
    const double least = fmax(0x1p-960, 0x1p-52 * end->total / (end->theta_high * (double) m * sqrt((double) m) * strata * weight));
    double here = table_bound(p->f, last) * table_bound(p->g, m - last), ratio;
    slong good = last, bad;
    *left_out = 0;
    if (here < least || !table_has(p->f, last) || !table_has(p->g, m - last))
    {
        /* the terms grow up to b = last */
        *left_out = (double) (last + 1) * here;
        return 0;
    }
    for (bad = FLINT_MAX(p->f->first, m - p->g->last) - 1; good - bad > 1;)
    {
        slong b = bad + (good - bad) / 2;
        if (p->f->at[b - p->f->first] * p->g->at[m - b - p->g->first] >= least)
            good = b;
        else
            bad = b;
    }
    *first = good;
    here = p->f->at[good - p->f->first] * p->g->at[m - good - p->g->first];
    if (good > 0)
    {
        ratio = 1.0001 * (double) good * p->a_over_b / (double) (m - good + 1);
        *left_out = here * (ratio < 1 ? fmin((double) good, ratio / (1 - ratio)) : (double) good);
    }
    return 1;
}

/* Stratum c, for the nodes from `from` on. Returns 0 if nothing was done: the caller counts it as not walked. */
static int walk_stratum(problem_t p, ulong c, slong from, double strata)
{
    slong m = (slong) c + 1, number = (slong) (p->others - c), low = number, high = number, first, last, steps;
    double weight, tail, left_out;
    int some;

    if (p->weights->rest_is_random)
    {
        if (!set_rests(p, &low, &high, &weight, &tail, number))
            return 0;
        /* no term of f or g is above 4 LIFT */
        p->cut += 17 * (LIFT * LIFT) * tail * (double) m * ((double) m + 1);
    }
    else
    {
        if (!table_has(p->y, number))
            return 0;
        weight = p->y->at[number - p->y->first];
    }
    last = set_last(p, from, m, low);
    if (last < 0)
        return 1; /* every gap is negative */
    some = set_first(&first, &left_out, p, m, last, weight, strata);
    p->cut += 1.01 * weight * (double) m * left_out;
    if (!some)
        return 1;
    cumulate(p, m, first, last);
    if (p->weights->rest_is_random)
    {
        steps = add_mixture(p, from, (double) m, low, high, first, last) + high - low;
    }
    else
    {
        steps = add_single(p, from, (double) m, (double) number, weight, first, last);
    }
    shuf_charge(OUTCOME_WORK * (double) (last - first + 1) + STEP_WORK * (double) steps);
    return 1;
}

/* ---- strata in blocks (Lemma 8) ---- */

/* So many strata have one pass over their outcomes. Steers only, up to 64: roundings are counted for that many. */
#define BLOCK_STRATA 64

/* The variance of C, and the outcomes, from which on there are blocks: with fewer their errors matter. Steer only. */
#define LEAST_VARIANCE 1e4
#define LEAST_OUTCOMES 1000

/* Above what a gap falls by from a stratum to the next, and a unit, either way (Lemma 8). */
#define MOST_FALL 0.99
#define MOST_UNIT 0x1p64

/* Roundings of a term, of its share in a step, and of a stratum's weight and the additions of a block (Lemma 8). */
#define TERM_ROUNDINGS 600
#define WEIGHT_ROUNDINGS 470

/* Above what underflows take from F in a block (Lemma 8). */
#define LOST_TERM 0x1p-1000

typedef struct
{
    slong m, rest, count; /* those of its last stratum, and how many there are: m - k and rest + k, 0 <= k < count */
    slong first, last;    /* outcomes of the last one, and above what those before the first one have */
    double left_out;
    double unit[BLOCK_STRATA]; /* terms are times that in units of the last stratum, */
    double weight[BLOCK_STRATA]; /* and a sum of them counts that */
    double sum, most;     /* of the weights */
} block_struct;

/* Whether all that blocks need is known, and no gap falls by 1 from a stratum to the next. */
static int has_blocks(problem_t p)
{
    const shuf_pair_weights_struct *w = p->weights;
    slong i;
    arb_t x;
    int ok;
    if (w->rest_is_random || (double) p->others * estimate(w->count) * estimate(w->count_complement) < LEAST_VARIANCE)
        return 0;
    arb_init(x);
    arb_mul_ui(x, w->count, p->n, PREC);
    ok = constant(&p->whole, x) && constant(&p->low_share, w->rho_complement) && constant(&p->high_share, w->rho);
    for (i = 0; i < p->top && ok; i++)
        ok = p->nodes[i].theta_high + p->nodes[i].kappa_high < MOST_FALL;
    arb_clear(x);
    return ok;
}

/* Units and weights. Returns 0 where doubles will not do. */
static int set_block(block_struct *b, const problem_t p, slong m, slong rest, slong count)
{
    slong k;
    *b = (block_struct) { .m = m, .rest = rest, .count = count };
    b->unit[0] = 1;
    for (k = 1; k < count; k++)
        b->unit[k] = b->unit[k - 1] * (p->whole / (double) (m - k + 1));
    if (!(b->unit[count - 1] < MOST_UNIT && b->unit[count - 1] > 1 / MOST_UNIT) || !table_has(p->y, rest)
        || !table_has(p->y, rest + count - 1))
        return 0;
    for (k = 0; k < count; k++)
    {
        b->weight[k] = p->y->at[rest + k - p->y->first] / b->unit[k];
        b->sum += b->weight[k];
        b->most = fmax(b->most, b->weight[k]);
    }
    return 1;
}

/* Whether all terms that the nodes need are in the tables. */
static int is_inside(const problem_t p, const block_struct *b)
{
    const slong bottom = b->m - b->count + 1;
    double fraction;
    slong least = 0;
    if (p->top == p->live)
        least = FLINT_MAX(locate(&fraction, p->nodes + (p->live - 1), (double) bottom, (double) (b->rest + b->count - 1)), 0);
    return least >= p->f->first && b->last + 1 <= p->f->last && bottom - b->last - 1 >= p->g->first && b->m - least <= p->g->last;
}

/* What is left of a gap, and what it falls by, in units of 2^-64; above the error of that (Lemma 8). */
#define UNITS 0x1p64
#define GAP_ERROR 0x1p-51

static uint64_t in_units(double x)
{
    return x < 1 ? (uint64_t) (x * UNITS) : UINT64_MAX;
}

/* Adds the strata of a block to a node, from its F and G in the last one. Returns how many there were. */
static slong add_block(problem_t p, node *at, const block_struct *b)
{
    const double *f = p->f->at, *g = p->g->at, low = p->low_share, high = p->high_share;
    const slong f_first = p->f->first, m = b->m - p->g->first;
    const uint64_t fall = in_units(at->theta_high) + in_units(at->theta_low) + in_units(at->kappa_high) + in_units(at->kappa_low);
    double start, F = 0, G = 0, total = 0, mass = 0, all_F = 0, all_G = 0, terms = 0, error_F, error_G;
    slong j = locate(&start, at, (double) b->m, (double) b->rest), k;
    uint64_t rest;
    if (j > b->last)
    {
        j = b->last;
        start = 1;
    }
    if (j < 0)
        return 0;
    if (j >= b->first)
    {
        F = p->F[j - b->first];
        G = p->G[j - b->first];
    }
    error_F = (2 * TABLE_ROUNDINGS + 2 + p->spread) * F;
    error_G = (2 * TABLE_ROUNDINGS + 2 + 2 * p->spread) * G;
    at->error += 1.05 * b->sum * (double) (j + BLOCK_STRATA + 3) * b->left_out;
    for (k = 0, rest = in_units(start);;)
    {
        const double fraction = (double) (int64_t) (rest >> 11) * 0x1p-53;
        double x, less;
        int drop;
        total += b->weight[k] * (G + fraction * F);
        mass += b->weight[k] * F;
        if (fraction > 1 - SLACK)
            mass += b->weight[k] * b->unit[k] * f[j + 1 - f_first] * g[m - k - j - 1];
        all_F += fabs(F);
        all_G += fabs(G);
        if (++k == b->count)
            break;
        x = f[j - f_first] * g[m - k - j] * b->unit[k];
        less = F - high * x; /* that of j - 1 in the next stratum */
        terms += x;
        drop = rest < fall;
        rest -= fall;
        G += (drop ? -high : low) * less;
        F = drop ? less : less + x;
        j -= drop;
        if (j < 0)
        {
            mass += b->weight[k] * x; /* of a gap that is 0 but for its error */
            break;
        }
    }
    error_F += TERM_ROUNDINGS * terms + 2 * all_F + LOST_TERM / ROUNDOFF;
    error_G += BLOCK_STRATA * error_F + 4 * all_F + 3 * terms + all_G;
    at->total += total;
    at->mass += mass + 1.05 * ROUNDOFF * b->sum * error_F;
    at->error += 1.05 * ROUNDOFF * (b->sum * (error_F + error_G) + WEIGHT_ROUNDINGS * b->most * (all_F + all_G)) + 0x1p-1060;
    at->slack = GAP_ERROR;
    return k;
}

/* The same for a top node: b = 0 only, in every stratum. */
static slong add_block_top(const problem_t p, node *at, const block_struct *b)
{
    double total = 0;
    slong k;
    for (k = 0; k < b->count; k++)
    {
        const double weight = p->y->at[b->rest + k - p->y->first] * (p->f->at[0] * p->g->at[b->m - k - p->g->first]);
        double fraction;
        const slong j = locate(&fraction, at, (double) (b->m - k), (double) (b->rest + k));
        if (j < 0)
            break;
        total += weight * ((double) j + fraction);
        at->mass += weight;
    }
    at->total += total;
    at->error += 1.05 * ROUNDOFF * BLOCK_STRATA * total;
    return k;
}

/* The strata c down to c - count + 1, for the nodes from `from` on. Returns 0 if nothing was done. */
static int walk_block(problem_t p, ulong c, slong count, slong from, double strata)
{
    block_struct b;
    slong i, steps = 0;
    if (!set_block(&b, p, (slong) c + 1, (slong) (p->others - c), count))
        return 0;
    b.last = set_last(p, from, b.m, b.rest);
    if (b.last < 0 || !is_inside(p, &b) || !set_first(&b.first, &b.left_out, p, b.m, b.last, b.weight[0], strata)
        || b.last - b.first < LEAST_OUTCOMES)
        return 0;
    cumulate(p, b.m, b.first, b.last);
    for (i = from; i < p->top; i++)
        steps += add_block(p, p->nodes + i, &b);
    for (i = FLINT_MAX(from, p->top); i < p->live; i++)
        steps += add_block_top(p, p->nodes + i, &b);
    shuf_charge(OUTCOME_WORK * (double) (b.last - b.first + 1) + STEP_WORK * (double) steps);
    return 1;
}

/* ---- all strata ---- */

/* sum_{i>=1} mass ratio^i, from above, at most 1. */
static double geometric(double mass, double ratio)
{
    ratio *= 1 + 1e-9;
    return ratio < 1 ? fmin(1, 1.01 * mass * ratio / (1 - ratio)) : 1;
}

/* Where a walk over the strata is: those from low to high are behind it. */
typedef struct
{
    double others, odds, mode, low, high, low_mass, high_mass;
    double skipped; /* probability of those that nothing was done for */
} tour_struct;

static void tour_begin(tour_struct *t, const problem_t p)
{
    const shuf_pair_weights_struct *w = p->weights;
    arb_t x;
    arb_init(x);
    t->others = (double) p->others;
    t->mode = t->low = t->high = fmin(t->others, floor((t->others + 1) * estimate(w->count)));
    shuf_binomial_pmf(x, p->others, (ulong) t->mode, w->count, w->count_complement, 64);
    t->low_mass = t->high_mass = 1.0001 * estimate(x) + 0x1p-1000;
    arb_div(x, w->count, w->count_complement, 64);
    t->odds = arb_is_finite(x) && arf_cmpabs_2exp_si(arb_midref(x), 1000) < 0 ? fmax(estimate(x), 0x1p-1000) : 0x1p1000;
    t->skipped = 0;
    arb_clear(x);
}

/* The probability below and above, from above. */
static double mass_below(const tour_struct *t)
{
    return t->low > 0 ? geometric(t->low_mass, t->low / ((t->others - t->low + 1) * t->odds)) : 0;
}

static double mass_above(const tour_struct *t)
{
    return t->high < t->others ? geometric(t->high_mass, (t->others - t->high) * t->odds / (t->high + 1)) : 0;
}

/* Takes in the next stratum on that side; returns it, and its mass from above. */
static ulong tour_step(double *mass, tour_struct *t, int down)
{
    if (down)
    {
        t->low_mass = t->low_mass * (t->low / ((t->others - t->low + 1) * t->odds)) * UP + 0x1p-1060;
        *mass = t->low_mass;
        return (ulong) --t->low;
    }
    t->high_mass = t->high_mass * ((t->others - t->high) * t->odds / (t->high + 1)) * UP + 0x1p-1060;
    *mass = t->high_mass;
    return (ulong) ++t->high;
}

/* A block on that side if there is one, or a stratum. *wait: so many single ones are next, as there was none. */
static void tour_walk(tour_struct *t, slong *wait, problem_t p, int down, slong from, double strata)
{
    const double left = down ? t->low : t->others - t->high;
    double mass;
    ulong c;
    slong k;
    if (*wait == 0 && left >= BLOCK_STRATA)
    {
        if (walk_block(p, (ulong) (down ? t->low - 1 : t->high + BLOCK_STRATA), BLOCK_STRATA, from, strata))
        {
            for (k = 0; k < BLOCK_STRATA; k++)
                tour_step(&mass, t, down);
            return;
        }
        *wait = BLOCK_STRATA;
    }
    *wait -= *wait > 0;
    c = tour_step(&mass, t, down);
    if (!walk_stratum(p, c, from, strata))
        t->skipped += 1.01 * mass;
}

/*
 * From the mode of C outwards, the likelier side first. A node is done when
 * what is left of the probability does not matter to it (Lemma 5). Returns 0
 * when the time ran out.
 */
static int walk(problem_t p, double limit)
{
    const shuf_pair_weights_struct *w = p->weights;
    const double strata = 1 + 20 * sqrt((double) p->others * estimate(w->count) * estimate(w->count_complement));
    slong from = 0, wait = has_blocks(p) ? 0 : WORD_MAX;
    tour_struct t;
    tour_begin(&t, p);
    if (!walk_stratum(p, (ulong) t.mode, from, strata))
        t.skipped = 1.01 * t.high_mass;
    for (;;)
    {
        const double below = mass_below(&t), above = mass_above(&t), out = below + above + t.skipped;
        const int all = t.low <= 0 && t.high >= t.others;
        p->walked += 1;
        while (from < p->live && (out <= 1e-300 || all || p->nodes[from].reach * out <= SMALL * p->nodes[from].total))
        {
            p->nodes[from].left = out;
            p->nodes[from].terms = p->walked + p->window;
            from++;
        }
        if (from == p->live)
            return 1;
        if (shuf_exhausted(limit))
            return 0;
        shuf_charge(STRATUM_WORK);
        tour_walk(&t, &wait, p, t.high >= t.others || (t.low > 0 && below >= above), from, strata);
    }
}

/* ---- what it proves ---- */

/* [lo, hi] := the ball x, cut to [0, 1]. */
static void set_interval(arf_t lo, arf_t hi, const arb_t x)
{
    arb_get_interval_arf(lo, hi, x, 128);
    shuf_ends_cut(lo, hi);
    if (arf_cmp_si(lo, 1) > 0)
        arf_one(lo);
}

/* lo and hi of node i (Lemma 7). */
static void harvest(arf_t lo, arf_t hi, const problem_t p, slong i)
{
    const node *at = p->nodes + i;
    double relative, error, theta = i < p->top ? 1.01 * at->theta_high : 1.01;
    double gap_error = p->weights->rest_is_random ? at->slack : at->slack + theta * (double) p->n * 0x1p-74;
    double total = at->total + at->carry, additions = at->terms;
    arb_t x, y;
    arf_t t;
    arb_init(x); arb_init(y); arf_init(t);
    if (p->weights->rest_is_random)
        additions = 2 * p->rest_spread + 2 * BLOCK + p->window / BLOCK;
    relative = ROUNDOFF * (4 * TABLE_ROUNDINGS + 2 * p->spread + additions + 20);
    error = 1.05 * (relative * total + gap_error * at->mass + 0x1p-1060 * (at->terms + 1) * (at->terms + 1)) + at->error;

    arb_mul(x, p->unit + i, p->unit_mass, 128);
    arb_mul(x, x, p->weights->scale, 128);
    arf_set_d(t, total - error);
    arb_set_arf(y, t);
    arb_mul(y, y, x, 128);
    arb_get_lbound_arf(lo, y, 64);

    arf_set_d(t, total + error + (p->weights->rest_is_random ? 4 * SMALL_REST * total : 0)
                 + 1.05 * theta * p->cut);
    arb_set_arf(y, t);
    arb_mul(x, y, x, 128);
    arf_set_d(t, at->left);
    arb_mul(y, p->u + i, p->weights->scale, 128);
    arb_get_ubound_arf(hi, y, 64); /* delta <= scale u */
    arb_mul_arf(y, y, t, 128);
    arb_add(x, x, y, 128);
    arb_get_ubound_arf(t, x, 64);
    if (!arf_is_nan(t))
        arf_min(hi, hi, t);
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
    if (!(arf_sgn(lo) > 0))
        arf_zero(lo);
    arf_min(lo, lo, hi);
    arb_clear(x); arb_clear(y); arf_clear(t);
}

/* ---- the entry ---- */

/* About kappa at s, of a mixture (Lemma 1). */
static double estimate_kappa(const problem_t p, double s)
{
    const shuf_pair_weights_struct *w = p->weights;
    const double w0 = estimate(w->w0), w1 = estimate(w->w1), u = fmax(0, (w0 - w1) / d_expm1(s) - w1); /* over e^s - 1 */
    return estimate(w->w2) * estimate(w->odds) * estimate(w->rho_complement) / (w0 + w1 + u / estimate(w->rho));
}

/* About the steps needed: strata times (outcomes + nodes times outcomes near a gap). Sets the range of the tables. */
static double estimate_work(problem_t p, const shuf_pair_t pair, const arf_t s, double points)
{
    const shuf_pair_weights_struct *w = p->weights;
    double others = (double) p->others, count = estimate(w->count), rest = estimate(w->count_complement);
    const double point = arf_get_d(s, ARF_RND_DOWN);
    double nats = -shuf_hockey_log_estimate(pair, p->direction, point), radius, strata, outcomes, rests = 0, each = 1;
    nats = nats < 670 ? fmax(nats, 0) : 670;
    p->range = others < MANY_OTHERS ? RANGE : fmin(RANGE, NEAR_RANGE + FAR_RANGE / d_log(2.0) * nats);
    nats += 30;
    radius = sqrt(2 * nats);
    strata = fmin(others, 1.3 * radius * sqrt(others * count * rest) + nats) + 1;
    outcomes = fmin(others * count, 0.7 * radius * sqrt(others * count / 4) + nats) + 1;
    if (w->rest_is_random)
    {
        rests = fmin(others, 12 * sqrt(others * rest * estimate(w->rest) * estimate(w->rest_complement)) + 20);
        each = 2 + estimate_kappa(p, point) * rests;
    }
    return strata * (outcomes + rests + points * each) + 50 * points;
}

/* The table of lambda = n share part, 0 where that is so exactly. */
static int set_table(table_t t, const problem_t p, const arb_t share, const arb_t part, slong least)
{
    arb_t x;
    int ok;
    arb_init(x);
    arb_mul(x, share, part, PREC);
    arb_mul_ui(x, x, p->n, PREC);
    ok = table_set(t, x, least, (slong) p->n, p->range);
    arb_clear(x);
    return ok;
}

/* Tables and constants that do not depend on the node. */
static int problem_set(problem_t p)
{
    const shuf_pair_weights_struct *w = p->weights;
    arb_t one, x;
    slong outcomes;
    int ok;
    arb_init(one);
    arb_init(x);
    arb_one(one);
    /* gap < m, so that a >= 1 always */
    ok = set_table(p->f, p, w->count, w->rho_complement, 0);
    ok &= set_table(p->g, p, w->count, w->rho, 1);
    ok &= set_table(p->y, p, w->count_complement, w->rest_is_random ? w->rest : one, 0);
    arb_mul(x, w->count_complement, w->rest_complement, PREC);
    if (!w->rest_is_random)
        arb_zero(x);
    ok &= set_table(p->z, p, x, one, 0);
    if (ok)
    {
        outcomes = p->f->last - p->f->first + 1;
        p->F = memory_claim((size_t) outcomes * sizeof(double));
        p->G = memory_claim((size_t) outcomes * sizeof(double));
        p->product = memory_claim((size_t) outcomes * sizeof(double));
        p->C0 = memory_claim((size_t) (p->y->last - p->y->first + 1) * sizeof(double));
        p->C1 = memory_claim((size_t) (p->y->last - p->y->first + 1) * sizeof(double));
        ok = p->F != NULL && p->G != NULL && p->product != NULL && p->C0 != NULL && p->C1 != NULL;
    }
    arb_div(x, w->rho, w->rho_complement, PREC);
    p->a_over_b = arf_cmpabs_2exp_si(arb_midref(x), 1000) < 0 ? estimate(x) : HUGE_VAL;
    if (w->rest_is_random)
    {
        arb_div(x, w->rest, w->rest_complement, PREC);
        p->rest_odds = arb_is_finite(x) ? estimate(x) : HUGE_VAL;
    }
    /* others!/(count n^n) and the exponents of the tables */
    arb_set_ui(x, p->n);
    arb_hypgeom_lgamma(one, x, PREC);
    arb_log(x, x, PREC);
    arb_mul_ui(x, x, p->n, PREC);
    arb_sub(x, one, x, PREC);
    arb_exp(x, x, PREC);
    arb_div(x, x, w->count, PREC);
    if (ok)
        arb_mul_2exp_si(p->unit_mass, x, p->f->exponent + p->g->exponent + p->y->exponent + p->z->exponent);
    arb_clear(one);
    arb_clear(x);
    return ok;
}

/* How many of the nodes lie below the largest loss: exactly, beyond them the value is 0. */
static slong count_below_loss(const shuf_pair_t pair, arf_srcptr s, slong count)
{
    shuf_real_t loss;
    slong below = -1, beyond = count;
    shuf_real_init(loss);
    if (shuf_pair_max_loss(loss, pair))
    {
        while (beyond - below > 1)
        {
            slong i = below + (beyond - below) / 2;
            if (shuf_real_cmp_arf(loss, s + i) > 0)
                below = i;
            else
                beyond = i;
        }
    }
    shuf_real_clear(loss);
    return beyond;
}

/* Nodes that are set up and read together. Steers only. */
#define CHUNK 256

typedef struct
{
    problem_struct *p;
    arf_ptr lo, hi;
    slong count;
} nodes_struct;

static void set_chunk(void *args, slong chunk)
{
    const nodes_struct *x = args;
    slong i;
    shuf_charge(NODE_WORK * (double) FLINT_MIN(CHUNK, x->count - chunk * CHUNK));
    for (i = chunk * CHUNK; i < FLINT_MIN(x->count, (chunk + 1) * CHUNK) && !shuf_exhausted(0); i++)
        node_set(x->p, i, 0);
}

static void harvest_chunk(void *args, slong chunk)
{
    const nodes_struct *x = args;
    slong i;
    for (i = chunk * CHUNK; i < FLINT_MIN(x->count, (chunk + 1) * CHUNK); i++)
        harvest(x->lo + i, x->hi + i, x->p, i);
}

/* All nodes below the largest loss. Returns 0 when there is no budget for it. */
static int set_nodes(problem_t p, slong count, double limit)
{
    nodes_struct x = { p, NULL, NULL, count };
    slong i;
    if (limit > 0 && shuf_work() + NODE_WORK * (double) count > limit)
        return 0;
    parallel_do(set_chunk, &x, (count + CHUNK - 1) / CHUNK);
    if (shuf_exhausted(limit))
        return 0;
    for (p->live = 0; p->live < count && p->nodes[p->live].known; p->live++)
        ;
    for (p->top = 0; p->top < p->live && !p->nodes[p->top].is_top; p->top++)
        ;
    /* theta falls, so that they are all known to be top nodes but for rounding */
    for (i = p->top; i < p->live; i++)
        if (!p->nodes[i].is_top)
            node_set(p, i, 1);
    return 1;
}

int hockey_nodes(arf_ptr lo, arf_ptr hi, const shuf_pair_t pair, shuf_direction direction, arf_srcptr s, slong count,
              double work, double limit)
{
    problem_t p;
    slong below_loss = count_below_loss(pair, s, count), i;
    int ok, trivial;
    arb_t x;
    arb_init(x);
    shuf_pair_weights_init(p->weights);
    shuf_pair_get_weights(p->weights, pair, direction, PREC);
    p->pair = pair;
    p->direction = direction;
    p->s = s;
    p->n = pair->n;
    p->others = p->n - 1;
    p->f->at = p->g->at = p->y->at = p->z->at = p->F = p->G = p->product = p->C0 = p->C1 = NULL;
    p->cut = p->spread = p->rest_spread = p->walked = p->window = p->rest_odds = 0;
    arb_init(p->unit_mass);
    p->nodes = memory_claim((size_t) (below_loss + 1) * sizeof(node));
    p->u = _arb_vec_init(below_loss);
    p->unit = _arb_vec_init(below_loss);
    p->live = p->top = below_loss;

    /* nobody else is seen: V(0, 0) = u */
    trivial = p->others == 0 || arb_is_zero(p->weights->count);
    ok = p->nodes != NULL && p->n <= MAX_USERS;
    if (ok && below_loss > 0 && !trivial)
        ok = estimate_work(p, pair, s + (below_loss - 1), (double) below_loss) <= work && problem_set(p);
    ok = ok && set_nodes(p, below_loss, limit);
    if (ok && !trivial && p->live > 0)
        ok = walk(p, limit);

    if (ok && !trivial)
    {
        nodes_struct live = { p, lo, hi, p->live };
        parallel_do(harvest_chunk, &live, (p->live + CHUNK - 1) / CHUNK);
    }
    for (i = trivial ? 0 : p->live; ok && i < count; i++)
    {
        if (i >= below_loss)
        {
            arf_zero(lo + i);
            arf_zero(hi + i);
        }
        else
        {
            /* at most scale u; exactly that when trivial */
            arb_mul(x, p->u + i, p->weights->scale, PREC);
            set_interval(lo + i, hi + i, x);
            if (!trivial)
                arf_zero(lo + i);
        }
    }

    _arb_vec_clear(p->u, below_loss);
    _arb_vec_clear(p->unit, below_loss);
    free(p->nodes);
    table_clear(p->f);
    table_clear(p->g);
    table_clear(p->y);
    table_clear(p->z);
    free(p->F);
    free(p->G);
    free(p->product);
    free(p->C0);
    free(p->C1);
    arb_clear(p->unit_mass); shuf_pair_weights_clear(p->weights); arb_clear(x);
    return ok;
}
