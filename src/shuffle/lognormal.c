/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/lognormal-sums.md. */
#include "shuffle/lognormal.h"

#include <math.h>
#include <string.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"

#define UP (1 + 1e-9)  /* Lemmas 2 to 5: pays for roundings of bounds, and for functions within 8 ulp */
#define HALF 10        /* p of Lemma 4: 2p nodes around a place. Even, and at most 10, so that factorials up to (2p - 1)! are exact; else it steers only. */
#define REACH 30       /* r of Lemma 4. Steers only: any r > p */
#define ROOM (REACH + 2) /* at both ends of a row, Lemma 4: what a window may look at */
#define PREC 128       /* of places: steers only */

/* What the program keeps, after Lemma 5: what a place between nodes is off by, over h; roundings of a value there, of a sum over nodes, of a weight. */
#define PLACE 0x1p-51
#define BETWEEN 14
#define SUM 6
#define WEIGHT 100

/* The step h over a/sqrt(n), for few terms and for more. Steers only. */
#define FINE 0.06
#define COARSE 0.12
#define FEW 16
#define FEW_DIGITS 7
#define STEP_BITS 20

/* How far the first row reaches, in deviations; what is cut off at the ends. Steer only. */
#define FIRST_REACH 18.7
#define CUT 1e-75

/* What the program keeps, after Lemma 5: where tails are taken in closed form, and for what a, so that 19 a >= a^2 and log 2 + 38 a >= 0.9. */
#define FAR_REACH 19.0
#define LARGEST_A 5.0
#define SMALLEST_A 0.01

/* Exponents of what a trapezoid sum is off by, inside and at the end; the largest t, below pi. Steer only. */
#define INNER_EXPONENT 37
#define LAST_EXPONENT 90
#define LARGEST_T 2.0
#define LEAST_V 60.0 /* at the end v begins at minus that */
#define PASSES 4     /* of the bound of Lemma 3 */

/* No law is tried for more terms, more digits, or more work. Steers only. */
#define MOST_TERMS 2000
#define MOST_DIGITS 10
#define MOST_WORK 4e9
#define WORK_A_PRODUCT 16 /* units of work of a product at a node: steers only */
#define NODE_WORK 100 /* and of a node of a call: steers only */

/* fmax without a call */
static inline double larger(double x, double y)
{
    return x > y ? x : y;
}

/* w_m at a node */
static double weight(const lognormal_row *x, const lognormal_sum *s, slong i)
{
    return fmin(1, x->number * d_exp(-s->h * (double) i));
}

/* phi(z)/a, at most */
static double first_density(const lognormal_sum *s, double z)
{
    return d_exp(-z * z / 2) / (s->near_a * sqrt(2 * DOUBLE_PI)) * UP;
}

/* Of a normal law beyond z > 0, at most */
static double normal_beyond(double z)
{
    return d_exp(-z * z / 2) / 2 * UP;
}

/* ---- rows ---- */

static void row_init(lognormal_row *x, double number, slong first, slong last)
{
    const size_t size = (size_t) (last - first + 1 + 2 * ROOM) * sizeof(double);
    x->number = number;
    x->first = first;
    x->last = last;
    x->at = flint_malloc(size);
    x->off = flint_malloc(size);
    x->outside = 0;
    x->spread = x->window = NULL;
    memset(x->at, 0, size);
    memset(x->off, 0, size);
}

static void row_clear(lognormal_row *x)
{
    flint_free(x->at);
    flint_free(x->off);
    flint_free(x->spread);
    flint_free(x->window);
}

/* Room for a node. */
static slong place(const lognormal_row *x, slong i)
{
    return i - x->first + ROOM;
}

static double node_most(const lognormal_row *x, slong i)
{
    return fabs(x->at[place(x, i)]) + x->off[place(x, i)];
}

/* `outside` from what is known beyond the ends, and the ends themselves, which bound what lies between them and the next node; the room at the ends. */
static void row_close(lognormal_row *x, const lognormal_sum *s, double outside)
{
    const double between = d_exp(s->h + x->number * s->h * s->h / (8 * s->near_a * s->near_a)) * UP;
    slong i;
    outside = fmax(outside, node_most(x, x->first) / weight(x, s, x->first) * UP);
    outside = fmax(outside, node_most(x, x->last) / weight(x, s, x->last) * UP);
    x->outside = outside * between;
    outside = x->outside;
    for (i = x->first; i <= x->last; i++)
        outside = fmax(outside, node_most(x, i) / weight(x, s, i) * between);
    x->most = fmin(x->most, outside);
    for (i = 1; i <= ROOM; i++)
    {
        x->off[place(x, x->first - i)] = x->outside * weight(x, s, x->first - i) * UP;
        x->off[place(x, x->last + i)] = x->outside * weight(x, s, x->last + i) * UP;
    }
}

/* The row without the ends that are too small to matter. */
static void row_cut(lognormal_row *x, const lognormal_sum *s, double outside)
{
    slong first = x->first, last = x->last, i;
    while (first < last && node_most(x, first) <= CUT * weight(x, s, first))
        first++;
    while (last > first && node_most(x, last) <= CUT * weight(x, s, last))
        last--;
    for (i = first; i <= last; i++)
    {
        x->at[i - first + ROOM] = x->at[place(x, i)];
        x->off[i - first + ROOM] = x->off[place(x, i)];
    }
    for (i = 1; i <= ROOM; i++)
        x->at[ROOM - i] = x->at[last - first + ROOM + i] = 0;
    x->first = first;
    x->last = last;
    row_close(x, s, fmax(outside, CUT * UP));
}

static double largest(const lognormal_row *x, slong from, slong to, int is_radius)
{
    double most = 0;
    slong i;
    from = FLINT_MAX(from, x->first - ROOM);
    to = FLINT_MIN(to, x->last + ROOM);
    for (i = from; i <= to; i++)
        most = larger(is_radius ? x->off[place(x, i)] : node_most(x, i), most);
    return most;
}

/* What a place between nodes i and i + 1 looks at, from first - 1 to last. */
static void row_look(lognormal_row *x, const lognormal_sum *s)
{
    const double g = x->number * s->h * s->h / (2 * s->near_a * s->near_a) * UP;
    const size_t size = (size_t) (x->last - x->first + 2) * sizeof(double);
    double product = REACH / (REACH - 0.5);
    slong i;
    int k;
    for (k = 1; k <= HALF; k++)
        product *= (k - 0.5) * (k - 0.5) / (REACH * REACH - (k - 0.5) * (k - 0.5));
    x->share = (product + PLACE / (REACH - 1.5)) * d_exp(g * REACH * REACH + g / 4) * UP;
    x->spread = flint_malloc(size);
    x->window = flint_malloc(size);
    for (i = x->first - 1; i <= x->last; i++)
    {
        x->spread[i - x->first + 1] = largest(x, i - HALF + 1, i + HALF, 1);
        x->window[i - x->first + 1] = largest(x, i - REACH, i + 1 + REACH, 0);
    }
}

/* q_1 */
static void row_one(lognormal_row *x, const lognormal_sum *s)
{
    const double a = s->near_a, reach = FIRST_REACH * a + a * a / 2;
    arb_t z, half, scale;
    slong i;
    arb_init(z); arb_init(half); arb_init(scale);
    row_init(x, 1, -(slong) (reach / s->h), (slong) (reach / s->h));
    x->most = 1 / (a * sqrt(2 * DOUBLE_PI)) * UP;
    arb_mul_2exp_si(half, s->a, -1);
    arb_const_sqrt_pi(scale, PREC);
    arb_mul(scale, scale, s->a, PREC);
    for (i = x->first; i <= x->last; i++)
    {
        arb_set_d(z, s->h);
        arb_mul_si(z, z, i, PREC);
        arb_div(z, z, s->a, PREC);
        arb_add(z, z, half, PREC);
        arb_mul(z, z, z, PREC);
        arb_mul_2exp_si(z, z, -1);
        shuf_ball_exp_minus(z, z, PREC);
        arb_div(z, z, scale, PREC);
        x->at[place(x, i)] = arf_get_d(arb_midref(z), ARF_RND_NEAR) * 0.70710678118654752;
        x->off[place(x, i)] = x->at[place(x, i)] * 4 * ROUNDOFF;
    }
    /* beyond the ends q_1 falls to the left, and e^y q_1 to the right */
    row_close(x, s, 0);
    row_look(x, s);
    arb_clear(z); arb_clear(half); arb_clear(scale);
}

/* ---- between nodes ---- */

/* v (f - c), in two parts, as is v; |c| >= f or c = 0 */
static void times(double *v, double f, double c)
{
    const double d = f - c, e = f - (d + c), high = v[0] * d;
    v[1] = fma(v[0], d, -high) + (v[1] * d + v[0] * e);
    v[0] = high;
}

/* w := the weights of the 2p nodes about a place f of the way to the next node; returns the sum of |w|, at most. */
static double set_weights(double *w, double f)
{
    double before[2 * HALF][2], after[2] = { 1, 0 }, factorial[2 * HALF], sum = 0;
    int k;
    before[0][0] = factorial[0] = 1;
    before[0][1] = 0;
    for (k = 1; k < 2 * HALF; k++)
    {
        before[k][0] = before[k - 1][0];
        before[k][1] = before[k - 1][1];
        times(before[k], f, k - HALF);
        factorial[k] = k * factorial[k - 1]; /* exact, and so is every k! (19 - k)!, which divides 19! */
    }
    for (k = 2 * HALF - 1; k >= 0; k--)
    {
        /* the product over b != k of k - b is (-1)^(2p-1-k) k! (2p-1-k)! */
        const double over = factorial[k] * factorial[2 * HALF - 1 - k];
        w[k] = fma(before[k][0], after[0], before[k][0] * after[1] + before[k][1] * after[0]) / (k & 1 ? over : -over);
        times(after, f, k - HALF + 1);
        sum += fabs(w[k]);
    }
    return sum * UP;
}

/* The value at a place f of the way from node i to i + 1, and its radius. */
static double row_value(double *radius, const lognormal_row *x, slong i, double f)
{
    double w[2 * HALF], sum = set_weights(w, f), value = 0;
    const double *q = x->at + place(x, i - HALF + 1);
    int k;
    for (k = 0; k < 2 * HALF; k += 4)
        value += w[k] * q[k] + w[k + 1] * q[k + 1] + w[k + 2] * q[k + 2] + w[k + 3] * q[k + 3];
    i += 1 - x->first;
    *radius = (sum * x->spread[i] + (x->share + BETWEEN * ROUNDOFF * sum) * x->window[i]) * UP;
    return value;
}

/* ---- one more ---- */

/* x = (whole + part) h, 0 <= part <= 1; returns 0 if it is too large or not known well enough. */
static int split(slong *whole, double *part, const arb_t x, double h)
{
    arb_t t;
    fmpz_t n;
    arf_t floor;
    int known;
    arb_init(t);
    fmpz_init(n);
    arf_init(floor);
    arb_set_d(t, h);
    arb_div(t, x, t, PREC);
    known = arb_is_finite(t) && arf_cmpabs_2exp_si(arb_midref(t), 40) < 0 && mag_cmp_2exp_si(arb_radref(t), -53) < 0;
    if (known)
    {
        arf_floor(floor, arb_midref(t));
        arf_get_fmpz(n, floor, ARF_RND_NEAR);
        *whole = fmpz_get_si(n);
        arf_sub(floor, arb_midref(t), floor, PREC, ARF_RND_NEAR);
        *part = arf_get_d(floor, ARF_RND_NEAR);
    }
    arb_clear(t);
    fmpz_clear(n);
    arf_clear(floor);
    return known;
}

/* x: by log(1 + e^v) */
static void set_shift(lognormal_shift *x, double v, double h)
{
    arb_t t, u;
    arb_init(t); arb_init(u);
    arb_set_d(t, v > 0 ? -v : v);
    arb_exp(t, t, PREC);
    arb_log1p(t, t, PREC);
    if (v > 0)
    {
        arb_set_d(u, v);
        arb_add(t, t, u, PREC);
    }
    if (!split(&x->whole, &x->part, t, h))
        flint_throw(FLINT_ERROR, "lognormal: a shift by log(1 + e^%g) is too large\n", v);
    arb_clear(t); arb_clear(u);
}

#define BLOCK 8 /* values that are summed at a time, in registers: steers only */

/* value[i] := the sum of w[k] q[i + k], i < count <= BLOCK */
static inline void weigh(double *restrict value, const double *restrict w, const double *restrict q, int count)
{
    double sum[BLOCK] = { 0 };
    int i, k;
    for (k = 0; k < 2 * HALF; k += 4)
        for (i = 0; i < count; i++)
            sum[i] += w[k] * q[i + k] + w[k + 1] * q[i + k + 1] + w[k + 2] * q[i + k + 2] + w[k + 3] * q[i + k + 3];
    for (i = 0; i < count; i++)
        value[i] = sum[i];
}

/* The values at nodes from..to less the shift, and their radii. */
static void shifted(double *value, double *radius, const lognormal_row *x, const lognormal_shift *shift, slong from, slong to)
{
    double w[2 * HALF], sum = set_weights(w, 1 - shift->part);
    const double *q = x->at + place(x, from - shift->whole - HALF);
    const double *spread = x->spread + (from - shift->whole - x->first), *window = x->window + (from - shift->whole - x->first);
    const double share = x->share + BETWEEN * ROUNDOFF * sum;
    const slong count = to - from + 1;
    slong i;
    for (i = 0; i < count; i++)
        radius[i] = (sum * spread[i] + share * window[i]) * UP;
    for (i = 0; i + BLOCK <= count; i += BLOCK)
        weigh(value + i, w, q + i, BLOCK);
    weigh(value + i, w, q + i, (int) (count - i));
}

/* t of Lemma 3 and what goes with it. */
typedef struct
{
    double t, c, step, share; /* the sum is off by 1/(e^{2 pi t/g - D t^2/(2 a^2)} - 1) times something, at most; infinite if that is not known */
} trapezoid;

static void set_trapezoid(trapezoid *z, const lognormal_sum *s, double number, double exponent)
{
    const double a = s->near_a;
    double grows;
    int e;
    z->t = fmin(LARGEST_T, a * sqrt(exponent / number));
    z->c = -d_log(d_cos(z->t / 2)) * UP;
    grows = number * z->t * z->t / (2 * a * a) * UP;
    z->step = 2 * DOUBLE_PI * z->t / (grows + exponent);
    /* few bits, so that jg is exact */
    z->step = frexp(z->step, &e);
    z->step = ldexp(floor(ldexp(z->step, STEP_BITS)), e - STEP_BITS);
    exponent = 2 * DOUBLE_PI * z->t / z->step * (1 - 1e-12) - grows;
    z->share = exponent > 0 ? UP / d_expm1(exponent) : HUGE_VAL;
}

/* Where the larger of two and the sum are: log(e^x + e^y) in steps. */
static double log_sum(double x, double y, double h)
{
    return fmax(x, y) + d_log1p(d_exp(-h * fabs(x - y))) / h;
}

/* The sum over the nodes v of Lemma 3: adds up what counts in full. */
static void add_products(lognormal_row *z, const lognormal_row *x, const lognormal_row *y, const lognormal_sum *s, double step, slong nodes)
{
    const slong count = z->last - z->first + 1;
    const int alike = x == y;
    double *left = flint_malloc((size_t) count * 5 * sizeof(double)), *right = left + count, *left_off = right + count,
           *right_off = left_off + count, *owed = right_off + count, work = 0;
    slong j, i, from, to;
    memset(owed, 0, (size_t) count * sizeof(double));
    for (j = -nodes; j <= (alike ? 0 : nodes); j++)
    {
        const double v = step * (double) j, times = alike && j < 0 ? 2 * step : step;
        lognormal_shift a, b;
        double *at, *off, *less;
        /* too far out for both, whatever the roundings */
        if (d_log1p(d_exp(-v)) > s->h * (double) (z->last - x->first + 3) || d_log1p(d_exp(v)) > s->h * (double) (z->last - y->first + 3))
            continue;
        set_shift(&a, -v, s->h);
        set_shift(&b, v, s->h);
        from = FLINT_MAX(z->first, FLINT_MAX(x->first + a.whole, y->first + b.whole));
        to = FLINT_MIN(z->last, FLINT_MIN(x->last + 1 + a.whole, y->last + 1 + b.whole));
        if (from > to)
            continue;
        shifted(left, left_off, x, &a, from, to);
        shifted(right, right_off, y, &b, from, to);
        at = z->at + place(z, from);
        off = z->off + place(z, from);
        less = owed + (from - z->first);
        for (i = 0; i <= to - from; i++)
        {
            /* Kahan's sum */
            const double term = times * (left[i] * right[i]) - less[i], sum = at[i] + term;
            less[i] = (sum - at[i]) - term;
            at[i] = sum;
            off[i] += times * (fabs(left[i]) * right_off[i] + left_off[i] * (fabs(right[i]) + right_off[i]));
        }
        work += (double) (to - from + 1);
    }
    shuf_charge(work * WORK_A_PRODUCT);
    flint_free(left);
}

/* The floor of Lemma 3's sum, over w, where y <= log m + a^2/2 + FAR_REACH a. */
static double floor_of(const lognormal_row *x, const lognormal_row *y, const lognormal_sum *s, double step, slong nodes)
{
    const double tail = step * first_density(s, FAR_REACH) + normal_beyond(FAR_REACH);
    return (step * (double) (2 * nodes + 1) * (x->outside * y->most + y->outside * x->most) + 2 * tail * (x->most + y->most)) * UP;
}

/* off += the floor, roundings and Lemma 3's error; returns `outside`. */
static double add_errors(lognormal_row *z, const lognormal_sum *s, const trapezoid *q, double floor)
{
    const double m = z->number, a = s->near_a, e = 2 * q->share * UP, B = d_exp(m * (q->c * q->c + s->h * s->h / 4) / (2 * a * a)) * UP;
    const slong count = z->last - z->first + 1, ahead = (slong) ceil(q->c / s->h) + 1;
    double *most = flint_malloc((size_t) count * 2 * sizeof(double)), *next = most + count, outside, edge = 0;
    const double left = 1 - 2 * e * B, over = left > 0 ? UP / left : HUGE_VAL;
    slong i, j;
    int pass;
    for (i = 0; i < count; i++)
    {
        const double w = weight(z, s, z->first + i) * UP;
        double *off = z->off + place(z, z->first + i);
        *off = (*off + SUM * ROUNDOFF * (fabs(z->at[place(z, z->first + i)]) + 2 * *off) + floor * w) * UP;
        most[i] = z->most * w;
    }
    outside = fmax(floor * over, m * m * first_density(s, FAR_REACH)) * UP;
    for (pass = 0; pass < PASSES; pass++)
    {
        for (i = 0; i < count; i++)
        {
            double ahead_most = outside * weight(z, s, z->first + i) * UP;
            for (j = i; j <= FLINT_MIN(i + ahead, count - 1); j++)
                ahead_most = larger(most[j], ahead_most);
            next[i] = e * (most[i] + B * ahead_most) * UP;
        }
        for (i = 0; i < count; i++)
            most[i] = (node_most(z, z->first + i) + next[i]) * UP;
    }
    for (i = 0; i < count; i++)
        z->off[place(z, z->first + i)] = (z->off[place(z, z->first + i)] + next[i]) * UP;
    for (i = 0; i <= FLINT_MIN(ahead, count - 1); i++)
        edge = fmax(edge, node_most(z, z->first + i) / weight(z, s, z->first + i));
    flint_free(most);
    return fmax(outside, (floor + e * B * edge) * over * UP);
}

/* z := the row of x->number + y->number terms */
static void convolve(lognormal_row *z, const lognormal_row *x, const lognormal_row *y, const lognormal_sum *s)
{
    const double a = s->near_a, h = s->h, m = x->number + y->number;
    double top, least;
    trapezoid q;
    slong nodes, margin;
    set_trapezoid(&q, s, fmax(x->number, y->number), INNER_EXPONENT);
    margin = PASSES * ((slong) ceil(q.c / h) + 1);
    row_init(z, m, (slong) floor(log_sum((double) x->first, (double) y->first, h)) - 2 - margin,
             (slong) ceil(log_sum((double) x->last, (double) y->last, h)) + 2);
    z->most = 2 * (x->most + y->most) * UP;
    top = fmax(h * (double) z->last, d_log(m) + a * a / 2 + FAR_REACH * a);
    nodes = (slong) ceil((top + a * a / 2 + FAR_REACH * a) / q.step) + 1;
    add_products(z, x, y, s, q.step, nodes);
    least = floor_of(x, y, s, q.step, nodes);
    row_cut(z, s, add_errors(z, s, &q, least));
    row_look(z, s);
}

/* ---- calls and puts ---- */

/* Nodes of Lemma 5, for thresholds up to e^700; the places are of whole and part. */
static void set_nodes(lognormal_sum *x)
{
    const double n = (double) x->n, a = x->near_a, far = d_log(n) + a * a / 2 + FAR_REACH * a;
    const double right = far + a * a / 2 + FAR_REACH * a + 1;
    trapezoid q;
    slong i, left;
    set_trapezoid(&q, x, n, LAST_EXPONENT);
    left = (slong) ceil(LEAST_V / q.step);
    x->step = q.step;
    x->nodes = left + 1 + (slong) ceil(right / q.step);
    x->node = flint_malloc((size_t) x->nodes * sizeof(*x->node));
    x->error = 4 * d_exp(2 * q.c + n * q.c * q.c / (2 * a * a)) * q.share * UP;
    x->beyond = (double) x->nodes * q.step * n * x->row.outside + n * n * n * (q.step * first_density(x, FAR_REACH) + d_exp(2 * q.step) * normal_beyond(FAR_REACH));
    x->beyond = (x->beyond + n * x->row.most * d_exp(-2 * LEAST_V) * (q.step + 1)) * UP;
    for (i = 0; i < x->nodes; i++)
    {
        const double v = q.step * (double) (i - left), share = 1 / (1 + d_exp(-v));
        set_shift(&x->node[i].shift, v, x->h);
        x->node[i].call = d_exp(v) * share;
        x->node[i].put = share * share;
    }
}

/* The sum of Lemma 5 over K, and its radius but for what x->error and x->beyond say. */
static double excess_sum(double *radius, const lognormal_sum *x, slong whole, double part, int is_put)
{
    double sum = 0, size = 0;
    slong i;
    *radius = 0;
    for (i = 0; i < x->nodes; i++)
    {
        const lognormal_node *v = &x->node[i];
        slong at = is_put ? whole - v->shift.whole : whole + v->shift.whole;
        double f = is_put ? part - v->shift.part : part + v->shift.part, weight = x->step * (is_put ? v->put : v->call), value, off;
        if (f < 0)
        {
            at--;
            f += 1;
        }
        else if (f > 1)
        {
            at++;
            f -= 1;
        }
        if (at < x->row.first - 1 || at > x->row.last)
            continue;
        value = weight * row_value(&off, &x->row, at, f);
        sum += value;
        size += fabs(value);
        *radius += weight * off;
    }
    *radius = (*radius + (double) (2 * x->nodes + WEIGHT) * ROUNDOFF * (size + *radius)) * UP;
    shuf_charge((double) x->nodes * NODE_WORK);
    return sum;
}

void lognormal_sum_excess(arb_t v, const lognormal_sum *x, const arb_t K, int is_put)
{
    const double far = d_log((double) x->n) + x->near_a * x->near_a / 2 + FAR_REACH * x->near_a;
    arb_t most, t;
    double radius, sum, y, part = 0;
    slong whole = 0;
    arb_init(most);
    arb_init(t);
    /* it is at most that */
    if (is_put)
        arb_set(most, K);
    else
        arb_set_ui(most, x->n);
    arb_log(t, K, PREC);
    y = split(&whole, &part, t, x->h) ? x->h * (double) whole : HUGE_VAL;
    if (is_put ? y > far - x->h : y < d_log((double) x->n) - x->h || y == HUGE_VAL)
    {
        arb_zero(v);
        arb_union(v, v, most, PREC);
    }
    else
    {
        sum = excess_sum(&radius, x, whole, part, is_put);
        arb_set_d(v, sum);
        arb_set_d(t, radius + (is_put ? x->beyond : 0));
        arb_add_error(v, t);
        arb_mul(v, v, K, PREC);
        arb_set_d(t, x->error);
        arb_mul(t, t, most, PREC);
        arb_add_error(v, t);
        arb_set_d(t, is_put ? 0 : x->beyond);
        arb_add_error(v, t);
    }
    arb_clear(most);
    arb_clear(t);
}

/* ---- the law ---- */

/* x->row := that of n terms, by doubling; returns 0, or -1 if that takes too much. */
static int set_row(lognormal_sum *x, double limit)
{
    lognormal_row one, next;
    int bit = 63, known = 1;
    row_one(&one, x);
    row_one(&x->row, x);
    while (!(x->n >> bit & 1))
        bit--;
    for (bit--; bit >= 0 && known; bit--)
    {
        convolve(&next, &x->row, &x->row, x);
        row_clear(&x->row);
        x->row = next;
        if (x->n >> bit & 1)
        {
            convolve(&next, &x->row, &one, x);
            row_clear(&x->row);
            x->row = next;
        }
        known = !shuf_exhausted(limit);
    }
    row_clear(&one);
    if (known)
        return 0;
    row_clear(&x->row);
    return -1;
}

int lognormal_sum_exists(const shuf_real_t sigma, uint64_t n, slong digits)
{
    const double a = 1 / steer_real(sigma, PREC);
    return n >= 2 && n <= MOST_TERMS && digits <= MOST_DIGITS && a <= LARGEST_A && a >= SMALLEST_A;
}

int lognormal_sum_init(lognormal_sum *x, const shuf_real_t sigma, uint64_t n, const shuf_options *options)
{
    const double limit = shuf_work() + (options->max_work > 0 ? fmin(options->max_work, MOST_WORK) : MOST_WORK);
    int e, known;
    arb_init(x->a);
    shuf_real_get_arb(x->a, sigma, PREC);
    arb_inv(x->a, x->a, PREC);
    x->near_a = arf_get_d(arb_midref(x->a), ARF_RND_NEAR);
    x->n = n;
    known = lognormal_sum_exists(sigma, n, options->digits);
    if (known)
    {
        x->h = frexp((n <= FEW || options->digits > FEW_DIGITS ? FINE : COARSE) * x->near_a / sqrt((double) n), &e);
        x->h = ldexp(floor(ldexp(x->h, STEP_BITS)), e - STEP_BITS);
        known = set_row(x, limit) == 0;
    }
    if (!known)
    {
        arb_clear(x->a);
        return -1;
    }
    set_nodes(x);
    return 0;
}

void lognormal_sum_clear(lognormal_sum *x)
{
    arb_clear(x->a);
    row_clear(&x->row);
    flint_free(x->node);
}
