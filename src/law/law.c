/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "law/law.h"

#include "enclosure/inverse.h"

static void no_infinite(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    (void) self;
    (void) direction;
    arf_zero(infinite);
}

void shuf_law_init(shuf_law_t law)
{
    *law = (shuf_law_struct) { .infinite = no_infinite };
}

void shuf_law_clear(shuf_law_t law)
{
    if (law->clear != NULL)
        law->clear(law);
    shuf_law_init(law);
}

int shuf_law_equal(const shuf_law_struct *x, const shuf_law_struct *y)
{
    return x == y || (x->same != NULL && x->same == y->same && x->same(x, y));
}

int shuf_law_is_of_pair(const shuf_law_t law)
{
    return law->pair != NULL || law->sample != NULL;
}

int shuf_law_max_loss(shuf_real_t loss, const shuf_law_t law)
{
    if (law->max_loss == NULL || !law->max_loss(loss, law))
        return 0;
    if (law->second != NULL)
        shuf_real_twice(loss, loss);
    return 1;
}

typedef struct
{
    const shuf_law_struct *law;
    shuf_direction direction;
} inverse_data;

static shuf_status inverse_delta(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const inverse_data *d = data;
    return d->law->delta(r, NULL, d->law, eps, d->direction, options);
}

shuf_status shuf_law_invert(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t delta, shuf_direction direction, slong most,
                            const shuf_options *options)
{
    const inverse_data data = { law, direction };
    const inverse_problem p = { inverse_delta, &data, NULL, most, NULL };
    return inverse_find(r, &p, delta, options);
}
