"""Which parts of a configuration or of definitions today's releases refuse, and which they accept without effect.

Refusals are those that real nodes of 4.0.5 and 4.3.6 gave (`tests/recordings/upgrades`, held to it by a test); what
has no effect is said by rules of docs/rules/queue-v2.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from engine.amqp.rules import REFERENCE, VALIDATIONS

REFUSED: Final = "refused"
NO_EFFECT: Final = "no_effect"
TAKEN: Final = "taken"
LEFT_OUT: Final = "left_out"
"""A policy with this key applies to no classic queue any more."""
JOINED: Final = "joined"
"""A policy with this key applies to classic queues, as it did not before."""

Fate = tuple[str, str, str]
"""What 4.0 does, what 4.3 does, and by what the page has words for it."""

MIRRORS: Final[Fate] = (REFUSED, REFUSED, "mirrors")
MODE: Final[Fate] = (NO_EFFECT, NO_EFFECT, "mode")
VERSION: Final[Fate] = (NO_EFFECT, NO_EFFECT, "version")
LOCATOR: Final[Fate] = (TAKEN, REFUSED, "locator")
PAGING: Final[Fate] = (NO_EFFECT, NO_EFFECT, "paging")

POLICIES: Final[dict[str, Fate]] = {
    "queue-mode": MODE,
    "queue-version": VERSION,
    "queue-master-locator": LOCATOR,
}
"""By the key of a definition, those of mirrors besides."""
ARGUMENTS: Final[dict[str, Fate]] = {
    "x-queue-mode": MODE,
    "x-queue-version": VERSION,
    "x-queue-master-locator": LOCATOR,
}
OLD_VERSION: Final[Fate] = (NO_EFFECT, REFUSED, "version")
"""Of an argument that asks for version 1."""
SETTINGS: Final[dict[str, Fate]] = {
    "vm_memory_high_watermark_paging_ratio": PAGING,
    "memory_monitor_interval": PAGING,
    "mirroring_sync_batch_size": (NO_EFFECT, NO_EFFECT, "mirrors"),
}
NEXT: Final = tuple(VALIDATIONS[name] for name in ("4.0.5", "4.3.6"))
FOR_CLASSIC: Final = ("all", "queues", "classic_queues")
DEFAULT_VERSION: Final = "classic_queue.default_version"
MOST_NAMED: Final = 5


def of_definitions(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each key of policies and argument of queues that today's releases treat otherwise.

    Args:
        found: definitions.json, of any shape.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for place, key, name, fate in [*_of_policies(found), *_of_queues(found)]:
        row = rows.setdefault((place, key), {**_row(place, key, fate), "names": [], "count": 0})
        row["count"] += 1
        if len(row["names"]) < MOST_NAMED:
            row["names"].append(name[:255])
    return sorted(rows.values(), key=lambda row: (REFUSED not in row["fates"], row["place"], row["key"]))


def of_settings(pairs: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return a row for each key of a configuration that today's releases treat otherwise.

    Args:
        pairs: keys and values, as `rabbitmq.conf` has them.
    """
    rows = []
    for key, value in pairs:
        fate = SETTINGS.get(key)
        if key == DEFAULT_VERSION and value.strip() == "1":
            fate = (REFUSED, REFUSED, "version")
        if fate is not None:
            rows.append({**_row("configuration", key, fate), "names": [], "count": 1})
    return rows


def _row(place: str, key: str, fate: Fate) -> dict[str, Any]:
    return {"place": place, "key": key, "fates": fate[:2], "instead": fate[2]}


def _of_policies(found: dict[str, Any]) -> Iterator[tuple[str, str, str, Fate]]:
    for each in _objects(found.get("policies")):
        definition = each.get("definition")
        for key in definition if isinstance(definition, dict) else ():
            fate = MIRRORS if key.startswith("ha-") else POLICIES.get(key)
            if fate is None and each.get("apply-to", "all") in FOR_CLASSIC:
                fate = _of_foreign(key)
            if fate is not None:
                yield "policy", key, str(each.get("name")), fate


def _of_foreign(key: str) -> Fate | None:
    """Return what becomes of a policy whose key classic queues have in one release and not in another (P17)."""
    before = key in REFERENCE.not_for_classic
    first, second = (
        TAKEN if (key in row.not_for_classic) == before else JOINED if before else LEFT_OUT for row in NEXT
    )
    return None if first == second == TAKEN else (first, second, JOINED if before else LEFT_OUT)


def _of_queues(found: dict[str, Any]) -> Iterator[tuple[str, str, str, Fate]]:
    for each in _objects(found.get("queues")):
        arguments = each.get("arguments")
        for key, value in arguments.items() if isinstance(arguments, dict) else ():
            fate = OLD_VERSION if key == "x-queue-version" and value == 1 else ARGUMENTS.get(key)
            if fate is not None:
                yield "queue", key if fate is not OLD_VERSION else f"{key} = 1", str(each.get("name")), fate


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
