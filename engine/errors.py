"""The engine's own errors. Each says what is wrong and what to do about it."""

from __future__ import annotations


class EngineError(Exception):
    """Base of everything the engine raises on purpose."""


class InvalidSetting(EngineError):
    """A setting is outside what the rules allow."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{name} = {value} is not possible; allowed: {allowed}")
        self.name = name


class InvariantBroken(EngineError):
    """The queue's own assertions failed (Q2, Q6-Q8, S253): a defect of this engine, never of the user."""


class IndexCorrupt(EngineError):
    """A queue index file holds what the broker would crash on (S119)."""


class StoreCorrupt(EngineError):
    """A store file holds what the broker would crash on (S209)."""
