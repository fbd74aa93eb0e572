"""Phases of a workload in the words of PerfTest, expanded to the commands of a scenario."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from engine.broker.commands.base import QueueName
from engine.broker.commands.scenario import MAX_COMMANDS

Count = Annotated[int, msgspec.Meta(ge=0, le=16)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_-]{0,23}\Z")]
Stage = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,7}:[0-9]{1,5}\Z")]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]

SECOND_US: Final = 1_000_000
DRAIN_RATE: Final = 1_000_000
"""A consumer without `consumer_rate` takes what comes."""


class WorkloadPhase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Some publishers and consumers for some time. Names are PerfTest's options.

    Args:
        name: begins the names of its publishers and consumers.
        start: seconds after the run's beginning.
        time: how many seconds it lasts (--time).
        rate: messages each publisher sends in a second (--rate).
        size: bytes of a body (--size).
        producers, consumers: how many of each (--producers, --consumers).
        consumer_rate: messages each consumer takes in a second (--consumer-rate).
        qos: prefetch, 0 for no limit (--qos).
        autoack: without acknowledgements (--autoack).
        multi_ack_every: above 1, one acknowledgement for several (--multi-ack-every).
        flag: what every message has (--flag).
        confirm: whether publishers wait for confirms (--confirm).
        variable_rate: stages "rate:seconds", again and again (--variable-rate).
        variable_size: stages "size:seconds", again and again (--variable-size).
        queue: which queue the consumers take from and the publishers' routing key, where it is not `orders`.
    """

    name: Name = "w"
    start: Seconds = 0
    time: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 10
    rate: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 100
    size: Annotated[int, msgspec.Meta(ge=0, le=134_217_728)] = 12
    producers: Count = 1
    consumers: Count = 0
    consumer_rate: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    qos: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 0
    autoack: bool = False
    multi_ack_every: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 1
    flag: list[Literal["persistent", "mandatory"]] = []
    confirm: bool = False
    variable_rate: Annotated[list[Stage], msgspec.Meta(max_length=20)] = []
    variable_size: Annotated[list[Stage], msgspec.Meta(max_length=20)] = []
    queue: QueueName | None = None


MAX_STAGES: Final = 500
MOST: Final = MAX_COMMANDS
"""Commands that all phases together may become: as many as a scenario may have."""


def size(phases: list[WorkloadPhase]) -> int:
    """Count the commands that phases would become, without making them."""
    found = 0
    for phase in phases:
        start_us, end_us = _span(phase)
        stages = len(_stages(phase, start_us, end_us))
        found += phase.producers * (stages + 1) + 2 * phase.consumers
    return found


def expand(phases: list[WorkloadPhase]) -> list[dict[str, Any]]:
    """Return the timed commands of all phases, in the order of time. Ask `size` first: a few words may be many."""
    commands = [command for phase in phases for command in _commands(phase)]
    return sorted(commands, key=lambda each: each["at_us"])


def _commands(phase: WorkloadPhase) -> list[dict[str, Any]]:
    start_us, end_us = _span(phase)
    consumers = [f"{phase.name}-c{number}" for number in range(1, phase.consumers + 1)]
    producers = [f"{phase.name}-p{number}" for number in range(1, phase.producers + 1)]
    commands = [{"at_us": start_us, **_consumer(phase, name)} for name in consumers]
    for at_us, rate, size in _stages(phase, start_us, end_us):
        commands += [{"at_us": at_us, **_publisher(phase, name, rate, size)} for name in producers]
    commands += [{"at_us": end_us, "do": "remove", "name": name} for name in (*producers, *consumers)]
    return commands


def _span(phase: WorkloadPhase) -> tuple[int, int]:
    start_us = round(phase.start * SECOND_US)
    return start_us, start_us + round(phase.time * SECOND_US)


def _stages(phase: WorkloadPhase, start_us: int, end_us: int) -> list[tuple[int, int, int]]:
    """Return when the rate or the size changes, and to what; rate 0 means a pause."""
    rates = _course(phase.variable_rate, phase.rate, start_us, end_us)
    sizes = _course(phase.variable_size, phase.size, start_us, end_us)
    times = sorted({*rates, *sizes})
    found = []
    rate = size = 0
    for at_us in times:
        rate, size = rates.get(at_us, rate), sizes.get(at_us, size)
        found.append((at_us, rate, size))
    return found


def _course(stages: list[str], steady: int, start_us: int, end_us: int) -> dict[int, int]:
    pairs = [tuple(map(int, stage.split(":"))) for stage in stages]
    pairs = [(value, seconds) for value, seconds in pairs if seconds > 0]
    if not pairs:
        return {start_us: steady}
    course: dict[int, int] = {}
    at_us = start_us
    while at_us < end_us and len(course) < MAX_STAGES:
        for value, seconds in pairs:
            if at_us >= end_us:
                break
            course[at_us] = value
            at_us += seconds * SECOND_US
    return course


def _publisher(phase: WorkloadPhase, name: str, rate: int, size: int) -> dict[str, Any]:
    command = {
        "do": "set_publisher",
        "name": name,
        "rate_per_s": max(1, rate),
        "size_bytes": size,
        "persistent": "persistent" in phase.flag,
        "confirm": phase.confirm,
        "running": rate > 0,
    }
    if "mandatory" in phase.flag:
        command["mandatory"] = True
    if phase.queue:
        command["routing_key"] = phase.queue
    return command


def _consumer(phase: WorkloadPhase, name: str) -> dict[str, Any]:
    command: dict[str, Any] = {
        "do": "set_consumer",
        "name": name,
        "rate_per_s": phase.consumer_rate or DRAIN_RATE,
        "prefetch": phase.qos,
        "ack": "auto" if phase.autoack else "multiple" if phase.multi_ack_every > 1 else "each",
    }
    if phase.queue:
        command["queue"] = phase.queue
    return command
