/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/rounds.h"

#include <string.h>

void rounds_road_init(rounds_road *road)
{
    memset(road, 0, sizeof(*road));
    shuf_real_init(road->order); shuf_real_init(road->eps); shuf_real_init(road->delta);
    shuf_real_init(road->witness);
}

void rounds_road_clear(rounds_road *road)
{
    shuf_real_clear(road->order); shuf_real_clear(road->eps); shuf_real_clear(road->delta);
    shuf_real_clear(road->witness);
}

void rounds_road_forget(rounds_road *road)
{
    road->chain.count = 0;
    road->has_order = road->has_round = road->has_witness = road->has_where = 0;
}

int rounds_is_one(const rounds_struct *x)
{
    const shuf_law_struct *law = x->routes[0]->law;
    return x->count == 1 && x->routes[0]->rounds == 1 && law->second == NULL && law->sample == NULL;
}

int rounds_has_nodes(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count && !x->routes[i]->law->is_at_nodes; i++)
        ;
    return i < x->count;
}

int rounds_has_law(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
        if (!shuf_law_is_of_pair(x->routes[i]->law))
            return 1;
    return 0;
}

const shuf_sampled_struct *rounds_sample(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
        if (x->routes[i]->law->sample != NULL)
            return x->routes[i]->law->sample;
    return NULL;
}

int rounds_has_several(const rounds_struct *x)
{
    return x->count > 1 || x->routes[0]->rounds > 1;
}

int rounds_is_symmetric(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
        if (!x->routes[i]->law->symmetric)
            return 0;
    return 1;
}
