"""Numbers and units as the broker's command line reads them: a digit on each side of the point, nothing behind."""

from __future__ import annotations

import re
from typing import Final

from engine.broker.commands.memory_limit import bytes_of
from engine.ctl.errors import BAD_VALUE, SOFTWARE, NotHere
from engine.ctl.request import Request
from engine.values.errors import CommandError

FRACTION: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
BELOW: Final = re.compile(r"-[0-9]{1,15}")
PARTS: Final = re.compile(r"(?P<number>[+-]?[0-9]+)(?P<more>\.[0-9]+)?(?P<rest>.*)", re.DOTALL)
NOT_WATERMARKS: Final = re.compile(r"[0-9]+[kK]iB")
"""The watermark has no such unit, although the disk limit has."""


def fraction(request: Request, text: str) -> float:
    """Return a number with or without a fraction.

    Raises:
        CtlRefused: it is none for the command line.
    """
    if FRACTION.fullmatch(text) is None:
        raise request.invalid("Bad argument.", BAD_VALUE)
    return float(text)


def watermark_bytes(request: Request, text: str) -> int:
    """Return the bytes of an absolute watermark.

    Raises:
        CtlRefused: it is no whole number, or its unit is unknown.
    """
    found = PARTS.fullmatch(text)
    if found is None:
        raise request.invalid("Bad argument.", BAD_VALUE)
    if found["more"]:
        raise request.invalid("Bad argument: The threshold should be an integer.", BAD_VALUE)
    if BELOW.fullmatch(text):
        raise NotHere("rabbitmqctl ends with a stack trace at an absolute value below 0", SOFTWARE)
    try:
        if NOT_WATERMARKS.fullmatch(text):
            raise CommandError("no_amount", text=text)
        return bytes_of(text)
    except CommandError:
        raise request.invalid("Bad argument: Invalid units.", BAD_VALUE) from None


def limit_bytes(request: Request, text: str) -> int:
    """Return the bytes of a disk limit; less than nothing is no limit.

    Raises:
        CtlRefused: the command line does not understand it.
    """
    try:
        return 0 if BELOW.fullmatch(text) else bytes_of(text)
    except CommandError:
        raise request.invalid("Bad argument.", BAD_VALUE) from None
