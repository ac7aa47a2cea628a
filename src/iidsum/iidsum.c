/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/iidsum.md. */
#include "iidsum/iidsum.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "exact/exact.h"
#include "iidsum/enumerate.h"
#include "iidsum/rare.h"
#include "iidsum/fourier.h"

/* Steer only. */
#define PREC 128
#define K_PREC 256
#define MOST_DIGITS 10

typedef struct
{
    const shuf_summand *law;
    uint64_t terms;
    int pole;            /* of the weight that is asked for (fourier.h) */
    arf_t K_low, K_high; /* encloses K, widened by what the values are not known to */
    double digits, limit;
} problem_struct;

/* Rounded masses and a K not known exactly account for the rest of the width; and no cause for more than all of it. */
static void balance_ledger(shuf_enclosure_t e)
{
    mag_t width;
    arf_t others, part;
    mag_init(width); arf_init(others); arf_init(part);
    shuf_enclosure_width(width, e);
    mag_min(e->ledger.truncation, e->ledger.truncation, width);
    mag_min(e->ledger.discretisation, e->ledger.discretisation, width);
    mag_min(e->ledger.aliasing, e->ledger.aliasing, width);
    /* a sum that is not rounded up */
    arf_set_mag(others, e->ledger.truncation);
    arf_set_mag(part, e->ledger.discretisation);
    arf_add(others, others, part, PREC, ARF_RND_DOWN);
    arf_set_mag(part, e->ledger.aliasing);
    arf_add(others, others, part, PREC, ARF_RND_DOWN);
    arf_set_mag(part, e->ledger.rounding);
    arf_add(others, others, part, PREC, ARF_RND_DOWN);
    arf_sub(part, e->hi, e->lo, PREC, ARF_RND_UP);
    if (arf_cmp(others, part) < 0)
        mag_add(e->ledger.rounding, e->ledger.rounding, width);
    mag_min(e->ledger.rounding, e->ledger.rounding, width);
    mag_clear(width); arf_clear(others); arf_clear(part);
}

/* r := the part of it in e; the ledger is that of the narrower one */
static void keep_better(shuf_enclosure_t r, const shuf_enclosure_t e)
{
    mag_t width, other;
    arf_t lo, hi;
    mag_init(width); mag_init(other); arf_init(lo); arf_init(hi);
    arf_max(lo, r->lo, e->lo);
    arf_min(hi, r->hi, e->hi);
    shuf_enclosure_width(width, e);
    shuf_enclosure_width(other, r);
    if (mag_cmp(width, other) < 0)
        shuf_enclosure_set(r, e);
    arf_swap(r->lo, lo);
    arf_swap(r->hi, hi);
    mag_clear(width); mag_clear(other); arf_clear(lo); arf_clear(hi);
}

/* end := an upper (up) or lower bound of times E(L - x)_+ */
static void tail_end(arf_t end, const shuf_summand *law, const arf_t x, uint64_t times, int up)
{
    arb_t mass, excess;
    arb_init(mass);
    arb_init(excess);
    law->tail(mass, excess, law, x, PREC);
    arb_mul_ui(excess, excess, times, PREC);
    if (up)
        arb_get_ubound_arf(end, excess, PREC);
    else
        arb_get_lbound_arf(end, excess, PREC);
    if (arf_is_nan(end) && up)
        arf_pos_inf(end);
    if (!up && (!arf_is_finite(end) || arf_sgn(end) < 0))
        arf_zero(end);
    arb_clear(mass);
    arb_clear(excess);
}

/* The simple bounds. Returns whether there is something left to do. */
static int start_problem(shuf_enclosure_t r, problem_struct *p, const arb_t K)
{
    arf_t x, lowest, largest, shift;
    int more = 0;
    arf_init(x); arf_init(lowest); arf_init(largest); arf_init(shift);
    p->law->support(lowest, largest, p->law);
    arb_get_lbound_arf(p->K_low, K, K_PREC);
    arb_get_ubound_arf(p->K_high, K, K_PREC);
    arf_mul_ui(x, largest, p->terms, K_PREC, ARF_RND_CEIL);
    shuf_enclosure_zero(r);
    /* NaN is neither below nor above anything */
    if (arf_is_nan(p->K_low) || arf_is_nan(x) || arf_cmp(p->K_low, x) < 0)
    {
        arf_set_mag(shift, p->law->shift);
        arf_mul_ui(shift, shift, p->terms, K_PREC, ARF_RND_CEIL);
        arf_sub(p->K_low, p->K_low, shift, K_PREC, ARF_RND_FLOOR);
        arf_add(p->K_high, p->K_high, shift, K_PREC, ARF_RND_CEIL);
        if (arf_is_finite(p->K_low) && arf_is_finite(p->K_high))
        {
            /* 0 <= answer <= n E(L - K/n)_+ */
            arf_div_ui(x, p->K_low, p->terms, K_PREC, ARF_RND_FLOOR);
            tail_end(r->hi, p->law, x, p->terms, 1);
            if (p->terms == 1)
                tail_end(r->lo, p->law, p->K_high, 1, 0);
            else
                more = arf_is_finite(r->hi) && arf_sgn(r->hi) > 0 && arf_cmpabs_2exp_si(x, 300) < 0;
        }
        else
        {
            arf_pos_inf(r->hi);
        }
        if (p->terms == 1)
            shuf_enclosure_width(r->ledger.rounding, r);
        else
            shuf_enclosure_width(r->ledger.truncation, r);
    }
    arf_clear(x); arf_clear(lowest); arf_clear(largest); arf_clear(shift);
    return more;
}

/* Where what is added is too wide: so many times finer, at most, and for that share of the accuracy aimed at. Steer only. */
#define FINER 0.05
#define FINE_SHARE 0.7
#define LINES 12 /* that are tried: the next one knows more of how large the answer is: steers only */

/* The line that was read last, for thresholds to come. */
typedef struct shuf_line_struct
{
    fourier_struct line;
    int ready;
} line_struct;

static void line_drop(line_struct *x)
{
    if (x->ready)
        fourier_clear(&x->line);
    x->ready = 0;
}

/* e := what the line says; r := the part of it in e */
static void read_line(shuf_enclosure_t r, shuf_enclosure_t e, const line_struct *x, const arb_t K)
{
    fourier_read(e, &x->line, K);
    balance_ledger(e);
    keep_better(r, e);
}

/* About log of how much smaller the roundings of whole numbers are than those of doubles. Steers only. */
#define FIXED_GAIN 7.0

/* What comes after a line whose roundings were too large, of that relative width: for the last digits that doubles nearly have, whole numbers are too dear. */
static fourier_how finer(const fourier_struct *line, fourier_how how, double log_value, double digits, double width)
{
    if (how == FOURIER_DOUBLES && line->differs)
        return FOURIER_DIFFERENCES;
    return how < FOURIER_FIXED && width > d_pow(10, -fmin(digits, MOST_DIGITS)) && line->log_roundings - FIXED_GAIN < log_value - digits * d_log(10.0)
               ? FOURIER_FIXED : FOURIER_BALLS;
}

/* By the inverse of the transform; returns whether that was enough. */
static int by_fourier(shuf_enclosure_t r, line_struct *x, const problem_struct *p, const shuf_options *options)
{
    double log_value = NAN, width = 0, least = 0, fine = 1;
    fourier_how how = FOURIER_DOUBLES;
    int i, rounded, coarse, better = 1;
    shuf_enclosure_t e;
    arb_t K, t;
    shuf_enclosure_init(e); arb_init(K); arb_init(t);
    arb_set_arf(K, p->K_low);
    arb_set_arf(t, p->K_high);
    arb_union(K, K, t, K_PREC);
    if (x->ready)
        read_line(r, e, x, K);
    for (i = 0; i < LINES && better && !shuf_enclosure_accurate(r, options->digits); i++)
    {
        line_drop(x);
        x->ready = fourier_init(&x->line, p->law, p->terms, p->K_low, p->pole, p->digits, p->limit, log_value, how, fine) == 0;
        if (!x->ready)
            break;
        read_line(r, e, x, K);
        rounded = steer_dominates(e->ledger.rounding, e);
        coarse = x->line.added > 0 && !rounded && steer_dominates(e->ledger.discretisation, e);
        fine *= coarse ? fmax(FINE_SHARE * d_pow(10, -p->digits) / steer_relative_width(e), FINER) : 1;
        log_value = steer_log(arf_sgn(r->lo) > 0 ? r->lo : r->hi);
        better = isfinite(log_value)
                 && (i == 0 || steer_relative_width(e) < 0.5 * width || log_value < least - 1 || (rounded && x->line.how < FOURIER_BALLS) || (coarse && x->line.count < FOURIER_MOST));
        /* a tolerance that was set for another size of the answer shows as rounding as well */
        how = x->line.how;
        if (rounded && (i > 0 || x->line.log_roundings > log_value - p->digits * d_log(10.0) - 1))
            how = finer(&x->line, how, log_value, (double) options->digits, steer_relative_width(r));
        width = steer_relative_width(e);
        least = log_value;
    }
    shuf_enclosure_clear(e); arb_clear(K); arb_clear(t);
    return shuf_enclosure_accurate(r, options->digits);
}

/* A largest value that is expected less often than once makes lines hopeless; more than so many of them are many counts. Steer only. */
#define RARE_FIRST 1
#define RARE_LAST 64
/* So many values of the sum are added up before lines are tried, or after them. Steer only. */
#define FEW_SUMS 2000.0
#define MOST_SUMS 100000.0
/* Fewer terms are for other ways, and that is the share of the work that the first look may take. Steer only. */
#define RARE_TERMS 500
#define RARE_SHARE 0.25

/*
 * By counts: of a rare value if most > 0, else all values of the sum, if they are no more than `sums`. Returns whether that was good enough, or,
 * of a value that is hardly ever there, whether it was possible.
 */
static int by_counts(shuf_enclosure_t r, const problem_struct *p, ulong most, double sums, const shuf_options *options)
{
    shuf_enclosure_t e;
    arb_t K, t;
    double limit = p->limit;
    int done;
    if (most > 0 && p->terms < RARE_TERMS)
        return 0;
    if (most == RARE_FIRST && limit > 0)
        limit = shuf_work() + RARE_SHARE * (limit - shuf_work());
    shuf_enclosure_init(e); arb_init(K); arb_init(t);
    arb_set_arf(K, p->K_low);
    arb_set_arf(t, p->K_high);
    arb_union(K, K, t, K_PREC);
    done = most > 0 ? iidsum_rare(e, p->law, p->terms, K, most, options->digits, limit)
                    : iidsum_enumerate(e, p->law, p->terms, K, sums, options->digits, p->limit);
    if (done)
        keep_better(r, e);
    shuf_enclosure_clear(e); arb_clear(K); arb_clear(t);
    return (done && most == RARE_FIRST) || shuf_enclosure_accurate(r, options->digits);
}

/* Without work: what one term says. */
static shuf_status excess(shuf_enclosure_t r, line_struct *x, const shuf_summand *law, uint64_t n, const arb_t K, int work,
                          const shuf_options *options)
{
    problem_struct p = { .law = law, .terms = n };
    double start = shuf_work();
    p.digits = fmin(fmax((double) options->digits, 1), MOST_DIGITS);
    p.limit = shuf_limit(options);
    arf_init(p.K_low);
    arf_init(p.K_high);
    if (start_problem(r, &p, K) && work && !by_counts(r, &p, 0, FEW_SUMS, options) && !by_counts(r, &p, RARE_FIRST, 0, options)
        && !by_fourier(r, x, &p, options) && !by_counts(r, &p, 0, MOST_SUMS, options))
        by_counts(r, &p, RARE_LAST, 0, options);
    arf_clear(p.K_low);
    arf_clear(p.K_high);
    r->ledger.work = shuf_work() - start;
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    return r->status;
}

shuf_status shuf_iidsum_excess(shuf_enclosure_t r, const shuf_summand *law, uint64_t n, const arb_t K, const shuf_options *options)
{
    return shuf_iidsum_excesses(r, law, n, K, 1, options);
}

int shuf_iidsum_moment(arb_t log_moment, double *theta, const shuf_summand *law, uint64_t n, const arb_t K)
{
    arf_t low;
    int known;
    if (law->quadrature == NULL)
        return 0;
    arf_init(low);
    arb_get_lbound_arf(low, K, PREC);
    known = fourier_moment(log_moment, theta, law, n, low, 0) && arb_is_finite(log_moment);
    arf_clear(low);
    return known;
}

/* The upper end is at most that bound. */
static void cut_above(shuf_enclosure_t r, const problem_struct *p)
{
    arb_t bound;
    arf_t end;
    arb_init(bound);
    arf_init(end);
    fourier_bound(bound, p->law, p->terms, p->K_low);
    arb_get_ubound_arf(end, bound, PREC);
    if (arf_is_finite(end) && arf_cmp(end, r->hi) < 0)
        arf_swap(r->hi, end);
    balance_ledger(r);
    arb_clear(bound);
    arf_clear(end);
}

#define EPSILON_PREC 256 /* steers only */

void shuf_line_free(shuf_line *line)
{
    if (line != NULL)
        line_drop(line);
    flint_free(line);
}

shuf_status shuf_iidsum_hockey(shuf_enclosure_t r, shuf_line **line, const shuf_summand *law, uint64_t n, const shuf_real_t eps, const shuf_options *options)
{
    problem_struct p = { .law = law, .terms = n, .pole = 1, .limit = shuf_limit(options) };
    double start = shuf_work();
    arf_t lowest, largest;
    arb_t K;
    if (n < 1 || n > SHUF_MAX_USERS)
        return SHUF_DOMAIN;
    p.digits = fmin(fmax((double) options->digits, 1), MOST_DIGITS);
    if (*line == NULL)
        *line = flint_calloc(1, sizeof(**line));
    else if ((*line)->ready && ((*line)->line.law != law || (*line)->line.terms != n))
        line_drop(*line);
    arb_init(K);
    arf_init(p.K_low); arf_init(p.K_high); arf_init(lowest); arf_init(largest);
    shuf_real_get_arb(K, eps, EPSILON_PREC);
    arb_get_lbound_arf(p.K_low, K, K_PREC);
    arb_get_ubound_arf(p.K_high, K, K_PREC);
    law->support(lowest, largest, law);
    arf_mul_ui(largest, largest, n, K_PREC, ARF_RND_CEIL);
    shuf_enclosure_zero(r);
    if (arf_is_nan(p.K_low) || arf_is_nan(largest) || arf_cmp(p.K_low, largest) < 0)
    {
        arf_one(r->hi);
        mag_one(r->ledger.truncation);
        if (arf_is_finite(p.K_low) && arf_is_finite(p.K_high) && !by_fourier(r, *line, &p, options))
            cut_above(r, &p);
    }
    arb_clear(K);
    arf_clear(p.K_low); arf_clear(p.K_high); arf_clear(lowest); arf_clear(largest);
    r->ledger.work = shuf_work() - start;
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* The share of the work left that a line may take, which may serve the other thresholds as well. Steer only. */
#define LINE_SHARE 0.5
#define FEW 4 /* thresholds are read one by one */

/* The finite thresholds from the i-th on that are not accurate are read from the line of the one before. */
static void read_others(shuf_enclosure_struct *r, const line_struct *x, arb_srcptr K, slong i, slong count, slong digits)
{
    shuf_enclosure_struct *e;
    int *wanted;
    slong j, left = 0;
    if (!x->ready || count - i < FEW)
        return;
    wanted = flint_malloc((size_t) (count - i) * sizeof(*wanted));
    e = flint_malloc((size_t) (count - i) * sizeof(*e));
    for (j = i; j < count; j++)
    {
        shuf_enclosure_init(e + j - i);
        wanted[j - i] = arb_is_finite(K + j) && !shuf_enclosure_accurate(r + j, digits);
        left += wanted[j - i];
    }
    if (left >= FEW)
        fourier_reads(e, &x->line, K + i, wanted, count - i);
    for (j = i; j < count; j++)
    {
        if (left >= FEW && wanted[j - i])
        {
            balance_ledger(e + j - i);
            keep_better(r + j, e + j - i);
        }
        shuf_enclosure_clear(e + j - i);
    }
    flint_free(e);
    flint_free(wanted);
}

shuf_status shuf_iidsum_excesses(shuf_enclosure_struct *r, const shuf_summand *law, uint64_t n, arb_srcptr K, slong count,
                                 const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status = SHUF_OK;
    line_struct x = { .ready = 0 };
    slong i;
    if (n < 1 || n > SHUF_MAX_USERS)
        return SHUF_DOMAIN;
    for (i = 0; i < count; i++)
    {
        shuf_enclosure_zero(r + i);
        arf_pos_inf(r[i].hi);
    }
    for (i = 0; i < count; i++)
    {
        if (!shuf_enclosure_accurate(r + i, options->digits))
        {
            shuf_share(&o, limit, fmax(1 / (double) (count - i), LINE_SHARE));
            excess(r + i, &x, law, n, K + i, !shuf_exhausted(limit), &o);
            if (mag_is_zero(law->shift)) /* they are read at K itself */
                read_others(r, &x, K, i + 1, count, options->digits);
        }
        r[i].status = shuf_enclosure_accurate(r + i, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        if (status == SHUF_OK)
            status = r[i].status;
    }
    line_drop(&x);
    return status;
}
