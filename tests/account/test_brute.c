/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Answers against all data: the law of the shuffled reports is added up user
 * by user, in exact integers, for every pair of neighbouring datasets of a few
 * users, every sampled subset and both directions, straight from the
 * definitions. What an answer says must hold of the largest of them, and the
 * data that it names must have what it says they have.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "asked.h"
#include "random.h"

#define MAX_USERS 5
#define MAX_SYMBOLS 8
#define PREC 200

/* ---- randomisers ---- */

/* Input x is reported as y with probability weight[x][y]/scale. */
typedef struct
{
    int inputs, outputs;
    int bits;            /* only the sum of the reports' bits is seen; 0: how many there are of each */
    slong weight[MAX_SYMBOLS][MAX_SYMBOLS], scale;
    char text[400];      /* the member "mechanism" */
    const char *members; /* what goes with it */
} randomiser;

/* k-RR whose eps0 is log(e/f), without a text. */
static void fill_krr(randomiser *m, int k, slong e, slong f)
{
    int x, y;
    m->inputs = m->outputs = k;
    m->bits = 0;
    m->scale = e + (k - 1) * f;
    m->members = "";
    for (x = 0; x < k; x++)
        for (y = 0; y < k; y++)
            m->weight[x][y] = x == y ? e : f;
}

static void take_krr(randomiser *m, int k, slong e, slong f)
{
    fill_krr(m, k, e, f);
    snprintf(m->text, sizeof(m->text), "{\"type\":\"krr\",\"k\":%d,\"eps0\":\"log(%ld/%ld)\"}", k, (long) e, (long) f);
}

/* Bit y of input x is [x = y], flipped with probability f/(e+f). */
static void take_rappor(randomiser *m, int k, slong e, slong f, int is_sum)
{
    int x, y, bit;
    m->inputs = k;
    m->outputs = 1 << k;
    m->bits = is_sum ? k : 0;
    m->members = is_sum ? ",\"release\":\"sum\"" : "";
    for (x = 0; x < k; x++)
        for (y = 0; y < m->outputs; y++)
            for (m->weight[x][y] = 1, bit = 0; bit < k; bit++)
                m->weight[x][y] *= (y >> bit & 1) == (x == bit) ? e : f;
    for (m->scale = 1, bit = 0; bit < k; bit++)
        m->scale *= e + f;
    snprintf(m->text, sizeof(m->text), "{\"type\":\"rappor\",\"k\":%d,\"eps0\":\"log(%ld/%ld)\"}", k, (long) e, (long) f);
}

/* Random rows of tenths; with `zeros` some entries are none. */
static void take_matrix(randomiser *m, int inputs, int outputs, int zeros)
{
    int x, y, length;
    m->inputs = inputs;
    m->outputs = outputs;
    m->bits = 0;
    m->members = "";
    m->scale = 20;
    length = snprintf(m->text, sizeof(m->text), "{\"type\":\"matrix\",\"rows\":[");
    for (x = 0; x < inputs; x++)
    {
        slong left = m->scale;
        for (y = 0; y < outputs; y++)
        {
            slong most = left - (outputs - 1 - y), w = y + 1 == outputs ? left : 1 + (slong) random_below((uint64_t) (most < 12 ? most : 12));
            if (zeros && y == (x + 1) % outputs && y + 1 < outputs)
                w = 0;
            m->weight[x][y] = w;
            left -= w;
            length += snprintf(m->text + length, sizeof(m->text) - (size_t) length, "%s\"%ld/%ld\"%s", y == 0 ? (x == 0 ? "[" : ",[") : ",", (long) w,
                               (long) m->scale, y + 1 == outputs ? "]" : "");
        }
    }
    snprintf(m->text + length, sizeof(m->text) - (size_t) length, "]}");
}

/* ---- laws ---- */

typedef struct
{
    slong cells;
    fmpz *p, *q;
    fmpz_t scale;
} law;

static void law_init(law *l, slong cells)
{
    l->cells = cells;
    l->p = _fmpz_vec_init(cells);
    l->q = _fmpz_vec_init(cells);
    fmpz_init_set_ui(l->scale, 1);
}

static void law_clear(law *l)
{
    _fmpz_vec_clear(l->p, l->cells);
    _fmpz_vec_clear(l->q, l->cells);
    fmpz_clear(l->scale);
}

static slong cell_count(const randomiser *m, int n)
{
    slong cells = 1;
    int i;
    for (i = 0; i < (m->bits > 0 ? m->bits : m->outputs); i++)
        cells *= n + 1;
    return cells;
}

/* What a report adds to the index of a cell: a digit of base n+1 for each symbol, or for each bit. */
static slong step_of(const randomiser *m, int n, int y)
{
    slong step = 0, power = 1;
    int i;
    for (i = 0; i < (m->bits > 0 ? m->bits : m->outputs); i++, power *= n + 1)
        step += m->bits > 0 ? (y >> i & 1) * power : (y == i) * power;
    return step;
}

/* v += weight times the law of the reports of those users, times scale^users */
static void add_reports(fmpz *v, const randomiser *m, const int *data, unsigned who, int n, const fmpz_t weight)
{
    slong cells = cell_count(m, n), i;
    fmpz *now = _fmpz_vec_init(cells), *next = _fmpz_vec_init(cells);
    int user, y;
    fmpz_one(now);
    for (user = 0; user < n; user++)
    {
        fmpz *swap = now;
        if (!(who >> user & 1))
            continue;
        _fmpz_vec_zero(next, cells);
        for (y = 0; y < m->outputs; y++)
        {
            slong step = step_of(m, n, y), w = m->weight[data[user]][y];
            for (i = 0; w != 0 && i + step < cells; i++)
                if (!fmpz_is_zero(now + i))
                    fmpz_addmul_ui(next + i + step, now + i, (ulong) w);
        }
        now = next;
        next = swap;
    }
    _fmpz_vec_scalar_addmul_fmpz(v, now, cells, weight);
    _fmpz_vec_clear(now, cells);
    _fmpz_vec_clear(next, cells);
}

/* Without the cells that neither law has. */
static void compress(law *l)
{
    law small;
    slong i, used = 0;
    for (i = 0; i < l->cells; i++)
        used += !fmpz_is_zero(l->p + i) || !fmpz_is_zero(l->q + i);
    law_init(&small, used);
    for (i = 0, used = 0; i < l->cells; i++)
    {
        if (fmpz_is_zero(l->p + i) && fmpz_is_zero(l->q + i))
            continue;
        fmpz_set(small.p + used, l->p + i);
        fmpz_set(small.q + used++, l->q + i);
    }
    fmpz_set(small.scale, l->scale);
    law_clear(l);
    *l = small;
}

/* Data of n users, of whom user 0 holds `first` or `second`; a uniform subset of `sampled` reports, or if it is 0 each with probability 1/chance. */
static void one_round(law *l, const randomiser *m, const int *data, int second, int n, int sampled, slong chance)
{
    int other[MAX_USERS], user;
    slong subsets = 0;
    unsigned who;
    fmpz_t weight, t;
    fmpz_init(weight);
    fmpz_init(t);
    law_init(l, cell_count(m, n));
    for (user = 0; user < n; user++)
        other[user] = user == 0 ? second : data[user];
    for (who = 0; who < 1u << n; who++)
    {
        const int reports = __builtin_popcount(who);
        if (sampled > 0 && reports != sampled)
            continue;
        subsets++;
        fmpz_one(weight);
        if (sampled == 0)
        {
            /* (1-1/chance)^(n-reports), and the scale that these reports would have had */
            fmpz_set_si(t, (chance - 1) * m->scale);
            fmpz_pow_ui(weight, t, (ulong) (n - reports));
        }
        add_reports(l->p, m, data, who, n, weight);
        add_reports(l->q, m, other, who, n, weight);
    }
    fmpz_set_si(l->scale, sampled > 0 ? m->scale : chance * m->scale);
    fmpz_pow_ui(l->scale, l->scale, (ulong) (sampled > 0 ? sampled : n));
    if (sampled > 0)
        fmpz_mul_si(l->scale, l->scale, subsets);
    fmpz_clear(weight);
    fmpz_clear(t);
    compress(l);
}

/* l := the law of both, independent; y is kept. */
static void multiply(law *l, const law *y)
{
    law product;
    slong i, j;
    law_init(&product, l->cells * y->cells);
    for (i = 0; i < l->cells; i++)
        for (j = 0; j < y->cells; j++)
        {
            fmpz_mul(product.p + i * y->cells + j, l->p + i, y->p + j);
            fmpz_mul(product.q + i * y->cells + j, l->q + i, y->q + j);
        }
    fmpz_mul(product.scale, l->scale, y->scale);
    law_clear(l);
    *l = product;
}

/* ---- divergences ---- */

/* x := the larger of both directions at alpha = a/b, exactly */
static void hockey(fmpq_t x, const law *l, slong a, slong b)
{
    fmpz_t t, sum[2];
    slong i;
    int way;
    fmpz_init(t);
    fmpz_init(sum[0]);
    fmpz_init(sum[1]);
    for (way = 0; way < 2; way++)
        for (i = 0; i < l->cells; i++)
        {
            fmpz_mul_si(t, (way == 0 ? l->p : l->q) + i, b);
            fmpz_submul_ui(t, (way == 0 ? l->q : l->p) + i, (ulong) a);
            if (fmpz_sgn(t) > 0)
                fmpz_add(sum[way], sum[way], t);
        }
    fmpz_mul_si(t, l->scale, b);
    fmpq_set_fmpz_frac(x, fmpz_cmp(sum[0], sum[1]) > 0 ? sum[0] : sum[1], t);
    fmpz_clear(t);
    fmpz_clear(sum[0]);
    fmpz_clear(sum[1]);
}

/* x := the same at exp(eps) */
static void hockey_at(arb_t x, const law *l, const arf_t eps)
{
    arb_t alpha, t, sum[2];
    slong i;
    int way;
    arb_init(alpha);
    arb_init(t);
    arb_set_arf(alpha, eps);
    arb_exp(alpha, alpha, PREC);
    for (way = 0; way < 2; way++)
    {
        arb_init(sum[way]);
        for (i = 0; i < l->cells; i++)
        {
            arb_mul_fmpz(t, alpha, (way == 0 ? l->q : l->p) + i, PREC);
            arb_sub_fmpz(t, t, (way == 0 ? l->p : l->q) + i, PREC);
            arb_neg(t, t);
            if (arb_is_positive(t))
                arb_add(sum[way], sum[way], t, PREC);
            else if (!arb_is_nonpositive(t))
            {
                arb_nonnegative_part(t, t);
                arb_add(sum[way], sum[way], t, PREC);
            }
        }
    }
    arb_max(x, sum[0], sum[1], PREC);
    arb_div_fmpz(x, x, l->scale, PREC);
    arb_clear(alpha);
    arb_clear(t);
    arb_clear(sum[0]);
    arb_clear(sum[1]);
}

/* The Renyi divergence of order 2, the larger of both directions. */
static double renyi_2(const law *l)
{
    double sum[2] = { 0, 0 }, s = fmpz_get_d(l->scale);
    slong i;
    for (i = 0; i < l->cells; i++)
    {
        double p = fmpz_get_d(l->p + i) / s, q = fmpz_get_d(l->q + i) / s;
        sum[0] += q > 0 ? p * p / q : p > 0 ? HUGE_VAL : 0;
        sum[1] += p > 0 ? q * q / p : q > 0 ? HUGE_VAL : 0;
    }
    return log(fmax(sum[0], sum[1]));
}

static int compare_ratios(const void *a, const void *b)
{
    const double *x = a, *y = b, u = x[0] * y[1], v = y[0] * x[1];
    return u > v ? -1 : u < v;
}

/* The smallest type II error of a test of the first law against the second at that level, the smaller of both directions. */
static double type_2(const law *l, double level)
{
    double (*pq)[2] = malloc((size_t) l->cells * sizeof(*pq)), s = fmpz_get_d(l->scale), least = 1;
    slong i;
    int way;
    for (way = 0; way < 2; way++)
    {
        double left = level, error = 1;
        slong count = 0;
        for (i = 0; i < l->cells; i++)
        {
            pq[count][0] = fmpz_get_d((way == 0 ? l->q : l->p) + i) / s; /* power */
            pq[count][1] = fmpz_get_d((way == 0 ? l->p : l->q) + i) / s; /* level */
            /* a cell with neither has no place in the order of ratios */
            count += pq[count][0] > 0 || pq[count][1] > 0;
        }
        qsort(pq, (size_t) count, sizeof(*pq), compare_ratios);
        for (i = 0; i < count && (left > 0 || pq[i][1] <= 0); i++)
        {
            double part = pq[i][1] > left ? left / pq[i][1] : 1;
            error -= part * pq[i][0];
            left -= part * pq[i][1];
        }
        least = fmin(least, error);
    }
    free(pq);
    return least;
}

/* ---- questions ---- */

/* One or two parts on the same n users. */
typedef struct
{
    randomiser part[2];
    int rounds[2], sampled[2], count, n;
    slong chance; /* of those of whom sampled is 0 */
} deployment;

static int inputs_of(const deployment *d)
{
    return d->count > 1 && d->part[1].inputs < d->part[0].inputs ? d->part[1].inputs : d->part[0].inputs;
}

static void law_of(law *l, const deployment *d, const int *data, int second)
{
    int i, r;
    for (i = 0; i < d->count; i++)
    {
        law one;
        one_round(&one, &d->part[i], data, second, d->n, d->sampled[i], d->chance);
        for (r = 0; r < d->rounds[i]; r++)
        {
            if (i == 0 && r == 0)
            {
                law_init(l, 1);
                fmpz_one(l->p);
                fmpz_one(l->q);
            }
            multiply(l, &one);
        }
        law_clear(&one);
    }
}

/* All neighbouring data: those of users 1, 2, .. ascend. */
typedef struct
{
    law *laws;
    size_t count;
} all_laws;

static int next_data(int *data, int n, int inputs)
{
    int i = n - 1, j;
    while (i >= 1 && data[i] == inputs - 1)
        i--;
    if (i < 1)
        return 0;
    data[i]++;
    for (j = i + 1; j < n; j++)
        data[j] = data[i];
    return 1;
}

static void all_laws_init(all_laws *all, const deployment *d)
{
    int inputs = inputs_of(d), first, second;
    all->laws = NULL;
    all->count = 0;
    for (first = 0; first < inputs; first++)
        for (second = first + 1; second < inputs; second++)
        {
            int data[MAX_USERS] = { 0 };
            data[0] = first;
            do
            {
                all->laws = realloc(all->laws, (all->count + 1) * sizeof(law));
                law_of(&all->laws[all->count++], d, data, second);
            } while (next_data(data, d->n, inputs));
        }
}

static void all_laws_clear(all_laws *all)
{
    size_t i;
    for (i = 0; i < all->count; i++)
        law_clear(&all->laws[i]);
    free(all->laws);
}

/* The question's members but for what is asked. */
static const char *members_of(char *text, size_t size, const deployment *d)
{
    char sample[2][64];
    int i;
    for (i = 0; i < d->count; i++)
    {
        if (d->sampled[i] == d->n)
            sample[i][0] = '\0';
        else if (d->sampled[i] == 0)
            snprintf(sample[i], sizeof(sample[i]), ",\"sample\":{\"scheme\":\"poisson\",\"rate\":\"1/%ld\"}", (long) d->chance);
        else
            snprintf(sample[i], sizeof(sample[i]), ",\"sample\":{\"scheme\":\"fixed\",\"rate\":\"%d/%d\"}", d->sampled[i], d->n);
    }
    if (d->count == 1)
        snprintf(text, size, "\"mechanism\":%s%s,\"users\":\"%d\",\"rounds\":%d%s", d->part[0].text, d->part[0].members, d->n, d->rounds[0], sample[0]);
    else
        snprintf(text, size, "\"users\":\"%d\",\"rounds\":[{\"mechanism\":%s%s,\"rounds\":%d%s},{\"mechanism\":%s%s,\"rounds\":%d%s}]", d->n,
                 d->part[0].text, d->part[0].members, d->rounds[0], sample[0], d->part[1].text, d->part[1].members, d->rounds[1], sample[1]);
    return text;
}

/* The law of the data that a lower bound names; of a class, with the k-RR that it names, whose eps0 is log(e/f). */
static void named_law(law *l, const deployment *d, const shuf_answer_bound *b, slong e, slong f)
{
    const shuf_neighbouring_data *named = &b->data;
    deployment of = *d;
    int data[MAX_USERS], user;
    assert_true(b->has_data);
    if (named->k > 0)
    {
        assert_int_equal(d->count, 1);
        fill_krr(&of.part[0], (int) named->k, e, f);
    }
    data[0] = (int) named->first;
    for (user = 1; user < d->n; user++)
        data[user] = (int) (user <= (int) named->exceptions ? named->exception : named->others);
    law_of(l, &of, data, (int) named->second);
}

#define EFFORT ",\"effort\":200000000"

static int at_least(const fmpq_t x, const arf_t y)
{
    shuf_real_t t;
    int result;
    shuf_real_init(t);
    shuf_real_set_fmpq(t, x);
    result = shuf_real_cmp_arf(t, y) >= 0;
    shuf_real_clear(t);
    return result;
}

static int at_most(const fmpq_t x, const arf_t y)
{
    shuf_real_t t;
    int result;
    shuf_real_init(t);
    shuf_real_set_fmpq(t, x);
    result = shuf_real_cmp_arf(t, y) <= 0;
    shuf_real_clear(t);
    return result;
}

/* truth := the largest over all data */
static void largest(fmpq_t truth, const all_laws *all, slong a, slong b)
{
    fmpq_t one;
    size_t i;
    fmpq_init(one);
    fmpq_zero(truth);
    for (i = 0; i < all->count; i++)
    {
        hockey(one, &all->laws[i], a, b);
        if (fmpq_cmp(one, truth) > 0)
            fmpq_set(truth, one);
    }
    fmpq_clear(one);
}

/* of_class: of all log(e/f)-LDP randomisers, of which the laws are but a few. */
static void check_delta(const deployment *d, const all_laws *all, slong a, slong b, int of_class, slong e, slong f)
{
    char members[1200];
    fmpq_t truth, named;
    law l;
    asked x;
    fmpq_init(truth);
    fmpq_init(named);
    largest(truth, all, a, b);
    ask(&x, "{%s,\"ask\":{\"quantity\":\"delta\",\"eps\":\"log(%ld/%ld)\"}" EFFORT "}", members_of(members, sizeof(members), d), (long) a, (long) b);
    if (x.answer->upper != NULL && !at_most(truth, x.answer->upper->value->hi))
        fail_msg("%s: upper %.17g below the truth", x.text, upper(x.answer->upper->value));
    if (x.answer->lower != NULL)
    {
        if (!of_class && !at_least(truth, x.answer->lower->value->lo))
            fail_msg("%s: lower %.17g above the truth", x.text, lower(x.answer->lower->value));
        named_law(&l, d, x.answer->lower, e, f);
        hockey(named, &l, a, b);
        if (!at_least(named, x.answer->lower->value->lo))
            fail_msg("%s: the data named have less than %.17g", x.text, lower(x.answer->lower->value));
        law_clear(&l);
    }
    asked_clear(&x);
    fmpq_clear(truth);
    fmpq_clear(named);
}

static void check_epsilon(const deployment *d, const all_laws *all, slong inverse, int of_class, slong e, slong f)
{
    char members[1200];
    arb_t value, delta;
    asked x;
    law l;
    size_t i;
    int reached = 0;
    arb_init(value);
    arb_init(delta);
    arb_set_si(delta, 1);
    arb_div_si(delta, delta, inverse, PREC);
    ask(&x, "{%s,\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1/%ld\"}" EFFORT "}", members_of(members, sizeof(members), d), (long) inverse);
    for (i = 0; x.answer->upper != NULL && arf_is_finite(x.answer->upper->value->hi) && i < all->count; i++)
    {
        hockey_at(value, &all->laws[i], x.answer->upper->value->hi);
        if (arb_gt(value, delta))
            fail_msg("%s: upper %.17g below the truth", x.text, upper(x.answer->upper->value));
    }
    if (x.answer->lower != NULL && arf_sgn(x.answer->lower->value->lo) > 0)
    {
        if (arf_is_finite(x.answer->lower->value->lo))
        {
            for (i = 0; i < all->count; i++)
            {
                hockey_at(value, &all->laws[i], x.answer->lower->value->lo);
                reached |= !arb_lt(value, delta);
            }
            named_law(&l, d, x.answer->lower, e, f);
            hockey_at(value, &l, x.answer->lower->value->lo);
            if ((!reached && !of_class) || arb_lt(value, delta))
                fail_msg("%s: lower %.17g above the truth", x.text, lower(x.answer->lower->value));
            law_clear(&l);
        }
    }
    asked_clear(&x);
    arb_clear(value);
    arb_clear(delta);
}

/* Just above the truth nothing is refuted, just below it nothing is certified; far from it there is a verdict. */
static void check_claims(const deployment *d, const all_laws *all, slong a, slong b)
{
    static const slong parts[] = { 999999999, 1000000001 };
    char members[1200], *text;
    fmpq_t truth, claimed;
    int i;
    fmpq_init(truth);
    fmpq_init(claimed);
    largest(truth, all, a, b);
    for (i = 0; i < 2 && fmpq_sgn(truth) > 0; i++)
    {
        asked x;
        fmpq_set_si(claimed, parts[i], 1000000000);
        fmpq_mul(claimed, claimed, truth);
        text = fmpq_get_str(NULL, 10, claimed);
        if (strlen(text) < 900)
        {
            ask_any(&x, "{%s,\"claim\":{\"eps\":\"log(%ld/%ld)\",\"delta\":\"%s\"}" EFFORT "}", members_of(members, sizeof(members), d), (long) a,
                    (long) b, text);
            if (x.answer->verdict == (i == 0 ? SHUF_CERTIFIED : SHUF_REFUTED_CLAIM))
                fail_msg("%s: %s", x.text, shuf_verdict_name(x.answer->verdict));
            asked_clear(&x);
        }
        flint_free(text);
    }
    fmpq_clear(truth);
    fmpq_clear(claimed);
}

#define SLACK 1e-9 /* of sums of doubles */

static void check_renyi(const deployment *d, const all_laws *all, int of_class, slong e, slong f)
{
    char members[1200];
    double truth = 0;
    asked x;
    size_t i;
    law l;
    for (i = 0; i < all->count; i++)
        truth = fmax(truth, renyi_2(&all->laws[i]));
    ask_any(&x, "{%s,\"ask\":{\"quantity\":\"renyi\",\"order\":2}" EFFORT "}", members_of(members, sizeof(members), d));
    if (x.answer->upper != NULL && !(upper(x.answer->upper->value) >= truth * (1 - SLACK)))
        fail_msg("%s: upper %.17g below the truth, %.17g", x.text, upper(x.answer->upper->value), truth);
    if (x.answer->lower != NULL)
    {
        named_law(&l, d, x.answer->lower, e, f);
        if ((!of_class && lower(x.answer->lower->value) > truth * (1 + SLACK)) || lower(x.answer->lower->value) > renyi_2(&l) * (1 + SLACK))
            fail_msg("%s: lower %.17g above the truth, %.17g", x.text, lower(x.answer->lower->value), truth);
        law_clear(&l);
    }
    asked_clear(&x);
}

static void check_tradeoff(const deployment *d, const all_laws *all, int of_class, slong e, slong f)
{
    char members[1200];
    double truth = 1;
    asked x;
    size_t i;
    law l;
    for (i = 0; i < all->count; i++)
        truth = fmin(truth, type_2(&all->laws[i], 0.1));
    ask_any(&x, "{%s,\"ask\":{\"quantity\":\"tradeoff\",\"type1\":\"0.1\"}" EFFORT "}", members_of(members, sizeof(members), d));
    if (x.answer->lower != NULL && lower(x.answer->lower->value) > truth + SLACK)
        fail_msg("%s: lower %.17g above the truth, %.17g", x.text, lower(x.answer->lower->value), truth);
    if (x.answer->upper != NULL)
    {
        named_law(&l, d, x.answer->upper, e, f);
        if ((!of_class && upper(x.answer->upper->value) < truth - SLACK) || upper(x.answer->upper->value) < type_2(&l, 0.1) - SLACK)
            fail_msg("%s: upper %.17g below the truth, %.17g", x.text, upper(x.answer->upper->value), truth);
        law_clear(&l);
    }
    asked_clear(&x);
}

static double normal(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* The profile of mu-Gaussian DP. */
static double gaussian(double mu, double eps)
{
    return normal(mu / 2 - eps / mu) - exp(eps) * normal(-mu / 2 - eps / mu);
}

#define GRID 64

/* On eps from 0.1 to 0.5. */
static void check_gdp(const deployment *d, const all_laws *all)
{
    char members[1200];
    asked x;
    arb_t value;
    arf_t eps;
    size_t i;
    int j, exceeded = 0;
    ask_any(&x, "{%s,\"ask\":{\"quantity\":\"gdp\",\"eps\":[\"0.1\",\"0.5\"]}" EFFORT "}", members_of(members, sizeof(members), d));
    arb_init(value);
    arf_init(eps);
    for (j = 0; j <= GRID && x.status == SHUF_OK; j++)
        for (i = 0; i < all->count; i++)
        {
            double at = 0.1 + 0.4 * j / GRID, delta;
            arf_set_d(eps, at);
            hockey_at(value, &all->laws[i], eps);
            delta = arf_get_d(arb_midref(value), ARF_RND_NEAR);
            if (x.answer->upper != NULL && arf_is_finite(x.answer->upper->value->hi)
                && delta > gaussian(upper(x.answer->upper->value), at) + SLACK)
                fail_msg("%s: upper %.17g below the truth at %g", x.text, upper(x.answer->upper->value), at);
            exceeded |= x.answer->lower == NULL || arf_is_zero(x.answer->lower->value->lo)
                        || delta > gaussian(lower(x.answer->lower->value) * (1 - 1e-3), at);
        }
    if (x.status == SHUF_OK && !exceeded)
        fail_msg("%s: lower %.17g above the truth", x.text, lower(x.answer->lower->value));
    arb_clear(value);
    arf_clear(eps);
    asked_clear(&x);
}

/* Everything, of the mechanism as it is described. */
static void check_deployment(const deployment *d)
{
    static const slong deltas[] = { 5, 50, 1000 };
    all_laws all;
    int i;
    all_laws_init(&all, d);
    for (i = 0; i < 3; i++)
        check_delta(d, &all, 10 + (slong) random_below(15), 10, 0, 0, 1);
    check_epsilon(d, &all, deltas[random_below(3)], 0, 0, 1);
    check_claims(d, &all, 10 + (slong) random_below(10), 10);
    check_renyi(d, &all, 0, 0, 1);
    check_tradeoff(d, &all, 0, 0, 1);
    all_laws_clear(&all);
}

static void set_one(deployment *d, int n, int sampled, int rounds)
{
    d->count = 1;
    d->n = n;
    d->sampled[0] = sampled;
    d->rounds[0] = rounds;
}

/* ---- tests ---- */

static void test_krr(void **state)
{
    deployment d;
    int k, n;
    (void) state;
    skip_unless_drawn(4);
    for (k = 2; k <= 4; k++)
        for (n = 1; n <= (k == 2 ? 5 : 4); n++)
        {
            take_krr(&d.part[0], k, 2 + (slong) random_below(20), 1 + (slong) random_below(2));
            set_one(&d, n, n, 1);
            check_deployment(&d);
        }
}

static void test_rappor(void **state)
{
    deployment d;
    int n, is_sum;
    (void) state;
    skip_unless_drawn(4);
    for (is_sum = 0; is_sum < 2; is_sum++)
        for (n = 1; n <= 3; n++)
        {
            take_rappor(&d.part[0], n < 3 && is_sum ? 3 : 2, 2 + (slong) random_below(4), 1, is_sum);
            set_one(&d, n, n, 1);
            check_deployment(&d);
        }
}

static void test_matrix(void **state)
{
    deployment d;
    int i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < 8; i++)
    {
        int n = 1 + (int) random_below(4);
        take_matrix(&d.part[0], 2 + (int) random_below(2), 2 + (int) random_below(2), i % 4 == 3);
        set_one(&d, n, n, 1);
        check_deployment(&d);
    }
}

static void test_rounds(void **state)
{
    deployment d;
    int i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < 6; i++)
    {
        int n = 1 + (int) random_below(3);
        if (i % 3 == 0)
            take_krr(&d.part[0], 2 + (int) random_below(2), 2 + (slong) random_below(8), 1);
        else if (i % 3 == 1)
            take_rappor(&d.part[0], 2, 2 + (slong) random_below(3), 1, i > 3);
        else
            take_matrix(&d.part[0], 2, 2, 0);
        set_one(&d, n, n, 2);
        check_deployment(&d);
    }
}

static void test_sampled(void **state)
{
    deployment d;
    int i;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < 8; i++)
    {
        int n = 2 + (int) random_below(3);
        if (i % 4 == 3)
            take_matrix(&d.part[0], 2, 3, 0);
        else if (i % 4 == 2)
            take_rappor(&d.part[0], 2, 2 + (slong) random_below(3), 1, 0);
        else
            take_krr(&d.part[0], 2 + (int) random_below(2), 2 + (slong) random_below(12), 1);
        set_one(&d, n, 1 + (int) random_below((uint64_t) n - 1), 1 + i / 4);
        check_deployment(&d);
    }
}

/* The same with each user taking part or not. */
static void test_participation(void **state)
{
    deployment d;
    int i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < 10; i++)
    {
        int n = 1 + (int) random_below(3);
        if (i % 5 == 0)
            take_krr(&d.part[0], 2 + (int) random_below(2), 2 + (slong) random_below(12), 1);
        else if (i % 5 == 1)
            take_rappor(&d.part[0], 2, 2 + (slong) random_below(3), 1, 0);
        else
            take_matrix(&d.part[0], 2 + i % 2, 2 + (int) random_below(2), i % 5 == 4);
        set_one(&d, n, 0, 1 + i / 5);
        d.chance = 2 + (slong) random_below(4);
        check_deployment(&d);
    }
}

/* Two different rounds on the same users, one of them perhaps sampled. */
static void test_list(void **state)
{
    deployment d;
    int i;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < 5; i++)
    {
        d.count = 2;
        d.n = 2 + (int) random_below(2);
        take_krr(&d.part[i % 2], 3, 2 + (slong) random_below(6), 1);
        if (i < 2)
            take_rappor(&d.part[1 - i % 2], 2, 3, 1, i == 1);
        else if (i < 4)
            take_krr(&d.part[1 - i % 2], 2, 2 + (slong) random_below(6), 1);
        else
            take_matrix(&d.part[1 - i % 2], 3, 2, 0);
        d.rounds[0] = d.rounds[1] = 1;
        d.sampled[0] = i == 3 ? d.n - 1 : d.n;
        d.sampled[1] = d.n;
        check_deployment(&d);
    }
}

/* The class of all log(e/f)-LDP randomisers: k-RR and random rows of at most that ratio are in it. */
static void test_class(void **state)
{
    deployment d;
    int k, n, way;
    (void) state;
    for (way = 0; way < 3; way++)
        for (k = 2; k <= 3; k++)
            for (n = 2; n <= 3; n++)
            {
                slong e = 2 + (slong) random_below(10);
                all_laws all;
                take_krr(&d.part[0], k, e, 1);
                snprintf(d.part[0].text, sizeof(d.part[0].text), "{\"type\":\"ldp\",\"eps0\":\"log(%ld)\"}", (long) e);
                set_one(&d, n, way == 2 ? n - 1 : n, way == 1 ? 2 : 1);
                all_laws_init(&all, &d);
                check_delta(&d, &all, 10 + (slong) random_below(15), 10, 1, e, 1);
                check_epsilon(&d, &all, 50, 1, e, 1);
                check_renyi(&d, &all, 1, e, 1);
                check_tradeoff(&d, &all, 1, e, 1);
                all_laws_clear(&all);
            }
}

static void test_gdp(void **state)
{
    deployment d;
    all_laws all;
    int i;
    (void) state;
    for (i = 0; i < 4; i++)
    {
        take_krr(&d.part[0], 2 + i % 2, 3 + (slong) random_below(4), 1);
        set_one(&d, 3, i == 2 ? 2 : 3, i == 3 ? 2 : 1);
        all_laws_init(&all, &d);
        check_gdp(&d, &all);
        all_laws_clear(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_krr),     cmocka_unit_test(test_rappor), cmocka_unit_test(test_matrix), cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_sampled), cmocka_unit_test(test_participation), cmocka_unit_test(test_list),   cmocka_unit_test(test_class),  cmocka_unit_test(test_gdp),
    };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
