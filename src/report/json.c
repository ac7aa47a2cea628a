/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/json.h"

#include "enclosure/memory.h"

void json_line(FILE *out, const json_t *value)
{
    memory_dump(out, value, JSON_COMPACT | JSON_REAL_PRECISION(6));
}
