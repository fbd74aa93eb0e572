"""The messages of a session, with the bounds of every field: those of a page, and those between the server and a
worker. A session's messages are answered in order.
"""

from __future__ import annotations

import errno
from typing import Annotated, Any, Final, Literal, get_args

import msgspec

from engine.reading.conditions import Condition
from playground.hosting.pacer import MAX_SPEED, MIN_SPEED
from playground.hosting.session_record import Timed
from playground.limits.session_bounds import SessionBounds

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
CommandId = Annotated[int, msgspec.Meta(ge=0, le=2**53)] | Annotated[str, msgspec.Meta(max_length=64)]
Speed = Annotated[float, msgspec.Meta(ge=MIN_SPEED, le=MAX_SPEED)]


class PageHello(msgspec.Struct, tag_field="t", tag="hello", frozen=True):
    """The first message, and the first after every break."""

    have: Number | None = None
    life: Annotated[str, msgspec.Meta(max_length=32)] | None = None


class CommandMessage(msgspec.Struct, tag_field="t", tag="command", frozen=True):
    """Something for the engine to do; answered with accepted or refused under the same id."""

    id: CommandId
    command: dict[str, Any]


class ControlRun(msgspec.Struct, tag_field="t", tag="control", frozen=True):
    """Play, pause or change speed; with `until_us` the run pauses at that time."""

    play: bool | None = None
    speed: Speed | None = None
    until_us: Number | None = None


class StepRun(msgspec.Struct, tag_field="t", tag="step", frozen=True):
    """One transition."""


class UndoCommand(msgspec.Struct, tag_field="t", tag="undo", frozen=True):
    """Take the last command back; answered with accepted or refused under the same id."""

    id: CommandId


class PredictStory(msgspec.Struct, tag_field="t", tag="predict", frozen=True):
    """An answer to the run's question: the number of an option, or none; answered with accepted or refused under the
    same id.
    """

    id: CommandId
    option: Annotated[int, msgspec.Meta(ge=0, le=63)] | None = None


class FrameAck(msgspec.Struct, tag_field="t", tag="ack", frozen=True):
    """Everything before row `through` has been applied."""

    through: Number


class AskConsole(msgspec.Struct, tag_field="t", tag="ask", frozen=True):
    """A line of the console; answered with answer under the same id."""

    id: CommandId
    line: Annotated[str, msgspec.Meta(max_length=255)]


class ShowFile(msgspec.Struct, tag_field="t", tag="show", frozen=True):
    """Whether the page can be seen: one in the background needs no frames."""

    seen: bool


Message = (
    ShowFile
    | PageHello
    | CommandMessage
    | ControlRun
    | StepRun
    | FrameAck
    | AskConsole
    | UndoCommand
    | PredictStory
)
"""All messages, by their tag `t`."""
Watching = ShowFile | PageHello | ControlRun | StepRun | FrameAck
"""Messages that watchers may send, because they do not change the run."""
Answered = AskConsole | StepRun
"""Messages that the session answers under a number, in addition to commands and the server's own."""
Pacing = ControlRun | StepRun
"""Messages that start at the moment that the sender sees, so that the run must first reach it."""


def tags(union: Any) -> frozenset[str]:
    return frozenset(str(each.__struct_config__.tag) for each in get_args(union))


Kind = Literal["bound", "outside", "engine"]
"""The session's own bound of disk was reached; files or memory failed; the engine is at fault."""

CODES: Final[dict[int, str]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "no_room"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read_only"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "too_many_open"),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.EEXIST), "files_gone"),
    errno.ENOMEM: "no_memory",
}


class WorkFailure(msgspec.Struct, frozen=True):
    """A failure. `values`: the sentence's values."""

    kind: Kind
    code: str
    values: dict[str, str] = {}


def of(error: BaseException, door: Any) -> WorkFailure:
    """Return the failure that an error of a run means. `door`: a `playground.hosting.real_engine.EngineDoor`, which
    sorts errors into kinds.
    """
    if isinstance(error, MemoryError):
        return WorkFailure("outside", "no_memory")
    if isinstance(error, door.full):
        if not isinstance(error.__cause__, OSError):
            return WorkFailure("bound", "full_disk")
        error = error.__cause__
    if isinstance(error, OSError):
        code = CODES.get(error.errno or 0)
        return WorkFailure("outside", code or "files_failed", {} if code else {"why": str(error)})
    if isinstance(error, door.outside):
        return WorkFailure("outside", "files_gone")
    return WorkFailure("engine", "broke")


class _Message(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """One message, by the name of its class."""


class BeginWorker(_Message, frozen=True):
    """The first one: where files are kept, and what a session may take."""

    root: str
    bounds: SessionBounds
    key: bytes = b""
    """Signs checkpoints; empty for none."""
    checkpoints: str = ""
    """Where they are."""
    build: str = ""
    """Fingerprint of the engine."""
    checkpoint_bytes: int = 0
    memory_bytes: int = 1 << 30
    """What the sessions of a worker may take together, beyond what it begins with."""


class _Request(_Message, frozen=True):
    session: str
    call: int
    """Number under which it is answered."""


class OpenRun(_Request, frozen=True):
    """Build a session's run from its record up to `until_us`, replacing the current one."""

    scenario: dict[str, Any]
    commands: list[Timed]
    until_us: int
    play: bool
    holds_us: int | None = None
    """Where time waits for `ReleaseHold`."""


class Suspend(_Request, frozen=True):
    """Save a checkpoint, report the run's time, and forget the run."""


class SubmitCommand(_Request, frozen=True):
    """Give the engine a command."""

    command: dict[str, Any]


class Locate(_Request, frozen=True):
    """Ask for the run's moment, between two instants, and for the conditions that hold there."""

    goals: list[Condition] = []


class CountByState(_Request, frozen=True):
    """Ask for the numbers of alphas, betas, gammas, deltas and all messages."""


class PageSaid(_Message, frozen=True):
    """A page's message, unchanged; answered under `call` if that is given."""

    session: str
    message: Message
    reader: int = 0
    """Whose page it is."""
    call: int | None = None


class DropSession(_Message, frozen=True):
    """Forget a session and its files."""

    session: str


class PageLeft(_Message, frozen=True):
    """A reader is gone."""

    session: str
    reader: int


class ReleaseHold(_Message, frozen=True):
    """Let a waiting run go on, because its answer is there."""

    session: str


class FrameSpacing(_Message, frozen=True):
    """Space out frames by this factor, because the server cannot carry all of them."""

    factor: float


class WorkerPing(_Message, frozen=True):
    """Ask whether the worker still responds."""


ToWorker = (
    BeginWorker
    | OpenRun
    | Suspend
    | SubmitCommand
    | Locate
    | CountByState
    | PageSaid
    | DropSession
    | PageLeft
    | ReleaseHold
    | FrameSpacing
    | WorkerPing
)


class CallAnswer(_Message, frozen=True):
    """A request was done."""

    call: int
    value: dict[str, Any]


class CommandRefused(_Message, frozen=True):
    """A request was refused, with everything as it was: a code, the engine's or the worker's own, or only a text."""

    call: int
    text: str = ""
    code: str = ""
    values: dict[str, Any] = {}
    by_engine: bool = False


class RunFailed(_Message, frozen=True):
    """The run failed and is gone; it was correct up to `good_us`. Answers `call`, if a call caused it."""

    session: str
    life: str
    call: int | None
    failure: WorkFailure
    good_us: int
    play: bool


class PageText(_Message, frozen=True):
    """A message for readers, as it goes over the wire."""

    session: str
    readers: list[int]
    text: bytes


class PageWelcome(_Message, frozen=True):
    """A reader is about to get its first frame or snapshot."""

    session: str
    reader: int
    life: str
    lasts_us: int | None


class SetPace(_Message, frozen=True):
    """Time passes now, or not."""

    session: str
    play: bool


class TimeReached(_Message, frozen=True):
    """The time up to which everything of the run is done."""

    session: str
    life: str
    good_us: int


class SelfCommand(_Message, frozen=True):
    """The session gave itself a command, because it is full: it must be on record like any other."""

    session: str
    life: str
    number: int
    """How many commands the run had been given before."""
    at_us: int
    command: dict[str, Any]


class RunNotice(_Message, frozen=True):
    """Something to say to everybody: a code and its numbers."""

    session: str
    level: str
    code: str
    values: dict[str, int] = {}


class RunEnded(_Message, frozen=True):
    """The run reached the scenario's end, with this digest."""

    session: str
    life: str
    digest: str


Excess = Literal["time", "memory"]
"""What a session took more of than a worker has."""


class RunStuck(_Message, frozen=True):
    """The worker ends itself, because this session's work took too long, or too much memory."""

    session: str
    excess: Excess


class WorkerPong(_Message, frozen=True):
    """The worker still responds."""


FromWorker = (
    CallAnswer
    | CommandRefused
    | RunFailed
    | PageText
    | PageWelcome
    | SetPace
    | TimeReached
    | SelfCommand
    | RunNotice
    | RunEnded
    | RunStuck
    | WorkerPong
)
