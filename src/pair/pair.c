/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pair/pair.h"

#include <string.h>

#define TRINOMIAL_ENGINES (SHUF_ENGINE_HOCKEY | SHUF_ENGINE_RENYI | SHUF_ENGINE_PLD)

/*
 * A row begins with the side, then name and theorem, without names of members:
 * a row that lacks one of the three does not compile.
 */
static const shuf_pair_facts pairs[] = {
    [SHUF_PAIR_CLONES] = { SHUF_SIDE_UPPER, "clones", "clones", .takes = SHUF_TAKES_EPS0,
                           .engines = TRINOMIAL_ENGINES | SHUF_ENGINE_FAST | SHUF_ENGINE_FAST_RENYI, .symmetric = 1,
                           .certificate = SHUF_CERTIFICATE_ROUNDS,
                           .about = "The clones reduction of eps0-LDP randomisers" },
    [SHUF_PAIR_CLONES_STRONGER] = { SHUF_SIDE_UPPER, "clones-stronger", "clones-stronger", .takes = SHUF_TAKES_EPS0,
                                    .engines = TRINOMIAL_ENGINES | SHUF_ENGINE_FAST | SHUF_ENGINE_FAST_RENYI, .symmetric = 1,
                                    .certificate = SHUF_CERTIFICATE_ROUNDS,
                                    .about = "The stronger clones reduction of eps0-LDP randomisers, never worse than clones" },
    [SHUF_PAIR_CLONES_DELETION] = { SHUF_SIDE_UPPER, "clones-deletion", "clones-deletion", .takes = SHUF_TAKES_EPS0,
                                    .engines = TRINOMIAL_ENGINES, .symmetric = 1,
                                    .about = "The clones of randomisers whose eps0 is that of deletion" },
    [SHUF_PAIR_RR2] = { SHUF_SIDE_LOWER, "rr2", "rr2", .takes = SHUF_TAKES_EPS0,
                        .engines = TRINOMIAL_ENGINES | SHUF_ENGINE_FAST | SHUF_ENGINE_FAST_RENYI, .all_equal = SHUF_LAW_P,
                        .certificate = SHUF_CERTIFICATE_ROUNDS,
                        .about = "Binary randomised response where all others hold the value of the differing user" },
    [SHUF_PAIR_KRR_SAME] = { SHUF_SIDE_LOWER, "krr-same", "krr-same", .takes = SHUF_TAKES_EPS0 | SHUF_TAKES_K, .least_k = 2,
                             .engines = TRINOMIAL_ENGINES, .all_equal = SHUF_LAW_P, .certificate = SHUF_CERTIFICATE_ROUNDS,
                             .about = "k-ary randomised response where all others hold the value of the differing user" },
    [SHUF_PAIR_KRR_THIRD] = { SHUF_SIDE_LOWER, "krr-third", "krr-third", .takes = SHUF_TAKES_EPS0 | SHUF_TAKES_K, .least_k = 3,
                              .engines = TRINOMIAL_ENGINES, .symmetric = 1, .certificate = SHUF_CERTIFICATE_ROUNDS,
                              .about = "k-ary randomised response where all others hold a third value" },
    [SHUF_PAIR_KRR_STRONG] = { SHUF_SIDE_UPPER, "krr-strong", "krr-strong", .takes = SHUF_TAKES_GAMMA | SHUF_TAKES_K, .least_k = 2,
                               .engines = TRINOMIAL_ENGINES | SHUF_ENGINE_FAST, .symmetric = 1,
                               .certificate = SHUF_CERTIFICATE_ROUNDS,
                               .about = "k-ary randomised response against an adversary who sees which users answered at random" },
    [SHUF_PAIR_KRR_WEAK] = { SHUF_SIDE_UPPER, "krr-weak", "krr-weak", .takes = SHUF_TAKES_GAMMA | SHUF_TAKES_K, .least_k = 2,
                             .engines = TRINOMIAL_ENGINES, .symmetric = 1,
                             .certificate = SHUF_CERTIFICATE_ONE_ROUND,
                             .about = "k-ary randomised response against an adversary who sees which of the other users answered at random: tighter" },
    [SHUF_PAIR_TRINOMIAL] = { SHUF_SIDE_NONE, "trinomial", "trinomial", .takes = SHUF_TAKES_WEIGHTS,
                              .engines = TRINOMIAL_ENGINES, .symmetric = 1, .certificate = SHUF_CERTIFICATE_ROUNDS,
                              .about = "Two counters with probabilities of your own; no theorem says what it bounds" },
    [SHUF_PAIR_GAUSSIAN] = { SHUF_SIDE_LOWER, "gaussian", "gaussian-all-equal", .takes = SHUF_TAKES_SIGMA,
                             .engines = SHUF_ENGINE_GAUSSIAN, .all_equal = SHUF_LAW_P,
                             .about = "Shuffled normal noise where all others hold the value of the differing user" },
    [SHUF_PAIR_CLONES_SAMPLED] = { SHUF_SIDE_UPPER, "clones-sampled", "clones-sampled", .takes = SHUF_TAKES_EPS0 | SHUF_TAKES_RATE,
                                   .engines = TRINOMIAL_ENGINES, .symmetric = 1,
                                   .about = "The stronger clones of a sample of fixed size" },
    [SHUF_PAIR_KRR_THIRD_SAMPLED] = { SHUF_SIDE_LOWER, "krr-third-sampled", "krr-third-sampled",
                                      .takes = SHUF_TAKES_EPS0 | SHUF_TAKES_K | SHUF_TAKES_RATE, .least_k = 3,
                                      .engines = TRINOMIAL_ENGINES, .symmetric = 1,
                                      .about = "k-ary randomised response of a sample of fixed size where all others hold a third value" },
    [SHUF_PAIR_CLONES_POISSON] = { SHUF_SIDE_UPPER, "clones-poisson", "clones-poisson", .takes = SHUF_TAKES_EPS0 | SHUF_TAKES_PROBABILITY,
                                   .engines = TRINOMIAL_ENGINES, .symmetric = 1,
                                   .about = "The stronger clones of a Poisson sample" },
    [SHUF_PAIR_KRR_SAME_POISSON] = { SHUF_SIDE_LOWER, "krr-same-poisson", "krr-poisson",
                                     .takes = SHUF_TAKES_EPS0 | SHUF_TAKES_K | SHUF_TAKES_PROBABILITY, .least_k = 2,
                                     .engines = TRINOMIAL_ENGINES, .all_equal = SHUF_LAW_P,
                                     .about = "k-ary randomised response of a Poisson sample where all others hold the value of the differing user" },
    [SHUF_PAIR_KRR_THIRD_POISSON] = { SHUF_SIDE_LOWER, "krr-third-poisson", "krr-poisson",
                                      .takes = SHUF_TAKES_EPS0 | SHUF_TAKES_K | SHUF_TAKES_PROBABILITY, .least_k = 3,
                                      .engines = TRINOMIAL_ENGINES, .symmetric = 1,
                                      .about = "k-ary randomised response of a Poisson sample where all others hold a third value" },
};

_Static_assert(sizeof(pairs) / sizeof(pairs[0]) == SHUF_PAIR_KINDS, "a kind of pair without a row");

const shuf_pair_facts *shuf_pair_about(shuf_pair_kind kind)
{
    static const shuf_pair_facts nothing;
    return (unsigned) kind < SHUF_PAIR_KINDS ? &pairs[kind] : &nothing;
}

int shuf_pair_find(shuf_pair_kind *kind, const char *name)
{
    unsigned i;
    for (i = 0; i < SHUF_PAIR_KINDS; i++)
    {
        if (strcmp(pairs[i].name, name) == 0)
        {
            *kind = (shuf_pair_kind) i;
            return 1;
        }
    }
    return 0;
}

int shuf_pair_certifies(shuf_pair_kind kind, shuf_side side)
{
    const shuf_pair_facts *facts = shuf_pair_about(kind);
    return facts->side == side && shuf_theorem_certifies(facts->theorem, side);
}

#define SAMPLES (SHUF_TAKES_RATE | SHUF_TAKES_PROBABILITY)

int shuf_pair_is_sampled(shuf_pair_kind kind)
{
    return (shuf_pair_about(kind)->takes & SAMPLES) != 0;
}

int shuf_pair_bounds_eps0(shuf_pair_kind kind)
{
    return (shuf_pair_about(kind)->takes & ~(unsigned) SAMPLES) == SHUF_TAKES_EPS0 && shuf_pair_certifies(kind, SHUF_SIDE_UPPER);
}

int shuf_pair_has_engine(const shuf_pair_t pair, shuf_pair_engine engine)
{
    return (shuf_pair_about(pair->kind)->engines & (unsigned) engine) != 0;
}

void shuf_pair_init(shuf_pair_t pair)
{
    pair->kind = SHUF_PAIR_CLONES;
    pair->n = 1;
    pair->k = 2;
    shuf_real_init(pair->eps0);
    fmpq_init(pair->gamma);
    pair->gamma_is_of_eps0 = 0;
    fmpq_init(pair->rate);
    fmpq_one(pair->rate);
    fmpq_init(pair->w0); fmpq_init(pair->w1); fmpq_init(pair->r0); fmpq_init(pair->r1); shuf_real_init(pair->sigma);
}

void shuf_pair_clear(shuf_pair_t pair)
{
    shuf_real_clear(pair->eps0); fmpq_clear(pair->gamma); fmpq_clear(pair->rate); fmpq_clear(pair->w0);
    fmpq_clear(pair->w1); fmpq_clear(pair->r0); fmpq_clear(pair->r1); shuf_real_clear(pair->sigma);
}

void shuf_pair_set(shuf_pair_t pair, const shuf_pair_t other)
{
    pair->kind = other->kind;
    pair->n = other->n;
    pair->k = other->k;
    shuf_real_set(pair->eps0, other->eps0);
    fmpq_set(pair->gamma, other->gamma);
    pair->gamma_is_of_eps0 = other->gamma_is_of_eps0;
    fmpq_set(pair->rate, other->rate);
    fmpq_set(pair->w0, other->w0);
    fmpq_set(pair->w1, other->w1);
    fmpq_set(pair->r0, other->r0);
    fmpq_set(pair->r1, other->r1);
    shuf_real_set(pair->sigma, other->sigma);
}

static int users_ok(uint64_t n)
{
    return n >= 1 && n <= SHUF_MAX_USERS;
}

static int eps0_ok(const shuf_real_t eps0)
{
    return shuf_real_sgn(eps0) >= 0 && shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) <= 0;
}

/*
 * Coq: Stronger.stronger_dominates, Stronger.clones_dominates, Countable.stronger_countable,
 * Clones.clones_remark_3_5, KrrShuffle.rr2_exact.
 */
int shuf_pair_set_eps0(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, const shuf_real_t eps0)
{
    if (shuf_pair_about(kind)->takes != SHUF_TAKES_EPS0 || !users_ok(n) || !eps0_ok(eps0))
        return -1;
    pair->kind = kind;
    pair->n = n;
    pair->k = 2;
    fmpq_one(pair->rate);
    shuf_real_set(pair->eps0, eps0);
    return 0;
}

/* Coq: KrrShuffle.krr_same_exact, KrrShuffle.krr_third_below. */
int shuf_pair_set_krr(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0)
{
    const shuf_pair_facts *facts = shuf_pair_about(kind);
    if (facts->takes != (SHUF_TAKES_EPS0 | SHUF_TAKES_K) || !users_ok(n) || !eps0_ok(eps0)
        || k < facts->least_k || k > SHUF_MAX_K)
        return -1;
    pair->kind = kind;
    pair->n = n;
    pair->k = k;
    fmpq_one(pair->rate);
    shuf_real_set(pair->eps0, eps0);
    return 0;
}

/* Coq: KrrShuffle.krr_weak_bound, KrrShuffle.krr_strong_bound. */
int shuf_pair_set_krr_blanket(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const fmpq_t gamma)
{
    const shuf_pair_facts *facts = shuf_pair_about(kind);
    if (facts->takes != (SHUF_TAKES_GAMMA | SHUF_TAKES_K) || !users_ok(n) || k < facts->least_k || k > SHUF_MAX_K
        || fmpq_sgn(gamma) < 0 || fmpz_cmp(fmpq_numref(gamma), fmpq_denref(gamma)) > 0)
        return -1;
    pair->kind = kind;
    pair->n = n;
    pair->k = k;
    fmpq_set(pair->gamma, gamma);
    pair->gamma_is_of_eps0 = 0;
    fmpq_zero(pair->w0);
    fmpq_zero(pair->w1);
    return 0;
}

int shuf_pair_set_krr_weak_own(shuf_pair_t pair, uint64_t n, uint64_t k, const fmpq_t gamma, const fmpq_t w1)
{
    fmpq_t t;
    int result;
    fmpq_init(t);
    fmpz_set_ui(fmpq_numref(t), k);
    fmpq_mul(t, t, w1);
    result = fmpq_sgn(w1) <= 0 || fmpq_cmp(t, shuf_one) > 0 ? -1 : shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, n, k, gamma);
    if (result == 0)
    {
        /* w0 + (k-1) w1 = 1 */
        fmpq_sub(t, shuf_one, t);
        fmpq_add(pair->w0, t, w1);
        fmpq_set(pair->w1, w1);
    }
    fmpq_clear(t);
    return result;
}

int shuf_pair_set_krr_blanket_eps0(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0)
{
    fmpq_t gamma;
    int result, is_rational = eps0->is_log || shuf_real_sgn(eps0) == 0;
    if (!eps0_ok(eps0))
        return -1;
    fmpq_init(gamma);
    if (is_rational)
    {
        fmpq_t E;
        fmpq_init(E);
        fmpq_one(E);
        if (eps0->is_log)
            fmpq_set(E, eps0->q);
        fmpz_set_ui(fmpq_numref(gamma), k - 1);
        fmpq_add(E, E, gamma);
        fmpz_set_ui(fmpq_numref(gamma), k);
        fmpq_div(gamma, gamma, E);
        fmpq_clear(E);
    }
    result = shuf_pair_set_krr_blanket(pair, kind, n, k, gamma);
    if (result == 0)
    {
        pair->gamma_is_of_eps0 = !is_rational;
        shuf_real_set(pair->eps0, eps0);
    }
    fmpq_clear(gamma);
    return result;
}

/* Coq: SampledShuffle.sampled_clones_dominates, PoissonShuffle.poisson_clones_dominates. */
int shuf_pair_set_sampled(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0, const fmpq_t rate)
{
    const shuf_pair_facts *facts = shuf_pair_about(kind);
    if (!shuf_pair_is_sampled(kind) || !users_ok(n) || !eps0_ok(eps0) || k < FLINT_MAX(facts->least_k, 2) || k > SHUF_MAX_K
        || (k > 2 && !(facts->takes & SHUF_TAKES_K)) || fmpq_sgn(rate) <= 0 || fmpz_cmp(fmpq_numref(rate), fmpq_denref(rate)) > 0)
        return -1;
    pair->kind = kind;
    pair->n = n;
    pair->k = k;
    shuf_real_set(pair->eps0, eps0);
    fmpq_set(pair->rate, rate);
    return 0;
}

int shuf_pair_set_trinomial(shuf_pair_t pair, uint64_t n, const fmpq_t w0, const fmpq_t w1, const fmpq_t r0, const fmpq_t r1)
{
    fmpq_t w, r;
    int ok;
    fmpq_init(w);
    fmpq_init(r);
    fmpq_add(w, w0, w1);
    fmpq_add(r, r0, r1);
    ok = users_ok(n) && fmpq_sgn(w0) >= 0 && fmpq_sgn(w1) >= 0 && fmpq_sgn(r0) >= 0
         && fmpq_sgn(r1) >= 0 && fmpq_is_zero(r0) == fmpq_is_zero(r1)
         && fmpz_cmp(fmpq_numref(w), fmpq_denref(w)) <= 0
         && fmpz_cmp(fmpq_numref(r), fmpq_denref(r)) <= 0;
    if (ok)
    {
        /* rename a <-> b when needed, so that w0 >= w1 */
        int swap = fmpq_cmp(w0, w1) < 0;
        pair->kind = SHUF_PAIR_TRINOMIAL;
        pair->n = n;
        fmpq_set(pair->w0, swap ? w1 : w0);
        fmpq_set(pair->w1, swap ? w0 : w1);
        fmpq_set(pair->r0, swap ? r1 : r0);
        fmpq_set(pair->r1, swap ? r0 : r1);
    }
    fmpq_clear(w);
    fmpq_clear(r);
    return ok ? 0 : -1;
}

int shuf_pair_set_gaussian(shuf_pair_t pair, uint64_t n, const shuf_real_t sigma)
{
    shuf_real_t least;
    int ok;
    shuf_real_init(least);
    shuf_real_set_str(least, "1/1000");
    ok = users_ok(n) && shuf_real_cmp(sigma, least) >= 0 && shuf_real_cmp_si(sigma, 1000000) <= 0;
    if (ok)
    {
        pair->kind = SHUF_PAIR_GAUSSIAN;
        pair->n = n;
        shuf_real_set(pair->sigma, sigma);
    }
    shuf_real_clear(least);
    return ok ? 0 : -1;
}

const char *shuf_pair_theorem(const shuf_pair_t pair)
{
    return shuf_pair_about(pair->kind)->theorem;
}

#define LOSS_PREC 256 /* steers only */

void shuf_sampled_loss(shuf_real_t lo, shuf_real_t hi, const shuf_real_t x, const fmpq_t rate)
{
    fmpq_t E;
    arb_t t, g;
    arf_t end;
    if (fmpq_is_one(rate))
    {
        shuf_real_set(lo, x);
        shuf_real_set(hi, x);
        return;
    }
    fmpq_init(E); arb_init(t); arb_init(g); arf_init(end);
    if (x->is_log)
    {
        fmpq_sub(E, x->q, shuf_one);
        fmpq_mul(E, E, rate);
        fmpq_add(E, E, shuf_one);
        shuf_real_set_log_fmpq(lo, E);
        shuf_real_set_log_fmpq(hi, E);
    }
    else
    {
        shuf_real_get_arb(t, x, LOSS_PREC);
        arb_expm1(t, t, LOSS_PREC);
        arb_set_fmpq(g, rate, LOSS_PREC);
        arb_mul(t, t, g, LOSS_PREC);
        arb_log1p(t, t, LOSS_PREC);
        arb_get_ubound_arf(end, t, LOSS_PREC);
        shuf_real_set_arf(hi, end);
        shuf_ball_least(end, t, LOSS_PREC);
        shuf_real_set_arf(lo, end);
    }
    fmpq_clear(E); arb_clear(t); arb_clear(g); arf_clear(end);
}

static int trinomial_loss(shuf_real_t loss, const shuf_pair_t pair)
{
    fmpq_t ratio;
    int finite = fmpq_is_zero(pair->w0) || !fmpq_is_zero(pair->w1);
    fmpq_init(ratio);
    if (fmpq_is_zero(pair->w0))
    {
        shuf_real_set_fmpq(loss, ratio);
    }
    else if (finite)
    {
        fmpq_div(ratio, pair->w0, pair->w1);
        shuf_real_set_log_fmpq(loss, ratio);
    }
    fmpq_clear(ratio);
    return finite;
}

void shuf_krr_loss(shuf_real_t loss, const fmpq_t gamma, uint64_t k)
{
    fmpq_t ratio, t;
    fmpq_init(ratio);
    fmpq_init(t);
    fmpq_inv(ratio, gamma);
    fmpq_sub(ratio, ratio, shuf_one);
    fmpz_set_ui(fmpq_numref(t), k);
    fmpq_mul(ratio, ratio, t);
    fmpq_add(ratio, ratio, shuf_one);
    shuf_real_set_log_fmpq(loss, ratio);
    fmpq_clear(ratio);
    fmpq_clear(t);
}

/* log w0/w1. */
static int weak_loss(shuf_real_t loss, const shuf_pair_t pair)
{
    if (!fmpq_is_zero(pair->w1))
        return trinomial_loss(loss, pair);
    if (pair->gamma_is_of_eps0)
    {
        shuf_real_set(loss, pair->eps0);
        return 1;
    }
    if (fmpq_is_zero(pair->gamma))
        return 0;
    shuf_krr_loss(loss, pair->gamma, pair->k);
    return 1;
}

int shuf_pair_max_loss(shuf_real_t loss, const shuf_pair_t pair)
{
    fmpq_t ratio;
    int finite = 1;
    fmpq_init(ratio);
    switch (pair->kind)
    {
    case SHUF_PAIR_KRR_STRONG:
        finite = fmpq_is_one(pair->gamma) && !pair->gamma_is_of_eps0; /* scale 0: no loss at all */
        if (finite)
            shuf_real_set_fmpq(loss, ratio);
        break;
    case SHUF_PAIR_KRR_WEAK:
        finite = weak_loss(loss, pair);
        break;
    case SHUF_PAIR_TRINOMIAL:
        finite = trinomial_loss(loss, pair);
        break;
    case SHUF_PAIR_CLONES:
    case SHUF_PAIR_CLONES_STRONGER:
    case SHUF_PAIR_RR2:
    case SHUF_PAIR_KRR_SAME:
    case SHUF_PAIR_KRR_THIRD:
    case SHUF_PAIR_CLONES_POISSON:
    case SHUF_PAIR_KRR_SAME_POISSON:
    case SHUF_PAIR_KRR_THIRD_POISSON:
        shuf_real_set(loss, pair->eps0);
        break;
    case SHUF_PAIR_CLONES_DELETION:
        shuf_real_twice(loss, pair->eps0);
        break;
    case SHUF_PAIR_CLONES_SAMPLED:
    case SHUF_PAIR_KRR_THIRD_SAMPLED:
    {
        shuf_real_t lo;
        shuf_real_init(lo);
        shuf_sampled_loss(lo, loss, pair->eps0, pair->rate);
        shuf_real_clear(lo);
        break;
    }
    case SHUF_PAIR_GAUSSIAN:
        finite = 0;
        break;
    }
    fmpq_clear(ratio);
    return finite;
}

int shuf_pair_get_max_loss(arb_t loss, const shuf_pair_t pair, slong prec)
{
    shuf_real_t x;
    arb_t g;
    int finite;
    shuf_real_init(x);
    arb_init(g);
    finite = shuf_pair_max_loss(x, pair);
    if (finite && (shuf_pair_about(pair->kind)->takes & SHUF_TAKES_RATE) && !fmpq_is_one(pair->rate) && !x->is_log)
    {
        shuf_real_get_arb(loss, pair->eps0, prec);
        arb_expm1(loss, loss, prec);
        arb_set_fmpq(g, pair->rate, prec);
        arb_mul(loss, loss, g, prec);
        arb_log1p(loss, loss, prec);
    }
    else if (finite)
    {
        shuf_real_get_arb(loss, x, prec);
    }
    shuf_real_clear(x);
    arb_clear(g);
    return finite;
}

/* Coq: KrrPairs.trinomial_symmetric. */
int shuf_pair_is_symmetric(const shuf_pair_t pair)
{
    const shuf_pair_facts *facts = shuf_pair_about(pair->kind);
    return facts->symmetric && ((facts->takes & SHUF_TAKES_WEIGHTS) == 0 || fmpq_equal(pair->r0, pair->r1));
}

#define WEIGHTS_EACH(w, f) \
    do { f(w->w0); f(w->w1); f(w->w2); f(w->rho); f(w->rho_complement); \
         f(w->count); f(w->count_complement); f(w->odds); f(w->scale); \
         f(w->rest); f(w->rest_complement); } while (0)

void shuf_pair_weights_init(shuf_pair_weights_t w)
{
    WEIGHTS_EACH(w, arb_init);
    w->rest_is_random = 0;
}

void shuf_pair_weights_clear(shuf_pair_weights_t w)
{
    WEIGHTS_EACH(w, arb_clear);
}

/* x / (E + extra) */
static void over_E_plus(arb_t r, const arb_t x, const arb_t E, slong extra, slong prec)
{
    arb_t d;
    arb_init(d);
    arb_add_si(d, E, extra, prec);
    arb_div(r, x, d, prec);
    arb_clear(d);
}

/* Coq: Instances.clones_strata, Instances.stronger_strata. */
static void clones_weights(shuf_pair_weights_t w, const shuf_pair_t pair, const arb_t E, const arb_t E_minus_1, slong prec)
{
    arb_t one;
    arb_init(one);
    arb_one(one);
    over_E_plus(w->w0, E, E, 1, prec);
    over_E_plus(w->w1, one, E, 1, prec);
    if (pair->kind == SHUF_PAIR_CLONES)
    {
        arb_inv(w->count, E, prec);
        arb_div(w->count_complement, E_minus_1, E, prec);
    }
    else
    {
        over_E_plus(w->count, one, E, 1, prec);
        arb_mul_2exp_si(w->count, w->count, 1);
        over_E_plus(w->count_complement, E_minus_1, E, 1, prec);
    }
    arb_clear(one);
}

/* x := q, complement := 1 - q. */
static void set_share(arb_t x, arb_t complement, const fmpq_t q, slong prec)
{
    fmpq_t t;
    fmpq_init(t);
    fmpq_sub(t, shuf_one, q);
    arb_set_fmpq(complement, t, prec);
    arb_set_fmpq(x, q, prec);
    fmpq_clear(t);
}

/*
 * rr2 is krr with k = 2, all others alike; with a probability q of taking part, who does not adds to neither count.
 * Coq: Instances.rr2_stratum, Instances.krr_same_strata, Instances.krr_third_strata, KrrSampled.krr_same_poisson,
 * KrrSampled.krr_third_poisson.
 */
static void krr_weights(shuf_pair_weights_t w, const shuf_pair_t pair, const arb_t E, const arb_t E_minus_1, slong prec)
{
    const int third = pair->kind == SHUF_PAIR_KRR_THIRD || pair->kind == SHUF_PAIR_KRR_THIRD_POISSON;
    slong k = (slong) pair->k;
    arb_t one, q, away, r, t;
    arb_init(one); arb_init(q); arb_init(away); arb_init(r); arb_init(t);
    arb_one(one);
    set_share(q, away, pair->rate, prec);
    over_E_plus(r, q, E, k - 1, prec);
    arb_mul(t, q, E, prec);
    over_E_plus(w->w0, t, E, k - 1, prec);
    arb_set(w->w1, r);
    arb_mul_ui(w->w2, r, pair->k - 2, prec);
    if (third)
    {
        arb_mul_2exp_si(w->count, r, 1);
        arb_add_si(t, E_minus_1, k - 2, prec);
        arb_mul(t, t, q, prec);
        over_E_plus(w->count_complement, t, E, k - 1, prec);
    }
    else
    {
        over_E_plus(w->rho, E, E, 1, prec);
        over_E_plus(w->rho_complement, one, E, 1, prec);
        arb_add_ui(t, E, 1, prec);
        arb_mul(t, t, q, prec);
        over_E_plus(w->count, t, E, k - 1, prec);
        arb_set(w->count_complement, w->w2);
    }
    arb_add(w->w2, w->w2, away, prec);
    arb_add(w->count_complement, w->count_complement, away, prec);
    if (arb_is_zero(w->count_complement))
        arb_one(w->count);
    else if (!arb_is_zero(w->w2))
        arb_div(w->odds, w->count, w->count_complement, prec);
    arb_clear(one); arb_clear(q); arb_clear(away); arb_clear(r); arb_clear(t);
}

/*
 * proofs/clones-sampled.md: krr-third, where the differing user is one more of the others unless he is sampled; clones-sampled is the same with k = 2.
 * Coq: KrrSampled.krr_third_sampled.
 */
static void sampled_weights(shuf_pair_weights_t w, const shuf_pair_t pair, const arb_t E, const arb_t E_minus_1, slong prec)
{
    slong k = (slong) pair->k;
    arb_t others, away, t;
    arb_init(others); arb_init(away); arb_init(t);
    arb_one(t);
    over_E_plus(w->w1, t, E, k - 1, prec);
    set_share(t, away, pair->rate, prec);
    arb_mul(w->w0, t, E_minus_1, prec);
    arb_add_ui(w->w0, w->w0, 1, prec);
    arb_mul(w->w0, w->w0, w->w1, prec);
    arb_add_si(others, E_minus_1, k - 2, prec); /* another user's rest, over r */
    arb_mul(w->w2, others, away, prec);
    arb_addmul_ui(w->w2, t, pair->k - 2, prec);
    arb_mul(w->w2, w->w2, w->w1, prec);
    arb_mul_2exp_si(w->count, w->w1, 1);
    arb_mul(w->count_complement, others, w->w1, prec);
    if (!arb_is_zero(w->w2))
    {
        arb_set_ui(t, 2);
        arb_div(w->odds, t, others, prec);
    }
    arb_clear(others); arb_clear(away); arb_clear(t);
}

/* proofs/clones-sampled.md: who stays away is seen to, and the differing user is sampled or stays away. */
static void clones_poisson_weights(shuf_pair_weights_t w, const shuf_pair_t pair, const arb_t E, const arb_t E_minus_1, slong prec)
{
    arb_t q;
    arb_init(q);
    set_share(q, w->w2, pair->rate, prec);
    over_E_plus(w->w1, q, E, 1, prec);
    arb_mul(w->w0, w->w1, E, prec);
    arb_mul_2exp_si(w->count, w->w1, 1);
    arb_mul(w->rest_complement, w->w1, E_minus_1, prec); /* a third output, which is not seen */
    arb_add(w->count_complement, w->rest_complement, w->w2, prec);
    if (!arb_is_zero(w->w2))
    {
        w->rest_is_random = 1;
        arb_div(w->odds, w->count, w->w2, prec);
        arb_div(w->rest, w->w2, w->count_complement, prec);
        arb_div(w->rest_complement, w->rest_complement, w->count_complement, prec);
    }
    else
    {
        arb_zero(w->rest_complement);
    }
    arb_clear(q);
}

/* The blanket's pairs for the ratio E of k-RR on K + 1 values, r = 1/(E+K); K need not be whole. No difference of close numbers is taken. */
static void krr_blanket_weights(shuf_pair_weights_t w, int strong, const arb_t E, const arb_t E_minus_1, const arb_t K, const arb_t K_minus_1, slong prec)
{
    arb_t r, all;
    arb_init(r);
    arb_init(all);
    arb_add(r, E, K, prec);
    arb_inv(r, r, prec);
    arb_add(all, E_minus_1, K_minus_1, prec); /* 1/r - 2 */
    arb_mul_2exp_si(w->count, r, 1);
    arb_mul(w->count_complement, all, r, prec);
    if (strong)
    {
        arb_one(w->w0);
        arb_mul(w->scale, E_minus_1, r, prec);
    }
    else
    {
        arb_mul(w->w0, E, r, prec);
        arb_set(w->w1, r);
        arb_mul(w->w2, K_minus_1, r, prec);
    }
    if (!strong && !arb_is_zero(K_minus_1))
    {
        w->rest_is_random = 1;
        arb_div(w->rest, K_minus_1, all, prec);
        arb_div(w->rest_complement, E_minus_1, all, prec);
        arb_set_ui(w->odds, 2);
        arb_div(w->odds, w->odds, K_minus_1, prec);
    }
    arb_clear(r);
    arb_clear(all);
}

static void krr_eps0_weights(shuf_pair_weights_t w, const shuf_pair_t pair, const arb_t E, const arb_t E_minus_1, slong prec)
{
    arb_t K, K_minus_1;
    arb_init(K);
    arb_init(K_minus_1);
    arb_set_ui(K, pair->k - 1);
    arb_set_ui(K_minus_1, pair->k - 2);
    krr_blanket_weights(w, pair->kind == SHUF_PAIR_KRR_STRONG, E, E_minus_1, K, K_minus_1, prec);
    arb_clear(K);
    arb_clear(K_minus_1);
}

/* krr-weak of e^eps0 + 1 values and the ratio e^(2 eps0): proofs/deletion.md. */
static void deletion_weights(shuf_pair_weights_t w, const arb_t E, const arb_t E_minus_1, slong prec)
{
    arb_t square, square_minus_1;
    arb_init(square);
    arb_init(square_minus_1);
    arb_mul(square, E, E, prec);
    arb_add_ui(square_minus_1, E, 1, prec);
    arb_mul(square_minus_1, square_minus_1, E_minus_1, prec);
    krr_blanket_weights(w, 0, square, square_minus_1, E, E_minus_1, prec);
    arb_clear(square);
    arb_clear(square_minus_1);
}

/* Coq: KrrPairs.krr_strong_value, Instances.krr_strong_strata, Instances.krr_strong_no_blanket. */
static void krr_strong_weights(shuf_pair_weights_t w, const shuf_pair_t pair, slong prec)
{
    fmpq_t q;
    fmpq_init(q);
    arb_one(w->w0);
    fmpq_sub(q, shuf_one, pair->gamma);
    arb_set_fmpq(w->scale, q, prec);
    fmpq_set_ui(q, 2, pair->k);
    fmpq_mul(q, q, pair->gamma);
    set_share(w->count, w->count_complement, q, prec);
    fmpq_clear(q);
}

/* Coq: KrrPairs.krr_weak_mixture. */
static void krr_weak_weights(shuf_pair_weights_t w, const shuf_pair_t pair, slong prec)
{
    fmpq_t q, s;
    fmpq_init(q); fmpq_init(s);
    fmpq_set_ui(s, 1, pair->k);
    fmpq_mul(q, s, pair->gamma); /* gamma/k */
    arb_set_fmpq(w->w1, q, prec);
    fmpq_sub(s, shuf_one, pair->gamma);
    fmpq_add(s, s, q);
    arb_set_fmpq(w->w0, s, prec);
    fmpq_add(s, s, q);
    fmpq_sub(s, shuf_one, s);
    arb_set_fmpq(w->w2, s, prec); /* gamma (k-2)/k */
    fmpq_add(q, q, q);            /* 2 gamma/k: another's random report falls on a or b */
    set_share(w->count, w->count_complement, q, prec);
    if (pair->k > 2)
    {
        /* given that it does not, it is a revealed report elsewhere with
           probability w2/(1 - 2 gamma/k); s/(1-s) = 2/(k-2) with s = 2/k */
        w->rest_is_random = 1;
        fmpq_sub(q, shuf_one, q);
        fmpq_div(q, s, q);
        set_share(w->rest, w->rest_complement, q, prec);
        fmpq_set_ui(q, 2, pair->k - 2);
        arb_set_fmpq(w->odds, q, prec);
    }
    if (!fmpq_is_zero(pair->w1))
    {
        arb_set_fmpq(w->w0, pair->w0, prec);
        arb_set_fmpq(w->w1, pair->w1, prec);
        arb_mul_ui(w->w2, w->w1, pair->k - 2, prec);
    }
    fmpq_clear(q); fmpq_clear(s);
}

/* Coq: Instances.trinomial_alone. */
static void trinomial_weights(shuf_pair_weights_t w, const shuf_pair_t pair, slong prec)
{
    fmpq_t q, s;
    fmpq_init(q); fmpq_init(s);
    fmpq_add(q, pair->w0, pair->w1);
    set_share(w->w0, w->w2, q, prec);
    arb_set_fmpq(w->w0, pair->w0, prec);
    arb_set_fmpq(w->w1, pair->w1, prec);
    fmpq_add(s, pair->r0, pair->r1);
    set_share(w->count, w->count_complement, s, prec);
    fmpq_sub(q, shuf_one, s);
    if (!fmpq_is_zero(s)) /* else nobody else is seen, and rho is of no consequence */
    {
        if (!fmpq_is_zero(q) && !arb_is_zero(w->w2))
        {
            fmpq_div(q, s, q);
            arb_set_fmpq(w->odds, q, prec);
        }
        fmpq_div(q, pair->r0, s);
        set_share(w->rho, w->rho_complement, q, prec);
    }
    fmpq_clear(q); fmpq_clear(s);
}

/* Coq: KrrPairs.trinomial_other_direction. */
void shuf_pair_get_weights(shuf_pair_weights_t w, const shuf_pair_t pair, shuf_direction direction, slong prec)
{
    arb_t E, E_minus_1;
    arb_init(E);
    arb_init(E_minus_1);
    WEIGHTS_EACH(w, arb_zero);
    w->rest_is_random = 0;
    arb_one(w->scale);
    arb_set_d(w->rho, 0.5);
    arb_set_d(w->rho_complement, 0.5);

    /* E - 1 without cancellation */
    shuf_real_exp(E, pair->eps0, prec);
    if (pair->eps0->is_log)
    {
        fmpq_t q;
        fmpq_init(q);
        fmpq_sub(q, pair->eps0->q, shuf_one);
        arb_set_fmpq(E_minus_1, q, prec);
        fmpq_clear(q);
    }
    else
    {
        shuf_real_get_arb(E_minus_1, pair->eps0, prec + 64);
        arb_expm1(E_minus_1, E_minus_1, prec);
    }

    switch (pair->kind)
    {
    case SHUF_PAIR_CLONES:
    case SHUF_PAIR_CLONES_STRONGER:
        clones_weights(w, pair, E, E_minus_1, prec);
        break;
    case SHUF_PAIR_RR2:
    case SHUF_PAIR_KRR_SAME:
    case SHUF_PAIR_KRR_THIRD:
    case SHUF_PAIR_KRR_SAME_POISSON:
    case SHUF_PAIR_KRR_THIRD_POISSON:
        krr_weights(w, pair, E, E_minus_1, prec);
        break;
    case SHUF_PAIR_CLONES_SAMPLED:
    case SHUF_PAIR_KRR_THIRD_SAMPLED:
        sampled_weights(w, pair, E, E_minus_1, prec);
        break;
    case SHUF_PAIR_CLONES_POISSON:
        clones_poisson_weights(w, pair, E, E_minus_1, prec);
        break;
    case SHUF_PAIR_CLONES_DELETION:
        deletion_weights(w, E, E_minus_1, prec);
        break;
    case SHUF_PAIR_KRR_STRONG:
    case SHUF_PAIR_KRR_WEAK:
        if (pair->gamma_is_of_eps0)
            krr_eps0_weights(w, pair, E, E_minus_1, prec);
        else if (pair->kind == SHUF_PAIR_KRR_STRONG)
            krr_strong_weights(w, pair, prec);
        else
            krr_weak_weights(w, pair, prec);
        break;
    case SHUF_PAIR_TRINOMIAL:
        trinomial_weights(w, pair, prec);
        break;
    case SHUF_PAIR_GAUSSIAN:
        WEIGHTS_EACH(w, arb_indeterminate);
        break;
    }
    if (direction == SHUF_DIRECTION_QP)
        arb_swap(w->rho, w->rho_complement);
    arb_clear(E);
    arb_clear(E_minus_1);
}

/* proofs/trinomial-pair.md, What Q never has. */
void shuf_pair_get_infinite(arf_t mass, const shuf_pair_t pair, shuf_direction direction)
{
    const slong prec = 192; /* far more than 1 - r1 loses when r1 is tiny: the mass is a bound in any case */
    shuf_pair_weights_t w;
    shuf_real_t loss;
    arb_t t;
    shuf_real_init(loss); shuf_pair_weights_init(w); arb_init(t);
    arf_zero(mass);
    if (shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY) && !shuf_pair_max_loss(loss, pair))
    {
        shuf_pair_get_weights(w, pair, direction, prec);
        if (arb_is_zero(w->w1))
        {
            if (arb_is_zero(w->w2))
            {
                arb_mul(t, w->count, w->rho_complement, prec);
                shuf_ball_complement(t, t, prec);
            }
            else
            {
                arb_mul(t, w->count, w->rho, prec);
            }
            arb_pow_ui(t, t, pair->n - 1, prec);
            arb_mul(t, t, w->w0, prec);
            arb_mul(t, t, w->scale, prec);
            arb_get_lbound_arf(mass, t, prec);
        }
        if (arf_sgn(mass) < 0 || arf_is_nan(mass))
            arf_zero(mass);
    }
    shuf_real_clear(loss); shuf_pair_weights_clear(w); arb_clear(t);
}
