#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Applies the faults of the folders beside this file one after the other to a copy of the source, and checks that the tests
named with each fault fail.

    run.py [--only ID,..] [--changed] [--most N] [--jobs J] [--tested] SOURCE

SOURCE is the source tree; one that is built in place is copied as it is, else the copy is configured and built. --changed:
the faults of files that the last day's commits changed (changed.py), at most N of them with --most N. --tested: make check has just passed
here, and the tests are not run without a fault again. Prints one line a fault, those that took longest and a summary. Exit
status 0 when every fault was caught, 1 when one survived, 2 when a fault could not be applied (the source has moved on: adapt
it) or does not compile.

A fault is a file FOLDER/ID.patch, FOLDER being that of src/ (or src or python) in which it is:

    what is wrong
    test: tests/... [tests/... ...]     programs or scripts, the first that fails catches it
    a unified diff, which patch applies with fuzz
"""
import argparse
import concurrent.futures
import contextlib
import glob
import os
import queue
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import changed  # noqa: E402: a module of the tests

SEED = "20261121"
TEST_SECONDS = 300
TIMED_OUT = 256  # no exit status; the test did not see what is wrong
LIBRARIES = ["libparts.la", "libreport.la", "libclaims.la", "libvectors.la"]
SKIPPED = 77  # a test that cannot run catches nothing


class Fault:
    def __init__(self, path=None):
        self.path, self.file, self.tests = path, None, []
        if path is None:
            return
        self.identifier = os.path.basename(path)[:-len(".patch")]
        with open(path, encoding="utf-8") as lines:
            self.title = next(lines).strip()
            self.tests = next(lines).removeprefix("test:").split()
            for line in lines:
                if line.startswith("+++ b/"):
                    self.file = line[len("+++ b/"):].strip()
        folder = os.path.dirname(self.file or "")
        if not self.tests or os.path.basename(os.path.dirname(path)) not in (os.path.basename(folder), folder.split("/")[0]):
            sys.exit(f"{path}: not a fault of this folder")


def read_faults(here):
    faults = [Fault(path) for path in sorted(glob.glob(os.path.join(here, "*", "*.patch")))]
    names = [fault.identifier for fault in faults]
    for name in names:
        if names.count(name) > 1:
            sys.exit(f"two faults are named {name}")
    return faults


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(arguments, cwd, seconds):
    """The exit status, TIMED_OUT when it takes too long, and the output, up to the first line that says what fails."""
    environment = dict(os.environ, SHUFBOUND_SEED=SEED, SHUFBOUND_DRAW="all", SHUFBOUND="./shufbound", srcdir=".", CMOCKA_TEST_ABORT="1", TMPDIR=cwd)
    with subprocess.Popen(arguments, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                          start_new_session=True) as process:
        late = threading.Event()
        clock = threading.Timer(seconds, lambda: (late.set(), kill(process)))
        clock.start()
        output = []
        for line in process.stdout:
            output.append(line)
            if line.startswith(b"FAIL:"):
                kill(process)
        clock.cancel()
        status = process.wait()
        return TIMED_OUT if late.is_set() else status, b"".join(output)


def targets_of(fault):
    programs = [test for test in fault.tests if not test.endswith(".sh")]
    if any(test.startswith("tests/report/") for test in fault.tests if test.endswith(".sh")):
        programs.append("tests/report/render")
    return programs + (["shufbound"] if any(test.endswith(".sh") for test in fault.tests) else [])


def is_in_library(fault):
    return fault.file.endswith(".c") and not fault.file.startswith("src/cli/")


def objects_of(fault):
    """Of a build without the shared library, and of one with it."""
    folder, name = os.path.split(fault.file[:-1] + "o")
    return [os.path.join(folder, name), os.path.join(folder, ".libs", name)] if fault.file.endswith(".c") else []


def build(tree, fault):
    """Links the object with the fault before the libraries, whose own one is then not taken. They are not made again, which
    would take longer than to compile and to link."""
    make = ["make", "-s"] + [f"-o{library}" for library in LIBRARIES]
    if is_in_library(fault):
        status, output = run(make + [fault.file[:-1] + "lo"], tree, 900)
        if status != 0:
            return status, output
        make.append("LDFLAGS=" + next(path for path in objects_of(fault) if os.path.exists(os.path.join(tree, path))))
    return run(make + targets_of(fault), tree, 900)


@contextlib.contextmanager
def set_aside(tree, files):
    """Files that are as they were, with their times, in the end."""
    paths = [path for path in (os.path.join(tree, file) for file in files) if os.path.exists(path)]
    for path in paths:
        os.replace(path, path + ".sound")
    try:
        yield
    finally:
        for path in paths:
            os.replace(path + ".sound", path)


def catches(tree, fault):
    """The test that fails and what it says, or None."""
    for test in fault.tests:
        status, output = run(["sh", test] if test.endswith(".sh") else ["./" + test], tree, TEST_SECONDS)
        if status in (SKIPPED, TIMED_OUT):
            continue
        if status != 0:
            return test, output.decode(errors="replace")
    return None


def prepare(source, scratch):
    tree = os.path.join(scratch, "tree")
    if os.path.exists(os.path.join(source, "config.status")):
        shutil.copytree(source, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", "*-build", "wheel", "shufbound-*"))
        return tree
    shutil.copytree(source, tree, ignore=shutil.ignore_patterns(".git"))
    for command in (["./configure", "-q", "--disable-shared", "CFLAGS=-g0 -O1"], ["make", "-s", "-j2"]):
        status, output = run(command, tree, 900)
        if status != 0:
            sys.exit(f"{' '.join(command)} failed\n{output.decode(errors='replace')[-2000:]}")
    return tree


def try_fault(tree, fault):
    """A verdict of one word, and what is to be said."""
    with set_aside(tree, [fault.file] + objects_of(fault) + targets_of(fault)):
        shutil.copyfile(os.path.join(tree, fault.file) + ".sound", os.path.join(tree, fault.file))
        with open(fault.path, "rb") as diff:
            patched = subprocess.run(["patch", "-s", "-p1", "-f", "-F0", "-r-", "--no-backup-if-mismatch"], cwd=tree, stdin=diff,
                                     capture_output=True, check=False)
        if patched.returncode != 0:
            return "broken", "DOES NOT APPLY: " + (patched.stdout + patched.stderr).decode(errors="replace").strip()
        status, output = build(tree, fault)
        caught = catches(tree, fault) if status == 0 else None
    if status != 0:
        return "broken", "DOES NOT COMPILE\n" + output.decode(errors="replace")[-1000:]
    return ("caught", f"caught by {caught[0]}") if caught else ("survived", "SURVIVED")


def build_tests(tree, faults, jobs):
    """What the faults need. Returns the names of their tests."""
    sound = Fault()
    sound.tests = sorted({test for fault in faults for test in fault.tests})
    status, output = run(["make", "-s", f"-j{jobs}"] + targets_of(sound), tree, 1800)
    if status != 0:
        sys.exit(f"the tests do not build\n{output.decode(errors='replace')[-2000:]}")
    return sound.tests


def check_soundness(tree, tests, jobs):
    """Without a fault every test passes, or the pass would prove nothing."""
    def passes(test):
        alone = Fault()
        alone.tests = [test]
        return catches(tree, alone)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for failing in pool.map(passes, tests):
            if failing:
                sys.exit(f"{failing[0]} fails without any fault\n{failing[1][-2000:]}")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="Mutation pass: every fault must be caught.")
    parser.add_argument("--only", help="comma-separated identifiers")
    parser.add_argument("--changed", action="store_true", help="of files changed by the last day's commits")
    parser.add_argument("--most", type=int, help="so many, drawn by the hash of the commit")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tested", action="store_true", help="the tests pass without a fault")
    parser.add_argument("source")
    arguments = parser.parse_args()

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a test that fails aborts
    faults = read_faults(here)
    if arguments.only:
        only = arguments.only.split(",")
        unknown = set(only) - {fault.identifier for fault in faults}
        if unknown:
            sys.exit(f"no fault is named {', '.join(sorted(unknown))}")
        faults = [fault for fault in faults if fault.identifier in only]
    if arguments.changed:
        files, head = changed.changed(arguments.source)
        faults = [fault for fault in faults if fault.file in files or os.path.relpath(fault.path, arguments.source) in files]
        print(f"{len(faults)} faults are of files changed by the last day's commits", flush=True)
        if arguments.most and len(faults) > arguments.most:
            drawn = set(changed.draw([fault.identifier for fault in faults], arguments.most, head))
            faults = [fault for fault in faults if fault.identifier in drawn]
            print(f"{arguments.most} of them are drawn by the commit", flush=True)
    if not faults:
        return
    with tempfile.TemporaryDirectory(prefix="shufbound-mutation-", ignore_cleanup_errors=True) as scratch:
        sys.exit(apply_all(faults, arguments, scratch))


def apply_all(faults, arguments, scratch):
    tree = prepare(arguments.source, scratch)
    tests = build_tests(tree, faults, arguments.jobs)
    if not arguments.tested:
        check_soundness(tree, tests, arguments.jobs)
    trees = queue.Queue()
    trees.put(tree)
    for job in range(1, arguments.jobs):
        copy = os.path.join(scratch, f"tree{job + 1}")
        shutil.copytree(tree, copy, symlinks=True)
        trees.put(copy)

    found = {"caught": 0, "survived": 0, "broken": 0}
    took = []

    def attempt(fault):
        begin = time.monotonic()
        tree = trees.get()
        verdict, text = try_fault(tree, fault)
        trees.put(tree)
        found[verdict] += 1
        took.append((time.monotonic() - begin, fault.identifier))
        print(f"{fault.identifier}: {fault.title}: {text} ({took[-1][0]:.0f} s)", flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(attempt, faults))
    print("the slowest: " + ", ".join(f"{identifier} ({seconds:.0f} s)" for seconds, identifier in sorted(took)[:-11:-1]))
    print(f"{len(faults)} faults, {found['caught']} caught, {found['survived']} survived, {found['broken']} not applied")
    return 2 if found["broken"] else 1 if found["survived"] else 0


if __name__ == "__main__":
    main()
