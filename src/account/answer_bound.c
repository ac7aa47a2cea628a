/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/evaluate.h"

#include <string.h>

void answer_bound_init(shuf_answer_bound *b)
{
    memset(b, 0, sizeof(*b));
    shuf_enclosure_init(b->value); shuf_enclosure_init(b->delta); shuf_real_init(b->order);
    shuf_real_init(b->round_eps); shuf_real_init(b->round_delta); shuf_real_init(b->witness);
}

void answer_bound_clear(shuf_answer_bound *b)
{
    shuf_enclosure_clear(b->value); shuf_enclosure_clear(b->delta); shuf_real_clear(b->order);
    shuf_real_clear(b->round_eps); shuf_real_clear(b->round_delta); shuf_real_clear(b->witness);
}

int bound_certifies(const shuf_answer_bound *b, shuf_side side)
{
    size_t i;
    for (i = 0; i < b->theorems; i++)
        if (!shuf_theorem_certifies(b->theorem[i], side))
            return 0;
    return b->theorems > 0;
}

int bound_decides(const shuf_answer_bound *b)
{
    if (b->sign < 0)
        return b->side == SHUF_SIDE_UPPER || b->side == SHUF_SIDE_EXACT ? -1 : 0;
    return b->sign > 0 && (b->side == SHUF_SIDE_LOWER || b->side == SHUF_SIDE_EXACT);
}

void bound_set_chain(shuf_answer_bound *b, const theorem_chain *chain)
{
    memcpy(b->theorem, chain->id, sizeof(b->theorem));
    b->theorems = chain->count;
}
