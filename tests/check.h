/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* What several tests ask of numbers and enclosures; include cmocka.h before. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include "enclosure/enclosure.h"
#include "exact/exact.h"

static inline void set(shuf_real_t x, const char *text)
{
    assert_int_equal(shuf_real_set_str(x, text), 0);
}

/* 0 <= lo <= hi <= 1, and the ledger adds up to the width. */
static inline void assert_well_formed(const shuf_enclosure_t x)
{
    mag_t total;
    arf_t w, t;
    mag_init(total);
    arf_init(w);
    arf_init(t);
    shuf_ledger_total(total, &x->ledger);
    arf_set_mag(t, total);
    arf_sub(w, x->hi, x->lo, ARF_PREC_EXACT, ARF_RND_DOWN);
    assert_true(arf_sgn(x->lo) >= 0 && arf_cmp(x->lo, x->hi) <= 0 && arf_cmp_si(x->hi, 1) <= 0);
    assert_true(arf_cmp(w, t) <= 0);
    mag_clear(total);
    arf_clear(w);
    arf_clear(t);
}

#endif
