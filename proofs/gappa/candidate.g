# SPDX-License-Identifier: LGPL-3.0-or-later
# src/fast/fast.c: sum_strata, the other candidate V_{t+1}:
#   gain = U * pmf;  cost = (U + W) * (pmf * ((c + 1 - t) * up / t));
# 2.02 and 7.04 roundings (../fast.md, after Lemma 3), up = rho/(1-rho) any constant.
# j = c+1-t and t are integers, exact in double.
# Bounds are decimal: 1.1324...e-16 is 1.02 * 2^-53, rounded up; the others, 2^-53 times
# the number of roundings (and 0.0001 for the second order), rounded down.
@rnd = float<ieee_64, ne>;

U = rnd(U_);  W = rnd(W_);  up = rnd(up_);  p = rnd(p_);  j = rnd(j_);  t = rnd(t_);

gain  rnd= U * p;
both  rnd= U + W;
ratio rnd= rnd(j * up) / t;
part  rnd= p * ratio;
cost  rnd= both * part;

{ p in [1b-200, 1b200] /\ U in [1b-200, 1b200] /\ W in [1b-200, 1b200] /\ up in [1b-200, 1b200] /\
  u in [1b-201, 1b201] /\ w in [1b-201, 1b201] /\ o in [1b-201, 1b201] /\
  j in [1, 1b41] /\ t in [1, 1b41] /\
  |U -/ u| <= 1.1324274852e-16 /\ |W -/ w| <= 1.1324274852e-16 /\ |up -/ o| <= 1.1324274852e-16
  ->
  |gain -/ (u * p)| <= 2.242761532e-16 /\
  |cost -/ ((u + w) * (p * (j * o / t)))| <= 7.8160811156e-16 }
