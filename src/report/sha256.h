/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* sha256: names an input file by its contents (internal, of the program). */
#ifndef SHUF_REPORT_SHA256_H
#define SHUF_REPORT_SHA256_H

#include <stddef.h>

#define SHA256_SIZE 65 /* size: 64 hexadecimal digits and the final 0 */

/* out := SHA-256 (FIPS 180-4) of the data, in hexadecimal, as sha256sum(1) prints it. */
void sha256_hex(char out[SHA256_SIZE], const void *data, size_t length);

#endif
