/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/counts.h"

#include "enclosure/budget.h"
#include "enclosure/doubles.h"
#include "enclosure/elementary.h"

/* x >= 0 times this is above, or below, whatever some six roundings have made of it. proofs/binary-reports.md, Lemma 5. */
#define UP (1 + 0x1p-50)
#define DOWN (1 - 0x1p-50)

/* Beside the results of subnormal numbers. Lemma 5. */
#define UNDERFLOW 1e-300

/* Units of work of a step of the walk, and of an estimate. Steer only. */
#define STEP_WORK 30.0
#define ESTIMATE_WORK 3000.0

void counts_bits_init(counts_bits_t bits)
{
    arb_init(bits->p);
    arb_init(bits->p_rest);
    arb_init(bits->q);
    arb_init(bits->q_rest);
}

void counts_bits_clear(counts_bits_t bits)
{
    arb_clear(bits->p);
    arb_clear(bits->p_rest);
    arb_clear(bits->q);
    arb_clear(bits->q_rest);
}

void range_set_arb(range_struct *r, const arb_t x)
{
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, x, COUNTS_PREC);
    r->lo = double_below(end);
    arb_get_ubound_arf(end, x, COUNTS_PREC);
    r->hi = arf_is_nan(end) ? HUGE_VAL : double_above(end);
    if (!(r->lo >= 0))
        r->lo = 0;
    arf_clear(end);
}

static int is_working(const range_struct *r)
{
    return r->lo >= SMALLEST && r->hi <= LARGEST;
}

/* Odds that may still be tilted. */
static int is_moderate(const range_struct *r)
{
    return r->lo >= 1e-140 && r->hi <= 1e140;
}

static void range_set_product(range_struct *r, const arb_t x, const arb_t y)
{
    arb_t t;
    arb_init(t);
    arb_mul(t, x, y, COUNTS_PREC);
    range_set_arb(r, t);
    arb_clear(t);
}

void counts_steps_set(counts_steps *steps, const counts_bits_t bits)
{
    arb_t t;
    arb_init(t);
    steps->p_is_certain = arb_is_zero(bits->p_rest) || arb_is_zero(bits->p);
    steps->q_is_certain = arb_is_zero(bits->q) || arb_is_zero(bits->q_rest);
    range_set_product(&steps->s, bits->p, bits->q_rest);
    range_set_product(&steps->t, bits->q, bits->p_rest);
    range_set_product(&steps->zeros, bits->p_rest, bits->q_rest);
    range_set_product(&steps->ones, bits->p, bits->q);
    arb_div(t, bits->p, bits->p_rest, COUNTS_PREC);
    range_set_arb(&steps->odds_p, t);
    arb_div(t, bits->q, bits->q_rest, COUNTS_PREC);
    range_set_arb(&steps->odds_q, t);
    steps->good = (steps->p_is_certain || is_moderate(&steps->odds_p)) && (steps->q_is_certain || is_moderate(&steps->odds_q));
    if (!steps->p_is_certain && !steps->q_is_certain)
        steps->good = steps->good && is_working(&steps->s) && is_working(&steps->t) && is_working(&steps->zeros)
                      && is_working(&steps->ones);
    arb_clear(t);
}

void counts_point_set(counts_point *x, const counts_bits_t bits, shuf_direction direction, const arb_t eps)
{
    int forward = direction == SHUF_DIRECTION_PQ;
    arb_t alpha, t, u;
    arb_init(alpha);
    arb_init(t);
    arb_init(u);
    arb_exp(alpha, eps, COUNTS_PREC);
    arb_expm1(t, eps, COUNTS_PREC);
    range_set_arb(&x->excess, t);
    arb_mul(u, alpha, forward ? bits->q : bits->p_rest, COUNTS_PREC);
    arb_sub(u, forward ? bits->p : bits->q_rest, u, COUNTS_PREC);
    range_set_arb(&x->gain, u);
    arb_add(t, t, u, COUNTS_PREC);
    arb_div(t, u, t, COUNTS_PREC);
    range_set_arb(&x->kappa, t);
    if (!(x->kappa.hi <= 1))
        x->kappa.hi = 1;
    arb_clear(alpha);
    arb_clear(t);
    arb_clear(u);
}

/* ---- where the law is: estimates ---- */

/* Users who count: a with the odds x, b with y. */
typedef struct
{
    double a, b, x, y;
} two_groups;

static void groups_set(two_groups *g, const counts_steps *steps, uint64_t a, uint64_t b)
{
    g->a = steps->p_is_certain ? 0 : (double) a;
    g->b = steps->q_is_certain ? 0 : (double) b;
    g->x = steps->odds_p.lo;
    g->y = steps->odds_q.lo;
}

/* The mean when all odds are multiplied by e^theta, and -log of the law there, roughly. */
static double tilted_mean(double *rate, const two_groups *g, double theta)
{
    double e = d_exp(theta), u = g->a > 0 ? e * g->x : 0, v = g->b > 0 ? e * g->y : 0;
    double mean = g->a * u / (1 + u) + g->b * v / (1 + v);
    *rate = theta * mean - (g->a > 0 ? g->a * d_log1p(u * (1 - d_exp(-theta)) / (1 + u * d_exp(-theta))) : 0)
            - (g->b > 0 ? g->b * d_log1p(v * (1 - d_exp(-theta)) / (1 + v * d_exp(-theta))) : 0);
    return mean;
}

/* Steer only. */
#define LARGEST_TILT 300.0
#define HALVINGS 40

/* Where the rate reaches `cut`, above the mean (sign = 1) or below (-1). */
static double find_end(const two_groups *g, double cut, int sign)
{
    double low = 1e-9, high = LARGEST_TILT, rate, mean;
    int i;
    for (i = 0; i < HALVINGS; i++)
    {
        double theta = sqrt(low * high);
        tilted_mean(&rate, g, sign * theta);
        if (rate < cut)
            low = theta;
        else
            high = theta;
    }
    mean = tilted_mean(&rate, g, sign * high);
    return mean;
}

double counts_depth(const counts_steps *steps, uint64_t a, uint64_t b, shuf_direction direction, const counts_point *x)
{
    two_groups g;
    double rate, theta;
    if (!(x->kappa.lo > 0))
        return COUNTS_CUT;
    groups_set(&g, steps, a, b);
    theta = -d_log(x->kappa.lo);
    tilted_mean(&rate, &g, direction == SHUF_DIRECTION_PQ ? theta : -theta);
    return rate >= 0 ? rate : COUNTS_CUT;
}

/* ---- the walk ---- */

/* Coefficients as seen from one end: from the other, ones are zeros. */
typedef struct
{
    double a, b;
    range_struct s, t, zeros, ones, odds_p, odds_q;
} walk_struct;

/*
 * out[(c - first) step] encloses u(c+1) for c = first .. first+count-1, u(c) = f(c-1)/f(c), the walk
 * beginning at start <= first (Lemma 4). Returns 0 when it loses its hold.
 */
static int walk(range_struct *out, slong step, const walk_struct *w, uint64_t start, uint64_t first, uint64_t count)
{
    range_struct u = { 0, 0 };
    uint64_t i;
    if (start > 0)
    {
        double x = (double) start / (w->a + w->b - (double) start + 1);
        u.lo = x / w->odds_p.hi * DOWN;
        u.hi = x / w->odds_q.lo * UP;
    }
    for (i = start; i < first + count; i++)
    {
        double c = (double) i, x = w->a - c, y = w->b - c, rest = w->a + w->b - c + 1;
        double plus_lo = 0, plus_hi = 0, minus_lo = 0, minus_hi = 0, lo, hi;
        if (x >= 0)
        {
            plus_lo = x * w->s.lo;
            plus_hi = x * w->s.hi;
        }
        else
        {
            minus_lo = -x * w->s.lo;
            minus_hi = -x * w->s.hi;
        }
        if (y >= 0)
        {
            plus_lo += y * w->t.lo;
            plus_hi += y * w->t.hi;
        }
        else
        {
            minus_lo -= y * w->t.lo;
            minus_hi -= y * w->t.hi;
        }
        lo = (plus_lo * DOWN - minus_hi * UP) + rest * w->ones.lo * u.lo * DOWN;
        hi = (plus_hi * UP - minus_lo * DOWN) + rest * w->ones.hi * u.hi * UP;
        /* what the last sum may have lost beside terms that cancel */
        lo -= 0x1p-52 * fabs(lo);
        hi += 0x1p-52 * fabs(hi);
        if (!(lo > 0))
            return 0;
        u.lo = (c + 1) * w->zeros.lo / hi * DOWN;
        u.hi = (c + 1) * w->zeros.hi / lo * UP;
        if (i >= first)
            out[(slong) (i - first) * step] = u;
    }
    return 1;
}

/* x := 1/x */
static void range_invert(range_struct *x)
{
    double lo = DOWN / x->hi;
    x->hi = UP / x->lo;
    x->lo = lo;
}

/* log of the ratio of the ends of the range that a walk begins with, when odds are moderate. Steers only. */
#define FIRST_RANGE 8.0

/*
 * The ratios of two binomials: up to that of turn and turn + 1 from below, the
 * others from above. Near turn, where the coefficient of f(c) is 0, errors
 * hardly shrink from one ratio to the next: walks begin so far outside the
 * window that little is left of the wide range they begin with.
 */
static int ratios_of_two(counts_law *law, const counts_steps *z, uint64_t a, uint64_t b, double margin)
{
    uint64_t m = a + b, c, turn, last = law->last, low, high;
    double size = (double) m, middle = ((double) a * z->s.lo + (double) b * z->t.lo) / (z->s.lo + z->t.lo);
    double reach = 2 * (margin + FIRST_RANGE) * sqrt(middle * (size - middle) * z->zeros.lo * z->ones.lo) / (z->s.lo + z->t.lo);
    double left_start = middle - sqrt(d_pow(middle - (double) law->first, 2) + reach);
    double right_start = middle + sqrt(d_pow((double) last - middle, 2) + reach);
    walk_struct left = { (double) a, (double) b, z->s, z->t, z->zeros, z->ones, z->odds_p, z->odds_q };
    walk_struct right = { (double) a, (double) b, z->t, z->s, z->ones, z->zeros, z->odds_q, z->odds_p };
    range_struct *ratio = law->ratio;
    right.odds_p.lo = 1 / z->odds_q.hi * DOWN;
    right.odds_p.hi = 1 / z->odds_q.lo * UP;
    right.odds_q.lo = 1 / z->odds_p.hi * DOWN;
    right.odds_q.hi = 1 / z->odds_p.lo * UP;
    turn = middle <= (double) law->first ? law->first : middle >= (double) last ? last : (uint64_t) middle;
    low = left_start >= (double) law->first ? law->first : left_start <= 0 ? 0 : (uint64_t) left_start;
    high = right_start <= (double) last ? last : right_start >= size ? m : (uint64_t) right_start;
    shuf_charge(STEP_WORK * (double) ((turn > law->first ? law->first - low : 0) + (turn < last ? high - last : 0)));
    if (turn > law->first && !walk(ratio, 1, &left, low, law->first, turn - law->first))
        return 0;
    if (turn < last && !walk(ratio + (last - 1 - law->first), -1, &right, m - high, m - last, last - turn))
        return 0;
    for (c = FLINT_MIN(turn, law->peak); c < FLINT_MAX(turn, law->peak); c++)
        range_invert(&ratio[c - law->first]);
    return 1;
}

/* One binomial with these odds. */
static void ratios_of_one(counts_law *law, const range_struct *odds)
{
    uint64_t c;
    for (c = law->first; c < law->last; c++)
    {
        range_struct *r = &law->ratio[c - law->first];
        double x = (double) (law->support - c) / (double) (c + 1);
        r->lo = x * odds->lo * DOWN;
        r->hi = x * odds->hi * UP;
        if (c < law->peak)
            range_invert(r);
    }
}

/*
 * Away from the peak the ratios fall: what the walks, which begin with wide
 * ranges, know of one holds for those on its other side. Returns 0 where they
 * leave the doubles.
 */
static int sharpen(counts_law *law)
{
    slong count = (slong) (law->last - law->first), k = (slong) (law->peak - law->first), i;
    range_struct *r = law->ratio;
    int ok = 1;
    for (i = k - 2; i >= 0; i--)
        r[i].hi = fmin(r[i].hi, r[i + 1].hi);
    for (i = 1; i < k; i++)
        r[i].lo = fmax(r[i].lo, r[i - 1].lo);
    for (i = k + 1; i < count; i++)
        r[i].hi = fmin(r[i].hi, r[i - 1].hi);
    for (i = count - 2; i >= k; i--)
        r[i].lo = fmax(r[i].lo, r[i + 1].lo);
    for (i = 0; i < count; i++)
        ok &= r[i].lo >= SMALLEST && r[i].hi <= LARGEST;
    return ok;
}

/* The sum of a geometric series, or nothing known. */
static double geometric(double ratio)
{
    return ratio < 1 ? ratio / (1 - ratio) * UP : HUGE_VAL;
}

/* above from the peak on, and below up to it; and a few more values each. */
static void add_tails(counts_law *law)
{
    slong length = (slong) (law->last - law->first) + 1, k = (slong) (law->peak - law->first), i;
    range_struct *above = law->above, *below = law->below;
    const range_struct *r = law->ratio;
    above[length - 1].lo = below[0].lo = 0;
    above[length - 1].hi = law->last == law->support ? 0 : length - 1 > k ? geometric(r[length - 2].hi) : HUGE_VAL;
    below[0].hi = law->first == 0 ? 0 : k > 0 ? geometric(r[0].hi) : HUGE_VAL;
    for (i = length - 2; i >= k; i--)
    {
        above[i].lo = r[i].lo * (1 + above[i + 1].lo) * DOWN;
        above[i].hi = r[i].hi * (1 + above[i + 1].hi) * UP;
    }
    for (i = 1; i <= k; i++)
    {
        below[i].lo = r[i - 1].lo * (1 + below[i - 1].lo) * DOWN;
        below[i].hi = r[i - 1].hi * (1 + below[i - 1].hi) * UP;
    }
    for (i = k - 1; i >= 0 && i >= k - COUNTS_OVERLAP; i--)
    {
        above[i].lo = (1 + above[i + 1].lo) / r[i].hi * DOWN;
        above[i].hi = (1 + above[i + 1].hi) / r[i].lo * UP;
    }
    for (i = k + 1; i < length && i <= k + COUNTS_OVERLAP; i++)
    {
        below[i].lo = (1 + below[i - 1].lo) / r[i - 1].hi * DOWN;
        below[i].hi = (1 + below[i - 1].hi) / r[i - 1].lo * UP;
    }
}

/* The probabilities from that of the peak, where 1 = f (1 + above + below). Returns 0 where they leave the doubles. */
static int set_masses(counts_law *law)
{
    slong length = (slong) (law->last - law->first) + 1, k = (slong) (law->peak - law->first), i;
    range_struct *f = law->mass;
    f[k].lo = DOWN / (1 + law->above[k].hi + law->below[k].hi);
    f[k].hi = UP / (1 + law->above[k].lo + law->below[k].lo);
    for (i = k + 1; i < length; i++)
    {
        f[i].lo = f[i - 1].lo * law->ratio[i - 1].lo * DOWN;
        f[i].hi = f[i - 1].hi * law->ratio[i - 1].hi * UP;
    }
    for (i = k - 1; i >= 0; i--)
    {
        f[i].lo = f[i + 1].lo * law->ratio[i].lo * DOWN;
        f[i].hi = f[i + 1].hi * law->ratio[i].hi * UP;
    }
    return f[k].lo >= UNDERFLOW && f[k].hi <= 2;
}

/* Leaves out the values at the ends that are too small for doubles: above and below hold at any value. */
static void trim(counts_law *law)
{
    slong k = (slong) (law->peak - law->first), from = 0, to = (slong) (law->last - law->first);
    while (to > k && law->mass[to].lo < UNDERFLOW)
        to--;
    while (from < k && law->mass[from].lo < UNDERFLOW)
        from++;
    law->last = law->first + (uint64_t) to;
    law->first += (uint64_t) from;
    law->ratio += from;
    law->mass += from;
    law->above += from;
    law->below += from;
}

int counts_law_init(counts_law *law, const counts_steps *steps, uint64_t a, uint64_t b, double below, double above, double margin)
{
    two_groups g;
    double rate, end;
    slong length;
    int ok = 1;

    shuf_charge(ESTIMATE_WORK);
    if (!steps->good || a + b > COUNTS_MAX_USERS)
        return 0;
    groups_set(&g, steps, a, b);
    a = (uint64_t) g.a;
    b = (uint64_t) g.b;
    law->support = a + b;
    law->first = 0;
    law->last = law->support;
    law->peak = FLINT_MIN((uint64_t) (tilted_mean(&rate, &g, 0) + 0.5), law->support);
    end = find_end(&g, below, -1);
    if (end > 2)
        law->first = FLINT_MIN((uint64_t) end - 2, law->peak);
    end = find_end(&g, above, 1);
    if (end + 3 < (double) law->support)
        law->last = FLINT_MAX((uint64_t) end + 3, law->peak);
    length = (slong) (law->last - law->first) + 1;
    shuf_charge(STEP_WORK * (double) length);
    law->memory = flint_malloc((size_t) (4 * length) * sizeof(range_struct));
    law->ratio = law->memory;
    law->mass = law->ratio + length;
    law->above = law->mass + length;
    law->below = law->above + length;
    if (length > 1 && a > 0 && b > 0)
        ok = ratios_of_two(law, steps, a, b, margin);
    else
        ratios_of_one(law, a > 0 ? &steps->odds_p : &steps->odds_q);
    if (ok && sharpen(law))
        add_tails(law);
    else
        ok = 0;
    if (!ok || !set_masses(law))
    {
        counts_law_clear(law);
        return 0;
    }
    trim(law);
    return 1;
}

void counts_law_clear(counts_law *law)
{
    flint_free(law->memory);
}

/* ---- divergences ---- */

/* Above so many candidates for the threshold, a cruder bound. Steers only. */
#define CANDIDATES 64

/*
 * The law as a direction sees it: values from shortly before the peak outwards,
 * or the other way round, ones and zeros exchanged.
 */
typedef struct
{
    const counts_law *law;
    slong start, length;
    int forward, open, closed; /* there are values before the first, and none after the last */
} view;

static void view_set(view *v, const counts_law *law, shuf_direction direction)
{
    slong length = (slong) (law->last - law->first) + 1, k = (slong) (law->peak - law->first), least, most;
    v->law = law;
    v->forward = direction == SHUF_DIRECTION_PQ;
    least = FLINT_MAX(k - COUNTS_OVERLAP, 0);
    most = FLINT_MIN(k + COUNTS_OVERLAP, length - 1);
    v->start = v->forward ? least : most;
    v->length = v->forward ? length - least : most + 1;
    v->open = v->forward ? law->first > 0 || least > 0 : law->last < law->support || most < length - 1;
    v->closed = v->forward ? law->last == law->support : law->first == 0;
}

static slong at(const view *v, slong i)
{
    return v->forward ? v->start + i : v->start - i;
}

/* r encloses f(i)/f(i-1), 0 < i < length. */
static range_struct step_ratio(const view *v, slong i)
{
    slong k = (slong) (v->law->peak - v->law->first), j = v->forward ? at(v, i) - 1 : at(v, i);
    range_struct r = v->law->ratio[j];
    /* ratios point away from the peak */
    if (v->forward ? j < k : j >= k)
        range_invert(&r);
    return r;
}

/* gain f(i) - excess Pr[beyond i] */
static void value_at(range_struct *value, const view *v, slong i, const counts_point *x)
{
    slong j = at(v, i);
    const range_struct *f = &v->law->mass[j], *beyond = v->forward ? &v->law->above[j] : &v->law->below[j];
    double lo = x->gain.lo * DOWN - x->excess.hi * beyond->hi * UP, least = x->excess.lo * beyond->lo * DOWN, hi;
    /* nothing beyond, and alpha out of the doubles */
    hi = x->gain.hi * UP - (least > 0 ? least : 0);
    value->lo = lo > 0 ? fmax(f->lo * lo * DOWN - UNDERFLOW, 0) : 0;
    value->hi = hi > 0 ? f->hi * hi * UP + UNDERFLOW : 0;
}

/* An upper bound of the divergence if its threshold is i or beyond. */
static double beyond_bound(const view *v, slong i, const counts_point *x)
{
    slong j = at(v, i);
    double tail = v->forward ? v->law->above[j].hi : v->law->below[j].hi, bound = x->gain.hi * v->law->mass[j].hi * (1 + tail) * UP;
    return bound < x->gain.hi ? bound + UNDERFLOW : x->gain.hi;
}

void counts_divergence(range_struct *value, const counts_law *law, shuf_direction direction, const counts_point *x)
{
    slong low = 0, high, i;
    range_struct one;
    view v;
    value->lo = value->hi = 0;
    if (!(x->gain.hi > 0))
        return;
    view_set(&v, law, direction);
    /* the last i that the values certainly rise to: the ratios fall */
    for (high = v.length; high - low > 1;)
    {
        slong middle = low + (high - low) / 2;
        if (step_ratio(&v, middle).lo >= x->kappa.hi)
            low = middle;
        else
            high = middle;
    }
    if (low == 0 && v.open)
    {
        value->hi = x->gain.hi;
        return;
    }
    for (i = low; i < v.length && i < low + CANDIDATES; i++)
    {
        value_at(&one, &v, i, x);
        value->lo = fmax(value->lo, one.lo);
        value->hi = fmax(value->hi, one.hi);
        if (i + 1 < v.length ? step_ratio(&v, i + 1).hi <= x->kappa.lo : v.closed)
            break;
    }
    if (i == v.length || i == low + CANDIDATES)
        value->hi = fmax(value->hi, beyond_bound(&v, i - 1, x));
    if (value->hi > x->gain.hi)
        value->hi = x->gain.hi;
}
