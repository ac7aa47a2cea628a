#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Uses the page as a reader would: page.py CHROMIUM PAGE.html SHUFBOUND [FOLDER for screenshots]. Exit 1 after a line for each fault."""
import base64
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "report"))
import browser as chromium

# A value of each parameter.
VALUES = {
    "eps0": "1", "delta0": "1/1000000000", "k": "6", "g": "4", "size": "2", "gamma": "1/3", "flip": "1/4", "p": "3/4", "q": "1/5", "scale": "1", "inputs": "interval",
    "local": "replace", "noise_multiplier": "1", "steps": "20", "sampling_rate": "1/20", "records_per_user": "2", "max_batch_size": "30", "dataset_size": "1000", "strategy": ["1", "1/2"], "bands": "2", "every": "5", "separation": "5", "times": "3", "coins": "400", "noise": "laplace", "variance": "4", "sensitivity": "1", "dimension": "1", "threshold": "5", "shares": "4", "honest": "3", "sigma": "2", "weights": ["1/3", "2/3"],
    "groups": [{"mechanism": {"type": "krr", "k": "3", "eps0": "1"}, "users": "50"}, {"mechanism": {"type": "krr", "k": "3", "eps0": "2"}, "users": "20"}],
    "rows": [["1/2", "1/2"], ["1/20", "19/20"]], "parts": [{"type": "krr", "k": "3", "eps0": "1"}, {"type": "rr2", "eps0": "log(2)"}],
    "w0": "1/2", "w1": "1/5", "r0": "1/10", "r1": "1/5", "eps": "0.3", "delta": "1e-5", "order": "3", "renyi": "1/2", "type1": "0.1", "law": "view",
}
# What noisy SGD may leave out, by what goes together.
TOGETHER = [[], ["records_per_user"], [], [], ["max_batch_size", "dataset_size"], ["strategy", "every"], ["strategy", "separation", "times"]]
CLAIMS = [{"eps": "0.3", "delta": "1e-6"}, {"order": "2", "renyi": "0.01"}, {"mu": "0.4", "eps": ["0", "1"]}]
SETTINGS = [
    {"users": "1000"}, {"users": "20000", "rounds": "30"}, {"users": "3000", "sample": {"scheme": "fixed", "rate": "1/3"}},
    {"users": "50", "rounds": "2", "digits": 9}, {"users": "999999999999999989"}, {"users": "400", "digits": 40}, {"users": "1000", "honest": "9/10"},
    {"users": {"at_least": "700"}, "fast": True}, {"users": "600", "reports_per_user": "2"}, {"users": "100", "via": "renyi", "rounds": "10"},
]
RELEASES = {"binomial-noise", "additive-noise", "sample-and-threshold"}
WITHOUT_USERS = {"groups", "noisy-sgd", *RELEASES}
# Not understood, written in another way, or not answered in the turns below.
TEXTS = [
    '{"users":10}', "", "[]", '{"id":"a\\u0000b","ask":{}}', '{"id":"ä\u2028","mechanism":{"type":"ldp","eps0":0.1},"users":10,"ask":{"quantity":"delta","eps":"1"}}',
    ' {"pair" : {"type":"clones","eps0":"0x1p2"}, "users":1e4, "ask":{"quantity":"delta","eps":"1/2"}} ',
    '{"pair":{"type":"clones","eps0":"4"},"users":"1e4","ask":{"quantity":"delta","eps":"0.5"}}',
    '{"pair":{"type":"clones","eps0":"1"},"ask":{"quantity":"users","eps":"0.2","delta":"1e-6"}}',
    '{"mechanism":{"type":"ldp"},"users":"1000","ask":{"quantity":"eps0","eps":"0.2","delta":"1e-6"}}',
    '{"pair":{"type":"clones","eps0":"1"},"users":"1000","ask":{"quantity":"renyi","order":"3"},"digits":600}',
    '{"mechanism":{"type":"noisy-sgd","sampler":"poisson","noise_multiplier":"1","steps":"3"},"ask":{"quantity":"epsilon","delta":"1e-3"},"digits":3}',
    '{"pair":{"type":"gaussian","sigma":"2"},"users":"700","ask":{"quantity":"delta","eps":"0.3"}}',
    '{"mechanism":{"type":"noisy-sgd","sampler":"fixed","noise_multiplier":"2","steps":"10"},"ask":{"quantity":"epochs","eps":"9","delta":"1e-3"},"digits":3}',
    '{"mechanism":{"type":"binomial-noise"},"ask":{"quantity":"coins","eps":"1","delta":"1e-3"}}',
    '{"mechanism":{"type":"additive-noise","noise":"laplace","scale":"4"},"ask":{"quantity":"sensitivity","eps":"1","delta":"1e-3"}}',
    '{"pair":{"type":"clones","eps0":"1"},"users":"500","ask":{"quantity":"gdp","eps":["0","1"]},"digits":3}',
    '{"mechanism":{"type":"ldp","eps0":"1"},"users":"500","claim":{"mu":"0.4","eps":["0","1"]}}',
]


def parameters(members, number):
    """Values of what "k? eps0|gamma" lists, now and then the alternative, and what may be left out."""
    for item in members.split(" "):
        names = item.rstrip("?").split("|")
        if not item.endswith("?") or number % 3 == 0:
            name = names[number % len(names)]
            yield name, VALUES[name]


def subjects(words, number):
    for row in words["mechanisms"]:
        for sampler in [s["name"] for s in words["samplers"]] if "sampler" in row["members"] else [None]:
            own = dict(parameters(row["members"].replace("sampler ", ""), number))
            if sampler:
                needed = " ".join(item for item in row["members"].split(" ")[1:] if not item.endswith("?"))
                own = {"sampler": sampler, **dict(parameters(needed, number)), **{name: VALUES[name] for name in TOGETHER[number % len(TOGETHER)]}, **({"steps": "20", "sampling_rate": "1/10"} if sampler == "random-allocation" else {})}
            yield {"mechanism": {"type": row["name"], **own}}
    for row in words["pairs"]:
        yield {"pair": {"type": row["name"], **dict(parameters(row["members"], number))}}


def asks(words, number):
    for row in words["quantities"]:
        eps = {"gdp": ["0", "1"], "epochs": "9", "noise_multiplier": "9", "rounds": "9"}.get(row["name"])
        yield {"ask": {"quantity": row["name"], **dict(parameters(row["point"].replace("eps?", "eps"), number)), **({"eps": eps} if eps else {})}}
    for claim in CLAIMS:
        yield {"claim": claim}


def is_sensible(subject, asked):
    """A quantity that is a parameter is one of the mechanism's own; pairs have no claims."""
    quantity, mechanism = asked.get("ask", {}).get("quantity", "claim"), subject.get("mechanism")
    if mechanism is None:
        return quantity not in ("claim", "eps0", "scale", "noise_multiplier", "epochs", "rounds", "coins", "sensitivity")
    has = {"users": mechanism["type"] not in WITHOUT_USERS, "epochs": mechanism["type"] == "noisy-sgd", "rounds": mechanism["type"] in RELEASES, "sensitivity": mechanism["type"] in RELEASES - {"sample-and-threshold"}, "coins": mechanism["type"] == "binomial-noise"}
    return has.get(quantity, quantity in mechanism if quantity in ("eps0", "scale", "noise_multiplier") else True)


def put_together(subject, setting, asked):
    quantity = asked.get("ask", {}).get("quantity")
    if "pair" in subject:
        setting = {**{key: value for key, value in setting.items() if key not in ("honest", "reports_per_user", "sample")},
                   "users": setting["users"] if isinstance(setting["users"], str) else "700"}
    if subject.get("mechanism", {}).get("type") in WITHOUT_USERS:
        setting = {key: value for key, value in setting.items() if key in ("digits", "rounds")}
    else:
        setting = {key: value for key, value in setting.items() if key != "fast" and (key != "reports_per_user" or quantity in ("delta", "epsilon"))}
    if quantity == "rounds":
        setting.pop("rounds", None)
    if quantity == "epochs" or quantity in subject.get("mechanism", {}):
        setting = {key: value for key, value in setting.items() if key == "users" and quantity != "epochs"}
    question = {**subject, **setting, **asked}
    if quantity == "users":
        question.pop("users", None)
        question.pop("honest", None)
    if "mechanism" in subject and quantity in subject["mechanism"]:
        question["mechanism"] = {key: value for key, value in subject["mechanism"].items() if key != quantity}
    return question


def questions(words):
    """Every mechanism, sampler and pair with every quantity and claim in turn; then texts of all kinds."""
    every = itertools.product(range(len(list(subjects(words, 0)))), range(len(list(asks(words, 0)))))
    for number, (i, j) in enumerate(every):
        turn = i + j # so that no subject and no quantity always has the same
        subject, asked = list(subjects(words, turn))[i], list(asks(words, turn))[j]
        # three of five
        if is_sensible(subject, asked) and turn % 5 not in (1, 4):
            question = put_together(subject, SETTINGS[turn % len(SETTINGS)], asked)
            yield json.dumps({"id": f"q{number}", **question, "effort": ["20000000", "5000000"][turn % 2]})
    yield from TEXTS


def natively(program, texts):
    """The program's lines; a text that is blank has none, and an error names its line, which a question alone has not."""
    done = subprocess.run([program, "ask", "-"], input="\n".join(texts), capture_output=True, text=True)
    if done.returncode not in (0, 65): # 65: a line has an error
        raise RuntimeError(done.stderr)
    lines = done.stdout.split("\n")
    answers, left = [], iter(lines)
    for number, text in enumerate(texts, 1):
        answers.append(next(left).replace(f'"line":{number},', "").replace(f',"line":{number}', "") if text.strip() else None)
    return answers


KEYS = {"Tab": 9, "Enter": 13, " ": 32, "End": 35, "Home": 36, "ArrowDown": 40}
# What has the focus, whether it is in the window, and the width of its outline.
FOCUS = """(() => { const e = document.activeElement, b = e.getBoundingClientRect(), style = getComputedStyle(e);
  return {id: e === document.body ? "" : e.id || e.textContent.trim(), inside: b.top >= 0 && b.left >= 0 && b.top < innerHeight && b.right <= innerWidth + 1 && b.width > 0,
          outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth)}; })()"""


class Page:
    def __init__(self, program, profile, page):
        self.browser = chromium.Browser(program, profile)
        self.addresses, self.complaints = set(), []
        message = self.browser.message

        def heard():
            event = message()
            what, about = event.get("method"), event.get("params", {})
            if what == "Network.requestWillBeSent":
                self.addresses.add(about["request"]["url"])
            elif what == "Runtime.exceptionThrown" or (what == "Log.entryAdded" and about["entry"]["level"] in ("warning", "error")) \
                    or (what == "Runtime.consoleAPICalled" and about["type"] in ("warning", "error", "assert")):
                self.complaints.append(json.dumps(about))
            return event
        self.browser.message = heard
        target = self.call("Target.createTarget", None, url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", None, targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.address = "file://" + os.path.abspath(page)
        self.call("Page.navigate", url=self.address)
        self.browser.wait_for("Page.loadEventFired")

    def call(self, method, *session, **parameters):
        return self.browser.call(method, *(session or (self.session,)), **parameters)

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def text(self, name):
        return self.run(f"$({json.dumps(name)}).textContent")

    def key(self, *keys):
        for key in keys:
            text = {"Enter": "\r", " ": " "}.get(key)
            for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else key, windowsVirtualKeyCode=KEYS[key],
                          **({"text": text} if text and kind == "keyDown" else {}))

    def type(self, text):
        """In place of what the field says."""
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", key="a", code="KeyA", windowsVirtualKeyCode=65, modifiers=2, commands=["selectAll"])
        self.call("Input.insertText", text=text)

    def tab_to(self, name, back=False):
        """Tab, or Shift and Tab, until the control has the focus."""
        for _ in range(80):
            for kind in ("rawKeyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9, modifiers=8 if back else 0)
            if self.run("document.activeElement.id || document.activeElement.textContent") == name:
                return
        raise RuntimeError(f"Tab does not reach {name}")

    def until_idle(self):
        self.run("new Promise(done => { const look = () => $('cancel').disabled ? done() : setTimeout(look, 20); setTimeout(look, 20); })")

    def ask(self, question):
        self.run(f"$('question').value = {json.dumps(question)}; $('go').click()")
        self.until_idle()


FAULTS = []


def check(what, ok, seen=""):
    if not ok:
        FAULTS.append(what)
        print(f"FAIL: {what}{': ' if seen != '' else ''}{str(seen)[:600]}")


def same_bytes(page, program, words):
    texts = list(questions(words))
    expected = natively(program, texts)
    refused, answered = 0, set()
    for text, line in zip(texts, expected):
        seen = page.run(f"call('web_answer', {json.dumps(text)})")
        if line is not None:
            check("the bytes of " + text, seen == line, f"\n  page    {seen}\n  program {line}")
        if '"error"' in seen:
            refused += 1
        else:
            question = json.loads(text)
            mechanism = question.get("mechanism", {})
            answered |= {("mechanism", mechanism.get("type")), ("pair", question.get("pair", {}).get("type")), ("sampler", mechanism.get("sampler")),
                         ("quantity", question.get("ask", {}).get("quantity")), ("claim", " ".join(sorted(question.get("claim", []))))}
    print(f"{len(texts)} questions, {refused} of them refused")
    check("enough questions", len(set(texts)) >= 150)
    check("few answers", refused <= len(texts) / 2)
    for kind, rows in (("mechanism", words["mechanisms"]), ("pair", words["pairs"]), ("sampler", words["samplers"]), ("quantity", words["quantities"])):
        for row in rows:
            check(f"no {kind} {row['name']} is answered", (kind, row["name"]) in answered)
    for claim in CLAIMS:
        check(f"no claim {claim} is judged", ("claim", " ".join(sorted(claim))) in answered)


def said(page):
    """The sentences of the answer, without line breaks."""
    return " ".join(page.run("[...$('text').children].map(p => p.textContent)")).split()


def same_text(page, program):
    """The sentences are those of the command line, and below them stands what it adds with --explain, byte for byte."""
    krr = {"type": "krr", "k": "4", "eps0": "1"}
    for question, options in (
            ({"pair": {"type": "clones-stronger", "eps0": "4"}, "users": "10000", "ask": {"quantity": "epsilon", "delta": "1e-6"}},
             ["epsilon", "--pair", "clones-stronger", "--n", "10000", "--eps0", "4", "--delta", "1e-6"]),
            ({"mechanism": krr, "users": "1000", "ask": {"quantity": "delta", "eps": "0.3"}}, ["delta", "--mechanism", "-", "--n", "1000", "--eps", "0.3"]),
            ({"mechanism": krr, "users": "1000", "ask": {"quantity": "tradeoff", "type1": "0.1"}}, ["tradeoff", "--mechanism", "-", "--n", "1000", "--type1", "0.1"]),
            ({"mechanism": krr, "users": "500", "rounds": "3", "ask": {"quantity": "renyi", "order": "4"}},
             ["renyi", "--mechanism", "-", "--n", "500", "--order", "4", "--rounds", "3"])):
        page.ask(json.dumps(question))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(question.get("mechanism"), file)
            file.flush()
            command = [program] + [file.name if option == "-" else option for option in options]
            text, full = (subprocess.run(command + more, capture_output=True, text=True).stdout for more in ([], ["--explain"]))
        check("the sentences of " + " ".join(options), text and said(page) == text.split(), f"\n  page    {' '.join(said(page))}\n  program {text}")
        check("in full, " + " ".join(options), page.text("in-full") == full.split("\nin full\n")[1], page.text("in-full"))
        check("the status is the first sentence", page.text("status").split() == said(page)[:len(page.text("status").split())] and
              page.text("status").startswith(text.split(" ")[0]), page.text("status"))


def hints(words, row):
    """What is said below the fields of a mechanism or pair: what needs a value has no default."""
    place, said = "pair" if "side" in row else "mechanism", []
    listed = [(place, item) for item in row["members"].split(" ")] + [("question", item) for item in (["users"] if row["name"] not in WITHOUT_USERS else []) + ["rounds?"]]
    for place, item in listed:
        for name in item.rstrip("?").split("|"):
            about = next(words["samplers"][0] if name == "sampler" else m for m in words["members"] if m["name"] == name and place in m["in"])
            more = [about.get("range"), "default: " + about["default"] if "default" in about and (item.endswith("?") or "|" in item) else None]
            more = "; ".join(filter(None, more))
            said.append(about["about"].rstrip(".") + (f" ({more})" if more else "") + ".")
    return said


def choices(page, words):
    """What can be chosen is the vocabulary, and what the fields ask at first is understood."""
    def options(name):
        return page.run(f"[...$('{name}').options].map(o => o.value)")

    check("subjects", options("subject") == [row["name"] for row in words["mechanisms"] + words["pairs"]], options("subject"))
    offered = set()
    page.run("$('subject').focus()")
    page.key("Home")
    for number, row in enumerate(words["mechanisms"] + words["pairs"]):
        page.key(*["ArrowDown"] * (number > 0))
        check("arrow keys choose " + row["name"], page.run("$('subject').value") == row["name"], page.run("$('subject').value"))
        check("about " + row["name"], page.text("subject-hint").startswith(row["about"]), page.text("subject-hint"))
        check("hints of " + row["name"], page.run("[...$('members').querySelectorAll('small')].map(e => e.textContent)") == hints(words, row), hints(words, row))
        fields = set(page.run("[...$('members').querySelectorAll('input, select')].map(e => e.id.split('-')).filter(p => p.length > 1).map(p => p[1])"))
        check("fields of " + row["name"], fields == {name.rstrip("?") for name in row["members"].replace("|", " ").split(" ")}, fields)
        if "sampler" in fields:
            check("samplers", options("mechanism-sampler") == [s["name"] for s in words["samplers"]])
        for quantity in options("asked"):
            offered.add(quantity)
            got = json.loads(page.run(f"$('asked').value = {json.dumps(quantity)}; $('asked').dispatchEvent(new Event('change')); call('web_question', $('question').value)"))
            # which pairs have the tail of a loss is not in the vocabulary
            check(f"{quantity} of {row['name']} is understood", "error" not in got or "quantity" in got["error"] and "pair" in row.get("side", "pair"),
                  page.run("$('question').value") + got.get("error", ""))
        page.run("$('asked').selectedIndex = 1; $('asked').dispatchEvent(new Event('change'))")
    check("quantities", {row["name"] for row in words["quantities"]} == {o for o in offered if " " not in o}, offered)
    optional = {m["name"] for m in words["members"] if "question" in m["in"]} - {"id", "source", "quote", "note", "mechanism", "pair", "users", "rounds", "ask", "claim", "form"}
    there = set(page.run("[...$('options').querySelectorAll('input, select')].map(e => e.id.split('-')[0])"))
    check("more options", there == optional, there)


def by_keyboard(page, program):
    """The page with Tab, arrows, Enter and typing alone, from its first control to its last."""
    page.call("Page.navigate", url=page.address)
    page.browser.wait_for("Page.loadEventFired")
    page.run("ready")
    page.key("Tab")
    first = page.run(FOCUS)
    check("Tab begins at the skip link", first["id"].startswith("Skip") and first["inside"] and first["outline"] >= 2, first)
    page.key("Enter", "Tab") # its target may have the focus, or the next Tab goes there
    seen, asked = page.run(FOCUS), set()
    check("the skip link leads to the form", seen["id"] in ("subject", "mechanism-eps0"), seen)
    page.tab_to(page.run("$('more').firstChild.textContent"))
    page.key("Enter")
    check("Enter opens the other options", page.run("$('more').open"))
    page.tab_to("digits")
    page.type("3")
    page.tab_to("effort")
    page.type("20000000")
    check("what is typed is in the question", page.run("$('question').value").endswith(',"digits":3,"effort":"20000000"}'), page.run("$('question').value"))
    for number in (0, 1, 1, 2, 1, 1, 2, 2, 3, 2, 2, 3, 4, 3):
        page.tab_to("subject", back=True)
        page.key(*["ArrowDown"] * number)
        if number == 2:
            page.tab_to("asked")
            page.key("ArrowDown")
        page.tab_to("go")
        page.key("Enter")
        page.until_idle()
        question = page.run("$('question').value")
        asked.add(question)
        check("the keyboard asks " + question, page.text("json") == natively(program, [question])[0], page.text("json"))
        check("Enter leaves the focus on the button", page.run("document.activeElement.id") == "go")
    page.tab_to("subject", back=True)
    page.key("Home")
    page.tab_to("mechanism-eps0")
    page.type("log(7)")
    page.tab_to("asked")
    page.key("Home", "ArrowDown")
    page.tab_to("subject", back=True)
    page.tab_to("users")
    page.type("5000")
    page.key("Enter")
    page.until_idle()
    question = page.run("$('question').value")
    asked.add(question)
    check("typing, and another quantity", question.startswith('{"mechanism":{"type":"ldp","eps0":"log(7)"},"users":"5000","ask":{"quantity":"epsilon",'), question)
    check("Enter in a field answers", page.text("json") == natively(program, [question])[0], page.text("json"))
    # every control in turn, once around
    page.tab_to("subject", back=True)
    visited = []
    for _ in range(120):
        page.key("Tab")
        seen = page.run(FOCUS)
        if seen["id"] == "":
            break # the window's own controls
        visited.append(seen["id"])
        check(f"the focus on {seen['id']} is seen", seen["inside"] and seen["outline"] >= 2, seen)
    wanted = page.run("[...document.querySelectorAll('input, select, textarea, button, summary, pre[tabindex], a')].filter(e => e.checkVisibility() && !e.disabled)"
                      ".map(e => e.id || e.textContent.trim()).filter(name => name !== 'subject' && !name.startsWith('Skip'))")
    check("Tab reaches every control", set(wanted) <= set(visited), set(wanted) - set(visited))
    page.tab_to("subject", back=True)
    page.tab_to("points")
    page.type("3")
    page.tab_to("draw")
    page.key("Enter")
    page.until_idle()
    check("the curve by keyboard", page.run("$('rows').querySelectorAll('tbody tr').length") == 3, page.text("status"))
    print(f"{len(asked)} answers by keyboard alone, {len(visited)} controls in the order of Tab")


def use(page, program):
    """A claim that is pasted, the curve, the command line, errors, cancelling."""
    path = os.path.dirname(os.path.abspath(program)) + ":" + os.environ["PATH"]
    question = '{"mechanism": {"type": "ldp", "eps0": "4"}, "users": "10000", "ask": {"quantity": "epsilon", "delta": "1e-6"}}'
    claim = '{"id": "it\'s a claim",\n "mechanism": {"type": "krr", "k": "10", "eps0": "2"},\n "users": "1000", "claim": {"eps": "0.9", "delta": "1e-6"}}'
    for asked in (question, claim):
        page.ask(asked)
        text = subprocess.run(["sh", "-c", page.text("command")], capture_output=True, text=True, env={**os.environ, "PATH": path}).stdout
        check("the command line", text == page.text("json") + "\n", text)
    check("the verdict", page.text("status") == "CERTIFIED: the claim (0.9, 1e-6) of it's a claim" and page.run("$('text').className") == "certified", page.text("status"))
    check("theorems", page.run("$('chain').children.length") >= 2 and "proved" in page.text("chain"))
    check("in full", "theorem" in page.text("in-full") and "ledger" in page.text("in-full"), page.text("in-full"))
    page.run("$('points').value = 4; $('draw').click()")
    page.until_idle()
    check("the picture has both bounds and the claim",
          page.run("[...document.querySelectorAll('#figure .s0, #figure .s1, #figure .claim')].length") >= 3, page.text("status"))
    check("the table", page.run("document.querySelectorAll('#rows tbody tr').length") == 4)
    page.ask('{"mechanism": {"type": "krr", "k": "4"}, "users": "1000", "ask": {"quantity": "eps0", "eps": "0.5", "delta": "1e-6"}}')
    check("a search has no curve", page.text("status").startswith("eps0 up to ") and page.run("$('curve').hidden && $('rows').hidden"), page.text("status"))
    page.ask('{"mechanism": {"type": "binomial-noise", "coins": "900719925474099301"}, "ask": {"quantity": "delta", "eps": "1e-9"}}')
    check("no number is rounded on the way to the curve", '"coins":900719925474099301}' in page.run("call('web_point', $('json').textContent, '1')"))
    page.ask('{"users":1}')
    check("an error", page.text("status").startswith("error: ") and page.run("$('curve').hidden && $('theorems').hidden && $('full').hidden"), page.text("status"))
    long = '{"pair":{"type":"clones","eps0":"2"},"users":"1000000","rounds":"100000","ask":{"quantity":"epsilon","delta":"1e-9"},"digits":9,"effort":"high"}'
    page.run(f"$('question').value = {json.dumps(long)}; $('go').click()")
    page.run("new Promise(done => setTimeout(done, 300))")
    check("it computes", page.run("!$('cancel').disabled && $('go').ariaDisabled === 'true' && !$('progress').hidden"))
    page.run("$('go').focus()")
    page.key("Tab", "Enter")
    page.until_idle()
    check("cancelled", page.text("status") == "Cancelled." and page.run("document.activeElement.id") == "go", page.text("status"))
    page.ask(question)
    check("after cancelling", page.text("json") == natively(program, [question])[0])


def look(page, folder):
    page.run("$('subject').value = 'krr'; $('subject').dispatchEvent(new Event('change'));"
             "$('asked').selectedIndex = [...$('asked').options].findIndex(o => o.row.point === 'eps delta' && o.row.name.startsWith('claim'));"
             "$('asked').dispatchEvent(new Event('change')); $('claim-eps').value = '0.3'; write()")
    page.ask(page.run("$('question').value"))
    page.run("$('draw').click()")
    page.until_idle()
    page.run("document.activeElement.blur(); for (const d of document.querySelectorAll('details')) d.open = true")
    papers = {}
    for width, scheme, media in ((390, "light", ""), (390, "dark", ""), (1280, "light", ""), (1280, "dark", ""), (800, "light", "print"), (800, "dark", "print")):
        seen = chromium.look(page.browser, page.session, width, scheme, media)
        papers[scheme, media] = seen["paper"]
        where = f"{width} px, {scheme} {media}"
        for fault in seen["faults"]:
            check(where, fault == "foreign: SCRIPT", fault)
        check("a picture", seen["texts"] and seen["curves"])
        cut = page.run("[...document.querySelectorAll('input, select, button, label, small, p, dt, dd, summary')].filter(e => e.checkVisibility() && "
                       "(e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline' || e.getBoundingClientRect().right > innerWidth)).map(e => e.id || e.textContent)")
        check(where + ": cut off", not cut, cut)
        if folder:
            size = page.call("Page.getLayoutMetrics")["cssContentSize"]
            for top in range(0, int(size["height"]), 1600):
                part = {"x": 0, "y": top, "width": width, "height": min(1600, size["height"] - top), "scale": 1}
                data = page.call("Page.captureScreenshot", captureBeyondViewport=True, clip=part)["data"]
                (pathlib.Path(folder) / f"web-{width}-{scheme}{media}-{top:05}.png").write_bytes(base64.b64decode(data))
    check("light, dark and on paper", papers["dark", ""] != papers["light", ""] == papers["light", "print"] == papers["dark", "print"], papers)
    check("print has the answer and not the form", page.run("![...document.querySelectorAll('form, button, input')].some(e => e.checkVisibility()) && $('text').checkVisibility() && $('in-full').scrollHeight <= $('in-full').clientHeight + 2"))
    chromium.look(page.browser, page.session, 1280, "light", "")
    check("every control has a name", page.run("[...document.querySelectorAll('input, select, textarea, button, progress, pre')].every(e => "
                                               "(e.labels && e.labels.length) || e.getAttribute('aria-label') || (e.tagName === 'BUTTON' && e.textContent))"))


def main(program, address, shufbound, folder=None):
    words = json.loads(subprocess.run([shufbound, "help", "vocabulary"], capture_output=True, text=True, check=True).stdout)
    with tempfile.TemporaryDirectory() as profile:
        try:
            page = Page(program, profile, address)
        except (EOFError, OSError):
            print(f"skipped: {program} does not start")
            return 77
        page.run("ready")
        check("it starts", page.text("status") == "", page.text("status"))
        check("the vocabulary is the program's", json.loads(page.run("call('web_vocabulary')")) == words)
        look(page, folder)
        choices(page, words)
        by_keyboard(page, shufbound)
        use(page, shufbound)
        same_text(page, shufbound)
        same_bytes(page, shufbound, words)
        foreign = {a for a in page.addresses if a != page.address and not a.startswith(("blob:", "data:"))}
        check("nothing is fetched", not foreign, foreign)
        check("no complaints on the console", not page.complaints, page.complaints)
        page.browser.close()
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
