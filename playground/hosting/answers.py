"""Answers that a repeated run gave, kept for a while: the newest few, each as long as its record is the same."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from playground.hosting.book import Remembered


class Answers:
    """For threads.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[list[Any], bytes]] = OrderedDict()
        self._guard = threading.Lock()

    def find(self, key: Hashable, record: Remembered) -> bytes | None:
        """Return an answer that is kept and still true."""
        with self._guard:
            used, answer = self._kept.get(key, ([], None))
            if answer is None or record.commands[: len(used)] != used:
                return None
            self._kept.move_to_end(key)
            return answer

    def keep(self, key: Hashable, used: list[Any], answer: bytes) -> bytes:
        """Keep an answer, with the commands that it rests on, and return it."""
        with self._guard:
            self._kept[key] = used, answer
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer
