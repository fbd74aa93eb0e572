"""What PerfTest declares: its queues, the exchange in front of them, and who uses which.

Three ways, as in PerfTest's MulticastParams: a list of queues that all share one routing key, a sequence of queues that
its clients take in turn, and, where no queue is named, a queue of its own for each consumer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from engine.amqp.arguments import check_arguments
from engine.amqp.rules import AmqpRules
from engine.broker.commands.base import DEFAULT_QUEUE
from engine.broker.commands.scenario import MAX_QUEUES
from engine.values.errors import EngineError
from workloads.errors import LineError
from workloads.imports.perf_test.options import Given
from workloads.imports.perf_test.shell import Word
from workloads.imports.perf_test.values import SECOND_US, table, truth, whole
from workloads.remarks import Remark

EXCHANGE: Final = "perf"
KEY: Final = "all"
ARGUMENTS: Final = AmqpRules().validation.arguments
"""Those of the release that an import is played on."""
TYPES: Final = ("direct", "fanout", "topic", "headers")
UNITS: Final = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


class Layout(NamedTuple):
    """Where messages go and who reads them.

    Args:
        queues: their names.
        in_turn: whether clients take the queues in turn; else every message goes to all, and every consumer reads all.
        own: whether each consumer has a queue of its own.
        topology: as a scenario has it.
    """

    queues: Sequence[str]
    in_turn: bool
    own: bool
    topology: dict[str, Any]

    def routes(self, producers: int) -> list[tuple[str, str, int]]:
        """Return exchange, routing key and number of the producers that use them."""
        if len(self.queues) > 1 and not self.in_turn:
            return [(EXCHANGE, KEY, producers)]
        shares = _in_turn(producers, len(self.queues))
        return [("", queue, share) for queue, share in zip(self.queues, shares, strict=True) if share]

    def readers(self, consumers: int) -> list[tuple[str, int]]:
        """Return each queue with the number of its consumers."""
        one_each = self.in_turn or self.own
        shares = _in_turn(consumers, len(self.queues)) if one_each else [consumers] * len(self.queues)
        return [(queue, share) for queue, share in zip(self.queues, shares, strict=True) if share]


def _in_turn(clients: int, queues: int) -> list[int]:
    """Return how many clients each queue gets where they take the queues in turn."""
    return [clients // queues + (place < clients % queues) for place in range(queues)]


def layout(given: Given, consumers: int, remarks: list[Remark]) -> Layout:
    """Return what PerfTest declares for a command.

    Raises:
        LineError: there are too many queues, or the broker refuses an argument.
    """
    names, in_turn = _names(given, consumers, remarks)
    if len(names) > MAX_QUEUES:
        named = next((each for each in ("queue", "consumers") if given.has(each)), "consumer-channel-count")
        word = given.word(named)
        line = word.line if word is not None else 1
        raise LineError(line, "perf_test_queues", name=f"--{named}", count=len(names), most=MAX_QUEUES)
    own = not in_turn and (given.has("exclusive") or not given.has("queue")) and consumers > 0
    queues = [DEFAULT_QUEUE, *(f"{DEFAULT_QUEUE}-{number}" for number in range(2, len(names) + 1))]
    _check_exchange(given, len(queues), in_turn, remarks)
    durable = any(word.text == "persistent" for word in given.values.get("flag", ()))
    declared = {
        "durable": durable,
        "auto_delete": truth(given, "auto-delete", True),
        "arguments": _arguments(given, dict(zip(names, queues, strict=True)), remarks),
    }
    if given.has("auto-delete") and declared["auto_delete"] and consumers:
        remarks.append(Remark.of("auto_delete"))
    if given.has("predeclared"):
        remarks.append(Remark.of("predeclared"))
    topology: dict[str, Any] = {"queues": [{"name": queue, **declared} for queue in queues]}
    if len(queues) > 1 and not in_turn:
        remarks.append(Remark.of("queue_each" if own else "fan_out", count=len(queues)))
        topology["exchanges"] = [{"name": EXCHANGE}]
        topology["bindings"] = [
            {"exchange": EXCHANGE, "queue": queue, "routing_key": KEY} for queue in queues
        ]
    return Layout(queues, in_turn, own, topology)


def _names(given: Given, consumers: int, remarks: list[Remark]) -> tuple[list[str], bool]:
    """Return the names of the queues as they are given, and whether clients take them in turn."""
    pattern = given.word("queue-pattern")
    if pattern is not None or given.has("queue-pattern-from") or given.has("queue-pattern-to"):
        first, last = whole(given, "queue-pattern-from", -1), whole(given, "queue-pattern-to", -1)
        if pattern is None or not 0 <= first <= last:
            line = (pattern or next(iter(given.values.values()))[0]).line
            raise LineError(line, "queue_pattern_bounds")
        if last - first >= MAX_QUEUES:
            count, last_word = last - first + 1, given.word("queue-pattern-to") or pattern
            name = "--queue-pattern-to"
            raise LineError(last_word.line, "perf_test_queues", name=name, count=count, most=MAX_QUEUES)
        fixed = given.has("routing-key")
        return [f"{pattern.text}\0{number}" for number in range(first, last + 1)], not fixed
    word = given.word("queue")
    if given.has("exclusive"):
        remarks.append(Remark.of("exclusive_queues"))
    elif word is not None:
        return list(dict.fromkeys(word.text.split(","))), False
    if not consumers:
        remarks.append(Remark.of("no_queue"))
    return [f"\0{number}" for number in range(max(1, consumers))], False


def _check_exchange(given: Given, queues: int, in_turn: bool, remarks: list[Remark]) -> None:
    """Remark on parts of the exchange that are played differently.

    Raises:
        LineError: the type is a plugin's.
    """
    word = given.word("type")
    kind = "direct" if word is None else word.text
    if word is not None and kind not in TYPES:
        raise LineError(word.line, "exchange_type", text=repr(kind[:40]), known=", ".join(TYPES))
    if given.has("random-routing-key") and kind not in {"fanout", "headers"}:
        remarks.append(Remark.of("random_keys", type=kind))
    if given.has("skip-binding-queues"):
        remarks.append(Remark.of("bound_already"))
    if in_turn and kind in {"fanout", "headers"} and queues > 1:
        remarks.append(Remark.of("keys_decide", type=kind))


def _arguments(given: Given, names: dict[str, str], remarks: list[Remark]) -> dict[str, Any]:
    """Return the arguments of the queues, with other names for what somebody named."""
    found: dict[str, Any] = {}
    for word, key, value in table(given, "queue-args"):
        if key == "x-dead-letter-exchange":
            found[key] = "" if value in {"", "amq.default"} else "dead"
            if found[key]:
                remarks.append(Remark.of("dead_letters_dropped"))
        elif key == "x-dead-letter-routing-key":
            found[key] = names.get(str(value), "dead")
        elif key == "x-single-active-consumer":
            found[key] = value is True
        elif key in ARGUMENTS:
            found[key] = value
            _check(word, {**found, "x-dead-letter-exchange": ""} if "dead" in key else found)
        else:
            remarks.append(Remark.of("queue_argument", text=key[:60]))
    bytes_word = given.word("max-length-bytes")
    if bytes_word is not None:
        most = _capacity(bytes_word)
        found.pop("x-max-length-bytes", None)
        if most:
            found["x-max-length-bytes"] = most
    return found


def _check(word: Word, arguments: dict[str, Any]) -> None:
    try:
        check_arguments(DEFAULT_QUEUE, arguments, ARGUMENTS)
    except EngineError as error:
        raise LineError(word.line, "queue_argument_refused", text=repr(word.text[:60]), why=error) from None


def _capacity(word: Word) -> int:
    """Return bytes from a number with a unit of a thousand, such as 20gb."""
    text = word.text.strip().lower()
    unit = UNITS.get(text[-2:], 1)
    try:
        number = int(text.removesuffix(text[-2:]) if unit > 1 else text)
    except ValueError:
        number = -1
    if not 0 <= number * unit < 2**53:
        raise LineError(word.line, "option_not_whole", name="--max-length-bytes", text=repr(word.text[:40]))
    return number * unit


def start_us(given: Given, number: int) -> int:
    """Return when a consumer starts: after the delay for all, and one second after the other with a slow start."""
    later = number if given.has("slow-start") else 0
    return (max(0, whole(given, "consumer-start-delay", 0)) + later) * SECOND_US
