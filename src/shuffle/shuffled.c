/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/shuffled.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hockey/hockey.h"
#include "shuffle/gaussian.h"
#include "iidsum/iidsum.h"
#include "enclosure/parallel.h"
#include "enclosure/inverse.h"
#include "enclosure/steer.h"
#include "randomiser/line.h"
#include "shuffle/binary.h"
#include "shuffle/local_profile.h"
#include "shuffle/mixed.h"
#include "subsample/profile.h"

/* Of the laws; their sums need no more. */
#define PREC 192

static const struct
{
    const char *theorem;
    int upper;
    const char *sampled, *poisson;
} kinds[SHUF_SHUFFLED_KINDS] = {
    [SHUF_SHUFFLED_CLONES] = { "clones", 1, NULL, NULL },
    [SHUF_SHUFFLED_CLONES_STRONGER] = { "clones-stronger", 1, NULL, NULL },
    [SHUF_SHUFFLED_LOCAL_PROFILE] = { "local-profile", 1, "local-profile-sampled", "local-profile-poisson" },
    [SHUF_SHUFFLED_BLANKET] = { "blanket", 1, "blanket-sampled", "blanket-poisson" },
    [SHUF_SHUFFLED_ALL_EQUAL] = { "all-equal", 0, "alike-sampled", "alike-poisson" },
    [SHUF_SHUFFLED_THIRD] = { "third-value", 0, "alike-sampled", "alike-poisson" },
    [SHUF_SHUFFLED_MIXED] = { "mixed-data", 0, "mixed-sampled", NULL },
};

const char *shuf_shuffled_theorem(shuf_shuffled_kind kind)
{
    return kinds[kind].theorem;
}

const char *shuf_shuffled_sampled_theorem(shuf_shuffled_kind kind, int is_poisson)
{
    return is_poisson ? kinds[kind].poisson : kinds[kind].sampled;
}

int shuf_shuffled_is_upper(shuf_shuffled_kind kind)
{
    return kinds[kind].upper;
}

static int is_line(const shuf_randomiser_t randomiser)
{
    return randomiser->kind == SHUF_RANDOMISER_LAPLACE || randomiser->kind == SHUF_RANDOMISER_GAUSSIAN;
}

const char *shuf_shuffled_premise(shuf_shuffled_kind kind, const shuf_randomiser_t randomiser)
{
    if (kinds[kind].upper && is_line(randomiser) && randomiser->inputs == SHUF_ANY_INPUTS)
        return "noise-interval";
    if (kind == SHUF_SHUFFLED_BLANKET && randomiser->parts > 0)
        return "tuple-inputs";
    return kind <= SHUF_SHUFFLED_LOCAL_PROFILE ? "local-epsilon" : NULL;
}

static void set_unknown(shuf_enclosure_t r)
{
    shuf_enclosure_zero(r);
    arf_one(r->hi);
    mag_one(r->ledger.truncation);
    r->status = SHUF_DOMAIN;
}

/* Whether there is an input 2. */
static int has_third(const shuf_randomiser_t randomiser)
{
    return randomiser->inputs >= 3 && randomiser->inputs != SHUF_ANY_INPUTS;
}

/* Whether events of its reports are looked at, for MIXED. */
static int has_events(const shuf_randomiser_t randomiser)
{
    return !is_line(randomiser) && randomiser->parts == 0;
}

/* ---- one user among independent reports: proofs/blanket.md, Lemma 1 ---- */

/* A round of n reports; the threshold at an eps (proofs/sampled-described.md). */
typedef struct
{
    uint64_t n;
    int everyone;
    fmpq_t rate;          /* fixed size: they are of a uniform subset that has this rate of the users */
    fmpq_t participation; /* Poisson: of users with this probability, else -(alpha-1) takes the place of their term */
    arb_t K, absent;
} round_struct;

/* K = n (alpha-1)(1-rate)/rate. */
static void round_init(round_struct *round, const shuf_sampling *sampling, const shuf_real_t eps)
{
    fmpq_t q;
    fmpq_init(q);
    round->n = sampling->n;
    round->everyone = fmpq_is_one(sampling->rate);
    fmpq_init(round->rate);
    fmpq_init(round->participation);
    fmpq_one(round->rate);
    fmpq_one(round->participation);
    fmpq_set(sampling->is_poisson ? round->participation : round->rate, sampling->rate);
    arb_init(round->K);
    arb_init(round->absent);
    shuf_real_exp(round->absent, eps, PREC);
    arb_sub_ui(round->absent, round->absent, 1, PREC);
    arb_neg(round->absent, round->absent);
    fmpq_inv(q, round->rate);
    fmpq_sub_si(q, q, 1);
    fmpq_neg(q, q);
    arb_set_fmpq(round->K, q, PREC);
    arb_mul_ui(round->K, round->K, round->n, PREC);
    arb_mul(round->K, round->absent, round->K, PREC);
    fmpq_clear(q);
}

static void round_clear(round_struct *round)
{
    fmpq_clear(round->rate);
    fmpq_clear(round->participation);
    arb_clear(round->K);
    arb_clear(round->absent);
}

/* An ordered pair of inputs, and where the other reports come from. */
typedef struct
{
    uint64_t x, x1, reference;
    double log_chernoff; /* of E(L_1 + .. + L_n - K)_+/n + alone, roughly */
    double theta;        /* that gives it */
} shuffled_case;

/* The terms (p - alpha q)/w with their masses w, and what lies outside w. */
typedef struct
{
    slong count, allocated;
    arb_ptr value, mass;
    arb_t alone;
} term_list;

/*
 * Makes them those of users who take part with the round's probability: there must be room for one more.
 * Coq: PoissonShuffle.poisson_blanket, PoissonShuffle.poisson_alike, PoissonShuffle.poisson_local_profile.
 */
static void terms_thin(term_list *t, const round_struct *round)
{
    arb_t participation;
    if (fmpq_is_one(round->participation))
        return;
    arb_init(participation);
    arb_set_fmpq(participation, round->participation, PREC);
    _arb_vec_scalar_mul(t->mass, t->mass, t->count, participation, PREC);
    arb_mul(t->alone, t->alone, participation, PREC);
    arb_set(t->value + t->count, round->absent);
    arb_sub_ui(t->mass + t->count, participation, 1, PREC);
    arb_neg(t->mass + t->count, t->mass + t->count);
    t->count++;
    arb_clear(participation);
}

/* Units of work of a class, and of a term of an estimate. */
#define CLASS_WORK 4000.0
#define ESTIMATE_WORK 12.0

/* Coq: ShuffleBlanket.blanket_common, ShuffleBlanket.alike_exact, SampledShuffle.sampled_blanket, SampledShuffle.sampled_alike. */
static void terms_init(term_list *t, const shuf_randomiser_t randomiser, const shuffled_case *c, const round_struct *round, const shuf_real_t eps)
{
    shuf_classes_t classes;
    arb_t alpha, u, rest;
    slong i;
    arb_init(alpha); arb_init(u); arb_init(rest);
    shuf_real_exp(alpha, eps, PREC);
    shuf_randomiser_classes(classes, randomiser, c->x, c->x1, c->reference, PREC);
    shuf_charge(CLASS_WORK * (double) classes->count);
    t->count = 0;
    t->allocated = classes->count + 2;
    t->value = _arb_vec_init(t->allocated);
    t->mass = _arb_vec_init(t->allocated);
    arb_init(t->alone);
    arb_one(rest);
    for (i = 0; i < classes->count; i++)
    {
        arb_submul(classes->p + i, alpha, classes->q + i, PREC);
        if (arb_is_zero(classes->w + i))
        {
            arb_zero(u);
            arb_max(u, u, classes->p + i, PREC);
            arb_add(t->alone, t->alone, u, PREC);
        }
        else
        {
            arb_div(t->value + t->count, classes->p + i, classes->w + i, PREC);
            arb_set(t->mass + t->count, classes->w + i);
            arb_sub(rest, rest, classes->w + i, PREC);
            t->count++;
        }
    }
    if (c->reference == SHUF_BLANKET)
    {
        /* no report from the blanket: a term 0 */
        arb_zero(u);
        arb_max(t->mass + t->count, rest, u, PREC);
        t->count++;
    }
    terms_thin(t, round);
    arb_clear(alpha); arb_clear(u); arb_clear(rest);
    shuf_classes_clear(classes);
}

static void terms_clear(term_list *t)
{
    _arb_vec_clear(t->value, t->allocated);
    _arb_vec_clear(t->mass, t->allocated);
    arb_clear(t->alone);
}

typedef struct
{
    arb_struct value, mass;
} term;

/* By value, then by mass: the order of their midpoints. */
static int by_value(const void *a, const void *b)
{
    const term *s = a, *t = b;
    int order = arf_cmp(arb_midref(&s->value), arb_midref(&t->value));
    return order != 0 ? order : arf_cmp(arb_midref(&s->mass), arb_midref(&t->mass));
}

static void terms_sort(term_list *t)
{
    term *list = flint_malloc((size_t) (t->count + 1) * sizeof(term));
    slong i;
    for (i = 0; i < t->count; i++)
    {
        list[i].value = t->value[i];
        list[i].mass = t->mass[i];
    }
    qsort(list, (size_t) t->count, sizeof(term), by_value);
    for (i = 0; i < t->count; i++)
    {
        t->value[i] = list[i].value;
        t->mass[i] = list[i].mass;
    }
    flint_free(list);
}

/* Whether two sorted lists certainly describe the same law: the same exact numbers give the same balls. */
static int terms_equal(const term_list *s, const term_list *t)
{
    slong i;
    if (s->count != t->count || !arb_equal(s->alone, t->alone))
        return 0;
    for (i = 0; i < s->count; i++)
        if (!arb_equal(s->value + i, t->value + i) || !arb_equal(s->mass + i, t->mass + i))
            return 0;
    return 1;
}

#define THETA_STEPS 60

/* Chernoff's bound of a case, at the theta that makes it smallest; an estimate. */
static void estimate_case(shuffled_case *c, const term_list *t, double users, double K)
{
    double *v = flint_malloc((size_t) (t->count + 1) * sizeof(double)), *w = flint_malloc((size_t) (t->count + 1) * sizeof(double));
    double largest = 0, low, high, alone = steer_midpoint(t->alone);
    slong j;
    int i;
    shuf_charge(2 * THETA_STEPS * ESTIMATE_WORK * (double) (t->count + 1));
    for (j = 0; j < t->count; j++)
    {
        v[j] = steer_midpoint(t->value + j);
        w[j] = steer_midpoint(t->mass + j);
        largest = fmax(largest, v[j]);
    }
    c->log_chernoff = -HUGE_VAL;
    c->theta = 1;
    if (largest > 0)
    {
        /* convex in theta; theta largest is between 1/n and some hundreds at the minimum */
        low = log(1e-3 / (largest * users));
        high = log(600 / largest);
        for (i = 0; i < THETA_STEPS; i++)
        {
            double at[2] = { low + (high - low) / 3, high - (high - low) / 3 }, value[2];
            int side;
            for (side = 0; side < 2; side++)
            {
                double sum = 0, theta = exp(at[side]);
                for (j = 0; j < t->count; j++)
                    sum += w[j] * expm1(theta * v[j]);
                value[side] = users * log1p(sum) - at[side] - theta * K;
            }
            if (value[0] < value[1])
                high = at[1];
            else
                low = at[0];
            c->log_chernoff = fmin(value[0], value[1]) - 1 - log(users);
        }
        c->theta = exp((low + high) / 2);
        if (isnan(c->log_chernoff) || !isnormal(c->theta))
        {
            /* beyond the range of doubles: nothing is known */
            c->log_chernoff = 0;
            c->theta = 1;
        }
    }
    if (alone > 0)
        c->log_chernoff = fmax(c->log_chernoff, log(alone)) + log1p(exp(-fabs(c->log_chernoff - log(alone))));
    flint_free(v);
    flint_free(w);
}

/* bound >= rate (E(L_1 + .. + L_n - K)_+/n + alone): (s)_+ <= e^{theta s - 1}/theta. */
static void chernoff(arf_t bound, const term_list *t, double theta, const round_struct *round)
{
    arb_t sum, u;
    slong j;
    arb_init(sum); arb_init(u);
    for (j = 0; j < t->count; j++)
    {
        arb_set_d(u, theta);
        arb_mul(u, u, t->value + j, PREC);
        arb_exp(u, u, PREC);
        arb_addmul(sum, t->mass + j, u, PREC);
    }
    arb_pow_ui(sum, sum, round->n, PREC);
    arb_set_d(u, theta);
    arb_mul_ui(u, u, round->n, PREC);
    arb_div(sum, sum, u, PREC);
    arb_set_d(u, -theta);
    arb_mul(u, u, round->K, PREC);
    arb_sub_ui(u, u, 1, PREC);
    arb_exp(u, u, PREC);
    arb_mul(sum, sum, u, PREC);
    arb_add(sum, sum, t->alone, PREC);
    arb_set_fmpq(u, round->rate, PREC);
    arb_mul(sum, sum, u, PREC);
    arb_get_ubound_arf(bound, sum, PREC);
    arb_clear(sum); arb_clear(u);
}

/* r := rate (r/n + alone), at most 1. */
static void finish_case(shuf_enclosure_t r, const round_struct *round, const arb_t alone)
{
    mag_ptr parts[4] = { r->ledger.truncation, r->ledger.discretisation, r->ledger.aliasing, r->ledger.rounding };
    arf_ptr ends[2] = { r->lo, r->hi };
    arb_t t, rate;
    mag_t extra;
    int i;
    arb_init(t);
    arb_init(rate);
    mag_init(extra);
    arb_set_fmpq(rate, round->rate, PREC);
    for (i = 0; i < 2; i++)
    {
        arb_set_arf(t, ends[i]);
        arb_div_ui(t, t, round->n, PREC);
        arb_add(t, t, alone, PREC);
        arb_mul(t, t, rate, PREC);
        if (i == 0)
            arb_get_lbound_arf(r->lo, t, PREC);
        else
            arb_get_ubound_arf(r->hi, t, PREC);
    }
    for (i = 0; i < 4; i++)
        mag_div_ui(parts[i], parts[i], round->n);
    /* what these roundings add to the width */
    arb_get_mag(extra, t);
    mag_mul_2exp_si(extra, extra, 4 - PREC);
    mag_addmul(extra, arb_radref(alone), arb_radref(alone));
    mag_add(extra, extra, arb_radref(alone));
    mag_add(extra, extra, arb_radref(alone));
    mag_add(r->ledger.rounding, r->ledger.rounding, extra);
    if (arf_cmp_si(r->hi, 1) > 0)
        arf_one(r->hi);
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    arb_clear(t);
    arb_clear(rate);
    mag_clear(extra);
}

static void evaluate_terms(shuf_enclosure_t r, const term_list *t, const round_struct *round, const shuf_options *options)
{
    shuf_law law;
    shuf_law_init_finite(&law, t->value, t->mass, t->count);
    shuf_iidsum_excess(r, &law, round->n, round->K, options);
    finish_case(r, round, t->alone);
    if (r->status == SHUF_OK && !shuf_enclosure_accurate(r, options->digits))
        r->status = SHUF_ACCURACY;
    shuf_law_clear_finite(&law);
}

/* ---- all the cases of a bound ---- */

typedef struct
{
    shuffled_case *items;
    size_t count, allocated;
} case_list;

static void add_case(case_list *list, uint64_t x, uint64_t x1, uint64_t reference)
{
    if (list->count == list->allocated)
    {
        list->allocated = 2 * list->allocated + 16;
        list->items = flint_realloc(list->items, list->allocated * sizeof(shuffled_case));
    }
    list->items[list->count].x = x;
    list->items[list->count].x1 = x1;
    list->items[list->count].reference = reference;
    list->count++;
}

/* With more inputs than this a third value is tried for the first pairs only, and so many third ones. */
#define MANY_INPUTS 12
#define MANY_OTHERS 100

static void add_cases(case_list *list, const shuf_randomiser_t randomiser, shuf_shuffled_kind kind)
{
    uint64_t i, j, x, x1, z;
    for (i = 0; shuf_randomiser_pair(&x, &x1, randomiser, i); i++)
    {
        switch (kind)
        {
        case SHUF_SHUFFLED_BLANKET:
            add_case(list, x, x1, SHUF_BLANKET);
            break;
        case SHUF_SHUFFLED_ALL_EQUAL:
            add_case(list, x, x1, x1);
            add_case(list, x, x1, x);
            break;
        default:
            if (randomiser->inputs > MANY_INPUTS && i >= MANY_INPUTS)
                break;
            for (j = 0; j < MANY_OTHERS && shuf_randomiser_other(&z, randomiser, j); j++)
                if (z != x && z != x1)
                    add_case(list, x, x1, z);
            break;
        }
    }
}

static int by_estimate(const void *a, const void *b)
{
    double x = ((const shuffled_case *) a)->log_chernoff, y = ((const shuffled_case *) b)->log_chernoff;
    return (x < y) - (x > y);
}

/* How many different cases are tried for a lower bound; a family has fewer. */
#define LOWER_CASES 16

/* What is known of a case. */
typedef struct
{
    const shuffled_case *c;
    term_list terms;
    shuf_enclosure_t value;
    double work; /* that it was given; 0: as much as it needed */
} case_value;

/* The case whose end (upper: hi, else lo) is largest; a lower bound's data must have the divergence lo. */
static size_t largest_end(const case_value *values, size_t count, int upper)
{
    size_t best = 0, i;
    for (i = 1; i < count; i++)
        if ((upper ? arf_cmp(values[i].value->hi, values[best].value->hi)
                   : arf_cmp(values[i].value->lo, values[best].value->lo)) > 0)
            best = i;
    return best;
}

/* Evaluates it with that part of what is left. */
static void evaluate_case(case_value *v, const round_struct *round, double limit, double part, slong digits)
{
    shuf_options o = { digits, 0.0 };
    shuf_share(&o, limit, part);
    v->work = o.max_work;
    evaluate_terms(v->value, &v->terms, round, &o);
}

/* Whether the case with these terms is the same as one of the others, or certainly no larger than lo. */
static int is_known(const case_value *values, size_t count, const term_list *t, double theta, const round_struct *round, const arf_t lo)
{
    arf_t bound;
    int known = 0;
    size_t j;
    for (j = 0; j < count && !known; j++)
        known = terms_equal(t, &values[j].terms);
    if (!known && count > 0)
    {
        arf_init(bound);
        chernoff(bound, t, theta, round);
        known = arf_is_finite(bound) && arf_cmp(bound, lo) <= 0;
        arf_clear(bound);
    }
    return known;
}

/* Cases that are estimated between two looks at the budget. */
#define ESTIMATES 16

typedef struct
{
    const shuf_randomiser_struct *randomiser;
    shuffled_case *items;
    const round_struct *round;
    const shuf_real_struct *eps;
} estimates;

static void estimate_item(void *args, slong i)
{
    const estimates *x = args;
    term_list t;
    terms_init(&t, x->randomiser, x->items + i, x->round, x->eps);
    estimate_case(x->items + i, &t, (double) x->round->n, steer_midpoint(x->round->K));
    terms_clear(&t);
}

/*
 * r encloses the largest of the cases: of all of them for an upper bound, of
 * those that promise most for a lower one.
 */
static void largest_case(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                         shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options)
{
    double limit = shuf_limit(options);
    int upper = kinds[kind].upper, few = !upper, complete = 1;
    case_list list = { NULL, 0, 0 };
    estimates x = { randomiser, NULL, round, eps };
    case_value *values;
    size_t i, distinct = 0, best;

    add_cases(&list, randomiser, kind);
    for (i = 0; i < list.count && complete; i += ESTIMATES)
    {
        x.items = list.items + i;
        parallel_do(estimate_item, &x, (slong) FLINT_MIN(ESTIMATES, list.count - i));
        complete = !shuf_exhausted(limit);
    }
    i = FLINT_MIN(i, list.count);
    qsort(list.items, i, sizeof(shuffled_case), by_estimate);
    list.count = i;
    values = flint_malloc(FLINT_MAX(list.count, 1) * sizeof(case_value));
    for (i = 0; i < list.count && !(few && distinct == LOWER_CASES); i++)
    {
        case_value *v = &values[distinct];
        if (distinct > 0 && shuf_exhausted(limit))
        {
            complete = 0;
            break;
        }
        v->c = &list.items[i];
        terms_init(&v->terms, randomiser, v->c, round, eps);
        terms_sort(&v->terms);
        if (is_known(values, distinct, &v->terms, v->c->theta, round, r->lo))
        {
            terms_clear(&v->terms);
            continue;
        }
        shuf_enclosure_init(v->value);
        evaluate_case(v, round, limit, i + 1 < list.count ? 0.5 : 1, options->digits);
        if (distinct == 0)
            shuf_enclosure_set(r, v->value);
        else
            shuf_enclosure_max(r, r, v->value);
        distinct++;
    }
    if (distinct > 0)
    {
        /* what is left goes to the case that leaves the width */
        best = largest_end(values, distinct, 1);
        if (complete && limit > 0 && limit - shuf_work() > values[best].work && !shuf_enclosure_accurate(r, options->digits))
        {
            evaluate_case(&values[best], round, limit, 1, options->digits);
            shuf_enclosure_set(r, values[0].value);
            for (i = 1; i < distinct; i++)
                shuf_enclosure_max(r, r, values[i].value);
        }
        best = largest_end(values, distinct, upper);
        where->x = values[best].c->x;
        where->x1 = values[best].c->x1;
        where->others = values[best].c->reference;
    }
    if (list.count == 0 || (upper && !complete))
        set_unknown(r);
    for (i = 0; i < distinct; i++)
    {
        terms_clear(&values[i].terms);
        shuf_enclosure_clear(values[i].value);
    }
    flint_free(values);
    flint_free(list.items);
}

/* ---- randomisers on the line: (0, 1) and (1, 0) give the same (proofs/line.md) ---- */

/* r encloses the divergence of these data, or its bound. */
static void evaluate_line(shuf_enclosure_t r, const shuf_randomiser_t randomiser, uint64_t x, uint64_t x1, uint64_t reference,
                          const round_struct *round, const shuf_real_t eps, const shuf_options *options)
{
    shuf_law law, thinned;
    int whole = fmpq_is_one(round->participation);
    arb_t zero;
    arb_init(zero);
    line_law_init(&law, randomiser, x, x1, reference, eps, PREC);
    if (!whole)
        shuf_law_init_thinned(&thinned, &law, round->participation, round->absent);
    shuf_iidsum_excess(r, whole ? &law : &thinned, round->n, round->K, options);
    finish_case(r, round, zero);
    if (!whole)
        shuf_law_clear_thinned(&thinned);
    line_law_clear(&law);
    arb_clear(zero);
}

static void largest_line(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                         shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options)
{
    const uint64_t references[2] = { 1, 0 };
    int count = kind == SHUF_SHUFFLED_BLANKET ? 1 : 2, i;
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t next;
    shuf_enclosure_init(next);
    where->x = 0;
    where->x1 = 1;
    if (randomiser->kind == SHUF_RANDOMISER_GAUSSIAN && kind == SHUF_SHUFFLED_ALL_EQUAL && round->everyone)
    {
        /* the same, with the heavy tail split off */
        shuf_gaussian_delta(r, round->n, randomiser->scale, eps, SHUF_DIRECTION_BOTH, options);
        where->others = 1;
        count = 0;
    }
    for (i = 0; i < count; i++)
    {
        uint64_t reference = kind == SHUF_SHUFFLED_BLANKET ? SHUF_BLANKET : references[i];
        shuf_share(&o, limit, 1.0 / (count - i));
        evaluate_line(next, randomiser, 0, 1, reference, round, eps, &o);
        if (i == 0 || arf_cmp(next->lo, r->lo) > 0)
            where->others = reference;
        if (i == 0)
            shuf_enclosure_set(r, next);
        else
            shuf_enclosure_max(r, r, next);
    }
    shuf_enclosure_clear(next);
}

/* ---- two values among the others, and one event of each report: proofs/mixed.md ---- */

/* The rows of x and x1, the outputs in decreasing order of their likelihood ratio: events are the first ones. */
typedef struct
{
    slong count;
    arb_ptr p, q;
    slong *order;
} row_pair;

static double ratio_estimate(const row_pair *rows, slong i)
{
    double q = steer_midpoint(rows->q + i), p = steer_midpoint(rows->p + i);
    return q > 0 ? p / q : p > 0 ? HUGE_VAL : 0;
}

static void rows_init(row_pair *rows, const shuf_randomiser_t randomiser, uint64_t x, uint64_t x1)
{
    slong i, j;
    if (randomiser->kind == SHUF_RANDOMISER_MATRIX)
    {
        rows->count = (slong) randomiser->outputs;
        rows->p = _arb_vec_init(rows->count);
        rows->q = _arb_vec_init(rows->count);
        for (i = 0; i < rows->count; i++)
        {
            arb_set_fmpq(rows->p + i, randomiser->row + x * randomiser->outputs + (uint64_t) i, PREC);
            arb_set_fmpq(rows->q + i, randomiser->row + x1 * randomiser->outputs + (uint64_t) i, PREC);
        }
    }
    else
    {
        shuf_classes_t classes;
        shuf_randomiser_classes(classes, randomiser, x, x1, x1, PREC);
        rows->count = classes->count;
        rows->p = _arb_vec_init(rows->count);
        rows->q = _arb_vec_init(rows->count);
        _arb_vec_set(rows->p, classes->p, rows->count);
        _arb_vec_set(rows->q, classes->q, rows->count);
        shuf_classes_clear(classes);
    }
    rows->order = flint_malloc((size_t) rows->count * sizeof(slong));
    for (i = 0; i < rows->count; i++)
    {
        for (j = i; j > 0 && ratio_estimate(rows, rows->order[j - 1]) < ratio_estimate(rows, i); j--)
            rows->order[j] = rows->order[j - 1];
        rows->order[j] = i;
    }
}

static void rows_clear(row_pair *rows)
{
    _arb_vec_clear(rows->p, rows->count);
    _arb_vec_clear(rows->q, rows->count);
    flint_free(rows->order);
}

/* Of the first `size` outputs: the probability when z is held, one of x, x1 or (MATRIX) any input. */
static void event_probability(arb_t r, const shuf_randomiser_t randomiser, const row_pair *rows, uint64_t x, uint64_t z,
                              slong size)
{
    fmpq_t sum;
    slong i;
    fmpq_init(sum);
    arb_zero(r);
    for (i = 0; i < size; i++)
    {
        if (randomiser->kind == SHUF_RANDOMISER_MATRIX)
            fmpq_add(sum, sum, randomiser->row + z * randomiser->outputs + (uint64_t) rows->order[i]);
        else
            arb_add(r, r, (z == x ? rows->p : rows->q) + rows->order[i], PREC);
    }
    if (randomiser->kind == SHUF_RANDOMISER_MATRIX)
        arb_set_fmpq(r, sum, PREC);
    fmpq_clear(sum);
}

/* An event of the pair x, x1, with all others holding u. */
typedef struct
{
    uint64_t x, x1, u;
    slong size;
    double log_chernoff;
} mix_case;

static int by_mix_estimate(const void *a, const void *b)
{
    double x = ((const mix_case *) a)->log_chernoff, y = ((const mix_case *) b)->log_chernoff;
    return (x < y) - (x > y);
}

/* Chernoff's bound of the two-valued report; an estimate. */
static void estimate_mix(mix_case *c, const shuf_randomiser_t randomiser, const row_pair *rows, const round_struct *round, double alpha)
{
    shuffled_case estimate;
    term_list t;
    arb_t a, p, q;
    double A, P, Q, value[2], mass[2];
    int i;
    arb_init(a); arb_init(p); arb_init(q);
    event_probability(a, randomiser, rows, c->x, c->u, c->size);
    event_probability(p, randomiser, rows, c->x, c->x, c->size);
    event_probability(q, randomiser, rows, c->x, c->x1, c->size);
    A = steer_midpoint(a);
    P = steer_midpoint(p);
    Q = steer_midpoint(q);
    value[0] = P - alpha * Q;
    value[1] = 1 - P - alpha * (1 - Q);
    mass[0] = A;
    mass[1] = 1 - A;
    t.count = t.allocated = 2;
    t.value = _arb_vec_init(2);
    t.mass = _arb_vec_init(2);
    arb_init(t.alone);
    for (i = 0; i < 2; i++)
    {
        if (mass[i] > 0)
        {
            arb_set_d(t.value + i, value[i] / mass[i]);
            arb_set_d(t.mass + i, mass[i]);
        }
        else if (value[i] > 0)
        {
            arb_set_d(t.alone, value[i]);
        }
    }
    estimate_case(&estimate, &t, (double) round->n, steer_midpoint(round->K));
    c->log_chernoff = estimate.log_chernoff;
    terms_clear(&t);
    arb_clear(a); arb_clear(p); arb_clear(q);
}

#define MIX_CASES 6
#define SAMPLED_MIX_CASES 3

/* The mixes, the most promising first, looked for while the work is not enough. Returns their number. */
static size_t find_mixes(mix_case **cases, const shuf_randomiser_t randomiser, const round_struct *round, uint64_t values, double alpha, double enough)
{
    size_t count = 0, allocated = 0;
    uint64_t i, x, x1, u;
    *cases = NULL;
    for (i = 0; shuf_randomiser_pair(&x, &x1, randomiser, i); i++)
    {
        row_pair rows;
        slong size;
        if (x >= values || x1 >= values)
            continue;
        if (count > 0 && shuf_work() > enough)
            break; /* the pairs so far will do */
        rows_init(&rows, randomiser, x, x1);
        for (size = 1; size < rows.count; size++)
            for (u = 0; u < values; u++)
            {
                mix_case *c;
                if (count == allocated)
                {
                    allocated = 2 * allocated + 16;
                    *cases = flint_realloc(*cases, allocated * sizeof(mix_case));
                }
                c = *cases + count++;
                c->x = x;
                c->x1 = x1;
                c->u = u;
                c->size = size;
                estimate_mix(c, randomiser, &rows, round, alpha);
            }
        rows_clear(&rows);
    }
    qsort(*cases, count, sizeof(mix_case), by_mix_estimate);
    return count;
}

/* The mixes that promise most at eps; alpha about e^eps. Returns their number. */
static size_t promising_mixes(mix_case **cases, const shuf_randomiser_t randomiser, const round_struct *round, uint64_t values,
                              const shuf_real_t eps, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    double alpha;
    arb_t t;
    arb_init(t);
    shuf_real_exp(t, eps, PREC);
    alpha = fmin(steer_midpoint(t), DBL_MAX); /* infinity times a probability of 0 is no number */
    arb_clear(t);
    return find_mixes(cases, randomiser, round, values, alpha, limit > 0 ? limit - options->max_work / 2 : HUGE_VAL);
}

/* Inputs that the others hold. */
static uint64_t mixed_values(const shuf_randomiser_t randomiser)
{
    return randomiser->kind == SHUF_RANDOMISER_MATRIX ? FLINT_MIN(randomiser->inputs, MANY_INPUTS) : 2;
}

/* r encloses the delta of the mix that promises most. */
static void largest_mix(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                        const shuf_real_t eps, const shuf_options *options)
{
    double limit = shuf_limit(options);
    int found = 0;
    const uint64_t n = round->n, values = mixed_values(randomiser);
    uint64_t j, v;
    size_t count, k;
    mix_case *cases;
    shuf_event_t event;
    shuf_enclosure_t next;
    row_pair rows;

    if (!has_events(randomiser) || n > SHUF_MIXED_MAX_USERS)
        return;
    shuf_event_init(event);
    shuf_enclosure_init(next);
    count = promising_mixes(&cases, randomiser, round, values, eps, options);
    for (k = 0; k < count && k < MIX_CASES; k++)
    {
        const mix_case *c = &cases[k];
        rows_init(&rows, randomiser, c->x, c->x1);
        event_probability(event->a, randomiser, &rows, c->x, c->u, c->size);
        event_probability(event->p, randomiser, &rows, c->x, c->x, c->size);
        event_probability(event->q, randomiser, &rows, c->x, c->x1, c->size);
        for (v = 0; v < values; v++)
        {
            shuf_options o = *options;
            double outer;
            if (v == c->u || (found && shuf_exhausted(limit)))
                continue;
            shuf_share(&o, limit, 0.5);
            event_probability(event->b, randomiser, &rows, c->x, v, c->size);
            outer = shuf_limit_set(limit > 0 ? shuf_work() + o.max_work / 2 : 0);
            j = shuf_mixed_worst(n, event, eps);
            shuf_limit_set(outer);
            shuf_share(&o, limit, 0.5);
            if (shuf_mixed_delta(next, n, j, event, eps, &o) == SHUF_DOMAIN || (found && arf_cmp(next->lo, r->lo) <= 0))
                continue;
            found = 1;
            shuf_enclosure_set(r, next);
            where->x = c->x;
            where->x1 = c->x1;
            where->others = c->u;
            where->second = v;
            where->count = j;
            where->event = (uint64_t) c->size;
        }
        rows_clear(&rows);
    }
    flint_free(cases);
    shuf_event_clear(event);
    shuf_enclosure_clear(next);
}

/*
 * The event of x and x1 as a bit of all users, of whom the round's report; returns 0 if there are too many.
 * Coq: KrrSampled.sampled_event_below.
 */
static int set_event_bits(binary_t bits, const shuf_randomiser_t randomiser, const row_pair *rows, uint64_t x, uint64_t x1, slong size,
                          const round_struct *round)
{
    fmpq_t users;
    int known;
    fmpq_init(users);
    fmpq_set_ui(users, round->n, 1);
    fmpq_div(users, users, round->rate);
    known = fmpz_is_one(fmpq_denref(users)) && fmpz_cmp_ui(fmpq_numref(users), COUNTS_MAX_USERS) <= 0;
    if (known)
    {
        bits->users = fmpz_get_ui(fmpq_numref(users));
        bits->absent = bits->users - round->n;
        event_probability(bits->bits->p, randomiser, rows, x, x, size);
        event_probability(bits->bits->q, randomiser, rows, x, x1, size);
        arb_sub_ui(bits->bits->p_rest, bits->bits->p, 1, PREC);
        arb_neg(bits->bits->p_rest, bits->bits->p_rest);
        arb_sub_ui(bits->bits->q_rest, bits->bits->q, 1, PREC);
        arb_neg(bits->bits->q_rest, bits->bits->q_rest);
    }
    fmpq_clear(users);
    return known;
}

/* The same of a sampled round, the others holding x or x1: reports of one bit (proofs/binary-reports.md, Theorem 7). */
static void largest_sampled_mix(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                                const shuf_real_t eps, const shuf_options *options)
{
    double limit = shuf_limit(options);
    int tried = 0, found = 0;
    size_t count, k;
    mix_case *cases;
    shuf_enclosure_t next;
    if (!has_events(randomiser))
        return;
    shuf_enclosure_init(next);
    count = promising_mixes(&cases, randomiser, round, mixed_values(randomiser), eps, options);
    for (k = 0; k < count && tried < SAMPLED_MIX_CASES; k++)
    {
        const mix_case *c = &cases[k];
        shuf_options o = *options;
        binary_data data;
        binary_t bits;
        row_pair rows;
        if (c->u != c->x1 || (found && shuf_exhausted(limit)))
            continue;
        tried++;
        shuf_share(&o, limit, 0.5);
        binary_init(bits);
        rows_init(&rows, randomiser, c->x, c->x1);
        if (set_event_bits(bits, randomiser, &rows, c->x, c->x1, c->size, round)
            && binary_delta(next, &data, bits, eps, SHUF_DIRECTION_BOTH, 1, &o) != SHUF_DOMAIN
            && data.ones > 0 && data.ones + 1 < bits->users /* of others all alike the whole reports are known */
            && (!found || arf_cmp(next->lo, r->lo) > 0))
        {
            int forward = data.direction == SHUF_DIRECTION_PQ;
            found = 1;
            shuf_enclosure_set(r, next);
            where->x = forward ? c->x : c->x1;
            where->x1 = forward ? c->x1 : c->x;
            where->others = c->x1;
            where->second = c->x;
            where->count = data.ones;
            where->event = (uint64_t) c->size;
        }
        rows_clear(&rows);
        binary_clear(bits);
    }
    flint_free(cases);
    shuf_enclosure_clear(next);
}

/* That of the data at `where`. */
static void sampled_mix_of(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const shuf_sampling *sampling, const shuf_datasets *where,
                           const shuf_real_t eps, const shuf_options *options)
{
    const shuf_direction direction = where->x == where->second ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
    round_struct round;
    binary_t bits;
    row_pair rows;
    round_init(&round, sampling, eps);
    binary_init(bits);
    rows_init(&rows, randomiser, where->second, where->others);
    if (!set_event_bits(bits, randomiser, &rows, where->second, where->others, (slong) where->event, &round)
        || binary_delta_of(r, bits, where->count, eps, direction, options) == SHUF_DOMAIN)
        set_unknown(r);
    rows_clear(&rows);
    binary_clear(bits);
    round_clear(&round);
}

/* ---- the bounds ---- */

/* q := a rational not below the ball. */
static void upper_rational(fmpq_t q, const arb_t x, slong prec)
{
    arf_t bound;
    arf_init(bound);
    arb_get_ubound_arf(bound, x, prec);
    arf_get_fmpq(q, bound);
    arf_clear(bound);
}

/*
 * r := the bound for all profiles in the ball m, r being that for q >= m (proofs/local-profile.md, Lemma 7).
 * Coq: ProfileBound.profile_bound_between.
 */
static void lower_profile(shuf_enclosure_t r, const arb_t m, const fmpq_t q, uint64_t n, slong prec)
{
    arb_t t, u;
    arf_t lo, gap;
    mag_t size;
    arb_init(t);
    arb_init(u);
    arf_init(lo);
    arf_init(gap);
    mag_init(size);
    arb_get_lbound_arf(lo, m, prec);
    if (arf_sgn(lo) > 0)
    {
        arb_set_arf(t, lo);
        arb_set_fmpq(u, q, prec);
        arb_div(t, t, u, prec);
        arb_pow_ui(t, t, n, prec);
        arb_mul_arf(t, t, r->lo, prec);
        arb_get_lbound_arf(lo, t, prec);
    }
    if (arf_sgn(lo) < 0)
        arf_zero(lo);
    if (arf_cmp(lo, r->lo) < 0)
    {
        arf_sub(gap, r->lo, lo, MAG_BITS, ARF_RND_UP);
        arf_get_mag(size, gap);
        mag_add(r->ledger.rounding, r->ledger.rounding, size);
        arf_swap(r->lo, lo);
    }
    arb_clear(t);
    arb_clear(u);
    arf_clear(lo);
    arf_clear(gap);
    mag_clear(size);
}

/* Coq: LocalProfile.local_profile_min, ProfileBound.profile_bound_monotone. */
static void local_profile(shuf_enclosure_t r, const shuf_randomiser_t randomiser, uint64_t n, const shuf_real_t eps0,
                          const shuf_real_t eps, const shuf_options *options)
{
    slong prec = PREC + 4 * options->digits;
    arb_t m;
    fmpq_t q;
    arb_init(m);
    fmpq_init(q);
    shuf_randomiser_profile(m, randomiser, eps, prec);
    upper_rational(q, m, prec);
    shuf_local_profile_delta(r, n, eps0, eps, q, options);
    lower_profile(r, m, q, n, prec);
    if (r->status == SHUF_OK && !shuf_enclosure_accurate(r, options->digits))
        r->status = SHUF_ACCURACY;
    arb_clear(m);
    fmpq_clear(q);
}

/* Of a sampled round: the terms E - alpha, -(alpha E - 1) and 0 (proofs/sampled-described.md). */
static void profile_terms_init(term_list *t, const shuf_randomiser_t randomiser, const round_struct *round, const shuf_real_t eps0,
                               const shuf_real_t eps)
{
    arb_t E, alpha, m, u;
    arb_init(E); arb_init(alpha); arb_init(m); arb_init(u);
    shuf_real_exp(E, eps0, PREC);
    shuf_real_exp(alpha, eps, PREC);
    shuf_randomiser_profile(m, randomiser, eps, PREC);
    t->count = 3;
    t->allocated = 4;
    t->value = _arb_vec_init(4);
    t->mass = _arb_vec_init(4);
    arb_init(t->alone);
    arb_sub(t->value, E, alpha, PREC);
    arb_mul(u, alpha, E, PREC);
    arb_sub_ui(u, u, 1, PREC);
    arb_neg(t->value + 1, u);
    arb_div(t->mass, m, t->value, PREC);
    arb_add(t->mass + 1, m, alpha, PREC);
    arb_sub_ui(t->mass + 1, t->mass + 1, 1, PREC);
    arb_div(t->mass + 1, t->mass + 1, u, PREC);
    arb_one(t->mass + 2);
    arb_sub(t->mass + 2, t->mass + 2, t->mass, PREC);
    arb_sub(t->mass + 2, t->mass + 2, t->mass + 1, PREC);
    terms_thin(t, round);
    arb_clear(E); arb_clear(alpha); arb_clear(m); arb_clear(u);
}

/* An m of more than m* = (E-alpha)/(E+1) cannot be. Coq: SampledShuffle.sampled_local_profile. */
static void sampled_local_profile(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const round_struct *round, const shuf_real_t eps0,
                                  const shuf_real_t eps, const shuf_options *options)
{
    term_list t;
    profile_terms_init(&t, randomiser, round, eps0, eps);
    evaluate_terms(r, &t, round, options);
    /* an eps0 too near to eps, or no profile to speak of, for the precision */
    if (!arb_is_positive(t.mass) || !arb_is_positive(t.mass + 2))
        set_unknown(r);
    terms_clear(&t);
}

/* Whether nothing of the round has a loss of eps or more. */
static int beyond_loss(const shuf_real_t eps0, const round_struct *round, const shuf_real_t eps)
{
    shuf_real_t lo, hi;
    int beyond;
    shuf_real_init(lo);
    shuf_real_init(hi);
    shuf_sampled_loss(lo, hi, eps0, round->rate);
    beyond = shuf_real_cmp(eps, hi) >= 0;
    shuf_real_clear(lo);
    shuf_real_clear(hi);
    return beyond;
}

shuf_status shuf_shuffled_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                uint64_t n, shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options)
{
    shuf_status status;
    fmpq_t one;
    const shuf_sampling everyone = { n, one, 0 };
    fmpq_init(one);
    fmpq_one(one);
    status = shuf_shuffled_sampled_delta(r, where, randomiser, &everyone, kind, eps, options);
    fmpq_clear(one);
    return status;
}

/* Coq: Stronger.stronger_dominates, Stronger.clones_dominates. */
shuf_status shuf_shuffled_sampled_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                        const shuf_sampling *sampling, shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options)
{
    double start = shuf_work();
    const uint64_t n = sampling->n;
    shuf_datasets unused;
    shuf_real_t eps0;
    shuf_pair_t pair;
    round_struct round;
    int finite;

    if (where == NULL)
        where = &unused;
    memset(where, 0, sizeof(*where));
    where->x1 = 1;
    set_unknown(r);
    if (n < 1 || n > SHUF_MAX_USERS || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
        return r->status;
    shuf_real_init(eps0);
    shuf_pair_init(pair);
    round_init(&round, sampling, eps);
    finite = shuf_randomiser_eps0(eps0, randomiser);
    if (finite ? shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) > 0 : kind <= SHUF_SHUFFLED_LOCAL_PROFILE)
    {
        /* no such bound */
    }
    else if (kind == SHUF_SHUFFLED_THIRD && !has_third(randomiser))
    {
        /* no third value */
    }
    else if (!round.everyone && shuf_shuffled_sampled_theorem(kind, sampling->is_poisson) == NULL)
    {
        /* not for samples */
    }
    else if (finite && beyond_loss(eps0, &round, eps))
    {
        shuf_enclosure_zero(r);
        where->others = kind == SHUF_SHUFFLED_THIRD ? 2 : shuf_shuffled_is_upper(kind) ? SHUF_BLANKET : 0;
    }
    else
    {
        switch (kind)
        {
        case SHUF_SHUFFLED_CLONES:
        case SHUF_SHUFFLED_CLONES_STRONGER:
            shuf_pair_set_eps0(pair, kind == SHUF_SHUFFLED_CLONES ? SHUF_PAIR_CLONES : SHUF_PAIR_CLONES_STRONGER, n, eps0);
            shuf_hockey_delta(r, pair, eps, SHUF_DIRECTION_BOTH, options);
            break;
        case SHUF_SHUFFLED_LOCAL_PROFILE:
            if (round.everyone)
                local_profile(r, randomiser, n, eps0, eps, options);
            else
                sampled_local_profile(r, randomiser, &round, eps0, eps, options);
            break;
        case SHUF_SHUFFLED_MIXED:
            if (round.everyone)
                largest_mix(r, where, randomiser, &round, eps, options);
            else
                largest_sampled_mix(r, where, randomiser, &round, eps, options);
            break;
        default:
            if (is_line(randomiser))
                largest_line(r, where, randomiser, &round, kind, eps, options);
            else
                largest_case(r, where, randomiser, &round, kind, eps, options);
        }
    }
    r->ledger.work = shuf_work() - start;
    shuf_real_clear(eps0);
    shuf_pair_clear(pair);
    round_clear(&round);
    return r->status;
}

shuf_status shuf_shuffled_named_delta(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const shuf_sampling *sampling,
                                      uint64_t x, uint64_t x1, uint64_t others, const shuf_real_t eps, const shuf_options *options)
{
    shuffled_case c = { x, x1, others, 0, 1 };
    round_struct round;
    term_list t;
    set_unknown(r);
    if (sampling->n < 1 || sampling->n > SHUF_MAX_USERS || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
        return r->status;
    round_init(&round, sampling, eps);
    if (is_line(randomiser))
    {
        evaluate_line(r, randomiser, x, x1, others, &round, eps, options);
    }
    else
    {
        terms_init(&t, randomiser, &c, &round, eps);
        evaluate_terms(r, &t, &round, options);
        terms_clear(&t);
    }
    round_clear(&round);
    return r->status;
}

/* ---- eps(delta) and calibration ---- */

typedef struct
{
    const shuf_randomiser_struct *randomiser;
    const shuf_sampling *sampling;
    shuf_shuffled_kind kind;
    const shuf_real_struct *delta;
    shuf_real_struct *highest; /* where a lower bound was certainly above delta, */
    shuf_datasets *where;      /* and its data there; of an upper bound, of the last evaluation */
} bound_data;

static shuf_status evaluate_bound(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const bound_data *d = data;
    shuf_datasets where;
    shuf_status status = shuf_shuffled_sampled_delta(r, &where, d->randomiser, d->sampling, d->kind, eps, options);
    int upper = kinds[d->kind].upper;
    if (upper || (shuf_real_cmp_arf(d->delta, r->lo) < 0 && shuf_real_cmp(eps, d->highest) >= 0))
    {
        *d->where = where;
        if (!upper)
            shuf_real_set(d->highest, eps);
    }
    return status;
}

/* r := the delta at eps of a lower bound's data. */
static void delta_of_data(shuf_enclosure_t r, const bound_data *d, const shuf_real_t eps, const shuf_options *options)
{
    const shuf_datasets *w = d->where;
    slong size = (slong) w->event;
    shuf_event_t event;
    row_pair rows;
    if (d->kind != SHUF_SHUFFLED_MIXED)
    {
        shuf_shuffled_named_delta(r, d->randomiser, d->sampling, w->x, w->x1, w->others, eps, options);
        return;
    }
    if (!fmpq_is_one(d->sampling->rate))
    {
        sampled_mix_of(r, d->randomiser, d->sampling, w, eps, options);
        return;
    }
    shuf_event_init(event);
    rows_init(&rows, d->randomiser, w->x, w->x1);
    event_probability(event->p, d->randomiser, &rows, w->x, w->x, size);
    event_probability(event->q, d->randomiser, &rows, w->x, w->x1, size);
    event_probability(event->a, d->randomiser, &rows, w->x, w->others, size);
    event_probability(event->b, d->randomiser, &rows, w->x, w->second, size);
    if (shuf_mixed_delta(r, d->sampling->n, w->count, event, eps, options) == SHUF_DOMAIN)
        set_unknown(r);
    rows_clear(&rows);
    shuf_event_clear(event);
}

/* Work that there is always for a last look at the data. */
#define LAST_LOOK 1e7

/*
 * A search takes other data at each eps. Those that are named at the lower end have their own eps below the upper one if they
 * are at most delta there; else eps0 is all that is known.
 */
static void check_upper_end(shuf_enclosure_t r, const bound_data *d, const shuf_real_struct *eps0, double limit, slong digits)
{
    shuf_options o = { digits, 0.0 };
    shuf_enclosure_t value;
    shuf_real_t end;
    arb_t t;
    if (arf_sgn(r->lo) <= 0 || !arf_is_finite(r->hi))
        return;
    shuf_enclosure_init(value);
    shuf_real_init(end);
    arb_init(t);
    if (limit > 0)
        o.max_work = fmax(limit - shuf_work(), LAST_LOOK);
    shuf_real_set_arf(end, r->hi);
    if (eps0 == NULL || shuf_real_cmp(end, eps0) < 0)
    {
        delta_of_data(value, d, end, &o);
        if (shuf_real_cmp_arf(d->delta, value->hi) < 0)
        {
            arf_pos_inf(r->hi);
            r->status = SHUF_DOMAIN;
        }
    }
    if (eps0 != NULL && arf_is_pos_inf(r->hi))
    {
        shuf_real_get_arb(t, eps0, PREC);
        arb_get_ubound_arf(r->hi, t, PREC);
        mag_zero(r->ledger.discretisation);
        shuf_enclosure_width(r->ledger.discretisation, r);
        r->status = SHUF_ACCURACY;
    }
    shuf_enclosure_clear(value);
    shuf_real_clear(end);
    arb_clear(t);
}

static void set_no_epsilon(shuf_enclosure_t r)
{
    shuf_enclosure_zero(r);
    arf_pos_inf(r->hi);
    mag_inf(r->ledger.truncation);
    r->status = SHUF_DOMAIN;
}

/* Gaussian noise: of all-equal data, which a search for the blanket's bound begins near too. */
static double gaussian_estimate(double eps, const void *data)
{
    const bound_data *d = data;
    return shuf_gaussian_log_estimate(d->sampling->n, d->randomiser->scale, eps, SHUF_DIRECTION_BOTH);
}

/* A randomiser that is not on the line: Chernoff's bound of the first pair of inputs. */
static double chernoff_estimate(double eps, const void *data)
{
    const bound_data *d = data;
    const uint64_t references = d->kind == SHUF_SHUFFLED_ALL_EQUAL ? 2 : 1;
    shuffled_case c = { 0, 1, SHUF_BLANKET, 0, 1 };
    double best = -HUGE_VAL;
    round_struct round;
    shuf_real_t at, eps0;
    term_list t;
    uint64_t i;
    shuf_real_init(at);
    shuf_real_init(eps0);
    shuf_real_set_d(at, eps);
    round_init(&round, d->sampling, at);
    shuf_randomiser_pair(&c.x, &c.x1, d->randomiser, 0);
    for (i = 0; i < references; i++)
    {
        if (d->kind == SHUF_SHUFFLED_ALL_EQUAL)
            c.reference = i == 0 ? c.x1 : c.x;
        else if (d->kind == SHUF_SHUFFLED_THIRD)
            shuf_randomiser_other(&c.reference, d->randomiser, c.x == 0 ? 1 + (c.x1 == 1) : c.x1 == 0 ? 1 + (c.x == 1) : 0);
        if (d->kind != SHUF_SHUFFLED_LOCAL_PROFILE)
            terms_init(&t, d->randomiser, &c, &round, at);
        else if (shuf_randomiser_eps0(eps0, d->randomiser))
            profile_terms_init(&t, d->randomiser, &round, eps0, at);
        estimate_case(&c, &t, (double) round.n, steer_midpoint(round.K));
        best = fmax(best, c.log_chernoff);
        terms_clear(&t);
    }
    best += log(fmpq_get_d(round.rate));
    round_clear(&round);
    shuf_real_clear(at);
    shuf_real_clear(eps0);
    return best;
}

/* Whether the bound is an expected positive part of a sum of independent terms. */
static int is_sum(shuf_shuffled_kind kind)
{
    return kind == SHUF_SHUFFLED_LOCAL_PROFILE || kind == SHUF_SHUFFLED_BLANKET || kind == SHUF_SHUFFLED_ALL_EQUAL || kind == SHUF_SHUFFLED_THIRD;
}

/* Coq: Divergence.hockey_decreasing. */
shuf_status shuf_shuffled_sampled_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                          const shuf_sampling *sampling, shuf_shuffled_kind kind, const shuf_real_t delta, const shuf_options *options)
{
    const int everyone = fmpq_is_one(sampling->rate);
    const uint64_t n = sampling->n;
    double start = shuf_work();
    shuf_datasets unused;
    shuf_real_t eps0, highest;
    bound_data d = { randomiser, sampling, kind, delta, highest, where != NULL ? where : &unused };
    shuf_pair_t pair;
    int finite;

    shuf_real_init(eps0);
    shuf_real_init(highest);
    shuf_pair_init(pair);
    memset(d.where, 0, sizeof(*d.where));
    d.where->x1 = 1;
    finite = shuf_randomiser_eps0(eps0, randomiser);
    set_no_epsilon(r);
    if (n < 1 || n > SHUF_MAX_USERS || shuf_real_sgn(delta) < 0 || shuf_real_cmp_si(delta, 1) > 0
        || (kind == SHUF_SHUFFLED_THIRD && !has_third(randomiser))
        || (kind == SHUF_SHUFFLED_MIXED && (!has_events(randomiser) || n > SHUF_MIXED_MAX_USERS))
        || (!everyone && shuf_shuffled_sampled_theorem(kind, sampling->is_poisson) == NULL)
        || (finite ? shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) > 0 : kind <= SHUF_SHUFFLED_LOCAL_PROFILE))
    {
        /* no such bound */
    }
    else if (kind == SHUF_SHUFFLED_CLONES || kind == SHUF_SHUFFLED_CLONES_STRONGER)
    {
        shuf_pair_set_eps0(pair, kind == SHUF_SHUFFLED_CLONES ? SHUF_PAIR_CLONES : SHUF_PAIR_CLONES_STRONGER, n, eps0);
        shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, options);
    }
    else
    {
        const inverse_problem p = { evaluate_bound, &d, finite && (everyone || sampling->is_poisson) ? eps0 : NULL, SHUF_MAX_EPSILON,
                                    everyone && randomiser->kind == SHUF_RANDOMISER_GAUSSIAN ? gaussian_estimate
                                    : is_line(randomiser) || !is_sum(kind)                 ? NULL
                                                                                           : chernoff_estimate };
        const double limit = shuf_limit(options);
        inverse_find(r, &p, delta, options);
        if (!kinds[kind].upper)
            check_upper_end(r, &d, finite ? eps0 : NULL, limit, options->digits);
    }
    r->ledger.work = shuf_work() - start;
    shuf_real_clear(eps0);
    shuf_real_clear(highest);
    shuf_pair_clear(pair);
    return r->status;
}

/* A search for the parameter at which (eps, delta) is just certified. */
typedef struct
{
    shuf_randomiser_struct *randomiser; /* whose parameter is set */
    uint64_t n;
    const shuf_real_struct *eps, *delta;
    double limit;
    shuf_shuffled_kind kind;            /* that certified last */
} calibration;

/* The share of the budget left that one evaluation may use. */
#define EVALUATION_SHARE 0.125

/* Whether some upper bound is certainly at most delta with the parameter x. */
static int is_certified(calibration *c, double x)
{
    static const shuf_shuffled_kind upper[] = { SHUF_SHUFFLED_CLONES_STRONGER, SHUF_SHUFFLED_LOCAL_PROFILE, SHUF_SHUFFLED_BLANKET };
    static const slong digits[] = { 1, 4 };
    shuf_enclosure_t r;
    int result = 0;
    size_t i, j;
    shuf_enclosure_init(r);
    shuf_real_set_d(is_line(c->randomiser) ? c->randomiser->scale : c->randomiser->eps0, x);
    for (i = 0; i < 3 && !result; i++)
    {
        /* few digits decide most points */
        for (j = 0; j < 2 && !result; j++)
        {
            shuf_options o = { digits[j], 0.0 };
            shuf_share(&o, c->limit, EVALUATION_SHARE);
            if (shuf_shuffled_delta(r, NULL, c->randomiser, c->n, upper[i], c->eps, &o) == SHUF_DOMAIN
                || shuf_real_cmp_arf(c->delta, r->lo) < 0)
                break;
            result = shuf_real_cmp_arf(c->delta, r->hi) >= 0;
        }
        if (result)
            c->kind = upper[i];
    }
    shuf_enclosure_clear(r);
    return result;
}

#define LEAST_PARAMETER 1e-3
#define LARGEST_PARAMETER 1e3

shuf_status shuf_shuffled_calibrate(shuf_enclosure_t r, shuf_shuffled_kind *kind, const shuf_randomiser_t randomiser,
                                    uint64_t n, const shuf_real_t eps, const shuf_real_t delta,
                                    const shuf_options *options)
{
    /* a larger scale, a smaller eps0 is more private */
    double start = shuf_work(), factor = is_line(randomiser) ? 2 : 0.5, good, bad, x = 1;
    shuf_randomiser_t copy;
    calibration c;

    set_no_epsilon(r);
    if (randomiser->kind == SHUF_RANDOMISER_MATRIX || randomiser->kind == SHUF_RANDOMISER_UNARY || randomiser->parts > 0 || n < 1 || n > SHUF_MAX_USERS || shuf_real_sgn(delta) < 0
        || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
        return SHUF_DOMAIN;
    shuf_randomiser_init(copy);
    copy->kind = randomiser->kind;
    copy->inputs = randomiser->inputs;
    copy->size = randomiser->size;
    c.randomiser = copy;
    c.n = n;
    c.eps = eps;
    c.delta = delta;
    c.limit = shuf_limit(options);
    if (is_certified(&c, x))
    {
        for (good = x, bad = x / factor; (bad > LEAST_PARAMETER && bad < LARGEST_PARAMETER) && !shuf_exhausted(c.limit) && is_certified(&c, bad); bad /= factor)
            good = bad;
    }
    else
    {
        for (bad = x, good = x * factor; (good > LEAST_PARAMETER && good < LARGEST_PARAMETER) && !shuf_exhausted(c.limit) && !is_certified(&c, good); good *= factor)
            bad = good;
    }
    if (good > LEAST_PARAMETER && good < LARGEST_PARAMETER && bad > LEAST_PARAMETER && bad < LARGEST_PARAMETER)
    {
        double width = pow(10, -(double) FLINT_MIN(options->digits, 9));
        while (fabs(good - bad) > width * good && !shuf_exhausted(c.limit))
        {
            x = ldexp(rint(ldexp((good + bad) / 2, 40)), -40);
            if (is_certified(&c, x))
                good = x;
            else
                bad = x;
        }
        arf_set_d(r->lo, fmin(good, bad));
        arf_set_d(r->hi, fmax(good, bad));
        shuf_enclosure_width(r->ledger.discretisation, r);
        mag_zero(r->ledger.truncation);
        r->status = fabs(good - bad) > width * good ? SHUF_ACCURACY : SHUF_OK;
        *kind = c.kind;
    }
    r->ledger.work = shuf_work() - start;
    shuf_randomiser_clear(copy);
    return r->status;
}
