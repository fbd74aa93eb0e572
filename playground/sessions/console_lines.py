"""What the page's console and its "stands for" lines need before anything is asked."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from engine.broker.commands.settings import release_of
from engine.ctl.releases import FACTS
from engine.ctl.releases.facts import ReleaseFacts
from engine.ctl.stands_for import STANDS_FOR
from engine.ctl.usage import USAGES


def page_data(scenario: dict[str, Any]) -> dict[str, Any]:
    """Return the commands of a run's release with what completes their arguments, and the lines behind the controls."""
    return _data_of(release_of(scenario["profile"], scenario.get("settings", {})).name)


@cache
def _data_of(release: str) -> dict[str, Any]:
    facts = FACTS.get(release)
    known = sorted(USAGES.keys() & frozenset().union(*facts.commands.values())) if facts else ()
    return {
        "commands": {name: _completed(facts, name) for name in known if facts},
        "stands_for": {name: msgspec.structs.asdict(each) for name, each in STANDS_FOR.items()},
    }


def _completed(facts: ReleaseFacts, name: str) -> list[str]:
    """Return what can stand behind a command: columns, and options."""
    usage = facts.usage(name)
    return [
        *facts.columns.get(name, ()),
        *(f"--{each}" for each in dict.fromkeys((*usage.options, *usage.flags))),
    ]
