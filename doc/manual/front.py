# SPDX-License-Identifier: LGPL-3.0-or-later
"""Adds the version and the contents to Sphinx's page of all chapters, for the PDF: front.py VERSION PAGE.html"""
import re
import sys


def contents(page):
    """A list of the chapters; print.css adds the numbers of the pages."""
    found = re.findall(r'<span id="(document-[^"]*)"></span><section[^>]*>\s*<h\d>(.*?)<a class="headerlink"', page, re.S)
    if len(found) < 20:
        sys.exit("front.py: few chapters are found")
    entries = "".join(f'<li><a href="#{chapter}">{title}</a></li>' for chapter, title in found)
    return f'<section class="contents"><h2>Contents</h2><ul>{entries}</ul></section>'


def main():
    version, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        page = file.read()
    start = page.index('<div class="toctree-wrapper', page.index('<div class="body"'))
    with open(path, "w", encoding="utf-8") as file:
        file.write(page[:start] + f"<p>Version {version}</p>" + contents(page[start:]) + page[start:])


if __name__ == "__main__":
    main()
