#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Hand-made answers, one a line, for the tests of src/report: answers.py [SCHEMA_FOLDER]. With the folder they are
checked against doc/schema first; exit 77 where Python has no jsonschema."""
import json
import os
import sys


def theorem(name, status="proved", checked="paper"):
    return {"id": name, "status": status, "checked": checked}


def bound(side, lo, hi, *theorems, **more):
    b = {"side": side, "lo": lo, "hi": hi, "lo_hex": None if lo is None else "0x1p-1", "hi_hex": None if hi is None else "0x1p-1",
         "theorems": [theorem(t) if isinstance(t, str) else t for t in theorems], "accuracy_reached": True}
    b.update(more)
    return b


def answer(question, quantity, **more):
    a = {"question": question, "quantity": quantity, "complete": True, "accuracy_reached": True, "tried": [], "version": "0.1.0"}
    if "id" in question:
        a["id"] = question["id"]
    a.update(more)
    return a


def decided(b, delta_lo, delta_hi):
    return dict(b, decides=True, delta={"lo": delta_lo, "hi": delta_hi})


LEDGER = {"truncation": "4.8e-20", "discretisation": "0", "rounding": "5.01e-20", "terms": 261, "precision": 81, "work": 12345}
KRR = {"type": "krr", "k": 16, "eps0": "3"}
DATA = {"mechanism": {"type": "krr", "k": "10", "eps0": "log(3)"},
        "first": [{"value": "0", "users": "10"}], "second": [{"value": "0", "users": "9"}, {"value": "1", "users": "1"}],
        "seen": "how many reports are 1"}


def claim(name, eps, delta, mechanism=KRR, **more):
    q = {"id": name, "source": "a paper, Figure 1", "mechanism": mechanism, "users": "200000", "neighbours": "replace",
         "claim": {"eps": eps, "delta": delta}}
    q.update(more)
    return q


def certified():
    stronger = decided(bound("upper", "0.11815999999999999", "0.11816000000000001", "clones-stronger"), "2.5650e-10", "2.56543210e-10")
    clones = decided(bound("upper", "0.12099", "0.1210000000001", "clones"), "7.5544e-7", "7.5545e-7")
    lower = bound("lower", "0.117020000000000001", "0.11703", "krr-same", data=DATA)
    return answer(claim("apple-clones-numerical", "0.172790550755978", "1e-6", quote="for eps between 0.16 and 0.17",
                        note="Printed in full."), "epsilon", verdict="certified", upper=stronger, lower=lower,
                  tried=[stronger, clones, bound("upper", "0", None, "blanket", accuracy_reached=False),
                         bound("lower", "0", "0.5", "third-value"), lower])


def refuted():
    lower = decided(bound("lower", "0.83656899999", "0.837", "krr-same", data=DATA), "0.00192499999", "0.00193")
    return answer(claim("an-id-that-is-much-longer-than-any-column-of-the-table-could-be-and-stays-whole", "0.7655466356218311",
                        "1.00000000000000000000e-8", rounds=30, sample={"scheme": "fixed", "rate": "1/10"}),
                  "epsilon", verdict="refuted", lower=lower, tried=[lower])


def undecided():
    upper = bound("upper", "0.4", "0.40537199", "clones-stronger", "pld-composition", accuracy_reached=False,
                  delta={"lo": "1e-9", "hi": "1.706815985899899e-06"})
    lower = bound("lower", "0.21195999", "0.212", "krr-third", delta={"lo": "1.29999e-12", "hi": "2e-12"}, data=DATA)
    parts = [{"mechanism": KRR, "rounds": 10}, {"mechanism": {"type": "laplace", "scale": "1/2"}, "users": "1000", "rounds": "20"}]
    return answer(claim("dap-rappor", "0.317", "1e-9", rounds=parts, max_seconds="5", effort="high"), "epsilon", verdict="undecided",
                  reason="the claim lies between the best lower and the best upper bound", upper=upper, lower=lower,
                  tried=[upper, lower], complete=False, accuracy_reached=False)


def hostile():
    q = claim("\u001b[2K\rCERTIFIED  x\u202e<script>alert(1)</script>", "0.1", "1e-9", source="\u009b1m & <b>\"'",
              quote="</blockquote><img src=x>\nsecond line", note="\u2066note", mechanism={"type": "ldp", "name": "<i>\u0007", "eps0": "1", "local": "delete"})
    return answer(q, "epsilon", verdict="undecided", reason="nothing is known <b>")


def renyi_claim():
    upper = bound("upper", "1.9", "1.9299999999", "clones", decides=True)
    q = {"id": "chen24-cor2-n1001-eps0-4-order-18", "mechanism": {"type": "ldp", "eps0": "4"}, "users": {"at_least": 1001},
         "claim": {"order": "18", "renyi": "1.966"}}
    return answer(q, "renyi", verdict="certified", upper=upper, tried=[upper])


def gdp_claim():
    upper = bound("upper", "0.65", "0.6601", "clones", "dong22-2.13", decides=True, at={"witness": "5/2"},
                  delta={"lo": "8.046e-5", "hi": "8.047e-5"})
    q = {"id": "gdp", "mechanism": {"type": "matrix", "rows": [["1/2", "1/2"], ["1/20", "19/20"]]}, "users": "1e3",
         "claim": {"mu": "0.661", "eps": ["0", "4"]}}
    return answer(q, "gdp", verdict="certified", upper=upper, tried=[upper])


def pair():
    q = {"pair": {"type": "clones", "eps0": "4"}, "users": "10000", "ask": {"quantity": "delta", "eps": "0.5"}}
    return answer(q, "delta", value=bound("upper", "1.4552590355144235e-5", "1.4552590355144237e-5", theorem("clones", checked="coq"),
                                          ledger=LEDGER))


def pair_rounds():
    q = {"pair": {"type": "clones", "eps0": "1"}, "users": "1000", "rounds": 10, "via": "renyi", "ask": {"quantity": "epsilon", "delta": "1e-6"}}
    return answer(q, "epsilon", accuracy_reached=False, complete=False,
                  value=bound("upper", "0.6736538485118995", "0.67365384851189951", "clones", "renyi-composition", "renyi-conversion",
                              guarantee="a certified upper bound on epsilon; the enclosure is of the bound's value",
                              notes=["10 rounds: Renyi divergences add"], at={"order": "30.8714"}, accuracy_reached=False))


def refuted_form():
    q = {"pair": {"type": "clones", "eps0": "1"}, "users": "1000", "ask": {"quantity": "renyi", "order": "2"}}
    return answer(q, "renyi", value=bound("none", "0.1", "0.2", theorem("chen24-cor2", "refuted", "none")))


def infinite():
    q = {"pair": {"type": "krr-strong", "gamma": "1/2", "k": 3}, "users": "10", "ask": {"quantity": "renyi", "order": "2"}}
    return answer(q, "renyi", value=bound("exact", None, None, "krr-strong", infinite=True))


def mechanism():
    q = {"mechanism": {"type": "subset-selection", "k": 10, "size": 3, "eps0": "1"}, "users": "10000", "ask": {"quantity": "delta", "eps": "0.02"}}
    upper = bound("upper", "6.6183426296e-5", "6.6183426297e-5", "local-profile", ledger=LEDGER)
    lower = bound("lower", "7.2301805557e-6", "7.2301805558e-6", "mixed-data", data=dict(DATA, mechanism=q["mechanism"]))
    return answer(q, "delta", upper=upper, lower=lower,
                  tried=[bound("upper", "0.00068240085464", "0.00068240085469", "clones"), upper, bound("upper", "0", "1", "blanket"), lower])


def tradeoff():
    q = {"mechanism": KRR, "users": "2000", "ask": {"quantity": "tradeoff", "type1": "0.1"}}
    upper = bound("upper", "0.8809247687399", "0.8809247700813", "krr-third", "dong22-2.12", data=DATA)
    lower = bound("lower", "0.8809230179376", "0.8809230220732", "krr-weak", "dong22-2.12")
    return answer(q, "tradeoff", upper=upper, lower=lower, tried=[upper, lower])


ANSWERS = [certified(), refuted(), undecided(), hostile(), renyi_claim(), gdp_claim(), pair(), pair_rounds(), refuted_form(),
           infinite(), mechanism(), tradeoff(), {"line": 7, "id": "bad", "error": "unknown member \"epss\u001b\"", "version": "0.1.0"}]


def check(folder):
    try:
        import jsonschema
    except ImportError:
        sys.exit(77)
    schemas = {name: json.load(open(os.path.join(folder, name), encoding="utf-8"))
               for name in ("answer.schema.json", "question.schema.json")}
    resolver = jsonschema.RefResolver("answer.schema.json", schemas["answer.schema.json"],
                                      store={name: schemas[name] for name in schemas})
    for a in ANSWERS:
        jsonschema.Draft7Validator(schemas["answer.schema.json"], resolver=resolver).validate(a)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        check(sys.argv[1])
    for a in ANSWERS:
        print(json.dumps(a))
