/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "batch/strategy.h"

#define PREC 128 /* bits of balls, which need no memory of their own. Steers only. */

/* Additions above which a looser bound is taken: of any number of participations; of the levels of a tree. Steers only. */
#define COUNTED 2e7

void shuf_strategy_init(shuf_strategy_t x)
{
    x->kind = SHUF_STRATEGY_NONE;
    x->steps = x->bands = x->gap = x->times = 1;
    x->entry = NULL;
    x->count = 0;
    x->is_apart = 0;
    fmpq_init(x->low);
    fmpq_init(x->high);
    x->least = x->most = 1;
}

void shuf_strategy_clear(shuf_strategy_t x)
{
    _fmpq_vec_clear(x->entry, x->count);
    fmpq_clear(x->low);
    fmpq_clear(x->high);
}

/* The most steps of one record. */
static slong largest_set(const shuf_strategy_struct *x)
{
    const uint64_t all = (x->steps - 1) / x->gap + 1;
    return (slong) FLINT_MIN(all, x->times);
}

/* Outward: v is between low and high, which are not negative. */
static void set_ends(shuf_strategy_struct *x, const arb_t low, const arb_t high)
{
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, low, PREC);
    arf_get_fmpq(x->low, end);
    if (fmpq_sgn(x->low) < 0)
        fmpq_zero(x->low);
    arb_get_ubound_arf(end, high, PREC);
    arf_get_fmpq(x->high, end);
    arf_clear(end);
}

/* ---- Toeplitz ---- */

static void set_coefficients(arb_ptr c, const shuf_strategy_struct *x)
{
    slong j;
    for (j = 0; j < (slong) x->bands; j++)
    {
        if (x->kind != SHUF_STRATEGY_ROOT)
        {
            arb_set_fmpq(c + j, x->entry + j, PREC);
            continue;
        }
        arb_one(c + j);
        if (j > 0)
        {
            arb_mul_ui(c + j, c + j - 1, 2 * (ulong) j - 1, PREC);
            arb_div_ui(c + j, c + j, 2 * (ulong) j, PREC);
        }
    }
}

/* v := a(c) of Theorem 3: row by row the sum of the columns of the first steps. */
static void of_first(arb_t v, arb_srcptr c, const shuf_strategy_struct *x)
{
    const slong steps = (slong) x->steps, bands = (slong) x->bands, gap = (slong) x->gap, reach = largest_set(x) * gap;
    arb_ptr row = _arb_vec_init(steps);
    slong t;
    arb_zero(v);
    for (t = 0; t < steps; t++)
    {
        if (t >= gap)
            arb_set(row + t, row + t - gap);
        if (t < bands)
            arb_add(row + t, row + t, c + t, PREC);
        if (t >= reach && t - reach < bands)
            arb_sub(row + t, row + t, c + t - reach, PREC);
        arb_addmul(v, row + t, row + t, PREC);
    }
    _arb_vec_clear(row, steps);
}

static void measure_toeplitz(shuf_strategy_struct *x)
{
    const slong bands = (slong) x->bands;
    arb_ptr c = _arb_vec_init(bands);
    arb_t low, high;
    slong j;
    arb_init(low);
    arb_init(high);
    set_coefficients(c, x);
    of_first(low, c, x);
    for (j = bands - 1; j >= 0; j--)
    {
        arb_abs(c + j, c + j);
        if (x->is_apart && j + 1 < bands)
            arb_max(c + j, c + j, c + j + 1, PREC);
    }
    if (x->bands <= x->gap)
        arb_set(high, low);
    else
        of_first(high, c, x);
    set_ends(x, low, high);
    _arb_vec_clear(c, bands);
    arb_clear(low);
    arb_clear(high);
}

/* ---- rows ---- */

/* X := C^T C, exactly 0 where columns have disjoint rows. */
static void set_gram(arb_mat_t X, const shuf_strategy_struct *x)
{
    const slong n = (slong) x->steps;
    arb_mat_t C, transposed;
    slong i, j;
    arb_mat_init(C, n, n);
    arb_mat_init(transposed, n, n);
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++)
            arb_set_fmpq(arb_mat_entry(C, i, j), x->entry + i * n + j, PREC);
    arb_mat_transpose(transposed, C);
    arb_mat_mul(X, transposed, C, PREC);
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (FLINT_ABS(i - j) >= (slong) x->bands)
                arb_zero(arb_mat_entry(X, i, j));
    arb_mat_clear(C);
    arb_mat_clear(transposed);
}

/* The ends of Theorem 2 for a set of steps, the signs chosen one by one; low and high become the larger ones. */
static void raise_to_set(arb_t low, arb_t high, const arb_mat_t X, const slong *set, slong size)
{
    int *sign = flint_malloc((size_t) size * sizeof(int));
    arb_t below, above, others, entry;
    slong i, j;
    arb_init(below);
    arb_init(above);
    arb_init(others);
    arb_init(entry);
    for (i = 0; i < size; i++)
    {
        arb_zero(others);
        for (j = 0; j < i; j++)
        {
            arb_srcptr x = arb_mat_entry(X, set[i], set[j]);
            if (sign[j] > 0)
                arb_add(others, others, x, PREC);
            else
                arb_sub(others, others, x, PREC);
            arb_abs(entry, x);
            arb_mul_2exp_si(entry, entry, 1);
            arb_add(above, above, entry, PREC);
        }
        sign[i] = arf_sgn(arb_midref(others)) < 0 ? -1 : 1;
        arb_mul_si(others, others, 2 * sign[i], PREC);
        arb_add(below, below, others, PREC);
        arb_add(below, below, arb_mat_entry(X, set[i], set[i]), PREC);
        arb_add(above, above, arb_mat_entry(X, set[i], set[i]), PREC);
    }
    arb_max(low, low, below, PREC);
    arb_max(high, high, above, PREC);
    arb_clear(below);
    arb_clear(above);
    arb_clear(others);
    arb_clear(entry);
    flint_free(sign);
}

/* All sets whose steps are exactly `gap` apart. */
static void raise_to_regular(arb_t low, arb_t high, const arb_mat_t X, const shuf_strategy_struct *x)
{
    const slong steps = (slong) x->steps, gap = (slong) x->gap, most = largest_set(x);
    const slong starts = most < (steps - 1) / gap + 1 ? steps : FLINT_MIN(gap, steps);
    slong *set = flint_malloc((size_t) most * sizeof(slong));
    slong start, size;
    for (start = 0; start < starts; start++)
    {
        for (size = 0; size < most && start + size * gap < steps; size++)
            set[size] = start + size * gap;
        raise_to_set(low, high, X, set, size);
    }
    flint_free(set);
}

/*
 * v := the largest sum of weights >= 0 of at most `size` steps that are at least `gap` apart; size < 0: of any number of them. Unless NULL, set gets
 * the steps of one that is nearly the largest. Returns how many.
 */
static slong largest_sum(arb_t v, arb_srcptr weight, slong steps, slong gap, slong size, slong *set)
{
    const slong layers = size < 0 ? 1 : size, width = steps + 1;
    arb_ptr best = _arb_vec_init((layers + 1) * width);
    arb_t with;
    slong t, layer, found = 0;
    arb_init(with);
    for (layer = 1; layer <= layers; layer++)
        for (t = 1; t <= steps; t++)
        {
            arb_srcptr before = best + (size < 0 ? layer : layer - 1) * width + FLINT_MAX(0, t - gap);
            arb_add(with, before, weight + t - 1, PREC);
            arb_max(best + layer * width + t, best + layer * width + t - 1, with, PREC);
        }
    arb_set(v, best + layers * width + steps);
    for (t = steps, layer = layers; set != NULL && t > 0 && layer > 0; )
    {
        if (arf_cmp(arb_midref(best + layer * width + t), arb_midref(best + layer * width + t - 1)) <= 0)
        {
            t--;
            continue;
        }
        set[found++] = t - 1;
        t = FLINT_MAX(0, t - gap);
        layer -= size >= 0;
    }
    _arb_vec_clear(best, (layers + 1) * width);
    arb_clear(with);
    return found;
}

/* weight[i] := X_ii and, with b bands at most, no more; else the sum of Theorem 3 (c) over the steps of S'. */
static void set_weights(arb_ptr weight, const arb_mat_t X, const shuf_strategy_struct *x, slong size)
{
    const slong steps = (slong) x->steps, gap = (slong) x->gap;
    const slong others = size < 0 || (double) steps * (double) steps * (double) size > COUNTED ? -1 : size - 1;
    arb_ptr row = _arb_vec_init(steps);
    arb_t sum;
    slong i, j;
    arb_init(sum);
    for (i = 0; i < steps; i++)
    {
        arb_set(weight + i, arb_mat_entry(X, i, i));
        if (x->bands <= x->gap)
            continue;
        for (j = 0; j < steps; j++)
        {
            arb_zero(row + j);
            if (FLINT_ABS(i - j) >= gap)
                arb_abs(row + j, arb_mat_entry(X, i, j));
        }
        largest_sum(sum, row, steps, gap, others, NULL);
        arb_add(weight + i, weight + i, sum, PREC);
    }
    _arb_vec_clear(row, steps);
    arb_clear(sum);
}

static void measure_rows(shuf_strategy_struct *x)
{
    const slong steps = (slong) x->steps, most = largest_set(x), size = most < (steps - 1) / (slong) x->gap + 1 ? most : -1;
    slong *set = flint_malloc((size_t) steps * sizeof(slong)), found;
    arb_ptr weight = _arb_vec_init(steps);
    arb_mat_t X;
    arb_t low, high, ignored;
    arb_mat_init(X, steps, steps);
    arb_init(low);
    arb_init(high);
    arb_init(ignored);
    set_gram(X, x);
    if (!x->is_apart)
    {
        raise_to_regular(low, high, X, x);
    }
    else
    {
        set_weights(weight, X, x, size);
        found = largest_sum(high, weight, steps, (slong) x->gap, size, set);
        raise_to_set(low, ignored, X, set, found);
        raise_to_regular(low, ignored, X, x);
        if (x->bands <= x->gap)
            arb_set(low, high);
    }
    set_ends(x, low, high);
    arb_mat_clear(X);
    _arb_vec_clear(weight, steps);
    arb_clear(low);
    arb_clear(high);
    arb_clear(ignored);
    flint_free(set);
}

/* ---- trees ---- */

/* V of so many steps from `start` on that are `gap` apart: Theorem 5. */
static uint64_t of_tree(const shuf_strategy_struct *x, uint64_t start, uint64_t count)
{
    uint64_t square = 0, i, here, node;
    int level;
    for (level = 0; x->steps >> level > 0; level++)
        for (i = 0; i < count; i += here)
        {
            node = (start + i * x->gap) >> level;
            for (here = 1; i + here < count && (start + (i + here) * x->gap) >> level == node; here++)
                ;
            if (node < x->steps >> level)
                square += here * here;
        }
    return square;
}

/* Theorem 5 (b): at each level as many of the steps as there is room for in as few intervals as will do. */
static uint64_t above_tree(const shuf_strategy_struct *x, uint64_t count)
{
    uint64_t square = 0;
    int level;
    for (level = 0; x->steps >> level > 0; level++)
    {
        const uint64_t room = FLINT_MIN(count, (((uint64_t) 1 << level) - 1) / x->gap + 1), full = FLINT_MIN(count / room, x->steps >> level);
        square += full * room * room;
        if (full < x->steps >> level)
            square += (count - full * room) * (count - full * room);
    }
    return square;
}

static void measure_tree(shuf_strategy_struct *x)
{
    const uint64_t most = (uint64_t) largest_set(x), starts = most < (x->steps - 1) / x->gap + 1 ? x->steps : FLINT_MIN(x->gap, x->steps);
    const int all = (double) starts * (double) most * (double) FLINT_BIT_COUNT(x->steps) <= COUNTED;
    uint64_t low = 0, start;
    for (start = 0; start < (all ? starts : 1); start++)
    {
        const uint64_t square = of_tree(x, start, FLINT_MIN(most, (x->steps - 1 - start) / x->gap + 1));
        low = FLINT_MAX(low, square);
    }
    fmpq_set_ui(x->low, low, 1);
    fmpq_set_ui(x->high, all && !x->is_apart ? low : above_tree(x, most), 1);
}

/* ---- Poisson batches ---- */

/* norm[i] := the square of the norm of column i */
static void set_norms(arb_ptr norm, const shuf_strategy_struct *x)
{
    const slong steps = (slong) x->steps, bands = (slong) x->bands;
    arb_ptr c;
    arb_t entry;
    slong i, j;
    if (x->kind == SHUF_STRATEGY_ROWS)
    {
        arb_init(entry);
        for (j = 0; j < steps; j++)
            for (i = j; i < steps && i < j + bands; i++)
            {
                arb_set_fmpq(entry, x->entry + i * steps + j, PREC);
                arb_addmul(norm + j, entry, entry, PREC);
            }
        arb_clear(entry);
        return;
    }
    c = _arb_vec_init(bands);
    set_coefficients(c, x);
    for (j = 0; j < steps; j++)
    {
        if (j > 0)
            arb_set(norm + steps - 1 - j, norm + steps - j);
        if (j < bands)
            arb_addmul(norm + steps - 1 - j, c + j, c + j, PREC);
    }
    _arb_vec_clear(c, bands);
}

/* From below the part whose steps with all their rows are the most, and have the largest least norm; the first of its steps where there is none. */
static void measure_poisson(shuf_strategy_struct *x)
{
    const slong steps = (slong) x->steps, gap = (slong) x->gap, full = FLINT_MAX(1, steps - (slong) x->bands + 1);
    arb_ptr norm = _arb_vec_init(steps);
    arb_t low, high, least;
    slong start, i;
    arb_init(low);
    arb_init(high);
    arb_init(least);
    set_norms(norm, x);
    for (i = 0; i < steps; i++)
        arb_max(high, high, norm + i, PREC);
    x->most = (uint64_t) ((steps - 1) / gap + 1);
    x->least = (uint64_t) ((full - 1) / gap + 1);
    for (start = 0; start < gap && start + ((slong) x->least - 1) * gap < full; start++)
    {
        arb_set(least, norm + start);
        for (i = start; i < full; i += gap)
            arb_min(least, least, norm + i, PREC);
        arb_max(low, low, least, PREC);
    }
    set_ends(x, low, high);
    _arb_vec_clear(norm, steps);
    arb_clear(low);
    arb_clear(high);
    arb_clear(least);
}

void shuf_strategy_measure(shuf_strategy_t x, int is_poisson)
{
    if (is_poisson)
        measure_poisson(x);
    else if (x->kind == SHUF_STRATEGY_ROWS)
        measure_rows(x);
    else if (x->kind == SHUF_STRATEGY_TREE)
        measure_tree(x);
    else
        measure_toeplitz(x);
}
