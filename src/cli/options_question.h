/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* options_question: options of the command line as a question, and its answer (internal). */
#ifndef SHUF_CLI_OPTIONS_QUESTION_H
#define SHUF_CLI_OPTIONS_QUESTION_H

#include "account/answer_json.h"
#include "cli/cli.h"

/*
 * object := a question with what the options say about whom it is about (pair
 * or mechanism, users, sample, rounds, composition) and how (direction, via,
 * fast, digits, effort, clock). The caller adds "ask" or "claim".
 * Returns 0, or an exit status after a message.
 */
int cli_question(json_t **object, const cli_options *o);

/* The last of these: how it is answered. */
void cli_set_how(json_t *question, const cli_options *o);

/* object[key] := the text of an option, unless it is NULL. */
void cli_set(json_t *object, const char *key, const char *text);

/* The same of each option of the list, with blanks between, under its own name, in which dashes become underscores. */
void cli_set_options(json_t *object, const cli_options *o, const char *names);

/* { "quantity": quantity } with those options as members. */
json_t *cli_ask(const cli_options *o, const char *quantity, const char *names);

/* --solve, one of the names, as a quantity; NULL after a message that says what is allowed. */
const char *cli_solved(const cli_options *o, const char *names, const char *allowed);

/* question["ask"] := the quantity at --eps and --delta, or without one what is not given of these; or question["claim"], if both are. */
void cli_set_point(json_t *question, const cli_options *o, const char *quantity);

/*
 * Parses the question: q is initialised by the caller. Returns 0, or an exit
 * status after a message that names options in place of members. Takes the
 * object over.
 */
int cli_read_question(shuf_question_t q, json_t *object);

/* Answers under the watch of the command line; on a terminal it shows progress. Returns 0, or an exit status after a message. */
int cli_answer(shuf_answer_t a, const shuf_question_t q);

/* Answers to many questions, on as many threads as there are; no messages. */
void cli_answer_many(shuf_answer_struct *a, shuf_status *status, const shuf_question_struct *q, size_t count);

/* The exit status of a question that was answered like that, after a message if it failed. */
int cli_answered(const shuf_answer_t a, shuf_status status);

/*
 * The answer printed, text or with --json one object: its value, or the two
 * ends of a mechanism. Returns the exit status: accuracy not reached is
 * EXIT_ACCURACY, a cut one too.
 */
int cli_print_answer(const shuf_answer_t a, const cli_options *o, double seconds);

/* An answer as an object, printed likewise. Returns 0, or EXIT_CANNOT_WRITE after a message. */
int cli_print_json(json_t *answer, const cli_options *o, double seconds);

/* All of the above. Takes the object over. */
int cli_ask_and_print(json_t *object, const cli_options *o);

#endif
