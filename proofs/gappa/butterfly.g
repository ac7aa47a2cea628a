# SPDX-License-Identifier: LGPL-3.0-or-later
# src/pld/fft.c: butterfly(), parts of the product and of the sum:
#   x = re * b[0] - im * b[1], y = re * b[1] + im * b[0];  a[0] += x;  b[0] = a[0] - x;
# absolute errors for data of parts at most 1 (../fft.md, Lemma 3 bounds the
# modulus for all sizes; this is the check of one part, underflow included).
@rnd = float<ieee_64, ne>;

re = rnd(re_);  im = rnd(im_);  a0 = rnd(a0_);  b0 = rnd(b0_);  b1 = rnd(b1_);

x   rnd= re * b0 - im * b1;
y   rnd= re * b1 + im * b0;
sum rnd= a0 + x;
dif rnd= a0 - x;

{ |re| <= 1 /\ |im| <= 1 /\ |a0| <= 1 /\ |b0| <= 1 /\ |b1| <= 1
  ->
  |x - (re * b0 - im * b1)| <= 1b-52 /\
  |y - (re * b1 + im * b0)| <= 1b-52 /\
  |sum - (a0 + (re * b0 - im * b1))| <= 2b-52 /\
  |dif - (a0 - (re * b0 - im * b1))| <= 2b-52 }
