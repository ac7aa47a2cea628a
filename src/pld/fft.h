/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * fft: the discrete Fourier transform in doubles, with a proved bound of its
 * error (internal).
 *
 * A radix-2 transform of our own: the error constants of a general FFT
 * library depend on the plan it picks. Every output is a sum over the inputs,
 * each multiplied by log2(N) twiddle factors and rounded on its way, so the
 * error of every single output is at most fft_error(N) times the sum of the
 * absolute values of the inputs (proofs/fft.md). It needs IEEE doubles rounded
 * to nearest, subnormal numbers included.
 */
#ifndef SHUF_PLD_FFT_H
#define SHUF_PLD_FFT_H

#include <stddef.h>

/* Largest length: 2^26 (proofs/fft.md). */
#define FFT_MAX_LOG 26

typedef struct
{
    size_t length;   /* N, a power of two */
    double *twiddle; /* N/2 factors of modulus one, real and imaginary parts in turn, in bit-reversed order */
} fft_plan_struct;

typedef fft_plan_struct fft_plan_t[1];

/*
 * A plan for length 2^log2_length, 0 <= log2_length <= FFT_MAX_LOG, of 8 N
 * bytes. Returns 0, or -1 when there is no memory (nothing to clear).
 */
int fft_plan_init(fft_plan_t plan, int log2_length);
void fft_plan_clear(fft_plan_t plan);

/*
 * z (N complex numbers, real and imaginary parts in turn) becomes
 * sum_j z_j e^{-2 pi i j k/N}, in place and in order. No entry may overflow:
 * the sum of the absolute values of the inputs is at most 1e300.
 */
void fft_forward(double *z, const fft_plan_t plan);

/*
 * e = 4 log2(N) 2^-53: every output differs from the exact transform of the
 * doubles given by at most e sum |z_j|, plus N 2^-1073 for what underflows.
 * |.| is the complex modulus.
 */
double fft_error(size_t length);

#endif
