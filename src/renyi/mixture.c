/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "renyi/mixture.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/elementary.h"

/* A walk over the rest: mass = Pr[R = rest]. */
typedef struct
{
    ulong number, rest;
    arb_t mass, odds;
    slong prec;
} rest_walk;

static void rest_walk_init(rest_walk *k, const power_context_t s, ulong c, ulong low, slong prec)
{
    const shuf_pair_weights_struct *w = s->weights;
    arb_init(k->mass);
    arb_init(k->odds);
    k->prec = prec;
    k->number = s->others - c;
    k->rest = low;
    arb_div(k->odds, w->rest, w->rest_complement, k->prec);
    shuf_binomial_pmf(k->mass, k->number, low, w->rest, w->rest_complement, k->prec);
}

static void rest_walk_next(rest_walk *k)
{
    arb_mul_ui(k->mass, k->mass, k->number - k->rest, k->prec);
    arb_div_ui(k->mass, k->mass, k->rest + 1, k->prec);
    arb_mul(k->mass, k->mass, k->odds, k->prec);
    k->rest++;
}

static void rest_walk_clear(rest_walk *k)
{
    arb_clear(k->mass);
    arb_clear(k->odds);
}

static void add_product(mag_t total, const arb_t x, const mag_t y)
{
    mag_t t;
    mag_init(t);
    arb_get_mag(t, x);
    mag_addmul(total, t, y);
    mag_clear(t);
}

static int sum_rests(arb_t v, mag_t truncation, ulong *terms, const power_context_t s, ulong c, ulong low, ulong high,
                     double limit)
{
    rest_walk k;
    arb_t value, K;
    mag_t cut;
    int done = 1;
    arb_init(value); arb_init(K); mag_init(cut);
    rest_walk_init(&k, s, c, low, s->prec);
    for (;;)
    {
        power_K(K, s, c, k.rest);
        power_value(value, cut, s, c, K);
        arb_addmul(v, k.mass, value, s->prec);
        add_product(truncation, k.mass, cut);
        (*terms)++;
        if (k.rest == high)
            break;
        if (shuf_exhausted(limit))
        {
            done = 0;
            break;
        }
        rest_walk_next(&k);
    }
    rest_walk_clear(&k);
    arb_clear(value); arb_clear(K); mag_clear(cut);
    return done;
}

/* ---- interpolation in K over [K_low, K_high] = middle + [-half, half] ---- */

#define MAX_NODES 40 /* steers only */

/*
 * The least number of nodes, and a radius of the disk about the middle, for a
 * remainder of about 2^-cut V; 0 if more than MAX_NODES are needed. reach is
 * the distance from the middle to the nearest zero of p or q.
 */
static slong plan_nodes(double *radius, const power_context_t s, double c, double middle, double half, double reach)
{
    /* log of what may be left, in units of E phi */
    double log_phi = d_log(s->w_sum + middle), log_v = power_log_estimate(s, c, middle), aim, ratio;
    double best = HUGE_VAL;
    aim = log_v - fmax(log_v, log_phi) - (double) s->cut * 0.6931;
    if (s->is_one)
        aim -= d_log(1 + arf_get_d(arb_midref(s->max_loss), ARF_RND_NEAR));
    for (ratio = 1.1; half * ratio < 0.95 * reach; ratio *= 1.2)
    {
        double r = half * ratio, growth, nodes;
        growth = s->lambda * d_log1p(r / reach) - s->lambda_minus_1 * d_log1p(-r / reach);
        nodes = ceil((growth + d_log(ratio / (ratio - 1)) + 1.4 - aim) / d_log(ratio + sqrt(ratio * ratio - 1)));
        if (nodes < best)
        {
            best = nodes;
            *radius = r;
        }
    }
    return best <= MAX_NODES ? (slong) fmax(best, 2) : 0;
}

/* Rests between two looks at the budget. Steers only. */
#define BETWEEN_LOOKS 64

/*
 * The mean over the rest of the Newton products: product[j] =
 * E[prod_{i<j} (z_R - node_i); low <= R <= high], z_R = (kappa R/(c+1) - middle)/half.
 * Returns 0 if some z_R is not certain to be in [-1, 1], or when the budget ends.
 */
static int mean_products(arb_struct *product, const arb_struct *node, slong nodes, const power_context_t s, ulong c,
                         ulong low, ulong high, double middle, double half, double limit, slong prec)
{
    const double cost = (double) (nodes + 2) * (shuf_cost_mul(prec) + 2 * shuf_cost_word(prec));
    rest_walk k;
    arb_t z, first, step, t, power;
    int inside;
    slong j;
    arb_init(z); arb_init(first); arb_init(step); arb_init(t); arb_init(power);
    /* z_R = first + R step */
    arb_set_d(t, half);
    arb_div_ui(step, s->kappa, c + 1, prec);
    arb_div(step, step, t, prec);
    arb_set_d(first, -middle);
    arb_div(first, first, t, prec);
    arb_mul_ui(z, step, low, prec);
    arb_add(z, z, first, prec);
    arb_add_ui(t, z, 1, prec);
    inside = arb_is_nonnegative(t);
    arb_mul_ui(z, step, high, prec);
    arb_add(z, z, first, prec);
    arb_sub_ui(t, z, 1, prec);
    inside = inside && arb_is_nonpositive(t);
    if (inside)
    {
        rest_walk_init(&k, s, c, low, prec);
        for (;;)
        {
            arb_mul_ui(z, step, k.rest, prec);
            arb_add(z, z, first, prec);
            arb_set(power, k.mass);
            for (j = 0; j < nodes; j++)
            {
                arb_add(product + j, product + j, power, prec);
                arb_sub(t, z, node + j, prec);
                arb_mul(power, power, t, prec);
            }
            shuf_charge(cost);
            inside = k.rest % BETWEEN_LOOKS != 0 || !shuf_exhausted(limit);
            if (k.rest == high || !inside)
                break;
            rest_walk_next(&k);
        }
        rest_walk_clear(&k);
    }
    arb_clear(z); arb_clear(first); arb_clear(step); arb_clear(t); arb_clear(power);
    return inside;
}

/*
 * bound >= |E phi(x; K)| for all complex K within radius of middle. value is
 * V at some K <= middle; reach as above, a lower bound.
 */
static void disk_bound(mag_t bound, const power_context_t s, const arb_t value, double middle, double radius, const arb_t reach,
                       slong prec)
{
    arb_t t, u, mean;
    arb_init(t); arb_init(u); arb_init(mean);
    arb_set_d(t, radius);
    arb_div(t, t, reach, prec); /* radius/reach */
    arb_neg(u, t);
    arb_log1p(u, u, prec);      /* log(1 - radius/reach) */
    arb_set_d(mean, middle);
    arb_add(mean, mean, s->weights->w0, prec);
    arb_add(mean, mean, s->weights->w1, prec); /* E p = E q at middle */
    if (s->is_one)
    {
        /* E|p| (max_loss + |log(1 + z/p)| + |log(1 + z/q)|) */
        arb_set_d(t, radius);
        arb_add(mean, mean, t, prec);
        arb_mul_2exp_si(u, u, 1);
        arb_sub(u, s->max_loss, u, prec);
    }
    else
    {
        /* E phi at middle, times (1 + radius/reach)^order (1 - radius/reach)^(1-order) */
        arb_add(mean, mean, value, prec);
        arb_log1p(t, t, prec);
        arb_mul(t, t, s->order, prec);
        arb_mul(u, u, s->order_minus_1, prec);
        arb_sub(u, t, u, prec);
        arb_exp(u, u, prec);
    }
    arb_mul(mean, mean, u, prec);
    arb_get_mag(bound, mean);
    arb_clear(t); arb_clear(u); arb_clear(mean);
}

/* The interpolation of one mixture. */
typedef struct
{
    double least, most, middle, half, radius; /* of K; of the disk */
    slong nodes, prec;
    arb_t reach;                        /* see plan_nodes */
    arb_struct *node, *value, *product; /* V at the nodes; see mean_products */
    mag_struct *cut;                    /* how far from V those values may be */
} interpolation_struct;

/* Returns 0 if interpolation is not the way. */
static int interpolation_plan(interpolation_struct *f, const power_context_t s, ulong c, ulong low, ulong high)
{
    double m = (double) c + 1;
    f->least = s->kappa_d * (double) low / m;
    f->most = s->kappa_d * (double) high / m;
    f->middle = (f->least + f->most) / 2;
    f->half = (f->most - f->least) / 2 * (1 + 1e-12);
    f->radius = 0;
    /* p and q are at least 2 w1 + K, as rho = 1/2 */
    arb_set_d(f->reach, f->middle);
    arb_addmul_ui(f->reach, s->weights->w1, 2, s->prec);
    arb_get_lbound_arf(arb_midref(f->reach), f->reach, s->prec);
    mag_zero(arb_radref(f->reach));
    f->nodes = plan_nodes(&f->radius, s, (double) c, f->middle, f->half, arf_get_d(arb_midref(f->reach), ARF_RND_DOWN));
    f->prec = s->prec + 4 * f->nodes;
    return f->nodes > 0 && (ulong) f->nodes <= high - low;
}

static void interpolation_init(interpolation_struct *f)
{
    fmpq_t angle;
    slong i;
    fmpq_init(angle);
    f->node = _arb_vec_init(f->nodes);
    f->value = _arb_vec_init(f->nodes);
    f->product = _arb_vec_init(f->nodes);
    f->cut = flint_malloc((size_t) f->nodes * sizeof(mag_struct));
    for (i = 0; i < f->nodes; i++)
    {
        /* Chebyshev nodes, in increasing order of K */
        fmpq_set_si(angle, 2 * (f->nodes - i) - 1, 2 * (ulong) f->nodes);
        arb_cos_pi_fmpq(f->node + i, angle, f->prec);
        mag_init(f->cut + i);
    }
    fmpq_clear(angle);
}

static void interpolation_clear(interpolation_struct *f)
{
    slong i;
    for (i = 0; i < f->nodes; i++)
        mag_clear(f->cut + i);
    flint_free(f->cut);
    _arb_vec_clear(f->node, f->nodes);
    _arb_vec_clear(f->value, f->nodes);
    _arb_vec_clear(f->product, f->nodes);
}

/* The weight of node i: sum_j product_j / prod_{k<=j, k!=i} (node_i - node_k). */
static void node_weight(arb_t weight, const interpolation_struct *f, slong i)
{
    arb_t t, u;
    slong j;
    arb_init(t);
    arb_init(u);
    arb_zero(weight);
    arb_one(t);
    for (j = 0; j < f->nodes; j++)
    {
        if (j != i)
        {
            arb_sub(u, f->node + i, f->node + j, f->prec);
            arb_mul(t, t, u, f->prec);
        }
        if (j >= i)
        {
            arb_div(u, f->product + j, t, f->prec);
            arb_add(weight, weight, u, f->prec);
        }
    }
    arb_clear(t);
    arb_clear(u);
}

/* truncation += the remainder: B r/(r-1) 2/(u^nodes - u^-nodes), r = radius/half, u = r + sqrt(r^2-1) */
static void add_remainder(mag_t truncation, const interpolation_struct *f, const power_context_t s)
{
    arb_t t, u;
    mag_t bound, e;
    arb_init(t); arb_init(u); mag_init(bound); mag_init(e);
    arb_set(u, f->value);
    arb_add_error_mag(u, f->cut);
    disk_bound(bound, s, u, f->middle, f->radius, f->reach, 64);
    arb_set_d(t, f->radius);
    arb_set_d(u, f->half);
    arb_div(t, t, u, 64);
    arb_sub_ui(u, t, 1, 64);
    arb_div(u, t, u, 64); /* r/(r-1) */
    arb_acosh(t, t, 64);  /* log u */
    arb_mul_si(t, t, f->nodes, 64);
    arb_sinh(t, t, 64);
    arb_div(u, u, t, 64);
    arb_get_mag(e, u);
    mag_addmul(truncation, bound, e);
    arb_clear(t); arb_clear(u); mag_clear(bound); mag_clear(e);
}

static int interpolate_rests(arb_t v, mag_t truncation, ulong *terms, const power_context_t s, ulong c, ulong low, ulong high,
                             double limit)
{
    interpolation_struct f;
    arb_t K, t;
    slong i;
    int ok;
    arb_init(f.reach);
    if (!interpolation_plan(&f, s, c, low, high))
    {
        arb_clear(f.reach);
        return 0;
    }
    arb_init(K);
    arb_init(t);
    interpolation_init(&f);
    ok = mean_products(f.product, f.node, f.nodes, s, c, low, high, f.middle, f.half, limit, f.prec);
    for (i = 0; ok && i < f.nodes; i++)
    {
        arb_set_d(t, f.half);
        arb_set_d(K, f.middle);
        arb_addmul(K, f.node + i, t, f.prec);
        power_value(f.value + i, f.cut + i, s, c, K);
        node_weight(t, &f, i);
        arb_addmul(v, t, f.value + i, s->prec);
        add_product(truncation, t, f.cut + i);
    }
    if (ok)
    {
        shuf_charge((double) (f.nodes * f.nodes) * (4 * shuf_cost_mul(f.prec) + 2 * shuf_cost_word(f.prec)));
        add_remainder(truncation, &f, s);
        *terms += (ulong) f.nodes;
    }
    interpolation_clear(&f);
    arb_clear(f.reach); arb_clear(K); arb_clear(t);
    return ok;
}

int mixture_value(arb_t v, mag_t truncation, ulong *terms, const power_context_t s, ulong c, ulong low, ulong high,
                  double limit)
{
    high = FLINT_MIN(high, s->others - c);
    arb_zero(v);
    mag_zero(truncation);
    if (low > high)
        return 1;
    return interpolate_rests(v, truncation, terms, s, c, low, high, limit)
           || sum_rests(v, truncation, terms, s, c, low, high, limit);
}
