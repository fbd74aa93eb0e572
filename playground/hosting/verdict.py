"""Whether a run, at its end, is the one that was recorded: a code and its values; who shows it has the words."""

from __future__ import annotations

SHOWN = 12
"""Digits of a digest that are shown."""


def judge(
    expected: str | None, got: str, recorded_by: str = "", version: str = ""
) -> tuple[str, str, dict[str, str]]:
    """Return the level of what there is to say, its code, and the values in it.

    Args:
        expected: the digest that was recorded; none where nothing was.
        got: the run's own.
        recorded_by: the engine's version at that time, where it is known.
        version: the engine's now.
    """
    if not expected:
        return "info", "run_ends", {}
    if got == expected:
        return "info", "run_repeated", {"digest": got[:SHOWN]}
    differing = {"got": got[:SHOWN], "expected": expected[:SHOWN]}
    if recorded_by and recorded_by != version:
        return "info", "run_of_another_engine", {"then": recorded_by, "now": version, **differing}
    return "error", "run_differs", differing
