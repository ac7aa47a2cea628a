# SPDX-License-Identifier: LGPL-3.0-or-later
# src/fast/fast.c: sum_strata, the loop  while (t > new_t):
#   share = pmf / (c - t + 2);  plus = U * ((2 * t - 3 - c) * share);
#   minus = W * pmf;  pmf = (t - 1) * share;
# relative to the computed pmf p, the constants u and w (U, W within 1.02 roundings).
# ../fast.md, Lemma 3: 4.02 roundings of plus, 2.02 of minus, 2 of the new pmf.
# d, k, j are the integers c-t+2, |2t-3-c|, t-1, exact in double.
# Bounds are decimal: 1.1324...e-16 is 1.02 * 2^-53, rounded up; the others, 2^-53 times
# the number of roundings (and 0.0001 for the second order), rounded down.
@rnd = float<ieee_64, ne>;

U = rnd(U_);  W = rnd(W_);  p = rnd(p_);
d = rnd(d_);  k = rnd(k_);  j = rnd(j_);

share rnd= p / d;
plus  rnd= U * rnd(k * share);
minus rnd= W * p;
next  rnd= j * share;

{ p in [1b-300, 1b300] /\ U in [1b-300, 1b300] /\ W in [1b-300, 1b300] /\
  u in [1b-301, 1b301] /\ w in [1b-301, 1b301] /\
  d in [1, 1b42] /\ k in [1, 1b42] /\ j in [1, 1b42] /\
  |U -/ u| <= 1.1324274852e-16 /\ |W -/ w| <= 1.1324274852e-16
  ->
  |plus -/ (u * (k * (p / d)))| <= 4.4632075812e-16 /\
  |minus -/ (w * p)| <= 2.242761532e-16 /\
  |next -/ (j * (p / d))| <= 2.2205570715e-16 }
