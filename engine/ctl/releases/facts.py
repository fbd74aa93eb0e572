"""Facts about the command line of one release: names, numbers and short refusals, as a real node gave them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from engine.amqp.exchanges import Exchange
from engine.ctl.usage import CTL, DIAGNOSTICS, USAGES, Usage


class CtlRefusal(NamedTuple):
    """A refusal's text, which is printed after the program's heading, and its exit code."""

    code: int
    text: str

    def of(self, **names: str) -> CtlRefusal:
        """Return the refusal with the values for its text."""
        return CtlRefusal(self.code, self.text.format(**names))


class ReleaseFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of one release.

    Args:
        version: of the broker and of its command line.
        erlang: of the runtime that its package has.
        commands: the names that each program takes.
        columns: what each listing can show, in the order in which `report` prints them.
        default: what a listing shows where it names no column.
        usages: commands whose usage differs from `USAGES`.
        flags: the feature flags of a new node, each with its state and stability.
        deprecated: the deprecated features, each with its phase and state.
        units: of `status` and `memory_breakdown`, as a refusal names them.
        idle: the parts of an idle node's memory, bytes, in the order of `rabbit_vm:memory()`.
        connection: the bytes that a connection with a channel has in each part.
        refusals: by command and reason.
        deleted: what `delete_queue` prints about the messages that it dropped.
        remarks: what a check prints in place of its heading; such a check finds nothing.
        status: returns what `backing_queue_status` prints of a backing queue of a snapshot with its rates.
        not_in_status: what the release prints there that no snapshot has.
        queue_type: the type of queues that a virtual host has by default.
        atom: how a node's name is written in `cluster_state`.
        space: what stands behind a comma there.
        exchanges: those of the first virtual host that no other release has.
        json_pid: how JSON shows a process.
        mnesia: whether `rabbit_mnesia` answers.
        pages: whether queues page messages out under memory pressure.
        single_quotes: whether a definition may have its texts in single quotes.
        formatters: default formatter of each listing.
        typed: a queue's arguments are printed with its type, and in the order of their names.
        led: columns that every queue fills here: its leader and members.
        no_definition: what is shown as the definition of no policy.
        busy: the activity of a consumer that holds all that its prefetch allows.
    """

    version: str
    erlang: str
    commands: Mapping[str, frozenset[str]]
    columns: Mapping[str, tuple[str, ...]]
    default: Mapping[str, tuple[str, ...]]
    usages: Mapping[str, Usage] = {}
    flags: Mapping[str, tuple[str, str]]
    deprecated: Mapping[str, tuple[str, str]] = {}
    units: str = "bytes, mb, gb"
    idle: Mapping[str, int]
    connection: Mapping[str, int]
    refusals: Mapping[str, CtlRefusal]
    deleted: str = "ready messages"
    remarks: Mapping[str, str] = {}
    status: Callable[[Mapping[str, Any], tuple[float, float, float, float]], dict[str, Any]]
    not_in_status: str = ""
    queue_type: str = "undefined"
    atom: str = "'{}'"
    space: str = ""
    exchanges: tuple[Exchange, ...] = ()
    json_pid: str = "{}"
    mnesia: bool = True
    pages: bool = True
    single_quotes: bool = True
    formatters: Mapping[str, str] = {}
    typed: bool = False
    led: bool = False
    no_definition: str = "[]"
    busy: str = "up"

    def no_json(self, text: str) -> CtlRefusal:
        found = self.refusals["set_policy no_json"].of(text=text)
        if len(found.text.rpartition("\n")[2]) <= WIDTH:
            return found
        head = "Could not parse JSON document: "
        inner = found.text.partition("{error,")[2]
        deep = " " * (len(head) + 4)
        words = inner.partition(",")
        return CtlRefusal(found.code, f"Error:\n{head}{{error,\n{deep}{words[0]},\n{deep}    {words[2]}")

    def usage(self, name: str) -> Usage:
        return self.usages.get(name) or USAGES[name]


WIDTH: Final = 80
"""The width at which the broker breaks a printed term."""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def programs(ctl: str, diagnostics: str) -> dict[str, frozenset[str]]:
    return {CTL: frozenset(words(ctl)), DIAGNOSTICS: frozenset(words(diagnostics))}
