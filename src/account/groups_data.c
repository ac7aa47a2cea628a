/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The data of a bound of groups from below. */
#include <stdio.h>

#include "account/groups_part.h"

static json_t *count_json(uint64_t n)
{
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long) n);
    return json_string(text);
}

/* One user holds `value`, the others `others`. */
static json_t *histogram(uint64_t value, uint64_t others, uint64_t users)
{
    json_t *list = json_array();
    if (value == others || users == 1)
    {
        json_array_append_new(list, json_pack("{s:o, s:o}", "value", count_json(value), "users", count_json(users)));
        return list;
    }
    json_array_append_new(list, json_pack("{s:o, s:o}", "value", count_json(value), "users", count_json(1)));
    json_array_append_new(list, json_pack("{s:o, s:o}", "value", count_json(others), "users", count_json(users - 1)));
    return list;
}

json_t *groups_data_json(const shuf_part_struct *p, uint64_t first, uint64_t second, uint64_t others, uint64_t k)
{
    const int is_class = groups_part_is_class(p);
    const shuf_part_struct *own = &p->group[is_class ? groups_part_worst(p) : 0];
    const uint64_t users = is_class ? own->users : p->users;
    json_t *object = json_object(), *mechanism = is_class ? json_pack("{s:s}", "type", "krr") : mechanism_json(p);
    if (is_class)
    {
        json_object_set_new(mechanism, "k", count_json(k));
        json_object_set_new(mechanism, "eps0", json_string(own->eps0->text));
    }
    json_object_set_new(object, "mechanism", mechanism);
    json_object_set_new(object, "first", histogram(first, others, users));
    json_object_set_new(object, "second", histogram(second, others, users));
    return object;
}
