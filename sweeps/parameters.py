"""The names that an axis may vary, and how each one changes a scenario."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import msgspec

from engine.costs import PROFILES
from sweeps.errors import SweepError

Scenario = dict[str, Any]
"""A scenario as JSON (version 1): profile, settings, seed, timed commands."""

Value = int | float | bool | str


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a sweep can vary.

    Args:
        name: the broker's own word where there is one; units come last.
        low: smallest value allowed, None for values that are no numbers.
        high: largest value allowed.
        whole: whether only integers make sense.
        choices: the allowed words or truth values, for parameters that are no numbers.
        apply: returns nothing; changes the scenario, which is a copy but for its commands: these are replaced, since a
            log's are the same in hundreds of cells.
    """

    name: str
    apply: Callable[[Scenario, Value], None]
    low: float | None = None
    high: float | None = None
    whole: bool = True
    choices: tuple[Value, ...] = ()

    def check(self, value: Value) -> Value:
        """Return the value as it will be in the scenario.

        Raises:
            SweepError: the value is of the wrong type or out of range.
        """
        if self.choices:
            if not any(value is each or (isinstance(value, str) and value == each) for each in self.choices):
                allowed = ", ".join(map(str, self.choices))
                raise SweepError("value_not_offered", name=self.name, value=repr(value), allowed=allowed)
            return value
        if isinstance(value, bool | str):
            raise SweepError("value_no_number", name=self.name, value=repr(value))
        if not (self.low or 0) <= value <= (self.high or 0):
            raise SweepError(
                "value_out_of_range", name=self.name, value=value, least=self.low, most=self.high
            )
        if self.whole and value != int(value):
            raise SweepError("value_fraction", name=self.name, value=value)
        return int(value) if self.whole else float(value)


def _setting(name: str) -> Callable[[Scenario, Value], None]:
    """Return a change of one setting for the whole run: a later `set` of the same name is dropped."""

    def apply(scenario: Scenario, value: Value) -> None:
        scenario.setdefault("settings", {})[name] = value
        scenario["commands"] = [
            command
            for command in scenario["commands"]
            if not (command["do"] == "set" and command["name"] == name)
        ]

    return apply


OF_EACH_MESSAGE = {"size_bytes": ("sizes",), "count": ("sizes", "expirations")}
"""What a burst has of each of its messages, and no longer has when this field is another: they are other messages."""


def _field(name: str, *verbs: str) -> Callable[[Scenario, Value], None]:
    """Return a change of one field in every command with one of `verbs`."""

    def apply(scenario: Scenario, value: Value) -> None:
        touched = [at for at, command in enumerate(scenario["commands"]) if command["do"] in verbs]
        if not touched:
            raise SweepError(
                "nothing_to_vary", title=scenario.get("title", ""), verbs=" or ".join(verbs), name=name
            )
        for at in touched:
            command = {**scenario["commands"][at], name: value}
            for column in OF_EACH_MESSAGE.get(name, ()):
                command.pop(column, None)
            scenario["commands"][at] = command

    return apply


def _persistent(scenario: Scenario, value: Value) -> None:
    """Let all messages survive a restart, for which their queues have to survive it too (D1), or none."""
    _field("persistent", *PUBLISHING)(scenario, value)
    for queue in scenario.get("topology", {}).get("queues", ()) if value else ():
        queue["durable"] = True


def _queue_mode(scenario: Scenario, value: Value) -> None:
    """Set the queue mode before the first command."""
    commands = [
        command
        for command in scenario["commands"]
        if not (command["do"] == "set" and command["name"] == "queue_mode")
    ]
    scenario["commands"] = [{"at_us": 0, "do": "set", "name": "queue_mode", "value": value}, *commands]


HA_POLICIES: dict[Value, dict[str, Any] | None] = {
    "none": None,
    "exactly 2": {"ha-mode": "exactly", "ha-params": 2},
    "all": {"ha-mode": "all"},
}
"""The part of every queue's policy about mirrors, by the value of the axis."""


def _ha_mode(scenario: Scenario, value: Value) -> None:
    """Let a policy for all queues stand before the first command, in place of those that speak of mirrors."""
    commands = [
        command
        for command in scenario["commands"]
        if not (command["do"] == "set_policy" and "ha-mode" in command["definition"])
    ]
    definition = HA_POLICIES[value]
    policy = {"at_us": 0, "do": "set_policy", "name": "ha", "pattern": ".*", "definition": definition}
    scenario["commands"] = [policy, *commands] if definition else commands


def _number(
    name: str,
    low: float,
    high: float,
    apply: Callable[[Scenario, Value], None] | None = None,
    *,
    whole: bool = True,
) -> Parameter:
    return Parameter(name=name, apply=apply or _setting(name), low=low, high=high, whole=whole)


PUBLISHING = ("publish", "set_publisher")

PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        _number("vm_memory_high_watermark", 0, 1, whole=False),
        _number("vm_memory_high_watermark_paging_ratio", 0, 2, whole=False),
        Parameter(
            name="vm_memory_calculation_strategy",
            apply=_setting("vm_memory_calculation_strategy"),
            choices=("rss", "erlang", "allocated"),
        ),
        _number("ram_bytes", 64 * 1024, 1024**4),
        _number("queue_index_embed_msgs_below", 0, 10 * 1024**2),
        _number("segment_entry_count", 1, 16384),
        _number("queue_index_max_journal_entries", 0, 10**7),
        _number("msg_store_file_size_limit", 1024, 1024**3),
        _number("msg_store_io_batch_size", 1, 10**6),
        _number("message_size_bytes", 0, 10 * 1024**2, _field("size_bytes", *PUBLISHING)),
        _number("publisher_rate_per_s", 1, 10**6, _field("rate_per_s", "set_publisher")),
        _number("consumer_rate_per_s", 1, 10**6, _field("rate_per_s", "set_consumer")),
        _number("consumer_prefetch", 0, 65535, _field("prefetch", "set_consumer")),
        Parameter(
            name="consumer_ack", apply=_field("ack", "set_consumer"), choices=("each", "multiple", "auto")
        ),
        _number("burst_count", 1, 10**7, _field("count", "publish")),
        _number("disk_total_bytes", 10**6, 1024**4),
        _number("disk_free_limit", 0, 1024**4),
        Parameter(name="confirm", apply=_field("confirm", *PUBLISHING), choices=(False, True)),
        Parameter(name="persistent", apply=_persistent, choices=(False, True)),
        Parameter(name="queue_mode", apply=_queue_mode, choices=("default", "lazy")),
        _number("nodes", 1, 3),
        Parameter(name="ha_mode", apply=_ha_mode, choices=tuple(HA_POLICIES)),
        Parameter(name="work_profile", apply=_setting("work_profile"), choices=tuple(PROFILES)),
    )
}


def parameter(name: str) -> Parameter:
    """Return the parameter of that name.

    Raises:
        SweepError: there is none.
    """
    if name not in PARAMETERS:
        raise SweepError("no_parameter", name=name, known=", ".join(PARAMETERS))
    return PARAMETERS[name]


AS_MEASURED = {"processes_collect_garbage": True, "desired_hibernate_ms": 10_000}
"""What a real node does and a picture is simpler without: single nodes of the real profile are swept with it."""
PHASE_MS = 700
"""From one seed to the next the node has run so much longer: its timers stand otherwise, which decides near a limit."""


def with_values(scenario: Scenario, values: dict[str, Value], seed: int) -> Scenario:
    """Return a copy of `scenario` with each named parameter and the seed set; the original stays as it is.

    The first seed leaves the node's timers as they are. A single node of the real profile collects its garbage as it
    was measured.
    """
    changed = copy.deepcopy({**scenario, "commands": []})
    changed["commands"] = list(scenario["commands"])
    for name, value in values.items():
        parameter(name).apply(changed, value)
    changed["seed"] = seed
    settings = changed.setdefault("settings", {})
    if changed.get("profile") == "real" and settings.get("nodes", 1) == 1:
        changed["settings"] = settings = AS_MEASURED | settings
    if seed > 1:
        settings["running_since_ms"] = PHASE_MS * (seed - 1)
    changed["digest"] = None
    return changed
