/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Results that are no answers to questions: closed forms with their own shape, errors of estimates, papers' values. */
#include <string.h>

#include "cli/question.h"

static void take_theorems(shuf_answer_bound *b, const cli_result *result)
{
    size_t i;
    b->theorem[b->theorems++] = result->theorem;
    for (i = 0; i < CLI_MAX_LINES && result->through[i] != NULL; i++)
        b->theorem[b->theorems++] = result->through[i];
    b->side = shuf_theorem_find(result->theorem)->side;
    for (i = 0; i < b->theorems; i++)
        if (!shuf_theorem_certifies(b->theorem[i], b->side))
            b->side = SHUF_SIDE_NONE;
}

int cli_print_result(const cli_result *result, shuf_enclosure_t r, const cli_options *o, slong digits)
{
    const char *round[] = { result->round_eps, result->round_delta };
    shuf_question_t question;
    shuf_answer_bound b;
    json_t *answer, *bound, *notes = json_array();
    size_t i;
    int status;
    if (!arf_is_pos_inf(r->lo) && !arf_is_finite(r->hi))
    {
        json_decref(notes);
        return cli_fail(EXIT_ACCURACY, "no finite upper end of %s was found within the effort", result->quantity);
    }
    shuf_question_init(question);
    question->digits = digits;
    answer_bound_init(&b);
    shuf_enclosure_set(b.value, r);
    take_theorems(&b, result);
    bound = answer_bound_json(&b, question);
    if (result->guarantee != NULL)
        json_object_set_new(bound, "guarantee", json_string(result->guarantee));
    for (i = 0; i < CLI_MAX_LINES && result->note[i] != NULL; i++)
        json_array_append_new(notes, json_string(result->note[i]));
    if (json_array_size(notes) > 0)
        json_object_set(bound, "notes", notes);
    json_decref(notes);
    if (result->order != NULL || round[0] != NULL)
    {
        json_t *at = json_object();
        cli_set(at, "order", result->order);
        cli_set(at, "round_eps", round[0]);
        cli_set(at, "round_delta", round[1]);
        json_object_set_new(bound, "at", at);
    }
    answer = json_pack("{s:s, s:o, s:b, s:b}", "quantity", result->quantity, "value", bound, "complete", 1, "accuracy_reached",
                       r->status == SHUF_OK);
    status = cli_print_json(answer, o, 0);
    json_decref(answer);
    answer_bound_clear(&b);
    shuf_question_clear(question);
    return status != 0 ? status : r->status == SHUF_OK ? EXIT_DONE : EXIT_ACCURACY;
}
