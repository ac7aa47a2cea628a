#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Figure 2 of Feldman, McMillan and Talwar (arXiv 2012.12803): eps of one round at delta = 1e-6.

    figure.py questions PANEL > QUESTIONS     one question a line, for shufbound ask
    figure.py table PANEL < ANSWERS > CSV     the abscissa, then NAME_lo,NAME_hi, empty outside a form's region

PANEL is a (n, eps0 = 0.1), b (n, eps0 = 6) or c (eps0, n = 1e6).
"""
import json
import sys

PAIRS = ["clones", "clones-stronger", "rr2"]
FORMS = ["feldman21-3.1", "balle19-bennett", "balle19-hoeffding", "erlingsson19"]
USERS = ["100000", "180000", "320000", "560000", "1000000", "1800000", "3200000", "5600000", "10000000"]
EPS0 = ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "1.5", "2", "2.5", "3", "3.5", "4", "4.5", "5", "5.5", "6", "6.5", "7", "7.5", "8"]
# the name of the abscissa, and (abscissa, users, eps0) of each row
PANELS = {
    "a": ("n", [(n, n, "0.1") for n in USERS]),
    "b": ("n", [(n, n, "6") for n in USERS]),
    "c": ("eps0", [(eps0, "1000000", eps0) for eps0 in EPS0]),
}


def questions(rows):
    for _, users, eps0 in rows:
        for subject in ([{"pair": {"type": name, "eps0": eps0}} for name in PAIRS]
                        + [{"form": {"theorem": name}, "mechanism": {"type": "ldp", "eps0": eps0}} for name in FORMS]):
            print(json.dumps({**subject, "users": users, "ask": {"quantity": "epsilon", "delta": "1e-6"}, "digits": 6}))


def value(line):
    answer = json.loads(line)
    if "error" in answer and "outside its region" not in answer["error"]:
        sys.exit(answer["error"])
    return answer.get("value", {})


def table(abscissa, rows, answers):
    print(",".join([abscissa] + [f"{name}_{end}" for name in PAIRS + FORMS for end in ("lo", "hi")]))
    for x, _, _ in rows:
        values = [value(next(answers)) for _ in PAIRS + FORMS]
        print(",".join([x] + [v.get(end, "") for v in values for end in ("lo", "hi")]))


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("questions", "table") or sys.argv[2] not in PANELS:
        sys.exit(__doc__)
    abscissa, rows = PANELS[sys.argv[2]]
    if sys.argv[1] == "questions":
        questions(rows)
    else:
        table(abscissa, rows, sys.stdin)


if __name__ == "__main__":
    main()
