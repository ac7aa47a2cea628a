#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Loads a page in headless Chromium, narrow and wide, light and dark, and looks at what a reader would:
browser.py CHROMIUM PAGE.html [FOLDER for screenshots]. Exit 1 after a line for each fault, 77 if the browser does not start."""
import base64
import json
import os
import subprocess
import sys
import tempfile

LOOK = r"""
(() => {
  const faults = [], root = document.documentElement;
  const rgb = s => s.match(/[\d.]+/g).map(Number);
  const light = c => { const f = x => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
                       return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
  const contrast = (a, b) => { const x = light(rgb(a)), y = light(rgb(b)); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const paper = document.body ? getComputedStyle(document.body).backgroundColor : getComputedStyle(document.querySelector(".paper")).fill;
  if (root.scrollWidth > root.clientWidth) faults.push("overflow: " + root.scrollWidth + " > " + root.clientWidth);
  for (const a of document.querySelectorAll("a[href^='#']"))
    if (!document.getElementById(a.getAttribute("href").slice(1))) faults.push("no target: " + a.getAttribute("href"));
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push("id twice: " + id);
  for (const e of document.querySelectorAll("[aria-labelledby]"))
    for (const id of e.getAttribute("aria-labelledby").split(" ")) if (!ids.includes(id)) faults.push("no label: " + id);
  for (const e of document.querySelectorAll("script, img, iframe, link, object, [src], [onload]")) faults.push("foreign: " + e.tagName);
  for (const t of document.querySelectorAll("table"))
    if (t.tHead && (!t.caption || [...t.tHead.querySelectorAll("th")].some(h => h.scope !== "col"))) faults.push("table without caption or headers");
  if (root.lang === "" && document.body) faults.push("no language");
  if (document.body && document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  let texts = 0, curves = 0;
  for (const svg of document.querySelectorAll("svg")) {
    const box = svg.getBoundingClientRect(), labels = [];
    for (const text of svg.querySelectorAll("text")) {
      const b = text.getBoundingClientRect(), style = getComputedStyle(text), slack = 0.5;
      texts++;
      if (b.left < box.left - slack || b.right > box.right + slack || b.top < box.top - slack || b.bottom > box.bottom + slack)
        faults.push("outside its picture: " + text.textContent);
      if (contrast(style.fill, paper) < 7) faults.push("contrast " + contrast(style.fill, paper).toFixed(1) + ": " + text.textContent);
      for (const other of labels)
        if (b.left < other.right - 1 && other.left < b.right - 1 && b.top < other.bottom - 3 && other.top < b.bottom - 3)
          faults.push("two texts in one place: " + text.textContent);
      labels.push(b);
      if (b.height < 8) faults.push("too small to read: " + b.height.toFixed(1) + " px");
    }
    for (const path of svg.querySelectorAll("[class*='s0'], [class*='s1'], .claim, .frame")) {
      curves++;
      if (contrast(getComputedStyle(path).stroke, paper) < 3) faults.push("contrast of " + path.getAttribute("class"));
    }
  }
  for (const e of document.querySelectorAll("p, dd, dt, td, th, a, h1, h2, caption, blockquote, summary, span"))
    if (e.textContent && contrast(getComputedStyle(e).color, paper) < 4.5) faults.push("contrast of " + e.tagName + ": " + e.textContent.slice(0, 40));
  return JSON.stringify({faults: [...new Set(faults)], paper, texts, curves});
})()
"""


class Browser:
    """Chromium behind a pair of pipes: JSON messages that end in a zero byte."""

    def __init__(self, program, profile):
        down_read, self.down = os.pipe()
        self.up, up_write = os.pipe()
        # the program reads descriptor 3 and writes descriptor 4
        command = 'exec "$0" "$@" 3<&%d 4>&%d' % (down_read, up_write)
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", command, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", "--no-first-run", "--disable-extensions", "--disable-background-networking", "--user-data-dir=" + profile, "about:blank"],
            pass_fds=(down_read, up_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down_read)
        os.close(up_write)
        self.rest, self.number = b"", 0

    def message(self):
        while b"\0" not in self.rest:
            part = os.read(self.up, 1 << 16)
            if not part:
                raise EOFError
            self.rest += part
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.down, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]

    def wait_for(self, event):
        while self.message().get("method") != event:
            pass

    def close(self):
        try:
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self.process.wait(30)


def look(browser, session, width, scheme, media):
    browser.call("Emulation.setDeviceMetricsOverride", session, width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
    browser.call("Emulation.setEmulatedMedia", session, media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
    result = browser.call("Runtime.evaluate", session, expression=LOOK, returnByValue=True)
    if "exceptionDetails" in result:
        return {"faults": [json.dumps(result["exceptionDetails"])], "paper": "", "texts": 1, "curves": 1}
    return json.loads(result["result"]["value"])


def main(program, page, folder):
    with tempfile.TemporaryDirectory() as profile:
        browser, bad = Browser(program, profile), 0
        try:
            target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        except (EOFError, OSError):
            print("skipped: %s does not start" % program)
            return 77
        session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.call("Page.enable", session)
        browser.call("Page.navigate", session, url="file://" + os.path.abspath(page))
        browser.wait_for("Page.loadEventFired")
        papers = {}
        for width, scheme, media in ((390, "light", ""), (390, "dark", ""), (1200, "light", ""), (1200, "dark", ""), (800, "dark", "print")):
            seen = look(browser, session, width, scheme, media)
            papers[scheme, media] = seen["paper"]
            for fault in seen["faults"] + ([] if seen["texts"] and seen["curves"] else ["no picture"]):
                print("FAIL: %s at %d px, %s %s: %s" % (os.path.basename(page), width, scheme, media, fault))
                bad = 1
            if folder:
                height, top = browser.call("Page.getLayoutMetrics", session)["cssContentSize"]["height"], 0
                while top < height:
                    part = {"x": 0, "y": top, "width": width, "height": min(1600, height - top), "scale": 1}
                    data = browser.call("Page.captureScreenshot", session, captureBeyondViewport=True, clip=part)["data"]
                    with open(os.path.join(folder, "%s-%d-%s%s-%05d.png" % (os.path.basename(page), width, scheme, media, top)), "wb") as out:
                        out.write(base64.b64decode(data))
                    top += 1600
        if papers["dark", ""] == papers["light", ""] or papers["dark", "print"] != papers["light", ""]:
            print("FAIL: the paper is %s" % papers)
            bad = 1
        browser.close()
        return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
