/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * shufbound: certified accounting for shuffle-model differential privacy.
 *
 * The public interface; one header a module, in the order in which a
 * computation passes through them.
 */
#ifndef SHUFBOUND_H
#define SHUFBOUND_H

#include "exact/exact.h"
#include "enclosure/enclosure.h"
#include "binomial/binomial.h"
#include "theorem/theorem.h"
#include "theorem/bound.h"
#include "pair/pair.h"
#include "hockey/hockey.h"
#include "renyi/renyi.h"
#include "subsample/subsample.h"
#include "pld/profile.h"
#include "pld/pld.h"
#include "pld/tail.h"
#include "subsample/profile.h"
#include "theorem/kairouz15.h"
#include "tradeoff/tradeoff.h"
#include "tradeoff/gdp.h"
#include "iidsum/iidsum.h"
#include "iidsum/gaussian.h"
#include "mechanism/mechanism.h"
#include "mechanism/local_profile.h"
#include "mechanism/mixed.h"
#include "mechanism/shuffled.h"
#include "mechanism/estimation.h"
#include "fast/fast.h"
#include "certificate/certificate.h"
#include "claim/claim.h"

#endif
