/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "claim/claim.h"

const char *shuf_verdict_name(shuf_verdict_kind kind)
{
    return kind == SHUF_CERTIFIED ? "CERTIFIED" : kind == SHUF_REFUTED_CLAIM ? "REFUTED" : "UNDECIDED";
}

static shuf_claim_bound *add(shuf_claim_bound *bounds, size_t *count, const char *theorem)
{
    shuf_claim_bound *b = &bounds[(*count)++];
    b->theorem = theorem;
    shuf_pair_init(b->pair);
    shuf_enclosure_init(b->delta);
    shuf_enclosure_init(b->eps);
    b->sign = 0;
    return b;
}

static void drop(shuf_claim_bound *bounds, size_t *count)
{
    size_t i;
    for (i = 0; i < *count; i++)
    {
        shuf_pair_clear(bounds[i].pair);
        shuf_enclosure_clear(bounds[i].delta);
        shuf_enclosure_clear(bounds[i].eps);
    }
    *count = 0;
}

static void add_eps0(shuf_claim_bound *bounds, size_t *count, const char *theorem, shuf_pair_kind kind, uint64_t n,
                     const shuf_real_t eps0)
{
    /* eps0 may exceed what a pair allows (doubled for RAPPOR): then no bound */
    if (shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) <= 0)
        shuf_pair_set_eps0(add(bounds, count, theorem)->pair, kind, n, eps0);
}

static void add_krr(shuf_claim_bound *bounds, size_t *count, shuf_pair_kind kind, uint64_t n, uint64_t k,
                    const shuf_real_t eps0)
{
    const char *theorem = kind == SHUF_PAIR_KRR_SAME ? "krr-same" : "krr-third";
    if (shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) <= 0)
        shuf_pair_set_krr(add(bounds, count, theorem)->pair, kind, n, k, eps0);
}

/* Twice a local parameter, exactly: 2 q, or log(q^2). */
static void twice(shuf_real_t r, const shuf_real_t x)
{
    fmpq_t q;
    fmpq_init(q);
    if (x->is_log)
    {
        fmpq_mul(q, x->q, x->q);
        shuf_real_set_log_fmpq(r, q);
    }
    else
    {
        fmpq_add(q, x->q, x->q);
        shuf_real_set_fmpq(r, q);
    }
    fmpq_clear(q);
}

/* The theorems that speak of the claim's mechanism, one round. */
static void candidates(shuf_verdict_t v, const shuf_claim_t c)
{
    shuf_real_t doubled;
    shuf_real_init(doubled);
    switch (c->mechanism)
    {
    case SHUF_MECHANISM_LDP:
        add_eps0(v->upper, &v->uppers, "clones-stronger", SHUF_PAIR_CLONES_STRONGER, c->n, c->eps0);
        add_eps0(v->upper, &v->uppers, "clones", SHUF_PAIR_CLONES, c->n, c->eps0);
        add_krr(v->lower, &v->lowers, SHUF_PAIR_KRR_THIRD, c->n, 3, c->eps0);
        add_eps0(v->lower, &v->lowers, "rr2", SHUF_PAIR_RR2, c->n, c->eps0);
        break;
    case SHUF_MECHANISM_RR2:
    case SHUF_MECHANISM_KRR:
        if (!c->eps0_is_infinite)
        {
            add_eps0(v->upper, &v->uppers, "clones-stronger", SHUF_PAIR_CLONES_STRONGER, c->n, c->eps0);
            add_eps0(v->upper, &v->uppers, "clones", SHUF_PAIR_CLONES, c->n, c->eps0);
            add_krr(v->lower, &v->lowers, SHUF_PAIR_KRR_SAME, c->n, c->k, c->eps0);
            if (c->k >= 3)
                add_krr(v->lower, &v->lowers, SHUF_PAIR_KRR_THIRD, c->n, c->k, c->eps0);
        }
        /* k-RR with more noise is a post-processing of k-RR with less: a gamma rounded down is safe */
        shuf_pair_set_krr_blanket(add(v->upper, &v->uppers, "krr-weak")->pair, SHUF_PAIR_KRR_WEAK, c->n, c->k, c->gamma);
        break;
    case SHUF_MECHANISM_RAPPOR:
        twice(doubled, c->eps0);
        add_eps0(v->upper, &v->uppers, "rappor-local", SHUF_PAIR_CLONES_STRONGER, c->n, doubled);
        add_eps0(v->lower, &v->lowers, "rappor-bit", SHUF_PAIR_RR2, c->n, c->eps0);
        break;
    }
    shuf_real_clear(doubled);
}

/* What is left of an audit's budget, split so that every bound gets a share. */
static shuf_options share(const shuf_options *options, double deadline, slong digits)
{
    shuf_options o = *options;
    o.digits = digits;
    if (deadline > 0)
    {
        double left = deadline - shuf_seconds();
        o.max_seconds = left > 0.02 ? left / 2 : 0.01;
    }
    return o;
}

#define AUDIT_DIGITS 8

static void evaluate(shuf_claim_bound *b, const shuf_claim_t c, const shuf_options *options, double deadline)
{
    shuf_options o = share(options, deadline, AUDIT_DIGITS);
    int undecided;
    shuf_hockey_delta(b->delta, b->pair, c->eps, SHUF_DIRECTION_BOTH, &o);
    if (shuf_real_cmp_arf(c->delta, b->delta->lo) < 0)
    {
        b->sign = 1;
    }
    else if (shuf_real_cmp_arf(c->delta, b->delta->hi) >= 0)
    {
        b->sign = -1;
    }
    else
    {
        o = share(options, deadline, AUDIT_DIGITS);
        b->sign = shuf_hockey_compare(&undecided, b->pair, c->eps, c->delta, SHUF_DIRECTION_BOTH, &o);
    }
    o = share(options, deadline, 6);
    shuf_hockey_epsilon(b->eps, b->pair, c->delta, SHUF_DIRECTION_BOTH, &o);
}

void shuf_claim_audit(shuf_verdict_t v, const shuf_claim_t claim, const shuf_options *options)
{
    double deadline = options->max_seconds > 0 ? shuf_seconds() + options->max_seconds : 0;
    int certified = 0, refuted = 0;
    size_t i;

    memset(v, 0, sizeof(*v));
    v->kind = SHUF_UNDECIDED;
    v->reason = "";
    candidates(v, claim);
    if (claim->rounds > 1 || claim->subsampled)
    {
        /* one round bounds several from below, and a subsample of it not even that */
        drop(v->upper, &v->uppers);
        if (claim->subsampled)
            drop(v->lower, &v->lowers);
    }
    for (i = 0; i < v->uppers; i++)
    {
        evaluate(&v->upper[i], claim, options, deadline);
        certified |= v->upper[i].sign < 0;
        if (arf_cmp(v->upper[i].delta->hi, v->upper[v->best_upper].delta->hi) < 0)
            v->best_upper = i;
    }
    for (i = 0; i < v->lowers; i++)
    {
        evaluate(&v->lower[i], claim, options, deadline);
        refuted |= v->lower[i].sign > 0;
        if (arf_cmp(v->lower[i].delta->lo, v->lower[v->best_lower].delta->lo) > 0)
            v->best_lower = i;
    }
    if (certified)
        v->kind = SHUF_CERTIFIED;
    else if (refuted)
        v->kind = SHUF_REFUTED_CLAIM;
    else if (claim->subsampled)
        v->reason = "subsampled mechanisms are not supported: no bound applies";
    else if (claim->rounds > 1)
        v->reason = "compositions are not supported: only one round's lower bound applies";
    else
        v->reason = "the claim lies between the best lower and the best upper bound";
}

void shuf_verdict_clear(shuf_verdict_t v)
{
    drop(v->upper, &v->uppers);
    drop(v->lower, &v->lowers);
}
