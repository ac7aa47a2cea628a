# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Readers of other libraries' accounts. Each gives parts for the member "rounds" of a question; what cannot be expressed is refused by its name.

These objects hold doubles. A double is read as its exact value, the number that the other library computes with: 0.1 is
0x1.999999999999ap-4 and not one tenth. Integers, Fractions, Decimals and texts in their place are exact as they are everywhere.
"""
from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .answer import Error
from .vectors import _rational

Part = Dict[str, Any]

_REMOVE, _REPLACE = "remove", "replace"  # what neighbours do with one record


def _exact(x: Any, member: str) -> str:
    """A number as a text; a double is its exact value."""
    x = x.item() if hasattr(x, "item") else x
    if isinstance(x, float) and math.isfinite(x):
        return x.hex()
    if isinstance(x, bool) or (not isinstance(x, str) and not hasattr(x, "numerator") and not hasattr(x, "as_tuple")):
        raise Error(f'"{member}" is {x!r}: a finite number is allowed', member)
    return str(x)


def _count(x: Any, member: str) -> int:
    try:
        count = Fraction(x if isinstance(x, str) else int(x) if int(x) == x else -1)
    except (TypeError, ValueError, OverflowError):
        count = Fraction(-1)
    if count < 0 or count.denominator != 1:
        raise Error(f'"{member}" is {x!r}: a whole number is allowed', member)
    return int(count)


def merged(parts: Iterable[Mapping[str, Any]]) -> List[Part]:
    """Equal parts are one with the sum of their rounds."""
    counts: Dict[str, int] = {}
    kept: Dict[str, Part] = {}
    for part in parts:
        rest = {name: value for name, value in part.items() if name != "rounds"}
        key = json.dumps(rest, sort_keys=True, default=str)
        kept.setdefault(key, rest)
        counts[key] = counts.get(key, 0) + _count(part.get("rounds", 1), "rounds")
    return [{**kept[key], "rounds": count} for key, count in counts.items() if count > 0]


def _leaves(event: Any, count: int) -> Iterator[Tuple[Any, int]]:
    name = type(event).__name__
    if name == "ComposedDpEvent":
        for one in event.events:
            yield from _leaves(one, count)
    elif name == "SelfComposedDpEvent":
        yield from _leaves(event.event, count * _count(event.count, "count"))
    elif name != "NoOpDpEvent":
        yield event, count


def _training(sampler: str, noise_multiplier: Any, steps: int, **members: Any) -> Part:
    return {"mechanism": {"type": "noisy-sgd", "sampler": sampler, "noise_multiplier": _exact(noise_multiplier, "noise_multiplier"), "steps": steps, **members}}


def _noisy_sgd(noise_multiplier: Any, sampling_rate: Any) -> Part:
    return _training("poisson", noise_multiplier, 1, sampling_rate=_exact(sampling_rate, "sampling_rate"))


def _noise(kind: str, **size: str) -> Part:
    return {"mechanism": {"type": "additive-noise", "noise": kind, **size}}


def _gaussian(event: Any) -> Part:
    return _noise("gaussian", scale=_exact(event.noise_multiplier, "noise_multiplier"))


def _laplace(event: Any) -> Part:
    return _noise("laplace", scale=_exact(event.noise_multiplier, "noise_multiplier"))


def _discrete_laplace(event: Any) -> Part:
    sensitivity = _count(event.sensitivity, "sensitivity")
    loss = _rational(_exact(event.noise_parameter, "noise_parameter")) * sensitivity
    return _noise("discrete-laplace", eps0=str(loss), sensitivity=str(sensitivity))


def _randomized_response(event: Any) -> Part:
    p, k = _rational(_exact(event.noise_parameter, "noise_parameter")), _count(event.num_buckets, "num_buckets")
    if not 0 < p <= 1:
        raise Error(f'"noise_parameter" is {event.noise_parameter!r}: above 0 and at most 1 is allowed', "noise_parameter")
    return {"mechanism": {"type": "krr", "k": k, "eps0": f"log({1 + k * (1 - p) / p})"}, "users": 1}


def _poisson(event: Any) -> Part:
    sampled = list(_leaves(event.event, 1))
    if len(sampled) != 1 or sampled[0][1] != 1 or type(sampled[0][0]).__name__ not in _NOISE:
        what = " and ".join(f"{count} times {type(inner).__name__}" for inner, count in sampled) or "nothing"
        raise Error(f"PoissonSampledDpEvent of {what} cannot be expressed: one of {', '.join(_NOISE)} is allowed")
    inner, rate = sampled[0][0], event.sampling_probability
    if type(inner).__name__ == "GaussianDpEvent":
        return _noisy_sgd(inner.noise_multiplier, rate)
    return {**_NOISE[type(inner).__name__](inner), "sample": {"scheme": "poisson", "rate": _exact(rate, "sampling_probability")}}


def _truncated(event: Any) -> Part:
    return _training("poisson", event.noise_multiplier, 1, sampling_rate=_exact(event.sampling_probability, "sampling_probability"),
                     max_batch_size=_count(event.truncated_batch_size, "truncated_batch_size"), dataset_size=_count(event.dataset_size, "dataset_size"))


def _without_replacement(event: Any) -> Part:
    sampled = list(_leaves(event.event, 1))
    if len(sampled) != 1 or sampled[0][1] != 1 or type(sampled[0][0]).__name__ != "GaussianDpEvent":
        raise Error("SampledWithoutReplacementDpEvent cannot be expressed of other than one GaussianDpEvent")
    size, of = _count(event.sample_size, "sample_size"), _count(event.source_dataset_size, "source_dataset_size")
    return _training("without-replacement", sampled[0][0].noise_multiplier, 1, sampling_rate=f"{size}/{of}")


def _tree(event: Any) -> Part:
    counts = event.step_counts if isinstance(event.step_counts, (list, tuple)) else [event.step_counts]
    steps = max((_count(count, "step_counts") for count in counts), default=0)
    if steps == 0:
        raise Error("SingleEpochTreeAggregationDpEvent has no steps", "step_counts")
    return _training("fixed", event.noise_multiplier, steps, strategy="tree", every=1, times=1)


_MOST_RECORDS = 100  # of a user whose rate is looked for: more take long
# Of weights that are doubles, in bits: how near each is to k times a binomial one, and below what they may be anything.
_ROUNDED, _TINY = 40, 1000


def _binomial(k: int, rate: Fraction) -> List[int]:
    """The weights of a binomial law, times the k-th power of the rate's denominator."""
    a, b = [1], [1]
    for _ in range(k):
        a.append(a[-1] * rate.numerator)
        b.append(b[-1] * (rate.denominator - rate.numerator))
    return [math.comb(k, i) * a[i] * b[k - i] for i in range(k + 1)]


def _is_above(law: Sequence[int], total: int, weights: Sequence[Fraction]) -> bool:
    """Whether the law, over its total, is stochastically at least that of the weights."""
    tail, other = 0, Fraction(0)
    for own, weight in zip(reversed(law), reversed(weights)):
        tail, other = tail + own, other + weight
        if tail * other.denominator < other.numerator * total:
            return False
    return True


def _is_near(own: int, total: int, weight: Fraction, k: int) -> bool:
    m = weight.denominator
    return abs(weight.numerator * total - own * m) <= (k * own * m >> _ROUNDED) + (total * m >> _TINY)


def _binomial_rate(weights: Sequence[Fraction], are_rounded: bool) -> Optional[Fraction]:
    """
    The rate of the binomial law that has these weights; of two that are doubles only the first may be rounded. If other doubles have it but for
    rounding: the least rate, in units of the last place, whose law is stochastically at least theirs (proofs/dpsgd.md, Theorem 13 (e)). None if there is
    none.
    """
    k = len(weights) - 1
    rate = Fraction(sum(i * weight for i, weight in enumerate(weights)), k)
    if not 0 < rate <= 1 or min(weights) < 0 or k > _MOST_RECORDS:
        return None
    law, total = _binomial(k, rate), rate.denominator**k
    if all(own == weight * total for own, weight in zip(law, weights)) or (are_rounded and k == 1 and float(1 - rate) == weights[0]):
        return rate
    sum_of_all = sum(weights, Fraction(0))
    if not are_rounded or abs(sum_of_all - 1) > Fraction(1, 2**_ROUNDED):
        return None
    weights, rate = [weight / sum_of_all for weight in weights], rate / sum_of_all
    unit = Fraction(math.ulp(float(rate)))
    low, high = math.ceil(rate / unit) - 1, min(math.ceil(rate * (1 + Fraction(1, 2**_ROUNDED)) / unit), math.floor(1 / unit))
    while high - low > 1:
        middle = (low + high) // 2
        if _is_above(_binomial(k, middle * unit), (middle * unit).denominator ** k, weights):
            high = middle
        else:
            low = middle
    law, total = _binomial(k, high * unit), (high * unit).denominator ** k
    is_near = all(_is_near(own, total, weight, k) for own, weight in zip(law, weights))
    return high * unit if is_near and _is_above(law, total, weights) else None


def _text(x: Fraction) -> str:
    """As the double it is, if it is one."""
    return float(x).hex() if Fraction(float(x)) == x else str(x)


def _mixture(event: Any) -> Part:
    weights = [_rational(_exact(x, "sampling_probs")) for x in event.sampling_probs]
    points = sorted(zip((_rational(_exact(x, "sensitivities")) for x in event.sensitivities), weights))
    if len(points) != len(weights) or len(points) != len(event.sensitivities) or not points:
        raise Error("MixtureOfGaussiansDpEvent has other numbers of sensitivities and of sampling_probs, or none", "sensitivities")
    k = len(points) - 1
    step = points[min(k, 1)][0]
    are_rounded = any(isinstance(x.item() if hasattr(x, "item") else x, float) for x in event.sampling_probs)
    if step > 0 and k == 0 and weights == [1]:
        return _noise("gaussian", scale=_text(_rational(_exact(event.standard_deviation, "standard_deviation")) / step))
    rate = None
    if step > 0 and [place for place, _ in points] == [i * step for i in range(k + 1)] and k > 0:
        rate = _binomial_rate([weight for _, weight in points], are_rounded)
    if rate is None:
        raise Error("MixtureOfGaussiansDpEvent cannot be expressed but of one sensitivity, or of 0, s, .., k s, k <= 100, with the probabilities of a binomial law", "sampling_probs")
    records = {"records_per_user": k} if k > 1 else {}
    noise = _rational(_exact(event.standard_deviation, "standard_deviation")) / step
    return _training("poisson", _text(noise), 1, sampling_rate=_text(rate), **records)


_NOISE: Dict[str, Callable[[Any], Part]] = {"GaussianDpEvent": _gaussian, "LaplaceDpEvent": _laplace, "DiscreteLaplaceDpEvent": _discrete_laplace}
_REPLACING: Dict[str, Callable[[Any], Part]] = {"RandomizedResponseDpEvent": _randomized_response, "SampledWithoutReplacementDpEvent": _without_replacement}
_EVENTS: Dict[str, Callable[[Any], Part]] = {**_NOISE, **_REPLACING, "PoissonSampledDpEvent": _poisson, "TruncatedSubsampledGaussianDpEvent": _truncated,
                                             "SingleEpochTreeAggregationDpEvent": _tree, "MixtureOfGaussiansDpEvent": _mixture}


def read_events(events: Iterable[Tuple[Any, int]], beside: Sequence[Mapping[str, Any]] = ()) -> List[Part]:
    """The parts of several DpEvents with their counts, and those beside them."""
    found: Dict[str, str] = {}
    parts = []
    for event, times in events:
        for leaf, count in _leaves(event, times):
            name = type(leaf).__name__
            if name not in _EVENTS:
                raise Error(f"{name} cannot be expressed; allowed are {', '.join(_EVENTS)} and compositions of them")
            found.setdefault(_REPLACE if name in _REPLACING else _REMOVE, name)
            parts.append({**_EVENTS[name](leaf), "rounds": count})
    if len(found) > 1:
        raise Error(f"{found[_REMOVE]} and {found[_REPLACE]} in one composition cannot be expressed: their neighbours differ")
    return merged([*beside, *parts])


_RUNS = {0: "logarithmic", 1: "geometric", math.inf: "poisson"}


def read_account(events: Sequence[Tuple[Any, int]], beside: Sequence[Mapping[str, Any]] = ()) -> Dict[str, Any]:
    """The members of a question about all of them: "rounds", and "selection" if there is a RepeatAndSelectDpEvent, which goes alone."""
    if len(events) == 1 and not beside and events[0][1] == 1 and type(events[0][0]).__name__ == "RepeatAndSelectDpEvent":
        event = events[0][0]
        how = {"runs": _RUNS[event.shape]} if event.shape in _RUNS else {"runs": "negative-binomial", "shape": _exact(event.shape, "shape")}
        return {"rounds": read_events([(event.event, 1)]), "selection": {"mean": _exact(event.mean, "mean"), **how}}
    return {"rounds": read_events(events, beside)}


def dp_event(event: Any) -> List[Part]:
    """
    The parts of a DpEvent of dp_accounting, which need not be installed: the names of the classes count.

    ================================== =========================================================
    GaussianDpEvent                    noise with that standard deviation on sums of L2 sensitivity 1
    LaplaceDpEvent                     Laplace noise of that scale on sums of L1 sensitivity 1
    DiscreteLaplaceDpEvent             the same of whole numbers, of its sensitivity
    PoissonSampledDpEvent              of one of the first three
    TruncatedSubsampledGaussianDpEvent Poisson batches that are cut to a size
    SingleEpochTreeAggregationDpEvent  trees; each record takes part in one step
    MixtureOfGaussiansDpEvent          of one sensitivity; or Poisson batches with all k records of a user
    RandomizedResponseDpEvent          not with those above: its neighbours replace a value
    SampledWithoutReplacementDpEvent   of a GaussianDpEvent; likewise
    ComposedDpEvent, SelfComposed.., NoOp..
    ================================== =========================================================

    Neighbours remove one record, or replace it with one whose contribution is 0. A double is its exact value. All other events are refused; a
    RepeatAndSelectDpEvent is no part, and an Accountant has it alone.

    A MixtureOfGaussiansDpEvent is read if its sensitivities are 0, s, .., k s and its probabilities those of a binomial law. Doubles have these but for
    rounding, so their rate is rounded up: the least in units of its last place with which each sum is exceeded at least as often as with the doubles,
    divided by their total. So the upper end is a guarantee for the doubles too; the lower end is that of the rate. Nothing is rounded with Fractions, nor
    where k is 1 and the probabilities are 1 - q, to the nearest double, and q. k is at most 100.

    >>> import shufbound
    >>> class GaussianDpEvent:  # as dp_accounting has it
    ...     noise_multiplier = 0.5
    >>> shufbound.readers.dp_event(GaussianDpEvent())
    [{'mechanism': {'type': 'additive-noise', 'noise': 'gaussian', 'scale': '0x1.0000000000000p-1'}, 'rounds': 1}]
    """
    return read_events([(event, 1)])


def opacus(history: Any) -> List[Part]:
    """
    The parts of an Opacus accountant, its state_dict or its history: a list of (noise multiplier, sample rate, steps).

    Opacus means Poisson sampling, which its DataLoader does with ``poisson_sampling=True``; of shuffled batches this is no bound. Neighbours
    remove one record. A double is its exact value.

    >>> import shufbound
    >>> rounds = shufbound.readers.opacus([(1.0, 0.01, 1000)])
    >>> f"{shufbound.epsilon('1e-5', rounds=rounds):.4f}"
    '[1.8282, 1.8283]'
    """
    if isinstance(history, Mapping):
        history = history["history"]
    return merged({**_noisy_sgd(noise, rate), "rounds": _count(steps, "num_steps")} for noise, rate, steps in getattr(history, "history", history))


def _big(digits: Any) -> int:
    """A BigUint of Rust as serde writes it: digits of 32 bits, the lowest first."""
    if isinstance(digits, int):
        return digits
    return sum(digit << (32 * i) for i, digit in enumerate(digits))


def dap(vdaf: Mapping[str, Any]) -> List[Part]:
    """
    The part of one collection of a DAP task, from its VDAF as Janus and divviup-api write it in JSON, or the dp_strategy of it.

    PureDpDiscreteLaplace is read as its budget: any mechanism with that epsilon, under replacement of a report. So the upper end is
    a guarantee; the lower end is that of the class. Other strategies, such as ZCdpDiscreteGaussian, are refused.

    >>> import shufbound
    >>> strategy = {"dp_strategy": "PureDpDiscreteLaplace", "budget": {"epsilon": [[1], [2]]}}
    >>> shufbound.readers.dap({"Prio3Histogram": {"length": 3, "chunk_length": 1, "dp_strategy": strategy}})
    [{'mechanism': {'type': 'ldp', 'eps0': '1/2'}, 'users': 1, 'rounds': 1}]
    """
    strategy: Any = vdaf
    if len(vdaf) == 1 and isinstance(next(iter(vdaf.values())), Mapping):
        strategy = next(iter(vdaf.values()))
    if isinstance(strategy.get("dp_strategy"), Mapping):
        strategy = strategy["dp_strategy"]
    name = strategy.get("dp_strategy")
    if name != "PureDpDiscreteLaplace":
        raise Error(f"the dp_strategy {name} cannot be expressed: PureDpDiscreteLaplace is allowed", "dp_strategy")
    numerator, denominator = map(_big, strategy["budget"]["epsilon"])
    return merged([{"mechanism": {"type": "ldp", "eps0": str(Fraction(numerator, denominator))}, "users": 1}])


def opendp(measurement: Any, d_in: Union[int, float]) -> List[Part]:
    """
    The part of an OpenDP measurement whose output measure is MaxDivergence: any mechanism with the epsilon ``measurement.map(d_in)``.

    OpenDP gives that epsilon as a double, rounded up; it is its exact value. The upper end of an answer is a guarantee for neighbours at the
    distance d_in; the lower end is that of the class. Other output measures are refused.

    >>> import shufbound
    >>> class Measurement:  # as OpenDP has it
    ...     output_measure = "MaxDivergence"
    ...     def map(self, d_in):
    ...         return d_in / 4
    >>> shufbound.readers.opendp(Measurement(), d_in=1)
    [{'mechanism': {'type': 'ldp', 'eps0': '0x1.0000000000000p-2'}, 'users': 1, 'rounds': 1}]
    """
    measure = str(measurement.output_measure)
    if measure.split("(")[0] != "MaxDivergence":
        raise Error(f"the output measure {measure} cannot be expressed: MaxDivergence is allowed")
    return merged([{"mechanism": {"type": "ldp", "eps0": _exact(measurement.map(d_in), "eps0")}, "users": 1}])


# What Chrome assumes where a registration does not say: reports, values of trigger data, windows.
_SOURCES = {"navigation": (3, 8, 3), "event": (1, 2, 1)}


def attribution(registration: Mapping[str, Any], source_type: str) -> List[Part]:
    """
    The part of one source of Chrome's Attribution Reporting, from its registration in JSON: randomised response over all its event-level outputs.

    With w windows, d values of trigger data and at most r reports there are C(r + w d, r) outputs, and the true one is reported but for a
    flip rate of k/(k - 1 + e^eps), eps being ``event_level_epsilon``, or 14. What changes that number otherwise, ``trigger_specs`` and
    ``attribution_scopes``, is refused. Neighbours differ in what happened after one source.

    >>> import shufbound
    >>> shufbound.readers.attribution({}, "navigation")
    [{'mechanism': {'type': 'krr', 'k': 2925, 'eps0': '14'}, 'users': 1, 'rounds': 1}]
    """
    if source_type not in _SOURCES:
        raise Error(f"the source type {source_type} cannot be expressed: {' and '.join(_SOURCES)} are allowed", "source_type")
    for member in ("trigger_specs", "attribution_scopes"):
        if member in registration:
            raise Error(f'"{member}" cannot be expressed: it changes the number of outputs', member)
    reports, values, windows = _SOURCES[source_type]
    reports = _count(registration.get("max_event_level_reports", reports), "max_event_level_reports")
    values = len(registration.get("trigger_data", range(values)))
    if "event_report_window" in registration:
        windows = 1
    windows = len(registration.get("event_report_windows", {}).get("end_times", range(windows)))
    outputs = math.comb(reports + windows * values, reports)
    if outputs < 2:
        raise Error("the registration has one output only: nothing is reported")
    return merged([{"mechanism": {"type": "krr", "k": outputs, "eps0": _exact(registration.get("event_level_epsilon", 14), "event_level_epsilon")}, "users": 1}])
