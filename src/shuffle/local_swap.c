/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The bound from the local profile at another point (proofs/local-profile.md, "Swaps"): delta is at most E(W_1 + .. + W_n)_+/n, W_j
 * independent, E - alpha with probability 1/E, -(alpha - tau) gamma with (1 - m(gamma) - 1/tau)/gamma, else 0; m the local profile,
 * 1 <= tau <= alpha and gamma >= 1 any numbers.
 */
#include "shuffle/terms.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* One estimate, in units of work. Steers only. */
#define ESTIMATE_WORK 5e4

/* An estimate looks at so many terms and swaps, at most. Steer only. */
#define MOST_TERMS 10000
#define MOST_SWAPS 200

/* About E(x - M)_+, M with Poisson's law. */
static double shortfall(double x, double mean)
{
    double k = floor(x), mass, sum = 0;
    int i;
    if (!(x > 0 && mean > 0)) /* none of the law is below x, or nothing is known of it */
        return fmax(x, 0);
    if (x >= mean + 12 * sqrt(mean) + 40)
        return x - mean;
    mass = d_exp(k * d_log(mean) - mean - d_lgamma(k + 1));
    for (i = 0; i < MOST_TERMS && k >= 0 && (k > mean || mass * (x - k + 1) > 1e-9 * sum); i++)
    {
        sum += mass * (x - k);
        mass *= k / mean;
        k--;
    }
    return sum;
}

/* About the bound for `users` users: user 1 and A others have the first value, B the second. */
static double estimate(double users, double eps0, double eps, double log_tau, double log_gamma, double beta)
{
    const double others = users * d_exp(-eps0), mean = users * beta * d_exp(-log_gamma);
    const double room = -d_expm1(eps - eps0), step = d_exp(eps + log_gamma - eps0) * -d_expm1(log_tau - eps);
    double mass = d_exp(-others), sum = 0;
    int j;
    for (j = 0; j < MOST_SWAPS && (j <= others || mass > 1e-9 * sum); j++)
    {
        sum += mass * step / (j + 1) * shortfall(room / step * (j + 1), mean);
        mass *= others / (j + 1);
    }
    return sum;
}

/* beta := 1 - m(e^s) - 1/tau, tau = e^t. */
static void leftover(arb_t beta, const shuf_randomiser_t randomiser, const shuf_real_t s, const arb_t inverse_tau)
{
    shuf_randomiser_profile(beta, randomiser, s, PREC);
    arb_add(beta, beta, inverse_tau, PREC);
    shuf_ball_complement(beta, beta, PREC);
}

/* What is looked for: the s and t of the smallest estimate so far. */
typedef struct
{
    const shuf_randomiser_struct *randomiser;
    double users, eps0, eps;
    double best, best_s, best_t;
} search_struct;

/* Values of tau that are tried, one more. Steers only. */
#define TAUS 8

static void try_s(search_struct *x, double s)
{
    shuf_real_t at;
    arb_t zero, beta;
    double log_rest, log_tau, value;
    int i;
    if (s < 0 || s > x->eps0)
        return;
    shuf_real_init(at);
    arb_init(zero);
    arb_init(beta);
    shuf_real_set_d(at, s);
    leftover(beta, x->randomiser, at, zero);
    shuf_charge(ESTIMATE_WORK);
    if (arb_is_positive(beta))
    {
        arb_log(beta, beta, PREC);
        log_rest = steer_midpoint(beta);
        /* between what leaves nothing of the rest and what leaves nothing of alpha; in the middle both losses are alike */
        for (i = 1; i < TAUS && -log_rest < x->eps; i++)
        {
            log_tau = -log_rest + (x->eps + log_rest) * i / TAUS;
            value = estimate(x->users, x->eps0, x->eps, log_tau, s, d_exp(log_rest) * -d_expm1(-log_tau - log_rest));
            if (value < x->best)
            {
                x->best = value;
                x->best_s = s;
                x->best_t = log_tau;
            }
        }
    }
    shuf_real_clear(at);
    arb_clear(zero);
    arb_clear(beta);
}

/* Steps of a grid from 0 to eps0, and halvings of the step around its best point. Steer only. */
#define STEPS 48
#define HALVINGS 6

/* Returns 0 if there is nothing below 1. */
static int choose(shuf_real_t s, shuf_real_t t, const shuf_randomiser_t randomiser, double users, double eps0, double eps)
{
    search_struct x = { randomiser, users, eps0, eps, 1, 0, 0 };
    double step = eps0 / STEPS, centre;
    int i;
    for (i = 0; i < STEPS; i++)
        try_s(&x, step * i);
    for (i = 0; i < HALVINGS && x.best < 1; i++)
    {
        step /= 2;
        centre = x.best_s;
        try_s(&x, centre - step);
        try_s(&x, centre + step);
    }
    shuf_real_set_d(s, x.best_s);
    shuf_real_set_d(t, x.best_t);
    return x.best < 1;
}

/* x := a number that is not below it. The bound grows with the values; that they are exact helps where it is small. */
static void round_up(arb_t x)
{
    arf_t end;
    arf_init(end);
    arb_get_ubound_arf(end, x, PREC);
    arb_set_arf(x, end);
    arf_clear(end);
}

int swap_terms_init(term_list *list, const shuf_randomiser_t randomiser, const round_struct *round, const shuf_real_t eps0, const shuf_real_t eps)
{
    shuf_real_t s, t;
    arb_t E, alpha, gamma, tau, rest, beta;
    int found;
    shuf_real_init(s); shuf_real_init(t);
    arb_init(E); arb_init(alpha); arb_init(gamma); arb_init(tau); arb_init(rest); arb_init(beta);
    shuf_real_get_arb(E, eps0, PREC);
    shuf_real_get_arb(alpha, eps, PREC);
    found = choose(s, t, randomiser, (double) round->n, steer_midpoint(E), steer_midpoint(alpha));
    shuf_real_exp(E, eps0, PREC);
    shuf_real_exp(alpha, eps, PREC);
    shuf_real_exp(gamma, s, PREC);
    shuf_real_exp(tau, t, PREC);
    arb_inv(rest, tau, PREC);
    leftover(beta, randomiser, s, rest);
    found = found && arb_is_positive(beta) && arb_le(tau, alpha) && arb_lt(alpha, E);
    if (found)
    {
        list->count = 3;
        list->allocated = 4;
        list->value = _arb_vec_init(4);
        list->mass = _arb_vec_init(4);
        arb_init(list->alone);
        arb_sub(list->value, E, alpha, PREC);
        round_up(list->value);
        arb_inv(list->mass, E, PREC);
        arb_sub(list->value + 1, tau, alpha, PREC);
        arb_mul(list->value + 1, list->value + 1, gamma, PREC);
        round_up(list->value + 1);
        arb_div(list->mass + 1, beta, gamma, PREC);
        arb_one(list->mass + 2);
        arb_sub(list->mass + 2, list->mass + 2, list->mass, PREC);
        arb_sub(list->mass + 2, list->mass + 2, list->mass + 1, PREC);
        found = arb_is_positive(list->mass + 2);
        if (!found)
            terms_clear(list);
    }
    shuf_real_clear(s); shuf_real_clear(t);
    arb_clear(E); arb_clear(alpha); arb_clear(gamma); arb_clear(tau); arb_clear(rest); arb_clear(beta);
    return found;
}
