/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* claim: writes a claim for audit, by options or by questions in plain English */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/catalogue.h"
#include "cli/options_question.h"
#include "enclosure/memory.h"
#include "exact/reader.h"

/* ---- what is asked ---- */

enum { USERS, RANDOMISER, EPS0, NOTION, K, RELEASE, ROUNDS, SAMPLE, SCHEME, NEIGHBOURS, EPSILON, DELTA, ID, SOURCE, STEPS };

static const struct
{
    const char *option, *member; /* that it is */
    const char *otherwise;       /* the default, or NULL */
    const char *stand_in;        /* of no default, until there is a reply */
    const char *text;
} steps[STEPS] = {
    [USERS] = { "users", "users", NULL, "1",
      "1. Who are the users?\n"
      "   Count everybody who may send a report, also those whom a round leaves out." },
    [RANDOMISER] = { "randomiser", "type", "ldp", NULL,
      "2. What is in a report?\n"
      "   ldp                anything that is eps0 locally differentially private: the answer if you are not sure\n"
      "   rr2, krr           one value, kept or replaced by a random one: of two values, of k values\n"
      "   rappor, oue        a vector of bits, each of them flipped at random\n"
      "   hadamard-response  a random index that favours half of the outputs\n"
      "   or a file that describes it and ends in .json: doc/mechanisms has examples" },
    [EPS0] = { "eps0", "eps0", NULL, "1",
      "3. What is eps0, the local privacy parameter of a report? For example 4, 1/2 or log(3)." },
    [NOTION] = { "eps0-notion", "local", "replace", NULL,
      "   Whose eps0 is it?\n"
      "   replace  any two values are at most e^eps0 apart\n"
      "   delete   each value is at most e^eps0 from one law of reports without a value; up to twice as much for replacing" },
    [K] = { "k", "k", NULL, "2", "   How many values may a user hold?" },
    [RELEASE] = { "release", "release", "reports", NULL,
      "   What is released?\n"
      "   reports  all of them, shuffled\n"
      "   sum      only the sum of the vectors" },
    [ROUNDS] = { "rounds", "rounds", "1", NULL,
      "4. How many rounds are there?\n"
      "   Rounds take reports of the same users. If the claim is for a year of monthly reports, there are 12." },
    [SAMPLE] = { "subsample", "rate", "1", NULL,
      "   Which part of the users takes part in a round? For example 1/10; 1 is everybody.\n"
      "   It is drawn anew for each round, and who was drawn is secret." },
    [SCHEME] = { "scheme", "scheme", "fixed", NULL,
      "   How is that part drawn?\n"
      "   fixed    so many users, all sets of them equally likely\n"
      "   poisson  each user with that probability, independently" },
    [NEIGHBOURS] = { "neighbours", "neighbours", "replace", NULL,
      "5. Which data sets are neighbours?\n"
      "   replace  one user's value is replaced by another" },
    [EPSILON] = { "claimed-epsilon", "eps", NULL, "1", "What is claimed? The epsilon of all rounds together:" },
    [DELTA] = { "claimed-delta", "delta", NULL, "1", "   and its delta. For example 1e-6." },
    [ID] = { "id", "id", "claim", NULL, "A short name for the claim:" },
    [SOURCE] = { "source", "source", "not published", NULL, "Where does it stand? A title and a page, or a link:" }
};

static const struct { const char *name; int takes_k, takes_deletion, has_sum; } randomisers[] = {
    { "ldp", 0, 1, 0 }, { "rr2", 0, 0, 0 }, { "krr", 1, 0, 0 }, { "rappor", 0, 1, 1 }, { "oue", 0, 0, 1 }, { "hadamard-response", 1, 0, 0 }
};

#define RANDOMISERS (sizeof(randomisers) / sizeof(randomisers[0]))

/* The replies so far; NULL: none, or not asked. */
typedef struct
{
    const char *reply[STEPS];
    size_t kind; /* in randomisers; RANDOMISERS: a file */
    int is_interactive;
} claim;

static const char *default_of(const claim *c, size_t i)
{
    return i == NOTION && strcmp(randomisers[c->kind].name, "rappor") == 0 ? "delete" : steps[i].otherwise;
}

/* Whether it is a question, given the replies before it. */
static int applies(const claim *c, size_t i)
{
    const int is_file = c->kind == RANDOMISERS;
    if (i == EPS0 || i == NOTION)
        return !is_file;
    if (i == K || i == RELEASE)
        return is_file ? i == RELEASE : i == K ? randomisers[c->kind].takes_k : randomisers[c->kind].has_sum;
    return i != SCHEME || (c->reply[SAMPLE] != NULL && strcmp(c->reply[SAMPLE], "1") != 0);
}

/* ---- the claim ---- */

static json_t *mechanism_of(const claim *c, reader *r)
{
    json_t *mechanism;
    char *text;
    size_t length;
    if (c->kind == RANDOMISERS)
    {
        if (reader_file(&text, &length, c->reply[RANDOMISER], r) != 0)
            return NULL;
        mechanism = reader_parse(text, length, r);
        flint_free(text);
        return mechanism;
    }
    mechanism = json_object();
    cli_set(mechanism, "type", randomisers[c->kind].name);
    if (applies(c, K))
        cli_set(mechanism, "k", c->reply[K]);
    cli_set(mechanism, "eps0", c->reply[EPS0]);
    if (randomisers[c->kind].takes_deletion)
        cli_set(mechanism, "local", c->reply[NOTION]);
    return mechanism;
}

/* The claim as audit reads it, every reply being there; NULL after a message. */
static json_t *claim_json(const claim *c, reader *r)
{
    json_t *object = json_object(), *mechanism = mechanism_of(c, r), *stated = json_object();
    if (mechanism == NULL)
    {
        json_decref(object);
        json_decref(stated);
        return NULL;
    }
    cli_set(object, "id", c->reply[ID]);
    cli_set(object, "source", c->reply[SOURCE]);
    json_object_set_new(object, "mechanism", mechanism);
    cli_set(object, "users", c->reply[USERS]);
    if (applies(c, RELEASE))
        cli_set(object, "release", c->reply[RELEASE]);
    cli_set(object, "neighbours", c->reply[NEIGHBOURS]);
    cli_set(object, "rounds", c->reply[ROUNDS]);
    if (applies(c, SCHEME))
        json_object_set_new(object, "sample", json_pack("{s:s, s:s}", "scheme", c->reply[SCHEME], "rate", c->reply[SAMPLE]));
    cli_set(stated, "eps", c->reply[EPSILON]);
    cli_set(stated, "delta", c->reply[DELTA]);
    json_object_set_new(object, "claim", stated);
    return object;
}

/* ---- checks ---- */

/* "k-RR" is krr. */
static int is_named(const char *name, const char *reply)
{
    do
    {
        name += *name == '-';
        reply += *reply == '-';
        if (*name != (*reply >= 'A' && *reply <= 'Z' ? *reply + ('a' - 'A') : *reply))
            return 0;
        reply++;
    } while (*name++ != '\0');
    return 1;
}

static int set_kind(claim *c, reader *r)
{
    const char *reply = c->reply[RANDOMISER];
    char names[RANDOMISERS * 20] = "", nearest[NAMES_SIZE] = "";
    const size_t length = strlen(reply);
    size_t i;
    for (i = 0; i < RANDOMISERS && !is_named(randomisers[i].name, reply); i++)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ", randomisers[i].name);
    c->kind = i;
    if (i < RANDOMISERS || (length > 5 && strcmp(reply + length - 5, ".json") == 0))
        return 0;
    names_nearest(nearest, reply, names);
    return reader_fail(r, "\"type\" is \"%.60s\": %s%sldp, rr2, krr, rappor, oue, hadamard-response or a file that ends in .json is allowed", reply,
                       nearest, nearest[0] != '\0' ? " may be meant; " : "");
}

/* Whether the reply is right after those before it, by the parser of questions: what is not known yet is stood in for. */
static int check_reply(claim *c, size_t i, reader *r)
{
    json_t *text = json_string(c->reply[i]), *object;
    shuf_question_t q;
    claim whole;
    size_t j;
    int result;
    json_decref(text);
    if (text == NULL || c->reply[i][0] == '\0')
        return reader_fail(r, "\"%s\" is %s: a text is allowed", steps[i].member, text == NULL ? "not UTF-8" : "empty");
    if (i == RANDOMISER && set_kind(c, r) != 0)
        return -1;
    if (i == NOTION && !randomisers[c->kind].takes_deletion && strcmp(c->reply[i], "replace") != 0)
        return reader_fail(r, "\"local\" is \"%.40s\": replace is allowed; delete goes with ldp and rappor only", c->reply[i]);
    whole = *c;
    for (j = i + 1; j < STEPS; j++)
        whole.reply[j] = steps[j].otherwise == NULL ? steps[j].stand_in : applies(c, j) ? default_of(c, j) : NULL;
    if ((object = claim_json(&whole, r)) == NULL)
        return -1;
    json_object_del(object, "id"); /* which messages would begin with */
    shuf_question_init(q);
    result = question_read(q, object, r);
    shuf_question_clear(q);
    json_decref(object);
    return result;
}

/* The same; the message names the option, or the question, in place of its member. */
static int take_reply(claim *c, size_t i, const char *reply)
{
    const char *dashes = c->is_interactive ? "" : "--";
    char error[256] = "", begin[40];
    reader r = { error, sizeof(error), "", "" };
    const int length = snprintf(begin, sizeof(begin), "\"%s\" is ", steps[i].member);
    c->reply[i] = reply;
    if (check_reply(c, i, &r) == 0)
        return 0;
    return strncmp(error, begin, (size_t) length) == 0 ? report_fail(EXIT_USAGE, "%s%s is %s", dashes, steps[i].option, error + length)
                                                       : report_fail(EXIT_USAGE, "%s%s %.60s: %s", dashes, steps[i].option, reply, error);
}

/* ---- replies ---- */

/* By options; what is not given has its default. */
static int take_options(claim *c, const cli_options *o)
{
    char needs[160] = "users randomiser claimed-epsilon claimed-delta", error[256];
    reader r = { error, sizeof(error), "", "" };
    size_t i;
    int status;
    c->reply[RANDOMISER] = o->randomiser;
    if (o->randomiser != NULL && set_kind(c, &r) == 0)
        snprintf(needs + strlen(needs), sizeof(needs) - strlen(needs), "%s%s", applies(c, EPS0) ? " eps0 eps0-notion" : "", applies(c, K) ? " k" : "");
    if (cli_require(o, needs) != 0)
        return EXIT_USAGE;
    c->kind = 0; /* until it is its turn */
    for (i = 0; i < STEPS; i++)
    {
        const char *given = cli_option_text(o, cli_option_named(steps[i].option));
        if (given != NULL && !applies(c, i))
            return report_fail(EXIT_USAGE, "--%s does not go with %s", steps[i].option, i == SCHEME ? "all users: --subsample is missing" : o->randomiser);
        if (applies(c, i) && (status = take_reply(c, i, given != NULL ? given : default_of(c, i))) != 0)
            return status;
    }
    return 0;
}

/* One line without blanks around it; NULL at the end. */
static char *read_line(void)
{
    char *line = NULL, *begin;
    size_t size = 0, length;
    if (getline(&line, &size, stdin) < 0)
    {
        free(line);
        return NULL;
    }
    begin = line + strspn(line, " \t");
    length = strlen(begin);
    while (length > 0 && strchr(" \t\r\n", begin[length - 1]) != NULL)
        length--;
    memmove(line, begin, length);
    line[length] = '\0';
    return line;
}

/* Asks until the reply is right; `kept` owns it. */
static int ask_one(claim *c, size_t i, char **kept)
{
    const char *otherwise = default_of(c, i);
    const int is_terminal = isatty(STDIN_FILENO);
    if (is_terminal)
        fprintf(stderr, "\n%s\n", steps[i].text);
    do
    {
        free(*kept);
        if (is_terminal)
            fprintf(stderr, "   %s%s%s%s: ", steps[i].option, otherwise != NULL ? " [" : "", otherwise != NULL ? otherwise : "", otherwise != NULL ? "]" : "");
        if ((*kept = read_line()) == NULL)
        {
            fputs(is_terminal ? "\n" : "", stderr);
            return report_fail(EXIT_NO_INPUT, "the input ends before %s is answered: nothing is written", steps[i].option);
        }
    } while (take_reply(c, i, (*kept)[0] == '\0' && otherwise != NULL ? otherwise : *kept) != 0);
    return 0;
}

static int take_answers(claim *c, char **kept)
{
    size_t i;
    int status = 0;
    if (isatty(STDIN_FILENO))
        fputs("A claim, to be judged by shufbound audit. An empty line takes what is in brackets.\n", stderr);
    for (i = 0; i < STEPS && status == 0; i++)
        if (applies(c, i))
            status = ask_one(c, i, &kept[i]);
    return status;
}

/* ---- output ---- */

static int write_claim(const claim *c, const cli_options *o)
{
    char error[256] = "";
    reader r = { error, sizeof(error), "", "" };
    report_file file = { .out = stdout };
    json_t *object = claim_json(c, &r), *claims = json_pack("[o*]", object);
    int status = 0;
    if (object == NULL) /* a file that has gone since */
        status = report_fail(EXIT_DATA, "--randomiser %s: %s", c->reply[RANDOMISER], error);
    else if (o->output != NULL)
        status = report_file_open(&file, "--output", o->output);
    if (status == 0)
    {
        memory_dump(file.out, claims, JSON_INDENT(1));
        status = report_finish(o->output != NULL ? report_file_close(&file) : EXIT_DONE);
    }
    json_decref(claims);
    return status;
}

int cli_command_claim(const cli_options *o)
{
    claim c = { .is_interactive = 1 };
    char *kept[STEPS] = { NULL };
    report_file file;
    size_t i;
    int status = 0;
    for (i = 0; i < STEPS; i++)
        c.is_interactive &= cli_option_text(o, cli_option_named(steps[i].option)) == NULL;
    /* what cannot be written is told before anything is asked */
    if (o->output != NULL && (status = report_file_open(&file, "--output", o->output)) == 0)
        report_file_discard(&file);
    if (status == 0)
        status = c.is_interactive ? take_answers(&c, kept) : take_options(&c, o);
    if (status == 0)
        status = write_claim(&c, o);
    for (i = 0; i < STEPS; i++)
        free(kept[i]);
    return status;
}
