/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/many-users.md. */
#include "law/pair_loss.h"

#include <math.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* Steer only. */
#define LEAST_DEVIATIONS 12.0 /* of a count, on either side, that are looked at: more where tilted masses or a small delta need it */
#define TILTED 9.0       /* deviations of the sum of all losses */
#define MOST_ATOMS 240000
#define HEIGHTS 40       /* that are tried, */
#define HEIGHT_STEP 0.5  /* in deviations */
#define MOST_NODES 1000  /* of a count */
#define ATOM_WORK 3000.0
#define ESTIMATE_WORK 20.0

/*
 * How many nodes there are: the logarithm of what tilted masses at the ends may be, of what the transform of all rounds may be at the frequencies for which the step is
 * made, and of what the sum may be off by there; whether tilted masses matter only as far as a divergence of e^log_least needs them. The first that do not ask for too
 * many are taken. These steer only.
 */
typedef struct
{
    double margin, fallen, least_log;
    int is_thrifty;
} effort_struct;

static const effort_struct efforts[] = { { 60, 60, -45, 0 }, { 60, 40, -36, 0 }, { 45, 34, -30, 1 } };

#define EFFORTS ((int) (sizeof(efforts) / sizeof(efforts[0])))

/* Bounds in doubles are multiplied by this; logarithms and differences are off by at most so much, absolutely or of their terms (Lemma 6). */
#define SLACK 1.01
#define LOG_SLACK 1e-6
#define TERM_SLACK 1e-12
#define USERS_SLACK 1e-14 /* of n, in n times a divergence: */
#define MOST_USERS UINT64_C(100000000000000) /* Lemma 6 */

/* Of the others; and those that are summed over: proofs/many-users.md, Lemma 3. */
#define OUTCOMES 4
#define MOST_COUNTS (OUTCOMES - 1)

/* One of the counts that are summed over; what it gains the rest loses. */
typedef struct
{
    int index;              /* of the outcome */
    double low, high;       /* its ends, halves of odd integers */
    double step, first;     /* whole numbers: the nodes are first + j step */
    slong nodes;
    double height;          /* y of Lemma 1 */
    double curve, bend;     /* A = curve + (1 + theta) bend */
    double most, least;     /* Cmax and Cmin */
    double slope, slope_up, slope_down; /* g = slope + (1 + theta) slope_up + theta slope_down */
    double log_tails;       /* of the masses of its two outermost values */
} count_struct;

typedef struct
{
    shuf_loss_filter filter;
    count_struct count[MOST_COUNTS];
    int counts;      /* one less than the outcomes that the others may have */
    int falls_in;    /* the count of Lemma 4 */
    double log_top, top; /* of U/n, and the largest loss: lambda = e^(log_top + theta top) */
    double dropped;      /* the masses of nodes that were left out */
    double warning[MOST_COUNTS], log_warning[MOST_COUNTS];
    slong atoms;
    double *value, *log_mass; /* of the nodes */
} pair_loss;

/* ---- the pair ---- */

typedef struct
{
    double n;
    arb_t r[OUTCOMES], u[OUTCOMES], v[OUTCOMES]; /* of a, b, what is left of those that are counted, and all others */
} outcomes_struct;

static void outcomes_init(outcomes_struct *x)
{
    int i;
    for (i = 0; i < OUTCOMES; i++)
    {
        arb_init(x->r[i]);
        arb_init(x->u[i]);
        arb_init(x->v[i]);
    }
}

static void outcomes_clear(outcomes_struct *x)
{
    int i;
    for (i = 0; i < OUTCOMES; i++)
    {
        arb_clear(x->r[i]);
        arb_clear(x->u[i]);
        arb_clear(x->v[i]);
    }
}

/* Of P and gamma Q + (1 - gamma) P, gamma = 1 if it is NULL. Returns 0 if a probability is 0 that may not be. */
static int outcomes_set(outcomes_struct *x, const shuf_pair_struct *pair, const fmpq *gamma, shuf_direction direction, slong prec)
{
    shuf_pair_weights_t w;
    arb_t t;
    int i, known;
    arb_init(t);
    shuf_pair_weights_init(w);
    shuf_pair_get_weights(w, pair, SHUF_DIRECTION_PQ, prec);
    known = arb_is_one(w->scale) && (gamma == NULL || !w->rest_is_random);
    x->n = (double) pair->n;
    arb_mul(x->r[0], w->count, w->rho, prec);
    arb_mul(x->r[1], w->count, w->rho_complement, prec);
    arb_set(x->r[2], w->count_complement);
    if (w->rest_is_random)
    {
        arb_mul(x->r[2], w->count_complement, w->rest, prec);
        arb_mul(x->r[3], w->count_complement, w->rest_complement, prec);
    }
    for (i = 0; i < OUTCOMES; i++)
    {
        /* nobody is there, or the differing user is not */
        if ((i == 2 && arb_is_zero(x->r[2]) && arb_is_zero(w->w2)) || i == 3)
            continue;
        known = known && arb_is_positive(x->r[i]);
        arb_div(x->u[i], i == 0 ? w->w0 : i == 1 ? w->w1 : w->w2, x->r[i], prec);
        arb_div(x->v[i], i == 0 ? w->w1 : i == 1 ? w->w0 : w->w2, x->r[i], prec);
        if (gamma != NULL)
        {
            arb_sub(t, x->v[i], x->u[i], prec);
            shuf_ball_mul_fmpq(t, t, gamma, prec);
            arb_add(x->v[i], x->u[i], t, prec);
        }
        if (direction == SHUF_DIRECTION_QP)
            arb_swap(x->u[i], x->v[i]);
    }
    arb_clear(t);
    shuf_pair_weights_clear(w);
    return known;
}

int pair_loss_exists(double *strength, const shuf_pair_struct *pair)
{
    outcomes_struct x;
    int known = shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY) && shuf_pair_has_engine(pair, SHUF_ENGINE_PLD) && pair->n <= MOST_USERS;
    outcomes_init(&x);
    *strength = 0;
    if (known)
    {
        known = outcomes_set(&x, pair, NULL, SHUF_DIRECTION_PQ, 64);
        *strength = x.n * fmin(steer_midpoint(x.r[0]), steer_midpoint(x.r[1]));
    }
    outcomes_clear(&x);
    return known;
}

/* ---- which nodes ---- */

/* The linear form with these coefficients at a corner of the rectangle; *moduli becomes the sum of the moduli of its terms. */
static double at_corner(double *moduli, const pair_loss *l, const double c[OUTCOMES], double n, int rest, int corner)
{
    double left = n, sum = 0;
    int i;
    *moduli = 0;
    for (i = 0; i < l->counts; i++)
    {
        const double x = corner >> i & 1 ? l->count[i].high : l->count[i].low;
        sum += c[l->count[i].index] * x;
        *moduli += fabs(c[l->count[i].index] * x);
        left -= x;
    }
    *moduli += fabs(c[rest] * left);
    return sum + c[rest] * left;
}

/* Its largest and least value there, and the largest sum of moduli. */
static void range(double end[3], const pair_loss *l, const double c[OUTCOMES], double n, int rest)
{
    int corner;
    end[0] = -HUGE_VAL;
    end[1] = HUGE_VAL;
    end[2] = 0;
    for (corner = 0; corner < 1 << l->counts; corner++)
    {
        double moduli;
        const double value = at_corner(&moduli, l, c, n, rest, corner);
        end[0] = fmax(end[0], value);
        end[1] = fmin(end[1], value);
        end[2] = fmax(end[2], moduli);
    }
}

/* The largest log(U/V), which is at a corner, too. */
static double largest_loss(const pair_loss *l, const double u[OUTCOMES], const double v[OUTCOMES], double n, int rest)
{
    double most = -HUGE_VAL, moduli;
    int corner;
    for (corner = 0; corner < 1 << l->counts; corner++)
        most = fmax(most, d_log(at_corner(&moduli, l, u, n, rest, corner) / at_corner(&moduli, l, v, n, rest, corner)));
    return most;
}

/* n times the divergence of Bernoulli laws, from below */
static double divergence(double n, double x, double r)
{
    const double p = x / n;
    double d = p > 0 ? p * d_log(p / r) : 0;
    if (p < 1)
        d += (1 - p) * (d_log(1 - p) - d_log1p(-r));
    return n * d - n * USERS_SLACK;
}

/* The most likely outcome, which is returned, is not summed over. */
static int set_ends(pair_loss *l, const double r[OUTCOMES], double n, const shuf_loss_t loss, const effort_struct *e)
{
    double tilt, deviations;
    int rest = 0, i;
    l->counts = 0;
    for (i = 0; i < OUTCOMES; i++)
    {
        l->counts += r[i] > 0;
        if (r[i] > r[rest])
            rest = i;
    }
    l->counts--;
    /* e^{theta L - x^2/2} is small at the corners */
    tilt = (e->is_thrifty ? fmin(TILTED, sqrt(-2 * loss->log_least)) : TILTED) * sqrt(l->counts / fmax(loss->rounds, 1));
    deviations = fmax(fmax(LEAST_DEVIATIONS, tilt + sqrt(tilt * tilt + 2 * e->margin)), sqrt(2 * (e->margin - loss->log_least)));
    l->counts = 0;
    for (i = 0; i < OUTCOMES; i++)
        if (i != rest && r[i] > 0)
        {
            count_struct *c = &l->count[l->counts++];
            const double half = ceil(deviations * sqrt(n * r[i] * (1 - r[i])));
            c->index = i;
            c->low = floor(n * r[i]) - half - 0.5;
            c->high = floor(n * r[i]) + half + 0.5;
        }
    return rest;
}

/* The facts about a count that do not depend on its nodes, on the rectangle as it is. Returns 0 where the lemmas do not reach. */
static int set_count(count_struct *c, pair_loss *l, const outcomes_struct *x, const double r[OUTCOMES], int rest)
{
    const int d = c->index;
    double u[OUTCOMES], v[OUTCOMES], k[OUTCOMES], U[3], V[3], K[3], turn[2], low = x->n, high = x->n, top = 0;
    arb_t s, t;
    int i;
    for (i = 0; i < l->counts; i++)
    {
        low -= l->count[i].high;
        high -= l->count[i].low;
    }
    arb_init(s);
    arb_init(t);
    for (i = 0; i < OUTCOMES; i++)
    {
        u[i] = steer_midpoint(x->u[i]);
        v[i] = steer_midpoint(x->v[i]);
        /* (u_d - u_rest) v_i - (v_d - v_rest) u_i */
        arb_sub(s, x->u[d], x->u[rest], 128);
        arb_mul(s, s, x->v[i], 128);
        arb_sub(t, x->v[d], x->v[rest], 128);
        arb_submul(s, t, x->u[i], 128);
        k[i] = steer_midpoint(s);
        top = fmax(top, u[i]);
    }
    arb_clear(s);
    arb_clear(t);
    range(U, l, u, x->n, rest);
    range(V, l, v, x->n, rest);
    range(K, l, k, x->n, rest);
    if (!(c->low > 1 && low > 1 && U[1] > 0 && V[1] > 0))
        return 0;
    turn[0] = fabs(u[d] - u[rest]) / U[1];
    turn[1] = fabs(v[d] - v[rest]) / V[1];
    c->curve = SLACK * 0.5 * (1 / c->low + 1 / low);
    c->bend = SLACK * 0.5 * turn[0] * turn[0];
    c->most = SLACK * (fmax(fabs(K[0]), fabs(K[1])) + TERM_SLACK * K[2]) / (U[1] * V[1]);
    c->least = K[0] > 0 && K[1] < 0 ? 0 : fmax(fmin(fabs(K[0]), fabs(K[1])) - TERM_SLACK * K[2], 0) / (U[0] * V[0]) / SLACK;
    c->slope = SLACK * (fmax(fabs(d_log(r[d] / r[rest] * low / c->high)), fabs(d_log(r[d] / r[rest] * high / c->low))) + 1 / c->low + 1 / low + TERM_SLACK);
    c->slope_up = SLACK * turn[0];
    c->slope_down = SLACK * turn[1];
    c->log_tails = d_log(d_exp(-divergence(x->n, c->low + 0.5, r[d])) + d_exp(-divergence(x->n, c->high - 0.5, r[d])) + SMALLEST) + LOG_SLACK;
    l->log_top = d_log(top) + LOG_SLACK;
    l->top = largest_loss(l, u, v, x->n, rest) + TERM_SLACK;
    return 1;
}

/* What is left of Cmin at the height (Lemma 4) */
static double flatness(const count_struct *c)
{
    const double p = c->height * fmax(c->slope_up, c->slope_down);
    return 1 / (1 + p * p);
}

/* The largest step, an odd multiple of `unit`, that is good up to the reach, and the height for it. */
static void set_step(count_struct *c, double reach, double unit, const effort_struct *e)
{
    const double deviation = sqrt(0.5 / c->curve);
    double best = 0;
    int i;
    for (i = 1; i <= HEIGHTS; i++)
    {
        const double y = i * HEIGHT_STEP * deviation, step = 2 * DOUBLE_PI * y / (c->curve * y * y + reach * c->most * y - e->least_log);
        if (step > best)
        {
            best = step;
            c->height = y;
        }
    }
    best = floor(best / unit);
    best -= fmod(best, 2) == 0;
    c->step = unit * fmax(best, 1);
}

/* Stretches the ends so that whole steps are between them. */
static void set_nodes(count_struct *c)
{
    const double all = c->high - c->low;
    c->nodes = (slong) ceil(all / c->step);
    c->high = c->low + (double) c->nodes * c->step;
    c->first = c->low + c->step / 2;
}

/* Whether the loss turns more with the first of these counts. */
static int turns_more(const count_struct *x, const count_struct *y)
{
    return x->least * x->least / x->curve > y->least * y->least / y->curve;
}

/* Ends, nodes and the facts of all counts; *rest is the outcome that is not summed over. 0 or 1. */
static int place(pair_loss *l, int *rest, const outcomes_struct *x, const shuf_loss_t loss, const effort_struct *e)
{
    double r[OUTCOMES], reach, unit = HUGE_VAL;
    int i, known = 1;
    for (i = 0; i < OUTCOMES; i++)
        r[i] = steer_midpoint(x->r[i]);
    *rest = set_ends(l, r, x->n, loss, e);
    for (i = 0; i < l->counts && known; i++)
        known = set_count(&l->count[i], l, x, r, *rest);
    if (!known || l->counts == 0)
        return 0;
    for (i = 1, l->falls_in = 0; i < l->counts; i++)
        if (turns_more(&l->count[i], &l->count[l->falls_in]))
            l->falls_in = i;
    /* at the best height y = t Cmin/(2 A) the fall is e^{-t^2 Cmin^2/(4 A)} */
    reach = 2 * sqrt(l->count[l->falls_in].curve * e->fallen / fmax(loss->rounds, 1)) / l->count[l->falls_in].least;
    if (!isfinite(reach))
        return 0;
    for (i = 0; i < l->counts; i++)
    {
        set_step(&l->count[i], reach, 1, e);
        unit = fmin(unit, l->count[i].step);
    }
    /* multiples of one step, so that the rest has few values */
    for (i = 0; i < l->counts; i++)
    {
        set_step(&l->count[i], reach, unit, e);
        set_nodes(&l->count[i]);
    }
    for (i = 0; i < l->counts && known; i++)
        known = l->count[i].nodes <= MOST_NODES && set_count(&l->count[i], l, x, r, *rest);
    return known;
}

/* ---- the nodes' masses and losses ---- */

/* table[j] := j' log r - log (j')!, j' = first + j step */
static arb_ptr log_terms(const arb_t r, double first, double step, slong count, slong prec)
{
    arb_ptr table = _arb_vec_init(count);
    arb_t x, log_r, t;
    slong j;
    arb_init(x); arb_init(log_r); arb_init(t);
    arb_log(log_r, r, prec);
    for (j = 0; j < count; j++)
    {
        arb_set_d(x, first + (double) j * step);
        arb_mul(t, x, log_r, prec);
        arb_add_ui(x, x, 1, prec);
        arb_lgamma(x, x, prec);
        arb_sub(table + j, t, x, prec);
    }
    shuf_charge(ATOM_WORK * (double) count);
    arb_clear(x); arb_clear(log_r); arb_clear(t);
    return table;
}

/* What the nodes of all counts are made of. */
typedef struct
{
    slong count[MOST_COUNTS + 1], multiple[MOST_COUNTS]; /* nodes of each, and of the rest; steps over the least */
    arb_ptr log_term[MOST_COUNTS + 1];
    arb_t whole; /* log of n!, the steps and 1/n */
    /* In doubles, less the terms in the middle; and what a sum of them is off by. */
    double *log_about[MOST_COUNTS + 1], whole_about, error;
} nodes_struct;

static void nodes_init(nodes_struct *y, const pair_loss *l, const outcomes_struct *x, int rest, slong prec)
{
    const int last = l->counts;
    double unit = HUGE_VAL, least = x->n;
    slong values = 1, j;
    arb_t t, middle;
    int i;
    arb_init(t);
    arb_init(middle);
    arb_init(y->whole);
    y->error = LOG_SLACK;
    arb_set_d(y->whole, x->n + 1);
    arb_lgamma(y->whole, y->whole, prec);
    arb_set_d(t, x->n);
    arb_log(t, t, prec);
    arb_sub(y->whole, y->whole, t, prec);
    for (i = 0; i < last; i++)
        unit = fmin(unit, l->count[i].step);
    for (i = 0; i < last; i++)
    {
        const count_struct *c = &l->count[i];
        arb_set_d(t, c->step);
        arb_log(t, t, prec);
        arb_add(y->whole, y->whole, t, prec);
        y->count[i] = c->nodes;
        y->multiple[i] = (slong) (c->step / unit);
        values += y->multiple[i] * (c->nodes - 1);
        least -= c->first + (double) (c->nodes - 1) * c->step;
        y->log_term[i] = log_terms(x->r[c->index], c->first, c->step, c->nodes, prec);
    }
    y->count[last] = values;
    y->log_term[last] = log_terms(x->r[rest], least, unit, values, prec);
    arb_set(middle, y->whole);
    for (i = 0; i <= last; i++)
    {
        double most = 0;
        y->log_about[i] = flint_malloc((size_t) y->count[i] * sizeof(double));
        for (j = 0; j < y->count[i]; j++)
        {
            arb_sub(t, y->log_term[i] + j, y->log_term[i] + y->count[i] / 2, prec);
            y->log_about[i][j] = steer_midpoint(t);
            most = fmax(most, fabs(y->log_about[i][j]));
        }
        arb_add(middle, middle, y->log_term[i] + y->count[i] / 2, prec);
        y->error += TERM_SLACK * most;
    }
    y->whole_about = steer_midpoint(middle);
    y->error += TERM_SLACK * fabs(y->whole_about);
    arb_clear(t);
    arb_clear(middle);
}

static void nodes_clear(nodes_struct *y, int last)
{
    int i;
    for (i = 0; i <= last; i++)
    {
        _arb_vec_clear(y->log_term[i], y->count[i]);
        flint_free(y->log_about[i]);
    }
    arb_clear(y->whole);
}

/* The places of the next node in at[], or 0 after the last one. */
static int next_node(slong at[MOST_COUNTS + 1], const nodes_struct *y, int last)
{
    int i = 0;
    while (i < last && ++at[i] == y->count[i])
        at[i++] = 0;
    if (i == last)
        return 0;
    for (i = 0, at[last] = y->count[last] - 1; i < last; i++)
        at[last] -= y->multiple[i] * at[i];
    return 1;
}

/* log of the mass under R, times the steps over n: about */
static double about(const slong at[MOST_COUNTS + 1], const nodes_struct *y, int last)
{
    double sum = y->whole_about;
    int i;
    for (i = 0; i <= last; i++)
        sum += y->log_about[i][at[i]];
    return sum;
}

static void set_atom(arb_t value, arb_t mass, const slong at[MOST_COUNTS + 1], const nodes_struct *y, const pair_loss *l, const outcomes_struct *x, int rest, slong prec)
{
    const int last = l->counts;
    double left = x->n;
    arb_t U, V, t;
    int i;
    arb_init(U); arb_init(V); arb_init(t);
    arb_set(mass, y->whole);
    for (i = 0; i <= last; i++)
    {
        const double number = i < last ? l->count[i].first + (double) at[i] * l->count[i].step : left;
        const int index = i < last ? l->count[i].index : rest;
        arb_set_d(t, number);
        arb_addmul(U, x->u[index], t, prec);
        arb_addmul(V, x->v[index], t, prec);
        arb_add(mass, mass, y->log_term[i] + at[i], prec);
        left -= number;
    }
    arb_exp(mass, mass, prec);
    arb_mul(mass, mass, U, prec);
    arb_div(value, U, V, prec);
    arb_log(value, value, prec);
    arb_clear(U); arb_clear(V); arb_clear(t);
}

/* Those that are not next to nothing, and what the others are together. Returns 0 if there are too many. */
static int set_atoms(shuf_loss_t loss, pair_loss *l, const outcomes_struct *x, int rest, slong prec)
{
    const int last = l->counts;
    double least = HUGE_VAL, beyond;
    slong at[MOST_COUNTS + 1] = { 0 }, kept = 0, all = 0;
    nodes_struct y;
    int i;
    nodes_init(&y, l, x, rest, prec);
    for (i = 0; i < last; i++)
        least = fmin(least, l->count[i].log_tails);
    /* U <= n e^log_top */
    beyond = least - d_log(x->n) - l->log_top;
    at[last] = y.count[last] - 1;
    do
    {
        kept += about(at, &y, last) >= beyond;
        all++;
    }
    while (next_node(at, &y, last));
    shuf_charge(ESTIMATE_WORK * (double) all);
    if (kept <= MOST_ATOMS)
    {
        l->dropped = SLACK * (double) (all - kept) * d_exp(least + y.error);
        shuf_loss_set_count(loss, kept);
        at[last] = y.count[last] - 1;
        kept = 0;
        do
            if (about(at, &y, last) >= beyond)
            {
                set_atom(loss->value + kept, loss->mass + kept, at, &y, l, x, rest, prec);
                kept++;
            }
        while (next_node(at, &y, last));
        shuf_charge(ATOM_WORK * (double) kept);
    }
    nodes_clear(&y, last);
    return kept <= MOST_ATOMS;
}

/* ---- the filter ---- */

static void factor_one(acb_t factor, const shuf_loss_filter *self, const acb_t s, slong prec)
{
    (void) self;
    (void) s;
    (void) prec;
    acb_one(factor);
}

/* The sum of the tilted masses. */
static double tilted_sum(const pair_loss *l, double theta)
{
    double sum = 0;
    slong j;
    for (j = 0; j < l->atoms; j++)
        sum += d_exp(l->log_mass[j] + theta * l->value[j]);
    shuf_charge(ESTIMATE_WORK * (double) l->atoms);
    return sum;
}

static double curvature(const count_struct *c, double theta)
{
    return c->curve + (1 + theta) * c->bend;
}

static double slope(const count_struct *c, double theta)
{
    return c->slope + (1 + theta) * c->slope_up + theta * c->slope_down;
}

#define MOST_SHARE 1e-3 /* Lemma 3 */

/* What Lemma 3 leaves out: as parts of the sum, and what the ends and nodes that were left out may add. Returns 0 where it does not hold. */
static int sum_errors(double *share, double *ends, const pair_loss *l, double theta, double reach)
{
    double before = SLACK; /* the product of 2 + 8 y e^g */
    int i;
    *share = 0;
    *ends = l->dropped * d_exp(theta * l->top) * SLACK;
    for (i = 0; i < l->counts; i++)
    {
        const count_struct *c = &l->count[i];
        const double A = curvature(c, theta), g = slope(c, theta), y = c->height, turns = 2 * DOUBLE_PI * y / c->step;
        const double rise = (A * y + reach * c->most) * y;
        if (c->step == 1)
            continue;
        if (!(rise * SLACK <= turns && y >= 1))
            return 0;
        *share += SLACK * 8 * d_exp(rise + g / 2 - turns + LOG_SLACK * (rise + turns));
        *ends += before * 4 * y * d_exp(g / 2 + l->log_top + theta * l->top + c->log_tails);
        before *= 2 + 8 * y * d_exp(g);
    }
    return *share <= MOST_SHARE && *ends < LARGEST;
}

static double log_error(const shuf_loss_filter *self, double theta, double reach)
{
    const pair_loss *l = self->data;
    double share, ends;
    if (!sum_errors(&share, &ends, l, theta, reach))
        return HUGE_VAL;
    return d_log(SLACK * (SLACK * SLACK * (tilted_sum(l, theta) + 2 * ends) * share + ends) + SMALLEST) - d_log(theta) - d_log1p(theta) + LOG_SLACK;
}

/* Lemma 4. */
static double log_fall(const shuf_loss_filter *self, double theta, double t)
{
    const pair_loss *l = self->data;
    const count_struct *c = &l->count[l->falls_in];
    const double A = curvature(c, theta), g = slope(c, theta) / 2, least = c->least * flatness(c), y = fmin(c->height, t * least / (2 * A));
    double share, ends, rho, sum;
    if (!(y >= 1) || !(t <= self->far) || !(A * y + self->far * c->most <= 2 * DOUBLE_PI) || !sum_errors(&share, &ends, l, theta, 0))
        return 0;
    sum = tilted_sum(l, theta);
    if (!(sum < LARGEST && ends <= MOST_SHARE * sum))
        return 0;
    rho = d_exp(g + (A * y - t * least) * y) + d_exp(g + (A * y - 2 * DOUBLE_PI + self->far * c->most) * y);
    rho += 4 * y * d_exp(A * y * y + g + l->log_top + theta * l->top + c->log_tails) / (0.9 * sum);
    return fmin(d_log(rho * SLACK) + LOG_SLACK, 0);
}

/* What is left of 2 pi for Lemma 4: steers only. */
#define FAR_LOG 60.0

static void set_filter(pair_loss *l, const shuf_loss_t loss)
{
    const count_struct *c = &l->count[l->falls_in];
    slong j;
    int i;
    l->filter = (shuf_loss_filter) { .factor = factor_one, .log_error = log_error, .log_fall = log_fall, .warnings = l->counts, .warning = l->warning,
                                     .log_warning = l->log_warning, .data = l };
    /* what the ends may add */
    for (i = 0; i < l->counts; i++)
    {
        l->warning[i] = l->top;
        l->log_warning[i] = l->log_top + l->count[i].log_tails + slope(&l->count[i], 0) + d_log(8 * l->count[i].height);
    }
    l->filter.far = fmax(2 * DOUBLE_PI - 2 * c->curve * c->height - FAR_LOG / c->height, 0) / c->most;
    for (j = 0; j < l->atoms; j++)
    {
        l->value[j] = steer_midpoint(loss->value + j);
        l->log_mass[j] = steer_log(arb_midref(loss->mass + j));
    }
}

int pair_loss_tell(shuf_loss_t loss, const shuf_pair_struct *pair, const fmpq *gamma, shuf_direction direction, slong prec)
{
    pair_loss l = { .atoms = 0 }, *owned;
    outcomes_struct x;
    int rest = 0, i, known = 0;
    outcomes_init(&x);
    if (outcomes_set(&x, pair, gamma, direction, prec))
        for (i = 0; i < EFFORTS && !known; i++)
            known = place(&l, &rest, &x, loss, &efforts[i]) && set_atoms(loss, &l, &x, rest, prec);
    if (known)
    {
        owned = flint_malloc(sizeof(pair_loss) + 2 * (size_t) loss->count * sizeof(double));
        *owned = l;
        owned->atoms = loss->count;
        owned->value = (double *) (owned + 1);
        owned->log_mass = owned->value + owned->atoms;
        set_filter(owned, loss);
        loss->owned = owned;
        loss->filter = &owned->filter;
        for (i = 0; i < l.counts; i++)
        {
            arb_t t;
            arb_init(t);
            arb_set_d(t, SLACK * d_exp(l.log_top + l.count[i].log_tails));
            arb_add(loss->lost, loss->lost, t, prec);
            arb_clear(t);
        }
    }
    outcomes_clear(&x);
    return known;
}
