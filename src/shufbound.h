/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * shufbound: certified accounting for shuffle-model differential privacy.
 *
 * A question goes in and an answer comes out, both of them JSON as
 * doc/schema/README.md has it. Equal questions have equal answers, to the byte,
 * on every machine and for any number of threads.
 *
 * Text is UTF-8. What is returned as char * belongs to the caller, who gives it
 * to shuf_free. It is an object with the member "error", one line that names
 * the member of the question, its value and what is allowed, where the
 * question is wrong or has no answer; a question that is NULL is wrong.
 *
 * Where there is not enough memory, the error is "out of memory" (the result is
 * NULL where there is not even that much), and the process goes on. What the
 * computation held is not given back. For this the first call sets the memory
 * functions of FLINT and jansson, to call those of before, and of GMP, unless
 * they are not GMP's own. FLINT's caches of the thread may then be half made:
 * later questions of the thread are answered in one of their own; call
 * flint_cleanup() before you use FLINT in it yourself.
 *
 * All functions may be called by several threads at once, but for
 * shuf_threads_set.
 */
#ifndef SHUFBOUND_H
#define SHUFBOUND_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0", say; answers have it, too. Not to be freed. */
const char *shuf_version(void);

/* ---- questions ---- */

/* The answer to a question, one line without a newline. It writes no files. */
char *shuf_answer_json(const char *question);

/*
 * The question as it was understood, with its defaults: the member "question"
 * of its answer. Nothing is computed, so that an answer may still say that no
 * theorem covers it.
 */
char *shuf_question_json(const char *question);

/*
 * The certificate of the answer to a question that asks for delta or epsilon of
 * rounds of one pair: what `shufbound delta --certificate` writes, several lines,
 * from which proofs/verify has Coq check both ends.
 */
char *shuf_certificate_json(const char *question);

/*
 * All theorems, an array of objects with the members "id", "status" ("proved",
 * "conditional", "unproved", "asymptotic", "refuted"; only proved ones certify),
 * "side" ("upper bound", "lower bound", "exact", "none"), "checked" ("coq",
 * "paper", "none"), "checked_in" if it is anywhere, "statement", "validity",
 * "source" and "proof", all of them text.
 */
char *shuf_theorems_json(void);

/* Gives back what a function above returned. NULL is nothing. */
void shuf_free(void *text);

/* ---- while it computes ---- */

typedef struct
{
    double deadline;       /* shuf_seconds() at which to stop; 0: none */
    /* Called now and then with "" or a line on what is being done, unless NULL; nonzero stops the computation. */
    int (*progress)(void *data, const char *line);
    void *data;
    int cut;               /* the library's: begin with 0 */
} shuf_watch;

/*
 * Sets the watch of this thread, NULL for none, and returns the one before. It
 * must outlive its use. An answer that it cut short has "complete": false, or is
 * an error; what it says is true all the same. `progress` is not called by
 * the threads that help.
 */
shuf_watch *shuf_watch_set(shuf_watch *watch);

/*
 * A `progress` that shows nothing and stops the computation once *(int *) data
 * is not 0. Another thread or a signal handler may set it at any time; the
 * computation then ends within about a second.
 */
int shuf_stop_flag(void *data, const char *line);

/* Seconds of the monotonic clock that deadlines are of. */
double shuf_seconds(void);

#define SHUF_MAX_THREADS 256

/*
 * How many threads a question may use, 1 to SHUF_MAX_THREADS; 1 at first. For the
 * whole process; call it while nothing is computed. Returns 0, or -1 if there
 * cannot be so many, and then changes nothing.
 */
int shuf_threads_set(int threads);

#ifdef __cplusplus
}
#endif

#endif
