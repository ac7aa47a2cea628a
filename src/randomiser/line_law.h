/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* line_law: what the laws of line.h consist of (internal to the module). */
#ifndef SHUF_RANDOMISER_LINE_LAW_H
#define SHUF_RANDOMISER_LINE_LAW_H

#include "line.h"

typedef enum
{
    IMAGE_RATIO,    /* L */
    IMAGE_NEGATIVE, /* -L */
    IMAGE_PLUS,     /* L - alpha */
    IMAGE_MINUS     /* 1 - alpha L */
} image_kind;

/* Sizes of arrays. */
#define MAX_IMAGES 2
#define MAX_ATOMS 3

/* The law is the sum of `images` images of the law of L and of atoms. */
typedef struct
{
    shuf_randomiser_kind kind;
    shuf_real_t scale, eps;
    image_kind image[MAX_IMAGES];
    slong images;
    int from_one; /* only L >= 1 counts, */
    arf_t cut;    /* and GAUSSIAN: only L < cut; +inf if there is none */
    arf_struct atom[MAX_ATOMS];
    arb_struct mass[MAX_ATOMS];
    slong atoms;
} line_struct;

/* An image is sign * slope * L + offset. */
typedef struct
{
    int sign;
    arb_t slope, offset;
} image_struct;

void line_image_init(image_struct *m, const line_struct *l, image_kind kind, slong prec);
void line_image_clear(image_struct *m);

/* The constants of the law of L at a working precision. */
typedef struct
{
    shuf_randomiser_kind kind;
    arb_t bottom, top;   /* the support, or what is looked at of it; 0 and +inf at most */
    arb_t spread, half;  /* GAUSSIAN: 1/sigma and 1/(2 sigma^2) */
    arb_t factor;        /* LAPLACE: e^(-1/(2b))/2 */
    arb_t root_half;     /* 2^(-1/2) */
    slong prec;
} ratio_struct;

void line_ratio_init(ratio_struct *r, const line_struct *l, slong prec);
void line_ratio_clear(ratio_struct *r);

/* Of these laws, for shuf_summand. */
int line_quadrature(shuf_quadrature *q, const struct shuf_summand_struct *self, double theta, double reach, const arf_t top, double tolerance,
                    slong prec);
void line_steps(shuf_steps *s, const struct shuf_summand_struct *self, const arf_t top);

#endif
