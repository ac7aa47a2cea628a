/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The Renyi divergence in doubles; the lemmas are those of proofs/fast-renyi.md.
 *
 * M - 1 = E V(C), C the number of other users seen, V(c) = E g(a/m), m = c+1,
 * a ~ Bin(m, rho), g = phi minus its tangent at rho, phi = p^order q^(1-order):
 * nonnegative, so that nothing cancels when M is near 1. Either the cells
 * (m, a) are walked outward from the peak, or, when the strata are large, g is
 * replaced by its Taylor polynomial, V by a polynomial in 1/m whose
 * coefficients come from Arb, and only the moments E m^-k are summed.
 */
#include "fast/fast_doubles.h"

#include "binomial/binomial.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "hockey/stratum.h"
#include "renyi/renyi.h"

/* ---- the problem, in Arb ---- */

#define PREC 192 /* steers only */

typedef struct
{
    ulong others; /* n - 1 */
    int single;   /* the only stratum is c = others */
    shuf_pair_weights_t weights;
    arb_t order, excess;  /* excess = order - 1 */
    arb_t p0, p1, q0, q1; /* p(x) = p0 (1-x) + p1 x, q alike */
    arb_t alpha, beta;    /* p = 1 + alpha (x - rho), q = 1 + beta (x - rho); alpha >= 0 >= beta */
    arb_t slope;          /* phi'(rho) = order alpha - excess beta > 0 */
    arb_t second;         /* phi''(rho)/2 = order excess (alpha - beta)^2/2 > 0 */
} problem_struct;

typedef problem_struct problem_t[1];

#define PROBLEM_EACH(s, f)                                                                          \
    f((s)->order), f((s)->excess), f((s)->p0), f((s)->p1), f((s)->q0), f((s)->q1), f((s)->alpha), \
        f((s)->beta), f((s)->slope), f((s)->second)

static void problem_init(problem_t s)
{
    shuf_pair_weights_init(s->weights);
    PROBLEM_EACH(s, arb_init);
}

static void problem_clear(problem_t s)
{
    shuf_pair_weights_clear(s->weights);
    PROBLEM_EACH(s, arb_clear);
}

static void problem_set(problem_t s, const shuf_pair_t pair, const shuf_real_t order, shuf_direction direction)
{
    const shuf_pair_weights_struct *w = s->weights;
    const int all_equal = shuf_pair_about(pair->kind)->all_equal == SHUF_LAW_P;
    arb_t x;
    arb_init(x);
    shuf_pair_get_weights(s->weights, pair, direction, PREC);
    s->others = pair->n - 1;
    s->single = s->others == 0 || arb_is_one(w->count);
    shuf_real_get_arb(s->order, order, PREC);
    arb_sub_ui(s->excess, s->order, 1, PREC);
    arb_div(s->p0, w->w1, w->rho_complement, PREC);
    arb_div(s->p1, w->w0, w->rho, PREC);
    arb_div(s->q0, w->w0, w->rho_complement, PREC);
    arb_div(s->q1, w->w1, w->rho, PREC);
    /* one of the two laws is that of all others, and its ratio to it is 1 exactly */
    if (all_equal && direction == SHUF_DIRECTION_PQ)
    {
        arb_one(s->p0);
        arb_one(s->p1);
    }
    if (all_equal && direction == SHUF_DIRECTION_QP)
    {
        arb_one(s->q0);
        arb_one(s->q1);
    }
    arb_sub(s->alpha, s->p1, s->p0, PREC);
    arb_sub(s->beta, s->q1, s->q0, PREC);
    arb_mul(s->slope, s->order, s->alpha, PREC);
    arb_submul(s->slope, s->excess, s->beta, PREC);
    arb_sub(x, s->alpha, s->beta, PREC);
    arb_mul(x, x, x, PREC);
    arb_mul(x, x, s->order, PREC);
    arb_mul(x, x, s->excess, PREC);
    arb_mul_2exp_si(s->second, x, -1);
    arb_clear(x);
}

/* What a method proves: M - 1 lies in [value, value + truncation], value a ball. */
typedef struct
{
    arb_t value;
    arf_t truncation;
    uint64_t terms;
} result_struct;

typedef result_struct result_t[1];

/* ---- the integrand in doubles ---- */

#define SERIES 22     /* terms of the Taylor series of g near rho: proofs/fast-renyi.md, Lemma 2 */
#define MAX_ORDER 1e8 /* keeps the error of log phi below 1/100: Lemma 2 */

typedef struct
{
    double order, excess, p0, p1, q0, q1, alpha, beta, slope, second;
    double gap;                      /* excess (alpha - beta) */
    double odds, rho_complement;     /* odds = rho/(1-rho) */
    double reach;                    /* the series serves |x - rho| <= reach */
    double coefficient[SERIES];      /* of ((x - rho)/reach)^j, relative to the first */
    double rounding;                 /* fixed part of the relative error of exp(H - shift) */
    double shift, unit;              /* g is in units of exp(shift); unit >= exp(-shift) */
    int flushed;                     /* unit is only an upper bound */
    double log_top;                  /* log sup phi, in the same units, from above */
    double steepest;                 /* sup of (log phi)' */
    double tilt, curvature;          /* rho = 1/2: log phi <= tilt z + curvature z^2, z = 2x - 1 (Lemma 5) */
    double log_concave_from;         /* rows with at least this m have log-concave terms (Lemma 3) */
    double whole, rest;              /* rho m of the current row */
} integrand;

/* c_j = f_j reach^(j-2)/f_2 by the recurrence of Lemma 1. */
static int set_coefficients(integrand *f, const problem_t s)
{
    arb_t t, x, y, *c;
    slong j;
    int ok = 1;
    c = flint_malloc(SERIES * sizeof(arb_t));
    arb_init(t); arb_init(x); arb_init(y);
    arb_set_d(t, f->reach);
    for (j = 0; j < SERIES; j++)
    {
        slong i = j + 1; /* c[j] belongs to the power j + 2 = i + 1 */
        arb_init(c[j]);
        if (j == 0)
        {
            arb_one(c[0]);
        }
        else
        {
            arb_add(x, s->alpha, s->beta, PREC);
            arb_mul_si(x, x, -i, PREC);
            arb_add(x, x, s->slope, PREC);
            arb_mul(x, x, t, PREC);
            arb_mul(c[j], x, c[j - 1], PREC);
            if (j > 1)
            {
                arb_mul(x, s->alpha, s->beta, PREC);
                arb_mul(x, x, t, PREC);
                arb_mul(x, x, t, PREC);
                arb_mul_si(x, x, i - 2, PREC);
                arb_submul(c[j], x, c[j - 2], PREC);
            }
            arb_div_si(c[j], c[j], i + 1, PREC);
        }
        ok = ok && mag_cmp_2exp_si(arb_radref(c[j]), -70) < 0;
        f->coefficient[j] = ok ? estimate(c[j]) : 0;
    }
    for (j = 0; j < SERIES; j++)
        arb_clear(c[j]);
    flint_free(c);
    arb_clear(t); arb_clear(x); arb_clear(y);
    return ok;
}

/* Returns 0 when doubles will not do. */
static int integrand_set(integrand *f, const problem_t s)
{
    const shuf_pair_weights_struct *w = s->weights;
    double largest, supremum;
    arb_t t, x;
    int ok = constant(&f->order, s->order) && constant(&f->excess, s->excess) && constant(&f->p0, s->p0)
             && constant(&f->p1, s->p1) && constant(&f->q0, s->q0) && constant(&f->q1, s->q1)
             && constant(&f->slope, s->slope) && constant(&f->second, s->second)
             && constant(&f->rho_complement, w->rho_complement) && f->order <= MAX_ORDER;
    arb_init(t);
    arb_init(x);
    arb_div(t, w->rho, w->rho_complement, PREC);
    ok = ok && constant(&f->odds, t);
    /* (2 order - 1) (artanh(d) - d), d = alpha/2 */
    arb_div(t, s->p1, s->q1, PREC);
    arb_log(t, t, PREC);
    arb_sub(t, t, s->alpha, PREC);
    arb_mul_2exp_si(t, t, -1);
    arb_add(x, s->order, s->excess, PREC);
    arb_mul(t, t, x, PREC);
    f->curvature = estimate(t) * 1.0001;
    arb_sub(t, s->alpha, s->beta, PREC);
    arb_mul(t, t, s->excess, PREC);
    ok = ok && constant(&f->gap, t);
    arb_clear(t);
    arb_clear(x);
    if (!ok)
        return 0;
    f->tilt = 0.50001 * f->slope;
    f->alpha = estimate(s->alpha);
    f->beta = estimate(s->beta);
    largest = fmax(f->alpha, -f->beta);
    f->reach = fmin(0.49 / f->slope, 0.06 / largest);
    f->rounding = ROUNDOFF * (64 + 16 * f->order);
    f->steepest = 1.0001 * (f->order * f->alpha / f->p0 - f->excess * f->beta / f->q1);
    supremum = f->beta * f->beta / (4 * f->q0 * f->q1);
    f->log_concave_from = 1.01 * f->excess * supremum;
    f->log_concave_from += 2.02 * f->excess * f->beta * f->beta / (f->q1 * f->q1) / fmax(1, f->log_concave_from);

    return set_coefficients(f, s) && f->reach >= 1e-100 && f->reach <= 1e100;
}

/* Chooses the units: about phi(x), if that is large. */
static void integrand_shift(integrand *f, const problem_t s, double x)
{
    double H = f->order * d_log(f->p0 * (1 - x) + f->p1 * x) - f->excess * d_log(f->q0 * (1 - x) + f->q1 * x);
    arb_t t, u;
    arb_init(t);
    arb_init(u);
    f->shift = H > 1 ? H : 0;
    f->flushed = f->shift > 600;
    f->unit = f->flushed ? 1e-260 : d_exp(-f->shift);
    arb_log(t, s->p1, PREC);
    arb_mul(t, t, s->order, PREC);
    arb_log(u, s->q1, PREC);
    arb_submul(t, u, s->excess, PREC);
    arb_set_d(u, f->shift);
    arb_sub(t, t, u, PREC);
    f->log_top = estimate(t);
    f->log_top += 1e-9 * (1 + fabs(f->log_top));
    arb_clear(t);
    arb_clear(u);
}

typedef struct
{
    double g, error; /* |g - true g| <= error */
    double y;        /* x - rho */
    double log_phi;  /* from above */
} cell;

/* At x = a/m, m the current row (Lemma 2). */
static inline void evaluate(cell *e, const integrand *f, double a, double m)
{
    double y = ((a - f->whole) - f->rest) / m;
    e->y = y;
    if (fabs(y) <= f->reach)
    {
        double t = y / f->reach, sum = f->coefficient[SERIES - 1], value;
        int j;
        for (j = SERIES - 2; j >= 0; j--)
            sum = sum * t + f->coefficient[j];
        value = f->second * y * y * sum * f->unit;
        e->g = f->flushed ? 0 : value;
        e->error = ROUNDOFF * (64 * value + 4 * f->second * ((fabs(y) + 1 / m) / m) * f->unit) + (f->flushed ? 2 * value : 0);
        e->log_phi = 1 - f->shift;
    }
    else
    {
        double b = m - a, p = (f->p0 * b + f->p1 * a) / m;
        double log_p = d_log(p), log_q = d_log((f->q0 * b + f->q1 * a) / m);
        double plus = f->order * log_p, minus = f->excess * log_q, logs = fabs(log_p) + fabs(log_q);
        e->log_phi = plus - minus - f->shift + 0.01;
        if (f->excess < 1 && !f->flushed)
        {
            /* everything in proportion to excess: g = p (r^excess - 1) - gap y, r = p/q */
            double power = d_expm1(f->excess * (log_p - log_q));
            e->g = f->unit * fmax(0, p * power - f->gap * y);
            e->error = 64 * ROUNDOFF * f->unit
                       * (p * (fabs(power) + f->excess * (1 + power) * (1 + logs)) + f->gap * (fabs(y) + 1 / m));
        }
        else
        {
            double power = d_exp(plus - minus - f->shift), line = f->unit * (1 + f->slope * (fabs(y) + 1 / m));
            e->g = f->flushed ? power : fmax(0, power - f->unit * (1 + f->slope * y));
            e->error = power * (f->rounding + 32 * ROUNDOFF * (fabs(plus) + fabs(minus) + f->shift))
                       + (f->flushed ? 2 : 64 * ROUNDOFF) * line;
        }
    }
    e->error += 1e-280; /* underflow */
}

/* ---- walking the cells ---- */

/* Cells that may be walked: roundings stay below 2^30 (proofs/fast-renyi.md). */
#define MAX_CELLS (UINT64_C(1) << 25)

/* Units of a cell, of a stratum's mass and each of its powers, and of what comes before all of them. Steer only. */
#define CELL_COST 40
#define MASS_COST 10
#define POWER_COST 1.5
#define BEGIN_COST 2e4

/* Left out: what is certainly below this part of what has been found. Steer only: the bound of what is left out is computed. */
#define SMALL_ROW 0x1p-56
#define SMALL_STRATA 0x1p-45

typedef struct
{
    double total, error, truncation;
    uint64_t terms;
} partial_sum;

/* Above the rounding of any quotient computed below (Lemmas 4 and 5). */
#define UP (1 + 1e-12)

/* sum_{i>=1} ratio^i, from above; infinite when the ratio is not below 1. */
static double geometric(double ratio)
{
    ratio *= UP;
    return ratio < 1 ? 1.01 * ratio / (1 - ratio) : HUGE_VAL;
}

/* Above what the cells beyond `at`, that of e, are worth; `ratio` is the weight of the next one to this one's. */
static double rest_above(const integrand *f, const cell *e, double m, double at, double weight, double ratio, int log_concave)
{
    double growth = f->steepest, rest;
    if (log_concave)
        growth = 1.0001 * (f->order * f->alpha * m / (f->p0 * (m - at) + f->p1 * at)
                           - f->excess * f->beta * m / (f->q0 * (m - at - 1) + f->q1 * (at + 1)));
    rest = weight * (d_exp(e->log_phi) * geometric(ratio * d_exp(growth / m)));
    return fmin(rest, weight * (d_exp(f->log_top) * geometric(ratio)));
}

/* The same of the cells before it; infinite where nothing is known but the weight of the row. */
static double rest_below(const integrand *f, const cell *e, double m, double at, double weight, double ratio, int log_concave, double line)
{
    double rest = HUGE_VAL;
    if (log_concave)
    {
        double fall = 0.9999 * (f->order * f->alpha * m / (f->p0 * (m - at) + f->p1 * at)
                                - f->excess * f->beta * m / (f->q0 * (m - at + 1) + f->q1 * (at - 1)));
        rest = weight * (d_exp(e->log_phi) * geometric(ratio * d_exp(-fall / m))) + line;
    }
    if (e->y < 0)
    {
        double tail = geometric(ratio);
        rest = fmin(rest, weight * ((e->g + e->error) * tail + f->slope * f->unit / m * tail * (1 + tail)));
    }
    return rest;
}

/*
 * The row m from the cell a of weight w (count roundings in it), both ways;
 * exp(log_mass) is the weight of the whole row. found: the scale of what is
 * negligible. Returns 0 when doubles will not do.
 * Coq: RoundingRenyi.cells_sound.
 */
static int sum_row(partial_sum *r, const integrand *f, double m, double a, double w, double count, double log_mass, double found)
{
    double at = a, weight = w, roundings = count, total = 0, drift = 0, errors = 0;
    double line = f->slope * d_exp(log_mass - f->shift); /* above what the tangent adds anywhere (Lemma 4) */
    int log_concave = m >= f->log_concave_from;
    uint64_t terms = 0;
    cell e, first;

    r->truncation = 0;
    evaluate(&first, f, a, m);
    e = first;
    for (;;)
    {
        double term = weight * e.g, ratio;
        total += term;
        drift += term * roundings;
        errors += weight * e.error;
        terms++;
        if (at >= m)
            break;
        ratio = (m - at) * f->odds / (at + 1);
        if (e.y > 0 && term <= SMALL_ROW * (found + total))
        {
            double rest = rest_above(f, &e, m, at, weight, ratio, log_concave);
            if (rest <= SMALL_ROW * (found + total))
            {
                r->truncation += rest;
                break;
            }
        }
        weight *= ratio;
        roundings += 5;
        at += 1;
        if (!(weight >= 1e-15 * SMALLEST && weight <= LARGEST) || terms > MAX_CELLS)
            return 0;
        evaluate(&e, f, at, m);
    }

    at = a;
    weight = w;
    roundings = count;
    e = first;
    while (at >= 1)
    {
        double term = weight * e.g, ratio = at / ((m - at + 1) * f->odds);
        if (term <= SMALL_ROW * (found + total))
        {
            double rest = fmin(d_exp(log_mass + e.log_phi) + line, rest_below(f, &e, m, at, weight, ratio, log_concave, line));
            if (rest <= SMALL_ROW * (found + total))
            {
                r->truncation += 1.01 * rest;
                break;
            }
        }
        weight *= ratio;
        roundings += 5;
        at -= 1;
        if (!(weight >= 1e-15 * SMALLEST && weight <= LARGEST) || terms > MAX_CELLS)
            return 0;
        evaluate(&e, f, at, m);
        total += weight * e.g;
        drift += weight * e.g * roundings;
        errors += weight * e.error;
        terms++;
    }
    shuf_charge((double) terms * CELL_COST);
    r->total = total;
    r->error = 2 * (ROUNDOFF * (drift + ((double) terms + 4) * total) + errors);
    r->terms = terms;
    return isfinite(r->total) && isfinite(r->error);
}

/* The m and the x of about the largest Pr[C] Pr[a | C] phi(a/m): the saddle point, an estimate. */
static void find_peak(double *m, double *x, const integrand *f, const problem_t s)
{
    double others = (double) s->others, count = estimate(s->weights->count), rest = estimate(s->weights->count_complement);
    double rho = f->odds * f->rho_complement, lo = rho, hi = 1;
    int i;
    for (i = 0; i < 100; i++)
    {
        double tilted, pull, force;
        *x = lo + (hi - lo) / 2;
        tilted = count * d_exp(-steer_relative_entropy(*x, rho, f->rho_complement));
        *m = s->single ? others + 1 : 1 + others * (tilted / (rest + tilted));
        pull = *m * d_log(*x / (1 - *x) / f->odds);
        force = f->order * f->alpha / (f->p0 * (1 - *x) + f->p1 * *x) - f->excess * f->beta / (f->q0 * (1 - *x) + f->q1 * *x);
        if (pull < force)
            lo = *x;
        else
            hi = *x;
    }
}

/* Sets rho m, whole and fractional part. */
static int set_row(integrand *f, const problem_t s, double m)
{
    if (!s->single || f->odds == 1)
    {
        f->whole = floor(m / 2);
        f->rest = m / 2 - f->whole;
    }
    else
    {
        arb_t x, y;
        arb_init(x);
        arb_init(y);
        arb_mul_ui(x, s->weights->rho, (ulong) m, PREC);
        f->whole = floor(estimate(x));
        arb_set_d(y, f->whole);
        arb_sub(x, x, y, PREC);
        f->rest = arf_get_d(arb_midref(x), ARF_RND_NEAR);
        arb_clear(x);
        arb_clear(y);
    }
    return fabs(f->rest) <= 1;
}

/*
 * Bounds what the strata below c contribute, rho = 1/2, from the mass of c and
 * its contribution (or an infinite one), by Lemma 5.
 */
static double strata_below(const integrand *f, double c, double others, double inverse_odds, double log_mass, double value)
{
    double h = f->tilt, k = f->curvature, sum = 0, best;
    double ratio = c * inverse_odds / (others - c + 1) * UP;
    if (!(ratio < 1))
        return HUGE_VAL;
    /* M(m-1) <= 2 M(m) */
    best = (d_exp(log_mass - f->shift) + value) * geometric(2 * ratio);
    while (c >= 0)
    {
        double m = c + 1, next = floor(0.75 * m) - 1, near, room = next - 2 * k;
        ratio = c * inverse_odds / (others - c + 1) * UP;
        /* everything below at the largest value */
        best = fmin(best, sum + d_exp(log_mass + f->log_top) * geometric(ratio));
        /* or down to the stratum `next` by one growth, and on from there */
        near = HUGE_VAL;
        if (value < HUGE_VAL)
            near = (d_exp(log_mass - f->shift) + value) * geometric(ratio * d_exp(f->steepest / next));
        if (room > 0)
        {
            double bound = h * h / (2 * (m - 2 * k)) - 0.5 * d_log1p(-2 * k / m);
            double growth = h * h / (2 * room * room) + k / (next * room);
            near = fmin(near, d_exp(log_mass + bound - f->shift) * geometric(ratio * d_exp(1.01 * growth)));
        }
        value = HUGE_VAL;
        sum += near;
        if (!(sum < best) || c < 1)
            break;
        log_mass += fmin(0, (c - next) * d_log(ratio));
        c = next;
    }
    return 1.01 * best;
}

static int in_range(double x)
{
    return x >= SMALLEST && x <= LARGEST;
}

/* A walk over rows m = c+1, along the ray of the peak. */
typedef struct
{
    double others, odds, inverse_odds; /* n-1; odds of being seen, and their inverse */
    double slope;                      /* a/m on the ray */
    double m, a, weight, mass, count;  /* the row and its cell on the ray; Pr[m, a], Pr[m]; roundings in weight */
    slong exponent, mass_exponent;     /* weights are in units of 2^exponent, masses of 2^mass_exponent */
    double mass_scale;                 /* log(mass) + mass_scale is in the units of weights */
} walk_struct;

/* Begins at the peak. Returns 0 when doubles will not do. */
static int walk_begin(walk_struct *k, integrand *f, const problem_t s)
{
    const shuf_pair_weights_struct *w = s->weights;
    double m, x;
    arb_t t, u;
    int ok;
    find_peak(&m, &x, f, s);
    k->others = (double) s->others;
    k->m = fmin(fmax(rint(m), 1), k->others + 1);
    k->a = fmin(fmax(rint(x * k->m), 0), k->m);
    k->slope = k->a / k->m;
    k->odds = k->inverse_odds = k->mass = 1;
    k->exponent = k->mass_exponent = 0;
    k->count = 2;
    integrand_shift(f, s, k->slope);
    arb_init(t);
    arb_init(u);
    shuf_binomial_pmf(t, (ulong) k->m, (ulong) k->a, w->rho, w->rho_complement, 96);
    if (!s->single)
    {
        shuf_binomial_pmf(u, s->others, (ulong) k->m - 1, w->count, w->count_complement, 96);
        arb_mul(t, t, u, 96);
    }
    else
    {
        arb_one(u);
    }
    ok = arb_is_finite(t) && arf_cmpabs_2exp_si(arb_midref(t), -100000) > 0;
    if (ok)
    {
        k->exponent = arf_abs_bound_lt_2exp_si(arb_midref(t));
        arb_mul_2exp_si(t, t, -k->exponent);
        k->mass_exponent = arf_abs_bound_lt_2exp_si(arb_midref(u));
        arb_mul_2exp_si(u, u, -k->mass_exponent);
        ok = constant(&k->weight, t) && constant(&k->mass, u);
    }
    if (ok && !s->single)
    {
        arb_div(t, w->count, w->count_complement, PREC);
        ok = constant(&k->odds, t);
        k->inverse_odds = 1 / k->odds;
    }
    arb_clear(t);
    arb_clear(u);
    k->mass_scale = 0.6931471805599454 * (double) (k->mass_exponent - k->exponent) + 1e-9;
    return ok;
}

/* To the cell of the ray in the row; returns 0 when doubles will not do. */
static int walk_along_row(walk_struct *k, const integrand *f)
{
    double target = fmin(fmax(rint(k->slope * k->m), 0), k->m);
    int ok = 1;
    while (k->a < target)
    {
        k->weight *= (k->m - k->a) * f->odds / (k->a + 1);
        ok = ok && in_range(k->weight);
        k->a += 1;
        k->count += 5;
    }
    while (k->a > target)
    {
        k->weight *= k->a / ((k->m - k->a + 1) * f->odds);
        ok = ok && in_range(k->weight);
        k->a -= 1;
        k->count += 5;
    }
    return ok;
}

/* To the next row up or down; returns 0 when doubles will not do. */
static int walk_to_row(walk_struct *k, const integrand *f, int direction)
{
    double c = k->m - 1;
    int ok = 1;
    if (direction > 0)
    {
        k->mass *= (k->others - c) * k->odds / (c + 1);
        k->weight *= (k->others - c) * k->odds / (c + 1) * ((k->m + 1) / (k->m + 1 - k->a) * f->rho_complement);
        k->m += 1;
    }
    else
    {
        if (k->a >= k->m)
        {
            k->weight *= k->a / ((k->m - k->a + 1) * f->odds);
            ok = in_range(k->weight);
            k->a -= 1;
            k->count += 5;
        }
        k->mass *= c * k->inverse_odds / (k->others - c + 1);
        k->weight *= c * k->inverse_odds / (k->others - c + 1) * ((k->m - k->a) / k->m / f->rho_complement);
        k->m -= 1;
    }
    ok = ok && in_range(k->mass) && in_range(k->weight);
    k->count += 12;
    return walk_along_row(k, f) && ok;
}

/* What the rows beyond this one contribute at most, value being at least what it does; negative when there are none. */
static double rows_beyond(const walk_struct *k, const integrand *f, int direction, double value)
{
    double c = k->m - 1, log_mass = d_log(k->mass) + k->mass_scale;
    double log_whole = -0.6931471805599454 * (double) k->exponent + 1e-9;
    if (direction > 0)
    {
        if (c >= k->others)
            return -1;
        return value * fmin(geometric((k->others - c) * k->odds / (c + 1)), 1.01 * d_exp(log_whole - log_mass));
    }
    return c < 1 ? -1 : strata_below(f, c, k->others, k->inverse_odds, log_mass, value);
}

/* Adds the rows on one side of the peak's, which is `first`; returns 0 when doubles will not do. */
static int add_rows(partial_sum *sum, walk_struct k, integrand *f, const problem_t s, const partial_sum *first, int direction)
{
    double value = first->total + first->error + first->truncation;
    for (;;)
    {
        partial_sum row;
        double rest = rows_beyond(&k, f, direction, value);
        if (rest < 0)
            return 1;
        if (rest <= SMALL_STRATA * sum->total)
        {
            sum->truncation += rest;
            return 1;
        }
        if (!walk_to_row(&k, f, direction) || !set_row(f, s, k.m)
            || !sum_row(&row, f, k.m, k.a, k.weight, k.count, d_log(k.mass) + k.mass_scale, sum->total)
            || sum->terms > MAX_CELLS / 4)
            return 0;
        value = row.total + row.error + row.truncation;
        sum->total += row.total;
        sum->error += row.error;
        sum->truncation += row.truncation;
        sum->terms += row.terms;
    }
}

/* M - 1 by walking the cells. */
static int sum_cells(result_t r, integrand *f, const problem_t s)
{
    walk_struct k;
    partial_sum sum, first;
    arb_t t, u;
    int direction;

    if (!walk_begin(&k, f, s) || !set_row(f, s, k.m)
        || !sum_row(&first, f, k.m, k.a, k.weight, k.count, d_log(k.mass) + k.mass_scale, 0))
        return 0;
    sum = first;
    for (direction = 1; direction >= -1 && !s->single; direction -= 2)
        if (!add_rows(&sum, k, f, s, &first, direction))
            return 0;
    sum.error += 2 * ROUNDOFF * (double) sum.terms * sum.total;
    r->terms += sum.terms;
    if (!(sum.total >= 1e-200 && sum.total <= LARGEST && sum.error <= LARGEST && sum.truncation <= LARGEST))
        return 0;

    /* back to the scale of M - 1 */
    arb_init(t);
    arb_init(u);
    arb_set_d(t, f->shift);
    arb_exp(t, t, PREC);
    arb_mul_2exp_si(t, t, k.exponent);
    arb_set_d(r->value, sum.total);
    arb_set_d(u, sum.error);
    arb_add_error(r->value, u);
    arb_mul(r->value, r->value, t, PREC);
    arb_set_d(u, 1.01 * sum.truncation);
    arb_mul(t, t, u, PREC);
    arb_get_ubound_arf(r->truncation, t, 64);
    arb_clear(t);
    arb_clear(u);
    return 1;
}

/* ---- the Taylor series, clones and clones-stronger (rho = 1/2) ---- */

/* With z = 2x - 1: p = 1 + d z, q = 1 - d z, z the mean of m signs. */
#define MAX_DEGREE 192 /* steers only */
#define NATS 30.0 /* steers only */

typedef struct
{
    slong degree;  /* K, even: the series stops before z^K */
    double radius; /* of the disk of Cauchy's estimate */
} series_plan;

/* Picks K and the radius for m >= lowest, aiming at a remainder of exp(aim). Estimates; Lemma 7 checks. */
static int series_choose(series_plan *plan, double order, double d, double lift, double lowest, double aim)
{
    double scale;
    plan->degree = MAX_DEGREE + 2;
    plan->radius = 0;
    for (scale = 6; scale < 100; scale *= 1.06)
    {
        double radius = scale / sqrt(lowest), log_sup, spread = scale * scale / 8, double_factorial = 0;
        slong degree;
        if (d * radius > 0.9)
            break;
        log_sup = order * d_log1p(d * radius) - (order - 1) * d_log1p(-d * radius);
        if (lowest * radius / 2 < 1.01 * lift || fmax(lift * radius / 2, log_sup + 2.1) - spread > aim - 2)
            continue;
        for (degree = 4; degree < plan->degree && (double) degree < 2 * spread - 1; degree += 2)
        {
            double_factorial += d_log((double) degree - 1);
            if (log_sup + double_factorial - (double) degree * d_log(scale) <= aim - 2)
            {
                plan->degree = degree;
                plan->radius = radius;
            }
        }
    }
    return plan->degree <= MAX_DEGREE;
}

/*
 * g[k], 0 < k < K-2, the coefficients of (1/m)^k in sum_{1<j<K} f_j E z^j
 * (Lemmas 1 and 6).
 */
static void series_coefficients(arb_ptr g, slong degree, const problem_t s)
{
    slong rows = degree / 2, prec = PREC, i, j, b;
    arb_ptr tangent = _arb_vec_init(rows), moment = _arb_vec_init(rows * rows);
    arb_t d, square, slope, f, previous, x, factorial;
    arb_init(d); arb_init(square); arb_init(slope); arb_init(f); arb_init(previous); arb_init(x); arb_init(factorial);

    shuf_charge((double) (rows * rows * rows) / 6 * shuf_cost_mul(prec) + (double) (rows * rows) * shuf_cost_word(prec));
    /* tanh t = sum tangent[i] t^(2i-1): its derivative is 1 - tanh^2 */
    for (i = 1; i < rows; i++)
    {
        if (i == 1)
            arb_one(tangent + 1);
        for (j = 1; j < i; j++)
            arb_submul(tangent + i, tangent + j, tangent + i - j, prec);
        if (i > 1)
            arb_div_si(tangent + i, tangent + i, 2 * i - 1, prec);
    }
    /* E (m z)^(2i)/(2i)! = sum_b moment[i rows + b] m^b */
    for (i = 1; i < rows; i++)
    {
        for (b = 1; b <= i; b++)
        {
            arb_ptr e = moment + i * rows + b;
            if (b == 1)
                arb_set(e, tangent + i);
            else
                for (j = 1; j <= i - b + 1; j++)
                    arb_addmul(e, tangent + j, moment + (i - j) * rows + b - 1, prec);
            arb_div_si(e, e, 2 * i, prec);
        }
    }

    arb_mul_2exp_si(d, s->alpha, -1);
    arb_mul(square, d, d, prec);
    arb_mul_2exp_si(slope, s->slope, -1);
    arb_mul_2exp_si(f, s->second, -2);
    arb_one(factorial);
    arb_zero(previous);
    for (j = 2; j < degree; j++)
    {
        /* f = f_j, previous = f_{j-1} (not needed at j = 2) */
        arb_mul_si(factorial, factorial, j, prec);
        if (j % 2 == 0)
        {
            arb_mul(x, f, factorial, prec);
            for (b = 1; b <= j / 2; b++)
                arb_addmul(g + j - b, x, moment + (j / 2) * rows + b, prec);
        }
        arb_mul(x, slope, f, prec);
        arb_mul(previous, previous, square, prec);
        arb_mul_si(previous, previous, j - 2, prec);
        arb_add(x, x, previous, prec);
        arb_set(previous, f);
        arb_div_si(f, x, j + 1, prec);
    }
    _arb_vec_clear(tangent, rows);
    _arb_vec_clear(moment, rows * rows);
    arb_clear(d); arb_clear(square); arb_clear(slope); arb_clear(f); arb_clear(previous); arb_clear(x);
    arb_clear(factorial);
}

/* r bounds what the series leaves out of V, for all m >= lowest. Returns 0 when Lemma 7 does not apply. */
static int series_remainder(arb_t r, const series_plan *plan, double lowest, const arb_t lift, const problem_t s)
{
    slong prec = 64;
    arb_t d, x, y, sup, radius, m;
    int ok;
    arb_init(d); arb_init(x); arb_init(y); arb_init(sup); arb_init(radius); arb_init(m);
    arb_set_d(radius, plan->radius);
    arb_set_d(m, lowest);

    /* sup = (1 + d R)^order (1 - d R)^(1 - order) */
    arb_mul_2exp_si(d, s->alpha, -1);
    arb_mul(d, d, radius, prec);
    arb_log1p(x, d, prec);
    arb_mul(sup, x, s->order, prec);
    arb_neg(x, d);
    arb_log1p(x, x, prec);
    arb_submul(sup, x, s->excess, prec);

    /* y = m r^2/2, r = R/2 */
    arb_mul(y, radius, radius, prec);
    arb_mul(y, y, m, prec);
    arb_mul_2exp_si(y, y, -3);
    arb_mul(x, m, radius, prec);
    arb_mul_2exp_si(x, x, -1);
    arb_sub_si(d, d, 1, prec);
    ok = arb_is_negative(d) && arb_ge(x, lift);
    arb_mul_2exp_si(x, y, 1);
    arb_sub_si(x, x, plan->degree, prec);
    ok = ok && arb_is_nonnegative(x);

    /* 2 sup (K-1)!!/(R sqrt(m))^K = 2 sup (K-1)!!/(8 y)^(K/2) */
    arb_exp(r, sup, prec);
    arb_mul_2exp_si(r, r, 1);
    arb_doublefac_ui(x, (ulong) plan->degree - 1, prec);
    arb_mul(r, r, x, prec);
    arb_mul_2exp_si(x, y, 3);
    arb_pow_ui(x, x, (ulong) plan->degree / 2, prec);
    arb_div(r, r, x, prec);
    /* 8 sup exp(-y) */
    arb_sub(x, sup, y, prec);
    arb_exp(x, x, prec);
    arb_mul_2exp_si(x, x, 3);
    arb_add(r, r, x, prec);
    /* exp(lift r - y) + exp(-y) */
    arb_mul(x, lift, radius, prec);
    arb_mul_2exp_si(x, x, -1);
    arb_sub(x, x, y, prec);
    arb_exp(x, x, prec);
    arb_add(r, r, x, prec);
    shuf_ball_exp_minus(x, y, prec);
    arb_add(r, r, x, prec);
    ok = ok && arb_is_finite(r);

    arb_clear(d); arb_clear(x); arb_clear(y); arb_clear(sup); arb_clear(radius); arb_clear(m);
    return ok;
}

/* The moments E (middle/m)^k over the strata lowest <= m <= highest. */
typedef struct
{
    double middle, lowest;
    slong powers;
    double power[MAX_DEGREE];
    double drift;        /* sum of the masses, each times its roundings */
    double above, below; /* mass of the strata above; what those below add to M - 1 */
    uint64_t terms;
} moments;

/*
 * middle, powers and lowest (where to give up) are given; lowest becomes the
 * true one. small: how much of M - 1 may be left out below.
 */
static int sum_moments(moments *e, const integrand *f, const problem_t s, double small)
{
    const shuf_pair_weights_struct *w = s->weights;
    double others = (double) s->others, odds = 0, start = 0, mass, count, c, limit = e->lowest;
    arb_t x;
    int ok, direction;
    slong k;
    e->terms = 0;
    arb_init(x);
    arb_div(x, w->count, w->count_complement, PREC);
    ok = constant(&odds, x);
    shuf_binomial_pmf(x, s->others, (ulong) e->middle - 1, w->count, w->count_complement, 96);
    ok = ok && constant(&start, x);
    arb_clear(x);
    if (!ok)
        return 0;
    for (k = 0; k < e->powers; k++)
        e->power[k] = 0;
    e->drift = e->above = e->below = 0;
    for (direction = 1; direction >= -1; direction -= 2)
    {
        mass = start;
        count = 2;
        c = e->middle - 1;
        for (;;)
        {
            double m = c + 1;
            if (direction > 0 || e->middle > m)
            {
                double ratio = e->middle / m, v = mass;
                for (k = 0; k < e->powers; k++)
                {
                    e->power[k] += v;
                    v *= ratio;
                }
                e->drift += mass * count;
                e->terms++;
            }
            if (direction > 0)
            {
                double ratio = (others - c) * odds / (c + 1);
                e->above = c < others ? mass * geometric(ratio) : 0;
                if (e->above <= SMALL_STRATA)
                    break;
                mass *= ratio;
                c += 1;
            }
            else
            {
                e->lowest = m;
                e->below = mass <= small ? strata_below(f, c, others, 1 / odds, d_log(mass), HUGE_VAL) : HUGE_VAL;
                if (e->below <= small)
                    break;
                if (m <= limit)
                    return 0;
                mass *= c / (others - c + 1) / odds;
                c -= 1;
            }
            count += 6;
            if (!(mass >= SMALLEST) || e->terms > MAX_CELLS)
                return 0;
        }
    }
    return 1;
}

/* The powers that matter for strata from `low` on: all but the last, which add up to at most `little`. */
static slong count_powers(arb_srcptr g, slong degree, double low, double little)
{
    double sum = 0;
    arb_t x, y;
    slong k;
    arb_init(x);
    arb_init(y);
    for (k = degree - 1; k > 1; k--)
    {
        arb_set_d(y, low);
        arb_pow_ui(y, y, (ulong) k, 64);
        arb_div(x, g + k, y, 64);
        sum += fabs(estimate(x));
        if (!(sum <= little))
            break;
    }
    arb_clear(x);
    arb_clear(y);
    return k + 1;
}

/* The value by the moments of the strata and the coefficients g; what is beyond its powers is added to outside. */
static void take_moments(result_t r, arb_t outside, const moments *e, arb_srcptr g, slong degree)
{
    arb_t x, y;
    slong k;
    arb_init(x);
    arb_init(y);
    arb_zero(r->value);
    for (k = 1; k < degree; k++)
    {
        arb_set_d(y, k < e->powers ? e->middle : e->lowest);
        arb_pow_ui(y, y, (ulong) k, PREC);
        arb_div(x, g + k, y, PREC);
        if (k < e->powers)
        {
            double error = e->drift * d_pow(e->middle / e->lowest, (double) k)
                           + e->power[k] * (2 * (double) k + 4 + (double) e->terms);
            arb_set_d(y, e->power[k]);
            mag_set_d(arb_radref(y), 2 * ROUNDOFF * error);
            arb_addmul(r->value, x, y, PREC);
        }
        else
        {
            arb_abs(x, x);
            arb_add(outside, outside, x, PREC);
        }
    }
    /* V above is at most its mean over the strata summed */
    arb_add(x, r->value, outside, PREC);
    arb_set_d(y, 1.1 * e->above);
    arb_mul(x, x, y, PREC);
    arb_set_d(y, 1.01 * e->below);
    arb_add(x, x, y, PREC);
    arb_addmul_ui(x, outside, 2, PREC);
    arb_get_ubound_arf(r->truncation, x, 64);
    arb_sub(r->value, r->value, outside, PREC);
    arb_clear(x);
    arb_clear(y);
}

/* M - 1 by the series; clones and clones-stronger with more than one stratum. */
static int sum_series(result_t r, integrand *f, const problem_t s)
{
    double others = (double) s->others, count = estimate(s->weights->count);
    double spread = sqrt(others * count * estimate(s->weights->count_complement));
    double slope = f->slope / 2, middle, low, aim;
    series_plan plan;
    moments e;
    arb_ptr g;
    arb_t lift, x, outside;
    int ok;

    middle = fmin(floor(1 + others * count), others + 1);
    low = fmax(floor(middle / 2), floor(middle - 8 * spread)); /* where the strata are expected to end */
    if (middle < 64)
        return 0;
    /* M - 1 is about exp(slope^2/(2m)) - 1 */
    aim = slope * slope / (2 * middle);
    aim = (aim > 2 ? aim - 1 : d_log(f->second / (4 * middle))) - NATS;

    arb_init(lift); arb_init(x); arb_init(outside);
    /* lift: log phi <= lift z for z >= 0 */
    arb_mul(lift, s->order, s->alpha, PREC);
    arb_mul_2exp_si(lift, lift, -1);
    arb_log(x, s->q1, PREC);
    arb_submul(lift, x, s->excess, PREC);
    ok = series_choose(&plan, f->order, f->alpha / 2, estimate(lift), low, aim);
    if (ok)
    {
        g = _arb_vec_init(plan.degree);
        series_coefficients(g, plan.degree, s);
        e.powers = count_powers(g, plan.degree, low, d_exp(aim));
        e.middle = middle;
        e.lowest = fmax(floor(middle / 2), floor(middle - 30 * spread));
        integrand_shift(f, s, 0.5);
        ok = sum_moments(&e, f, s, SMALL_STRATA * d_exp(aim + NATS))
             && e.power[0] > 0.95 && series_remainder(outside, &plan, e.lowest, lift, s);
        r->terms += e.terms;
        shuf_charge((double) e.terms * (MASS_COST + POWER_COST * (double) e.powers));
        if (ok)
        {
            take_moments(r, outside, &e, g, plan.degree);
            ok = arb_is_finite(r->value) && arf_is_finite(r->truncation);
        }
        _arb_vec_clear(g, plan.degree);
    }
    arb_clear(lift); arb_clear(x); arb_clear(outside);
    return ok;
}

/* ---- the divergence ---- */

/* Cells up to which the walk is the first choice, and beyond which it is none. Steer only. */
#define FEW_CELLS 3e4
#define MANY_CELLS 4e6

/* [lo, hi] := what r proves of log(M)/(order - 1), if that is narrower. */
static void harvest(struct shuf_bound *out, const result_t r, const problem_t s)
{
    arb_t low, high, gap, t;
    double lo, hi;
    arb_init(low); arb_init(high); arb_init(gap); arb_init(t);
    arb_get_lbound_arf(arb_midref(low), r->value, 64);
    arb_get_ubound_arf(arb_midref(high), r->value, 64);
    if (arf_sgn(arb_midref(low)) < 0)
        arf_zero(arb_midref(low));
    arf_add(arb_midref(high), arb_midref(high), r->truncation, 64, ARF_RND_CEIL);
    /* what truncation adds: d log M = dM/M */
    arb_set_arf(gap, r->truncation);
    arb_add_ui(t, low, 1, 64);
    arb_div(gap, gap, t, 64);
    arb_div(gap, gap, s->excess, 64);
    arb_log1p(low, low, 128);
    arb_div(low, low, s->excess, 128);
    arb_log1p(high, high, 128);
    arb_div(high, high, s->excess, 128);
    if (arb_is_finite(low) && arb_is_finite(high) && arb_is_finite(gap))
    {
        arb_get_lbound_arf(arb_midref(t), low, 64);
        lo = double_below(arb_midref(t));
        arb_get_ubound_arf(arb_midref(t), high, 64);
        hi = arf_cmp_d(arb_midref(t), out->hi) < 0 ? double_above(arb_midref(t)) : out->hi;
        if (hi - lo < out->hi - out->lo)
        {
            double width = nextafter(hi - lo, HUGE_VAL);
            arb_get_ubound_arf(arb_midref(t), gap, 64);
            out->lo = lo;
            out->hi = hi;
            out->truncation = arf_cmp_d(arb_midref(t), width) < 0 ? double_above(arb_midref(t)) : width;
            out->rounding = out->truncation < width ? nextafter(width - out->truncation, HUGE_VAL) : 0;
        }
    }
    arb_clear(low); arb_clear(high); arb_clear(gap); arb_clear(t);
}

/* About how many cells a walk visits: 15 standard deviations either way. */
static double walk_cost(const problem_t s)
{
    double others = (double) s->others, count = estimate(s->weights->count), mean = 1 + others * count;
    double strata = 15 * sqrt(others * count * estimate(s->weights->count_complement)) + 15;
    return fmin(strata, others + 1) * fmin(7.5 * sqrt(mean) + 15, mean);
}

static void one_direction(struct shuf_bound *out, const shuf_pair_t pair, const shuf_real_t order,
                          shuf_direction direction)
{
    problem_t s;
    integrand f;
    result_t r;
    double cost;
    arb_t t;
    arf_t loss;

    problem_init(s);
    arb_init(r->value);
    arf_init(r->truncation);
    r->terms = 0;

    /* D is at most the largest loss, eps0 */
    arb_init(t);
    arf_init(loss);
    shuf_real_get_arb(t, pair->eps0, 128);
    arb_get_ubound_arf(loss, t, 64);
    whole_interval(out, double_above(loss));
    arb_clear(t);
    arf_clear(loss);

    shuf_charge(BEGIN_COST);
    problem_set(s, pair, order, direction);
    if (integrand_set(&f, s))
    {
        cost = walk_cost(s);
        if ((s->single || cost <= FEW_CELLS) && sum_cells(r, &f, s))
            harvest(out, r, s);
        if (!s->single && !accurate(out) && sum_series(r, &f, s))
            harvest(out, r, s);
        if (!s->single && !accurate(out) && cost > FEW_CELLS && cost <= MANY_CELLS && sum_cells(r, &f, s))
            harvest(out, r, s);
    }
    out->terms = r->terms;
    problem_clear(s);
    arb_clear(r->value);
    arf_clear(r->truncation);
}

shuf_status shuf_fast_renyi(struct shuf_bound *out, const shuf_pair_t pair, const shuf_real_t order,
                            shuf_direction direction)
{
    whole_interval(out, HUGE_VAL);
    out->terms = 0;
    if (!shuf_pair_has_engine(pair, SHUF_ENGINE_FAST_RENYI) || pair->n > SHUF_FAST_MAX_USERS || shuf_real_cmp_si(order, 1) <= 0
        || shuf_real_cmp_si(order, (slong) SHUF_MAX_ORDER) > 0)
        return SHUF_DOMAIN;
    if (shuf_real_sgn(pair->eps0) == 0)
    {
        whole_interval(out, 0);
        return SHUF_OK;
    }
    one_direction(out, pair, order, direction == SHUF_DIRECTION_QP ? direction : SHUF_DIRECTION_PQ);
    if (direction == SHUF_DIRECTION_BOTH && !shuf_pair_is_symmetric(pair))
    {
        struct shuf_bound qp;
        one_direction(&qp, pair, order, SHUF_DIRECTION_QP);
        take_larger(out, &qp);
    }
    return accurate(out) ? SHUF_OK : SHUF_ACCURACY;
}
