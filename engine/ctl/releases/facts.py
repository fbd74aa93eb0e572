"""The command line of a release: its commands with options, names, numbers and refusals, as a real node gave them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from engine.amqp.exchanges import Exchange
from engine.values.errors import EngineError

NODE_NAME: Final = "rabbit@waterline"
CTL: Final = "rabbitmqctl"
DIAGNOSTICS: Final = "rabbitmq-diagnostics"
PROGRAMS: Final = (CTL, DIAGNOSTICS)


def node_name(node: str) -> str:
    return f"rabbit@{node}"


class CommandUsage(msgspec.Struct, frozen=True, kw_only=True):
    """One command.

    Args:
        takes: the parts of the usage line, in order: `name=` is an option with a value, `name!` one without, anything
            else an argument.
        hidden: further options.
        least, most: how many arguments it takes, None for any number.
        changes: whether it changes anything.
        needs_app: whether the broker's application must run.
    """

    about: str
    takes: str = ""
    hidden: str = ""
    least: int = 0
    most: int | None = 0
    changes: bool = False
    needs_app: bool = True

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(word[:-1] for word in f"{self.takes} {self.hidden}".split() if word.endswith("="))

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(word[:-1] for word in f"{self.takes} {self.hidden}".split() if word.endswith("!"))

    def without(self, text: str) -> CommandUsage:
        """Return the usage without a part of what its line shows."""
        return msgspec.structs.replace(self, takes=self.takes.replace(text, ""))

    def with_option(self, option: str, before: str) -> CommandUsage:
        return msgspec.structs.replace(self, takes=self.takes.replace(before, f"{option} {before}"))

    def line(self, name: str, program: str) -> str:
        """Return the usage line of the command."""
        shown = [
            program,
            "[--node <node>]",
            "[--longnames]",
            "[--quiet]",
            name,
            *map(_shown, self.takes.split()),
        ]
        return " ".join(shown)


def _shown(word: str) -> str:
    name = word[:-1]
    if word.endswith("="):
        return f"[--{name} <{name}>]"
    return f"[--{name}]" if word.endswith("!") else word


def _listing(
    about: str, takes: str, hidden: str = "formatter= online! offline! local! no-table-headers!"
) -> CommandUsage:
    return CommandUsage(about=about, takes=takes, hidden=hidden, most=None)


def _report(
    about: str, takes: str = "", hidden: str = "timeout= formatter=", needs_app: bool = True
) -> CommandUsage:
    return CommandUsage(about=about, takes=takes, hidden=hidden, needs_app=needs_app)


def _change(
    about: str, takes: str, least: int = 1, most: int = 1, hidden: str = "", needs_app: bool = True
) -> CommandUsage:
    return CommandUsage(
        about=about, takes=takes, hidden=hidden, least=least, most=most, changes=True, needs_app=needs_app
    )


_COLUMNS: Final = "no-table-headers! [<column> ...] timeout="

USAGES: Final[dict[str, CommandUsage]] = {
    "help": CommandUsage(
        about="Shows how a command is written.", takes="[<command>]", most=1, needs_app=False
    ),
    # --- listings ---
    "list_bindings": _listing("Lists the bindings of a virtual host.", f"vhost= {_COLUMNS}"),
    "list_channels": _listing(
        "Lists the open channels.", "no-table-headers! [<column> ...]", "formatter= timeout= vhost="
    ),
    "list_connections": _listing("Lists the clients' connections.", _COLUMNS, "formatter= vhost="),
    "list_consumers": _listing("Lists the consumers of a virtual host.", f"vhost= {_COLUMNS}"),
    "list_deprecated_features": _listing("Lists what a later release takes away.", "used! [<column> ...]"),
    "list_exchanges": _listing("Lists the exchanges of a virtual host.", f"vhost= {_COLUMNS}"),
    "list_feature_flags": _listing("Lists the feature flags of the release.", "[<column> ...] timeout="),
    "list_policies": CommandUsage(
        about="Lists the policies of a virtual host.",
        takes="vhost= no-table-headers! timeout=",
        hidden="formatter=",
    ),
    "list_queues": _listing(
        "Lists the queues of a virtual host, with the columns that you name.",
        "vhost= online! offline! local! no-table-headers! [<column>, ...] timeout=",
        "formatter=",
    ),
    "list_vhosts": _listing("Lists the virtual hosts.", _COLUMNS),
    # --- reports ---
    "alarms": _report("Says which alarms have gone off, in the whole cluster.", "timeout="),
    "check_alarms": _report("Fails if an alarm has gone off anywhere in the cluster.", "timeout="),
    "check_local_alarms": _report("Fails if an alarm has gone off on this node.", "timeout="),
    "cluster_status": _report(
        "Says which nodes there are and which of them run.", "timeout=", "formatter=", False
    ),
    "environment": CommandUsage(about="Shows the settings that the node has."),
    "eval": CommandUsage(
        about="Evaluates one of a few Erlang expressions.", takes="<expression>", least=1, most=1
    ),
    "memory_breakdown": _report("Divides the node's memory into its parts.", "unit= timeout="),
    "report": CommandUsage(about="Prints status, settings and every listing at once."),
    "server_version": _report("Says which release the node runs.", "timeout="),
    "status": _report("Shows memory, disk, alarms and totals of the node.", "unit= timeout="),
    "version": _report("Says which release the command line is of.", needs_app=False),
    # --- changes ---
    "add_vhost": _change(
        "Adds a virtual host.",
        '<vhost> [--description <description> --tags "<tag1>,<tag2>,<...>" '
        "--default-queue-type <quorum|classic|stream>]",
        hidden="description= tags= default-queue-type=",
    ),
    "cancel_sync_queue": _change("Stops the synchronisation of a queue's mirrors.", "vhost= queue"),
    "clear_policy": _change("Takes a policy away.", "vhost= <name>"),
    "delete_queue": _change(
        "Deletes a queue with its messages.",
        "<queue_name> [--if-empty|-e] [--if-unused|-u] timeout=",
        hidden="vhost= if-empty! if-unused!",
    ),
    "delete_vhost": _change("Deletes a virtual host with everything in it.", "<vhost>"),
    "purge_queue": _change("Drops every ready message of a queue.", "<queue> timeout=", hidden="vhost="),
    "set_disk_free_limit": _change(
        "Sets how much of the disk must stay free.", "<disk_limit> | mem_relative <fraction>", most=2
    ),
    "set_policy": _change(
        "Sets a policy for the queues or exchanges whose names fit a pattern.",
        "vhost= priority= apply-to= <name> <pattern> <definition>",
        3,
        3,
    ),
    "set_vm_memory_high_watermark": _change(
        "Sets from how much memory on publishers are blocked.", "<fraction> | absolute <value>", most=2
    ),
    "start_app": _change("Starts the broker on the node.", "", 0, 0, needs_app=False),
    "stop_app": _change("Stops the broker; the node's virtual machine stays.", "", 0, 0, needs_app=False),
    "sync_queue": _change("Synchronises a queue's mirrors.", "vhost= queue"),
}
"""Usages by name; a release may lack some, or have other options (`engine.ctl.releases`)."""


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
    usages: Mapping[str, CommandUsage] = {}
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

    def usage(self, name: str) -> CommandUsage:
        return self.usages.get(name) or USAGES[name]


WIDTH: Final = 80
"""The width at which the broker breaks a printed term."""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def programs(ctl: str, diagnostics: str) -> dict[str, frozenset[str]]:
    return {CTL: frozenset(words(ctl)), DIAGNOSTICS: frozenset(words(diagnostics))}


USAGE: Final = 64
BAD_VALUE: Final = 65
UNREACHABLE: Final = 69
SOFTWARE: Final = 70


class CtlRefused(EngineError):
    """A refused line; the message is what the console prints.

    Args:
        code: the exit code (64 usage, 65 a bad value, 69 the node refused).
    """

    def __init__(self, text: str, code: int = USAGE) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class NotHere(CtlRefused):
    """A line that the broker would answer and Waterline does not.

    Args:
        what: a sentence that says what is missing.
    """

    def __init__(self, what: str, code: int = USAGE) -> None:
        super().__init__(f"Waterline: {what}\n", code)
