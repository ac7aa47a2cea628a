/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * certificate: a printed enclosure as a theorem for Coq.
 *
 * The file states the enclosure of one delta(eps), or the two values of delta
 * that an enclosure of eps(delta) rests on, and proves it by a computation that
 * Coq's kernel repeats with an evaluator proved sound in proofs/coq/Certificate.v
 * (proofs/certificates.md). Beside the statement it has only hints: a window of
 * strata, the first threshold, a precision. They are found in plain double
 * precision; a wrong hint makes Coq refuse the file and cannot make it accept a
 * false one.
 */
#ifndef SHUF_CERTIFICATE_H
#define SHUF_CERTIFICATE_H

#include <stdio.h>

#include "../enclosure/enclosure.h"
#include "../pair/pair.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
    const shuf_pair_struct *pair;
    shuf_direction direction;
    uint64_t rounds;
    int of_epsilon;                  /* 0: lo <= delta(point) <= hi; 1: lo <= eps(point) <= hi */
    const shuf_real_struct *point;   /* eps, or delta */
    const shuf_enclosure_struct *value;
    slong digits;                    /* that were asked for */
    const char *command;             /* what was asked, for a comment */
} shuf_certificate;

/* NULL, or why there are no certificates of so many rounds of this pair. */
const char *shuf_certificate_refusal(const shuf_pair_t pair, uint64_t rounds);

/* NULL, or why Coq could not read a file of this name. */
const char *shuf_certificate_name_refusal(const char *path);

/*
 * Writes the certificate, with the ends of the value as shuf_enclosure_print has
 * them at digits + 5. Returns NULL, or why it cannot.
 */
const char *shuf_certificate_write(FILE *out, const shuf_certificate *c);

#ifdef __cplusplus
}
#endif

#endif
