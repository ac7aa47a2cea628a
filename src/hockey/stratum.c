/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "hockey/stratum.h"

#include "binomial/binomial.h"

#define STRATUM_EACH(s, f) \
    do { f(s->u); f(s->sum); f(s->kappa); f(s->slope); f(s->scaled_kappa); } while (0)

/* The strata and rests of a mixture of so many are summed in balls in a tenth of a second or so. Steers only. */
#define FEW_USERS 5000

int hockey_is_wide_mixture(const shuf_pair_t pair)
{
    shuf_pair_weights_t w;
    int yes;
    shuf_pair_weights_init(w);
    shuf_pair_get_weights(w, pair, SHUF_DIRECTION_PQ, 64);
    yes = w->rest_is_random && pair->n > FEW_USERS;
    shuf_pair_weights_clear(w);
    return yes;
}

void stratum_context_init(stratum_context_t s)
{
    STRATUM_EACH(s, arb_init);
    shuf_pair_weights_init(s->weights);
}

void stratum_context_clear(stratum_context_t s)
{
    STRATUM_EACH(s, arb_clear);
    shuf_pair_weights_clear(s->weights);
}

/* Coq: Strata.trinomial_strata. */
int stratum_context_set(stratum_context_t s, const shuf_pair_t pair, const shuf_real_t eps,
                        shuf_direction direction, slong prec)
{
    shuf_pair_weights_struct *w = s->weights;
    arb_t alpha, excess, d;
    arb_init(alpha); arb_init(excess); arb_init(d);

    s->others = pair->n - 1;
    s->prec = prec;
    shuf_pair_get_weights(w, pair, direction, prec + 2 * (slong) FLINT_BIT_COUNT(pair->n) + 16);

    shuf_real_exp(alpha, eps, prec + 32);
    shuf_real_get_arb(excess, eps, prec + 32);
    arb_expm1(excess, excess, prec + 32);

    /* u, then sum = -(w0+w1)(alpha-1) and v' = -v/(1-rho) = (u - sum)/(1-rho) */
    arb_mul(d, alpha, w->w1, prec + 32);
    arb_sub(s->u, w->w0, d, prec + 32);
    arb_add(s->sum, w->w0, w->w1, prec);
    arb_mul(s->sum, s->sum, excess, prec);
    arb_neg(s->sum, s->sum);
    arb_sub(s->slope, s->u, s->sum, prec + 32);
    arb_div(s->slope, s->slope, w->rho_complement, prec + 32);
    arb_div(d, s->u, w->rho, prec + 32);
    arb_add(d, d, s->slope, prec + 32);
    arb_div(s->slope, s->slope, d, prec + 32);
    arb_mul(s->kappa, excess, w->w2, prec);
    arb_mul(s->kappa, s->kappa, w->odds, prec);
    arb_div(s->scaled_kappa, s->kappa, d, prec + 32);

    arb_clear(alpha); arb_clear(excess); arb_clear(d);
    return arb_is_positive(s->u);
}

void stratum_K(arb_t K, const stratum_context_t s, ulong c, ulong rest)
{
    arb_mul_ui(K, s->kappa, rest, s->prec);
    arb_div_ui(K, K, c + 1, s->prec);
}

void stratum_value_at(arb_t v, const stratum_context_t s, const arb_t K, const arb_t pmf, const arb_t tail)
{
    slong prec = s->prec;
    arb_t t;
    arb_init(t);
    arb_mul(v, s->u, pmf, prec);
    arb_addmul(v, s->sum, tail, prec);
    if (!arb_is_zero(K))
    {
        arb_mul(t, pmf, s->weights->rho, prec);
        arb_add(t, t, tail, prec);
        arb_submul(v, t, K, prec);
    }
    arb_clear(t);
}

/* Coq: Strata.stratum_any, Strata.stratum_at, Strata.stratum_two, Strata.stratum_none, Strata.stratum_u. */
void stratum_value(arb_t v, const stratum_context_t s, ulong c, const arb_t K)
{
    const shuf_pair_weights_struct *w = s->weights;
    slong prec = s->prec;
    arb_t threshold, pmf, tail, other;
    fmpz_t first, last;
    arf_t low, high;
    arf_init(low); arf_init(high); arb_init(threshold); arb_init(pmf); arb_init(tail); arb_init(other);
    fmpz_init(first); fmpz_init(last);

    /* t* = (c+1)(slope + K/d), K/d = K/kappa * scaled_kappa */
    arb_set(threshold, s->slope);
    if (!arb_is_zero(K))
    {
        arb_div(other, K, s->kappa, prec);
        arb_addmul(threshold, other, s->scaled_kappa, prec);
    }
    arb_mul_ui(threshold, threshold, c + 1, prec + 64);
    /* the threshold is between the ceilings of the two ends */
    arb_get_interval_arf(low, high, threshold, prec + 64);
    arf_get_fmpz(first, low, ARF_RND_CEIL);
    arf_get_fmpz(last, high, ARF_RND_CEIL);

    if (fmpz_cmp_ui(first, c + 1) > 0)
    {
        arb_zero(v);
    }
    else
    {
        ulong t = fmpz_sgn(first) <= 0 ? 1 : fmpz_get_ui(first);
        shuf_binomial_pmf(pmf, c, t - 1, w->rho, w->rho_complement, prec);
        shuf_binomial_tail(tail, c, t, w->rho, w->rho_complement, prec);
        stratum_value_at(v, s, K, pmf, tail);
        fmpz_sub(last, last, first);
        if (fmpz_cmp_ui(last, 1) == 0 && t <= c)
        {
            /* the better of two neighbouring thresholds */
            shuf_binomial_pmf(pmf, c, t, w->rho, w->rho_complement, prec);
            shuf_binomial_tail(tail, c, t + 1, w->rho, w->rho_complement, prec);
            stratum_value_at(other, s, K, pmf, tail);
            arb_max(v, v, other, prec);
        }
        else if (!fmpz_is_zero(last) && fmpz_cmp_ui(last, 1) != 0)
        {
            /* threshold unknown: any t is a lower bound, u an upper one */
            arb_union(v, v, s->u, prec);
        }
        arb_zero(other);
        arb_max(v, v, other, prec);
    }

    arb_clear(threshold); arb_clear(pmf); arb_clear(tail); arb_clear(other); fmpz_clear(first); fmpz_clear(last);
    arf_clear(low); arf_clear(high);
}

/* Units of its exponentials and logarithm. Steers only. */
#define BEYOND_WORK 2e4

void stratum_beyond(arb_t bound, const stratum_context_t s, int above, ulong edge, double tau, slong prec)
{
    const shuf_pair_weights_struct *w = s->weights;
    const ulong n = s->others + 1;
    arb_t moment, seen, unseen, t;
    arb_init(moment); arb_init(seen); arb_init(unseen); arb_init(t);
    shuf_charge(BEYOND_WORK);
    arb_set_d(t, tau);
    /* seen = s (rho e^(tau u/rho) + (1-rho) e^(tau v/(1-rho))), unseen = (1-s) (rest e^(-tau kappa) + 1-rest) */
    arb_mul(seen, t, s->u, prec);
    arb_div(seen, seen, w->rho, prec);
    arb_exp(seen, seen, prec);
    arb_mul(seen, seen, w->rho, prec);
    arb_sub(unseen, s->sum, s->u, prec);
    arb_mul(unseen, unseen, t, prec);
    arb_div(unseen, unseen, w->rho_complement, prec);
    arb_exp(unseen, unseen, prec);
    arb_addmul(seen, unseen, w->rho_complement, prec);
    arb_mul(seen, seen, w->count, prec);
    arb_mul(unseen, t, s->kappa, prec);
    shuf_ball_exp_minus(unseen, unseen, prec);
    if (w->rest_is_random)
    {
        arb_mul(unseen, unseen, w->rest, prec);
        arb_add(unseen, unseen, w->rest_complement, prec);
    }
    arb_mul(unseen, unseen, w->count_complement, prec);
    arb_add(moment, seen, unseen, prec);
    arb_div(seen, seen, moment, prec);
    arb_div(unseen, unseen, moment, prec);
    if (above)
        shuf_binomial_upper_tail_bound(bound, n, edge, seen, unseen, prec);
    else
        shuf_binomial_lower_tail_bound(bound, n, edge, seen, unseen, prec);
    /* moment^n/(e tau n s) */
    arb_log(moment, moment, prec);
    arb_mul_ui(moment, moment, n, prec);
    arb_sub_ui(moment, moment, 1, prec);
    arb_exp(moment, moment, prec);
    arb_mul(bound, bound, moment, prec);
    arb_div(bound, bound, t, prec);
    arb_div_ui(bound, bound, n, prec);
    arb_div(bound, bound, w->count, prec);
    arb_clear(moment); arb_clear(seen); arb_clear(unseen); arb_clear(t);
}

/* Coq: RoundingThreshold.fixed_point_error. */
int stratum_set_fixed(stratum_fixed *f, const arb_t x, slong radius)
{
    fmpz_t z, high;
    arf_t scaled;
    int ok = mag_cmp_2exp_si(arb_radref(x), radius) < 0 && arf_cmpabs_2exp_si(arb_midref(x), 62) < 0;
    if (!ok)
        return 0;
    fmpz_init(z); fmpz_init(high); arf_init(scaled);
    arf_mul_2exp_si(scaled, arb_midref(x), 64);
    arf_get_fmpz(z, scaled, ARF_RND_FLOOR);
    fmpz_fdiv_q_2exp(high, z, 64);
    fmpz_fdiv_r_2exp(z, z, 64);
    *f = (stratum_fixed) fmpz_get_si(high) * ((stratum_fixed) 1 << 64) + (stratum_fixed) fmpz_get_ui(z);
    fmpz_clear(z); fmpz_clear(high); arf_clear(scaled);
    return 1;
}
