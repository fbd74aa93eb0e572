"""From a line to a request: words, options and arguments, refused in rabbitmqctl's words, with the nearest command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from typing import Final

import msgspec

from engine.ctl.releases import (
    BAD_VALUE,
    CTL,
    KNOWN_COLUMNS,
    NODE_NAME,
    PROGRAMS,
    UNREACHABLE,
    USAGES,
    CommandUsage,
    CtlRefusal,
    CtlRefused,
    NotHere,
    ReleaseFacts,
)

NEAR: Final = 0.75
"""Similarity from which a command is suggested."""


def closest(name: str, known: Collection[str]) -> str | None:
    """Return the known name that is most similar to a name, None if none is similar enough."""
    likeness, found = max((jaro(each, name), each) for each in sorted(known))
    return found if likeness >= NEAR else None


def jaro(one: str, other: str) -> float:
    """Return the similarity of two words, from 0 to 1: common letters near the same place, with less for letters out of
    order. Elixir counts a letter as out of order if its match is before the match of the previous letter.
    """
    short, long = (one, other) if len(one) < len(other) else (other, one)
    reach = len(long) // 2 - 1
    free = list(long)
    common = swapped = 0
    former = -1
    for at, letter in enumerate(short):
        window = range(max(0, at - reach), min(len(long), at + reach + 1))
        place = next((each for each in window if free[each] == letter), None)
        if place is not None:
            free[place] = ""
            common += 1
            swapped += place < former
            former = place
    if not common:
        return float(one == other)
    return (common / len(one) + common / len(other) + (common - swapped) / common) / 3


MAX_LINE: Final = 255
FORMATTERS: Final = ("table", "json", "csv", "pretty_table", "erlang")
PLAIN: Final = ("json", "csv")
"""Formatters that print no heading."""
LAUNCHERS: Final = frozenset(
    "sudo docker docker-compose podman kubectl oc su runuser ssh watch time env nsenter lxc crictl nerdctl".split()
)
"""Words in front of the program that run it as another user, repeatedly, elsewhere, or in a container."""
OTHER_TOOLS: Final = frozenset(
    "rabbitmqadmin rabbitmq-queues rabbitmq-plugins rabbitmq-streams rabbitmq-upgrade rabbitmq-server".split()
)
SHELL: Final = re.compile(r"\||\|\||&&?|;|[0-9]?>>?.*|<.*")
"""A word that a shell interprets if it is not quoted."""
SHELLS: Final = frozenset({"sh", "bash", "ash"})
VHOST: Final = "/"

_SHORT: Final = {
    "-p": "vhost",
    "-q": "quiet",
    "-s": "silent",
    "-n": "node",
    "-t": "timeout",
    "-l": "longnames",
    "-?": "help",
    "-e": "if-empty",
    "-u": "if-unused",
}
SHOWN_BESIDES: Final = {"list_queues": ["backing_queue_status"]}
"""Columns that a listing shows only here; brokers give these facts in other ways (Q10)."""
_WHOLE: Final = re.compile(r"-?[0-9]{1,9}")
_FLAGS: Final = ("quiet", "silent", "longnames", "help")
_EVERYWHERE: Final = ("node", "timeout")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A valid line. `facts`: of the line's release. `words`: the words after `rabbitmqctl`, as typed;
    rabbitmqctl repeats them in its complaints. `options`: long names and values; a flag's value is "true".
    """

    facts: ReleaseFacts

    name: str
    arguments: tuple[str, ...]
    options: dict[str, str]
    words: str
    program: str = CTL

    @property
    def usage(self) -> CommandUsage:
        return self.facts.usage(self.name)

    @property
    def quiet(self) -> bool:
        return not self.options.keys().isdisjoint({"quiet", "silent"})

    @property
    def formatter(self) -> str:
        return self.options.get("formatter") or self.facts.formatters.get(self.name, "table")

    @property
    def vhost(self) -> str:
        return self.options.get("vhost", VHOST)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a listing shows, each once."""
        default = self.facts.default.get(self.name, ())
        if self.name not in self.facts.columns:
            return default
        named = tuple(dict.fromkeys(each for word in self.arguments for each in word.split(",") if each))
        if self.name == "list_consumers":  # in the release's order, whatever the line's is
            known = self.facts.columns[self.name]
            named = (
                *(each for each in known if each in named),
                *(each for each in named if each not in known),
            )
        return named or default

    def invalid(self, what: str, code: int = 64) -> CtlRefused:
        return self.complaint(f" (argument validation): {what}", code)

    def complaint(self, what: str, code: int = 64) -> CtlRefused:
        usage = self.usage.line(self.name, self.program)
        return CtlRefused(f"Error{what}\nArguments given:\n\t{self.words}\n\nUsage\n\n{usage}\n", code)

    def failed(self, heading: str, reason: str, code: int = UNREACHABLE) -> CtlRefused:
        """Return the node's refusal, after the program's heading."""
        return self.refused(heading, CtlRefusal(code, f"Error:\n{reason}"))

    def refused(self, heading: str, refusal: CtlRefusal) -> CtlRefused:
        before = "" if self.quiet else f"{heading}\n"
        return CtlRefused(f"{before}{refusal.text}\n", refusal.code)

    def no_vhost(self, heading: str, name: str | None = None) -> CtlRefused:
        return self.refused(
            heading, CtlRefusal(BAD_VALUE, f"Virtual host '{name or self.vhost}' does not exist")
        )


def parse(line: str, facts: ReleaseFacts) -> Request:
    """Return the request of a line; the word rabbitmqctl at its start is optional. Raises CtlRefused with
    what is printed instead of an answer.
    """
    if len(line) > MAX_LINE:
        raise CtlRefused(f"Error: a line has at most {MAX_LINE} characters\n")
    words = _words(line)
    _check_shell(line)
    program, words = _behind_program(words)
    arguments, options, unknown = _sorted_out(words)
    name, *rest = arguments or ["help"]
    known = facts.commands[program]
    if name not in known:
        close = closest(name, known)
        meant = f"Did you mean '{close}'? \n\n" if close else ""
        raise CtlRefused(f"\nCommand '{name}' not found. \n{meant}")
    if "help" in options:
        name, rest, options = "help", [name], {}
    if name not in USAGES:
        raise NotHere(f"RabbitMQ {facts.version} has the command '{name}'; Waterline has no such part")
    request = Request(
        name=name, arguments=tuple(rest), options=options, words=" ".join(words), program=program, facts=facts
    )
    _check(request, unknown)
    return request


def _behind_program(words: list[str]) -> tuple[str, list[str]]:
    """Return the program that a line calls, and the words after it; launchers in front are ignored."""
    names = [word.rpartition("/")[2].removesuffix(".bat") for word in words]
    if names and names[0] in OTHER_TOOLS:
        raise NotHere(
            f"{names[0]} is another tool, and is not played here; this console takes lines of {CTL}"
        )
    for at, name in enumerate(names[:-2]):
        if name in SHELLS and words[at + 1] in ("-c", "-lc") and (at == 0 or names[0] in LAUNCHERS):
            return _behind_program(_words(words[at + 2]))
    first = next((at for at, name in enumerate(names) if name in PROGRAMS), None)
    if first is not None and (first == 0 or names[0] in LAUNCHERS):
        return names[first], words[first + 1 :]
    return CTL, words


def _words(line: str) -> list[str]:
    """Return the words of a line as a shell splits them; refuse a quote that is not closed."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise CtlRefused(f"Error: {str(error).lower()}: close what you opened\n") from error


def _check_shell(line: str) -> None:
    """Refuse shell syntax: pipes, redirections, several commands in a line."""
    try:
        words = shlex.split(line, posix=False)
    except ValueError:  # with quotes in words it reads other words, or none
        return
    for word in words:
        if SHELL.fullmatch(word):
            raise NotHere(f"this console is no shell: leave out '{word}' and what follows")


def _sorted_out(words: list[str]) -> tuple[list[str], dict[str, str], list[tuple[str, str]]]:
    """Split the words into arguments, known options, and options that this command does not have."""
    arguments: list[str] = []
    options: dict[str, str] = {}
    unknown: list[tuple[str, str]] = []
    flags = {flag for usage in USAGES.values() for flag in usage.flags} | set(_FLAGS)
    valued = {option for usage in USAGES.values() for option in usage.options} | set(_EVERYWHERE)
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        if word == "--":
            arguments += reversed(waiting)
            break
        if _is_value(word):
            arguments.append(word)
            continue
        shown, equals, value = word.partition("=")
        name = _SHORT.get(shown, shown.removeprefix("--") if shown.startswith("--") else "")
        if name in flags and not equals:
            options[name] = "true"
        elif name in valued and (equals or (waiting and _is_value(waiting[-1]))):
            options[name] = value if equals else waiting.pop()
        else:
            unknown.append((shown, value))
    return arguments, options, unknown


def _is_value(word: str) -> bool:
    """Return whether a word is an argument or a value: options begin with a dash."""
    return not word.startswith("-") or word == "-" or word[1:2].isdigit()


def _check(request: Request, unknown: list[tuple[str, str]]) -> None:
    usage, options = request.usage, request.options
    known = {*usage.options, *usage.flags, *_FLAGS, *_EVERYWHERE}
    wrong = [*unknown, *((f"--{name}", value) for name, value in options.items() if name not in known)]
    for name in ("priority", "timeout"):
        if name in options and not _WHOLE.fullmatch(options[name]):
            wrong.append((f"--{name}", options[name]))
    if request.formatter not in FORMATTERS:
        raise NotHere(f"rabbitmqctl has no formatter '{request.formatter}', and ends with a stack trace", 1)
    if request.formatter == "csv" and "no-table-headers" in options:
        wrong.append(("--no-table-headers", ""))
    if wrong:
        listed = "\n".join(f"{name} : {value}" for name, value in wrong)
        raise request.invalid(f"Invalid options for this command:\n{listed}")
    if options.get("node", NODE_NAME) != NODE_NAME:
        raise NotHere(f"there is no node '{options['node']}' here: this one is {NODE_NAME}", UNREACHABLE)
    if len(request.arguments) < usage.least:
        raise request.invalid("not enough arguments.")
    if usage.most is not None and len(request.arguments) > usage.most:
        raise request.invalid("too many arguments.")
    columns = request.facts.columns.get(request.name)
    missing = [name for name in request.columns if columns is not None and name not in columns]
    if missing and missing != SHOWN_BESIDES.get(request.name):
        listed = ",".join(sorted(missing, key=lambda name: (name not in KNOWN_COLUMNS, name)))
        raise request.invalid(f"Info key(s) {listed} are not supported")
