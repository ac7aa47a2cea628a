# SPDX-License-Identifier: LGPL-3.0-or-later
# src/fast/fast.c: sum_strata, the step to stratum c-1:
#   share = pmf / c;  pmf = 2 * (c + 1 - t) * share;
#   plus = W * (pmf / 2);  minus = U * ((2 * t - 2 - c) * share);
# relative to the computed pmf p before the step (plus: to the one after it).
# ../fast.md, Lemma 3: 2 roundings of the pmf, 2.02 of plus, 4.02 of minus.
# c, j, k are the integers c, 2(c+1-t), |2t-2-c|, exact in double.
# Bounds are decimal: 1.1324...e-16 is 1.02 * 2^-53, rounded up; the others, 2^-53 times
# the number of roundings (and 0.0001 for the second order), rounded down.
@rnd = float<ieee_64, ne>;

U = rnd(U_);  W = rnd(W_);  p = rnd(p_);
c = rnd(c_);  j = rnd(j_);  k = rnd(k_);

share rnd= p / c;
next  rnd= j * share;
half  rnd= next * 1b-1;
plus  rnd= W * half;
minus rnd= U * rnd(k * share);

{ p in [1b-300, 1b300] /\ U in [1b-300, 1b300] /\ W in [1b-300, 1b300] /\
  u in [1b-301, 1b301] /\ w in [1b-301, 1b301] /\
  c in [1, 1b42] /\ k in [1, 1b42] /\ j in [1, 1b42] /\
  |U -/ u| <= 1.1324274852e-16 /\ |W -/ w| <= 1.1324274852e-16
  ->
  |next -/ (j * (p / c))| <= 2.2205570715e-16 /\
  |plus -/ (w * (next * 1b-1))| <= 3.3529845566e-16 /\
  |minus -/ (u * (k * (p / c)))| <= 4.4632075812e-16 }
