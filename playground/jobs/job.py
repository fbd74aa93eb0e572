"""A job: a function that does what a stranger's text asks, and what it may take of the machine.

`@job(BOUNDS)` stands above a function of a module. Where the server has processes for jobs (`playground.jobs.pool`), a
call of the function sends its name and its arguments to one of them and returns the answer, or raises what it raised
there. Everywhere else, in a browser and in programs of the operator, the function runs in place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, ParamSpec, Protocol, TypeVar

import msgspec
from django.utils.translation import gettext_lazy as _

from playground.texts.page_message import RequestRefused

P = ParamSpec("P")
R = TypeVar("R")
MEBIBYTE: Final = 1 << 20


class JobBounds(msgspec.Struct, frozen=True):
    """What a job may take.

    Args:
        work_s: seconds of a processor.
        wall_s: seconds until it is ended, whatever it waits for.
        memory_bytes: beyond what its process takes before it begins.
    """

    work_s: int
    wall_s: float
    memory_bytes: int


CHECK: Final = JobBounds(work_s=10, wall_s=40.0, memory_bytes=256 * MEBIBYTE)
"""Of a text that is only read: the longest was measured to take 0.7 s and 33 MB."""
PICTURE: Final = JobBounds(work_s=12, wall_s=50.0, memory_bytes=512 * MEBIBYTE)
"""Of a moment that is looked for and drawn: it gives up by itself after half of that."""
RUN: Final = JobBounds(work_s=75, wall_s=200.0, memory_bytes=768 * MEBIBYTE)
"""Of a run that somebody waits for, or several beside each other."""

ENDED: Final = {
    "time": _("That takes longer than this server allows. Use a shorter or smaller run."),
    "memory": _("That takes more memory than this server allows. Use fewer messages, or more alike."),
    "lost": _("The process that did this is gone. Try again."),
}
"""Why a job ended without an answer."""


class JobEnded(RequestRefused):
    """A job took more than it may, or its process is gone.

    Args:
        why: a key of ENDED.
    """

    def __init__(self, why: str) -> None:
        super().__init__(ENDED[why], code=why)


class JobCarrier(Protocol):
    """Takes jobs elsewhere."""

    def pieces(
        self, work: BoundedJob[Any, Any], args: tuple[Any, ...], names: dict[str, Any]
    ) -> Iterator[Any]:
        """Yield what a job's generator yields, or its one answer. Raises what it raises, and JobEnded."""


class BoundedJob(Generic[P, R]):
    """A function that may be done elsewhere.

    Args:
        function: of a module; what it takes, returns or yields can be pickled.
        bounds: what it may take.
    """

    carrier: JobCarrier | None = None
    """Who takes all jobs elsewhere; None where they are done in place."""

    def __init__(self, function: Callable[P, R], bounds: JobBounds) -> None:
        self.function = function
        self.bounds = bounds
        self.__doc__ = function.__doc__

    @property
    def name(self) -> tuple[str, str]:
        """The module and the function's name in it."""
        return self.function.__module__, self.function.__qualname__

    def __call__(self, *args: P.args, **names: P.kwargs) -> R:
        """Do it, and return its answer; an iterator of its pieces where the function is a generator."""
        if BoundedJob.carrier is None:
            return self.function(*args, **names)
        pieces = BoundedJob.carrier.pieces(self, args, names)
        if inspect.isgeneratorfunction(self.function):
            return pieces  # type: ignore[return-value]  # R is an iterator then
        (answer,) = pieces
        return answer


def job(bounds: JobBounds) -> Callable[[Callable[P, R]], BoundedJob[P, R]]:
    """Declare a function as a job with these bounds."""
    return lambda function: BoundedJob(function, bounds)
