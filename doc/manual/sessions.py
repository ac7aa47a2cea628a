#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Checks the console sessions of the manual, or writes their outputs anew.

    sessions.py [--write] SHUFBOUND ROOT FILE.md ...

In a block ```console every line that begins with "$ " is a command, and the lines up to the next one are its output, errors included. A command of
shufbound, with SHUFBOUND for that word, or of one of PROGRAMS; it is run in a folder of its own that has links to what is in ROOT. Times and work
are not compared.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PROGRAMS = {"cat": ["cat"], "sha256sum": ["sha256sum"], "python3": [sys.executable]}


def run(command, shufbound, folder):
    words = shlex.split(command)
    programs = {"shufbound": shufbound, **PROGRAMS}
    if words[0] not in programs:
        sys.exit(f"not a command of shufbound, or of {', '.join(PROGRAMS)}: {command}")
    done = subprocess.run(programs[words[0]] + words[1:], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, timeout=300, check=False)
    return done.stdout.splitlines()


def timeless(lines):
    return [re.sub(r"[0-9.e+-]+ s$|\"elapsed_s\":[0-9.e+-]+|\"work\":[0-9]+|work [0-9.e+]+$| in [0-9.]+s$", "TIME", line) for line in lines]


def sessions(text, shufbound, folder, problems, name):
    """The text with the outputs that the program has now."""
    out, block, recorded = [], False, []
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        out.append(line)
        i += 1
        if line == "```console":
            block = True
        elif line == "```":
            block = False
        elif block and line.startswith("$ "):
            recorded = []
            while lines[i] != "```" and not lines[i].startswith("$ "):
                recorded.append(lines[i])
                i += 1
            now = run(line[2:], shufbound, folder)
            if timeless(now) != timeless(recorded):
                problems.append(f"{name}: {line}\n" + "\n".join("  was " + old for old in recorded)
                                + "\n" + "\n".join("  now " + new for new in now))
            else:
                now = recorded
            out += now
    return "\n".join(out)


def main():
    arguments = sys.argv[1:]
    write = arguments[:1] == ["--write"]
    shufbound, root, *files = arguments[1:] if write else arguments
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for entry in pathlib.Path(root).resolve().iterdir():
            os.symlink(entry, pathlib.Path(folder) / entry.name)
        for path in files:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            now = sessions(text, shlex.split(shufbound), folder, problems, path)
            if write and now != text:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(now)
    if problems and not write:
        sys.exit("\n".join(problems))
    print(f"{len(files)} files, {len(problems)} sessions {'written' if write else 'differ'}")


if __name__ == "__main__":
    main()
