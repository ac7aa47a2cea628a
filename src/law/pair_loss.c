/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/many-users.md. */
#include "law/pair_loss.h"

#include <math.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* Steer only. */
#define DEVIATIONS 20.0  /* of a count, on either side, that are looked at */
#define FALLEN 60.0      /* the step is made for frequencies at which the transform of all rounds is e^-FALLEN, */
#define LEAST_LOG (-45.0) /* and the sum may be off by so much there */
#define HEIGHTS 40       /* that are tried, */
#define HEIGHT_STEP 0.5  /* in deviations */
#define MOST_NODES 1000  /* of a count */
#define ATOM_WORK 3000.0
#define ESTIMATE_WORK 20.0

/* Bounds in doubles are multiplied by this; logarithms and differences are off by at most so much, absolutely or of their terms (Lemma 6). */
#define SLACK 1.01
#define LOG_SLACK 1e-6
#define TERM_SLACK 1e-12
#define USERS_SLACK 1e-14 /* of n, in n times a divergence: */
#define MOST_USERS UINT64_C(100000000000000) /* Lemma 6 */

/* One of the two counts that are summed over; what it gains the rest loses. */
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
    count_struct count[2];
    int counts;      /* 1 if there is no third outcome */
    int falls_in;    /* the count of Lemma 4 */
    double log_top, top; /* of U/n, and the largest loss: lambda = e^(log_top + theta top) */
    double warning[2], log_warning[2];
    slong atoms;
    double *value, *log_mass; /* of the nodes */
} pair_loss;

/* ---- the pair ---- */

typedef struct
{
    double n;
    arb_t r[3], u[3], v[3]; /* of a, b and the rest */
} outcomes_struct;

static void outcomes_init(outcomes_struct *x)
{
    int i;
    for (i = 0; i < 3; i++)
    {
        arb_init(x->r[i]);
        arb_init(x->u[i]);
        arb_init(x->v[i]);
    }
}

static void outcomes_clear(outcomes_struct *x)
{
    int i;
    for (i = 0; i < 3; i++)
    {
        arb_clear(x->r[i]);
        arb_clear(x->u[i]);
        arb_clear(x->v[i]);
    }
}

/* Returns 0 if a probability is 0 that may not be. */
static int outcomes_set(outcomes_struct *x, const shuf_pair_struct *pair, shuf_direction direction, slong prec)
{
    shuf_pair_weights_t w;
    int i, known;
    shuf_pair_weights_init(w);
    shuf_pair_get_weights(w, pair, SHUF_DIRECTION_PQ, prec);
    known = !w->rest_is_random && arb_is_one(w->scale);
    x->n = (double) pair->n;
    arb_mul(x->r[0], w->count, w->rho, prec);
    arb_mul(x->r[1], w->count, w->rho_complement, prec);
    arb_set(x->r[2], w->count_complement);
    for (i = 0; i < 3; i++)
    {
        if (i == 2 && arb_is_zero(x->r[2]) && arb_is_zero(w->w2))
            continue;
        known = known && arb_is_positive(x->r[i]);
        arb_div(x->u[i], i == 0 ? w->w0 : i == 1 ? w->w1 : w->w2, x->r[i], prec);
        arb_div(x->v[i], i == 0 ? w->w1 : i == 1 ? w->w0 : w->w2, x->r[i], prec);
        if (direction == SHUF_DIRECTION_QP)
            arb_swap(x->u[i], x->v[i]);
    }
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
        known = outcomes_set(&x, pair, SHUF_DIRECTION_PQ, 64);
        *strength = x.n * fmin(steer_midpoint(x.r[0]), steer_midpoint(x.r[1]));
    }
    outcomes_clear(&x);
    return known;
}

/* ---- which nodes ---- */

/* The largest and the least value of the linear form with these coefficients on the rectangle, and the sum of the moduli of its terms. */
static void range(double end[3], const pair_loss *l, const double c[3], double n, int rest)
{
    int i, j;
    end[0] = -HUGE_VAL;
    end[1] = HUGE_VAL;
    end[2] = 0;
    for (i = 0; i < 2; i++)
        for (j = 0; j < l->counts; j++)
        {
            const double x = i ? l->count[0].high : l->count[0].low, y = l->counts == 1 ? 0 : j ? l->count[1].high : l->count[1].low;
            const double at[3] = { c[l->count[0].index] * x, l->counts == 1 ? 0 : c[l->count[1].index] * y, c[rest] * (n - x - y) };
            end[0] = fmax(end[0], at[0] + at[1] + at[2]);
            end[1] = fmin(end[1], at[0] + at[1] + at[2]);
            end[2] = fmax(end[2], fabs(at[0]) + fabs(at[1]) + fabs(at[2]));
        }
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

/* By the outcomes' order: the two least likely are summed over. Returns which is the rest. */
static int set_ends(pair_loss *l, const double r[3], double n)
{
    int rest = 0, i;
    for (i = 1; i < 3; i++)
        if (r[i] > r[rest])
            rest = i;
    l->counts = 0;
    for (i = 0; i < 3; i++)
        if (i != rest && r[i] > 0)
        {
            count_struct *c = &l->count[l->counts++];
            const double half = ceil(DEVIATIONS * sqrt(n * r[i] * (1 - r[i])));
            c->index = i;
            c->low = floor(n * r[i]) - half - 0.5;
            c->high = floor(n * r[i]) + half + 0.5;
        }
    return rest;
}

/* The facts about a count that do not depend on its nodes, on the rectangle as it is. Returns 0 where the lemmas do not reach. */
static int set_count(count_struct *c, pair_loss *l, const outcomes_struct *x, const double r[3], int rest)
{
    const int d = c->index;
    double u[3], v[3], k[3], U[3], V[3], K[3], turn[2];
    const double low = x->n - l->count[0].high - (l->counts == 2 ? l->count[1].high : 0), high = x->n - l->count[0].low - (l->counts == 2 ? l->count[1].low : 0);
    arb_t s, t;
    int i;
    arb_init(s);
    arb_init(t);
    for (i = 0; i < 3; i++)
    {
        u[i] = steer_midpoint(x->u[i]);
        v[i] = steer_midpoint(x->v[i]);
        /* (u_d - u_rest) v_i - (v_d - v_rest) u_i */
        arb_sub(s, x->u[d], x->u[rest], 128);
        arb_mul(s, s, x->v[i], 128);
        arb_sub(t, x->v[d], x->v[rest], 128);
        arb_submul(s, t, x->u[i], 128);
        k[i] = steer_midpoint(s);
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
    c->log_tails = d_log(d_exp(-divergence(x->n, c->low + 0.5, r[d])) + d_exp(-divergence(x->n, c->high - 0.5, r[d]))) + LOG_SLACK;
    l->log_top = d_log(fmax(u[0], fmax(u[1], u[2]))) + LOG_SLACK;
    l->top = d_log(U[0] / V[1]) + LOG_SLACK;
    return 1;
}

/* What is left of Cmin at the height (Lemma 4) */
static double flatness(const count_struct *c)
{
    const double p = c->height * fmax(c->slope_up, c->slope_down);
    return 1 / (1 + p * p);
}

/* The step of at most `most`, an odd multiple of `unit`, that is good up to the reach, and the height for it. */
static void set_step(count_struct *c, double reach, double unit)
{
    const double deviation = sqrt(0.5 / c->curve);
    double best = 0;
    int i;
    for (i = 1; i <= HEIGHTS; i++)
    {
        const double y = i * HEIGHT_STEP * deviation, step = 2 * DOUBLE_PI * y / (c->curve * y * y + reach * c->most * y - LEAST_LOG);
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

/* Ends, nodes and the facts of all counts, for so many rounds; *rest is the outcome that is not summed over. 0 or 1. */
static int place(pair_loss *l, int *rest, const outcomes_struct *x, double rounds)
{
    double r[3], reach;
    int i, known = 1;
    for (i = 0; i < 3; i++)
        r[i] = steer_midpoint(x->r[i]);
    *rest = set_ends(l, r, x->n);
    for (i = 0; i < l->counts && known; i++)
        known = set_count(&l->count[i], l, x, r, *rest);
    l->falls_in = l->counts == 2 && turns_more(&l->count[1], &l->count[0]);
    /* at the best height y = t Cmin/(2 A) the fall is e^{-t^2 Cmin^2/(4 A)} */
    reach = 2 * sqrt(l->count[l->falls_in].curve * FALLEN / fmax(rounds, 1)) / l->count[l->falls_in].least;
    known = known && isfinite(reach);
    for (i = 0; i < l->counts && known; i++)
        set_step(&l->count[i], reach, 1);
    /* one step a multiple of the other, so that the rest has few values */
    if (l->counts == 2 && known)
    {
        count_struct *finer = &l->count[l->count[1].step < l->count[0].step], *other = &l->count[finer == &l->count[0]];
        set_step(other, reach, finer->step);
    }
    for (i = 0; i < l->counts && known; i++)
        set_nodes(&l->count[i]);
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

static void set_atoms(shuf_loss_t loss, pair_loss *l, const outcomes_struct *x, int rest, slong prec)
{
    const count_struct *a = &l->count[0], *b = l->counts == 2 ? &l->count[1] : NULL;
    const double unit = b != NULL ? fmin(a->step, b->step) : a->step;
    const slong na = a->nodes, nb = b != NULL ? b->nodes : 1, sa = (slong) (a->step / unit), sb = b != NULL ? (slong) (b->step / unit) : 0;
    const slong values = sa * (na - 1) + sb * (nb - 1) + 1;
    const double least = x->n - a->first - (double) (na - 1) * a->step - (b != NULL ? b->first + (double) (nb - 1) * b->step : 0);
    arb_ptr of_a = log_terms(x->r[a->index], a->first, a->step, na, prec), of_rest = log_terms(x->r[rest], least, unit, values, prec);
    arb_ptr of_b = b != NULL ? log_terms(x->r[b->index], b->first, b->step, nb, prec) : NULL;
    arb_t whole, U, V, t;
    slong i, j;
    arb_init(whole); arb_init(U); arb_init(V); arb_init(t);
    /* log of n! and of both steps, less log n */
    arb_set_d(whole, x->n + 1);
    arb_lgamma(whole, whole, prec);
    arb_set_d(t, a->step);
    arb_mul_si(t, t, b != NULL ? (slong) b->step : 1, prec);
    arb_set_d(U, x->n);
    arb_div(t, t, U, prec);
    arb_log(t, t, prec);
    arb_add(whole, whole, t, prec);
    shuf_loss_set_count(loss, na * nb);
    for (i = 0; i < na; i++)
        for (j = 0; j < nb; j++)
        {
            const slong at = i * nb + j;
            const double ca = a->first + (double) i * a->step, cb = b != NULL ? b->first + (double) j * b->step : 0;
            arb_set_d(t, ca);
            arb_mul(U, x->u[a->index], t, prec);
            arb_mul(V, x->v[a->index], t, prec);
            if (b != NULL)
            {
                arb_set_d(t, cb);
                arb_addmul(U, x->u[b->index], t, prec);
                arb_addmul(V, x->v[b->index], t, prec);
            }
            arb_set_d(t, x->n - ca - cb);
            arb_addmul(U, x->u[rest], t, prec);
            arb_addmul(V, x->v[rest], t, prec);
            arb_div(V, U, V, prec);
            arb_log(loss->value + at, V, prec);
            arb_add(t, whole, of_a + i, prec);
            if (b != NULL)
                arb_add(t, t, of_b + j, prec);
            arb_add(t, t, of_rest + (values - 1 - sa * i - sb * j), prec);
            arb_exp(t, t, prec);
            arb_mul(loss->mass + at, t, U, prec);
        }
    shuf_charge(ATOM_WORK * (double) (na * nb));
    _arb_vec_clear(of_a, na);
    _arb_vec_clear(of_rest, values);
    if (b != NULL)
        _arb_vec_clear(of_b, nb);
    arb_clear(whole); arb_clear(U); arb_clear(V); arb_clear(t);
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

/* What Lemma 3 leaves out: as parts of the sum, and what the ends may add. Returns 0 where it does not hold. */
static int sum_errors(double *share, double *ends, const pair_loss *l, double theta, double reach)
{
    const double log_lambda = l->log_top + theta * l->top;
    double first = 0; /* 4 y e^g of the first count */
    int i;
    *share = *ends = 0;
    for (i = 0; i < l->counts; i++)
    {
        const count_struct *c = &l->count[i];
        const double A = curvature(c, theta), g = slope(c, theta), y = c->height, turns = 2 * DOUBLE_PI * y / c->step;
        const double rise = (A * y + reach * c->most) * y;
        if (c->step == 1)
            continue;
        if (!(rise * SLACK <= turns && y >= 1))
            return 0;
        *share += (i == 0 ? 1 : 2) * 8 * d_exp(rise + g / 2 - turns + LOG_SLACK * (rise + turns));
        *ends += 4 * y * d_exp(g / 2 + log_lambda + c->log_tails) * (2 + 2 * first) * SLACK;
        first = 4 * y * d_exp(g);
    }
    return *share <= MOST_SHARE;
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
    if (!(ends <= MOST_SHARE * sum))
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

int pair_loss_tell(shuf_loss_t loss, const shuf_pair_struct *pair, shuf_direction direction, slong prec)
{
    pair_loss l = { .atoms = 0 }, *owned;
    outcomes_struct x;
    double strength;
    int rest = 0, i, known;
    outcomes_init(&x);
    known = pair_loss_exists(&strength, pair) && outcomes_set(&x, pair, direction, prec) && place(&l, &rest, &x, loss->rounds);
    if (known)
    {
        set_atoms(loss, &l, &x, rest, prec);
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
