/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* dpsgd: noisy stochastic gradient descent by how its batches are drawn (proofs/dpsgd.md). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/catalogue.h"
#include "cli/options_question.h"

/* ---- what trainers know ---- */

typedef struct
{
    cli_options o;  /* as the question has them */
    char rate[48], steps[24], assumed[400];
} training;

static void assume(training *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void assume(training *t, const char *format, ...)
{
    size_t used = strlen(t->assumed);
    va_list args;
    va_start(args, format);
    if (used > 0)
        used += (size_t) snprintf(t->assumed + used, sizeof(t->assumed) - used, "; ");
    vsnprintf(t->assumed + used, sizeof(t->assumed) - used, format, args);
    va_end(args);
}

/* --target-epsilon is --eps with --solve noise-multiplier. */
static int set_target(training *t)
{
    cli_options *o = &t->o;
    shuf_real_t eps;
    int status = 0;
    if (o->target_epsilon != NULL)
    {
        if (o->eps != NULL || o->solve != NULL || o->noise_multiplier != NULL)
            return report_fail(EXIT_USAGE, "--target-epsilon finds the noise multiplier: give no --noise-multiplier, --eps or --solve");
        shuf_real_init(eps);
        status = cli_epsilon(eps, "--target-epsilon", o->target_epsilon);
        shuf_real_clear(eps);
        o->eps = o->target_epsilon;
        o->solve = "noise-multiplier";
    }
    return status == 0 && o->solve != NULL ? cli_require(o, "eps delta") : status;
}

/* The sampling rate is the batch size over the size of the data set, exactly. */
static int set_rate(training *t)
{
    cli_options *o = &t->o;
    const int is_cut = names_has("fixed balls-and-bins shuffle", o->sampler);
    uint64_t batch, all;
    if (o->batch_size == NULL && o->dataset_size == NULL)
        return 0;
    if (cli_require(o, "batch-size dataset-size") != 0)
        return EXIT_USAGE;
    if (o->sampling_rate != NULL || (is_cut && o->steps != NULL))
        return report_fail(EXIT_USAGE, "--%s follows from --batch-size and --dataset-size: it must not be given",
                           o->sampling_rate != NULL ? "sampling-rate" : "steps");
    if (cli_count(&all, "--dataset-size", o->dataset_size, 1, SHUF_MAX_USERS) != 0
        || cli_count(&batch, "--batch-size", o->batch_size, 1, all) != 0)
        return EXIT_USAGE;
    /* the theorems on such batches know an epoch of equal ones */
    if (is_cut && all % batch != 0)
        return report_fail(EXIT_USAGE, "--batch-size is %.40s: with --sampler %s it must divide --dataset-size, which is %.40s, as no theorem here has "
                           "a smaller last batch; --steps %llu in place of both is an epoch of equal batches", o->batch_size, o->sampler,
                           o->dataset_size, (unsigned long long) (all / batch));
    snprintf(t->rate, sizeof(t->rate), "%llu/%llu", (unsigned long long) batch, (unsigned long long) all);
    o->sampling_rate = t->rate;
    assume(t, "sampling rate %s", t->rate);
    return 0;
}

/* steps := epochs/rate, all of them rounded up; fewer := each of them rounded down. */
static void count_steps(fmpz_t steps, fmpz_t fewer, const fmpq_t rate, uint64_t epochs)
{
    fmpz_mul_ui(steps, fmpq_denref(rate), epochs);
    fmpz_cdiv_q(steps, steps, fmpq_numref(rate));
    fmpz_fdiv_q(fewer, fmpq_denref(rate), fmpq_numref(rate));
    fmpz_mul_ui(fewer, fewer, epochs);
}

/* Steps of batches that are drawn anew, of which an epoch need not have a whole number: so there is one epoch of all. */
static int set_steps(training *t, uint64_t epochs)
{
    cli_options *o = &t->o;
    fmpq_t rate;
    fmpz_t steps, fewer;
    int status;
    if (!names_has("poisson without-replacement", o->sampler))
        return 0;
    if (o->sampling_rate == NULL)
    {
        assume(t, "sampling rate 1/%s, one over the steps of an epoch", o->steps);
        return 0;
    }
    fmpq_init(rate); fmpz_init(steps); fmpz_init(fewer);
    status = cli_probability(rate, "--sampling-rate", o->sampling_rate);
    if (status == 0 && o->steps == NULL && fmpz_cmp_ui(fmpq_numref(rate), 1) > 0)
    {
        count_steps(steps, fewer, rate, epochs);
        if (fmpz_cmp_ui(steps, SHUF_BATCH_MAX_STEPS) > 0)
            status = report_fail(EXIT_USAGE, "--epochs is %.40s: at this sampling rate it makes more than 1e9 steps",
                                 o->epochs != NULL ? o->epochs : "1");
        snprintf(t->steps, sizeof(t->steps), "%llu", (unsigned long long) fmpz_get_ui(steps));
        o->steps = t->steps;
        o->epochs = NULL;
        if (o->solve != NULL && strcmp(o->solve, "epochs") == 0)
            assume(t, "%s steps an epoch, 1 over the sampling rate rounded up", t->steps);
        else
            assume(t, "%s steps, epochs over the sampling rate rounded up as TensorFlow Privacy does (Opacus, which rounds down in "
                   "each epoch, counts %llu)", t->steps, (unsigned long long) fmpz_get_ui(fewer));
    }
    fmpq_clear(rate); fmpz_clear(steps); fmpz_clear(fewer);
    return status;
}

int cli_command_dpsgd(const cli_options *o)
{
    training t = { .o = *o };
    cli_options shown = *o;
    const char *quantity = NULL;
    json_t *question;
    uint64_t epochs = 1;
    int status;
    if (o->sampler == NULL)
    {
        t.o.sampler = "poisson";
        assume(&t, "Poisson sampling, as no --sampler is given");
    }
    if (o->epochs != NULL && (status = cli_count(&epochs, "--epochs", o->epochs, 1, SHUF_MAX_ROUNDS)) != 0)
        return status;
    if (o->epochs != NULL && o->solve != NULL && strcmp(o->solve, "epochs") == 0)
        return report_fail(EXIT_USAGE, "--epochs is what is searched for: leave it out");
    if ((status = set_target(&t)) != 0 || (status = set_rate(&t)) != 0 || (status = set_steps(&t, epochs)) != 0)
        return status;
    if (t.o.solve != NULL && (quantity = cli_solved(&t.o, "noise-multiplier epochs", "noise-multiplier or epochs")) == NULL)
        return EXIT_USAGE;
    if ((status = cli_question(&question, &t.o)) != 0)
        return status;
    cli_set_point(question, &t.o, quantity);
    shown.assumed = t.assumed[0] != '\0' ? t.assumed : NULL;
    return cli_ask_and_print(question, &shown);
}
