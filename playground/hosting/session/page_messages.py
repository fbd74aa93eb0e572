"""The messages from a page to its session, with the bounds of every field."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import msgspec

from playground.hosting.session.pacer import MAX_SPEED, MIN_SPEED

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
