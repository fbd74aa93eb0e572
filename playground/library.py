"""The ready scenarios: data files beside this module, and their texts, here so that they can be translated."""

from __future__ import annotations

from pathlib import Path

from django.utils.translation import gettext_noop

FOLDER = Path(__file__).resolve().parent / "scenarios"

TITLES = {
    "1-first-burst": gettext_noop("First burst"),
    "2-backlog-and-drain": gettext_noop("Backlog, then drain"),
    "3-persistent-with-confirms": gettext_noop("Persistent, with confirms"),
    "4-what-survives-a-restart": gettext_noop("What survives a restart"),
}

TEXTS = {
    "1-first-burst": gettext_noop(
        "Twelve messages stay in RAM. Forty more cross the paging threshold: bodies sink to disk, whole segments "
        "become delta, and a consumer brings them back one segment at a time."
    ),
    "2-backlog-and-drain": gettext_noop(
        "The broker's own constants: 24 000 messages of 4 kB against 512 MB of RAM, then a consumer that drains "
        "them. Watch segments of 2 048 return to q3."
    ),
    "3-persistent-with-confirms": gettext_noop(
        "Two publishers wait for confirms, one with messages small enough to live in the index, one with larger "
        "ones in the store. When does each confirm leave?"
    ),
    "4-what-survives-a-restart": gettext_noop(
        "Persistent and transient messages meet a clean stop, a killed node and a power cut. Predict how many "
        "are left after each."
    ),
}


def files() -> list[Path]:
    """Return the data files, in the order in which the page lists them."""
    return sorted(FOLDER.glob("*.json"))
