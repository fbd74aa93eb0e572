"""The commands of the console: the arguments, options and purpose of each."""

from __future__ import annotations

from typing import Final

import msgspec

NODE_NAME: Final = "rabbit@waterline"
CTL: Final = "rabbitmqctl"
DIAGNOSTICS: Final = "rabbitmq-diagnostics"
PROGRAMS: Final = (CTL, DIAGNOSTICS)


def node_name(node: str) -> str:
    return f"rabbit@{node}"


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """One command.

    Args:
        about: what it does, one sentence.
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

    def without(self, text: str) -> Usage:
        """Return the usage without a part of what its line shows."""
        return msgspec.structs.replace(self, takes=self.takes.replace(text, ""))

    def with_option(self, option: str, before: str) -> Usage:
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
) -> Usage:
    return Usage(about=about, takes=takes, hidden=hidden, most=None)


def _report(
    about: str, takes: str = "", hidden: str = "timeout= formatter=", needs_app: bool = True
) -> Usage:
    return Usage(about=about, takes=takes, hidden=hidden, needs_app=needs_app)


def _change(
    about: str, takes: str, least: int = 1, most: int = 1, hidden: str = "", needs_app: bool = True
) -> Usage:
    return Usage(
        about=about, takes=takes, hidden=hidden, least=least, most=most, changes=True, needs_app=needs_app
    )


_COLUMNS: Final = "no-table-headers! [<column> ...] timeout="

USAGES: Final[dict[str, Usage]] = {
    "help": Usage(about="Shows how a command is written.", takes="[<command>]", most=1, needs_app=False),
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
    "list_policies": Usage(
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
    "environment": Usage(about="Shows the settings that the node has."),
    "eval": Usage(about="Evaluates one of a few Erlang expressions.", takes="<expression>", least=1, most=1),
    "memory_breakdown": _report("Divides the node's memory into its parts.", "unit= timeout="),
    "report": Usage(about="Prints status, settings and every listing at once."),
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
