# SPDX-License-Identifier: LGPL-3.0-or-later
# src/fast/fast.c: value_series, the parts of one term (../fast.md, Lemma 4).
#   rho = 1/2:  ratio = (c + 1 - a) * odds / a, odds = 1;
#               gain = U * ((2 * a - c - 1) / a);  cost = W * ratio;
#   otherwise:  cost = (U + W) * ratio;
# 3.02 roundings of gain and cost, or 6.04; 2 or at most 4.02 of pmf *= ratio,
# counted as 2 and 5. k = |2a-c-1|, j = c+1-a and a are integers, exact in double.
@rnd = float<ieee_64, ne>;

U = rnd(U_);  W = rnd(W_);  odds = rnd(odds_);  p = rnd(p_);
a = rnd(a_);  j = rnd(j_);  k = rnd(k_);

half  rnd= j / a;
gain  rnd= U * rnd(k / a);
cost  rnd= W * half;
move  rnd= p * half;

ratio rnd= rnd(j * odds) / a;
both  rnd= U + W;
other rnd= both * ratio;
next  rnd= p * ratio;

{ p in [1b-200, 1b200] /\ U in [1b-200, 1b200] /\ W in [1b-200, 1b200] /\ odds in [1b-200, 1b200] /\
  u in [1b-201, 1b201] /\ w in [1b-201, 1b201] /\ o in [1b-201, 1b201] /\
  a in [1, 1b42] /\ j in [1, 1b42] /\ k in [1, 1b42] /\
  |U -/ u| <= 1.1324274852e-16 /\ |W -/ w| <= 1.1324274852e-16 /\ |odds -/ o| <= 1.1324274852e-16
  ->
  # 3.0201, 3.0201, 2.0001, 6.0401, 4.0201 times 2^-53
  |gain -/ (u * (k / a))| <= 3.3529845e-16 /\
  |cost -/ (w * (j / a))| <= 3.3529845e-16 /\
  |move -/ (p * (j / a))| <= 2.2205570e-16 /\
  |other -/ ((u + w) * (j * o / a))| <= 6.7058581e-16 /\
  |next -/ (p * (j * o / a))| <= 4.4632075e-16 }
