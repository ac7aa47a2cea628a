#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The plots of doc/figures as a chapter of the manual: gallery.py FOLDER."""
import glob
import os
import re
import sys

TITLES = {
    "feldman21": "Feldman, McMillan, Talwar",
    "girgis21": "Girgis, Data, Diggavi, Suresh, Kairouz",
    "chen24": "Chen, Cao, Ge",
    "koskela23": "Koskela, Heikkilä, Honkela",
    "mechanism": "Described randomisers",
}

print("# The figures of the papers\n")
print("Every figure of the papers that shows numbers, recomputed with enclosures. [The verdicts](../figures/README.md) on\n"
      "what the papers say of them are apart. The table behind a plot has the plot's name and ends in `.csv`.\n")
for prefix, title in TITLES.items():
    print(f"## Plots: {title}\n")
    paths = sorted(glob.glob(os.path.join(sys.argv[1], prefix + "-*.svg")))
    if not paths:
        print("Not in this copy: `make figures` before `make manual` computes them.\n")
    for path in paths:
        name = os.path.basename(path)
        caption = re.sub(r"\.svg$", "", name)
        print(f"![{caption}](../figures/{name})\n")
