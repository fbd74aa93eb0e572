"""What a scenario file has beside its run, as typed values with bounds; phases of a workload become its commands."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from engine.broker.commands.base import QueueName
from engine.broker.commands.scenario import MAX_COMMANDS
from engine.reading.conditions import Condition, needs_whole_run
from engine.values.errors import ScenarioError, ValueRefused
from playground.hosting import refusals
from playground.texts import PageMessage

PhaseCount = Annotated[int, msgspec.Meta(ge=0, le=16)]
PhaseName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_-]{0,23}\Z")]
PhaseStage = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,7}:[0-9]{1,5}\Z")]
PhaseSeconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]

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

    name: PhaseName = "w"
    start: PhaseSeconds = 0
    time: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 10
    rate: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 100
    size: Annotated[int, msgspec.Meta(ge=0, le=134_217_728)] = 12
    producers: PhaseCount = 1
    consumers: PhaseCount = 0
    consumer_rate: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    qos: Annotated[int, msgspec.Meta(ge=0, le=65_535)] = 0
    autoack: bool = False
    multi_ack_every: Annotated[int, msgspec.Meta(ge=1, le=65_535)] = 1
    flag: list[Literal["persistent", "mandatory"]] = []
    confirm: bool = False
    variable_rate: Annotated[list[PhaseStage], msgspec.Meta(max_length=20)] = []
    variable_size: Annotated[list[PhaseStage], msgspec.Meta(max_length=20)] = []
    queue: QueueName | None = None


MAX_STAGES: Final = 500
MOST_PHASE_COMMANDS: Final = MAX_COMMANDS
"""Commands that all phases together may become: as many as a scenario may have."""


def command_count(phases: list[WorkloadPhase]) -> int:
    """Count the commands that phases would become, without making them."""
    found = 0
    for phase in phases:
        start_us, end_us = _span(phase)
        stages = len(_stages(phase, start_us, end_us))
        found += phase.producers * (stages + 1) + 2 * phase.consumers
    return found


def expand_phases(phases: list[WorkloadPhase]) -> list[dict[str, Any]]:
    """Return the timed commands of all phases in order. Ask `command_count` first: a few words may be many."""
    commands = [command for phase in phases for command in _phase_commands(phase)]
    return sorted(commands, key=lambda each: each["at_us"])


def _phase_commands(phase: WorkloadPhase) -> list[dict[str, Any]]:
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


OF_FILES: Final[dict[str, Any]] = {
    "asked_too_late": _("ask_at_us must be before at_us."),
    "whole_run_needed": _("Only a claim may use a condition that needs the whole run."),
    "usual_not_drawn": _("variants: the usual number must be one of those that can be drawn."),
}
TEXTS: Final[dict[str, Any]] = {**refusals.TEXTS, **OF_FILES}


class WrittenWrong(ValueRefused, ScenarioError):
    """A file of a story or an exercise has what it may not have; the code is a key of `TEXTS`."""

    sentences = {**ScenarioError.sentences, **OF_FILES}


def message_of(error: Exception) -> PageMessage:
    return refusals.message_of(error, TEXTS)


Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
Key = Literal["en", "zh_Hans", "zh_Hant"]
Texts = Text | dict[Key, Text]
"""One text for everybody, or one for each language."""

KEYS: Final[dict[str, Key]] = {"en": "en", "zh-hans": "zh_Hans", "zh-hant": "zh_Hant"}


def in_language(texts: Texts | None, language: str | None = None) -> str:
    """Return a text in a language, the current one if none is named; in English where it is not translated."""
    if texts is None or isinstance(texts, str):
        return texts or ""
    key = KEYS.get(language or get_language() or "en", "en")
    return texts.get(key) or texts.get("en") or next(iter(texts.values()), "")


def localized(value: Any) -> Any:
    """Return a copy of a story's object in which every text is in the current language alone."""
    if isinstance(value, dict):
        if value and set(value) <= set(KEYS.values()):
            return in_language(value)
        return {name: localized(part) for name, part in value.items()}
    return [localized(part) for part in value] if isinstance(value, list) else value


Microseconds = Annotated[int, msgspec.Meta(ge=0, le=24 * 3600 * 1_000_000)]
Slug = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,59}\Z")]
Subject = Annotated[int, msgspec.Meta(ge=1, le=30)]
Question = Annotated[int, msgspec.Meta(ge=1, le=12)]
View = Literal["stage", "files", "why", "narrative", "controls", "dock", "story"]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of the file that takes no other fields than its own."""


class _Placed(_Part, frozen=True):
    """Something that happens at a time of the run, or as soon as a condition holds.

    Args:
        when: the condition.
    """

    at_us: Microseconds | None = None
    when: Condition | None = None

    def __post_init__(self) -> None:
        """Refuse both and neither, and conditions that a page cannot check."""
        if (self.at_us is None) == (self.when is None):
            raise WrittenWrong("one_of_two", first="at_us", second="when")
        if self.when is not None:
            _check(self.when)


class StoryNote(_Placed, frozen=True, kw_only=True):
    """A paragraph of the story.

    Args:
        text: the annotation, in each language.
        pause: whether the run stands still for it.
        view: the part of the page that it is about.
        msg: a message that is chosen for it, by its seq_id.
    """

    text: Texts
    pause: bool = True
    view: View | None = None
    msg: Annotated[int, msgspec.Meta(ge=0)] | None = None


class StoryBreakpoint(_Placed, frozen=True):
    """Where the run stands still without a word."""


class StoryOption(_Part, frozen=True):
    """A possible answer, and when it is the right one."""

    text: Texts
    when: Condition

    def __post_init__(self) -> None:
        _check(self.when)


class StoryPrediction(_Part, frozen=True, kw_only=True):
    """A question that is answered before the run goes on. The run itself shows which option is right.

    Args:
        ask_at_us: the run waits here for an answer.
        at_us: the moment at which the run shows the answer.
        options: of which exactly one holds then.
        because: why it came out so.
    """

    question: Texts
    ask_at_us: Microseconds = 0
    at_us: Microseconds
    options: Annotated[list[StoryOption], msgspec.Meta(min_length=2, max_length=6)]
    because: Texts | None = None

    def __post_init__(self) -> None:
        if self.ask_at_us >= self.at_us:
            raise WrittenWrong("asked_too_late")


class StoryVerdict(_Part, frozen=True, kw_only=True):
    """What becomes of a published claim.

    Args:
        source: number of the subject under which the articles say it.
        verdict: whether it holds for `version`.
        version: of RabbitMQ.
        rules: ids of the specification's rules.
        evidence_at_us: the moment of this run that shows it.
        text: what is so instead, or what it depends on.
    """

    claim: Texts
    source: Subject | None = None
    verdict: Literal["true", "false", "depends"]
    version: Annotated[str, msgspec.Meta(max_length=40)] = "3.10.8"
    rules: Annotated[
        list[Annotated[str, msgspec.Meta(pattern=r"^[A-Z][0-9]{1,3}\Z")]], msgspec.Meta(max_length=12)
    ] = []
    evidence_at_us: Microseconds
    text: Texts


class StoryClaim(_Part, frozen=True, kw_only=True):
    """What must be so at a moment of the run; the project's tests hold the engine to it.

    Args:
        at_us: the moment; the end of the run if none is given.
    """

    at_us: Microseconds | None = None
    test: Condition
    text: Texts | None = None


class ScenarioStory(_Part, frozen=True, kw_only=True):
    """Everything of the file that is not the run.

    Args:
        slug: its name in the library.
        title, question, watch_for: the texts of its card.
        subjects: rows of the list of subjects that it shows.
        questions: numbers of the twelve questions that it answers.
        workload: phases in PerfTest's words, which become commands of the run.
        breakpoints, annotations: where the run stands still, and the text that appears there.
        prediction: what is asked before.
        verdict: of a published claim.
    """

    slug: Slug | None = None
    title: Texts | Literal[""] = ""
    question: Texts | None = None
    watch_for: Texts | None = None
    subjects: Annotated[list[Subject], msgspec.Meta(max_length=30)] = []
    questions: Annotated[list[Question], msgspec.Meta(max_length=12)] = []
    workload: Annotated[list[WorkloadPhase], msgspec.Meta(max_length=20)] = []
    breakpoints: Annotated[list[StoryBreakpoint], msgspec.Meta(max_length=40)] = []
    annotations: Annotated[list[StoryNote], msgspec.Meta(max_length=40)] = []
    prediction: StoryPrediction | None = None
    verdict: StoryVerdict | None = None
    claims: Annotated[list[StoryClaim], msgspec.Meta(max_length=40)] = []


FIELDS: Final = {field.name: field for field in msgspec.structs.fields(ScenarioStory)}


def _check(condition: Condition) -> None:
    """Refuse conditions that a page cannot check, since it may have joined in the middle of the run."""
    if needs_whole_run(condition):
        raise WrittenWrong("whole_run_needed")
