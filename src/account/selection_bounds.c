/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/selection.md. */
#include "account/selection_bounds.h"

#include <math.h>

#include "enclosure/arf_vec.h"
#include "enclosure/steer.h"

#define PREC 96 /* steers only */

/* ---- the number of runs ---- */

/* t := (1 - e^(-r t))/r, r the shape; of shape 0 it stays */
static void bend(arb_t t, const fmpq_t shape, slong prec)
{
    arb_t r;
    if (fmpq_is_zero(shape))
        return;
    arb_init(r);
    arb_set_fmpq(r, shape, prec);
    arb_neg(r, r);
    arb_mul(t, t, r, prec);
    arb_expm1(t, t, prec);
    arb_div(t, t, r, prec);
    arb_clear(r);
}

/* t := E K of runs that are not Poisson, of that gamma and shape: 1/gamma - 1 over what log(1/gamma) is bent to */
static void set_mean(arb_t t, const arb_t gamma, const fmpq_t shape)
{
    const slong prec = 2 * PREC;
    arb_t u;
    arb_init(u);
    arb_inv(t, gamma, prec);
    arb_log(u, t, prec);
    bend(u, shape, prec);
    arb_sub_ui(t, t, 1, prec);
    arb_div(t, t, u, prec);
    arb_clear(u);
}

/* gamma := that of the mean > 1, which falls with it */
static void set_gamma(arb_t gamma, const arb_t mean, const fmpq_t shape)
{
    arf_t low, high, middle;
    arb_t g, t;
    int i, sign = 1;
    arf_init(low); arf_init(high); arf_init(middle);
    arb_init(g); arb_init(t);
    arf_one(high);
    arf_mul_2exp_si(low, high, -80); /* of shape -1/2 the mean there is 2^39, and larger of others */
    for (i = 0; i < 2 * PREC && sign != 0; i++)
    {
        arf_add(middle, low, high, 2 * PREC, ARF_RND_DOWN);
        arf_mul_2exp_si(middle, middle, -1);
        arb_set_arf(g, middle);
        set_mean(t, g, shape);
        sign = arb_gt(t, mean) ? 1 : arb_lt(t, mean) ? -1 : 0;
        if (sign != 0)
            arf_swap(sign > 0 ? low : high, middle);
    }
    arb_set_interval_arf(gamma, low, high, PREC);
    arf_clear(low); arf_clear(high); arf_clear(middle);
    arb_clear(g); arb_clear(t);
}

void selection_runs_init(selection_runs *x, shuf_selection kind, const fmpq_t mean, const fmpq_t shape)
{
    arb_init(x->mean); arb_init(x->gamma); arb_init(x->scale); arb_init(x->power);
    fmpq_init(x->shape);
    x->is_poisson = kind == SHUF_SELECTION_POISSON;
    arb_set_fmpq(x->mean, mean, 2 * PREC);
    if (x->is_poisson)
        return;
    /* one run is one run */
    if (kind == SHUF_SELECTION_NEGATIVE_BINOMIAL && !fmpq_is_one(mean))
        fmpq_set(x->shape, shape);
    else if (kind != SHUF_SELECTION_LOGARITHMIC || fmpq_is_one(mean))
        fmpq_one(x->shape);
    if (fmpq_is_one(x->shape))
        arb_inv(x->gamma, x->mean, PREC);
    else
        set_gamma(x->gamma, x->mean, x->shape);
    arb_set_fmpq(x->power, x->shape, PREC);
    arb_add_ui(x->power, x->power, 1, PREC);
    arb_pow(x->scale, x->gamma, x->power, PREC);
    arb_mul(x->scale, x->scale, x->mean, PREC);
}

void selection_runs_clear(selection_runs *x)
{
    arb_clear(x->mean);
    arb_clear(x->gamma);
    arb_clear(x->scale);
    arb_clear(x->power);
    fmpq_clear(x->shape);
}

/* s := e^(-m a) of Poisson runs; of others gamma + rest a, rest := 1 - gamma */
static void set_base(arb_t s, arb_t rest, const selection_runs *x, const arb_t a)
{
    if (x->is_poisson)
    {
        arb_mul(s, x->mean, a, PREC);
        shuf_ball_exp_minus(s, s, PREC);
        return;
    }
    shuf_ball_complement(rest, x->gamma, PREC);
    arb_set(s, x->gamma);
    arb_addmul(s, rest, a, PREC);
}

/* v := f'(1 - a); fall := -its derivative by a, unless NULL */
static void set_density(arb_t v, arb_t fall, const selection_runs *x, const arb_t a)
{
    arb_t s, rest;
    arb_init(s);
    arb_init(rest);
    set_base(s, rest, x, a);
    if (x->is_poisson)
    {
        arb_mul(v, s, x->mean, PREC);
        if (fall != NULL)
            arb_mul(fall, v, x->mean, PREC);
    }
    else
    {
        arb_pow(v, s, x->power, PREC);
        arb_div(v, x->scale, v, PREC);
        if (fall != NULL)
        {
            arb_div(fall, v, s, PREC);
            arb_mul(fall, fall, rest, PREC);
            arb_mul(fall, fall, x->power, PREC);
        }
    }
    arb_clear(s);
    arb_clear(rest);
}

/* v := f(1 - a) - f(1 - a - width), width >= 0 */
static void selection_share(arb_t v, const selection_runs *x, const arb_t a, const arb_t width)
{
    arb_t s, rest, t;
    arb_init(s); arb_init(rest); arb_init(t);
    set_base(s, rest, x, a);
    if (x->is_poisson)
    {
        /* e^(-m a) (1 - e^(-m width)) */
        arb_mul(t, x->mean, width, PREC);
        arb_neg(t, t);
        arb_expm1(t, t, PREC);
        arb_neg(t, t);
        arb_mul(v, s, t, PREC);
    }
    else
    {
        /* the integral of the scale over s^power is scale/rest times s^-shape (1 - (1 + u)^-shape)/shape, u = rest width/s */
        arb_mul(t, rest, width, PREC);
        arb_div(t, t, s, PREC);
        arb_log1p(t, t, PREC);
        bend(t, x->shape, PREC);
        arb_pow(v, s, x->power, PREC);
        arb_div(v, s, v, PREC);
        arb_mul(t, t, v, PREC);
        arb_mul(t, t, x->scale, PREC);
        arb_div(v, t, rest, PREC);
        if (arb_is_zero(rest))
            arb_set(v, width);
    }
    arb_clear(s); arb_clear(rest); arb_clear(t);
}

/* ---- profiles ---- */

/* v := a probability, cut to [0, 1]; 0 or 1 if it is unknown. */
static void cut(arf_t v, int if_unknown)
{
    if (arf_is_nan(v))
        arf_set_si(v, if_unknown);
    shuf_ends_cut(v, v);
}

void selection_profile_init(selection_profile *p, slong count)
{
    int i;
    p->count = count;
    p->eps = arf_vec_init(count);
    for (i = 0; i < 2; i++)
    {
        p->lo[i] = arf_vec_init(count);
        p->hi[i] = arf_vec_init(count);
    }
}

void selection_profile_clear(selection_profile *p)
{
    int i;
    arf_vec_clear(p->eps, p->count);
    for (i = 0; i < 2; i++)
    {
        arf_vec_clear(p->lo[i], p->count);
        arf_vec_clear(p->hi[i], p->count);
    }
}

/* x := e^eps[j], or e^-eps[j] */
static void set_ratio(arb_t x, const selection_profile *p, slong j, int inverse)
{
    arb_set_arf(x, p->eps + j);
    if (inverse)
        arb_neg(x, x);
    arb_exp(x, x, PREC);
}

/* ---- from above ---- */

/* Cells of a, at most; what the logarithms of both densities together fall by in one of them. Steer only. */
#define MOST_CELLS 1000
#define FALL_OF_CELL 0.03

/* A line above phi, close to it at a: at[0] there, of slope at[1]. ratio: e^eps[j], and from ratio[count] on e^-eps[j]. */
static void set_line(arb_t at[2], const selection_profile *p, int order, arb_srcptr ratio, const arb_t a)
{
    arf_srcptr d = p->hi[order], r = p->hi[!order];
    arb_t t;
    slong j;
    int i;
    arb_init(t);
    arb_one(at[0]);
    arb_zero(at[1]);
    for (j = 0; j < p->count; j++)
        for (i = 0; i < 2; i++)
        {
            arb_srcptr e = ratio + j + i * p->count;
            if (i == 0)
            {
                /* e^eps a + r */
                arb_set_arf(t, r + j);
                arb_addmul(t, e, a, PREC);
            }
            else
            {
                /* 1 - e^-eps (1 - a - d) */
                arb_add_arf(t, a, d + j, PREC);
                arb_sub_ui(t, t, 1, PREC);
                arb_mul(t, t, e, PREC);
                arb_add_ui(t, t, 1, PREC);
            }
            if (arf_cmp(arb_midref(t), arb_midref(at[0])) < 0)
            {
                arb_set(at[0], t);
                arb_set(at[1], e);
            }
        }
    arb_clear(t);
}

/* ratio := the larger of it and first/second */
static void take_ratio(arf_t ratio, const arb_t first, const arb_t second)
{
    arb_t t;
    arf_t end;
    arb_init(t);
    arf_init(end);
    arb_div(t, first, second, PREC);
    arb_get_ubound_arf(end, t, PREC);
    if (arf_is_nan(end))
        arf_pos_inf(end);
    arf_max(ratio, ratio, end);
    arb_clear(t);
    arf_clear(end);
}

/* About the part of itself by which f'(1 - a) falls, for each unit of a. */
static double relative_fall(const arb_t fall, const arb_t density)
{
    return steer_midpoint(fall) / fmax(steer_midpoint(density), 1e-300);
}

void selection_above_init(selection_above *x, const selection_runs *runs, const selection_profile *p, int order)
{
    arb_ptr ratio = _arb_vec_init(2 * p->count);
    arb_t a, next, line[2], first, v, fall;
    double share, speed;
    slong j;
    x->p = p;
    x->order = order;
    x->first = arf_vec_init(MOST_CELLS + 1);
    x->second = arf_vec_init(MOST_CELLS);
    x->end = arf_vec_init(MOST_CELLS);
    arf_init(x->ratio);
    arb_init(a); arb_init(next); arb_init(line[0]); arb_init(line[1]); arb_init(first); arb_init(v); arb_init(fall);
    for (j = 0; j < 2 * p->count; j++)
        set_ratio(ratio + j, p, j % p->count, j >= p->count);
    /* over all cells either falls by no more than from a = 0 to 1 */
    set_density(v, NULL, runs, a);
    arb_one(next);
    set_density(fall, NULL, runs, next);
    arb_div(v, v, fall, PREC);
    arb_log(v, v, PREC);
    share = fmax(FALL_OF_CELL, 3 * steer_midpoint(v) / MOST_CELLS);
    for (j = 0; arf_cmp_si(arb_midref(a), 1) < 0; j++)
    {
        set_density(first, fall, runs, a);
        arb_get_ubound_arf(x->first + j, first, PREC);
        speed = relative_fall(fall, first);
        set_line(line, p, order, ratio, a);
        set_density(v, fall, runs, line[0]);
        arb_get_lbound_arf(x->second + j, v, PREC);
        take_ratio(x->ratio, first, v);
        speed += relative_fall(fall, v) * steer_midpoint(line[1]);
        arb_set_d(next, fmin(share / speed, 1));
        arb_add(next, next, a, PREC);
        mag_zero(arb_radref(next));
        if (j == MOST_CELLS - 1 || !(steer_midpoint(next) < 1))
            arb_one(next);
        /* a tangent of f'(1 - line), which is convex */
        arb_sub(a, next, a, PREC);
        arb_mul(a, a, line[1], PREC);
        arb_submul(v, a, fall, PREC);
        arb_get_lbound_arf(x->end + j, v, PREC);
        /* the ratio on the same line, which is monotone there */
        arb_add(line[0], line[0], a, PREC);
        set_density(v, NULL, runs, line[0]);
        set_density(first, NULL, runs, next);
        take_ratio(x->ratio, first, v);
        arb_swap(a, next);
    }
    x->cells = j;
    set_density(v, NULL, runs, a);
    arb_get_ubound_arf(x->first + j, v, PREC);
    _arb_vec_clear(ratio, 2 * p->count);
    arb_clear(a); arb_clear(next); arb_clear(line[0]); arb_clear(line[1]); arb_clear(first); arb_clear(v); arb_clear(fall);
}

void selection_above_clear(selection_above *x)
{
    arf_clear(x->ratio);
    arf_vec_clear(x->first, MOST_CELLS + 1);
    arf_vec_clear(x->second, MOST_CELLS);
    arf_vec_clear(x->end, MOST_CELLS);
}

/* most := the larger of it and first - w second, w in [low, high]. */
static void take_larger(arf_t most, const arf_t first, const arf_t second, const arf_t low, const arf_t high)
{
    arf_t t;
    arf_init(t);
    arf_mul(t, arf_sgn(second) < 0 ? high : low, second, PREC, ARF_RND_FLOOR);
    arf_sub(t, first, t, PREC, ARF_RND_CEIL);
    if (arf_cmp(t, most) > 0)
        arf_set(most, t);
    arf_clear(t);
}

/* most := at least h(w), and at least 0 */
static void set_height(arf_t most, const selection_above *x, const arb_t w)
{
    arf_t low, high;
    slong j;
    arf_init(low);
    arf_init(high);
    arb_get_lbound_arf(low, w, PREC);
    arb_get_ubound_arf(high, w, PREC);
    arf_zero(most);
    for (j = 0; j < x->cells; j++)
    {
        take_larger(most, x->first + j, x->second + j, low, high);
        take_larger(most, x->first + j + 1, x->end + j, low, high);
    }
    /* and at most f'(1) (1 - w/W) */
    if (arf_is_finite(x->ratio))
    {
        arf_t t, rest;
        arf_init(t);
        arf_init(rest);
        arf_div(t, low, x->ratio, PREC, ARF_RND_DOWN);
        arf_sub_si(rest, t, 1, PREC, ARF_RND_FLOOR);
        arf_neg(rest, rest);
        arf_mul(rest, rest, x->first, PREC, ARF_RND_CEIL);
        if (arf_sgn(rest) < 0)
            arf_zero(rest);
        arf_min(most, most, rest);
        arf_clear(t);
        arf_clear(rest);
    }
    arf_clear(low);
    arf_clear(high);
}

/* v := at least E_P (x - q/p)_+, of the ratio x that has this place: e^-eps[count-1] .. 1 .. e^eps[count-1]; x too */
static void set_part(arb_t v, arb_t x, const selection_above *s, slong place)
{
    const slong last = s->p->count - 1, j = place < last ? last - place : place - last;
    set_ratio(x, s->p, j, place < last);
    if (place < last)
    {
        arb_set_arf(v, s->p->hi[s->order] + j);
        arb_mul(v, v, x, PREC);
    }
    else
    {
        arb_add_arf(v, x, s->p->hi[!s->order] + j, PREC);
        arb_sub_ui(v, v, 1, PREC);
    }
}

/*
 * Places whose heights make a convex polygon, from the first to the last of them, in doubles; the first corner, of ratio 0, is before them. Any places are
 * right: steers only.
 */
static slong choose_corners(slong *corner, const arf_struct *height, const double *ratio, slong count, double top)
{
    slong k, chosen = 0;
    for (k = 0; k < count; k++)
    {
        const double z = arf_get_d(height + k, ARF_RND_NEAR);
        while (chosen > 0)
        {
            const slong last = corner[chosen - 1];
            const double x = chosen > 1 ? ratio[corner[chosen - 2]] : 0, y = chosen > 1 ? arf_get_d(height + corner[chosen - 2], ARF_RND_NEAR) : top;
            if ((arf_get_d(height + last, ARF_RND_NEAR) - y) * (ratio[k] - x) <= (z - y) * (ratio[last] - x))
                break;
            chosen--;
        }
        corner[chosen++] = k;
    }
    return chosen;
}

void selection_above_value(arf_t v, const selection_above *x, const arb_t eps)
{
    const slong places = 2 * x->p->count - 1;
    arf_ptr height = arf_vec_init(places);
    arb_ptr part = _arb_vec_init(places), ratio = _arb_vec_init(places), fall = _arb_vec_init(places + 1);
    double *estimate = flint_malloc((size_t) places * sizeof(*estimate));
    slong *corner = flint_malloc((size_t) places * sizeof(*corner)), k, count = 0, corners;
    arb_t sum, t, w;
    arb_init(sum); arb_init(t); arb_init(w);
    arb_exp(w, eps, PREC);
    do
    {
        set_part(part + count, ratio + count, x, count);
        estimate[count] = steer_midpoint(ratio + count);
        arb_mul(t, w, ratio + count, PREC);
        set_height(height + count, x, t);
        count++;
    } while (count < places && !arf_is_zero(height + count - 1));
    corners = choose_corners(corner, height, estimate, count, arf_get_d(x->first, ARF_RND_NEAR));
    /* how the polygon falls before each corner, and not after the last one */
    for (k = 0; k < corners; k++)
    {
        arb_set_arf(fall + k, k == 0 ? x->first : height + corner[k - 1]);
        arb_sub_arf(fall + k, fall + k, height + corner[k], PREC);
        arb_set(t, ratio + corner[k]);
        if (k > 0)
            arb_sub(t, t, ratio + corner[k - 1], PREC);
        arb_div(fall + k, fall + k, t, PREC);
    }
    arb_set_arf(sum, height + corner[corners - 1]);
    for (k = 0; k < corners; k++)
    {
        /* not below 0: corners were chosen in doubles */
        arb_sub(t, fall + k, fall + k + 1, PREC);
        arb_get_ubound_arf(v, t, PREC);
        arb_set_arf(t, v);
        if (arf_sgn(v) > 0)
            arb_addmul(sum, t, part + corner[k], PREC);
    }
    arb_get_ubound_arf(v, sum, PREC);
    cut(v, 1);
    arb_clear(sum); arb_clear(t); arb_clear(w);
    arf_vec_clear(height, places);
    _arb_vec_clear(part, places);
    _arb_vec_clear(ratio, places);
    _arb_vec_clear(fall, places + 1);
    flint_free(estimate);
    flint_free(corner);
}

double selection_balance(const selection_runs *runs, const selection_profile *p)
{
    const double g = steer_midpoint(runs->gamma), odds = g < 1 ? g / (1 - g) : HUGE_VAL;
    double low = 0, high = 0;
    slong j = 0;
    int i;
    if (runs->is_poisson || !isfinite(odds))
        return 0;
    while (j < p->count && arf_get_d(p->hi[0] + j, ARF_RND_NEAR) > odds * d_expm1(arf_get_d(p->eps + j, ARF_RND_NEAR)))
        j++;
    if (j == 0 || j == p->count)
        return 0;
    low = arf_get_d(p->eps + j - 1, ARF_RND_NEAR);
    high = arf_get_d(p->eps + j, ARF_RND_NEAR);
    {
        /* between them log d is about a line */
        const double from = low, width = high - low, d0 = steer_log(p->hi[0] + j - 1), d1 = fmax(steer_log(p->hi[0] + j), d0 - 700);
        for (i = 0; i < 50; i++)
        {
            const double middle = low + (high - low) / 2;
            if (d_exp(d0 + (d1 - d0) * (middle - from) / width) > odds * d_expm1(middle))
                low = middle;
            else
                high = middle;
        }
    }
    return high;
}

/* ---- from below ---- */

/* v := Q of the outcomes whose log(p/q) is above eps[j], of the profile d of P from Q. */
static void set_beyond(arb_t v, const selection_profile *p, int i, slong j)
{
    arb_t at, other, most, least;
    arf_t end;
    arb_init(at); arb_init(other); arb_init(most); arb_init(least);
    arf_init(end);
    arb_one(most);
    set_ratio(at, p, j, 0);
    if (j > 0)
    {
        arb_set_arf(most, p->hi[i] + j - 1);
        arb_sub_arf(most, most, p->lo[i] + j, PREC);
        set_ratio(other, p, j - 1, 0);
        arb_sub(other, at, other, PREC);
        arb_div(most, most, other, PREC);
    }
    if (j + 1 < p->count)
    {
        arb_set_arf(least, p->lo[i] + j);
        arb_sub_arf(least, least, p->hi[i] + j + 1, PREC);
        set_ratio(other, p, j + 1, 0);
        arb_sub(other, other, at, PREC);
        arb_div(least, least, other, PREC);
    }
    arb_get_lbound_arf(end, least, PREC);
    cut(end, 0);
    arb_set_arf(least, end);
    arb_get_ubound_arf(end, most, PREC);
    cut(end, 1);
    arb_set_arf(most, end);
    arb_union(v, least, most, PREC);
    arb_clear(at); arb_clear(other); arb_clear(most); arb_clear(least);
    arf_clear(end);
}

/* v := P of them: d + e^eps Q */
static void set_mass(arb_t v, const selection_profile *p, int i, slong j, const arb_t beyond)
{
    arb_t e;
    arb_init(e);
    set_ratio(e, p, j, 0);
    arb_set_interval_arf(v, p->lo[i] + j, p->hi[i] + j, PREC);
    arb_addmul(v, e, beyond, PREC);
    arb_clear(e);
}

/* Those with log(q/p) at least eps[j]: before := P of them, at most, inside := Q of them, at least. */
static void set_block(arb_t before, arb_t inside, const selection_profile *p, int i, slong j)
{
    arf_t end;
    arb_t t;
    arf_init(end);
    arb_init(t);
    set_beyond(t, p, i, j);
    arb_get_ubound_arf(end, t, PREC);
    arb_set_arf(before, end);
    arb_get_lbound_arf(end, t, PREC);
    arb_set_arf(t, end);
    set_mass(inside, p, i, j, t);
    arb_get_lbound_arf(end, inside, PREC);
    arb_set_arf(inside, end);
    arf_clear(end);
    arb_clear(t);
}

void selection_below_init(selection_below *x, const selection_runs *runs, const selection_profile *p, int order)
{
    arb_t before, inside, u, v;
    slong j;
    x->p = p;
    x->runs = runs;
    x->order = order;
    x->levels = 1;
    x->place = flint_calloc((size_t) p->count, sizeof(*x->place));
    x->gain = flint_calloc((size_t) p->count, sizeof(*x->gain));
    x->before = _arb_vec_init(p->count);
    x->inside = _arb_vec_init(p->count);
    x->beyond = _arb_vec_init(p->count);
    x->mass = _arb_vec_init(p->count);
    arb_init(before); arb_init(inside); arb_init(u); arb_init(v);
    for (j = p->count - 2; j > 0; j--)
    {
        double gain;
        set_block(before, inside, p, !order, j);
        set_density(u, NULL, runs, before);
        set_density(v, NULL, runs, inside);
        arb_div(u, u, v, PREC);
        gain = d_log(fmax(steer_midpoint(u), 1));
        if (gain <= x->gain[x->levels - 1])
            continue;
        x->place[x->levels] = j;
        x->gain[x->levels] = gain;
        arb_set(x->before + x->levels, before);
        arb_set(x->inside + x->levels++, inside);
    }
    for (j = 0; j < p->count; j++)
    {
        set_beyond(x->beyond + j, p, order, j);
        set_mass(x->mass + j, p, order, j, x->beyond + j);
    }
    arb_clear(before); arb_clear(inside); arb_clear(u); arb_clear(v);
}

void selection_below_clear(selection_below *x)
{
    flint_free(x->place);
    flint_free(x->gain);
    _arb_vec_clear(x->before, x->p->count);
    _arb_vec_clear(x->inside, x->p->count);
    _arb_vec_clear(x->beyond, x->p->count);
    _arb_vec_clear(x->mass, x->p->count);
}

/* About f'(1 - a) times the width, in the middle of it. */
static double about_share(const selection_below *x, arb_srcptr block, arb_srcptr mass, double width)
{
    arb_t a;
    double share;
    arb_init(a);
    arb_set_d(a, fmax(steer_midpoint(block) + steer_midpoint(mass) - width / 2, 0));
    set_density(a, NULL, x->runs, a);
    share = steer_midpoint(a) * width;
    arb_clear(a);
    return share;
}

/*
 * level[j] := for the outcomes whose log(p/q) is between eps[j] and eps[j+1] the level, not below those of larger ones, at which they count most; -1 where
 * they and all smaller ones count nothing. Any levels that do not fall from larger to smaller outcomes are right: steers only.
 */
static void choose_levels(slong *level, const selection_below *x, const arb_t eps)
{
    const double w = steer_midpoint(eps) < 700 ? d_exp(steer_midpoint(eps)) : HUGE_VAL;
    slong j, i, least = 0, last = x->p->count;
    for (j = x->p->count - 1; j >= 0; j--)
    {
        const int is_last = j + 1 == x->p->count;
        const double p = fmax(0, steer_midpoint(x->mass + j) - (is_last ? 0 : steer_midpoint(x->mass + j + 1)));
        const double q = fmax(0, steer_midpoint(x->beyond + j) - (is_last ? 0 : steer_midpoint(x->beyond + j + 1)));
        double most = 0;
        for (i = least; i < x->levels; i++)
        {
            const double here = about_share(x, x->before + i, x->mass + j, p) - w * about_share(x, x->inside + i, x->beyond + j, q);
            if (here > most)
            {
                most = here;
                least = i;
            }
        }
        level[j] = least;
        if (most > 0)
            last = j;
    }
    for (j = 0; j < last; j++)
        level[j] = -1;
}

/* v := e^eps[j] (f'(1 - before - P) - that of the next level) - w (f'(1 - inside - Q) - ..): how the value changes with Q of the outcomes beyond eps[j], all of which is a ball. */
static void set_change(arb_t v, const selection_below *x, slong j, slong level, slong next, const arb_t w)
{
    arb_t a, t, sum[2];
    int i;
    arb_init(a); arb_init(t); arb_init(sum[0]); arb_init(sum[1]);
    for (i = 0; i < 2; i++)
    {
        arb_srcptr block = i == 0 ? x->before : x->inside, mass = i == 0 ? x->mass : x->beyond;
        arb_add(a, block + level, mass + j, PREC);
        set_density(sum[i], NULL, x->runs, a);
        if (next < 0)
            continue;
        arb_add(a, block + next, mass + j, PREC);
        set_density(t, NULL, x->runs, a);
        arb_sub(sum[i], sum[i], t, PREC);
    }
    set_ratio(a, x->p, j, 0);
    arb_mul(v, a, sum[0], PREC);
    arb_submul(v, w, sum[1], PREC);
    arb_clear(a); arb_clear(t); arb_clear(sum[0]); arb_clear(sum[1]);
}

void selection_below_value(arf_t v, const selection_below *x, const arb_t eps)
{
    slong *level = flint_malloc((size_t) x->p->count * sizeof(*level)), j;
    arb_t sum, w, p, q, last_p, last_q, a, t;
    arb_init(sum); arb_init(w); arb_init(p); arb_init(q); arb_init(last_p); arb_init(last_q); arb_init(a); arb_init(t);
    choose_levels(level, x, eps);
    arb_exp(w, eps, PREC);
    for (j = x->p->count - 1; j >= 0 && level[j] >= 0; j--)
    {
        const slong next = j > 0 ? level[j - 1] : -1;
        if (next == level[j])
            continue;
        /* Q of all outcomes down to here in the middle of its ball, and what it may be off by */
        arb_get_mid_arb(q, x->beyond + j);
        set_mass(p, x->p, x->order, j, q);
        arb_sub(t, p, last_p, PREC);
        arb_add(a, x->before + level[j], last_p, PREC);
        selection_share(t, x->runs, a, t);
        arb_add(sum, sum, t, PREC);
        arb_sub(t, q, last_q, PREC);
        arb_add(a, x->inside + level[j], last_q, PREC);
        selection_share(t, x->runs, a, t);
        arb_submul(sum, w, t, PREC);
        set_change(t, x, j, level[j], next, w);
        arb_get_rad_arb(a, x->beyond + j);
        arb_mul(t, t, a, PREC);
        arb_add_error(sum, t);
        arb_swap(last_p, p);
        arb_swap(last_q, q);
    }
    arb_get_lbound_arf(v, sum, PREC);
    cut(v, 0);
    arb_clear(sum); arb_clear(w); arb_clear(p); arb_clear(q); arb_clear(last_p); arb_clear(last_q); arb_clear(a); arb_clear(t);
    flint_free(level);
}

slong selection_below_places(slong *at, slong most, const selection_below *x)
{
    slong i, count = 0;
    for (i = 1; i < x->levels && count < most; i++)
    {
        /* closer to each other near the largest gain, which counts for most */
        const double left = 1 - ((double) count + 0.5) / (double) most;
        if (x->gain[i] >= (1 - left * left) * x->gain[x->levels - 1])
            at[count++] = x->place[i];
    }
    return count;
}
