#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""The compiled development: made in a fresh folder, recorded, and compared with its record and its source.

    development.py compile FOLDER [NAME.vo ...]   compiles coq/ beside this script, all of it or what the names need
    development.py cached [NAME.vo ...]           prints a folder of them in the user's cache, compiled there unless one is that verify accepts
    development.py record FOLDER                  writes FOLDER/development.json: the sha256 of every source and of every .vo
    development.py verify FOLDER                  status 0 if FOLDER is as recorded, of these sources and this Coq; else 1 and why

The record tells what has changed since, by accident or not, and a development of other sources. It cannot tell who compiled
it: `definitions` has Coq print what the .vo files define, which must be what MANIFEST pins.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = "development.json"
SOURCE = re.compile(r"[A-Z]\w*\.v")
MARK = "BEGIN_OF_AN_ANSWER"


class Unfit(Exception):
    """The folder is not what it should be, and why."""


def coqc():
    return os.environ.get("COQC", "coqc")


def environment():
    """Coq looks for libraries nowhere but in its own folder and where it is told."""
    kept = {name: value for name, value in os.environ.items() if name not in ("COQPATH", "COQLIB", "COQCORELIB", "OCAMLPATH")}
    return dict(kept, LC_ALL="C")


def coq_version():
    try:
        done = subprocess.run([coqc(), "--print-version"], stdout=subprocess.PIPE, check=True, text=True, env=environment())
    except (OSError, subprocess.CalledProcessError):
        raise Unfit(f"there is no {coqc()}: apt-get install coq libcoq-interval") from None
    return done.stdout.strip()


def hashes(folder, pattern):
    """The sha256 of the files of a folder whose whole name is of the pattern."""
    result = {}
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise Unfit(f"{folder}: {error.strerror}") from None
    for name in names:
        if re.fullmatch(pattern, name):
            with open(os.path.join(folder, name), "rb") as file:
                result[name] = hashlib.sha256(file.read()).hexdigest()
    return result


def sources():
    return hashes(os.path.join(HERE, "coq"), SOURCE)


# ---- the record ----

def record(folder):
    written = {"coq": coq_version(), "sources": hashes(folder, SOURCE), "compiled": hashes(folder, r".*\.vo")}
    with open(os.path.join(folder, RECORD), "w", encoding="utf-8") as file:
        json.dump(written, file, indent=1)
        file.write("\n")


def verify(folder):
    """The record of the folder, which it agrees with."""
    path = os.path.join(folder, RECORD)
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        version, texts, compiled = kept["coq"], kept["sources"], kept["compiled"]
    except (OSError, ValueError, KeyError, TypeError):
        raise Unfit(f"no compiled development in {folder}: it has no {RECORD}") from None
    if version != coq_version():
        raise Unfit(f"{folder} was compiled by Coq {version}, this is {coq_version()}")
    for of_what, now in (("these sources", sources()), ("its own sources", hashes(folder, SOURCE))):
        if texts != now:
            other = sorted(name for name in set(texts) | set(now) if texts.get(name) != now.get(name))
            raise Unfit(f"{folder} was not compiled from {of_what}: {', '.join(other[:3])}")
    # no module but those of the sources: one with the name of a library's would make Coq print the library's names
    now = hashes(folder, r".*\.vo")
    other = sorted(name for name in set(compiled) | set(now) if compiled.get(name) != now.get(name) or name[:-1] not in texts)
    if other or not compiled:
        raise Unfit(f"{folder} has changed since it was compiled: {', '.join(other[:3]) or 'nothing is there'}")
    return kept


# ---- compiling ----

def compile_into(folder, targets):
    """In a new folder beside it, which then takes its name; only a development is replaced."""
    folder = os.path.abspath(folder)
    if os.path.lexists(folder):
        there = os.listdir(folder) if os.path.isdir(folder) else ["file"]
        if there and not {RECORD, "Mechanisms.vo"} & set(there):
            raise Unfit(f"{folder} is there and is no compiled development: it is not replaced")
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    new = tempfile.mkdtemp(prefix=os.path.basename(folder) + ".", dir=os.path.dirname(folder))
    try:
        names = sorted(sources())
        for name in names:
            shutil.copy(os.path.join(HERE, "coq", name), new)
        for command in (["coq_makefile", "-Q", ".", "Shufbound"] + names + ["-o", "Makefile"], ["make", "-j2", "--no-print-directory"] + targets):
            if subprocess.run(command, cwd=new, check=False, stdout=sys.stderr, env=environment()).returncode != 0:
                raise Unfit(f"{command[0]} failed")
        record(new)
        os.chmod(new, 0o755)
        if os.path.lexists(folder):
            shutil.rmtree(folder)
        os.rename(new, folder)
    except OSError as error:
        raise Unfit(str(error)) from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def libraries():
    """The files of Coq's own and other libraries, and their sizes."""
    where = subprocess.run([coqc(), "-where"], stdout=subprocess.PIPE, check=True, text=True, env=environment()).stdout.strip()
    return sorted((os.path.relpath(os.path.join(folder, name), where), os.path.getsize(os.path.join(folder, name)))
                  for folder, _, names in os.walk(where) for name in names if name.endswith(".vo"))


def cached(targets):
    """The folder's name is a hash of all that the compiled files are made of: sources, targets, Coq, its libraries, this script."""
    with open(os.path.abspath(__file__), encoding="utf-8") as script:
        made_of = json.dumps([sources(), sorted(targets), coq_version(), libraries(), script.read()])
    cache = os.environ.get("SHUFBOUND_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "shufbound")
    folder = os.path.join(cache, "coq-" + hashlib.sha256(made_of.encode()).hexdigest()[:32])
    try:
        verify(folder)
    except Unfit:
        if os.path.lexists(folder):
            shutil.rmtree(folder)
        compile_into(folder, targets)
    return folder


# ---- what Coq says of it ----

def ask_coq(folder, names, command, theorems=()):
    """What coqc answers to `command name.`, a name each; with theorems, `all` is one that uses all of them."""
    modules = sorted({name.split(".")[0] for name in theorems or names})
    script = "".join(f"From Shufbound Require {module}.\n" for module in modules) + "Set Printing Width 400.\n"
    if theorems:
        # one walk over the proofs instead of one for every theorem
        script += "Theorem all : True.\nProof.\n" + "".join(f"pose proof @Shufbound.{name}.\n" for name in theorems)
        script += "exact I.\nQed.\n"
    for name in names:
        full = name if theorems else "Shufbound." + name
        script += f'Goal True. idtac "{MARK} {name}". exact I. Qed.\n{command} {full}.\n'
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "question.v")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        done = subprocess.run([coqc(), "-q", "-w", "-all", "-Q", os.path.abspath(folder), "Shufbound", path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, text=True, env=environment())
    if done.returncode != 0:
        raise Unfit(f"{folder}, asked by Coq: {' '.join(done.stdout.rpartition('Error:')[2].split())[:400]}")
    answers = {}
    for part in done.stdout.split(MARK + " ")[1:]:
        name, _, text = part.partition("\n")
        answers[name.strip()] = text
    return answers


def digest(answer):
    """The hash in a row of MANIFEST."""
    return hashlib.sha256(" ".join(answer.split()).encode()).hexdigest()[:16]


def pinned():
    """The definitions of MANIFEST and their hashes."""
    rows = {}
    with open(os.path.join(HERE, "MANIFEST"), encoding="utf-8") as lines:
        for line in lines:
            fields = [field.strip() for field in line.split(" | ")]
            if fields[0] == "definition":
                rows[fields[1]] = fields[2]
    return rows


def definitions(folder, roots):
    """Those that the roots ("Module.name") are made of, as the .vo files have them, which must be those of MANIFEST."""
    rows = pinned()
    there = {name for name in rows if os.path.exists(os.path.join(folder, name.split(".")[0] + ".vo"))}
    missing = sorted(set(roots) - there)
    if missing:
        raise Unfit(f"{missing[0]} has no row in proofs/MANIFEST or no file in {folder}")
    answers = ask_coq(folder, sorted(there), "Print")
    found, open_names = set(), list(roots)
    while open_names:
        name = open_names.pop()
        if name in found:
            continue
        if digest(answers.get(name, "")) != rows[name]:
            raise Unfit(f"{name} of {folder} is not what proofs/MANIFEST has: {' '.join(answers.get(name, '').split())[:200]}")
        found.add(name)
        open_names += [used for used in re.findall(r"\b[A-Z]\w*\.\w+", answers[name]) if used in rows]
    return sorted(found)


def main():
    command, *rest = sys.argv[1:] or [""]
    try:
        if command == "compile" and rest:
            compile_into(rest[0], rest[1:])
        elif command == "cached":
            print(cached(rest))
        elif command == "record" and len(rest) == 1:
            record(rest[0])
        elif command == "verify" and len(rest) == 1:
            verify(rest[0])
        else:
            sys.exit(__doc__)
    except Unfit as unfit:
        print(f"development: {unfit}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
