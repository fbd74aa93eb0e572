"""Recognises a pasted text without figures or settings, so that the page can say what to paste instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from playground.inspecting.configuration import COMPOSE
from playground.inspecting.listing.rows import COLUMN
from playground.inspecting.unreadable import UnreadableInput

SAID: Final = (
    (re.compile(r"^\s*Reporting server status ", re.MULTILINE), "report_without_status"),
    (
        re.compile(
            r"^\s*(Status of node |Cluster status of node |Reporting memory breakdown )", re.MULTILINE
        ),
        "node_status",
    ),
    (re.compile(r"^\s*Listing queues", re.MULTILINE), "listing_without_status"),
    (re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* \[[a-z]{1,20}\] ", re.MULTILINE), "node_log"),
    (re.compile(r"^# (HELP|TYPE) (rabbitmq|erlang)_", re.MULTILINE), "metrics_page"),
    (COMPOSE, "compose_file"),
)
"""What tools say above what they print; a report has all of it."""
VARIABLE: Final = re.compile(r"\s*(?:export\s+)?[A-Z][A-Z0-9_]*=")
"""A line of rabbitmq-env.conf."""
OTHER: Final = re.compile(r"^\s*Listing (?!queues)([a-z]{1,40})", re.MULTILINE)
QUEUE_COLUMNS: Final = frozenset({"messages", "messages_ready", "consumers", "durable", "auto_delete"})
OVERVIEW: Final = frozenset({"queue_totals", "object_totals", "management_version"})
NODE: Final = frozenset({"mem_used", "mem_limit", "disk_free", "disk_free_limit", "memory", "running_nodes"})


def refusal(text: str) -> UnreadableInput:
    """Return why a text is refused: what it is, where that can be told."""
    found = _json(text)
    if found is not None:
        return UnreadableInput(_of_keys(found))
    said = next((code for begins, code in SAID if begins.search(text)), None)
    other = None if said else OTHER.search(text)
    if other is not None:
        return UnreadableInput("other_listing", name=other[1])
    return UnreadableInput(said or _of_lines(text))


def _of_lines(text: str) -> str:
    """Return what a text is that no tool says anything in."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if lines and all(map(VARIABLE.match, lines)):
        return "environment_file"
    return "listing_without_status" if _is_table(lines) else "figures"


def _json(text: str) -> Mapping[str, Any] | None:
    """Return the object in a text, or the first one of its list; None where it is no JSON."""
    try:
        found = msgspec.json.decode(text.strip())
    except (msgspec.DecodeError, RecursionError):
        return None
    if isinstance(found, dict) and isinstance(found.get("items"), list):
        found = found["items"]
    if isinstance(found, list):
        found = found[0] if found else {}
    return found if isinstance(found, dict) else {}


def _of_keys(found: Mapping[str, Any]) -> str:
    """Return what an object is, by its keys."""
    if not OVERVIEW.isdisjoint(found):
        return "overview"
    if "name" in found and not QUEUE_COLUMNS.isdisjoint(found):
        return "listing_without_status"
    if not NODE.isdisjoint(found):
        return "node_status"
    return "figures" if QUEUE_COLUMNS.isdisjoint(found) else "listing_without_status"


def _is_table(lines: list[str]) -> bool:
    """Return whether lines are a listing of queues: by the head's columns, or names and numbers between tabs."""
    rows = [[cell.strip() for cell in re.split(r"[\t|│]", line.strip().strip("|│"))] for line in lines]
    rows = [row for row in rows if len(row) > 1]
    if any(all(map(COLUMN.match, row)) and not QUEUE_COLUMNS.isdisjoint(row) for row in rows):
        return True
    return bool(rows) and all(len(row) == len(rows[0]) and row[-1].isdecimal() for row in rows)
