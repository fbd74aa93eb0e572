"""What a browser may send over the socket: parsed, bounded and typed before anything uses it."""

from __future__ import annotations

import msgspec
from django.utils.translation import gettext_lazy as _

from playground.hosting.refusals import message_of
from playground.hosting.session import page_messages
from playground.texts.page_message import RequestRefused

_decoder = msgspec.json.Decoder(page_messages.Message)


class BadMessage(RequestRefused):
    """A message that cannot be read; `number` is its command's id as far as one can be made out."""

    number: int | str | None = None


def decode(text: str, most_bytes: int) -> page_messages.Message:
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
        number = msgspec.convert(
            found.get("id") if isinstance(found, dict) else None, page_messages.CommandId
        )
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return number
