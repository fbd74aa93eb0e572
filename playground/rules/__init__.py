"""The specification: every rule that code, tests and pages cite by its number, from docs/rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.conf import settings

from playground.rules.specification import RuleDocument, RuleText, parsed

FOLDER = Path(settings.BASE_DIR) / "docs" / "rules"


@cache
def documents() -> dict[str, RuleDocument]:
    """Return the documents of the specification by name, in the order of their reading."""
    return {
        name: parsed(name, (FOLDER / f"{name}.md").read_text(encoding="utf-8"))
        for name in ("queue", "storage", "mirrors", "queue-v2")
    }


@cache
def by_id() -> dict[str, RuleText]:
    """Return every rule by its id, such as Q46."""
    return {rule.id: rule for document in documents().values() for rule in document.rules}


@cache
def vectors() -> dict[str, str]:
    """Return, for each worked vector such as B1, the id of the rule whose text has it."""
    return {vector: rule.id for rule in by_id().values() for vector in rule.vectors}


def find(cited: str) -> RuleText | None:
    """Return the rule that a citation such as Q46, S63.2 or B1 means, or None.

    Args:
        cited: the id, with or without a numbered step behind it.
    """
    name = cited.partition(".")[0].upper()
    return by_id().get(vectors().get(name, name))
