/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* read: a randomiser as a member of other JSON (internal). */
#ifndef SHUF_MECHANISM_READ_H
#define SHUF_MECHANISM_READ_H

#include "../exact/reader.h"
#include "randomiser.h"

/* m is initialised, and to be cleared whatever comes. Returns 0, or -1 after a message. */
int randomiser_read(shuf_randomiser_t m, json_t *object, const reader *r);

#endif
