"""What the command line of each release says. For a release without facts, Waterline says that it has no console."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.broker.commands.settings import release_of
from engine.ctl.releases.common import V3_8_9, V3_10_8
from engine.ctl.releases.facts import NotHere, ReleaseFacts
from engine.ctl.releases.v4 import V4_0_5, V4_3_6
from engine.releases import BrokerRelease

FACTS: Final = {each.version: each for each in (V3_8_9, V3_10_8, V4_0_5, V4_3_6)}
"""By the name of the release."""

KNOWN_COLUMNS: Final = frozenset(
    column for facts in FACTS.values() for columns in facts.columns.values() for column in columns
)
"""All columns of all listings and releases; rabbitmqctl reports a known word before an unknown one."""


def release_shown(state: Mapping[str, Any]) -> BrokerRelease:
    settings = state["node"]["settings"]
    return release_of(settings["profile"], settings)


def facts_of(state: Mapping[str, Any]) -> ReleaseFacts:
    """Return the facts of the release whose rules a snapshot follows.

    Raises:
        NotHere: there are none.
    """
    release = release_shown(state)
    if release.name not in FACTS:
        raise NotHere(f"what the command line of RabbitMQ {release.name} answers is not known here")
    return FACTS[release.name]
