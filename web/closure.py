#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""
Compiles what a program needs of a library's sources, and no more: the file that defines each undefined symbol, then those that
these need, as long as the sources or other archives have it.

    closure.py OUT.a --needs FILE.a ... --has FILE.a ... --sources FOLDER ... -- COMPILER ARGUMENTS ...
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

SKIPPED = {"test", "tune", "profile", "examples", "doc"}
FUNCTION = re.compile(r"^(?!static|typedef|#)(?:[A-Za-z_][\w \t*]*[ \t*\n])?\**(\w+)[ \t\n]*\([^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*\)\s*\{", re.M)
VARIABLE = re.compile(r"^(?!static|typedef|extern|#)[A-Za-z_][\w \t*]*[ \t*](\w+)(?:\[[^\]]*\])*\s*[=;]", re.M)
# A macro that defines a constant, its cache and its series.
CONSTANT = re.compile(r"^ARB_DEF_CACHED_CONSTANT\w*\(\s*(\w+)", re.M)


def definitions(folders):
    """Which files may define a name, and the files of each module that define what its header has inline."""
    found, inline = {}, {}
    for top in folders:
        for folder, below, names in os.walk(top):
            below[:] = sorted(set(below) - SKIPPED)
            for name in sorted(names):
                path = os.path.join(folder, name)
                if not name.endswith(".c"):
                    continue
                if name == "inlines.c":
                    inline[os.path.relpath(folder, top)] = path
                with open(path, encoding="utf-8", errors="replace") as source:
                    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", source.read(), flags=re.S)
                for pattern in (FUNCTION, VARIABLE, CONSTANT):
                    for match in pattern.finditer(text):
                        found.setdefault(match.group(1), []).append(path)
    return found, inline


def symbols(path):
    """Names that an object or archive defines, and those that it lacks."""
    lines = subprocess.run(["llvm-nm-19", "--format=posix", path], check=True, capture_output=True, text=True).stdout.splitlines()
    fields = [line.split() for line in lines if len(line.split()) >= 2 and not line.endswith(":")]
    defined = {f[0] for f in fields if f[1].isupper() and f[1] != "U"}
    return defined, {f[0] for f in fields if f[1] == "U"} - defined


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    for name in ("--needs", "--has", "--sources"):
        parser.add_argument(name, nargs="+", required=True)
    split = sys.argv.index("--")
    given, compiler = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:]
    found, inline = definitions(given.sources)
    present, missing, objects, tried = set(), set(), {}, set()
    for path in given.has:
        present |= symbols(path)[0]
    for path in given.needs:
        defined, lacking = symbols(path)
        present |= defined
        missing |= lacking

    def candidates(name):
        """Files that may define it: by what they say, else the inline functions of the module with the longest name in front."""
        modules = [m for m in inline if name.lstrip("_").startswith(m + "_")]
        return found.get(name, []) + [inline[m] for m in sorted(modules, key=len)[-1:]]

    def build(source):
        out = os.path.join(os.path.dirname(given.out), "objects", re.sub(r"\W", "_", source) + ".o")
        if not os.path.exists(out):
            os.makedirs(os.path.dirname(out), exist_ok=True)
            subprocess.run([*compiler, "-c", source, "-o", out + ".new"], check=True)
            os.replace(out + ".new", out)
        return source, out

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        while True:
            missing -= present
            wanted = {next((s for s in candidates(name) if s not in tried), None) for name in missing} - {None}
            if not wanted:
                break
            tried |= wanted
            for source, out in pool.map(build, sorted(wanted)):
                defined, lacking = symbols(out)
                # a file of an alternative that defines nothing new would clash
                if defined - present:
                    objects[source] = out
                    present |= defined
                    missing |= lacking
    if os.path.exists(given.out):
        os.remove(given.out)
    subprocess.run(["llvm-ar-19", "rcsD", given.out, *(objects[source] for source in sorted(objects))], check=True)
    # the link decides whether these are the linker's own, or JavaScript's
    print(f"{given.out}: {len(objects)} files; left: {' '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
