/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * modules: one header a module, in the order in which a computation passes
 * through them, for the program and the tests. Only shufbound.h is installed.
 */
#ifndef SHUF_MODULES_H
#define SHUF_MODULES_H

#include "exact/exact.h"
#include "enclosure/budget.h"
#include "enclosure/enclosure.h"
#include "binomial/binomial.h"
#include "theorem/theorem.h"
#include "pair/pair.h"
#include "hockey/hockey.h"
#include "fast/fast.h"
#include "law/law.h"
#include "law/sampled_law.h"
#include "renyi/renyi.h"
#include "pld/pld.h"
#include "tradeoff/tradeoff.h"
#include "tradeoff/gdp.h"
#include "iidsum/iidsum.h"
#include "randomiser/randomiser.h"
#include "randomiser/estimation.h"
#include "shuffle/local_profile.h"
#include "shuffle/mixed.h"
#include "shuffle/gaussian.h"
#include "shuffle/shuffled.h"
#include "forms/bound.h"
#include "forms/kairouz15.h"
#include "certificate/certificate.h"
#include "account/question.h"
#include "account/answer.h"
#include "account/calibrate.h"

#endif
