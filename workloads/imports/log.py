"""A log becomes a scenario: its bursts, its queues with their consumers, and what was rounded on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from engine.broker.commands.base import TICK_MS
from engine.broker.commands.scenario import MAX_BINDINGS, MAX_EXCHANGES, MAX_QUEUES
from engine.metrics import METRICS, is_answered
from workloads.errors import WorkloadError
from workloads.imports.arrivals import TICK_US, Arrivals
from workloads.imports.common import Imported, Options, consumer, make_scenario
from workloads.imports.records import SECOND_US, ArrivedMessages, DeliveredMessage, Record
from workloads.remarks import Remark

MOST_NAMED: Final = 8
"""Queues whose names a refusal says."""


class _Deliveries:
    """What one queue's consumers received."""

    def __init__(self) -> None:
        self.count = 0
        self.first_us = 0
        self.last_us = 0

    def add(self, at_us: int) -> None:
        if not self.count:
            self.first_us = at_us
        self.count += 1
        self.last_us = max(self.last_us, at_us)

    @property
    def rate_per_s(self) -> int:
        """Deliveries in a second, from the first to the last one."""
        return max(1, round(self.count * SECOND_US / max(self.last_us - self.first_us, SECOND_US // 10)))


class _LongestPayload:
    """The longest payloads of a trace: where max_payload_bytes was set, every longer body is as long as that."""

    def __init__(self) -> None:
        self.size_bytes = 0
        self.count = self.torn = self._of = 0

    def add(self, message: ArrivedMessages) -> None:
        self._of += 1
        self.torn += message.is_torn
        if message.size_bytes > self.size_bytes:
            self.size_bytes, self.count = message.size_bytes, 0
        self.count += message.size_bytes == self.size_bytes > 0

    @property
    def remark(self) -> Remark:
        """Say that bodies were cut where one of them shows it, else that they may have been."""
        code = "trace_cut" if self.torn else "trace_may_be_cut"
        return Remark.of(code, count=self.count, of=self._of, bytes=self.size_bytes)


class Log:
    """Messages of a log and what became of them.

    Args:
        options: what the log does not say.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self.arrivals = Arrivals()
        self._received: dict[str, _Deliveries] = {}
        self._other: Counter[str] = Counter()
        """Messages of queues that nobody asked for."""
        self._nowhere = 0
        self._longest = _LongestPayload()

    def add(self, record: Record) -> None:
        """Add what a line says.

        Raises:
            LineError: it is not possible.
        """
        wanted = self._options.queue
        if isinstance(record, DeliveredMessage):
            if wanted is None or record.queue == wanted:
                self._received.setdefault(record.queue, _Deliveries()).add(record.at_us)
            return
        queues = record.queues
        if not queues:
            self._nowhere += record.count
            return
        if wanted is not None and queues != (wanted,):
            for each in queues:
                self._other[each] += record.count
            if wanted not in queues:
                return
            queues = (wanted,)
        self.arrivals.add(record, queues)
        if record.is_payload:
            self._longest.add(record)

    def imported(self, title: str, without_consumer: str) -> Imported:
        """Return the scenario.

        Args:
            title: of the scenario.
            without_consumer: the remark for a log that tells of no consumer.

        Raises:
            WorkloadError: there is no message, or there are too many queues.
        """
        self._check()
        remarks: list[Remark] = []
        if self._longest.count > 1 or self._longest.torn:
            remarks.append(self._longest.remark)
        if self._nowhere:
            remarks.append(Remark.of("nowhere", count=self._nowhere))
        names = _Names(self.arrivals, remarks)
        bursts = self.arrivals.bursts(remarks, names.ways)
        published = [
            {**command, **where} for kind, command in bursts.commands for where in names.where(kind.queues)
        ]
        consumers = list(self._consumers(names, remarks, without_consumer))
        if consumers and bursts.consumer_tick_ms > TICK_MS:
            consumers = [{**each, "tick_ms": bursts.consumer_tick_ms} for each in consumers]
            remarks.append(Remark.of("consumer_ticks", ms=bursts.consumer_tick_ms, usual=TICK_MS))
        commands = [*consumers, *published]
        begin_us = self.arrivals.first_us or 0
        last_us = max((each.last_us for each in self._received.values()), default=0)
        span_us = max(self.arrivals.last_us, last_us) - begin_us
        scenario = make_scenario(
            title, commands, span_us + max(SECOND_US, span_us // 10) + TICK_US, self._options
        )
        if names.topology:
            scenario["topology"] = names.topology
        if bursts.burst_us:
            scenario["burst_us"] = bursts.burst_us
            lost = ", ".join(name for name in METRICS if not is_answered(scenario, name))
            remarks.append(Remark.of("not_answered", names=lost))
        return Imported(scenario, remarks)

    def _check(self) -> None:
        wanted, found = self._options.queue, self.arrivals.by_queue
        names = ", ".join(name for name, _count in (found or self._other).most_common(MOST_NAMED))
        if wanted is not None and wanted not in found:
            raise WorkloadError("no_messages_to_queue", name=wanted, known=names or "none")
        if len(found) > MAX_QUEUES:
            raise WorkloadError("several_queues", count=len(found), most=MAX_QUEUES, known=names)

    def _consumers(
        self, names: _Names, remarks: list[Remark], without_consumer: str
    ) -> Iterator[dict[str, Any]]:
        options = self._options
        if options.consumer_rate_per_s is not None:
            for number, queue in enumerate(names.queues.values(), start=1):
                yield consumer(options.consumer_rate_per_s, options, number=number, queue=queue)
            return
        begin_us = self.arrivals.first_us or 0
        read = {name: each for name, each in self._received.items() if name in names.queues}
        if not read:
            remarks.append(Remark.of(without_consumer))
            return
        for number, (name, each) in enumerate(read.items(), start=1):
            at_us = max(0, each.first_us - begin_us)
            yield consumer(each.rate_per_s, options, at_us=at_us, number=number, queue=names.queues[name])
        rates = [each.rate_per_s for each in read.values()]
        if len(rates) == 1:
            remarks.append(Remark.of("trace_rate", rate=rates[0]))
        else:
            remarks.append(Remark.of("trace_rates", least=min(rates), most=max(rates)))
        remarks.append(Remark.of("trace_acks"))


class _Names:
    """What queues are called in the scenario, and how messages reach those that get them together.

    A message for several queues lies in a message store once, so it goes through an exchange that leads to all of them.
    """

    def __init__(self, arrivals: Arrivals, remarks: list[Remark]) -> None:
        found = list(arrivals.by_queue)
        self.queues = {name: f"q{number}" for number, name in enumerate(found, start=1)}
        self.topology: dict[str, Any] = {}
        self.ways = 1
        """How many commands messages for several queues take at most."""
        self._exchanges: dict[tuple[str, ...], str] = {}
        if len(found) < 2:
            self.queues = dict.fromkeys(found, "")
            return
        remarks.append(Remark.of("queues_kept", count=len(found)))
        left = MAX_BINDINGS
        apart = 0
        for queues, count in arrivals.together.most_common():
            if len(queues) <= left and len(self._exchanges) < MAX_EXCHANGES:
                left -= len(queues)
                self._exchanges[queues] = f"x{len(self._exchanges) + 1}"
            else:
                apart += count
                self.ways = max(self.ways, len(queues))
        if apart:
            remarks.append(Remark.of("queues_apart", count=apart))
        self.topology = {"queues": [{"name": name} for name in self.queues.values()]}
        if self._exchanges:
            self.topology["exchanges"] = [
                {"name": name, "type": "fanout"} for name in self._exchanges.values()
            ]
            self.topology["bindings"] = [
                {"exchange": name, "queue": self.queues[queue]}
                for queues, name in self._exchanges.items()
                for queue in queues
            ]

    def where(self, queues: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield what a publish command says of where it goes, once for each command that it takes."""
        if not self.topology:
            yield {}
        elif queues in self._exchanges:
            yield {"exchange": self._exchanges[queues], "routing_key": ""}
        else:
            for queue in queues:
                yield {"routing_key": self.queues[queue]}


def read_parts(
    records: Iterable[Record], options: Options, title: str, without_consumer: str
) -> Iterator[Imported]:
    """Yield a log as scenarios of `options.part_s` seconds each, or as one.

    Only one part is held at a time, so a log may be longer than a run.

    Raises:
        WorkloadError: a line is not possible, or there is no message.
    """
    part_us = None if options.part_s is None else options.part_s * SECOND_US
    log, number, ends_us = Log(options), 1, None
    for record in records:
        if part_us and isinstance(record, ArrivedMessages):
            if ends_us is None:
                ends_us = record.at_us + part_us
            if record.at_us >= ends_us:
                yield _part(log.imported(title, without_consumer), number)
                passed = (record.at_us - ends_us) // part_us + 1
                log, number, ends_us = Log(options), number + passed, ends_us + passed * part_us
        log.add(record)
    found = log.imported(title, without_consumer)
    yield found if number == 1 else _part(found, number)


def _part(found: Imported, number: int) -> Imported:
    """Return a part of a log, which says that it is one."""
    scenario = {**found.scenario, "title": f"{found.scenario['title']}, part {number}"}
    return Imported(scenario, [*found.remarks, Remark.of("log_part", number=number)])
