#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""What the gate looks at most closely: the files that the last day's commits changed.

    changed.py SOURCE           prints them, a line each
    changed.py SOURCE MOST      prints at most so many tests in C of the folders of src that have such files

The day is the 24 hours before the last commit, so that no clock is looked at; what is not committed counts too. Where there is
no history nothing has changed. Of too many some are drawn by the hash of the last commit.
"""
import glob
import os
import random
import subprocess
import sys


def changed(source):
    """The files, and the hash of the last commit."""
    def git(*arguments):
        return subprocess.run(["git", "-C", source, *arguments], capture_output=True, text=True, check=True).stdout

    try:
        head, date = git("log", "-1", "--format=%H %ct").split()
        base = git("rev-list", "-1", f"--before={int(date) - 86400}", "HEAD").strip()
        files = git("diff", "--name-only", "--relative", base) if base else git("ls-files")
        return files.splitlines(), head
    except (OSError, ValueError, subprocess.CalledProcessError):
        return [], ""


def draw(things, most, head):
    return sorted(random.Random(head).sample(things, most)) if len(things) > most else things


def main():
    source = sys.argv[1]
    files, head = changed(source)
    if len(sys.argv) == 2:
        print("\n".join(files))
        return
    folders = sorted({file.split("/")[1] for file in files if file.startswith("src/") and file.count("/") > 1})
    tests = [path[:-2] for folder in folders for path in sorted(glob.glob(f"tests/{folder}/test_*.c", root_dir=source))]
    print("\n".join(draw(tests, int(sys.argv[2]), head)))


if __name__ == "__main__":
    main()
