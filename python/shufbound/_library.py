# SPDX-License-Identifier: LGPL-3.0-or-later
"""The shared library, by ctypes: a question in, an answer out, both of them JSON."""
from __future__ import annotations

import _thread
import ctypes
import os
from pathlib import Path
from queue import SimpleQueue
from typing import Callable, Optional

# of libshufbound, whose header shufbound.h what is below follows
_SONAME = "libshufbound.so.0"

_progress_t = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)


class _Watch(ctypes.Structure):
    """shuf_watch."""

    _fields_ = [("deadline", ctypes.c_double), ("progress", ctypes.c_void_p), ("data", ctypes.c_void_p), ("cut", ctypes.c_int)]


def _path() -> str:
    """SHUFBOUND_LIBRARY, the library that the wheel carries, or the system's."""
    path = os.environ.get("SHUFBOUND_LIBRARY")
    if path:
        return path
    carried = Path(__file__).with_name(_SONAME)
    return str(carried) if carried.exists() else _SONAME


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"cannot load the library shufbound: {error}; SHUFBOUND_LIBRARY may name its file") from error
    library.shuf_answer_json.argtypes = [ctypes.c_char_p]
    library.shuf_answer_json.restype = ctypes.c_void_p
    library.shuf_watch_set.argtypes = [ctypes.c_void_p]
    library.shuf_watch_set.restype = ctypes.c_void_p
    library.shuf_theorems_json.argtypes = []
    library.shuf_theorems_json.restype = ctypes.c_void_p
    library.shuf_free.argtypes = [ctypes.c_void_p]
    library.shuf_free.restype = None
    return library


_loaded: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """Loaded when it is first needed: who only reads vectors needs none."""
    global _loaded
    if _loaded is None:
        _loaded = _load()
    return _loaded


def take(text: Optional[int]) -> bytes:
    """What a function returned, which is given back."""
    if text is None:
        raise MemoryError("there was not enough memory for an answer")
    try:
        return ctypes.string_at(text)
    finally:
        library().shuf_free(text)


class _Job:
    """One question, and what it came to."""

    def __init__(self, question: bytes, progress: Optional[Callable[[str], object]]) -> None:
        self.question = question
        self.progress = progress
        self.stop = ctypes.c_int(0)
        self.answer: Optional[bytes] = None
        self.error: Optional[BaseException] = None
        self.done = _thread.allocate_lock()
        self.done.acquire()

    def _show(self, _: object, line: Optional[bytes]) -> int:
        try:
            if line and self.progress is not None:
                self.progress(line.decode())
        except BaseException as error:  # it stops the computation, and is raised where the question was asked
            self.error = error
            self.stop.value = 1
        return self.stop.value

    def run(self) -> None:
        lib = library()
        # it must live as long as the watch
        callback = lib.shuf_stop_flag if self.progress is None else _progress_t(self._show)
        watch = _Watch(0.0, ctypes.cast(callback, ctypes.c_void_p), ctypes.addressof(self.stop), 0)
        lib.shuf_watch_set(ctypes.byref(watch))
        text = lib.shuf_answer_json(self.question)
        lib.shuf_watch_set(None)
        self.answer = take(text)


class _Worker:
    """
    A thread that answers one question at a time.

    A signal reaches Python code of the main thread only, and not while that is in the library: so it waits, and another
    thread computes. Threads are kept, because FLINT's caches are a thread's own.
    """

    idle: list[_Worker] = []

    def __init__(self) -> None:
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        # not threading.Thread: an exception from a signal in the middle of its start() leaves its tables inconsistent
        _thread.start_new_thread(self._serve, ())

    @classmethod
    def start(cls, job: _Job) -> None:
        try:
            worker = cls.idle.pop()
        except IndexError:
            worker = cls()
        worker.jobs.put(job)

    def _serve(self) -> None:
        while True:
            job = self.jobs.get()
            try:
                job.run()
            except BaseException as error:
                job.error = error
            _Worker.idle.append(self)
            job.done.release()
            del job


os.register_at_fork(after_in_child=_Worker.idle.clear)


def answer(question: bytes, progress: Optional[Callable[[str], object]] = None) -> bytes:
    """shuf_answer_json without the GIL. An exception in the thread that waits, such as a KeyboardInterrupt, ends the computation."""
    library()
    job = _Job(question, progress)
    try:
        _Worker.start(job)
        job.done.acquire()
    except BaseException:
        # it may come at any point of the two lines above, so that there is nothing certain to wait for
        job.stop.value = 1
        raise
    if job.error is not None:
        raise job.error
    assert job.answer is not None
    return job.answer
