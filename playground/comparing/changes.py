"""The one difference between A and B as a value, which makes another scenario of one, and the runs that are ready."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple, get_args

from django import forms
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from engine.broker.commands.base import DEFAULT_QUEUE
from engine.costs import ProfileName
from engine.releases import RELEASES
from playground.hosting.real_engine import door
from playground.storybook import ready_scenarios, rehearsal

SECOND_US: Final = 1_000_000


class ReadyComparison(NamedTuple):
    """A run whose answer depends on the release. `seconds`: where it ends. `commands`: times in seconds.
    `settings`: beside the profile's. `profile`: whose scale every side has.
    """

    name: str
    title: Any
    watch: Any
    seconds: int
    commands: tuple[tuple[float, Command], ...]
    settings: dict[str, Any] = {}
    profile: str = "classroom"

    def scenario(self) -> dict[str, Any]:
        commands = [{"at_us": round(at * SECOND_US), **command} for at, command in self.commands]
        run = {"version": 1, "profile": self.profile, "settings": self.settings, "commands": commands}
        return door().check({**run, "title": str(self.title), "until_us": self.seconds * SECOND_US})


OTHER: Final = "other"
MIXED: Final = ((3, OTHER), (1, DEFAULT_QUEUE)) * 15
"""What shares the files of the store: three messages of a queue that will be emptied, and one of a queue that stays."""


def _publish(count: int, size: int, to: str = DEFAULT_QUEUE) -> Command:
    return {
        "do": "publish",
        "count": count,
        "size_bytes": size,
        "routing_key": to,
        "persistent": True,
        "confirm": True,
    }


def _consumer(rate: int, prefetch: int, ack: str = "each") -> Command:
    return {"do": "set_consumer", "name": "c1", "rate_per_s": rate, "prefetch": prefetch, "ack": ack}


def _publisher(rate: int, size: int, persistent: bool = True) -> Command:
    return {
        "do": "set_publisher",
        "name": "p1",
        "rate_per_s": rate,
        "size_bytes": size,
        "persistent": persistent,
    }


LAZY: Final = {
    "do": "set_policy",
    "name": "lazy",
    "pattern": f"^{DEFAULT_QUEUE}$",
    "definition": {"queue-mode": "lazy"},
}

READY: Final = {
    each.name: each
    for each in (
        ReadyComparison(
            "backlog",
            _("Publish a backlog and drain it"),
            _("How much of a backlog lies in RAM, and how often the disk is read while it drains."),
            20,
            ((0.5, _publish(60, 2000)), (5, _consumer(8, 5))),
        ),
        ReadyComparison(
            "slow-consumer",
            _("A slow consumer"),
            _("What the memory does while the consumer takes a quarter of what comes in."),
            20,
            ((0.5, _consumer(5, 4)), (0.6, _publisher(20, 2000))),
        ),
        ReadyComparison(
            "power-cut",
            _("Power cut after the confirms"),
            _("Every message was confirmed. Which release still has them all after the power comes back?"),
            6,
            ((0.5, _publish(20, 1000)), (1, _publish(4, 6000)), (3, {"do": "restart", "kind": "power"})),
        ),
        ReadyComparison(
            "small",
            _("A million small messages"),
            _("A million messages of 100 bytes, with real sizes: files, bytes written, and memory."),
            30,
            ((0.5, _publish(1_000_000, 100)), (20, _consumer(1000, 100, "multiple"))),
            profile="real",
        ),
        ReadyComparison(
            "garbage",
            _("Large messages with garbage"),
            _(
                "Three of four messages go: two files are combined, or one is compacted in place 15 seconds later."
            ),
            44,
            (
                (0.2, {"do": "declare_queue", "name": OTHER}),
                *((0.5 + at / 20, _publish(count, 6000, to)) for at, (count, to) in enumerate(MIXED)),
                (4, {"do": "get", "count": 9, "ack": True, "queue": OTHER}),
                (4.5, {"do": "ack", "count": 9, "multiple": True}),
                (5, {"do": "purge", "queue": OTHER}),
                (22, {"do": "get", "count": 1, "ack": True}),
                (22.5, {"do": "ack", "count": 1}),
            ),
        ),
        ReadyComparison(
            "lazy",
            _("A lazy policy"),
            _("The policy changes where messages wait, or nothing at all."),
            12,
            ((0.2, LAZY), (0.5, _publish(30, 2000)), (5, _consumer(5, 2))),
        ),
        ReadyComparison(
            "restart",
            _("Restart with a backlog"),
            _("An orderly stop with a backlog: how many messages are in RAM after the start?"),
            12,
            ((0.5, _publish(60, 1000)), (4, {"do": "restart", "kind": "clean"}), (7, _consumer(5, 2))),
        ),
        ReadyComparison(
            "memory",
            _("The memory limit is reached"),
            _("A publisher of transient messages runs until it is blocked, or is never blocked."),
            20,
            ((0.5, _publisher(30, 6000, persistent=False)),),
        ),
    )
}
"""By name, in the order of the page."""

Scenario = dict[str, Any]
Command = dict[str, Any]

LIVE = frozenset(
    {"ram_bytes", "vm_memory_high_watermark", "vm_memory_high_watermark_paging_ratio", "queue_mode"}
)
"""Settings that a running node can be given; the others only hold from the beginning."""


class RunChange(NamedTuple):
    """One kind of change. `name`: in addresses and forms. `label`: what the reader chooses. `values`: what may be
    chosen, None for a number from `least` to `most`. `whole`: whether only whole numbers make sense.
    """

    name: str
    label: Any
    unit: Any = ""
    values: tuple[str, ...] | None = None
    least: float = 0
    most: float = 0
    whole: bool = True


CHANGES = {
    each.name: each
    for each in (
        RunChange("queue_mode", _("queue mode"), values=("default", "lazy")),
        RunChange("queue_index_embed_msgs_below", _("embed threshold"), _("bytes"), most=1_000_000),
        RunChange("vm_memory_high_watermark_paging_ratio", _("paging ratio"), most=2, whole=False),
        RunChange("vm_memory_high_watermark", _("high watermark"), _("of RAM"), most=1, whole=False),
        RunChange("ram_bytes", _("RAM of the node"), _("bytes"), least=65_536, most=2**40),
        RunChange("prefetch", _("prefetch of every consumer"), _("messages"), most=65_535),
        RunChange(
            "consumer_rate", _("rate of every consumer"), _("messages a second"), least=1, most=1_000_000
        ),
        RunChange(
            "publisher_rate", _("rate of every publisher"), _("messages a second"), least=1, most=1_000_000
        ),
        RunChange("size_bytes", _("size of every message"), _("bytes"), most=134_217_728),
        RunChange("persistent", _("persistence of every message"), values=("transient", "persistent")),
        RunChange("work_profile", _("what work costs"), values=get_args(ProfileName)),
        RunChange("release", _("release"), values=tuple(RELEASES)),
        RunChange("ack", _("acknowledgements of every consumer"), values=("each", "multiple", "auto")),
    )
}

PRESETS = (
    ("queue_mode", "lazy", _("Default against lazy"), _("Where do messages wait, and what does that cost?")),
    (
        "queue_index_embed_msgs_below",
        "0",
        _("Embed below 4096 against never"),
        _("Small bodies in the queue index, or all in the message store."),
    ),
    (
        "vm_memory_high_watermark_paging_ratio",
        "0.75",
        _("Paging at 0.5 against 0.75"),
        _("Paging that begins later leaves less time before the alarm."),
    ),
    (
        "work_profile",
        "hdd",
        _("No cost against a hard disk"),
        _("Work that takes time: mailboxes fill, confirms come later. The disk is an assumption."),
    ),
    (
        "prefetch",
        "100",
        _("Prefetch 1 against 100"),
        _("The queue must remember whatever the consumer holds."),
    ),
)
"""Changes that teach something: change, value, title, what to watch."""


def apply(change: str, value: Any, scenario: Scenario, at_us: int = 0) -> Scenario:
    """Return the scenario with one thing changed, from `at_us` of virtual time on. `value`: as `read` returns it.
    `scenario`: A, in full. `at_us`: where B leaves A; 0 for the beginning.
    """
    altered = {**scenario, "digest": None, "title": scenario["title"]}
    if change in ALTERED:
        field, verbs = ALTERED[change]
        fields = {field: value == "persistent" if field == "persistent" else value}
        altered["commands"] = [
            _altered(each, fields) if each["at_us"] >= at_us and each["do"] in verbs else each
            for each in _with_actors(scenario, at_us)
        ]
        return altered
    if change == "release":
        return {**rehearsal.taken_to(value, scenario).scenario, "title": scenario["title"]}
    if change == "queue_mode":
        return {**altered, "commands": _with_mode(scenario, value, at_us)}
    if change in LIVE and at_us > 0:
        command = {"at_us": at_us, "do": "set", "name": change, "value": value}
        altered["commands"] = sorted([command, *scenario["commands"]], key=lambda each: each["at_us"])
        return altered
    altered["settings"] = {**scenario["settings"], change: value}
    return altered


def _with_mode(scenario: Scenario, mode: str, at_us: int) -> list[Command]:
    """Return the commands; every queue is given the mode at `at_us`, or as soon as it is declared."""
    mode_command = {"do": "set", "name": "queue_mode", "value": mode}
    begun = scenario.get("topology") or {"queues": [{"name": DEFAULT_QUEUE}]}
    names = {each["name"] for each in begun["queues"]}
    before, after = [], []
    for each in scenario["commands"]:
        if each["at_us"] < at_us:
            before.append(each)
            if each["do"] == "declare_queue":
                names.add(each["name"])
            elif each["do"] == "delete_queue":
                names.discard(each["name"])
            continue
        after.append(each)
        if each["do"] == "declare_queue" and each["name"] not in names:
            after.append({"at_us": each["at_us"], **mode_command, "queue": each["name"]})
    return [*before, *({"at_us": at_us, **mode_command, "queue": name} for name in sorted(names)), *after]


def _with_actors(scenario: Scenario, at_us: int) -> list[Command]:
    """Return the commands; from a fork in the middle on, every client that runs there gets its settings again."""
    commands: list[Command] = list(scenario["commands"])
    if at_us == 0:
        return commands
    running: dict[str, Command] = {}
    for each in commands:
        if each["at_us"] < at_us and each["do"] in {"set_publisher", "set_consumer"}:
            running[each["name"]] = {**running.get(each["name"], {}), **each, "at_us": at_us}
        elif each["at_us"] < at_us and each["do"] == "remove":
            running.pop(each["name"], None)
    again = [each for each in running.values() if each.get("running", True)]
    return sorted([*again, *commands], key=lambda each: each["at_us"])


def _altered(command: Command, fields: Command) -> Command:
    own_sizes = {"sizes": ""} if "size_bytes" in fields and "sizes" in command else {}
    return {**command, **fields, **own_sizes}


ALTERED: Final = {
    "prefetch": ("prefetch", ("set_consumer",)),
    "consumer_rate": ("rate_per_s", ("set_consumer",)),
    "ack": ("ack", ("set_consumer",)),
    "publisher_rate": ("rate_per_s", ("set_publisher",)),
    "size_bytes": ("size_bytes", ("publish", "set_publisher")),
    "persistent": ("persistent", ("publish", "set_publisher")),
}
"""Changes of the commands that the node gets: which field, and of which verbs."""


def read(change: str, text: str) -> Any:
    """Return the value that a form's text means. Raises ValueError when the change has no such value."""
    kind = CHANGES[change]
    if kind.values is not None:
        if text not in kind.values:
            raise ValueError(text)
        return text
    value = int(text) if kind.whole else float(text)
    if not kind.least <= value <= kind.most:
        raise ValueError(text)
    return value


_CHANGED: Final = re.compile(r"(?P<of>.*) \((?P<change>[a-z_]+) (?P<value>[^()]*)\)")
_ELSEWHERE: Final = re.compile(r"(?P<of>.*) \((?P<release>RabbitMQ [^()]*)\)")


def changed_title(title: str, change: str, value: object) -> str:
    """Return the title of a run in which one thing was changed, as it is kept: read by `shown_title`."""
    return f"{title} ({change} {value})"[:200]


def shown_title(title: str) -> str:
    """Return a kept title in the reader's language, as far as it is one of ours."""
    changed, elsewhere = _CHANGED.fullmatch(title), _ELSEWHERE.fullmatch(title)
    if changed and changed["change"] in CHANGES:
        return f"{shown_title(changed['of'])} ({CHANGES[changed['change']].label}: {changed['value']})"
    if elsewhere:
        return f"{shown_title(elsewhere['of'])} ({elsewhere['release']})"
    return _known(title) or title


def _known(title: str) -> str | None:
    """Return the title of the ready run that is called so in one of the languages."""
    for entry in ready_scenarios.entries():
        texts = entry.story.title
        if title in (texts.values() if isinstance(texts, dict) else (texts,)):
            return entry.title
    for each in READY.values():
        for code in dict(settings.LANGUAGES):
            with translation.override(code):
                found = str(each.title) == title
            if found:
                return str(each.title)
    return None


TOO_LONG = _("One of the runs has more than %(most)s transitions. Compare a shorter or smaller scenario.")
TOO_SLOW = _(
    "The comparison takes more than %(most)s seconds on this server. Compare a shorter or smaller scenario."
)
BUSY = _("This server is comparing other runs. Try again in a minute.")
BROKEN = _("The engine could not repeat one of the runs. Open it alone to see why.")

MOST_S = 24 * 3600


class ChangeForm(forms.Form):
    """One change: what, to which value, from when on, and for how long the runs go on. `value` holds what
    `changes.read` made of the text once the form is valid.
    """

    releases_error = ""
    """What was wrong with the releases that were chosen in the form beside it."""

    change = forms.ChoiceField(
        label=_("Change"), choices=lambda: [(name, _described(each)) for name, each in CHANGES.items()]
    )
    value = forms.CharField(label=_("to"), max_length=20)
    at_s = forms.FloatField(label=_("from this second on"), min_value=0, max_value=MOST_S, initial=0)
    more_s = forms.FloatField(
        label=_("and go on for so many seconds"), min_value=0, max_value=3600, initial=0
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        name, text = cleaned.get("change"), cleaned.get("value")
        if name is None or text is None:
            return cleaned
        kind = CHANGES[name]
        try:
            cleaned["value"] = read(name, text.strip())
        except (ValueError, OverflowError):
            if kind.values is not None:
                message = _("It can be %(values)s.") % {"values": ", ".join(kind.values)}
            elif kind.whole:
                message = _("It must be a whole number from %(least)s to %(most)s.") % _bounds(kind)
            else:
                message = _("It must be a number from %(least)s to %(most)s.") % _bounds(kind)
            self.add_error("value", message)
        return cleaned


def _described(kind: RunChange) -> str:
    """Return what the list shows of a change: its name, and what it can be."""
    what = ", ".join(kind.values) if kind.values is not None else str(kind.unit)
    return f"{kind.label} ({what})" if what else str(kind.label)


def _bounds(kind: RunChange) -> dict[str, str]:
    return {"least": f"{kind.least:g}", "most": f"{kind.most:.0f}" if kind.whole else f"{kind.most:g}"}
