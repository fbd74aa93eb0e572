"""The options of PerfTest 2.x: names, how many values each takes, and what the import does with it.

The table follows PerfTest's own (`getOptions` of PerfTest.java and the options of its metrics); words are read as its
parser does (DefaultParser of Apache Commons CLI): values may be attached (`-x4`, `--rate=5`), long names shortened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from workloads.errors import LineError
from workloads.imports.perf_test.shell import CommandLine, Word

MANY: Final = -1
"""Values up to the next option; the option may also be given again."""
PERHAPS: Final = -2
"""One value, or none."""


class Use(Enum):
    """What happens to an option."""

    TAKEN = auto()
    """The run has it, or a remark says what takes its place."""
    NO_EFFECT = auto()
    """It changes nothing of what is stored."""
    REFUSED = auto()
    """The run would be another one without it."""


class Option(NamedTuple):
    """One option.

    Args:
        short, long: its names, without hyphens; `short` may be empty.
        values: 0, 1, MANY or PERHAPS.
        use: what becomes of it.
    """

    short: str
    long: str
    values: int
    use: Use


def _table(use: Use, values: int, names: str) -> Iterator[Option]:
    """Yield options of one kind from `short/long` pairs."""
    for each in names.split():
        short, _, long = each.rpartition("/")
        yield Option(short, long, values, use)


OPTIONS: Final = (
    *_table(
        Use.TAKEN,
        1,
        "t/type u/queue r/rate R/consumer-rate x/producers y/consumers X/producer-channel-count "
        "Y/consumer-channel-count m/ptxsize c/confirm A/multi-ack-every q/qos Q/global-qos s/size z/time C/pmessages "
        "D/cmessages T/body-content-type ad/auto-delete L/consumer-latency qp/queue-pattern qpf/queue-pattern-from "
        "qpt/queue-pattern-to mp/message-properties P/publishing-interval prsd/producer-random-start-delay "
        "re/requeue ca/consumer-args ew/exit-when csd/consumer-start-delay mlb/max-length-bytes H/uris "
        "k/routing-key",
    ),
    *_table(Use.TAKEN, PERHAPS, "e/exchange"),
    *_table(Use.TAKEN, MANY, "f/flag qa/queue-args vr/variable-rate vs/variable-size vl/variable-latency"),
    *_table(
        Use.TAKEN,
        0,
        "K/random-routing-key sb/skip-binding-queues S/slow-start a/autoack p/predeclared jb/json-body na/nack "
        "E/exclusive",
    ),
    *_table(
        Use.NO_EFFECT,
        1,
        "d/id h/uri cal/connection-allocation "
        "i/interval ct/confirm-timeout M/framemax b/heartbeat o/output-file hst/heartbeat-sender-threads "
        "rkcs/routing-key-cache-size pst/producer-scheduler-threads niot/nio-threads niotp/nio-thread-pool "
        "ctp/consumers-thread-pools st/shutdown-timeout sst/servers-startup-timeout sul/servers-up-limit "
        "bfc/body-field-count bc/body-count cri/connection-recovery-interval sni/server-name-indication "
        "em/exposed-metrics mf/metrics-format ei/expected-instances isn/instance-sync-namespace "
        "ist/instance-sync-timeout o2uri/oauth2-token-endpoint o2id/oauth2-client-id o2sec/oauth2-client-secret "
        "o2gr/oauth2-grant-type tsbs/tcp-send-buffer-size trbs/tcp-receive-buffer-size tnd/tcp-no-delay "
        "ntyt/netty-threads mt/metrics-tags mpx/metrics-prefix mdk/metrics-datadog-api-key "
        "mds/metrics-datadog-step-size mdak/metrics-datadog-application-key mdh/metrics-datadog-host-tag "
        "mdu/metrics-datadog-uri mpe/metrics-prometheus-endpoint mpp/metrics-prometheus-port",
    ),
    *_table(Use.NO_EFFECT, MANY, "o2p/oauth2-parameters"),
    *_table(
        Use.NO_EFFECT,
        0,
        "ms/use-millis udsc/use-default-ssl-context se/sasl-external dcr/disable-connection-recovery verbose "
        "verbose-full nty/netty ntyep/netty-epoll ntykq/netty-kqueue mc/metrics-client mcl/metrics-class-loader "
        "mjm/metrics-jvm-memory mjgc/metrics-jvm-gc mjp/metrics-processor mjt/metrics-jvm-thread "
        "mda/metrics-datadog mdd/metrics-datadog-descriptions mjx/metrics-jmx mpr/metrics-prometheus "
        "mcla/metrics-command-line-arguments",
    ),
    *_table(
        Use.REFUSED,
        1,
        "n/ctxsize B/body pi/polling-interval qf/queue-file smssb/stream-max-segment-size-bytes ll/leader-locator "
        "ma/max-age sco/stream-consumer-offset",
    ),
    *_table(
        Use.REFUSED,
        0,
        "?/help v/version mh/metrics-help env/environment-variables po/polling "
        "qq/quorum-queue sq/stream-queue",
    ),
)
BY_SHORT: Final = {option.short: option for option in OPTIONS if option.short}
BY_LONG: Final = {option.long: option for option in OPTIONS}


class Given(NamedTuple):
    """What a command gives.

    Args:
        values: the words after each option by its long name; the first word of a switch is the switch itself.
        stray: words that are neither an option nor a value.
        second_line: line of a second PerfTest command, 0 for none.
        around: what else the text has a shell do.
    """

    values: Mapping[str, Sequence[Word]]
    stray: Sequence[Word]
    second_line: int
    around: Sequence[str] = ()

    def has(self, name: str) -> bool:
        """Return whether an option is given."""
        return name in self.values

    def word(self, name: str) -> Word | None:
        """Return the value of an option, the first one where it is given again, as PerfTest does; None without it."""
        return next(iter(self.values.get(name, ())), None)

    def again(self) -> Iterator[tuple[str, Word]]:
        """Yield each option that takes one value and is given again, with a value that PerfTest passes over."""
        for name, words in self.values.items():
            if BY_LONG[name].values == 1:
                for word in words[1:]:
                    yield f"--{name}", word

    def without_effect(self) -> list[str]:
        """Return the options that change nothing of what is stored."""
        found = [f"--{name}" for name in self.values if BY_LONG[name].use is Use.NO_EFFECT]
        return [*found, "--requeue"] if "requeue" in self.values and "nack" not in self.values else found


def given(command: CommandLine) -> Given:
    """Return what a command gives, by its options and by the variables that PerfTest reads as such.

    Raises:
        LineError: an option is unknown or cannot be carried over, or its value is missing.
    """
    values: dict[str, list[Word]] = {}
    stray: list[Word] = []
    waiting = list(reversed(command.words))
    while waiting:
        word = waiting.pop()
        if word.text == "--":
            stray += reversed(waiting)
            break
        if not _is_option(word.text):
            stray.append(word)
            continue
        for option, attached in _options_of(word):
            if option.use is Use.REFUSED:
                raise LineError(word.line, "option_not_here", name=f"--{option.long}")
            own = [] if attached is None else [word._replace(text=attached)]
            most = {MANY: len(waiting), PERHAPS: 1}.get(option.values, option.values)
            while len(own) < most and waiting and not _is_option(waiting[-1].text):
                own.append(waiting.pop())
            if option.values in {1, MANY} and not own:
                raise LineError(word.line, "option_without_value", name=word.text[:40])
            values.setdefault(option.long, []).extend(own or [word])
    unread: list[str] = []
    values = _variables(command.environment, unread) | values
    return Given(values, stray, command.second_line, (*command.around, *unread))


def _variables(environment: Mapping[str, Word], unread: list[str]) -> dict[str, list[Word]]:
    """Return the options that are given as environment variables; a switch is on where its variable says true.

    Args:
        unread: gets the names of variables that PerfTest does not read as options.

    Raises:
        LineError: one cannot be carried over.
    """
    found: dict[str, list[Word]] = {}
    for name, word in environment.items():
        option = BY_LONG.get(name.lower().replace("_", "-")) if name.isupper() else None
        if option is None:
            unread.append(f"{name[:60]}=")
            continue
        if not word.text or (option.values == 0 and word.text.lower() != "true"):
            continue
        if option.use is Use.REFUSED:
            raise LineError(word.line, "option_not_here", name=name[:40])
        found[option.long] = [word]
    return found


def _is_option(text: str) -> bool:
    """Return whether a word is read as an option; a negative number is a value."""
    return len(text) > 1 and text[0] == "-" and not text[1:].replace(".", "", 1).isdecimal()


def _options_of(word: Word) -> Iterator[tuple[Option, str | None]]:
    """Yield the options of a word, each with a value that is attached to it or None.

    Raises:
        LineError: there is no such option.
    """
    name, equals, value = word.text.lstrip("-").partition("=")
    attached = value if equals else None
    if not word.text.startswith("--") and name in BY_SHORT:
        yield _checked(word, BY_SHORT[name], attached), attached
        return
    option = _by_long_name(name)
    if option is not None:
        yield _checked(word, option, attached), attached
    elif word.text.startswith("--"):
        raise LineError(word.line, "option_unknown", name=word.text[:40])
    else:
        yield from _joined(word)


def _checked(word: Word, option: Option, attached: str | None) -> Option:
    if attached is not None and option.values == 0:
        raise LineError(word.line, "option_takes_no_value", name=f"--{option.long}")
    return option


def _by_long_name(name: str) -> Option | None:
    """Return the option of this long name, or of the only one that begins so."""
    if name in BY_LONG:
        return BY_LONG[name]
    begins = [option for option in OPTIONS if name and option.long.startswith(name)]
    return begins[0] if len(begins) == 1 else None


def _joined(word: Word) -> Iterator[tuple[Option, str | None]]:
    """Yield the options whose letters are joined in one word; the rest behind one with a value is its value."""
    text = word.text[1:]
    for place, letter in enumerate(text):
        option = BY_SHORT.get(letter)
        if option is None:
            raise LineError(word.line, "option_unknown", name=word.text[:40])
        rest = text[place + 1 :]
        if option.values != 0 and rest:
            yield option, rest
            return
        yield option, None
