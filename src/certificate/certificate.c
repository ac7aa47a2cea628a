/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "certificate/certificate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

/* More strata than that would take Coq an hour. */
#define MAX_ROWS UINT64_C(1000000)

/* Longest decimal exponent that is written out in zeros. */
#define MAX_ZEROS 20000

/* Bits that hints are computed with, and most that a certificate may need. */
#define PREC 4096
#define MAX_BITS 20000.0

/* The rows of a mixture: each window costs something too. */
#define WINDOW_ROWS 20

/* Hints, as in Evaluate.v. */
typedef struct
{
    uint64_t top, low, first, from, to, climb;
    double lost;     /* bits that subtractions of tails may cost */
    double cancelled; /* and those of the parameters */
} window;

const char *shuf_certificate_refusal(const shuf_pair_t pair)
{
    if (pair->kind == SHUF_PAIR_KRR_STRONG && fmpq_is_zero(pair->gamma))
        return "gamma = 0 has no certificates";
    if (pair->kind == SHUF_PAIR_KRR_WEAK && (fmpq_is_zero(pair->gamma) || fmpq_is_one(pair->gamma)))
        return "krr-weak with gamma = 0 or 1 has no certificates";
    if (pair->kind == SHUF_PAIR_TRINOMIAL && fmpq_is_zero(pair->r0))
        return "r0 = r1 = 0 has no certificates";
    return NULL;
}

const char *shuf_certificate_name_refusal(const char *path)
{
    static const char refusal[] = "coqc needs a file name of letters, digits and underscores, no digit first, that ends in .v";
    const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    size_t length = strlen(name), i;
    if (length < 3 || strcmp(name + length - 2, ".v") != 0 || isdigit((unsigned char) name[0]))
        return refusal;
    for (i = 0; i < length - 2; i++)
        if (!isalnum((unsigned char) name[i]) && name[i] != '_')
            return refusal;
    return NULL;
}

/* ---- hints ---- */

static double get_d(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

static double log_of(const arb_t x)
{
    arb_t r;
    double d;
    arb_init(r);
    arb_log(r, x, PREC);
    d = get_d(r);
    arb_clear(r);
    return d;
}

/* log Pr[Bin(n,p) = k], roughly; p by the logarithms of p and 1-p. */
static double log_binomial(uint64_t n, double log_p, double log_q, uint64_t k)
{
    return lgamma((double) n + 1) - lgamma((double) k + 1) - lgamma((double) (n - k) + 1)
           + (double) k * log_p + (double) (n - k) * log_q;
}

/* The first k >= least, beyond the mode, with log Pr[Bin(n,p) = k] below log_target; or n. */
static uint64_t upper_end(uint64_t n, double log_p, double log_q, double log_target, uint64_t least)
{
    double mode = floor(((double) n + 1) * exp(log_p));
    uint64_t a = mode >= (double) n ? n : (uint64_t) mode, b = n, middle;
    a = FLINT_MAX(a, least);
    if (a >= n || log_binomial(n, log_p, log_q, n) >= log_target)
        return n;
    while (a < b)
    {
        middle = a + (b - a) / 2;
        if (log_binomial(n, log_p, log_q, middle) < log_target)
            b = middle;
        else
            a = middle + 1;
    }
    return a;
}

static uint64_t lower_end(uint64_t n, double log_p, double log_q, double log_target, uint64_t most)
{
    return n - upper_end(n, log_q, log_p, log_target, n - most);
}

/* Some log2 |x|. */
static double exponent_of(const arb_t x)
{
    return arb_is_zero(x) ? 0.0 : (double) arf_abs_bound_lt_2exp_si(arb_midref(x));
}

/* Rows that are looked at for the loss of precision. */
#define SAMPLES 256

/*
 * A tail carries the errors of the larger ones above it on the walk. What such
 * an error can come to beside the largest contribution of a stratum, in bits.
 * The sign changes at (c+1) rise + kappa (N-c).
 */
static double lost_bits(const window *w, uint64_t N, double rise, double kappa, double log_p, double log_q,
                        double log_rho, double log_corho)
{
    double weight, mass, place, largest_tail = -INFINITY, error = -INFINITY, most = -INFINITY;
    uint64_t step = (w->top - w->low) / SAMPLES + 1, c = w->top;
    for (;; c -= step)
    {
        place = floor(rise * ((double) c + 1) + kappa * (double) (N - c));
        if (place < (double) c + 1)
        {
            weight = w->top == w->low ? 0.0 : log_binomial(N, log_p, log_q, c);
            mass = log_binomial(c, log_rho, log_corho, place > 0 ? (uint64_t) place : 0);
            largest_tail = FLINT_MAX(largest_tail, mass);
            error = FLINT_MAX(error, weight + largest_tail);
            most = FLINT_MAX(most, weight + mass);
        }
        if (c - w->low < step)
            break;
    }
    return most > -INFINITY ? FLINT_MAX(0.0, (error - most) / log(2.0)) : 0.0;
}

/* ((c+1) rise + kappa (N-c)) / slope, the place of the sign change in stratum c. */
static void sign_change(arb_t t, const arb_t rise, const arb_t kappa, const arb_t slope, uint64_t N, uint64_t c)
{
    arb_mul_ui(t, rise, c + 1, PREC);
    arb_addmul_ui(t, kappa, N - c, PREC);
    arb_div(t, t, slope, PREC);
}

/*
 * Where to look so that what is left out is some exp(-accuracy) of a delta of
 * about exp(log_delta). Returns the number of rows to walk.
 */
static uint64_t find_window(window *w, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction,
                            double log_delta, double accuracy)
{
    shuf_pair_weights_t p;
    arb_t alpha, v, rise, slope, kappa, t;
    arf_t floor_t;
    fmpz_t z;
    uint64_t N = pair->n - 1;
    double log_rho, log_corho, log_p = 0.0, log_q = 0.0, per_rise, per_kappa;

    shuf_pair_weights_init(p);
    arb_init(alpha);
    arb_init(v);
    arb_init(rise);
    arb_init(slope);
    arb_init(kappa);
    arb_init(t);
    arf_init(floor_t);
    fmpz_init(z);
    shuf_pair_get_weights(p, pair, direction, PREC);
    shuf_real_exp(alpha, eps, PREC);

    /* rise = -v/(1-rho), slope = u/rho + rise, kappa = (alpha-1) w2 odds */
    arb_mul(v, alpha, p->w0, PREC);
    arb_sub(v, v, p->w1, PREC);
    arb_div(rise, v, p->rho_complement, PREC);
    arb_mul(slope, alpha, p->w1, PREC);
    arb_sub(slope, p->w0, slope, PREC);
    w->cancelled = FLINT_MAX(0.0, exponent_of(p->w0) - exponent_of(slope)) + FLINT_MAX(0.0, exponent_of(alpha))
                   + FLINT_MAX(0.0, -exponent_of(p->count_complement));
    arb_div(slope, slope, p->rho, PREC);
    arb_add(slope, slope, rise, PREC);
    arb_sub_ui(kappa, alpha, 1, PREC);
    w->cancelled += FLINT_MAX(0.0, -exponent_of(kappa));
    arb_mul(kappa, kappa, p->w2, PREC);
    arb_mul(kappa, kappa, p->odds, PREC);

    w->top = w->low = N;
    if (!arb_is_zero(p->count_complement))
    {
        log_p = log_of(p->count);
        log_q = log_of(p->count_complement);
        w->top = upper_end(N, log_p, log_q, log_delta - accuracy, 0);
        w->low = lower_end(N, log_p, log_q, log_delta - accuracy, N);
    }

    /* the first threshold, and how fast it can rise downwards when kappa > rise */
    sign_change(t, rise, kappa, slope, N, w->top);
    w->first = w->top + 1;
    arf_floor(floor_t, arb_midref(t));
    if (arf_cmp_d(floor_t, 1.0) < 0 || !arf_is_finite(floor_t))
        w->first = 1;
    else if (arf_get_fmpz(z, floor_t, ARF_RND_FLOOR), fmpz_cmp_ui(z, w->top + 1) <= 0)
        w->first = fmpz_get_ui(z);
    w->climb = 0;
    if (!arb_is_zero(kappa) && w->top > w->low)
    {
        arb_sub(t, kappa, rise, PREC);
        arb_div(t, t, slope, PREC);
        w->climb = get_d(t) > 0 ? (uint64_t) FLINT_MIN(get_d(t), 1e6) + 2 : 2;
    }

    /* a window of Bin(top, rho) around the mode and first - 1 */
    log_rho = log_of(p->rho);
    log_corho = log_of(p->rho_complement);
    arb_div(t, rise, slope, PREC);
    per_rise = get_d(t);
    arb_div(t, kappa, slope, PREC);
    per_kappa = get_d(t);
    w->lost = lost_bits(w, N, per_rise, per_kappa, log_p, log_q, log_rho, log_corho);
    accuracy += w->lost * log(2.0);
    w->from = lower_end(w->top, log_rho, log_corho, -accuracy, w->first - 1);
    w->to = upper_end(w->top, log_rho, log_corho,
                      FLINT_MIN(0.0, log_binomial(w->top, log_rho, log_corho, w->first - 1)) - accuracy, w->first - 1);

    shuf_pair_weights_clear(p);
    arb_clear(alpha);
    arb_clear(v);
    arb_clear(rise);
    arb_clear(slope);
    arb_clear(kappa);
    arb_clear(t);
    arf_clear(floor_t);
    fmpz_clear(z);
    return (w->top - w->low) + (w->to - w->from);
}

/* ---- terms of Coq ---- */

static void write_fraction(FILE *out, const fmpq_t q)
{
    fputc('(', out);
    fmpz_fprint(out, fmpq_numref(q));
    fputs(" # ", out);
    fmpz_fprint(out, fmpq_denref(q));
    fputc(')', out);
}

static void write_number(FILE *out, const shuf_real_t x)
{
    fputs(x->is_log ? "(Logarithm " : "(Rational ", out);
    write_fraction(out, x->q);
    fputc(')', out);
}

/* A decimal like "1.25e-7" as 125 over a power of ten, exactly. Returns 0, or -1 when it is too long. */
static int write_decimal(FILE *out, const char *text)
{
    long exponent = 0;
    int digits = 0;
    const char *s;
    for (s = text; *s != '\0' && *s != 'e'; s++)
        ;
    if (*s == 'e')
        exponent = strtol(s + 1, NULL, 10);
    if (exponent > MAX_ZEROS || exponent < -MAX_ZEROS)
        return -1;
    fputc('(', out);
    for (s = text; *s != '\0' && *s != 'e'; s++)
    {
        if (*s == '.')
        {
            exponent -= (long) strcspn(s + 1, "e");
        }
        else if (*s != '0' || digits > 0)
        {
            fputc(*s, out);
            digits++;
        }
    }
    if (digits == 0)
        fputc('0', out);
    for (; exponent > 0; exponent--)
        fputc('0', out);
    fputs(" # 1", out);
    for (; exponent < 0; exponent++)
        fputc('0', out);
    fputc(')', out);
    return 0;
}

static void write_pair(FILE *out, const shuf_pair_t pair)
{
    static const struct
    {
        shuf_pair_kind kind;
        const char *name;
        int has_k, has_eps0;
    } names[] = {
        { SHUF_PAIR_CLONES, "Clones", 0, 1 },
        { SHUF_PAIR_CLONES_STRONGER, "ClonesStronger", 0, 1 },
        { SHUF_PAIR_RR2, "Rr2", 0, 1 },
        { SHUF_PAIR_KRR_SAME, "KrrSame", 1, 1 },
        { SHUF_PAIR_KRR_THIRD, "KrrThird", 1, 1 },
        { SHUF_PAIR_KRR_STRONG, "KrrStrong", 1, 0 },
        { SHUF_PAIR_TRINOMIAL, "TrinomialPair", 0, 0 },
    };
    size_t i = 0;
    while (names[i].kind != pair->kind)
        i++;
    fprintf(out, "(%s %llu", names[i].name, (unsigned long long) pair->n);
    if (names[i].has_k)
        fprintf(out, " %llu", (unsigned long long) pair->k);
    fputc(' ', out);
    if (names[i].has_eps0)
    {
        write_number(out, pair->eps0);
    }
    else if (pair->kind == SHUF_PAIR_KRR_STRONG)
    {
        write_fraction(out, pair->gamma);
    }
    else
    {
        write_fraction(out, pair->w0);
        fputc(' ', out);
        write_fraction(out, pair->w1);
        fputc(' ', out);
        write_fraction(out, pair->r0);
        fputc(' ', out);
        write_fraction(out, pair->r1);
    }
    fputc(')', out);
}

static const char *direction_name(shuf_direction direction)
{
    return direction == SHUF_DIRECTION_BOTH ? "Both" : direction == SHUF_DIRECTION_PQ ? "PQ" : "QP";
}

static void write_window(FILE *out, const window *w)
{
    fprintf(out, "(Window %llu %llu %llu %llu %llu %llu)", (unsigned long long) w->top, (unsigned long long) w->low,
            (unsigned long long) w->first, (unsigned long long) w->from, (unsigned long long) w->to,
            (unsigned long long) w->climb);
}

static void write_delta(FILE *out, const shuf_certificate *c, const shuf_real_t eps)
{
    if (c->pair->kind == SHUF_PAIR_KRR_WEAK)
    {
        fprintf(out, "delta_krr_weak %llu %llu ", (unsigned long long) c->pair->n, (unsigned long long) c->pair->k);
        write_fraction(out, c->pair->gamma);
        fputc(' ', out);
        write_number(out, eps);
        return;
    }
    fprintf(out, "delta %s ", direction_name(c->direction));
    write_pair(out, c->pair);
    fputc(' ', out);
    write_number(out, eps);
}

/* ---- the file ---- */

static const char too_many_rows[] = "a certificate would need more than a million rows";
static const char too_many_bits[] = "a certificate would need more than 20000 bits of precision";

/* log x, x >= 0, to a factor of 2; some least value for 0. */
static double log_size(const arf_t x)
{
    return arf_is_zero(x) ? -100.0 : (double) arf_abs_bound_lt_2exp_si(x) * log(2.0);
}

/* The windows of krr-weak: one for every number of random answers that matters, from the top down. */
typedef struct
{
    uint64_t top;
    size_t count;
    window *w;
} mixture;

/* The pair given that b others answered at random. */
static void set_given(shuf_pair_t out, const shuf_pair_t pair, uint64_t b)
{
    fmpq_t w0, w1, r, gamma;
    fmpq_init(w0);
    fmpq_init(w1);
    fmpq_init(r);
    fmpq_init(gamma);
    fmpq_set(gamma, pair->gamma);
    fmpq_set_ui(r, 1, pair->k);
    fmpq_mul(w1, gamma, r);
    fmpq_sub(w0, w1, gamma);
    fmpz_add(fmpq_numref(w0), fmpq_numref(w0), fmpq_denref(w0));
    shuf_pair_set_trinomial(out, b + 1, w0, w1, r, r);
    fmpq_clear(w0);
    fmpq_clear(w1);
    fmpq_clear(r);
    fmpq_clear(gamma);
}

/* As find_window; stops looking beyond MAX_ROWS. */
static uint64_t find_mixture(mixture *m, const shuf_pair_t pair, const shuf_real_t eps, double log_delta, double accuracy)
{
    shuf_pair_t given;
    arb_t gamma, rest;
    uint64_t N = pair->n - 1, low, b, rows = 0;
    double log_p, log_q, log_b;

    arb_init(gamma);
    arb_init(rest);
    arb_set_fmpq(gamma, pair->gamma, PREC);
    arb_sub_ui(rest, gamma, 1, PREC);
    arb_neg(rest, rest);
    log_p = log_of(gamma);
    log_q = log_of(rest);
    arb_clear(gamma);
    arb_clear(rest);

    m->top = upper_end(N, log_p, log_q, log_delta - accuracy, 0);
    low = lower_end(N, log_p, log_q, log_delta - accuracy, N);
    m->count = 0;
    m->w = NULL;
    if (m->top - low > MAX_ROWS / WINDOW_ROWS)
        return MAX_ROWS + 1;
    m->w = flint_malloc((m->top - low + 1) * sizeof(*m->w));
    shuf_pair_init(given);
    for (b = m->top; rows <= MAX_ROWS; b--)
    {
        log_b = FLINT_MIN(0.0, log_binomial(N, log_p, log_q, b));
        set_given(given, pair, b);
        rows += WINDOW_ROWS + find_window(&m->w[m->count++], given, eps, SHUF_DIRECTION_PQ,
                                          FLINT_MIN(0.0, log_delta - log_b), accuracy);
        if (b == low)
            break;
    }
    shuf_pair_clear(given);
    return rows;
}

static const char *write_mixture_proof(FILE *out, const shuf_certificate *c, const char *lemma, const shuf_real_t eps,
                                       double log_delta, double accuracy, slong bits)
{
    mixture m;
    const char *refusal = NULL;
    size_t i;
    double lost = 0.0;

    if (find_mixture(&m, c->pair, eps, log_delta, accuracy) > MAX_ROWS)
    {
        refusal = too_many_rows;
    }
    else
    {
        for (i = 0; i < m.count; i++)
            lost = FLINT_MAX(lost, m.w[i].lost + m.w[i].cancelled);
        if (lost > MAX_BITS)
            refusal = too_many_bits;
        bits += (slong) FLINT_MIN(lost, MAX_BITS);
        fprintf(out, "Proof.\n  apply (check_weak_%s %ld %llu (", lemma, (long) bits, (unsigned long long) m.top);
        for (i = 0; i < m.count; i++)
        {
            write_window(out, &m.w[i]);
            fputs(" ::\n    ", out);
        }
        fputs("nil)).\n  vm_cast_no_check (eq_refl true).\nQed.\n", out);
    }
    flint_free(m.w);
    return refusal;
}

/* "Proof": the check at eps, with its hints, by a computation. */
static const char *write_proof(FILE *out, const shuf_certificate *c, const char *lemma, const shuf_real_t eps, double log_delta)
{
    window w[2];
    double accuracy = (double) (c->digits + 15) * log(10.0) + 20.0;
    slong bits = (slong) ((double) c->digits * 3.33) + 80 + 2 * (slong) FLINT_BIT_COUNT(c->pair->n);
    uint64_t rows;
    double lost;

    if (c->pair->kind == SHUF_PAIR_KRR_WEAK)
        return write_mixture_proof(out, c, lemma, eps, log_delta, accuracy, bits);

    rows = find_window(&w[0], c->pair, eps, c->direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ,
                       log_delta, accuracy);
    w[1] = w[0];
    if (c->direction == SHUF_DIRECTION_BOTH && !shuf_pair_is_symmetric(c->pair))
        rows += find_window(&w[1], c->pair, eps, SHUF_DIRECTION_QP, log_delta, accuracy);
    lost = FLINT_MAX(w[0].lost + w[0].cancelled, w[1].lost + w[1].cancelled);
    if (rows > MAX_ROWS)
        return too_many_rows;
    if (lost > MAX_BITS)
        return too_many_bits;
    bits += (slong) lost;
    fprintf(out, "Proof.\n  apply (check_%s %ld ", lemma, (long) bits);
    write_window(out, &w[0]);
    fputc(' ', out);
    write_window(out, &w[1]);
    fputs(").\n  vm_cast_no_check (eq_refl true).\nQed.\n", out);
    return NULL;
}

static const char *write_of_delta(FILE *out, const shuf_certificate *c, const char *lo, const char *hi)
{
    fputs("Theorem certificate :\n  (Q2R ", out);
    if (write_decimal(out, lo) != 0)
        return "the value is too small to be written out";
    fputs(" <=\n   ", out);
    write_delta(out, c, c->point);
    fputs(" <=\n   Q2R ", out);
    if (write_decimal(out, hi) != 0)
        return "the value is too small to be written out";
    fputs(")%R.\n", out);
    return write_proof(out, c, "sound", c->point, log_size(c->value->hi));
}

static const char *write_of_epsilon(FILE *out, const shuf_certificate *c, const char *lo, const char *hi)
{
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
    shuf_real_init(eps);
    if (shuf_real_set_str(eps, hi) != 0)
    {
        shuf_real_clear(eps);
        return "the value is too small to be written out";
    }
    fputs("(* delta(eps) <= delta at the upper end *)\nTheorem certificate :\n  (", out);
    write_delta(out, c, eps);
    fputs(" <= Q2R ", out);
    write_fraction(out, c->point->q);
    fputs(")%R.\n", out);
    refusal = write_proof(out, c, "at_most_sound", eps, log_delta);
    /* nothing is above delta at an eps that is known exactly */
    if (refusal == NULL && arf_sgn(c->value->lo) > 0 && arf_cmp(c->value->lo, c->value->hi) < 0)
    {
        if (shuf_real_set_str(eps, lo) != 0)
        {
            shuf_real_clear(eps);
            return "the value is too small to be written out";
        }
        fputs("\n(* delta(eps) > delta at the lower end *)\nTheorem certificate_lower :\n  (Q2R ", out);
        write_fraction(out, c->point->q);
        fputs(" < ", out);
        write_delta(out, c, eps);
        fputs(")%R.\n", out);
        refusal = write_proof(out, c, "above_sound", eps, log_delta);
    }
    shuf_real_clear(eps);
    return refusal;
}

/*
 * Coq: Certificate.check_sound, Certificate.check_at_most_sound, Certificate.check_above_sound,
 * Certified.epsilon_enclosed, Mixture.check_weak_sound, Mixture.check_weak_at_most_sound,
 * Mixture.check_weak_above_sound.
 */
const char *shuf_certificate_write(FILE *out, const shuf_certificate *c)
{
    char *lo, *hi;
    const char *refusal;
    shuf_enclosure_t copy;

    shuf_enclosure_init(copy);
    shuf_enclosure_set(copy, c->value);
    shuf_enclosure_print(&lo, &hi, copy, c->digits + 5);
    fprintf(out, "(* Written by shufbound %s: %s\n   %s in [%s, %s] *)\n", PACKAGE_VERSION, c->command,
            c->of_epsilon ? "epsilon" : "delta", lo, hi);
    fputs("From Coq Require Import Reals QArith Qreals.\nFrom Shufbound Require Import Evaluate Certificate.\n", out);
    if (c->pair->kind == SHUF_PAIR_KRR_WEAK)
        fputs("From Shufbound Require Import Mixture.\n", out);
    fputc('\n', out);
    refusal = c->of_epsilon ? write_of_epsilon(out, c, lo, hi) : write_of_delta(out, c, lo, hi);
    flint_free(lo);
    flint_free(hi);
    shuf_enclosure_clear(copy);
    return refusal;
}
