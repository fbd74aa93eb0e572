"""One session with one reader and no server: what a browser's worker runs. Messages are those of the socket, as JSON.

It needs neither Django nor asyncio.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from engine import ENGINE_VERSION
from engine.broker.cluster import Cluster
from engine.broker.commands import scenario as scenarios
from engine.ctl import console
from engine.storage.ledger import LedgerStorage
from engine.values.errors import FileCorrupt, FileMissing
from engine.values.sizes import plain
from playground.hosting import protocol
from playground.hosting.file_records import NotThere, RecordReader, wanted
from playground.hosting.real_engine import EngineDoor
from playground.hosting.run import RunStorage
from playground.hosting.session import EngineSession
from playground.hosting.session_files import SessionFiles
from playground.hosting.session_record import RecordedSession, judge
from playground.limits.session_bounds import SessionBounds

SESSION: Final = "solo"
READER: Final = 1
WAKING: Final = "waking"
TURN_S: Final = 0.04
BOUNDS: Final = SessionBounds(
    max_disk_bytes=1 << 33, max_messages=2_000_000, max_transitions=2_000_000, max_virtual_s=24 * 3600
)


class SoloStorage(LedgerStorage):
    """A ledger that can be closed, as a directory can."""

    def close(self) -> None:
        """Nothing is open."""

    def met(self, node: Cluster) -> None:
        """Take note of the node whose files these are."""


class LedgerDoor(EngineDoor):
    """The engine on a ledger: the same transitions and sizes; bytes are made when somebody asks for them. `storage`:
    makes an empty one.
    """

    def __init__(self, storage: Callable[[int], SoloStorage] = SoloStorage) -> None:
        self._storage = storage
        self.files = storage(0)
        """Those of the node that was opened last."""

    def open(self, scenario: dict[str, Any], root: str, max_bytes: int) -> tuple[Cluster, Any]:
        self.files = self._storage(max_bytes)
        node = console.operated(scenarios.parse(scenario), self.files)
        self.files.met(node)
        return node, self.files


WATCHING: Final = protocol.tags(protocol.Watching)
ANSWERED: Final = protocol.tags(protocol.Answered)


class _NoFiles(SessionFiles):
    """Where the files of the session would be."""

    def fresh(self, session_id: str) -> Path:
        return self.of(session_id)

    def forget(self, session_id: str) -> None:
        """Nothing is kept."""


class SoloSession:
    """See the module.

    Args:
        record: the run, what was given in it before, and how far it had come.
        send: takes a message for the page, as JSON.
        keep: takes the whole command log whenever it has changed, and how far the run is.
        clock: real seconds.
        storage: makes the files, empty.
        words_of: puts a refusal, or what there is to be noted, into words.
        watched: whether nothing can be done in it: its time goes on to the scenario's end, and waits there.
    """

    def __init__(
        self,
        record: RecordedSession,
        send: Callable[[str], None],
        keep: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        storage: Callable[[int], SoloStorage] = SoloStorage,
        words_of: Callable[[protocol.CommandRefused], str] = lambda refusal: refusal.text or refusal.code,
        watched: bool = False,
    ) -> None:
        self._scenario, self._made_with = record.scenario, record.recorded_by
        self._commands = record.commands
        self._reached_us = record.reached_us
        self._deliver, self._keep = send, keep
        self._clock, self._words_of, self._watched = clock, words_of, watched
        self._asked: dict[int, tuple[str, Any, dict[str, Any]]] = {}
        self._calls = 0
        self._early: list[dict[str, str]] | None = []
        """Notices from before the page listens: they are sent with its welcome. None as soon as it listens."""
        self._door = LedgerDoor(storage)
        self._session = EngineSession(
            SESSION,
            door=self._door,
            storage=RunStorage(_NoFiles(Path())),
            bounds=BOUNDS,
            send=self._sent,
            clock=clock,
        )
        self._open(record.reached_us)

    # --- from the page ---

    def receive(self, text: str) -> None:
        """Take a message of the page; what makes no sense is refused or passed over."""
        message = json.loads(text)
        session, number = self._session, message.get("id")
        if self._watched and message.get("t") not in WATCHING:
            return
        match message.get("t"):
            case "command":
                command = message["command"]
                session.receive(
                    protocol.SubmitCommand(SESSION, self._call("command", number, command), command)
                )
            case "undo":
                self._undo(number)
            case "record":
                self._write(t="record", id=number, record=self._record(message["question"]))
            case "predict":
                pass  # no run here waits for a prediction
            case kind:
                with suppress(msgspec.ValidationError):
                    what = msgspec.convert(message, protocol.Message)
                    call = self._call(kind, number) if kind in ANSWERED else None
                    session.receive(protocol.PageSaid(SESSION, what, READER, call))

    def wait_s(self) -> float:
        """Return after how many seconds it wants its next turn; infinity where it waits for a message."""
        return max(0.0, self._session.due_s() - self._clock())

    def turn(self) -> None:
        self._session.turn(TURN_S)

    # --- from the session ---

    def _open(self, until_us: int) -> None:
        call = self._call("open", None)
        holds_us = self._scenario["until_us"] if self._watched else None
        self._session.receive(
            protocol.OpenRun(SESSION, call, self._scenario, list(self._commands), until_us, False, holds_us)
        )

    def _call(self, kind: str, number: Any, command: dict[str, Any] | None = None) -> int:
        self._calls += 1
        self._asked[self._calls] = kind, number, command or {}
        return self._calls

    def _record(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return one record as the files have it now, or why there is none (see `NotThere`)."""
        try:
            with RecordReader(self._door.files, self._scenario) as reader:
                queue = str(question.get("queue", ""))
                if "seq" in question:
                    return reader.message(int(question["seq"]), queue)
                kind, file = wanted(str(question["file"])) or ("", 0)
                return reader.record(kind, file, int(question["offset"]), queue, whose="whose" in question)
        except NotThere as missing:
            return {"reason": missing.reason, **missing.numbers}
        except (FileMissing, FileCorrupt, KeyError, ValueError):
            return {"reason": "no_file"}

    def _undo(self, number: Any) -> None:
        if not self._commands:
            self._write(t="refused", id=number, message="Nothing was done yet that could be taken back.")
            return
        self._commands.pop()
        self._note()
        self._open(self._reached_us)
        self._write(t="accepted", id=number)

    def _sent(self, message: Any) -> None:
        match message:
            case protocol.PageText():
                self._deliver(bytes(message.text).decode())
            case protocol.PageWelcome():
                self._write(
                    t="welcome", owner=not self._watched, life=message.life, lasts_us=message.lasts_us
                )
                early, self._early = self._early or [], None
                for each in early:
                    self._notify(**each)
            case protocol.CallAnswer():
                self._answered(message)
            case protocol.CommandRefused():
                _kind, number, _command = self._asked.pop(message.call, ("", None, {}))
                self._write(t="refused", id=number, message=self._words_of(message))
            case protocol.SelfCommand():
                self._commands.append((message.at_us, message.command))
                self._note()
            case protocol.TimeReached():
                self._reached_us = max(self._reached_us, message.good_us)
                self._note()
            case protocol.RunNotice() if message.code != WAKING:  # the page shows by itself that it begins
                notice = protocol.CommandRefused(0, code=message.code, values=dict(message.values))
                self._notify(message.level, self._words_of(notice))
            case protocol.RunEnded():
                self._judge(message.digest)
            case protocol.RunFailed():
                self._notify("error", message.failure.code)

    def _answered(self, answer: protocol.CallAnswer) -> None:
        kind, number, command = self._asked.pop(answer.call, ("", None, {}))
        if kind == "command":
            self._commands.append((answer.value["at_us"], command))
            self._reached_us = max(self._reached_us, answer.value["at_us"])
            self._note()
            self._write(t="accepted", id=number)
        elif kind == "open" and not self._commands and answer.value["at_us"] == self._scenario["until_us"]:
            self._judge(answer.value["digest"])  # a link to the end of a run
        elif kind == "ask":
            self._write(t="answer", id=number, text=answer.value["text"], error=False)

    def _judge(self, digest: str) -> None:
        """Say at the scenario's end whether this was the recorded run; of another scenario there is nothing to say."""
        if not self._scenario.get("digest"):
            return
        level, code, values = judge(self._scenario["digest"], digest, self._made_with, ENGINE_VERSION)
        self._notify(level, self._words_of(protocol.CommandRefused(0, code=code, values=values)))

    def _notify(self, level: str, message: str) -> None:
        """Give the page a notice, now or when it listens."""
        if self._early is None:
            self._write(t="notice", level=level, message=message)
        else:
            self._early.append({"level": level, "message": message})

    def _note(self) -> None:
        self._keep(json.dumps({"commands": self._commands, "until_us": self._reached_us}))

    def _write(self, **message: Any) -> None:
        self._deliver(msgspec.json.encode(message, enc_hook=plain).decode())
