"""The engine's own errors. Each message names what is wrong and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeVar

from engine.values.labels import BREAK
from engine.values.refusals import ENGLISH

R = TypeVar("R", bound="Refusal")
NAMES = ("name", "known")
"""Values that may be labels of what is in another virtual host: shown as `prod: orders`."""


class EngineError(Exception):
    """Base of everything the engine raises on purpose."""


class Refusal(EngineError):
    """Something that cannot be done, as a code with named parameters; as a text it is an English sentence.

    Args:
        code: a key of `sentences`.
        outer: what stands in front of the sentence, such as `commands[3]: `.
        values: what the sentence's places stand for.
    """

    sentences: ClassVar[Mapping[str, str]] = ENGLISH
    """The English sentence of each code; what is built on the engine adds its own codes in a subclass."""

    def __init__(self, code: str, /, outer: str = "", **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.outer = outer
        self.values = {name: _plain(value) for name, value in values.items()}
        for name in NAMES:
            if isinstance(self.values.get(name), str):
                self.values[name] = str(self.values[name]).replace(BREAK, ": ")

    def __str__(self) -> str:
        return (self.outer + self.sentences[self.code] % self.values).strip()

    def __reduce__(self) -> tuple[object, ...]:
        return _refusal, (type(self), self.code, self.outer, self.values)

    def inside(self, outer: str, kind: type[R]) -> R:
        """Return the same as an error of another kind, with `outer` in front."""
        for name in ("place", "words"):
            if name in self.values:
                return kind(self.code, self.outer, **{**self.values, name: f"{outer}{self.values[name]}"})
        return kind(self.code, outer + self.outer, **self.values)


def _plain(value: object) -> str | int:
    return value if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _refusal(kind: type[Refusal], code: str, outer: str, values: dict[str, str | int]) -> Refusal:
    return kind(code, outer, **values)


class InvalidSetting(Refusal):
    """A setting is outside what the rules allow."""

    @classmethod
    def of(cls, name: str, value: object, allowed: str) -> InvalidSetting:
        """Return the error for a value of a setting."""
        return cls("setting_impossible", name=name, value=value, allowed=allowed)


class RunHalted(EngineError):
    """The log has as many transitions as the limit at which it halts; the node must not be used any more."""


class InvariantBroken(EngineError):
    """The queue's own assertions failed (Q2, Q6-Q8, S253): a defect of this engine, never of the user."""


class ProcessCrash(EngineError):
    """The queue's process ends in the middle of a call, where the broker's does: no clause matches (V8, V9).

    Args:
        queue: name of the queue, as transitions carry it.
        function: module and function that has no clause, as Erlang writes them: "rabbit_variable_queue,d".
        arguments: its arguments, or the value that no clause of a case in it takes, as Erlang writes them.
        kind: which of the two.
    """

    def __init__(
        self,
        queue: str,
        function: str,
        arguments: str,
        kind: Literal["function_clause", "case_clause"] = "function_clause",
    ) -> None:
        self.queue = queue
        self.function = function
        self.arguments = arguments
        self.kind = kind
        super().__init__(f"{queue}: {self.reason}")

    @property
    def reason(self) -> str:
        """What the broker's log begins with, without spaces."""
        if self.kind == "case_clause":
            return f"{{case_clause,{self.arguments}}},[{{{self.function},"
        return f"function_clause,[{{{self.function},[{self.arguments}]"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.queue, self.function, self.arguments, self.kind)


class EngineFailure(Refusal):
    """A refusal whose class is its code: made from its parameters alone."""

    _given: tuple[object, ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._given


class FileCorrupt(Refusal):
    """A file holds what the broker would crash on; the parameter `at`, where it has one, is the offset of that."""

    @property
    def offset(self) -> int | None:
        """Return the byte at which the damage begins, if it has a place."""
        at = self.values.get("at")
        return at if isinstance(at, int) else None


class IndexCorrupt(FileCorrupt):
    """A queue index file holds what the broker would crash on (S119)."""


class StoreCorrupt(FileCorrupt):
    """A store file holds what the broker would crash on (S209)."""


class StorageFull(EngineFailure):
    """The files would grow past the bound of this session; nothing was written.

    Args:
        path: the file that would have grown.
        needed: bytes of the files after the refused write.
        max_bytes: the bound.
    """

    def __init__(self, path: str, needed: int, max_bytes: int) -> None:
        super().__init__("storage_full", path=path, needed=needed, most=max_bytes)
        self._given = path, needed, max_bytes


class FileMissing(EngineFailure):
    """A verb that needs a file was given the path of none."""

    def __init__(self, path: str) -> None:
        super().__init__("no_file", path=path)
        self._given = (path,)


class PathRefused(Refusal):
    """A path leads outside the storage, or names something that is no plain file in it."""


class ScenarioError(Refusal):
    """A scenario cannot be used; the message names the place."""


class ValueRefused(Refusal, ValueError):
    """A value that its own class refuses; the validator hands it on, with the place where the value stands."""


class CommandError(Refusal):
    """A command was refused and nothing changed; the message names what to do instead."""


class RunTooLong(EngineFailure):
    """A run is longer than whoever plays it allows.

    Args:
        bound: what was passed: so many "transitions", so much "time", or an "event" with more than a log holds.
        most: the bound, None where it is no number.
    """

    def __init__(self, bound: str, most: int | None) -> None:
        super().__init__("run_too_long", bound=bound, most="no number" if most is None else most)
        self._given = bound, most
        self.bound = bound
