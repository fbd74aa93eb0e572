"""Answers that a repeated run gave, kept for a while: the last ones, as long as their bytes have room."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from typing import Any, Final

from engine.values.byte_cache import ByteCache

COMMAND_BYTES: Final = 400
"""What a command about takes that an answer rests on."""


class PendingAnswers:
    """For threads.

    Args:
        most_bytes: of all answers.
    """

    def __init__(self, most_bytes: int) -> None:
        self._kept: ByteCache[Hashable, tuple[Sequence[Any], bytes]] = ByteCache(most_bytes, _size)
        self._guard = threading.Lock()

    def find(self, key: Hashable, commands: Sequence[Any] = ()) -> bytes | None:
        """Return an answer that is kept and still true.

        Args:
            key: of the question.
            commands: that the run has by now; it must begin with those on which the answer rests.
        """
        with self._guard:
            used, answer = self._kept.find(key) or ((), None)
            return answer if commands[: len(used)] == used else None

    def keep(self, key: Hashable, answer: bytes, used: Sequence[Any] = ()) -> bytes:
        """Keep an answer, with the commands that it rests on, and return it."""
        with self._guard:
            self._kept.keep(key, (used, answer))
        return answer

    def clear(self) -> None:
        """Forget all."""
        with self._guard:
            self._kept.clear()


def _size(_key: Hashable, kept: tuple[Sequence[Any], bytes]) -> int:
    used, answer = kept
    return len(answer) + COMMAND_BYTES * len(used)
