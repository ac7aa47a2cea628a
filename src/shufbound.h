/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * shufbound: certified accounting for shuffle-model differential privacy.
 *
 * A question goes in and an answer comes out. Both are JSON, as
 * doc/schema/README.md defines it. Equal questions have equal answers, to the
 * byte, on every machine and for any number of threads.
 *
 * Text is UTF-8. A function that returns char * gives the text to the caller,
 * who frees it with shuf_free. If the question is wrong or has no answer, the
 * text is an object with the member "error": one line that names the member of
 * the question, its value and what is allowed. A NULL question is wrong.
 *
 * If memory runs out, the error is "out of memory", and the process goes on. If
 * there is not even memory for that text, the result is NULL. Memory that the
 * computation held is not freed. To make this possible, the first call replaces
 * the memory functions of FLINT and jansson with ones that call the previous
 * ones. It replaces those of GMP only if they are still GMP's own. After a
 * failure FLINT's caches of that thread may be half made. Later questions from
 * that thread are therefore answered in a new thread; call flint_cleanup()
 * before you use FLINT in the old one yourself.
 *
 * Several threads may call all functions at once, except shuf_threads_set.
 */
#ifndef SHUFBOUND_H
#define SHUFBOUND_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version, for example "0.1.0"; answers contain it, too. Do not free it. */
const char *shuf_version(void);

/* ---- questions ---- */

/* The answer to a question, as one line without a newline. Writes no files. */
char *shuf_answer_json(const char *question);

/*
 * The question as it was understood, with its defaults: the member "question"
 * of its answer. Nothing is computed, so the answer may still be that no
 * theorem covers the question.
 */
char *shuf_question_json(const char *question);

/*
 * The certificate of an answer, several lines, as `shufbound delta --certificate`
 * writes it. The question must ask for delta or epsilon of rounds of one pair.
 * From the certificate, proofs/verify makes Coq check both ends.
 */
char *shuf_certificate_json(const char *question);

/*
 * All theorems, as an array of objects. Their members are "id", "status" ("proved",
 * "conditional", "unproved", "asymptotic", "refuted"; only proved ones certify),
 * "side" ("upper bound", "lower bound", "exact", "none"), "checked" ("coq",
 * "paper", "none"), "checked_in" if the theorem is checked anywhere, "statement",
 * "validity", "source" and "proof". All of them are text.
 */
char *shuf_theorems_json(void);

/* Frees a text that a function above returned. Does nothing for NULL. */
void shuf_free(void *text);

/* ---- while it computes ---- */

typedef struct
{
    double deadline;       /* the value of shuf_seconds() at which to stop; 0: none */
    /* Called now and then, unless NULL, with "" or a line on what is being done. If it returns nonzero, the computation stops. */
    int (*progress)(void *data, const char *line);
    void *data;
    int cut;               /* for the library's use: set it to 0 at first */
} shuf_watch;

/*
 * Sets the watch of this thread, NULL for none, and returns the previous one. A
 * watch must exist for as long as it is set. An answer that the watch cut short
 * has "complete": false, or is an error; what it states is true all the same. Helper
 * threads do not call `progress`.
 */
shuf_watch *shuf_watch_set(shuf_watch *watch);

/*
 * A `progress` function that shows nothing. It stops the computation once
 * *(int *) data is not 0. Another thread or a signal handler may set this int at
 * any time; the computation then ends within about a second.
 */
int shuf_stop_flag(void *data, const char *line);

/* The time on the monotonic clock of deadlines, in seconds. */
double shuf_seconds(void);

#define SHUF_MAX_THREADS 256

/*
 * Sets how many threads a question may use, from 1 to SHUF_MAX_THREADS, for the
 * whole process. The default is 1. Call it only while nothing is being computed.
 * Returns 0. If `threads` is out of range, returns -1 and changes nothing.
 */
int shuf_threads_set(int threads);

#ifdef __cplusplus
}
#endif

#endif
