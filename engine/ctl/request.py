"""From a line to a request: words, options and arguments, refused in rabbitmqctl's own words."""

from __future__ import annotations

import difflib
import re
import shlex
from typing import Final

import msgspec

from engine.ctl.errors import CtlRefused
from engine.ctl.usage import ELSEWHERE, NODE_NAME, USAGES, Usage, overview, usage_of

MAX_LINE: Final = 255
PROGRAM: Final = "rabbitmqctl"
FORMATTERS: Final = ("table", "json")

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
_WHOLE: Final = re.compile(r"-?[0-9]{1,9}")
_FLAGS: Final = ("quiet", "silent", "longnames", "help")
_EVERYWHERE: Final = ("node", "timeout")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A line that can be done.

    Args:
        words: what stands after `rabbitmqctl`, as typed; rabbitmqctl repeats it in its complaints.
        options: long names and values; a flag's value is "true".
    """

    name: str
    arguments: tuple[str, ...]
    options: dict[str, str]
    words: str

    @property
    def usage(self) -> Usage:
        """What the command takes."""
        return USAGES[self.name]

    @property
    def quiet(self) -> bool:
        """Whether only the answer is printed."""
        return not self.options.keys().isdisjoint({"quiet", "silent"})

    def refusal(self, what: str, code: int = 64) -> CtlRefused:
        """Return a complaint about this line, with the usage."""
        return CtlRefused(f"Error{what}\nArguments given:\n\t{self.words}\n\n{usage_of(self.name)}\n", code)

    def invalid(self, what: str, code: int = 64) -> CtlRefused:
        """Return a complaint about an argument or option."""
        return self.refusal(f" (argument validation): {what}", code)


def parse(line: str) -> Request:
    """Return the request that a line makes; the word rabbitmqctl before it may be left out.

    Raises CtlRefused with what rabbitmqctl would print.
    """
    if len(line) > MAX_LINE:
        raise CtlRefused(f"Error: a line has at most {MAX_LINE} characters\n")
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise CtlRefused(f"Error: {str(error).lower()}: close what you opened\n") from error
    if words[:1] in ([PROGRAM], ["sudo"]):
        words = words[2:] if words[:2] == ["sudo", PROGRAM] else words[1:]
    arguments, options, unknown = _sorted_out(words)
    given = " ".join(words)
    if not arguments:
        raise CtlRefused(overview())
    name, *rest = arguments
    if name not in USAGES:
        raise _unknown(name)
    if "help" in options:
        return Request(name="help", arguments=(name,), options={}, words=given)
    request = Request(name=name, arguments=tuple(rest), options=options, words=given)
    _check(request, unknown)
    return request


def _sorted_out(words: list[str]) -> tuple[list[str], dict[str, str], list[tuple[str, str]]]:
    """Part the words into arguments, known options, and options that no command or only others have."""
    arguments: list[str] = []
    options: dict[str, str] = {}
    unknown: list[tuple[str, str]] = []
    flags = {flag for usage in USAGES.values() for flag in usage.flags} | set(_FLAGS)
    valued = {option for usage in USAGES.values() for option in usage.options} | set(_EVERYWHERE)
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        if not word.startswith("-") or word == "-" or word[1:2].isdigit():
            arguments.append(word)
            continue
        shown, equals, value = word.partition("=")
        name = _SHORT.get(shown, shown.removeprefix("--") if shown.startswith("--") else "")
        if name in flags and not equals:
            options[name] = "true"
        elif name in valued and (equals or waiting):
            options[name] = value if equals else waiting.pop()
        else:
            unknown.append((shown, value))
    return arguments, options, unknown


def _unknown(name: str) -> CtlRefused:
    if name in ELSEWHERE:
        return CtlRefused(
            f"\nCommand '{name}' exists in RabbitMQ, but is not part of Waterline.\n"
            "Use 'rabbitmqctl help' to see what is.\n"
        )
    close = difflib.get_close_matches(name, USAGES, n=1, cutoff=0.8)
    if close:
        return CtlRefused(f"\nCommand '{name}' not found. \nDid you mean '{close[0]}'? \n\n")
    return CtlRefused(f"\nCommand '{name}' not found. \n{overview()}")


def _check(request: Request, unknown: list[tuple[str, str]]) -> None:
    usage, options = request.usage, request.options
    known = {*usage.options, *usage.flags, *_FLAGS, *_EVERYWHERE}
    wrong = [*unknown, *((f"--{name}", value) for name, value in options.items() if name not in known)]
    for name in ("priority", "timeout"):
        if name in options and not _WHOLE.fullmatch(options[name]):
            wrong.append((f"--{name}", options[name]))
    if options.get("formatter", "table") not in FORMATTERS:
        wrong.append(("--formatter", f"{options['formatter']} (here: {' or '.join(FORMATTERS)})"))
    if wrong:
        listed = "\n".join(f"{name} : {value}" for name, value in wrong)
        raise request.invalid(f"Invalid options for this command:\n{listed}")
    if options.get("node", NODE_NAME) != NODE_NAME:
        raise CtlRefused(
            f"Error: unable to perform an operation on node '{options['node']}'. There is one node here: "
            f"{NODE_NAME}\n",
            69,
        )
    if len(request.arguments) < usage.least:
        raise request.invalid("not enough arguments.")
    if usage.most is not None and len(request.arguments) > usage.most:
        raise request.invalid("too many arguments.")
    missing = [name for name in _columns(request) if usage.columns and name not in usage.columns]
    if missing:
        raise request.invalid(f"Info key(s) {', '.join(missing)} are not supported")


def _columns(request: Request) -> tuple[str, ...]:
    named = (each for word in request.arguments for each in word.split(","))
    return tuple(each for each in named if each)


def columns_of(request: Request) -> tuple[str, ...]:
    """Return the columns that a listing shows."""
    return _columns(request) or request.usage.default
