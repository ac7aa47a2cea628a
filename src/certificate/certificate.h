/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * certificate: a printed enclosure with what Coq needs to check it.
 *
 * The file is JSON, data only: the question, the two ends, and hints, which are a
 * window of strata, the first threshold, a precision. proofs/verify makes a
 * statement of a question and the ends, and Coq's kernel repeats the computation
 * with an evaluator proved sound in proofs/coq/Certificate.v (proofs/certificates.md).
 * The hints are found in plain double precision; a wrong hint makes Coq refuse the
 * certificate and cannot make it accept a false one.
 */
#ifndef SHUF_CERTIFICATE_H
#define SHUF_CERTIFICATE_H

#include <stdio.h>

#include "../enclosure/enclosure.h"
#include "../pair/pair.h"

typedef struct
{
    const shuf_pair_struct *pair;
    shuf_direction direction;
    uint64_t rounds;
    int of_epsilon;                  /* 0: lo <= delta(point) <= hi; 1: lo <= eps(point) <= hi */
    const shuf_real_struct *point;   /* eps, or delta */
    const shuf_enclosure_struct *value;
    slong digits;                    /* that were asked for */
    const char *question;            /* all of that, as shuf_question_text has it */
} shuf_certificate;

/* NULL, or why there are no certificates of so many rounds of this pair. */
const char *shuf_certificate_refusal(const shuf_pair_t pair, uint64_t rounds);

/*
 * Writes the certificate, with the ends of the value as shuf_enclosure_print has
 * them at digits + 5. Returns NULL, or why it cannot.
 */
const char *shuf_certificate_write(FILE *out, const shuf_certificate *c);

#endif
