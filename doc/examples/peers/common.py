# SPDX-License-Identifier: LGPL-3.0-or-later
"""What the drivers answer_*.py share: prompts, rounded parameters, answers, a time limit."""
import argparse
import contextlib
import io
import json
import logging
import math
import os
import re
import signal
import sys
import warnings
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../vectors"))
sys.dont_write_bytecode = True
import question  # noqa: E402: a module of the vectors

SECONDS = 3        # of computing, for one test
ABSENT = 77        # exit status when the peer is not installed


class Refused(Exception):
    """The peer has no answer to this test; the text says why."""


def number(text, up=True):
    """A double that is at least (up) or at most the number that the parameter stands for."""
    match = re.fullmatch(r"log\((.+)\)", text)
    if match:
        x = math.log(number(match.group(1), up))
        for _ in range(2):                     # the library function is within one unit of the last place
            x = math.nextafter(x, math.inf if up else -math.inf)
        return x
    if "/" in text:
        exact = Fraction(*map(Fraction, text.split("/")))
    elif "0x" in text.lower():
        exact = Fraction(float.fromhex(text))
    else:
        exact = Fraction(text)
    x = float(exact)
    if up and Fraction(x) < exact:
        return math.nextafter(x, math.inf)
    if not up and Fraction(x) > exact:
        return math.nextafter(x, -math.inf)
    return x


def whole(text):
    x = Fraction(text)
    if x.denominator != 1:
        raise Refused("not a whole number")
    return int(x)


def only(params, *names):
    """Refuses a test with options that the driver does not know."""
    unknown = sorted(set(params) - set(names) - {"command", "form", "pair", "digits", "engine"})
    if unknown:
        raise Refused("no " + ", ".join(unknown))


def _stop(signum, frame):
    raise Refused(f"more than {SECONDS} s")


def _answer(function, params):
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            bounds = function(params)
    except Refused as reason:
        return {"refused": str(reason)}
    except Exception as error:                 # whatever a peer raises is its answer
        return {"refused": f"{type(error).__name__}: {error}"[:80]}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if bounds is None:
        return None
    bounds = {side: float(x) for side, x in bounds.items()}
    if not all(map(math.isfinite, bounds.values())):
        return {"refused": "not a finite number"}
    return bounds


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", help="directory of a checkout")
    parser.add_argument("prompts", nargs="+", metavar="PROMPT.json")
    options = parser.parse_args()
    if options.path:
        sys.path.insert(0, options.path)
    return options


def absent(name, error):
    print(f"{name}: not found: {error}", file=sys.stderr)
    sys.exit(ABSENT)


def main(options, library, version, function):
    """Writes the answers; function(params) is a dict of bounds, or None for tests that are not its subject."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    print('{"library": %s, "version": %s, "answers": [' % (json.dumps(library), json.dumps(version)), end="")
    separator = "\n"
    for path in options.prompts:
        with open(path) as f:
            groups = json.load(f)["testGroups"]
        for test in (t for group in groups for t in group["tests"]):
            answer = _answer(function, question.options(test["question"]))
            if answer is not None:
                print(separator + json.dumps({"tcId": test["tcId"], **answer}), end="", flush=True)
                separator = ",\n"
    print("\n]}")
