/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "certificate/sum.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/enclosure.h"

/* Most bits in a product before it is rounded, and what a coefficient takes besides its value. Steer only. */
#define MAX_BITS 0x1p32
#define OVERHEAD 256

/* The same for what is multiplied without a look at the watch: about a second. Steers only. */
#define PIECE_BITS 0x1p29

/* Units of work: a limb of a product, for each level of a transform; a coefficient; and one of a sum by Horner's rule. Steer only. */
#define LIMB_WORK 6.0
#define COEFFICIENT_WORK 150.0
#define HORNER_WORK 120.0

/* Working precision beyond `bits`: for 2^26 coefficients and more. Steers only. */
#define GUARD_BITS 64

static void init(loss_sum_t x, slong log2_step, slong bits, int up)
{
    x->log2_step = log2_step;
    x->bits = bits;
    x->up = up;
    fmpz_init(x->first);
    fmpz_poly_init(x->mass);
    fmpz_init(x->infinite);
}

void loss_sum_clear(loss_sum_t x)
{
    fmpz_clear(x->first);
    fmpz_poly_clear(x->mass);
    fmpz_clear(x->infinite);
}

static void set(loss_sum_t x, const loss_sum_t y)
{
    fmpz_set(x->first, y->first);
    fmpz_poly_set(x->mass, y->mass);
    fmpz_set(x->infinite, y->infinite);
}

/* All of the mass, +infinity included. */
static void total_mass(fmpz_t total, const loss_sum_t x)
{
    slong j;
    fmpz_set(total, x->infinite);
    for (j = 0; j < fmpz_poly_length(x->mass); j++)
        fmpz_add(total, total, x->mass->coeffs + j);
}

static void units(fmpz_t r, const arf_t mass, const loss_sum_t x)
{
    arf_t scaled;
    arf_init(scaled);
    arf_mul_2exp_si(scaled, mass, x->bits);
    arf_get_fmpz(r, scaled, x->up ? ARF_RND_CEIL : ARF_RND_FLOOR);
    arf_clear(scaled);
}

/* From 2^-2bits to 2^-bits. */
static void round_units(fmpz_t r, const loss_sum_t x)
{
    if (x->up)
        fmpz_cdiv_q_2exp(r, r, (ulong) x->bits);
    else
        fmpz_fdiv_q_2exp(r, r, (ulong) x->bits);
}

/* At both ends. */
static void drop_zeros(loss_sum_t x)
{
    slong zeros = 0;
    _fmpz_poly_normalise(x->mass);
    while (zeros < fmpz_poly_length(x->mass) && fmpz_is_zero(x->mass->coeffs + zeros))
        zeros++;
    fmpz_poly_shift_right(x->mass, x->mass, zeros);
    fmpz_add_ui(x->first, x->first, (ulong) zeros);
}

/*
 * Rounding up leaves a unit wherever there is any mass, which would keep every
 * polynomial as long as it can be. So move the ends to higher losses, the top
 * to +infinity and the bottom to the first node that stays: from either end at
 * most as many units as there are coefficients.
 * Coq: Losses.above_raised.
 */
static void shorten(loss_sum_t x)
{
    slong length = fmpz_poly_length(x->mass), low = 0, high = length;
    fmpz *c = x->mass->coeffs;
    fmpz_t sum, next;
    fmpz_init(sum);
    fmpz_init(next);
    while (high > 1)
    {
        fmpz_add(next, sum, c + high - 1);
        if (fmpz_cmp_si(next, length) > 0)
            break;
        fmpz_swap(sum, next);
        high--;
    }
    fmpz_add(x->infinite, x->infinite, sum);
    fmpz_poly_truncate(x->mass, high);

    fmpz_zero(sum);
    while (low < high - 1)
    {
        fmpz_add(next, sum, c + low);
        if (fmpz_cmp_si(next, length) > 0)
            break;
        fmpz_swap(sum, next);
        low++;
    }
    if (low > 0)
    {
        fmpz_add(c + low, c + low, sum);
        fmpz_poly_shift_right(x->mass, x->mass, low);
        fmpz_add_ui(x->first, x->first, (ulong) low);
    }
    fmpz_clear(sum);
    fmpz_clear(next);
}

/*
 * The law itself. Returns 0, or -1 when it is too large.
 * Coq: Losses.above_raised.
 */
static int set_law(loss_sum_t x, const grid_law_struct *law)
{
    slong i;
    if ((double) law->length * ((double) x->bits + OVERHEAD) > MAX_BITS / 2)
        return -1;
    fmpz_set_si(x->first, law->first);
    fmpz_poly_fit_length(x->mass, law->length);
    for (i = 0; i < law->length; i++)
        units(x->mass->coeffs + i, law->mass + i, x);
    _fmpz_poly_set_length(x->mass, law->length);
    drop_zeros(x);
    units(x->infinite, law->infinite, x);
    return 0;
}

/* Of a product of `bits` bits in `length` coefficients. */
static double product_work(double bits, double length)
{
    double limbs = bits / FLINT_BITS + 1;
    return LIMB_WORK * limbs * (2 + d_lb(limbs)) + COEFFICIENT_WORK * length;
}

/*
 * x becomes the product of x and y, which may be the same, by blocks of their
 * coefficients when it is a large one. Returns 0, or -1 when the watch stops it.
 */
static int multiply(fmpz_poly_t x, const fmpz_poly_t y, slong block)
{
    const slong m = fmpz_poly_length(x), n = fmpz_poly_length(y);
    fmpz_poly_t product, piece;
    slong i, j;
    int stopped = 0;
    if (m <= block && n <= block)
    {
        fmpz_poly_mul(x, x, y);
        return 0;
    }
    fmpz_poly_init2(product, m + n);
    fmpz_poly_init2(piece, 2 * block);
    for (i = 0; i < m; i += block)
    {
        for (j = 0; j < n && !stopped; j += block)
        {
            slong k = FLINT_MIN(block, m - i), l = FLINT_MIN(block, n - j);
            if (k >= l)
                _fmpz_poly_mul(piece->coeffs, x->coeffs + i, k, y->coeffs + j, l);
            else
                _fmpz_poly_mul(piece->coeffs, y->coeffs + j, l, x->coeffs + i, k);
            _fmpz_vec_add(product->coeffs + i + j, product->coeffs + i + j, piece->coeffs, k + l - 1);
            stopped = shuf_progress("");
        }
    }
    _fmpz_poly_set_length(product, m + n);
    _fmpz_poly_normalise(product);
    fmpz_poly_swap(x, product);
    fmpz_poly_clear(product);
    fmpz_poly_clear(piece);
    return stopped ? -1 : 0;
}

/*
 * x becomes the sum of x and y, which may be the same. Returns 0, or -1 as loss_sum_init.
 * Coq: Losses.dense_product_up, Losses.dense_product_down.
 */
static int add(loss_sum_t x, const loss_sum_t y)
{
    double length = (double) fmpz_poly_length(x->mass) + (double) fmpz_poly_length(y->mass);
    double size = (double) FLINT_ABS(fmpz_poly_max_bits(x->mass)) + (double) FLINT_ABS(fmpz_poly_max_bits(y->mass));
    fmpz_t total_x, total_y, infinite;
    slong block = (slong) fmax(PIECE_BITS / (2 * fmax(size, 1)), 1), j;
    double pieces = ceil((double) fmpz_poly_length(x->mass) / (double) block) * ceil((double) fmpz_poly_length(y->mass) / (double) block);
    double work = pieces > 1 ? pieces * product_work(PIECE_BITS, 2 * (double) block) : product_work(length * size, length);
    int stopped;
    if (length * (size + OVERHEAD) > MAX_BITS || shuf_exhausted(0))
        return -1;
    shuf_charge(work);
    fmpz_init(total_x); fmpz_init(total_y); fmpz_init(infinite);
    total_mass(total_x, x);
    total_mass(total_y, y);

    /* the sum is infinite if y is, whatever x, or if y is finite and x infinite */
    fmpz_mul(infinite, total_x, y->infinite);
    fmpz_sub(total_y, total_y, y->infinite);
    fmpz_addmul(infinite, x->infinite, total_y);
    fmpz_add(x->first, x->first, y->first);
    stopped = multiply(x->mass, y->mass, block);

    for (j = 0; j < fmpz_poly_length(x->mass); j++)
        round_units(x->mass->coeffs + j, x);
    round_units(infinite, x);
    fmpz_swap(x->infinite, infinite);
    drop_zeros(x);
    if (x->up)
        shorten(x);

    fmpz_clear(total_x); fmpz_clear(total_y); fmpz_clear(infinite);
    return stopped;
}

/* x becomes the sum of `power` copies of y, with the same result. */
static int multiple(loss_sum_t x, const loss_sum_t y, uint64_t power)
{
    uint64_t bit = UINT64_C(1) << 63;
    while ((power & bit) == 0)
        bit >>= 1;
    set(x, y);
    while ((bit >>= 1) != 0)
        if (add(x, x) != 0 || ((power & bit) != 0 && add(x, y) != 0))
            return -1;
    return 0;
}

int loss_sum_init(loss_sum_t x, const grid_law_t law, uint64_t rounds, slong bits, int up)
{
    loss_sum_t one;
    int failed;
    init(x, law->log2_step, bits, up);
    init(one, law->log2_step, bits, up);
    failed = set_law(one, law) != 0 || multiple(x, one, rounds) != 0;
    loss_sum_clear(one);
    if (failed)
        loss_sum_clear(x);
    return failed ? -1 : 0;
}

/* ceil(eps/step), decided exactly */
static void steps_above(fmpz_t k, const shuf_real_t eps, slong log2_step)
{
    if (eps->is_log && !fmpq_is_one(eps->q))
    {
        /* irrational: some precision shows between which nodes it lies */
        slong prec;
        arb_t x;
        arb_init(x);
        for (prec = 128;; prec *= 2)
        {
            shuf_real_get_arb(x, eps, prec);
            arb_mul_2exp_si(x, x, -log2_step);
            arb_ceil(x, x, prec);
            if (arb_get_unique_fmpz(k, x))
                break;
        }
        arb_clear(x);
    }
    else if (eps->is_log)
    {
        fmpz_zero(k);
    }
    else
    {
        fmpq_t x;
        fmpq_init(x);
        if (log2_step < 0)
            fmpq_mul_2exp(x, eps->q, (flint_bitcnt_t) -log2_step);
        else
            fmpq_div_2exp(x, eps->q, (flint_bitcnt_t) log2_step);
        fmpz_cdiv_q(k, fmpq_numref(x), fmpq_denref(x));
        fmpq_clear(x);
    }
}

/* index := the first one >= 0 at which the loss (origin + index) step is >= eps, decided exactly. */
static void first_index(fmpz_t index, const shuf_real_t eps, slong log2_step, const fmpz_t origin)
{
    steps_above(index, eps, log2_step);
    fmpz_sub(index, index, origin);
    if (fmpz_sgn(index) < 0)
        fmpz_zero(index);
}

/* The first coefficient whose loss is >= eps, or the number of them. (At eps itself w is 0.) */
static slong first_from(const loss_sum_t x, const shuf_real_t eps)
{
    slong from = fmpz_poly_length(x->mass);
    fmpz_t index;
    fmpz_init(index);
    first_index(index, eps, x->log2_step, x->first);
    if (fmpz_cmp_si(index, from) < 0)
        from = fmpz_get_si(index);
    fmpz_clear(index);
    return from;
}

/* discount = sum over j >= from of c_j e^{eps - loss_j}, by Horner's rule. */
static void discounted(arb_t discount, const loss_sum_t x, slong from, const shuf_real_t eps, slong prec)
{
    arb_t ratio, gap, loss;
    fmpz_t index;
    slong j;
    arb_init(ratio); arb_init(gap); arb_init(loss); fmpz_init(index);
    arb_set_si(ratio, -1);
    arb_mul_2exp_si(ratio, ratio, x->log2_step);
    arb_exp(ratio, ratio, prec);
    arb_zero(discount);
    for (j = fmpz_poly_length(x->mass) - 1; j >= from; j--)
    {
        arb_mul(discount, discount, ratio, prec);
        arb_add_fmpz(discount, discount, x->mass->coeffs + j, prec);
    }
    fmpz_add_si(index, x->first, from);
    arb_set_fmpz(loss, index);
    arb_mul_2exp_si(loss, loss, x->log2_step);
    shuf_real_get_arb(gap, eps, prec);
    arb_sub(gap, gap, loss, prec);
    arb_exp(gap, gap, prec);
    arb_mul(discount, discount, gap, prec);
    arb_clear(ratio); arb_clear(gap); arb_clear(loss); fmpz_clear(index);
}

/* Coq: Losses.hockey_of_losses. */
void loss_sum_delta(arf_t bound, const loss_sum_t x, const shuf_real_t eps)
{
    const slong prec = x->bits + GUARD_BITS;
    slong from = first_from(x, eps), j;
    fmpz_t sum;
    arb_t value, discount;
    fmpz_init(sum); arb_init(value); arb_init(discount);

    shuf_charge(HORNER_WORK * (double) (fmpz_poly_length(x->mass) - from));
    fmpz_set(sum, x->infinite);
    for (j = from; j < fmpz_poly_length(x->mass); j++)
        fmpz_add(sum, sum, x->mass->coeffs + j);
    arb_set_fmpz(value, sum);
    if (from < fmpz_poly_length(x->mass))
    {
        discounted(discount, x, from, eps, prec);
        arb_sub(value, value, discount, prec);
    }
    arb_mul_2exp_si(value, value, -x->bits);
    if (x->up)
        arb_get_ubound_arf(bound, value, prec);
    else
        arb_get_lbound_arf(bound, value, prec);
    if (!x->up && arf_sgn(bound) < 0)
        arf_zero(bound);

    fmpz_clear(sum); arb_clear(value); arb_clear(discount);
}
