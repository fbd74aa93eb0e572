"""What a page says to its session: each message declared once, with the bounds of every field."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import msgspec

from playground.hosting.session.pacer import MAX_SPEED, MIN_SPEED

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
CommandId = Annotated[int, msgspec.Meta(ge=0, le=2**53)] | Annotated[str, msgspec.Meta(max_length=64)]
Speed = Annotated[float, msgspec.Meta(ge=MIN_SPEED, le=MAX_SPEED)]


class Hello(msgspec.Struct, tag_field="t", tag="hello", frozen=True):
    """The first message, and the first after every break."""

    have: Number | None = None
    life: Annotated[str, msgspec.Meta(max_length=32)] | None = None


class CommandMessage(msgspec.Struct, tag_field="t", tag="command", frozen=True):
    """Something for the engine to do; answered with accepted or refused under the same id."""

    id: CommandId
    command: dict[str, Any]


class Control(msgspec.Struct, tag_field="t", tag="control", frozen=True):
    """How time passes; with `until_us` it stands still at that time."""

    play: bool | None = None
    speed: Speed | None = None
    until_us: Number | None = None


class Step(msgspec.Struct, tag_field="t", tag="step", frozen=True):
    """One transition."""


class Undo(msgspec.Struct, tag_field="t", tag="undo", frozen=True):
    """Take the last command back; answered with accepted or refused under the same id."""

    id: CommandId


class Predict(msgspec.Struct, tag_field="t", tag="predict", frozen=True):
    """What the run waits for: the number of an option, or none; answered with accepted or refused under the same id."""

    id: CommandId
    option: Annotated[int, msgspec.Meta(ge=0, le=63)] | None = None


class Ack(msgspec.Struct, tag_field="t", tag="ack", frozen=True):
    """Everything before row `through` has been applied."""

    through: Number


class Ask(msgspec.Struct, tag_field="t", tag="ask", frozen=True):
    """A line of the console; answered with answer under the same id."""

    id: CommandId
    line: Annotated[str, msgspec.Meta(max_length=255)]


class Show(msgspec.Struct, tag_field="t", tag="show", frozen=True):
    """Whether the page can be seen: one in the background needs no frames."""

    seen: bool


Message = Show | Hello | CommandMessage | Control | Step | Ack | Ask | Undo | Predict
"""All of them, by their tag `t`."""
Watching = Show | Hello | Control | Step | Ack
"""What may be said where a run is only watched: nothing of it changes the run."""
Answered = Ask | Step
"""What the session answers under a number; commands and what the server does itself are answered besides."""
Pacing = Control | Step
"""What begins at the moment that its sender sees, so the run comes up to it first."""


def tags(union: Any) -> frozenset[str]:
    """Return the tags of a union of messages."""
    return frozenset(str(each.__struct_config__.tag) for each in get_args(union))
