#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The page of `make web` in headless Chromium, from disk: the bytes of its answers are those of the program, its choices are the
# vocabulary, and it can be used with the keyboard and printed. SHUFBOUND_WEB_PAGE names another page, SHUFBOUND_SCREENSHOTS a
# folder for pictures.
source=${srcdir:-.}
page=${SHUFBOUND_WEB_PAGE:-web-build/shufbound.html}
[ -e "$page" ] || { echo "skipped: no $page (make web)"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser) || { echo "skipped: no chromium"; exit 77; }
timeout 600 python3 "$source/tests/web/page.py" "$browser" "$page" "${SHUFBOUND:-./shufbound}" ${SHUFBOUND_SCREENSHOTS:+"$SHUFBOUND_SCREENSHOTS"}
