"""What a sweep refuses, as a code with parameters, and how a failure is kept as text."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.values.errors import Refusal
from sweeps.refusals import ENGLISH

MOST_VALUE: Final = 120
"""Characters of a parameter that is kept."""


class SweepError(Refusal):
    """The sweep cannot go on as described.

    Its code is a key of `sweeps.refusals.ENGLISH`, or one of the engine that is handed on.
    """

    sentences = {**Refusal.sentences, **ENGLISH}


def kept(error: Exception) -> str:
    """Return a failure as it is kept in a table: JSON with its code and its parameters.

    Args:
        error: any; what is not a refusal has the code `unexpected`.
    """
    if not isinstance(error, Refusal) or error.code not in SweepError.sentences:
        error = SweepError("unexpected", why=f"{type(error).__name__}: {error}")
    values = {
        name: value[:MOST_VALUE] if isinstance(value, str) else value for name, value in error.values.items()
    }
    return msgspec.json.encode({"code": error.code, "values": values}).decode()


def read(text: str) -> SweepError:
    """Return a failure that was kept; a text of an earlier version, which was a sentence, as it is."""
    try:
        found = msgspec.json.decode(text, type=_Kept)
        error = SweepError(found.code, "", **found.values)
        str(error)
    except (msgspec.DecodeError, msgspec.ValidationError, KeyError, TypeError):
        return SweepError("unexpected", why=text)
    return error


class _Kept(msgspec.Struct, frozen=True):
    """A failure as JSON has it."""

    code: str
    values: dict[str, str | int]
