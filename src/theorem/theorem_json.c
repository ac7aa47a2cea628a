/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "theorem/theorem_json.h"

json_t *theorem_json(const shuf_theorem *t)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s*, s:s, s:s, s:s, s:s}", "id", t->id, "status", shuf_theorem_status_name(t->status),
                     "side", shuf_side_name(t->side), "checked", shuf_checked_name(t->checked), "checked_in", t->checked_in,
                     "statement", t->statement, "validity", t->validity, "source", t->source, "proof", t->proof);
}
