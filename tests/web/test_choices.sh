#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The page offers every mechanism of the schema and every sampler; only what is a list or a table is pasted.
source=${srcdir:-.}
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
python3 - "$source" <<'END'
import json
import re
import sys

source = sys.argv[1]
with open(source + "/doc/schema/question.schema.json", encoding="utf-8") as file:
    mechanism = json.load(file)["definitions"]["mechanism"]["properties"]
with open(source + "/web/page.js", encoding="utf-8") as file:
    subjects = re.search(r"const SUBJECTS = \[\n(.*?)\n\];", file.read(), re.S)[1]
offered = re.findall(r'^  \["([a-z0-9-]+)", ', subjects, re.M)
missing = set(mechanism["type"]["enum"]) - set(offered) - {"matrix", "product", "mixture"}
samplers = set(mechanism["sampler"]["enum"]) - set(re.findall(r'"([a-z-]+)"', re.search(r'"sampler".*?\]\]', subjects, re.S)[0]))
unknown = set(offered) - set(mechanism["type"]["enum"])
if missing or samplers or unknown:
    sys.exit(f"FAIL: the page lacks {sorted(missing | samplers)}, and has {sorted(unknown)}, which the schema does not have")
print("all tests passed")
END
