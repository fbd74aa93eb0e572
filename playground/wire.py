"""What a browser may send over the socket: parsed, bounded and typed before anything uses it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from django.utils.translation import gettext_lazy as _

from playground.hosting.refusals import message_of
from playground.hosting.session.pacer import MAX_SPEED, MIN_SPEED
from playground.messages import Refused

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


ClientMessage = Show | Hello | CommandMessage | Control | Step | Ack | Ask | Undo | Predict
_decoder = msgspec.json.Decoder(ClientMessage)


class BadMessage(Refused):
    """A message that cannot be read; `number` is its command's id as far as one can be made out."""

    number: int | str | None = None


def decode(text: str, most_bytes: int) -> ClientMessage:
    """Return a message, or raise `BadMessage` saying what is wrong with it."""
    size_bytes = len(text.encode("utf-8", "replace"))
    if size_bytes > most_bytes:
        raise BadMessage(
            _("The message has %(size)s bytes; at most %(most)s are taken. Send less."),
            size=size_bytes,
            most=most_bytes,
        )
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise BadMessage(_("The message is nested too deeply. Send it flat.")) from None
    except (msgspec.DecodeError, ValueError) as error:
        why = message_of(error) if isinstance(error, msgspec.ValidationError) else _("it is not JSON")
        bad = BadMessage(_("The message cannot be read: %(why)s"), why=why)
        bad.number = _id_of(text)
        raise bad from None


def _id_of(text: str) -> int | str | None:
    """Return the id of a message that is otherwise wrong, so that its sender can find which one it was."""
    try:
        found = msgspec.json.decode(text)
        number = msgspec.convert(found.get("id") if isinstance(found, dict) else None, CommandId)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return number
