# SPDX-License-Identifier: LGPL-3.0-or-later
"""Accounts and other libraries' events: by closed forms, by the question itself, and by dp_accounting where it is installed."""
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from conftest import is_drawn

import shufbound
from shufbound import Accountant, readers


def event(name, *members):
    def start(self, *values):
        vars(self).update(zip(members, values))
    return type(name, (), {"__init__": start})


# as dp_accounting names them
Gaussian = event("GaussianDpEvent", "noise_multiplier")
Laplace = event("LaplaceDpEvent", "noise_multiplier")
DiscreteLaplace = event("DiscreteLaplaceDpEvent", "noise_parameter", "sensitivity")
RandomizedResponse = event("RandomizedResponseDpEvent", "noise_parameter", "num_buckets")
Poisson = event("PoissonSampledDpEvent", "sampling_probability", "event")
Truncated = event("TruncatedSubsampledGaussianDpEvent", "dataset_size", "sampling_probability", "truncated_batch_size", "noise_multiplier")
WithoutReplacement = event("SampledWithoutReplacementDpEvent", "source_dataset_size", "sample_size", "event")
Tree = event("SingleEpochTreeAggregationDpEvent", "noise_multiplier", "step_counts")
Mixture = event("MixtureOfGaussiansDpEvent", "standard_deviation", "sensitivities", "sampling_probs")
Composed = event("ComposedDpEvent", "events")
Repeated = event("SelfComposedDpEvent", "event", "count")
NoOp = event("NoOpDpEvent")
Selected = event("RepeatAndSelectDpEvent", "event", "mean", "shape")


def normal(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def gaussian(mu, eps):
    """delta(eps) of Gaussian noise whose mean moves by mu standard deviations."""
    return normal(mu / 2 - eps / mu) - math.exp(eps) * normal(-mu / 2 - eps / mu)


def sampled(sigma, q, eps):
    """delta(eps) of one step with a Poisson sample, from above for a record that is removed, and so for both directions."""
    return q * gaussian(1 / sigma, math.log1p(math.expm1(eps) / q))


def response(eps0, k, eps):
    return (math.exp(eps0) - math.exp(eps)) / (math.exp(eps0) + k - 1)


@pytest.mark.parametrize("composed, delta", [
    (Gaussian(2.0), gaussian(1 / 2, 0.25)),
    (Repeated(Gaussian(2.0), 4), gaussian(1, 0.25)),
    (Composed([Gaussian(4.0), NoOp(), Repeated(Composed([Gaussian(4.0)]), 3)]), gaussian(1 / 2, 0.25)),
    (Repeated(Composed([Repeated(Gaussian(6.0), 3), Gaussian(6.0)]), 9), gaussian(1, 0.25)),
    (Composed([Gaussian(5.0), Gaussian(Fraction(5, 2))]), gaussian(math.sqrt(5) / 5, 0.25)),
    (Laplace(2.0), 1 - math.exp((0.25 - 1 / 2) / 2)),
    (DiscreteLaplace(0.5, 1), response(0.5, 2, 0.25)),
    (DiscreteLaplace(0.5, 2), (1 - math.exp(-0.5)) * (math.e - math.exp(0.25)) / (math.e - 1)),
    (Poisson(0.5, Laplace(1.0)), 0.5 * (1 - math.exp((math.log1p(math.expm1(0.25) / 0.5) - 1) / 2))),
    (RandomizedResponse(0.5, 4), response(math.log(5), 4, 0.25)),
    # a step of a tree of 8 is in 4 intervals, of one of 7 in 3
    (Tree(2.0, [3, 8]), gaussian(1, 0.25)),
    (Repeated(Tree(4.0, 7), 3), gaussian(3 / 4, 0.25)),
    (RandomizedResponse(Decimal("0.1"), 3), response(math.log(28), 3, 0.25)),
    (Poisson(0.125, Gaussian(1.0)), sampled(1, 0.125, 0.25)),
    (Poisson(0.125, Composed([Gaussian(1.0)])), sampled(1, 0.125, 0.25)),
    (Poisson(1.0, Gaussian(2.0)), gaussian(1 / 2, 0.25)),
    (Mixture(3.0, [1.5], [1.0]), gaussian(1 / 2, 0.25)),
    (Mixture(3.0, [0.0, 1.5], [0.0, 1.0]), gaussian(1 / 2, 0.25)),
    (Mixture(2.0, [0, 2], [0.875, 0.125]), sampled(1, 0.125, 0.25)),
    (Mixture(3.0, [0, 1, 2], [Fraction(0), 0, 1]), gaussian(2 / 3, 0.25)),
])
def test_events_by_closed_forms(composed, delta):
    answer = Accountant().compose(composed).get_delta("0.25")
    assert answer.lower.lower() <= delta * (1 + 1e-9) and delta * (1 - 1e-9) <= answer.upper.upper()
    assert answer.upper.upper() - answer.lower.lower() < 1e-4 * delta
    # and by the reader alone
    assert shufbound.delta("0.25", rounds=readers.dp_event(composed)).json == answer.json


@pytest.mark.skipif(not is_drawn(0), reason="the commit does not draw it")
def test_training_events():
    steps = Accountant().compose(Truncated(1000, 0.25, 300, 2.0), 3)
    assert steps.get_epsilon("1e-6").json["upper"] == shufbound.dpsgd(sampler="poisson", noise_multiplier=2, sampling_rate="1/4", steps=3, max_batch_size=300,
                                                                      dataset_size=1000, delta="1e-6").json["upper"]
    one = shufbound.delta("0.5", rounds=readers.dp_event(WithoutReplacement(1000, 50, Composed([Gaussian(2.0)]))))
    assert one.json["upper"] == shufbound.dpsgd(sampler="without-replacement", noise_multiplier=2, sampling_rate="1/20", steps=1, eps="0.5").json["upper"]


def weights(k, q):
    return [math.comb(k, i) * q**i * (1 - q) ** (k - i) for i in range(k + 1)]


def tails(law):
    return [sum(law[i:]) / sum(law) for i in range(len(law))]


@pytest.mark.parametrize("k, q", [(2, Fraction(1, 3)), (4, Fraction(1, 100)), (7, Fraction(19, 20)), (30, Fraction(1, 50))])
def test_all_records_of_a_user(k, q):
    places = [i * Fraction(3, 2) for i in range(k + 1)]
    (part,) = readers.dp_event(Mixture(3.0, places, weights(k, q)))
    assert part["mechanism"] == {"type": "noisy-sgd", "sampler": "poisson", "noise_multiplier": (2.0).hex(), "steps": 1, "sampling_rate": str(q), "records_per_user": k}
    # doubles with some error, which the mean does not tell, in any order: their rate is rounded up, and each sum is exceeded at least as often
    doubles = [w * (1 + ((i == 1) - (i == k)) * 2.0**-46) for i, w in enumerate(weights(k, float(q)))]
    (part,) = readers.dp_event(Mixture(3.0, places[::-1], doubles[::-1]))
    rate = shufbound.vectors._rational(part["mechanism"]["sampling_rate"])
    assert abs(rate / q - 1) < Fraction(1, 10**13) and part["mechanism"]["records_per_user"] == k
    assert all(mine >= theirs for mine, theirs in zip(tails(weights(k, rate)), tails([Fraction(x) for x in doubles])))
    # one that is further off than by rounding is another law
    for place in range(k + 1):
        with pytest.raises(shufbound.Error, match="binomial"):
            readers.dp_event(Mixture(3.0, places, [w * (1 + 1e-6 * (i == place)) for i, w in enumerate(doubles)]))


@pytest.mark.skipif(not is_drawn(1), reason="the commit does not draw it")
def test_two_sensitivities():
    for q in (0.01, 0.3, 0.1, 0.999):
        assert readers.dp_event(Mixture(1.0, [0.0, 0.5], [1 - q, q])) == readers.dp_event(Poisson(q, Gaussian(2.0)))
    user = shufbound.dpsgd(noise_multiplier=2, sampling_rate="1/4", steps=1, epochs=3, records_per_user=2, eps=1)
    assert Accountant().compose(Mixture(2.0, [0, 1, 2], [Fraction(9, 16), Fraction(3, 8), Fraction(1, 16)]), 3).get_delta(1).json["upper"] == user.json["upper"]


def test_a_double_is_its_exact_value():
    ask = shufbound.delta("1", rounds=readers.dp_event(Gaussian(0.7)))
    own = shufbound.dpsgd(sampler="fixed", noise_multiplier=Fraction(0.7), steps=1, eps=1)
    assert [ask.json["upper"][end] for end in ("lo", "hi")] == [own.json["upper"][end] for end in ("lo", "hi")]
    texts = [readers.dp_event(Gaussian(sigma))[0]["mechanism"]["scale"] for sigma in (0.7, "0.7", Decimal("0.7"), 7, Fraction(7, 10))]
    assert texts == [(0.7).hex(), "0.7", "0.7", "7", "7/10"]


def test_numpy_in_an_event():
    numpy = pytest.importorskip("numpy")
    assert readers.dp_event(Gaussian(numpy.float64(0.7))) == readers.dp_event(Gaussian(0.7))
    assert readers.dp_event(Repeated(Gaussian(numpy.float32(0.5)), numpy.int64(3))) == readers.dp_event(Repeated(Gaussian(0.5), 3))


@pytest.mark.parametrize("composed, words", [
    (event("ZCDpEvent", "rho")(1.0), "ZCDpEvent"),
    (event("NonPrivateDpEvent")(), "NonPrivateDpEvent"),
    (Repeated(event("UnsupportedDpEvent")(), 2), "UnsupportedDpEvent"),
    (Poisson(0.1, RandomizedResponse(0.5, 2)), "PoissonSampledDpEvent of 1 times RandomizedResponseDpEvent"),
    (Poisson(0.1, Repeated(Gaussian(1.0), 2)), "PoissonSampledDpEvent of 2 times GaussianDpEvent"),
    (Poisson(0.1, Composed([Gaussian(1.0), Gaussian(2.0)])), "1 times GaussianDpEvent and 1 times GaussianDpEvent"),
    (Composed([Gaussian(1.0), RandomizedResponse(0.5, 2)]), "GaussianDpEvent and RandomizedResponseDpEvent"),
    (Composed([Laplace(1.0), RandomizedResponse(0.5, 2)]), "LaplaceDpEvent and RandomizedResponseDpEvent"),
    (Composed([Tree(1.0, 4), WithoutReplacement(100, 5, Gaussian(1.0))]), "SingleEpochTreeAggregationDpEvent and SampledWithoutReplacementDpEvent"),
    (WithoutReplacement(100, 5, Laplace(1.0)), "other than one GaussianDpEvent"),
    (Tree(1.0, []), "steps"), (Tree(1.0, 2.5), "step_counts"),
    (DiscreteLaplace(0.5, 1.5), "sensitivity"),
    (Mixture(1.0, [0, 1, 2], [0.5, 0.3, 0.2]), "binomial"), (Mixture(1.0, [1, 2], [0.5, 0.5]), "binomial"), (Mixture(1.0, [0, 1, 3], [0.25, 0.5, 0.25]), "binomial"),
    (Mixture(1.0, [0.0], [1.0]), "binomial"), (Mixture(1.0, [1.0], [0.5]), "binomial"), (Mixture(1.0, [0, 1], [0.5, 0.4]), "binomial"), (Mixture(1.0, [0, -1], [0.5, 0.5]), "binomial"),
    (Mixture(1.0, [0, 0], [0.5, 0.5]), "binomial"), (Mixture(1.0, [0, 1], [1.5, -0.5]), "binomial"), (Mixture(1.0, [0, 1], [1, 0]), "binomial"),
    (Mixture(1.0, [0, 0.1, 0.2, 0.1 + 0.2], [0.125, 0.375, 0.375, 0.125]), "binomial"), (Mixture(1.0, [0, 1, 2], [Fraction(1, 4), Fraction(1, 2), Fraction(26, 100)]), "binomial"),
    (Mixture(1.0, [], []), "sampling_probs"), (Mixture(1.0, [0, 1], [1.0]), "sampling_probs"), (Mixture(math.inf, [0, 1], [0.5, 0.5]), "standard_deviation"),
    (Mixture(1.0, [0, math.nan], [0.5, 0.5]), "sensitivities"), (Mixture(1.0, [0, 1], [0.5, math.nan]), "sampling_probs"),
    (RandomizedResponse(0.0, 2), "noise_parameter"),
    (Gaussian(math.inf), "noise_multiplier"), (Gaussian(math.nan), "noise_multiplier"), (Gaussian(None), "noise_multiplier"),
    (Repeated(Gaussian(1.0), -1), "count"), (Repeated(Gaussian(1.0), 1.5), "count"),
    (7, "int"), ("GaussianDpEvent", "str"),
])
def test_what_cannot_be_expressed_is_named(composed, words):
    account = Accountant().compose(Gaussian(1.0))
    with pytest.raises(shufbound.Error) as caught:
        readers.dp_event(composed)
    assert words in str(caught.value)
    with pytest.raises(shufbound.Error):
        account.compose(composed)
    assert account.rounds == readers.dp_event(Gaussian(1.0))


@pytest.mark.parametrize("shape, runs", [(0, "logarithmic"), (1, "geometric"), (math.inf, "poisson"), (1.0, "geometric"), (0.5, "negative-binomial")])
def test_selection(shape, runs):
    account = Accountant(digits=3).compose(Selected(Repeated(Gaussian(4.0), 4), 10, shape))
    assert account.rounds == readers.dp_event(Repeated(Gaussian(4.0), 4))
    answer = account.get_epsilon("1e-6")
    assert answer.question["selection"] == {"mean": "10", "runs": runs, **({"shape": 0.5.hex()} if shape == 0.5 else {})}
    assert 2.254 < answer.lower.upper() <= answer.upper.lower() * 1.01 < 6


@pytest.mark.parametrize("compose, words", [
    (lambda a: a.compose(Selected(Gaussian(2.0), 10, math.nan)), "shape"), (lambda a: a.compose(Selected(Gaussian(2.0), math.nan, 1)), "mean"),
    (lambda a: a.compose(Selected(Gaussian(2.0), 10, 1), 2), "RepeatAndSelectDpEvent"),
    (lambda a: a.compose(Gaussian(2.0)).compose(Selected(Gaussian(2.0), 10, 1)), "RepeatAndSelectDpEvent"),
    (lambda a: a.compose(Composed([Selected(Gaussian(2.0), 10, 1)])), "RepeatAndSelectDpEvent"),
    (lambda a: a.compose({"mechanism": {"type": "laplace", "scale": 4}, "users": 1}).compose(Selected(Gaussian(2.0), 10, 1)), "RepeatAndSelectDpEvent"),
    (lambda a: a.compose(Selected(Selected(Gaussian(2.0), 10, 1), 10, 1)), "RepeatAndSelectDpEvent"),
])
def test_selection_goes_alone(compose, words):
    with pytest.raises(shufbound.Error, match=words):
        compose(Accountant())


def test_noise_beside_others():
    noise = {"mechanism": {"type": "additive-noise", "noise": "gaussian", "scale": "0x1.0000000000000p+1"}, "rounds": 2}
    laplace = {"mechanism": {"type": "additive-noise", "noise": "laplace", "scale": "3"}, "rounds": 1}
    training = readers.opacus([(2.0, 0.1, 3)])
    assert Accountant().compose(Gaussian(2.0), 2).rounds == [noise]
    assert Accountant().compose(Gaussian(2.0), 2).compose(Laplace("3")).rounds == [noise, laplace]
    account = Accountant(digits=3).compose(Gaussian(2.0), 2).compose(training)
    both = account.get_epsilon("1e-5")
    assert both > Accountant(digits=3).compose(Gaussian(2.0), 2).get_epsilon("1e-5") and both.question["digits"] == 3
    assert account.compose(Laplace("3")).get_epsilon("1e-5") > both
    # randomised response of one user, whose neighbours replace its value
    with pytest.raises(shufbound.Error, match="noisy-sgd"):
        Accountant().compose(training).compose(RandomizedResponse(0.5, 2)).get_delta(1)


def test_counts():
    laplace = {"mechanism": {"type": "laplace", "scale": 2}, "users": 1}
    account = Accountant().compose(laplace, 2).compose([{**laplace, "rounds": "2"}, laplace], 2)
    assert account.rounds == [{**laplace, "rounds": 8}] and repr(account) == "<Accountant of 8 rounds>"
    assert account.get_epsilon("1e-5").json == shufbound.epsilon("1e-5", rounds=[{**laplace, "rounds": 8}]).json
    for count in (0, -1, 1.5, None, "x"):
        with pytest.raises(shufbound.Error):
            account.compose(laplace, count)
    for empty in (Accountant(), Accountant().compose(NoOp())):
        with pytest.raises(shufbound.Error, match="nothing was composed"):
            empty.get_delta(1)


def test_opacus():
    history = [(1.0, 0.01, 600), (1.0, 0.01, 400)]
    parts = readers.opacus(history)
    assert len(parts) == 1 and parts[0]["rounds"] == 1000
    assert readers.opacus({"history": history, "mechanism": "rdp"}) == parts == readers.opacus(event("RDPAccountant", "history")(history))
    steps = Accountant().compose(Repeated(Poisson(0.01, Gaussian(1.0)), 1000)).get_epsilon("1e-5")
    assert Accountant().compose(parts).get_epsilon("1e-5").json == steps.json
    assert steps.json["upper"]["lo"] == shufbound.dpsgd(sampler="poisson", noise_multiplier=1, sampling_rate=Fraction(0.01), steps=1, epochs=1000,
                                                         delta="1e-5").json["upper"]["lo"]


def test_dap():
    pure = {"dp_strategy": "PureDpDiscreteLaplace", "budget": {"epsilon": [[3, 1], [2]]}}
    parts = readers.dap(pure)
    assert parts == [{"mechanism": {"type": "ldp", "eps0": str(Fraction(2**32 + 3, 2))}, "users": 1, "rounds": 1}]
    assert readers.dap({"type": "histogram", "length": 3, "dp_strategy": pure}) == readers.dap({"Prio3Histogram": {"length": 3, "dp_strategy": pure}}) == parts
    for name in ("NoDifferentialPrivacy", "ZCdpDiscreteGaussian"):
        with pytest.raises(shufbound.Error, match=name):
            readers.dap({"Prio3SumVec": {"dp_strategy": {"dp_strategy": name}}})
    with pytest.raises(shufbound.Error, match="None"):
        readers.dap({"Prio3Count": {}})
    half = readers.dap({"dp_strategy": "PureDpDiscreteLaplace", "budget": {"epsilon": [[1], [2]]}})
    assert Accountant().compose(half, 3).get_epsilon(0) <= Fraction(3, 2) * (1 + Fraction(1, 10**6))


def test_opendp():
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    space = opendp.atom_domain(T=int), opendp.absolute_distance(T=int)
    assert readers.opendp(space >> opendp.m.then_laplace(scale=4.0), 1) == [{"mechanism": {"type": "ldp", "eps0": (0.25).hex()}, "users": 1, "rounds": 1}]
    with pytest.raises(shufbound.Error, match="ZeroConcentratedDivergence"):
        readers.opendp(space >> opendp.m.then_gaussian(scale=4.0), 1)


def test_dp_accounting():
    dp = pytest.importorskip("dp_accounting")
    from dp_accounting import dp_event
    from dp_accounting.pld import PLDAccountant
    steps = dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.0)), 1000)
    for composed in (steps, dp.ComposedDpEvent([dp.GaussianDpEvent(3.0), dp.NoOpDpEvent(), dp.GaussianDpEvent(2.0)]),
                     dp.SelfComposedDpEvent(dp_event.MixtureOfGaussiansDpEvent(2.0, [0, 1, 2], weights(2, 0.05)), 100),
                     dp.SelfComposedDpEvent(dp.LaplaceDpEvent(2.0), 5), dp.SelfComposedDpEvent(dp_event.DiscreteLaplaceDpEvent(0.3, 1), 5)):
        theirs = PLDAccountant().compose(composed).get_epsilon(1e-5)
        answer = Accountant().compose(composed).get_epsilon("1e-5")
        # theirs is rounded up, in steps of 1e-4
        assert answer.lower.lower() < theirs < answer.upper.upper() + 1e-3
    for name, refused in vars(dp_event).items():
        if isinstance(refused, type) and issubclass(refused, dp_event.DpEvent) and name not in readers._EVENTS and "Composed" not in name and name != "NoOpDpEvent":
            with pytest.raises(shufbound.Error, match=name):
                readers.dp_event(refused.__new__(refused))


@pytest.mark.parametrize("registration, source_type, outputs, percent", [
    # the flip rates that Chrome publishes, in percent, and a configuration of the explainer with 3 windows, 2 reports, 8 values
    ({}, "navigation", 2925, "0.24"), ({}, "event", 3, "0.00025"), ({"max_event_level_reports": 2}, "navigation", math.comb(26, 2), None),
    ({"event_report_windows": {"end_times": [3600, 7200]}, "trigger_data": [0, 1, 2], "max_event_level_reports": 2}, "event", math.comb(8, 2), None),
    ({"event_report_window": 3600}, "navigation", math.comb(11, 3), None)])
def test_attribution(registration, source_type, outputs, percent):
    (part,) = readers.attribution(registration, source_type)
    assert part["mechanism"]["k"] == outputs and part["mechanism"]["eps0"] == "14" and part["users"] == 1
    if percent is not None:
        rate = 100 * outputs / (outputs - 1 + math.exp(14))
        assert f"{rate:.2g}" == f"{float(percent):.2g}"


@pytest.mark.parametrize("registration, source_type, word", [({"trigger_specs": []}, "event", "trigger_specs"), ({"attribution_scopes": {}}, "event", "attribution_scopes"),
                                                             ({}, "click", "click"), ({"max_event_level_reports": 0}, "event", "one output"),
                                                             ({"max_event_level_reports": -1}, "event", "max_event_level_reports")])
def test_attribution_refused(registration, source_type, word):
    with pytest.raises(shufbound.Error, match=word):
        readers.attribution(registration, source_type)
