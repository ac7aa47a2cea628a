/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "iidsum/enumerate.h"

/* Bits beyond those of the digits; terms of very different sizes cancel. */
#define SPARE_BITS 160

typedef struct
{
    const shuf_quadrature *atoms;
    arb_ptr weight;  /* mass[j]^i/i! in place (n + 1) j + i */
    arb_ptr partial; /* before atom j: the weight of the counts, and what they add up to less K */
    arb_ptr sum;
    slong n, prec;
    arb_t total;
} walk;

/* total += the product of the weights times the positive part, for all counts of the atoms from j on, `left` in all. */
static void visit(walk *w, slong j, slong left)
{
    arb_srcptr weight = w->weight + (w->n + 1) * j;
    const int last = j + 1 == w->atoms->count;
    slong i;
    for (i = last ? left : 0; i <= left; i++)
    {
        arb_mul(w->partial + j + 1, w->partial + j, weight + i, w->prec);
        arb_mul_ui(w->sum + j + 1, w->atoms->value + j, (ulong) i, w->prec);
        arb_add(w->sum + j + 1, w->sum + j + 1, w->sum + j, w->prec);
        if (!last)
        {
            visit(w, j + 1, left - i);
            continue;
        }
        arb_nonnegative_part(w->sum + j + 1, w->sum + j + 1);
        if (!arb_is_zero(w->sum + j + 1))
            arb_addmul(w->total, w->partial + j + 1, w->sum + j + 1, w->prec);
    }
}

static void walk_init(walk *w, const shuf_quadrature *atoms, uint64_t n, const arb_t K, slong prec)
{
    slong i, j;
    w->atoms = atoms;
    w->n = (slong) n;
    w->prec = prec;
    w->weight = _arb_vec_init(atoms->count * (w->n + 1));
    w->partial = _arb_vec_init(atoms->count + 1);
    w->sum = _arb_vec_init(atoms->count + 1);
    arb_init(w->total);
    for (j = 0; j < atoms->count; j++)
    {
        arb_ptr weight = w->weight + (w->n + 1) * j;
        arb_one(weight);
        for (i = 1; i <= w->n; i++)
        {
            arb_mul(weight + i, weight + i - 1, atoms->mass + j, prec);
            arb_div_ui(weight + i, weight + i, (ulong) i, prec);
        }
    }
    arb_fac_ui(w->partial, n, prec);
    arb_neg(w->sum, K);
}

static void walk_clear(walk *w)
{
    _arb_vec_clear(w->weight, w->atoms->count * (w->n + 1));
    _arb_vec_clear(w->partial, w->atoms->count + 1);
    _arb_vec_clear(w->sum, w->atoms->count + 1);
    arb_clear(w->total);
}

/* How many counts of that many atoms there are, (n + count - 1) over (count - 1); or more than `most`. */
static double count_sums(uint64_t n, slong count, double most)
{
    double sums = 1;
    slong j;
    for (j = 1; j < count && sums <= most; j++)
        sums *= ((double) n + (double) j) / (double) j;
    return sums;
}

int iidsum_enumerate(shuf_enclosure_t e, const shuf_summand *law, uint64_t n, const arb_t K, double most, slong digits, double limit)
{
    const slong prec = SPARE_BITS + 4 * digits;
    shuf_quadrature atoms;
    double work;
    walk w;
    arf_t top;
    int done = 0;
    if (law->steps != NULL || law->quadrature == NULL || (double) n > most)
        return 0;
    shuf_quadrature_init(&atoms);
    arf_init(top);
    arf_pos_inf(top);
    if (law->quadrature(&atoms, law, 0, 0, top, 1, prec) == 0 && atoms.count > 0 && atoms.error == 0
        && count_sums(n, atoms.count, most) <= most)
    {
        work = 3 * count_sums(n, atoms.count, most) * shuf_cost_mul(prec);
        if (limit == 0 || shuf_work() + work <= limit)
        {
            shuf_charge(work);
            walk_init(&w, &atoms, n, K, prec);
            visit(&w, 0, w.n);
            arb_nonnegative_part(w.total, w.total);
            shuf_enclosure_set_arb(e, w.total, prec);
            e->ledger.terms = (ulong) count_sums(n, atoms.count, most);
            walk_clear(&w);
            done = 1;
        }
    }
    shuf_quadrature_clear(&atoms);
    arf_clear(top);
    return done;
}
