"""The virtual host of a command: in JSON a field beside the names, in the node a part of them (S1).

A connection is in one virtual host, so names of publishers, consumers and channels are in it as well.
"""

from __future__ import annotations

from copy import copy
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec.structs import force_setattr

from engine.broker.commands.base import MAX_SHORT_BYTES, Command
from engine.values.errors import CommandError
from engine.values.labels import BREAK, FIRST_HOST, bare, host_of, in_host

VhostName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_SHORT_BYTES)]
FIELD: Final = "vhost"
"""How JSON calls the virtual host; it is left out for the first one."""
NAMES: Final = ("name", "queue", "exchange", "source", "destination", "channel")
NO_NAMES: Final = {"set": ("name",)}
"""Fields of a verb that are called like names and are none."""

C = TypeVar("C", bound=Command)


class AddVhost(Command, frozen=True, tag="add_vhost"):
    """rabbitmqctl add_vhost: a virtual host with stores of its own; nothing happens where there is one (S1)."""

    vhost: VhostName


class DeleteVhost(Command, frozen=True, tag="delete_vhost"):
    """rabbitmqctl delete_vhost: with all that is in it, connections included (S1)."""

    vhost: VhostName


@lru_cache
def _fields(kind: type[Command]) -> tuple[str, ...]:
    no_names = NO_NAMES.get(str(kind.__struct_config__.tag), ())
    return tuple(name for name in NAMES if name in kind.__struct_fields__ and name not in no_names)


def placed(command: C, vhost: str) -> C:
    """Return a command whose names, given without one, are in a virtual host."""
    found = copy(command)
    for name in _fields(type(command)):
        if getattr(command, name) is not None:
            force_setattr(found, name, in_host(vhost, getattr(command, name)))
    return found


def unplaced(command: C) -> C:
    """Return a command with its names as they are within their virtual host."""
    if vhost_of(command) == FIRST_HOST:
        return command
    found = copy(command)
    for name in _fields(type(command)):
        if getattr(command, name) is not None:
            force_setattr(found, name, bare(getattr(command, name)))
    return found


def vhost_of(command: Command) -> str:
    """Return the virtual host in which a command's names are."""
    for name in _fields(type(command)):
        value = getattr(command, name)
        if value is not None and BREAK in value:
            return host_of(value)
    return FIRST_HOST


def in_a_host(kind: type[Command]) -> bool:
    """Return whether commands of a kind are about a virtual host, and may name it without a field of their own."""
    return FIELD not in kind.__struct_fields__ and bool(_fields(kind))


def taken_out(command: dict[str, Any], kind: type[Command]) -> tuple[dict[str, Any], str]:
    """Return a command's JSON object without its virtual host, and that.

    Raises:
        CommandError: it is not a name, or the command is in no virtual host.
    """
    if FIELD in kind.__struct_fields__:
        return command, FIRST_HOST
    rest = {name: value for name, value in command.items() if name != FIELD}
    vhost, place = command[FIELD], f"{command['do']}: {FIELD}"
    if not _fields(kind):
        raise CommandError("unknown", place=place)
    if not isinstance(vhost, str) or not vhost or BREAK in vhost or len(vhost) > MAX_SHORT_BYTES:
        raise CommandError("no_vhost_name", place=place, most=MAX_SHORT_BYTES)
    return rest, vhost
