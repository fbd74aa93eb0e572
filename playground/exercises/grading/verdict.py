"""What grading returns: right or not, which feedback is meant, and the learner's words beside the engine's."""

from __future__ import annotations

from typing import Any

import msgspec


class BadAnswer(Exception):
    """The answer is not of the form that the exercise asks for."""


class TooLong(Exception):
    """The run is longer than grading may take; the answer is not judged."""


class VerdictLine(msgspec.Struct, frozen=True):
    """One thing that was predicted, wanted or done, beside what happened.

    Args:
        about: the id of the option, goal, item or message.
        yours: what the learner answered or reached.
        engine: what the engine did.
        right: whether the two agree; None where nothing was answered.
    """

    about: str
    yours: Any
    engine: Any
    right: bool | None


class GradedVerdict(msgspec.Struct, frozen=True):
    """The result of one attempt.

    Args:
        passed: whether the exercise is solved.
        feedback: ids of feedback texts; those that begin with `_` are common to all exercises.
        lines: what to show side by side.
        tally: the answer as one short text, to count equal ones.
        step: how many steps of a "be the broker" are right.
        moves: what the engine moved in the step that was judged: rule, kind, from, to, first, last.
    """

    passed: bool
    feedback: tuple[str, ...] = ()
    lines: tuple[VerdictLine, ...] = ()
    tally: str = ""
    step: int = 0
    moves: tuple[tuple[str, str, str, str, int, int], ...] = ()

    @property
    def wrong(self) -> bool:
        """Whether something was wrong; a right step on the way to the end is not."""
        return not self.passed and bool(self.feedback)
