#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The registry (shufbound theorems --json, on standard input) as a chapter of the manual."""
import json
import sys


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


theorems = [json.loads(line) for line in sys.stdin if line.strip()]
print("# The theorems\n")
print("What `shufbound theorems` prints: every theorem that a result may rest on, made from the registry when this\n"
      "manual was built. Only those that are *proved* certify.\n")
print("| id | status | side | checked | validity |\n|---|---|---|---|---|")
for theorem in theorems:
    print(f"| [{theorem['id']}](theorem-{theorem['id'].replace('.', '-').lower()}) | {theorem['status']} | "
          f"{theorem['side']} | {theorem['checked']} | {cell(theorem['validity'])} |")
for theorem in theorems:
    print(f"\n(theorem-{theorem['id'].replace('.', '-').lower()})=\n## {theorem['id']}\n")
    print(f"*{theorem['status']}*, side: {theorem['side']}. {cell(theorem['statement'])}\n")
    print(f"- Validity: {cell(theorem['validity'])}\n- Source: {cell(theorem['source'])}\n- Proof: {cell(theorem['proof'])}\n"
          f"- Checked: {theorem['checked']}{': ' + cell(theorem['checked_in']) if 'checked_in' in theorem else ''}")
