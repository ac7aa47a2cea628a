/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "certificate/certificate.h"

#include <stdlib.h>
#include <string.h>

#include "certificate/composed.h"
#include "certificate/mixture_hints.h"
#include "certificate/window.h"
#include "config.h"
#include "enclosure/elementary.h"

/* More strata than that would take Coq an hour, and are refused. */
#define MAX_ROWS UINT64_C(1000000)

/* Bits that hints are computed with, and most that a certificate may need. Steer only. */
#define PREC 4096
#define MAX_BITS 20000.0

/* Largest decimal exponent, of either sign, that proofs/statement.py reads; refused beyond. */
#define MAX_EXPONENT 20000

/* Nobody else's answer helps to hide, or the user's own says nothing: Alone.v. */
static int is_alone(const shuf_pair_t pair)
{
    return (pair->kind == SHUF_PAIR_TRINOMIAL && fmpq_is_zero(pair->r0))
           || (pair->kind == SHUF_PAIR_KRR_STRONG && fmpq_is_zero(pair->gamma))
           || (pair->kind == SHUF_PAIR_KRR_WEAK && (fmpq_is_zero(pair->gamma) || fmpq_is_one(pair->gamma)));
}

const char *shuf_certificate_refusal(const shuf_pair_t pair, uint64_t rounds)
{
    const shuf_pair_certificate has = shuf_pair_about(pair->kind)->certificate;
    if (has == SHUF_CERTIFICATE_NONE)
        return "this pair has no certificates: they are of the trinomial pairs and krr-weak";
    if (pair->gamma_is_of_eps0)
        return "a gamma that is no rational number has no certificates";
    if (rounds > 1 && has != SHUF_CERTIFICATE_ROUNDS)
        return "several rounds of krr-weak have no certificates";
    if (rounds > 1 && is_alone(pair))
        return "several rounds with gamma = 0 or r0 = r1 = 0 have no certificates";
    return NULL;
}

/* ---- the file ---- */

static const char too_many_rows[] = "a certificate would need more than a million rows";
static const char too_many_bits[] = "a certificate would need more than 20000 bits of precision";

/* log x, x >= 0, to a factor of 2; some least value for 0. */
static double log_size(const arf_t x)
{
    return arf_is_zero(x) ? -100.0 : (double) arf_abs_bound_lt_2exp_si(x) * d_log(2.0);
}

/* k = 2: the number of random answers says nothing more, and one pair is enough (Mixture.v). */
static void set_two(shuf_pair_t out, const shuf_pair_t pair)
{
    fmpq_t r, w0;
    fmpq_init(r);
    fmpq_init(w0);
    fmpq_div_2exp(r, pair->gamma, 1);
    fmpq_sub(w0, shuf_one, r);
    shuf_pair_set_trinomial(out, pair->n, w0, r, r, r);
    fmpq_clear(r);
    fmpq_clear(w0);
}

static const char *write_mixture_hints(FILE *out, const shuf_certificate *c, const shuf_real_t eps, double log_delta)
{
    /* there are many rows, and they are what costs: no more than is needed, so that two words hold a number */
    const double accuracy = (double) (c->digits + 10) * d_log(10.0) + 7.0;
    const slong bits = (slong) ((double) c->digits * 3.33) + 50 + (slong) FLINT_BIT_COUNT(c->pair->n);
    mixture m;
    const char *refusal = NULL;

    mixture_init(&m, c->pair, eps, bits);
    if (m.cancelled > MAX_BITS)
    {
        refusal = too_many_bits;
    }
    else
    {
        fprintf(out, "{\"bits\": %ld, ", (long) bits + (long) m.cancelled);
        if (mixture_write(out, &m, log_delta, accuracy, MAX_ROWS) > MAX_ROWS)
            refusal = too_many_rows;
        fputc('}', out);
    }
    mixture_clear(&m);
    return refusal;
}

static const char *write_alone_hints(FILE *out, const shuf_certificate *c, double log_delta, slong bits)
{
    if (c->pair->kind == SHUF_PAIR_KRR_WEAK)
        fputs("{}", out);
    else /* a difference: as many bits more as cancel */
        fprintf(out, "{\"bits\": %ld}", (long) bits + (long) (FLINT_MAX(0.0, -log_delta) / d_log(2.0)));
    return NULL;
}

/* A window a direction; one for krr-weak with k = 2. */
static const char *write_windows(FILE *out, const shuf_certificate *c, const shuf_real_t eps, double log_delta, double accuracy,
                                 slong bits)
{
    const int weak = c->pair->kind == SHUF_PAIR_KRR_WEAK;
    window w[2];
    shuf_pair_t pair;
    uint64_t rows;
    double lost;

    shuf_pair_init(pair);
    if (weak)
        set_two(pair, c->pair);
    else
        shuf_pair_set(pair, c->pair);
    rows = window_find(&w[0], pair, eps, c->direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, log_delta,
                       accuracy);
    w[1] = w[0];
    if (c->direction == SHUF_DIRECTION_BOTH && !shuf_pair_is_symmetric(pair))
        rows += window_find(&w[1], pair, eps, SHUF_DIRECTION_QP, log_delta, accuracy);
    shuf_pair_clear(pair);
    lost = FLINT_MAX(w[0].lost + w[0].cancelled, w[1].lost + w[1].cancelled);
    if (rows > MAX_ROWS)
        return too_many_rows;
    if (lost > MAX_BITS)
        return too_many_bits;
    fprintf(out, "{\"bits\": %ld, \"windows\": [", (long) bits + (long) lost);
    window_write(out, &w[0]);
    if (!weak)
    {
        fputs(", ", out);
        window_write(out, &w[1]);
    }
    fputs("]}", out);
    return NULL;
}

/* Where Coq should look to see what delta(eps) is. */
static const char *write_hints(FILE *out, const shuf_certificate *c, const shuf_real_t eps, double log_delta)
{
    const double accuracy = (double) (c->digits + 15) * d_log(10.0) + 20.0;
    const slong bits = (slong) ((double) c->digits * 3.33) + 80 + 2 * (slong) FLINT_BIT_COUNT(c->pair->n);
    if (is_alone(c->pair))
        return write_alone_hints(out, c, log_delta, bits);
    if (c->pair->kind == SHUF_PAIR_KRR_WEAK && c->pair->k > 2)
        return write_mixture_hints(out, c, eps, log_delta);
    return write_windows(out, c, eps, log_delta, accuracy, bits);
}

/* Whether the verifier can read a decimal. */
static int is_readable(const char *text)
{
    const char *e = strchr(text, 'e');
    const long exponent = e != NULL ? strtol(e + 1, NULL, 10) : 0;
    return -MAX_EXPONENT <= exponent && exponent <= MAX_EXPONENT;
}

static const char *write_of_delta(FILE *out, const shuf_certificate *c, const char *lo, const char *hi)
{
    const char *refusal;
    fprintf(out, "\"lo\": \"%s\",\n\"hi\": \"%s\",\n\"hints\": [", lo, hi);
    refusal = write_hints(out, c, c->point, log_size(c->value->hi));
    fputs("]\n", out);
    return refusal;
}

static const char *write_of_epsilon(FILE *out, const shuf_certificate *c, const char *lo, const char *hi)
{
    /* nothing is above delta at an eps that is known exactly */
    const int has_lower = arf_sgn(c->value->lo) > 0 && arf_cmp(c->value->lo, c->value->hi) < 0;
    const char *refusal;
    shuf_real_t eps;
    arb_t delta;
    double log_delta;

    /* the statement has room for a rational delta only */
    if (c->point->is_log)
        return "a delta that is a logarithm has no certificates";
    if (fmpq_is_zero(c->point->q))
        log_delta = -100.0;
    else
    {
        arb_init(delta);
        shuf_real_get_arb(delta, c->point, PREC);
        log_delta = log_size(arb_midref(delta));
        arb_clear(delta);
    }
    if (has_lower)
        fprintf(out, "\"lo\": \"%s\",\n", lo);
    else
        fputs("\"lo\": null,\n", out);
    fprintf(out, "\"hi\": \"%s\",\n\"hints\": [", hi);
    shuf_real_init(eps);
    shuf_real_set_str(eps, hi);
    refusal = write_hints(out, c, eps, log_delta);
    if (refusal == NULL && has_lower)
    {
        fputs(",\n  ", out);
        shuf_real_set_str(eps, lo);
        refusal = write_hints(out, c, eps, log_delta);
    }
    fputs("]\n", out);
    shuf_real_clear(eps);
    return refusal;
}

/*
 * Coq: Certificate.check_sound, Certificate.check_at_most_sound, Certificate.check_above_sound,
 * Certified.epsilon_enclosed, Mixture.check_weak_sound, Mixture.check_weak_at_most_sound,
 * Mixture.check_weak_above_sound, Mixture.check_weak_two_sound, Mixture.check_weak_two_at_most_sound,
 * Mixture.check_weak_two_above_sound, Alone.check_alone_sound, Alone.check_alone_at_most_sound,
 * Alone.check_alone_above_sound, Alone.check_weak_alone_sound, Alone.check_weak_alone_at_most_sound,
 * Alone.check_weak_alone_above_sound, Alone.epsilon_alone_enclosed, Alone.epsilon_weak_enclosed.
 */
const char *shuf_certificate_write(FILE *out, const shuf_certificate *c)
{
    char *lo, *hi;
    const char *refusal;
    shuf_enclosure_t copy;

    shuf_enclosure_init(copy);
    shuf_enclosure_set(copy, c->value);
    shuf_enclosure_print(&lo, &hi, copy, c->digits + 5);
    fprintf(out, "{\n\"certificate\": 1,\n\"program\": \"shufbound %s\",\n\"question\": %s,\n", PACKAGE_VERSION, c->question);
    if (c->rounds > 1)
        refusal = composed_write(out, c);
    else if (!is_readable(lo) || !is_readable(hi))
        refusal = "the value is too small to be written out";
    else
        refusal = c->of_epsilon ? write_of_epsilon(out, c, lo, hi) : write_of_delta(out, c, lo, hi);
    fputs("}\n", out);
    flint_free(lo);
    flint_free(hi);
    shuf_enclosure_clear(copy);
    return refusal;
}
