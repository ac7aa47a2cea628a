/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The classes of a randomiser's outputs, and its local profile. The families
 * have one form (proofs/mechanism.md, Lemma 1): a law mu on the outputs and a
 * set S_x of them for each input, with R(x)(y) = mu(y) E/z for y in S_x and
 * mu(y)/z otherwise, E = e^eps0.
 */
#include <stdlib.h>

#include "randomiser/merge.h"
#include "randomiser/tuple.h"
#include "tradeoff/gdp.h"

void classes_init(shuf_classes_t c, slong count)
{
    c->count = count;
    c->p = _arb_vec_init(count);
    c->q = _arb_vec_init(count);
    c->w = _arb_vec_init(count);
}

void shuf_classes_clear(shuf_classes_t c)
{
    _arb_vec_clear(c->p, c->count);
    _arb_vec_clear(c->q, c->count);
    _arb_vec_clear(c->w, c->count);
    c->p = c->q = c->w = NULL;
    c->count = 0;
}

/* ---- matrices ---- */

/* The reference's probability of column y. */
static const fmpq *reference_entry(const shuf_randomiser_t r, uint64_t reference, uint64_t y)
{
    const fmpq *least = &r->row[y];
    uint64_t z;
    if (reference != SHUF_BLANKET)
        return &r->row[reference * r->outputs + y];
    for (z = 1; z < r->inputs; z++)
        if (fmpq_cmp(&r->row[z * r->outputs + y], least) < 0)
            least = &r->row[z * r->outputs + y];
    return least;
}

static void matrix_classes(shuf_classes_t c, const shuf_randomiser_t r, uint64_t x, uint64_t x1, uint64_t reference,
                           slong prec)
{
    slong outputs = (slong) r->outputs, j;
    fmpq *triple = _fmpq_vec_init(3 * outputs);
    for (j = 0; j < outputs; j++)
    {
        fmpq_set(triple + 3 * j, r->row + (slong) x * outputs + j);
        fmpq_set(triple + 3 * j + 1, r->row + (slong) x1 * outputs + j);
        fmpq_set(triple + 3 * j + 2, reference_entry(r, reference, (uint64_t) j));
    }
    classes_init(c, merge_proportional(triple, outputs, 3));
    for (j = 0; j < c->count; j++)
    {
        arb_set_fmpq(c->p + j, triple + 3 * j, prec);
        arb_set_fmpq(c->q + j, triple + 3 * j + 1, prec);
        arb_set_fmpq(c->w + j, triple + 3 * j + 2, prec);
    }
    _fmpq_vec_clear(triple, 3 * outputs);
}

/* ---- families ---- */

/* theta := Pr[a set contains the output] under mu, for the families whose sets are independent. */
static void density(arb_t theta, const shuf_randomiser_t r, slong prec)
{
    switch (r->kind)
    {
    case SHUF_RANDOMISER_UNARY:
        arb_set_fmpq(theta, r->zero, prec);
        return;
    case SHUF_RANDOMISER_LOCAL_HASHING:
        arb_set_ui(theta, r->size);
        break;
    default:
        shuf_real_exp(theta, r->eps0, prec);
        if (r->kind == SHUF_RANDOMISER_RAPPOR)
            arb_sqrt(theta, theta, prec);
        arb_add_ui(theta, theta, 1, prec);
    }
    arb_inv(theta, theta, prec);
}

/*
 * mass := the mu-mass of the outputs that are in `in` given ones of the sets
 * S_x and not in `out` others, in + out <= 3 (Lemma 2; not for three dependent
 * sets of HADAMARD). Exactly 0 when there are none.
 */
static void pattern_mass(arb_t mass, const shuf_randomiser_t r, uint64_t in, uint64_t out, slong prec)
{
    uint64_t i, k = r->inputs, size = r->kind == SHUF_RANDOMISER_SUBSET ? r->size : 1;
    arb_t t;
    arb_init(t);
    arb_one(mass);
    switch (r->kind)
    {
    case SHUF_RANDOMISER_HADAMARD:
        arb_mul_2exp_si(mass, mass, -(slong) (in + out));
        break;
    case SHUF_RANDOMISER_RAPPOR:
    case SHUF_RANDOMISER_UNARY:
    case SHUF_RANDOMISER_OUE:
    case SHUF_RANDOMISER_LOCAL_HASHING:
        density(t, r, prec);
        arb_pow_ui(mass, t, in, prec);
        shuf_ball_complement(t, t, prec);
        arb_pow_ui(t, t, out, prec);
        arb_mul(mass, mass, t, prec);
        break;
    default:
        /* y is a uniform set of `size` of the k inputs, of one for KRR */
        for (i = 0; i < in; i++)
            arb_mul_ui(mass, mass, size > i ? size - i : 0, prec);
        for (i = 0; i < out; i++)
            arb_mul_ui(mass, mass, k - size > i ? k - size - i : 0, prec);
        for (i = 0; i < in + out; i++)
            arb_div_ui(mass, mass, k - i, prec);
    }
    arb_clear(t);
}

/*
 * common := the mu-mass of the outputs that are in all the sets, rest := that
 * of the others that are in two given sets (Lemma 3).
 */
static void common_mass(arb_t common, arb_t rest, const shuf_randomiser_t r, slong prec)
{
    arb_t t;
    arb_init(t);
    pattern_mass(rest, r, 2, 0, prec);
    switch (r->kind)
    {
    case SHUF_RANDOMISER_HADAMARD:
        arb_one(common);
        arb_mul_2exp_si(common, common, -(slong) FLINT_BIT_COUNT(r->inputs));
        arb_sub(rest, rest, common, prec);
        break;
    case SHUF_RANDOMISER_RAPPOR:
    case SHUF_RANDOMISER_UNARY:
    case SHUF_RANDOMISER_OUE:
    case SHUF_RANDOMISER_LOCAL_HASHING:
        if (r->inputs == SHUF_ANY_INPUTS)
        {
            /* the limit, which is below the blanket of any number (proofs/blanket.md) */
            arb_zero(common);
            break;
        }
        density(t, r, prec);
        arb_pow_ui(common, t, r->inputs, prec);
        /* theta^2 (1 - theta^(k-2)): nothing cancels unless theta is near 1, and k = 2 gives 0 */
        arb_pow_ui(t, t, r->inputs - 2, prec);
        shuf_ball_complement(t, t, prec);
        arb_mul(rest, rest, t, prec);
        break;
    default:
        arb_zero(common);
    }
    arb_clear(t);
}

/* Whether the output is in S_x, in S_x1 and in the reference's set (or, for the blanket, in all sets). */
typedef struct
{
    arb_t mass; /* under mu */
    int in_x, in_x1, in_reference;
} family_class;

/* The size of an array: eight patterns of three sets are the most classes. */
#define MAX_CLASSES 8

/* The blanket's classes; returns their number. */
static slong blanket_patterns(family_class *class, const shuf_randomiser_t r, slong prec)
{
    int i;
    for (i = 0; i < 3; i++)
    {
        class[i].in_x = i & 1;
        class[i].in_x1 = i >> 1;
        class[i].in_reference = 0;
        pattern_mass(class[i].mass, r, i > 0, i > 0 ? 1 : 2, prec);
    }
    for (i = 3; i < 5; i++)
    {
        class[i].in_x = class[i].in_x1 = 1;
        class[i].in_reference = i == 4;
    }
    common_mass(class[4].mass, class[3].mass, r, prec);
    return 5;
}

/* The same for an input as reference. */
static slong input_patterns(family_class *class, const shuf_randomiser_t r, uint64_t x, uint64_t x1, uint64_t reference,
                            slong prec)
{
    int i, rows = reference != x && reference != x1 ? 3 : 2;
    /* three dependent rows of the Hadamard matrix: an odd number of the sets contain an output */
    int dependent = r->kind == SHUF_RANDOMISER_HADAMARD && rows == 3 && ((x + 1) ^ (x1 + 1)) == reference + 1;
    for (i = 0; i < 1 << rows; i++)
    {
        int in = (i & 1) + (i >> 1 & 1) + (i >> 2);
        class[i].in_x = i & 1;
        class[i].in_x1 = i >> 1 & 1;
        class[i].in_reference = rows == 3 ? i >> 2 : reference == x ? class[i].in_x : class[i].in_x1;
        if (dependent && in % 2 == 0)
            arb_zero(class[i].mass);
        else
            pattern_mass(class[i].mass, r, dependent ? 1 : (uint64_t) in, dependent ? 1 : (uint64_t) (rows - in), prec);
    }
    return 1 << rows;
}

static void family_classes(shuf_classes_t c, const shuf_randomiser_t r, uint64_t x, uint64_t x1, uint64_t reference,
                           slong prec)
{
    family_class class[MAX_CLASSES];
    uint64_t other = x1; /* the second input of the patterns, even where x is meant twice */
    arb_t E, z, t;
    slong i, j = 0, patterns, count = 0;
    /* theta^k with k <= 10^9 loses 30 bits */
    slong high = prec + 64;
    arb_init(E);
    arb_init(z);
    arb_init(t);
    for (i = 0; i < MAX_CLASSES; i++)
        arb_init(class[i].mass);

    shuf_real_exp(E, r->eps0, high);
    pattern_mass(z, r, 1, 0, high);
    arb_mul(z, z, E, high);
    pattern_mass(t, r, 0, 1, high);
    arb_add(z, z, t, high);
    if (x == x1)
        other = reference == SHUF_BLANKET || reference == x ? (x == 0) : reference;
    patterns = reference == SHUF_BLANKET ? blanket_patterns(class, r, high)
                                         : input_patterns(class, r, x, other, reference, high);
    /* in all the sets or in none, the last pattern and the first: three equal probabilities */
    patterns--;
    arb_addmul(class[0].mass, class[patterns].mass, E, high);
    for (i = 0; i < patterns; i++)
        count += !arb_is_zero(class[i].mass);
    classes_init(c, count);
    for (i = 0; i < patterns; i++)
    {
        if (arb_is_zero(class[i].mass))
            continue;
        arb_div(class[i].mass, class[i].mass, z, high);
        arb_mul(t, class[i].mass, E, high);
        arb_set_round(c->p + j, class[i].in_x ? t : class[i].mass, prec);
        arb_set_round(c->q + j, (x == x1 ? class[i].in_x : class[i].in_x1) ? t : class[i].mass, prec);
        arb_set_round(c->w + j, class[i].in_reference ? t : class[i].mass, prec);
        j++;
    }
    for (i = 0; i < MAX_CLASSES; i++)
        arb_clear(class[i].mass);
    arb_clear(E);
    arb_clear(z);
    arb_clear(t);
}

void shuf_randomiser_classes(shuf_classes_t c, const shuf_randomiser_t r, uint64_t x, uint64_t x1, uint64_t reference,
                             slong prec)
{
    if (r->kind == SHUF_RANDOMISER_MATRIX)
        matrix_classes(c, r, x, x1, reference, prec);
    else if (is_tuple(r))
        tuple_classes(c, r, x, x1, reference, prec);
    else
        family_classes(c, r, x, x1, reference, prec);
}

/* ---- the local profile (Lemma 5) ---- */

/*
 * m := the maximum over the pairs of sum (p - alpha q)_+.
 * Coq: KrrShuffle.krr_profile.
 */
static void finite_profile(arb_t m, const shuf_randomiser_t r, const arb_t alpha, slong prec)
{
    shuf_classes_t c;
    arb_t sum, t;
    uint64_t i, x, x1;
    slong j;
    arb_init(sum);
    arb_init(t);
    arb_zero(m);
    for (i = 0; shuf_randomiser_pair(&x, &x1, r, i); i++)
    {
        shuf_randomiser_classes(c, r, x, x1, x, prec);
        arb_zero(sum);
        for (j = 0; j < c->count; j++)
        {
            arb_mul(t, alpha, c->q + j, prec);
            arb_sub(t, c->p + j, t, prec);
            arb_nonnegative_part(t, t);
            arb_add(sum, sum, t, prec);
        }
        arb_max(m, m, sum, prec);
        shuf_classes_clear(c);
    }
    arb_clear(sum);
    arb_clear(t);
}

/* m := 1 - e^{(eps-1/b)/2}, eps < 1/b. */
static void laplace_profile(arb_t m, const shuf_randomiser_t r, const shuf_real_t eps, slong prec)
{
    arb_t t;
    arb_init(t);
    shuf_real_get_arb(t, r->scale, prec);
    arb_inv(t, t, prec);
    shuf_real_get_arb(m, eps, prec);
    arb_sub(m, m, t, prec);
    arb_mul_2exp_si(m, m, -1);
    arb_expm1(m, m, prec);
    arb_neg(m, m);
    arb_clear(t);
}

/* That of the Gaussian mechanism with mu = 1/s. */
static void gaussian_profile(arb_t m, const shuf_randomiser_t r, const shuf_real_t eps, slong prec)
{
    arb_t s, t;
    arb_init(s);
    arb_init(t);
    shuf_real_get_arb(s, r->scale, prec);
    arb_inv(s, s, prec);
    shuf_real_get_arb(t, eps, prec);
    shuf_gdp_delta_arb(m, s, t, prec);
    arb_clear(s);
    arb_clear(t);
}

void shuf_randomiser_profile(arb_t m, const shuf_randomiser_t r, const shuf_real_t eps, slong prec)
{
    shuf_real_t eps0;
    arb_t alpha;
    slong high, limit = 16 * prec + 1024;
    int zero;
    shuf_real_init(eps0);
    zero = shuf_randomiser_eps0(eps0, r) && shuf_real_cmp(eps, eps0) >= 0;
    shuf_real_clear(eps0);
    arb_zero(m);
    if (zero)
        return;
    /* not 0, but small next to its terms when eps is close to eps0 or the noise is large */
    arb_init(alpha);
    for (high = prec + 32; high <= limit; high *= 2)
    {
        shuf_real_exp(alpha, eps, high);
        if (r->kind == SHUF_RANDOMISER_LAPLACE)
            laplace_profile(m, r, eps, high);
        else if (r->kind == SHUF_RANDOMISER_GAUSSIAN)
            gaussian_profile(m, r, eps, high);
        else
            finite_profile(m, r, alpha, high);
        if (arb_rel_accuracy_bits(m) >= prec)
            break;
    }
    arb_set_round(m, m, prec);
    arb_clear(alpha);
}
