# SPDX-License-Identifier: LGPL-3.0-or-later
# src/pld/fft.c: set_twiddles(), the fine factors
#   fine[k] = t[k] + (tail[k] + (t[k] * x - t[k+1] * y));
#   fine[k+1] = t[k+1] + (tail[k+1] + (t[k] * y + t[k+1] * x));
# before the last addition is rounded (h + ...; ../fft.md, Lemma 2: within 0.0034 * 2^-53 a part, 0.0048 in modulus).
# g, h: the exact coarse factor = head + tail + at most 2^-98; X, Y: the exact fine
# factor minus 1, |1 - cos| <= 3e-7, |sin| <= 0.00077; x, y its doubles.
@rnd = float<ieee_64, ne>;

h1 = rnd(h1_);  h2 = rnd(h2_);  s1 = rnd(s1_);  s2 = rnd(s2_);  x = rnd(x_);  y = rnd(y_);

in1 rnd= s1 + (h1 * x - h2 * y);
in2 rnd= s2 + (h1 * y + h2 * x);

g1 = h1 + s1 + e1;
g2 = h2 + s2 + e2;
X = x + ex;
Y = y + ey;

{ |h1| <= 1 /\ |h2| <= 1 /\ |s1| <= 1b-53 /\ |s2| <= 1b-53 /\ |e1| <= 1b-98 /\ |e2| <= 1b-98 /\
  |x| <= 3e-7 /\ |y| <= 77e-5 /\ |ex| <= 4e-23 /\ |ey| <= 86e-21
  ->
  # 0.0034 * 2^-53 = 3.77...e-19
  |(h1 + in1) - (g1 + (g1 * X - g2 * Y))| <= 3.77e-19 /\
  |(h2 + in2) - (g2 + (g1 * Y + g2 * X))| <= 3.77e-19 }

# the exact product multiplied out
(h1 + in1) - (g1 + (g1 * X - g2 * Y)) ->
  (in1 - (s1 + (h1 * x - h2 * y))) - e1 - h1 * ex - (s1 + e1) * X + h2 * ey + (s2 + e2) * Y;
(h2 + in2) - (g2 + (g1 * Y + g2 * X)) ->
  (in2 - (s2 + (h1 * y + h2 * x))) - e2 - h1 * ey - (s1 + e1) * Y - h2 * ex - (s2 + e2) * X;
