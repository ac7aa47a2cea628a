/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* theorem_json (internal): entries of the registry as jansson objects. */
#ifndef SHUF_THEOREM_JSON_H
#define SHUF_THEOREM_JSON_H

#include <jansson.h>

#include "theorem.h"

/* A new object. */
json_t *theorem_json(const shuf_theorem *theorem);

#endif
