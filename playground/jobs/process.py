"""The program that does jobs, one after the other, until the server ends it or is gone. A job that runs out
of memory gets an answer; the kernel ends a process whose job used up its time. In both cases, and after a job
that left much memory behind, the server starts another process.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import inspect
import logging
import math
import os
import pickle
import resource
import select
import signal
import socket
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any, Final

import django
from django.utils import translation

from playground.hosting.link import LinkClosed, LinkCodec, ProcessLink, run
from playground.jobs import BoundedJob, JobBounds, JobEnded

NICENESS: Final = 5
"""Live sessions come first."""
GROWN_BYTES: Final = 16 << 20
"""Memory left by a job from which a process is replaced."""
STATM: Final = Path("/proc/self/statm")
DATA: Final = 5
"""Place of the pages of data in STATM: what the limit of data counts."""
PAGE_BYTES: Final = resource.getpagesize()


def _unpickled(data: memoryview) -> Any:
    return pickle.loads(data)  # noqa: S301 - of a process that this server started itself


CODEC: Final = LinkCodec(partial(pickle.dumps, protocol=pickle.HIGHEST_PROTOCOL), _unpickled, 128 << 20)
"""Orders and answers. Both ends run this program, and input from strangers is never unpickled, only carried as text;
the largest written page has a quarter of these bytes.
"""


def load() -> None:
    """Load what jobs need: every view, and with it every job, and the engine."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
    django.setup()
    importlib.import_module("playground.urls")
    from playground.hosting.real_engine import door  # noqa: PLC0415 - needs the apps to be ready

    door()


def serve(handle: int) -> None:
    """Do jobs that come over a socket, and end this process. `handle`: number of the socket's end."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    link = ProcessLink(socket.socket(fileno=handle), CODEC)
    threading.Thread(target=_leave_with, args=(handle,), daemon=True).start()
    most_bytes = data_bytes() + GROWN_BYTES
    with contextlib.suppress(LinkClosed):
        while True:
            orders = link.receive()
            if orders:
                kind, found = _do(link, *orders.pop())  # the server sends the next one after its answer
                lift_memory()
                if data_bytes() > most_bytes:
                    gc.collect()
                link.send_now((kind, found, data_bytes() <= most_bytes))
                del found
    os._exit(0)  # nothing is left to tidy up


def _leave_with(handle: int) -> None:
    """End this process when the server is gone, in the middle of a job as well."""
    gone = select.poll()
    gone.register(handle, select.POLLHUP)
    gone.poll()
    os._exit(0)


def _do(link: ProcessLink, name: tuple[str, str], args: Any, names: Any, language: str) -> tuple[str, Any]:
    """Do one job and send its pieces; return its answer, or what it raised."""
    module, function = name
    work: BoundedJob[Any, Any] = getattr(importlib.import_module(module), function)
    bind(work.bounds)
    try:
        with translation.override(language):
            found = work.function(*args, **names)
            if not inspect.isgenerator(found):
                return "answer", found
            for piece in found:
                link.send_now(("piece", piece, False))
            return "done", None
    except MemoryError:
        return "raised", packed(JobEnded("memory"))
    except Exception as error:  # noqa: BLE001 - whoever asked for it gets it
        return "raised", packed(error)


def packed(error: Exception) -> tuple[type[Exception], tuple[Any, ...], dict[str, Any]]:
    """Return an error as what it is made of: many need other arguments than they keep."""
    return type(error), error.args, error.__dict__


def unpacked(kind: type[Exception], args: tuple[Any, ...], values: dict[str, Any]) -> Exception:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(values)
    return error


def bind(bounds: JobBounds) -> None:
    """Bound this process for one job: memory and processor time in addition to its current use."""
    most_bytes = data_bytes() + bounds.memory_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, resource.RLIM_INFINITY))
    most_s = math.ceil(time.process_time()) + bounds.work_s
    resource.setrlimit(resource.RLIMIT_CPU, (most_s, resource.RLIM_INFINITY))


def lift_memory() -> None:
    """Remove the bound on memory, to answer and between jobs."""
    resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def data_bytes() -> int:
    """Return the bytes of data that this process has; 0 where the system does not say."""
    try:
        return int(STATM.read_text().split()[DATA]) * PAGE_BYTES
    except OSError:
        return 0


if __name__ == "__main__":
    load()
    run(serve)
