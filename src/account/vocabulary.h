/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* vocabulary (internal): what a question may say, one row each. The parser, the help and the schema are made of it. */
#ifndef SHUF_ACCOUNT_VOCABULARY_H
#define SHUF_ACCOUNT_VOCABULARY_H

#include "../exact/reader.h"
#include "../pair/pair.h"
#include "../randomiser/randomiser.h"
#include "question.h"

/* The objects of a question. */
typedef enum
{
    OBJECT_QUESTION, OBJECT_ROUND, OBJECT_USERS, OBJECT_SAMPLE, OBJECT_GROUP, OBJECT_MECHANISM, OBJECT_PAIR, OBJECT_FORM, OBJECT_SELECTION, OBJECT_ASK, OBJECT_CLAIM,
    VOCABULARY_OBJECTS
} vocabulary_object;

extern const char *const vocabulary_objects[VOCABULARY_OBJECTS];

typedef struct
{
    unsigned in;                /* the objects that may have it, a sum of 1 << vocabulary_object */
    const char *name;
    const char *kind;           /* of its value, as doc/schema/schema.py knows them; NULL: one of the choices */
    const char *const *choices; /* `count` of them; NULL: none */
    int count;
    const char *range;          /* what is allowed, or NULL */
    const char *otherwise;      /* the default, or NULL */
    const char *about;          /* a sentence without its full stop */
} vocabulary_member;

typedef struct
{
    const char *name;
    const char *point; /* members of "ask"; what has a ? may be left out */
    const char *about;
} vocabulary_quantity;

/* The i-th; NULL after the last. Types of mechanisms are those of question and randomisers. */
const vocabulary_member *vocabulary_member_at(size_t i);
const shuf_randomiser_family *vocabulary_mechanism_at(size_t i);

const vocabulary_quantity *vocabulary_quantity_about(shuf_quantity quantity);

/* The members of a kind of pair, as those of a type of mechanism are written. */
#define VOCABULARY_PAIR_SIZE 64 /* size of a buffer */
void vocabulary_pair_members(char list[VOCABULARY_PAIR_SIZE], const shuf_pair_facts *facts);

/* All of it, pairs and samplers too; a new reference. */
json_t *vocabulary_json(void);

/* Whether mechanisms of that type have the member; also where there is no such type. */
int vocabulary_mechanism_has(const char *type, const char *member);

/* Whether every member of the object may be there; of a mechanism by its type. Return 0, or -1 after a message. */
int vocabulary_check(json_t *object, vocabulary_object which, const reader *r);
int vocabulary_check_mechanism(json_t *object, const char *type, const reader *r);

/* The members of a part or question that are texts. */
extern const char *const question_texts[4];

/* The choices of members, in the order of their enumerations; via has "any" before them, which is not written. */
extern const char *const question_vias[], *const question_directions[];
extern const char *const question_neighbours[], *const question_releases[], *const question_locals[], *const question_schemes[];

/* How a number of runs is drawn, in the order of shuf_selection from SHUF_SELECTION_GEOMETRIC on. */
#define QUESTION_RUNS 4 /* size of the array */
extern const char *const question_runs[QUESTION_RUNS];

#endif
