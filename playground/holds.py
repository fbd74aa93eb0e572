"""Sessions that take no commands for a while, such as those of a class that listens to its teacher."""

from __future__ import annotations

from collections.abc import Iterable

_held: dict[str, frozenset[str]] = {}


def hold(key: str, sessions: Iterable[str]) -> list[str]:
    """Hold these sessions under a key, in place of those before; return the ones that were not held yet."""
    wanted = frozenset(sessions)
    new = wanted - _held.get(key, frozenset())
    _held[key] = wanted
    return sorted(new)


def release(key: str) -> None:
    """Let the sessions of a key go on."""
    _held.pop(key, None)


def is_held(session: str) -> bool:
    """Tell whether somebody holds a session."""
    return any(session in sessions for sessions in _held.values())
