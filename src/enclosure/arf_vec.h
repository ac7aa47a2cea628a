/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* arf_vec: numbers in a row, which Arb has of balls only (internal). */
#ifndef SHUF_ENCLOSURE_ARF_VEC_H
#define SHUF_ENCLOSURE_ARF_VEC_H

#include "enclosure.h"

static inline arf_ptr arf_vec_init(slong length)
{
    arf_ptr v = flint_malloc((size_t) length * sizeof(arf_struct));
    slong i;
    for (i = 0; i < length; i++)
        arf_init(v + i);
    return v;
}

static inline void arf_vec_clear(arf_ptr v, slong length)
{
    slong i;
    for (i = 0; i < length; i++)
        arf_clear(v + i);
    flint_free(v);
}

#endif
