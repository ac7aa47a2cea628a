# SPDX-License-Identifier: LGPL-3.0-or-later
"""Questions are asked as they are written, and answers have what the JSON has."""
import inspect
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from conftest import SEED

import shufbound

LDP = {"type": "ldp", "eps0": "4"}
CLONES = {"type": "clones", "eps0": "4"}
# Takes an hour.
LONG = {"pair": {"type": "clones", "eps0": "3"}, "users": "1e12", "ask": {"quantity": "delta", "eps": "1e-4"}, "digits": 1000, "effort": "1e15"}


def test_pair():
    answer = shufbound.delta("0.5", pair=CLONES, users=10000)
    assert answer.quantity == "delta" and answer.upper is None and answer.lower is None and answer.tried == ()
    value = answer.value
    assert (value.lo_hex, value.hi_hex, value.side) == (answer.json["value"]["lo_hex"], answer.json["value"]["hi_hex"], "upper")
    assert value.lo <= Fraction("1.4552590355144236e-5") <= value.hi
    assert value.lower() <= value.lo < value.hi <= value.upper() == float(value)
    assert [(t.id, t.status, t.checked) for t in value.theorems] == [("clones", "proved", "coq-finite")]
    assert value.ledger.terms > 0 and value.ledger.work > 0 and value.ledger.aliasing is None
    assert answer.complete and answer.accuracy_reached and answer.question["users"] == "10000"


def test_dpsgd():
    answer = shufbound.dpsgd(sampler="fixed", noise_multiplier=2, steps=10, epochs=4, delta="1e-5")
    assert answer.quantity == "epsilon" and answer.upper.side == answer.lower.side == "exact"
    assert answer.question["neighbours"] == "remove" and answer.lower.data.others == "0"
    assert 4.37 < answer.lower.lower() <= answer.upper.upper() < 4.38  # mu = 1
    assert (float(answer.lower), float(answer.upper)) == (answer.lower.lower(), answer.upper.upper())
    assert f"{answer:.3f}" == f"[{answer.lower:.3f}, {answer.upper:.3f}]"
    poisson = {"noise_multiplier": 1, "sampling_rate": "1/10", "epochs": 1, "delta": "1e-5", "digits": 3}
    assert shufbound.dpsgd(**poisson) == shufbound.dpsgd(sampler="poisson", **poisson)
    assert shufbound.dpsgd(sampler="shuffle", noise_multiplier="1/2", steps=10, eps=2, delta="1e-5", effort="1e9").verdict == "refuted"
    solved = shufbound.dpsgd(sampler="fixed", steps=10, eps=1, delta="1e-5", solve="noise_multiplier")
    assert 3.73 < solved.value.upper() < 3.74
    with pytest.raises(shufbound.Error) as error:
        shufbound.dpsgd(sampler="urn", noise_multiplier=1, steps=10, eps=1)
    assert error.value.member == "sampler"


def test_mechanism():
    answer = shufbound.epsilon("1e-6", mechanism=LDP, users=10000)
    assert answer.value is None and answer.upper.side == "upper" and answer.lower.side == "lower"
    assert answer.lower.lo <= answer.upper.hi and float(answer.lower) <= float(answer.upper)
    data = answer.lower.data
    assert sum(n for _, n in data.first) == sum(n for _, n in data.second) == 10000
    assert data.mechanism["type"] == "krr" and answer.upper.data is None
    assert {t.id for bound in answer.tried for t in bound.theorems} >= {"clones", "clones-stronger"}
    assert str(answer).startswith("epsilon at most [0.41")
    # which number is meant is for the caller to say
    for whole, words in ((answer, "float(answer.upper) is at least"), (answer.interval, "upper() at least"),
                         (shufbound.delta("0.5", pair=CLONES, users=10), "value.upper() at least")):
        with pytest.raises(TypeError, match=re.escape(words)):
            float(whole)


def test_renyi_and_members():
    one = shufbound.renyi(2, pair=CLONES, users=100)
    three = shufbound.renyi("2", pair=CLONES, users="100", rounds=3, digits=20)
    assert 3 * one.value.lo <= three.value.hi and three.value.lo <= 3 * one.value.hi
    assert three.question["digits"] == 20 and len(three.value.lo_decimal) > 20


def test_audit():
    certified = shufbound.audit({"eps": "1", "delta": "1e-6"}, mechanism=LDP, users=10000)
    refuted = shufbound.audit({"eps": "0.1", "delta": "1e-6"}, mechanism=LDP, users=10000)
    assert (certified.verdict, refuted.verdict) == ("certified", "refuted")
    assert certified.upper.decides and refuted.lower.decides and refuted.lower.data is not None
    undecided = shufbound.audit({"eps": Fraction(409, 1000), "delta": "1e-6"}, mechanism=LDP, users=10000)
    assert undecided.verdict == "undecided" and undecided.reason


@pytest.mark.parametrize("eps", ["0.5", "1/2", "0x1p-1", Fraction(1, 2), Decimal("0.5"), Decimal("5E-1"), Fraction(0.5)])
def test_exact_parameters(eps):
    assert shufbound.delta(eps, pair=CLONES, users=10).value.json == shufbound.delta("0.5", pair=CLONES, users="10").value.json


@pytest.mark.parametrize("ask, member", [
    (lambda: shufbound.delta(0.5, pair=CLONES, users=10), "eps"),
    (lambda: shufbound.delta("0.5", pair={"type": "clones", "eps0": 4.0}, users=10), "eps0"),
    (lambda: shufbound.delta("0.5", mechanism={"type": "matrix", "rows": [["1/2", 0.5], ["1", "0"]]}, users=10), "rows"),
    (lambda: shufbound.delta(b"0.5", pair=CLONES, users=10), "eps"),
    (lambda: shufbound.delta("half", pair=CLONES, users=10), "eps"),
    (lambda: shufbound.delta("0.5", pair=CLONES, users=0), "users"),
    (lambda: shufbound.delta("0.5", pair=CLONES), "users"),
    (lambda: shufbound.delta("0.5", pair=CLONES, users=10**30), "users"),
    (lambda: shufbound.ask({"pair": CLONES, "users": 10, "round": 2, "ask": {"quantity": "delta", "eps": 1}}), "round"),
    (lambda: shufbound.delta("0.5", pair=CLONES, users=10, id="eps", digits=-1), "digits"),
    (lambda: shufbound.delta("0.5", pair={**CLONES, "eps0": None}, users=10), "eps0"),
    (lambda: shufbound.delta("0.5", users=10, rounds=[{"mechanism": LDP}, {"mechanism": LDP, "users": "x"}]), "users"),
    (lambda: shufbound.delta("0.5", mechanism=LDP, pair=CLONES, users=10), "mechanism"),
    (lambda: shufbound.curve("delat", ["1"], pair=CLONES, users=10), "quantity"),
    (lambda: shufbound.ask("{"), None),
    (lambda: shufbound.ask('{"users":"1"}\0'), None),
    (lambda: shufbound.ask({"id": "\ud800"}), None),
])
def test_errors_name_the_member(ask, member):
    with pytest.raises(shufbound.Error) as caught:
        ask()
    assert caught.value.member == member
    assert member is None or f'"{member}"' in str(caught.value)


def test_curve():
    points = ["0.1", Fraction(1, 5), "log(2)"]
    curve = shufbound.curve("delta", points, mechanism=LDP, users=10000)
    assert curve.x() == [0.1, 0.2, math.log(2)] and curve.against == "eps"
    assert all(lower <= upper for lower, upper in zip(curve.lower(), curve.upper()))
    assert curve.upper()[1] == float(shufbound.delta("0.2", mechanism=LDP, users=10000).upper)


def test_arrays():
    numpy = pytest.importorskip("numpy")
    x, lower, upper = shufbound.curve("epsilon", ["1e-6", "1e-5"], pair=CLONES, users=1000).arrays()
    assert x.dtype == lower.dtype == upper.dtype == numpy.float64 and (lower <= upper).all()
    assert shufbound.delta("0.5", pair=CLONES, users=numpy.int64(10)).question["users"] == "10"
    rows = numpy.array([[1, 0], [0, 1]])
    matrix = {"type": "matrix", "rows": [["2/3", "1/3"], ["1/3", "2/3"]]}
    exact = {"type": "matrix", "rows": (rows + 1) * Fraction(1, 3)}
    assert shufbound.delta("0.5", mechanism=exact, users=10).json == shufbound.delta("0.5", mechanism=matrix, users=10).json
    points = shufbound.curve("epsilon", numpy.array(["1e-6", "1e-5"]), pair=CLONES, users=1000)
    assert points.lower() == list(lower)
    answer = shufbound.delta("0.5", pair=CLONES, users=numpy.int32(10))
    assert answer <= numpy.float32(1) and numpy.float64(1) >= answer and not answer > numpy.int64(2)


class Float64(float):
    """As numpy's since version 2."""

    def __repr__(self):
        return f"np.float64({float(self)!r})"

    __str__ = float.__repr__


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "longdouble", float, Float64])
def test_advice_for_a_float_works(kind):
    x = (pytest.importorskip("numpy").dtype(kind).type if isinstance(kind, str) else kind)("0.1")
    with pytest.raises(shufbound.Error) as caught:
        shufbound.delta(x, pair=CLONES, users=10)
    text, code = re.search(r'Write "(.+)" for this decimal, or (.+) for', str(caught.value)).groups()
    assert type(x)(text) == x and shufbound.delta(text, pair=CLONES, users=10).complete
    exact = eval(code, {"Fraction": Fraction, "x": x})
    assert (exact.numerator, exact.denominator) == x.as_integer_ratio() and shufbound.delta(exact, pair=CLONES, users=10).complete


def test_float_in_an_array():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(shufbound.Error, match='"rows" is the float 0.5: .* Write "0.5" for'):
        shufbound.delta("0.5", mechanism={"type": "matrix", "rows": numpy.array([[0.5, 0.5], [1, 0]])}, users=10)


def test_plot(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    curve = shufbound.curve("delta", ["0.1", "0.3", "0.5"], mechanism=LDP, users=1000)
    axes = curve.plot()
    assert [list(line.get_ydata()) for line in axes.lines] == [curve.upper(), curve.lower()]
    assert curve.plot(ax=axes) is axes
    assert [text.get_text() for text in axes.get_legend().get_texts()][:2] == ["at most", "at least"]
    for name, begins in (("delta.pdf", b"%PDF-"), ("delta.png", b"\x89PNG"), ("delta.svg", b"<?xml")):
        axes.figure.savefig(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begins)


def test_dataframe():
    pytest.importorskip("pandas")
    curve = shufbound.curve("delta", ["0.1", "0.3"], mechanism=LDP, users=1000)
    assert curve.to_dataframe().to_dict("list") == {"eps": [0.1, 0.3], "lower": curve.lower(), "upper": curve.upper()}
    answer = curve.answers[0]
    frame = answer.to_dataframe()
    assert len(frame) == len(answer.tried) and frame.upper[frame.side == "upper"].min() == float(answer.upper)


def test_grid():
    assert shufbound.grid("0.1", 1, 10) == tuple(Fraction(i, 10) for i in range(1, 11))
    assert shufbound.grid(Decimal("1e-8"), "1e-2", 7, log=True) == tuple(Fraction(f"1e-{i}") for i in range(8, 1, -1))
    ascending = shufbound.grid("1/3", "0x1p+3", 6, log=True)
    assert ascending[0] == Fraction(1, 3) and ascending[-1] == 8 and sorted(ascending) == list(ascending)
    with pytest.raises(shufbound.Error, match='"last" is the float 1.0'):
        shufbound.grid("0.1", 1.0, 10)
    for wrong in (lambda: shufbound.grid(0, 1, 1), lambda: shufbound.grid(0, 1, 3, log=True)):
        with pytest.raises(shufbound.Error):
            wrong()


# what ask() alone takes: texts that the library only repeats
TEXTS = {"source", "quote", "note"}
MEMBERS = {"honest": "0.9", "reports_per_user": 2, "release": "reports", "neighbours": "replace", "sample": {"scheme": "fixed", "rate": "1/2"},
           "rounds": 2, "form": {"theorem": "girgis21-3.1"}, "selection": {"mean": 3}, "direction": "pq", "via": "renyi", "fast": True, "digits": 3, "effort": "high",
           "max_seconds": 9, "id": "x", "mechanism": LDP, "pair": CLONES, "users": 10}


@pytest.mark.parametrize("function, point, missing", [
    (shufbound.delta, "eps", set()), (shufbound.epsilon, "delta", set()), (shufbound.renyi, "order", set()),
    (shufbound.audit, "claim", {"pair", "form", "direction"}), (shufbound.curve, "points", {"id"}),
])
def test_keywords_are_the_members(function, point, missing, monkeypatch):
    schema = Path(__file__).parents[2] / "doc/schema/question.schema.json"
    if schema.exists():
        assert set(json.loads(schema.read_text())["definitions"]["question"]["properties"]) - {"ask", "claim"} == MEMBERS.keys() | TEXTS
    keywords = {name for name, p in inspect.signature(function).parameters.items() if p.kind is p.KEYWORD_ONLY}
    assert keywords == MEMBERS.keys() - missing
    asked = []
    monkeypatch.setattr(shufbound.question, "ask", lambda question: asked.append(question))
    members = {name: value for name, value in MEMBERS.items() if name in keywords}
    function(*(("delta", ["1"]) if point == "points" else ("1",)), **members)
    claim_or_ask = asked[0].pop("claim", None) or asked[0].pop("ask")
    assert asked == [members] and "1" in (claim_or_ask, *(claim_or_ask.values() if isinstance(claim_or_ask, dict) else ()))


def test_answer_is_compared_and_shown():
    answer = shufbound.epsilon("1e-6", mechanism=LDP, users=10000)
    upper, lower = answer.upper.hi, answer.lower.lo
    assert (answer.interval.lo, answer.interval.hi) == (lower, upper)
    assert answer <= upper and answer >= lower and not answer < lower and not answer > upper
    for undecided in (lambda: answer < upper, lambda: answer <= lower, lambda: answer >= upper, lambda: answer > lower):
        with pytest.raises(shufbound.Undecided, match="undecided: epsilon lies in"):
            undecided()
    # two answers, and an answer and a bound
    assert answer < shufbound.epsilon("1e-6", mechanism=LDP, users=1000) and answer.lower < answer.upper
    assert all(len(repr(x)) < 200 for x in (answer, answer.upper, answer.lower))
    assert f"{answer:.3f}" == f"[{answer.lower:.3f}, {answer.upper:.3f}]" == str(round(answer, 3))
    again = shufbound.epsilon("1e-6", mechanism=LDP, users=10000)
    assert again == answer and len({answer, again, answer.upper, again.upper, answer.lower.data, again.lower.data}) == 3
    copy = answer.to_dict()
    assert copy == answer.json and answer.upper.to_dict() == answer.json["upper"]
    copy["upper"]["lo"] = "0"
    assert answer.json["upper"]["lo"] != "0"
    assert "<td>[0.41" in answer._repr_html_() and "clones-stronger (proved)" in answer._repr_html_()


def test_curve_is_shown():
    curve = shufbound.curve("delta", shufbound.grid("0.1", "0.5", 3), pair=CLONES, users=100)
    assert repr(curve) == "<Curve of delta at 3 values of eps>" and curve._repr_html_().count("<tr>") == 4
    assert curve.to_dict()["points"] == ["1/10", "3/10", "1/2"] and curve.to_dict()["answers"][1] == curve.answers[1].json
    assert hash(curve) == hash(shufbound.curve("delta", shufbound.grid("0.1", "0.5", 3), pair=CLONES, users=100))


def test_theorems():
    registry = {t.id: t for t in shufbound.theorems()}
    assert registry["clones"].status == "proved" and registry["clones"].side == "upper bound" and registry["rr2"].side == "lower bound"
    program = os.environ.get("SHUFBOUND")
    if program:
        lines = subprocess.run([program, "theorems", "--json"], capture_output=True, check=True, text=True).stdout.splitlines()
        listed = [{"checked_in": None, **json.loads(line)} for line in lines]
        assert listed == [vars(t) for t in shufbound.theorems()]


def test_version():
    project = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert shufbound.delta("1", pair=CLONES, users=1).version == re.search(r'^version = "(.+)"', project, re.M).group(1) == shufbound.__version__


def test_progress():
    lines = []
    shufbound.ask({**LONG, "digits": 12, "users": "1e10"}, progress=lines.append)
    assert "clones" in lines

    def stop(_):
        raise RuntimeError("enough")
    with pytest.raises(RuntimeError, match="enough"):
        shufbound.ask(LONG, progress=stop)


def test_max_seconds():
    with pytest.raises(TimeoutError) as caught:
        shufbound.ask({**LONG, "id": "one", "max_seconds": "1e-9"})
    assert isinstance(caught.value, shufbound.Error) and (caught.value.member, caught.value.id) == ("max_seconds", "one")
    assert str(caught.value) == "max_seconds ran out before a value was found"
    answer = shufbound.ask({**LONG, "digits": 12, "users": "1e10", "max_seconds": "60"})
    assert answer.complete


def test_other_threads_run_meanwhile():
    counted, done = 0, threading.Event()

    def compute():
        try:
            shufbound.ask({**LONG, "max_seconds": "1"})
        except shufbound.Error:
            pass
        finally:
            done.set()
    threading.Thread(target=compute).start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    assert counted > 10


def test_interrupt(tmp_path):
    program = f"""
import _thread, json, signal, sys, shufbound
# even where it is ignored, as in a job in the background
signal.signal(signal.SIGINT, signal.default_int_handler)
print("asking", flush=True)
try:
    shufbound.ask(json.loads(sys.argv[1]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
# the computation ends
while shufbound._library._Worker.idle == []:
    pass
# and what follows is answered
print(shufbound.delta("0.5", pair={CLONES!r}, users=10000).value.hi_decimal, _thread._count())
"""
    with subprocess.Popen([sys.executable, "-c", program, json.dumps(LONG)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "asking\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        assert child.stdout.read().split() == ["interrupted", "1.4552590355144237e-5", "1"]
    assert child.returncode == 0


def test_interrupt_at_any_point():
    program = f"""
import random, signal, shufbound
rng = random.Random({SEED})
class Stop(Exception):
    pass
def stop(*_):
    raise Stop
signal.signal(signal.SIGALRM, stop)
stopped = 0
for _ in range(2000):
    try:
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-5, 4e-4))
        shufbound.delta("0.5", pair={CLONES!r}, users=10)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Stop:
        stopped += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print(stopped > 0, shufbound.delta("0.5", pair={CLONES!r}, users=10).complete)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.split() == ["True", "True"], done.stderr


def test_after_fork():
    shufbound.delta("0.5", pair=CLONES, users=10)
    child = os.fork()
    if child == 0:
        os._exit(0 if shufbound.delta("0.5", pair=CLONES, users=10).complete else 1)
    assert os.waitpid(child, 0)[1] == 0
