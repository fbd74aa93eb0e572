"""Recognises a pasted text without figures or settings, so that the page can say what to paste instead."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from playground.inspecting.configuration import kind_of
from playground.inspecting.listing.rows import COLUMN, JSON, REPORT, SPOKEN
from playground.inspecting.unreadable import UnreadableInput

SAID: Final = (
    (REPORT, "report_without_status"),
    (
        re.compile(
            r"^[ \t]*(Status of node |Cluster status of node |Reporting memory breakdown )", re.MULTILINE
        ),
        "node_status",
    ),
    (re.compile(r"^[ \t]*##  ##  +RabbitMQ \d", re.MULTILINE), "node_log"),
)
"""What tools say above what they print; a report has all of it."""
LISTING: Final = re.compile(r"^[ \t]*Listing queues", re.MULTILINE)
FAILED: Final = re.compile(
    r"^(?:Error(?: \([a-z ]{1,40}\))?:|\*\* \(?exception error:?)\s*(\S[^\n]{0,200})", re.MULTILINE
)
"""How a tool says that it did not do what was asked."""
VARIABLE: Final = re.compile(r"\s*(?:export\s+)?[A-Z][A-Z0-9_]*=")
"""A line of rabbitmq-env.conf."""
OTHER: Final = re.compile(r"^[ \t]*Listing (?!queues)([a-z]{1,40})", re.MULTILINE)
QUEUE_COLUMNS: Final = frozenset({"messages", "messages_ready", "consumers", "durable", "auto_delete"})
PLACES: Final = frozenset({"messages_ram", "messages_paged_out", "backing_queue_status"})
OVERVIEW: Final = frozenset({"queue_totals", "object_totals", "management_version"})
NODE: Final = frozenset({"mem_used", "mem_limit", "disk_free", "disk_free_limit", "memory", "running_nodes"})
ENTRY: Final = frozenset({"level", "msg"})
"""Of a log in JSON."""


def refusal(text: str) -> UnreadableInput:
    """Return why a text is refused: what it is, where that can be told."""
    begins = JSON.search(text)
    if begins is not None:
        return _of_json(text[begins.start() :])
    failed = FAILED.search(text)
    if failed is not None:
        return UnreadableInput("tool_failed", says=failed[1].strip())
    said = next((code for begins, code in SAID if begins.search(text)), None) or kind_of(text)
    other = None if said else OTHER.search(text)
    if other is not None:
        return UnreadableInput("other_listing", name=other[1])
    return UnreadableInput(said or _of_lines(text))


def _of_lines(text: str) -> str:
    """Return what a text is that no tool says anything in but that it lists queues."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if lines and all(map(VARIABLE.match, lines)):
        return "environment_file"
    rows = [line for line in lines if not SPOKEN.match(line.strip())]
    if LISTING.search(text) and not rows:
        return "no_queues"
    if rows and not PLACES.isdisjoint(re.split(r"[\s|│,;\"]+", rows[0])):
        return "cut_text" if len(rows) > 1 or text[-1:] != "\n" else "no_queues"
    return "listing_without_status" if LISTING.search(text) or _is_table(lines) else "figures"


def _of_json(text: str) -> UnreadableInput:
    """Return what JSON is, by the keys of its first object."""
    try:
        found = json.JSONDecoder().raw_decode(text.strip())[0]
    except (ValueError, RecursionError):
        return UnreadableInput("cut_text")
    if isinstance(found, dict) and isinstance(found.get("items"), list):
        found = found["items"]
    if isinstance(found, list):
        if not found:
            return UnreadableInput("no_queues")
        found = found[0]
    if not isinstance(found, dict):
        return UnreadableInput("figures")
    if isinstance(found.get("error"), str):
        return UnreadableInput(
            "tool_failed", says=f"{found['error']} {found.get('reason') or ''}".strip()[:200]
        )
    return UnreadableInput(_of_keys(found))


def _of_keys(found: Mapping[str, Any]) -> str:
    if not OVERVIEW.isdisjoint(found):
        return "overview"
    if set(found) >= ENTRY:
        return "node_log"
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
