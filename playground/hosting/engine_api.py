"""The only place where the web side uses the engine's node. Tests replace it with a small double."""

from __future__ import annotations

from typing import Any, Protocol


class EngineNode(Protocol):
    """A node as hosts use it; see `engine.broker`."""

    now_us: int
    log: Any
    """See `engine.report.log`."""
    scenario: Any
    refused: Any

    def submit(self, command: dict[str, Any]) -> None:
        """Apply a command now."""

    def advance(self, until_us: int, max_transitions: int | None = None) -> bool:
        """Let virtual time pass; return whether `until_us` was reached."""

    def step(self) -> bool:
        """Go on to the next transition."""

    def next_us(self) -> int | None:
        """Return when something next happens by itself, as far as known; None for never."""

    def held_messages(self) -> int:
        """Return how many messages there are: in all queues, unacknowledged, and on their way in."""

    @property
    def most_messages(self) -> int:
        """How many messages the node may hold."""

    def ram_bytes(self) -> int:
        """Return the bytes of all bodies in RAM: any of them may be paged out."""

    def snapshot(self) -> dict[str, Any]:
        """Return the state that folding the log gives."""


class EngineFiles(Protocol):
    """A node's storage as hosts use it."""

    def used_bytes(self) -> int:
        """Return the bytes of all files together."""

    def close(self) -> None:
        """Close open files."""


class NodeDoor(Protocol):
    """Makes nodes, and knows the form of their rows."""

    version: str
    refusals: tuple[type[Exception], ...]
    """Raised by a node for a command that makes no sense; the text is for people."""
    no_scenario: tuple[type[Exception], ...]
    """Raised by `check`; the text names the place."""
    no_file: tuple[type[Exception], ...]
    """Raised by `read_file` for a missing file."""
    full: tuple[type[Exception], ...]
    """Raised by the storage if the files would exceed their bound."""
    outside: tuple[type[Exception], ...]
    """Raised by a node when files or memory fail (`full` included), through no fault of a command."""

    def open(self, scenario: dict[str, Any], root: str, max_bytes: int) -> tuple[EngineNode, EngineFiles]:
        """Make a node on real files under `root`."""

    def rehearse(self, scenario: dict[str, Any], keep: int = 2048) -> EngineNode:
        """Make a node that keeps sizes only: the same transitions, no files; its log holds the newest `keep`."""

    def ask(self, node: EngineNode, line: str) -> Any:
        """Return what a line of the console prints: text, changes (a command `ctl` must do it) and code."""

    not_now: tuple[type[Exception], ...]
    """Raised by `freeze` for a run in the middle of an action."""

    def freeze(self, node: EngineNode, files: EngineFiles) -> bytes:
        """Return a run as bytes, without the contents of its files."""

    def thaw(self, data: bytes, root: str) -> tuple[EngineNode, EngineFiles]:
        """Return the run that `freeze` made bytes of; its files lie under `root` again."""

    def check(self, scenario: bytes | dict[str, Any]) -> dict[str, Any]:
        """Return the scenario in full, or raise with the place of what is wrong."""

    def read_file(self, root: str, path: str, offset: int, count: int) -> tuple[int, bytes]:
        """Return the size of a real file and some of its bytes."""

    def read_records(self, root: str, scenario: dict[str, Any]) -> Any:
        """Return a reader of a run's real files under `root`; see `playground.hosting.file_records.RecordReader`."""
