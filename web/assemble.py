#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Puts the page together, one file: assemble.py FOLDER-OF-THIS FOLDER-WITH-module.js configure.ac PAGE.html"""
import base64
import gzip
import hashlib
import html
import pathlib
import re
import sys

# What the module has of others, by the name of the source package.
LICENCES = {
    "gmp": ("GMP", "LGPL-3.0-or-later or GPL-2.0-or-later", "https://gmplib.org"),
    "mpfr4": ("MPFR", "LGPL-3.0-or-later", "https://www.mpfr.org"),
    "flint": ("FLINT", "LGPL-2.1-or-later", "https://flintlib.org"),
    "flint-arb": ("Arb", "LGPL-2.1-or-later", "https://arblib.org"),
    "jansson": ("jansson", "MIT", "https://github.com/akheron/jansson"),
}


def sources(here):
    """Package, version and digest of each library's source."""
    for line in (here / "sources.sha256").read_text().splitlines():
        digest, name = line.split()
        yield *re.fullmatch(r"(.*?)_(.*)\.orig\.tar\.\w+", name).groups(), digest


def carried(here):
    for package, version, digest in sources(here):
        title, licence, address = LICENCES[package]
        yield (f'<li><a href="{address}" rel="noreferrer">{title}</a> {html.escape(version)}: {licence}; '
               f'Debian\'s source, SHA-256 <code>{digest}</code></li>')
    yield ('<li><a href="https://emscripten.org" rel="noreferrer">emscripten</a> 3.1.69, the runtime: MIT or NCSA; with parts of musl (MIT) and of '
           "LLVM's compiler-rt (Apache-2.0 WITH LLVM-exception)</li>")


def main(here, built, configure, out):
    here, built = pathlib.Path(here), pathlib.Path(built)
    script = (here / "page.js").read_text()
    version = re.search(r"AC_INIT\(\[shufbound\], \[(.*?)\]", pathlib.Path(configure).read_text()).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # The one script, workers made of this page, and no connection to anywhere.
    policy = (f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; "
              "base-uri 'none'; form-action 'none'")
    worker = (built / "module.js").read_text() + "\n" + (here / "worker.js").read_text()
    if "</script" in (script + worker).lower() or "<!--" in script + worker:
        sys.exit("assemble.py: a script cannot stand in a page")
    parts = {
        "POLICY": policy,
        "STYLE": (here / "style.css").read_text(),
        "VERSION": version,
        "CARRIED": "\n".join(carried(here)),
        "MODULE": base64.b64encode(gzip.compress((built / "module.wasm").read_bytes(), 9, mtime=0)).decode(),
        "WORKER": worker,
        "SCRIPT": script,
    }
    page = re.sub(r"@([A-Z]+)@", lambda match: parts[match.group(1)], (here / "index.html").read_text())
    pathlib.Path(out).write_text(page)
    print(f"{out}: {len(page)} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
