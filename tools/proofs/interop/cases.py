"""What the engine does to a queue before a node opens its directory, as steps of the trace format."""

from __future__ import annotations

from typing import Any, Protocol

from engine.formats import properties
from engine.values.errors import ProcessCrash
from tools.proofs.differential.programs import ModuleProgram

BASE: dict[str, Any] = {
    "durable": True,
    "mode": "default",
    "segment_entry_count": 2048,
    "queue_index_embed_msgs_below": 4096,
    "queue_index_max_journal_entries": 32768,
    "msg_store_file_size_limit": 16777216,
    "msg_store_io_batch_size": 4096,
    "msg_store_credit_disc_bound": [4000, 800],
    "explicit_gc_run_operation_threshold": 1000,
    "rates": [0.5, 0.5, 0, 0],
    "queue": "cq",
}
SMALL, LARGE = 100, 6000
HEADERS = (("tenant", ("S", b"north")), ("weight", ("d", 0.25)), ("retry", ("I", -3)))
PROPERTIES = properties.encode(
    {"content_type": "text/plain", "delivery_mode": 2, "headers": HEADERS, "priority": 4, "message_id": "m-1"}
)


def publish(count: int, size: int, persistent: bool = True, **more: Any) -> dict[str, Any]:
    """Return a publish step."""
    return {"op": "publish", "count": count, "size": size, "persistent": persistent, **more}


def fetch(count: int, ack: bool = True) -> dict[str, Any]:
    """Return a fetch step."""
    return {"op": "fetch", "count": count, "ack": ack}


def ack(*tags: list[int], multiple: bool = True) -> dict[str, Any]:
    """Return an ack step."""
    return {"op": "ack", "tags": list(tags), "multiple": multiple}


SYNC: dict[str, Any] = {"op": "timeout"}
FLUSH: dict[str, Any] = {"op": "pre_hibernate"}
PAGE_OUT: dict[str, Any] = {"op": "set_target", "target": 0}
MIXED = [[SMALL, True], [LARGE, True], [0, True], [4092, True], [4093, True], [SMALL, False], [LARGE, False]]

DESIGNED: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "small-embedded": ({}, [publish(200, SMALL)]),
    "large-in-store": ({}, [publish(60, LARGE)]),
    "empty-and-frames": ({}, [publish(3, 0), publish(2, 131064), publish(2, 131065), publish(2, 300_000)]),
    "properties": ({"properties": PROPERTIES}, [publish(20, SMALL), publish(10, LARGE)]),
    "acked-holes": (
        {},
        [
            publish(300, 0, pattern=MIXED),
            FLUSH,
            fetch(200),
            ack([3, 3], [50, 90], [7, 7]),
            ack(*[[i, i] for i in range(100, 180, 2)], multiple=False),
        ],
    ),
    "several-segments": (
        {"segment_entry_count": 16},
        [
            publish(200, 0, pattern=MIXED),
            PAGE_OUT,
            fetch(60, False),
            publish(30, SMALL),
            fetch(20),
            ack([70, 75]),
        ],
    ),
    "several-store-files": ({"msg_store_file_size_limit": 50_000}, [publish(100, 5000), fetch(7, False)]),
    "one-combined": (
        {"msg_store_file_size_limit": 50_000},
        [publish(100, 5000), fetch(60), ack(*[[i, i] for i in range(60) if i % 4], multiple=False)],
    ),
    "lazy": (
        {"mode": "lazy", "segment_entry_count": 64},
        [publish(300, 0, pattern=MIXED), fetch(90), ack([0, 49])],
    ),
    "requeued": (
        {"segment_entry_count": 32},
        [
            publish(150, 0, pattern=MIXED),
            fetch(80),
            PAGE_OUT,
            {"op": "requeue", "tags": [[0, 39]], "multiple": True},
        ],
    ),
    "transients-vanish": (
        {"msg_store_io_batch_size": 1, "segment_entry_count": 64},
        [publish(100, LARGE, False), publish(100, SMALL, False), PAGE_OUT, publish(10, SMALL), PAGE_OUT],
    ),
    "restarted-twice": (
        {"segment_entry_count": 32},
        [
            publish(90, 0, pattern=MIXED),
            fetch(10, False),
            {"op": "restart"},
            publish(9, LARGE),
            FLUSH,
            {"op": "crash_restart"},
        ],
    ),
    "emptied": ({}, [publish(40, LARGE), fetch(40, False)]),
}


class Live:
    """Which messages a queue must still have, derived from its steps and their results alone."""

    def __init__(self) -> None:
        self.messages: dict[int, tuple[int, int, bool]] = {}
        self.ever: dict[int, tuple[int, int, bool]] = {}
        self._published = 0

    def note(self, step: dict[str, Any], result: dict[str, Any]) -> None:
        """Follow one step."""
        match step["op"]:
            case "publish":
                pattern = step.get("pattern") or [[step["size"], step["persistent"]]]
                for i, seq in enumerate(range(result["seq"][0], result["seq"][1] + 1)):
                    size, persistent = pattern[i % len(pattern)]
                    self.messages[seq] = (self._published, size, persistent)
                    self.ever[seq] = self.messages[seq]
                    self._published += 1
            case "fetch" if not step["ack"]:
                self._end(result["seq"])
            case "ack":
                self._end(step["tags"])
            case "purge":  # where nothing waits for an acknowledgement
                self.messages.clear()
            case "restart" | "crash_restart":
                self.messages = {seq: each for seq, each in self.messages.items() if each[2]}

    def _end(self, runs: list[list[int]]) -> None:
        for first, last in runs:
            for seq in range(first, last + 1):
                self.messages.pop(seq, None)

    def bodies(self) -> list[bytes]:
        """Return the body of each persistent message that nobody ended, oldest first."""
        return _bodies(self.messages)

    def all_bodies(self) -> list[bytes]:
        """Return the body of each persistent message that was ever published, oldest first."""
        return _bodies(self.ever)


def _bodies(messages: dict[int, tuple[int, int, bool]]) -> list[bytes]:
    return [
        generated_body(number, size)
        for _, (number, size, persistent) in sorted(messages.items())
        if persistent
    ]


def generated_body(number: int, size: int) -> bytes:
    """Return the body of a trace's message: its number, then the alphabet again and again."""
    return (number.to_bytes(8) + b"abcdefghijklmnopqrstuvwxyz" * (size // 26 + 1))[:size]


class Door(Protocol):
    """What takes the steps of a program."""

    def step(self, step: dict[str, Any]) -> dict[str, Any]:
        """Execute one step; return its result and the state after it."""

    def pending(self) -> list[list[int]]:
        """Return the runs of positions that a consumer holds."""


def run_designed(door: Door, steps: list[dict[str, Any]], live: Live) -> None:
    """Execute steps and keep account of what must be there afterwards."""
    for step in steps:
        live.note(step, door.step(step).get("result", {}))


def run_random(door: Door, program: ModuleProgram) -> bool:
    """Execute a random program, choosing its steps by what the engine shows; nothing expires before it is taken.

    Returns whether it came to its end: where a process crashes (V8, V9, W202) the program ends with it.
    """
    step: dict[str, Any] = {"op": "init"}
    for _ in range(program.steps):
        try:
            found = door.step(step)
        except ProcessCrash:
            return False
        if "after" not in found:
            return False
        program.seen(found["after"], door.pending())
        step = {name: value for name, value in program.next().items() if name != "expiry_ms"}
    return True
