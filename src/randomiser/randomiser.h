/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * mechanism: local randomisers, described exactly.
 *
 * A finite randomiser R is a matrix of exact probabilities R(x)(y), or one of
 * the named families, whose many outputs fall into a few classes on which all
 * the rows in question are proportional; two families on the line, Laplace and
 * Gaussian noise, have densities instead. Every quantity is computed from the
 * probabilities; an eps0 stated for a matrix is checked. See
 * proofs/mechanism.md.
 */
#ifndef SHUF_MECHANISM_H
#define SHUF_MECHANISM_H

#include <stddef.h>
#include <stdint.h>

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"

typedef enum
{
    SHUF_RANDOMISER_MATRIX,        /* rows = inputs, columns = outputs */
    SHUF_RANDOMISER_KRR,           /* k-ary randomised response: k, eps0 */
    SHUF_RANDOMISER_RAPPOR,        /* one-hot in k bits, each bit flipped with probability flip = 1/(e^{eps0/2}+1) */
    SHUF_RANDOMISER_SUBSET,        /* subset selection: a set of `size` of k values, weight e^eps0 if x is in it */
    SHUF_RANDOMISER_HADAMARD,      /* Hadamard response: K = 2^ceil(log2(k+1)) outputs, row x+1 of the Hadamard matrix */
    SHUF_RANDOMISER_LOCAL_HASHING, /* a public uniformly random function to g values, then g-ary response of its value */
    SHUF_RANDOMISER_LAPLACE,       /* x + Laplace noise of scale b, two inputs at distance 1, or all between them */
    SHUF_RANDOMISER_GAUSSIAN,      /* x + N(0, sigma^2), the same inputs */
    SHUF_RANDOMISER_PRODUCT,       /* a tuple: each entry by its own part, all reported */
    SHUF_RANDOMISER_UNARY,         /* one-hot in k bits: the bit that is set is reported as a one with probability `one`, others with `zero` */
    SHUF_RANDOMISER_OUE,           /* the same with one = 1/2, zero = 1/(e^eps0 + 1) */
    SHUF_RANDOMISER_MIXTURE        /* a tuple: one entry, drawn by the weights, by its own part; which one is reported too */
} shuf_randomiser_kind;

/* Largest number of inputs and outputs of a matrix; more are refused. */
#define SHUF_MAX_MATRIX 64

#define SHUF_RANDOMISERS (SHUF_RANDOMISER_MIXTURE + 1)

/* A family as it is described. */
typedef struct
{
    const char *name;    /* the "type" */
    const char *members; /* besides "type" and "name": of a|b one is given, and a? may be left out */
    const char *about;   /* a sentence without its full stop */
} shuf_randomiser_family;

/* NULL for what is no kind. */
const shuf_randomiser_family *shuf_randomiser_about(shuf_randomiser_kind kind);

typedef struct shuf_randomiser_struct
{
    shuf_randomiser_kind kind;
    char *name;        /* as the description gives it, or NULL */
    uint64_t inputs;   /* number of inputs: MATRIX rows, k, or 2 for the line; or SHUF_ANY_INPUTS */
    uint64_t outputs;  /* MATRIX: columns; when read, proportional ones are merged (proofs/mechanism.md, Lemma 7) */
    fmpq *row;         /* MATRIX: inputs x outputs probabilities, row by row; else NULL */
    uint64_t size;     /* SUBSET: elements of the set, 1 <= size < k; LOCAL_HASHING: g >= 2 */
    shuf_real_t eps0;  /* the families with k inputs: replacement-LDP parameter, 0 <= eps0 <= SHUF_MAX_EPSILON */
    fmpq_t one, zero;  /* UNARY: 0 < zero < one < 1 */
    shuf_real_t scale; /* LAPLACE: b; GAUSSIAN: sigma; a rational, at least 1/SHUF_MAX_EPSILON */
    struct shuf_randomiser_struct *part; /* PRODUCT, MIXTURE: matrices and families */
    uint64_t parts;
    fmpq *weight;      /* MIXTURE: of each part, positive, sum 1; else NULL */
} shuf_randomiser_struct;

typedef shuf_randomiser_struct shuf_randomiser_t[1];

/* Binary randomised response with eps0 = 0. */
void shuf_randomiser_init(shuf_randomiser_t r);
void shuf_randomiser_clear(shuf_randomiser_t r);

/*
 * Reads a JSON object, for example {"type": "matrix", "rows": [["3/4","1/4"],
 * ["1/4","3/4"]], "eps0": "log(3)"} or {"type": "subset", "k": 10, "size": 3,
 * "eps0": "1"}; doc/mechanisms/README.md has them all. Members that are not
 * part of the format are refused, and so is a matrix whose stated eps0 is below
 * the true one. Returns 0, or -1 (r unchanged) with a one-line message in error
 * (at most size bytes). r is initialised by the caller.
 */
int shuf_randomiser_load(shuf_randomiser_t r, const char *path, char *error, size_t size);
int shuf_randomiser_parse(shuf_randomiser_t r, const char *text, size_t length, char *error, size_t size);

/* Whether a report is a vector of bits that are independent given the one-hot input. */
int shuf_randomiser_is_unary(const shuf_randomiser_t r);

/* Whether it adds noise to a number. */
int shuf_randomiser_is_line(const shuf_randomiser_t r);

/* Whether there is an input 2. */
int shuf_randomiser_has_third(const shuf_randomiser_t r);

/* Whether its eps0, or on the line its scale, is all that may be searched for: not if it is described by other numbers. */
int shuf_randomiser_has_parameter(const shuf_randomiser_t r);

/*
 * The smallest eps0 for which the randomiser is eps0-LDP (replacement),
 * exactly; of a PRODUCT with a rational and a logarithm among the eps0 of its
 * parts, a rational less than 2^-SHUF_EPS0_BITS above it. Returns 1, or 0 (eps0
 * unchanged) when there is none: a probability 0 that is positive for another
 * input, or Gaussian noise.
 */
#define SHUF_EPS0_BITS 160 /* any will do: steers only */
int shuf_randomiser_eps0(shuf_real_t eps0, const shuf_randomiser_t r);

/* Whether it is such a PRODUCT. */
int shuf_randomiser_eps0_is_rounded(const shuf_randomiser_t r);

/*
 * Number of inputs of a RAPPOR, UNARY or OUE that may have any number of them, and of LAPLACE
 * and GAUSSIAN with all of [0, 1]: upper bounds then hold for all of them, and
 * inputs beyond 0 and 1 are not to be asked for.
 */
#define SHUF_ANY_INPUTS UINT64_MAX

/* Where the other users' reports come from. */
#define SHUF_BLANKET UINT64_MAX

/*
 * The outputs, merged into classes: class j has mass p[j] under R(x), q[j]
 * under R(x1), and w[j] under the reference, R(reference) or, for reference =
 * SHUF_BLANKET, the blanket min_z R(z)(y) (total mass gamma <= 1); on a class
 * the three are proportional, so any sum over outputs of a homogeneous function
 * of the three probabilities is the sum over classes. Classes with no mass at
 * all are left out; classes that are certainly proportional are one.
 */
typedef struct
{
    slong count;
    arb_ptr p, q, w;
} shuf_classes_struct;

typedef shuf_classes_struct shuf_classes_t[1];

void shuf_classes_clear(shuf_classes_t c);

/*
 * Initialises c. All indices < inputs, the reference any input (x and
 * x1 included) or SHUF_BLANKET; not for LAPLACE and GAUSSIAN. Every mass is
 * enclosed with small relative error, whatever its size. c depends on
 * which of the indices are equal; for HADAMARD with a third input as reference
 * also on whether (x+1) xor (x1+1) = reference+1, and both cases occur when
 * k >= 4: with the pair (0, 1), references 2 (equal) and 3 (not).
 */
void shuf_randomiser_classes(shuf_classes_t c, const shuf_randomiser_t r, uint64_t x, uint64_t x1, uint64_t reference,
                             slong prec);

/*
 * The i-th ordered pair of inputs (x, x1), i = 0, 1, ..: returns 1, or 0 after
 * the last. MATRIX: all of them; PRODUCT and MIXTURE: all that matter, entries of
 * a MATRIX equal or not, so that x = x1 is among them; the line: (0, 1) and (1, 0); the other families
 * only (0, 1), which stands for all: any other pair has the same classes when
 * the reference is the blanket, the first, the second, or a third input
 * (HADAMARD: a third input of the same of its two cases).
 */
int shuf_randomiser_pair(uint64_t *x, uint64_t *x1, const shuf_randomiser_t r, uint64_t i);

/*
 * Whether a permutation of equal parts of a PRODUCT or MIXTURE takes the inputs a to the inputs b, each SHUF_BLANKET or an input: then the
 * classes of a are those of b. Of others whether they are the same.
 */
int shuf_randomiser_alike(const shuf_randomiser_t r, const uint64_t a[3], const uint64_t b[3]);

/*
 * Inputs that stand for all as those of other users, i = 0, 1, ..: returns 1, or
 * 0 after the last. MATRIX: all of them; the families: 0, 1, a third one, and
 * Hadamard's other third one; PRODUCT and MIXTURE: tuples of these, the last of them third values everywhere; not for the line.
 */
int shuf_randomiser_other(uint64_t *z, const shuf_randomiser_t r, uint64_t i);

/* How many these are. */
uint64_t shuf_randomiser_others(const shuf_randomiser_t r);

/*
 * PRODUCT, MIXTURE: the i-th entry of the tuple x. Tuples are numbered with
 * the first entry running fastest.
 */
uint64_t shuf_randomiser_entry(const shuf_randomiser_t r, uint64_t x, uint64_t i);

/*
 * m encloses the local profile, max over x, x1 of H_alpha(R(x)||R(x1)), at
 * alpha = e^eps, eps >= 0; all kinds. Exactly 0 when eps is at least the eps0
 * above; otherwise to about prec bits, or fewer if prec is far too low.
 */
void shuf_randomiser_profile(arb_t m, const shuf_randomiser_t r, const shuf_real_t eps, slong prec);

#endif
