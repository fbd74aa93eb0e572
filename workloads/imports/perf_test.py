"""A PerfTest command line: producers and consumers with rates, as the load generator of RabbitMQ takes them.

The line may be broken with backslashes, and lines that begin with # are comments. What the model cannot do is refused
by name; what has no influence on storage (addresses, output, metrics) is passed over.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from engine.broker.control.client_verbs import MAX_ACTORS
from workloads.errors import LineError, WorkloadError
from workloads.imports.common import Imported, Options, make_scenario

SECOND_US: Final = 1_000_000
DEFAULT_TIME_S: Final = 30
LEAST_BODY_BYTES: Final = 12
"""PerfTest puts a sequence number and a time into each body."""
FASTEST_CONSUMER: Final = 20_000
"""Messages a second for a consumer without a rate: about what one connection of the broker can take."""

ALIASES: Final = {
    "-x": "--producers",
    "-y": "--consumers",
    "-X": "--producer-channel-count",
    "-Y": "--consumer-channel-count",
    "-r": "--rate",
    "-R": "--consumer-rate",
    "-s": "--size",
    "-f": "--flag",
    "-a": "--autoack",
    "-A": "--multi-ack-every",
    "-c": "--confirm",
    "-q": "--qos",
    "-z": "--time",
    "-C": "--pmessages",
    "-L": "--consumer-latency",
    "-vr": "--variable-rate",
    "-vs": "--variable-size",
    "-qa": "--queue-args",
    "-u": "--queue",
    "-h": "--uri",
    "-H": "--uris",
    "-d": "--id",
    "-i": "--interval",
    "-e": "--exchange",
    "-t": "--type",
    "-k": "--routing-key",
    "-ad": "--auto-delete",
    "-p": "--predeclared",
    "-se": "--sasl-external",
    "-S": "--slow-start",
    "-st": "--shutdown-timeout",
    "-udsc": "--use-default-ssl-context",
    "-ms": "--use-millis",
    "-o": "--output-file",
    "-b": "--heartbeat",
    "-na": "--nack",
    "-re": "--requeue",
    "-qp": "--queue-pattern",
}
NUMBERS: Final = frozenset(
    "--producers --consumers --producer-channel-count --consumer-channel-count --rate --consumer-rate --size "
    "--multi-ack-every --confirm --qos --time --pmessages --consumer-latency".split()
)
REPEATED: Final = frozenset({"--flag", "--variable-rate", "--variable-size"})
SWITCHES: Final = frozenset({"--autoack"})
IGNORED: Final = frozenset(
    "--queue --uri --uris --id --interval --exchange --type --routing-key --output-file --heartbeat "
    "--shutdown-timeout --metrics-format --metrics-prometheus-port --connection-allocation --producer-thread-pool "
    "--consumers-thread-pools --heartbeat-sender-threads --nio-threads --framemax --servers-startup-timeout "
    "--confirm-timeout --consumer-start-delay --producer-random-start-delay --confirm-latency".split()
)
"""Options with a value that do not change what is stored."""
IGNORED_SWITCHES: Final = frozenset(
    "--auto-delete --predeclared --sasl-external --slow-start --use-default-ssl-context --use-millis "
    "--skip-binding-queues --metrics-prometheus --net-ptrs --verbose --quiet".split()
)
PROGRAM: Final = ("perf-test", "perftest", "runjava", "perf-test.jar", "com.rabbitmq.perf.PerfTest")


class _Word(NamedTuple):
    """A word of the command line and the line that it stands on."""

    text: str
    line: int


class _Asked(NamedTuple):
    """The options: single values, and those that may be given more than once."""

    values: dict[str, _Word]
    lists: dict[str, list[_Word]]

    def number(self, name: str, default: int) -> int:
        """Return a whole number that is not negative."""
        word = self.values.get(name)
        if word is None:
            return default
        try:
            number = int(word.text)
        except ValueError:
            raise LineError(word.line, "option_not_whole", name=name, text=repr(word.text[:40])) from None
        if number < -1:
            raise LineError(word.line, "option_negative", name=name, number=number)
        return number

    def line(self, name: str) -> int:
        """Return the line of an option, the first one where it is not given."""
        return self.values[name].line if name in self.values else 1


def read(lines: Iterable[str], options: Options) -> Imported:
    """Return the scenario of a PerfTest command line.

    Raises:
        WorkloadError: an option is unknown or cannot be carried over; its line is given.
    """
    asked = _options(_words(lines))
    notes: list[str] = []
    until_us = _duration_us(asked, notes)
    commands = [*_queue(asked), *_consumers(asked, options, notes), *_producers(asked, until_us)]
    if options.queue is not None:
        notes.append("--queue has no meaning here: a command line makes one queue")
    # A while longer, so that what is left can drain.
    end_us = until_us + max(SECOND_US, until_us // 10)
    stops = [
        {"at_us": until_us, "do": "remove", "name": each["name"]}
        for each in commands
        if each["do"] == "set_publisher" and each["at_us"] == 0
    ]
    return Imported(make_scenario("Imported PerfTest run", [*commands, *stops], end_us, options), notes)


def _words(lines: Iterable[str]) -> Iterator[_Word]:
    for number, line in enumerate(lines, start=1):
        text = line.strip().removesuffix("\\")
        try:
            for word in shlex.split(text, comments=True):
                yield _Word(word, number)
        except ValueError as error:
            raise LineError(number, "quotes_open", why=error) from None


def _options(words: Iterator[_Word]) -> _Asked:
    asked = _Asked({}, {name: [] for name in REPEATED})
    for word in words:
        if not word.text.startswith("-"):
            if word.text.rpartition("/")[2] not in PROGRAM and word.text not in {"java", "bin/runjava"}:
                raise LineError(word.line, "no_option", text=repr(word.text[:40]))
            continue
        given, equals, attached = word.text.partition("=")
        name = ALIASES.get(given, given)
        if name in SWITCHES:
            asked.values[name] = word
        elif name in IGNORED_SWITCHES:
            continue
        elif name in NUMBERS or name in REPEATED or name in IGNORED or name == "--queue-args":
            value = _Word(attached, word.line) if equals else next(words, None)
            if value is None:
                raise LineError(word.line, "option_without_value", name=given)
            if name in REPEATED:
                asked.lists[name].append(value)
            else:
                asked.values[name] = value
        elif given != "-jar":
            raise LineError(word.line, "option_unknown", name=given[:40])
    return asked


def _duration_us(asked: _Asked, notes: list[str]) -> int:
    if "--time" in asked.values:
        return max(1, asked.number("--time", DEFAULT_TIME_S)) * SECOND_US
    rate, messages = asked.number("--rate", -1), asked.number("--pmessages", 0)
    if messages > 0 and rate > 0:
        return max(1, messages * SECOND_US // rate)
    variable = [_pair(word, "--variable-rate") for word in asked.lists["--variable-rate"]]
    if variable:
        return sum(seconds for _rate, seconds in variable) * SECOND_US
    notes.append(f"no --time is given: the run lasts {DEFAULT_TIME_S} s")
    return DEFAULT_TIME_S * SECOND_US


def _queue(asked: _Asked) -> Iterator[dict[str, Any]]:
    word = asked.values.get("--queue-args")
    for pair in word.text.split(",") if word is not None else ():
        key, _equals, value = pair.partition("=")
        if key == "x-queue-mode" and value in {"lazy", "default"}:
            yield {"at_us": 0, "do": "set", "name": "queue_mode", "value": value}
        elif not (key == "x-queue-type" and value == "classic"):
            line = asked.line("--queue-args")
            raise LineError(line, "queue_argument_unknown", text=repr(pair[:60]))


def _consumers(asked: _Asked, options: Options, notes: list[str]) -> Iterator[dict[str, Any]]:
    count = asked.number("--consumers", 1) * asked.number("--consumer-channel-count", 1)
    _check_actors(asked, count, "--consumers")
    rate = options.consumer_rate_per_s or asked.number("--consumer-rate", -1)
    latency_us = asked.number("--consumer-latency", 0)
    if rate <= 0 and latency_us > 0:
        rate = max(1, SECOND_US // latency_us)
    if rate <= 0 and count:
        rate = FASTEST_CONSUMER
        notes.append(f"consumers have no rate: each takes up to {rate} messages a second")
    ack = "each"
    if "--autoack" in asked.values:
        ack = "auto"
    elif asked.number("--multi-ack-every", 1) > 1:
        ack = "multiple"
    for number in range(1, count + 1):
        yield {
            "at_us": 0,
            "do": "set_consumer",
            "name": f"c{number}",
            "rate_per_s": rate,
            "prefetch": max(0, asked.number("--qos", 0)),
            "ack": ack,
        }


def _producers(asked: _Asked, until_us: int) -> Iterator[dict[str, Any]]:
    count = asked.number("--producers", 1) * asked.number("--producer-channel-count", 1)
    _check_actors(asked, count, "--producers")
    flags = asked.lists["--flag"]
    for word in flags:
        if word.text not in {"persistent", "mandatory"}:
            raise LineError(word.line, "flag_unknown", text=repr(word.text[:40]))
    same = {
        "persistent": any(word.text == "persistent" for word in flags),
        "confirm": asked.number("--confirm", -1) > 0,
    }
    for at_us, rate, size_bytes in _phases(asked, until_us):
        for number in range(1, count + 1):
            yield {
                "at_us": at_us,
                "do": "set_publisher",
                "name": f"p{number}",
                "rate_per_s": max(1, rate),
                "size_bytes": size_bytes,
                **same,
                "running": rate > 0,
            }


def _phases(asked: _Asked, until_us: int) -> Iterator[tuple[int, int, int]]:
    """Yield when rate or size change, and to what; variable ones go round until the end."""
    size = max(LEAST_BODY_BYTES, asked.number("--size", LEAST_BODY_BYTES))
    rates = [_pair(word, "--variable-rate") for word in asked.lists["--variable-rate"]]
    sizes = [_pair(word, "--variable-size") for word in asked.lists["--variable-size"]]
    if not rates:
        rate = asked.number("--rate", -1)
        if rate < 0:
            raise WorkloadError("no_rate")
        rates = [(rate, until_us // SECOND_US + 1)]
    sizes = sizes or [(size, until_us // SECOND_US + 1)]
    changes = sorted({*_turns(rates, until_us), *_turns(sizes, until_us)})
    for at_us in changes:
        yield at_us, _at(rates, at_us), max(LEAST_BODY_BYTES, _at(sizes, at_us))


def _turns(pairs: list[tuple[int, int]], until_us: int) -> Iterator[int]:
    at_us = 0
    while at_us < until_us:
        for _value, seconds in pairs:
            if at_us < until_us:
                yield at_us
            at_us += seconds * SECOND_US


def _at(pairs: list[tuple[int, int]], at_us: int) -> int:
    """Return the value at a time, the list repeating itself."""
    rest = at_us // SECOND_US % sum(seconds for _value, seconds in pairs)
    for value, seconds in pairs:
        if rest < seconds:
            return value
        rest -= seconds
    return pairs[-1][0]


def _pair(word: _Word, name: str) -> tuple[int, int]:
    value, _colon, seconds = word.text.partition(":")
    try:
        pair = int(value), int(seconds)
    except ValueError:
        raise LineError(word.line, "no_value_and_seconds", name=name, text=repr(word.text[:40])) from None
    if pair[0] < 0 or pair[1] < 1:
        raise LineError(word.line, "value_or_seconds_too_small", name=name, text=repr(word.text[:40]))
    return pair


def _check_actors(asked: _Asked, count: int, name: str) -> None:
    most = MAX_ACTORS // 2
    if not 0 <= count <= most:
        raise LineError(asked.line(name), "too_many_clients", count=count, name=name, most=most)
