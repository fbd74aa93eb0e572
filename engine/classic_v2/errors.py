"""The error that ends a queue's process when its files are not as it left them."""

from __future__ import annotations

from engine.values.errors import FileCorrupt


class ProcessCrashed(FileCorrupt):
    """The queue's process crashes, as the broker's does (W200, W202, W205).

    Args:
        reason: the class of the error, as the broker logs it.
        function: the broker's function in which it happens.
        path: the file that it was at.
    """

    def __init__(self, reason: str, function: str, path: str) -> None:
        super().__init__("queue_crashes", reason=reason, function=function, path=path)
        self._given = reason, function, path
        self.reason = reason
        self.function = function

    def __reduce__(self) -> tuple[object, ...]:
        return ProcessCrashed, self._given
