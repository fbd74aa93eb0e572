"""The only place where the web side touches the engine's node. Tests put a small double in its stead."""

from __future__ import annotations

from typing import Any, Protocol


class EngineNode(Protocol):
    """What a host asks of a node; see `engine.broker`."""

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
        """Return when something happens next by itself, as far as is known; None for never."""

    def held_messages(self) -> int:
        """Return how many messages there are: in all queues, unacknowledged, and on their way in."""

    def ram_bytes(self) -> int:
        """Return the bytes of all bodies in RAM: any of them may be paged out."""

    def snapshot(self) -> dict[str, Any]:
        """Return the state that folding the log gives."""


class EngineFiles(Protocol):
    """What a host asks of a node's storage."""

    def used_bytes(self) -> int:
        """Return the bytes of all files together."""

    def close(self) -> None:
        """Close what is open."""


class NodeDoor(Protocol):
    """How to make nodes, and the form of their rows."""

    version: str
    refusals: tuple[type[Exception], ...]
    """What a node raises when a command makes no sense: the text is for the person."""
    no_scenario: tuple[type[Exception], ...]
    """What `check` raises: the text names the place."""
    no_file: tuple[type[Exception], ...]
    """What `read_file` raises for a file that is not there."""
    full: tuple[type[Exception], ...]
    """What the storage raises when the files would grow past their bound."""
    outside: tuple[type[Exception], ...]
    """What a node raises when files or memory fail it, `full` included: no command is to blame."""

    def open(self, scenario: dict[str, Any], root: str, max_bytes: int) -> tuple[EngineNode, EngineFiles]:
        """Make a node on real files under `root`."""

    def rehearse(self, scenario: dict[str, Any], keep: int = 2048) -> EngineNode:
        """Make a node that keeps sizes only: the same transitions, no files; its log holds the newest `keep`."""

    def ask(self, node: EngineNode, line: str) -> Any:
        """Return what a line of the console prints: text, changes (a command `ctl` must do it) and code."""

    not_now: tuple[type[Exception], ...]
    """What `freeze` raises for a run that is in the middle of something."""

    def freeze(self, node: EngineNode, files: EngineFiles) -> bytes:
        """Return a run as bytes, without the contents of its files."""

    def thaw(self, data: bytes, root: str) -> tuple[EngineNode, EngineFiles]:
        """Return the run that `freeze` made bytes of; its files lie under `root` again."""

    def check(self, scenario: bytes | dict[str, Any]) -> dict[str, Any]:
        """Return the scenario in full, or raise with the place of what is wrong."""

    def read_file(self, root: str, path: str, offset: int, count: int) -> tuple[int, bytes]:
        """Return the size of a real file and some of its bytes."""

    def read_records(self, root: str) -> Any:
        """Return a reader of the real files under `root`; see `playground.hosting.file_records.RecordReader`."""
