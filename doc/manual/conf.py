# SPDX-License-Identifier: LGPL-3.0-or-later
# Sphinx configuration of the manual; build.sh stages the sources.
import os

project = "shufbound"
author = "the shufbound authors"
copyright = author
version = release = os.environ.get("SHUFBOUND_VERSION", "")
extensions = ["myst_parser"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_theme = "alabaster"
html_theme_options = {"description": "certified accounting for shuffle-model differential privacy", "page_width": "1100px"}
html_show_sphinx = False
html_copy_source = False
