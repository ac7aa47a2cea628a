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

SUBJECTS = [
    {"pair": {"type": "clones", "eps0": "2"}}, {"pair": {"type": "clones-stronger", "eps0": "log(5)"}}, {"pair": {"type": "rr2", "eps0": "1"}},
    {"pair": {"type": "krr-strong", "gamma": "1/3", "k": "4"}}, {"pair": {"type": "krr-third", "eps0": "2", "k": "7"}},
    {"pair": {"type": "trinomial", "w0": "1/2", "w1": "1/5", "r0": "1/10", "r1": "1/5"}}, {"pair": {"type": "gaussian", "sigma": "2"}},
    {"mechanism": {"type": "ldp", "eps0": "3"}}, {"mechanism": {"type": "krr", "k": "16", "eps0": "3"}},
    {"mechanism": {"type": "matrix", "rows": [["1/2", "1/2"], ["1/20", "19/20"]]}}, {"mechanism": {"type": "rappor", "eps0": "1", "k": "8"}},
    {"mechanism": {"type": "laplace", "scale": "1"}}, {"mechanism": {"type": "subset-selection", "k": "10", "size": "3", "eps0": "1"}},
]
ASKS = [
    {"ask": {"quantity": "delta", "eps": "0.2"}}, {"ask": {"quantity": "epsilon", "delta": "1e-6"}}, {"ask": {"quantity": "renyi", "order": "3"}},
    {"claim": {"eps": "0.3", "delta": "1e-6"}}, {"ask": {"quantity": "gdp", "eps": ["0", "1"]}}, {"ask": {"quantity": "tradeoff", "type1": "0.1"}},
]
SETTINGS = [
    {"users": "1000"}, {"users": "200000", "rounds": "30"}, {"users": "3000", "sample": {"scheme": "fixed", "rate": "1/3"}},
    {"users": "50", "rounds": "2", "digits": 9}, {"users": "999999999999999989"}, {"users": "400", "digits": 40}, {"users": "1000", "honest": "9/10"},
]
# Not understood, or written in another way.
TEXTS = [
    '{"users":10}', "", "[]", '{"id":"a\\u0000b","ask":{}}', '{"id":"ä\u2028","mechanism":{"type":"ldp","eps0":0.1},"users":10,"ask":{"quantity":"delta","eps":"1"}}',
    ' {"pair" : {"type":"clones","eps0":"0x1p2"}, "users":1e4, "ask":{"quantity":"delta","eps":"1/2"}} ',
    '{"pair":{"type":"clones","eps0":"4"},"users":"1e4","ask":{"quantity":"delta","eps":"0.5"}}',
    '{"pair":{"type":"clones","eps0":"1"},"ask":{"quantity":"users","eps":"0.2","delta":"1e-6"}}',
    '{"mechanism":{"type":"ldp"},"users":"1000","ask":{"quantity":"eps0","eps":"0.2","delta":"1e-6"}}',
    '{"pair":{"type":"clones","eps0":"1"},"users":"1000","ask":{"quantity":"renyi","order":"3"},"digits":600}',
    '{"mechanism":{"type":"noisy-sgd","sampler":"poisson","noise_multiplier":"1","steps":"3"},"ask":{"quantity":"epsilon","delta":"1e-3"},"digits":3}',
]


def questions():
    every = list(itertools.product(SETTINGS, ASKS, SUBJECTS))
    for i in range(100 - len(TEXTS)):
        setting, asked, subject = every[i * 131 % len(every)]
        if "pair" in subject:
            # a claim is about a mechanism, and so are its users
            setting = {key: value for key, value in setting.items() if key != "honest"}
            asked = {"ask": {"quantity": "delta", "eps": "0.3"}} if "claim" in asked else asked
        yield json.dumps({"id": f"q{i}", **subject, **setting, **asked, "effort": ["100000000", "5000000"][i % 2]})
    yield from TEXTS


def natively(program, texts):
    """The program's lines; a text that is blank has none, and a refusal names its line, which a question alone has not."""
    lines = subprocess.run([program, "ask", "-"], input="\n".join(texts), capture_output=True, text=True, check=True).stdout.split("\n")
    answers, left = [], iter(lines)
    for number, text in enumerate(texts, 1):
        answers.append(next(left).replace(f'"line":{number},', "").replace(f',"line":{number}', "") if text.strip() else None)
    return answers


class Page:
    def __init__(self, program, profile, page):
        self.browser = chromium.Browser(program, profile)
        self.addresses = set()
        message = self.browser.message

        def heard():
            event = message()
            if event.get("method") == "Network.requestWillBeSent":
                self.addresses.add(event["params"]["request"]["url"])
            return event
        self.browser.message = heard
        target = self.call("Target.createTarget", None, url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", None, targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network"):
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

    def key(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

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


def same_bytes(page, program):
    texts = list(questions())
    expected = natively(program, texts)
    count = refused = 0
    for text, line in zip(texts, expected):
        seen = page.run(f"call('web_answer', [{json.dumps(text)}])")
        if line is not None:
            check("the bytes of " + text, seen == line, f"\n  page    {seen}\n  program {line}")
        count += 1
        refused += '"error"' in seen
    print(f"{count} questions, {refused} of them refused")
    check("few answers", refused <= count / 2)


def use(page, program):
    """The form by keyboard, a claim that is pasted, the curve, the other ways, cancelling."""
    question = page.run("$('question').value")
    page.run("$('member-eps0').focus()")
    page.key("Enter", 13)
    page.until_idle()
    answer = natively(program, [question])[0]
    check("Enter in a field answers", page.text("json") == answer, page.text("json"))
    check("the best bound", json.loads(answer)["upper"]["hi"] in page.text("facts"), page.text("facts"))
    check("the status says it", "epsilon at most" in page.text("status"), page.text("status"))
    text = subprocess.run([program, "ask", "-"], input=question, capture_output=True, text=True, check=True).stdout
    path = os.path.dirname(os.path.abspath(program)) + ":" + os.environ["PATH"]
    claim = '{"id": "it\'s a claim",\n "mechanism": {"type": "krr", "k": "10", "eps0": "2"},\n "users": "1000", "claim": {"eps": "0.9", "delta": "1e-6"}}'
    for asked in (question, claim):
        page.ask(asked)
        text = subprocess.run(["sh", "-c", page.text("command")], capture_output=True, text=True, env={**os.environ, "PATH": path}).stdout
        check("the command line", text == page.text("json") + "\n", text)
    check("the verdict", page.text("verdict").startswith("CERTIFIED") and page.text("status").startswith("CERTIFIED"), page.text("verdict"))
    check("theorems", page.run("$('chain').children.length") >= 2 and "proved" in page.text("chain"))
    check("in full", "theorem" in page.text("text") and "ledger" in page.text("text"), page.text("text"))
    page.run("$('points').value = 4; $('draw').click()")
    page.until_idle()
    check("the picture has both bounds and the claim",
          page.run("[...document.querySelectorAll('#figure .s0, #figure .s1, #figure .claim')].length") >= 3, page.text("status"))
    check("the table", page.run("document.querySelectorAll('#rows tbody tr').length") == 4)
    page.ask('{"users":1}')
    check("a refusal", page.text("verdict").startswith("No answer: ") and page.run("$('curve').hidden && $('theorems').hidden && $('facts').children.length === 0"),
          page.text("verdict"))
    long = '{"pair":{"type":"clones","eps0":"2"},"users":"1000000","rounds":"100000","ask":{"quantity":"epsilon","delta":"1e-9"},"digits":9,"effort":"high"}'
    page.run(f"$('question').value = {json.dumps(long)}; $('go').click()")
    page.run("new Promise(done => setTimeout(done, 300))")
    check("it computes", page.run("!$('cancel').disabled && $('go').disabled && !$('progress').hidden"))
    page.run("$('cancel').click()")
    page.until_idle()
    check("cancelled", page.text("status") == "Cancelled.", page.text("status"))
    page.ask(question)
    check("after cancelling", page.text("json") == answer)
    for name in page.run("[...$('subject').options].map(o => o.value)"):
        page.run(f"$('subject').value = {json.dumps(name)}; $('subject').dispatchEvent(new Event('change')); $('rows').hidden")
        got = json.loads(page.run("call('web_answer', [JSON.stringify({...JSON.parse($('question').value), effort: '1000000'})])"))
        check(f"what the fields of {name} ask is understood", "error" not in got or "found" in got["error"] or "effort" in got["error"], got.get("error"))


def look(page, folder):
    page.run("$('subject').selectedIndex = 2; $('subject').dispatchEvent(new Event('change'));"
             "$('asked').value = 'claim'; $('asked').dispatchEvent(new Event('change')); $('point-eps').value = '0.3'; write()")
    page.ask(page.run("$('question').value"))
    page.run("$('draw').click()")
    page.until_idle()
    page.run("for (const d of document.querySelectorAll('details')) d.open = true")
    papers = set()
    for width, scheme in ((390, "light"), (390, "dark"), (1200, "light"), (1200, "dark")):
        seen = chromium.look(page.browser, page.session, width, scheme, "")
        papers.add(seen["paper"])
        for fault in seen["faults"]:
            check(f"{width} px, {scheme}", fault == "foreign: SCRIPT", fault)
        check("a picture", seen["texts"] and seen["curves"])
        if folder:
            size = page.call("Page.getLayoutMetrics")["cssContentSize"]
            for top in range(0, int(size["height"]), 1600):
                part = {"x": 0, "y": top, "width": width, "height": min(1600, size["height"] - top), "scale": 1}
                data = page.call("Page.captureScreenshot", captureBeyondViewport=True, clip=part)["data"]
                (pathlib.Path(folder) / f"web-{width}-{scheme}-{top:05}.png").write_bytes(base64.b64decode(data))
    check("light and dark", len(papers) == 2, papers)
    check("every control has a name", page.run("[...document.querySelectorAll('input, select, textarea, button, progress, pre')].every(e => "
                                               "(e.labels && e.labels.length) || e.getAttribute('aria-label') || (e.tagName === 'BUTTON' && e.textContent))"))


def main(program, address, shufbound, folder=None):
    with tempfile.TemporaryDirectory() as profile:
        try:
            page = Page(program, profile, address)
        except (EOFError, OSError):
            print(f"skipped: {program} does not start")
            return 77
        page.run("ready")
        check("it starts", page.text("status") == "", page.text("status"))
        same_bytes(page, shufbound)
        use(page, shufbound)
        look(page, folder)
        foreign = {a for a in page.addresses if a != page.address and not a.startswith(("blob:", "data:"))}
        check("nothing is fetched", not foreign, foreign)
        page.browser.close()
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
