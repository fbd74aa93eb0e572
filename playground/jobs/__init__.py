"""Jobs: work on input from strangers, in processes that may be killed, with bounds on memory and time.

`@job(BOUNDS)` decorates a module's function. If the server has processes for jobs, a call sends the function's name and
its arguments to one of them, and returns its answer or raises its error. Everywhere else, in a browser and in the
operator's programs, the function runs in place. `process.py` is the program that does jobs, `pool.py` the server's end.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, ParamSpec, Protocol, TypeVar

import msgspec
from django.utils.translation import gettext_lazy as _

from playground.texts import RequestRefused

P = ParamSpec("P")
R = TypeVar("R")
MEBIBYTE: Final = 1 << 20


class JobBounds(msgspec.Struct, frozen=True):
    """The resources of a job. `work_s`: seconds of processor time. `wall_s`: seconds of real time until it is ended.
    `memory_bytes`: memory in addition to that of its process.
    """

    work_s: int
    wall_s: float
    memory_bytes: int


CHECK: Final = JobBounds(work_s=10, wall_s=40.0, memory_bytes=256 * MEBIBYTE)
"""Bounds for reading a text; the longest took 0.7 s and 33 MB."""
PICTURE: Final = JobBounds(work_s=12, wall_s=50.0, memory_bytes=512 * MEBIBYTE)
"""Bounds for finding and drawing a moment, which gives up by itself after half of the time."""
RUN: Final = JobBounds(work_s=75, wall_s=200.0, memory_bytes=768 * MEBIBYTE)
"""Bounds for one or several runs that somebody waits for."""

LOST: Final = "lost"
ENDED: Final = {
    "time": _("That takes longer than this server allows. Use a shorter or smaller run."),
    "memory": _("That takes more memory than this server allows. Use fewer messages, or more alike."),
    LOST: _("The process that did this is gone. Try again."),
}
"""Reasons why a job ended without an answer."""
BEYOND_BOUNDS: Final = ENDED.keys() - {LOST}


class JobEnded(RequestRefused):
    """A job exceeded its bounds, or its process is gone."""

    def __init__(self, why: str) -> None:
        super().__init__(ENDED[why], code=why)


class JobCarrier(Protocol):
    """Runs jobs elsewhere."""

    def pieces(
        self, work: BoundedJob[Any, Any], args: tuple[Any, ...], names: dict[str, Any]
    ) -> Iterator[Any]:
        """Yield what a job's generator yields, or its one answer. Raises what it raises, and JobEnded."""


class BoundedJob(Generic[P, R]):
    """A function that may run elsewhere. `function`: of a module, with picklable arguments and results."""

    carrier: JobCarrier | None = None
    """Runs all jobs elsewhere; None if they run in place."""

    def __init__(self, function: Callable[P, R], bounds: JobBounds) -> None:
        self.function = function
        self.bounds = bounds
        self.__doc__ = function.__doc__

    @property
    def name(self) -> tuple[str, str]:
        return self.function.__module__, self.function.__qualname__

    def __call__(self, *args: P.args, **names: P.kwargs) -> R:
        """Run it and return its answer, or an iterator of its pieces if the function is a generator."""
        if BoundedJob.carrier is None:
            return self.function(*args, **names)
        pieces = BoundedJob.carrier.pieces(self, args, names)
        if inspect.isgeneratorfunction(self.function):
            return pieces  # type: ignore[return-value]  # R is an iterator then
        (answer,) = pieces
        return answer


def job(bounds: JobBounds) -> Callable[[Callable[P, R]], BoundedJob[P, R]]:
    return lambda function: BoundedJob(function, bounds)
