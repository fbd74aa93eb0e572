"""Titles of compared runs in the reader's language: of what A is, and what was changed in it."""

from __future__ import annotations

import re
from typing import Final

from django.conf import settings
from django.utils import translation

from playground.comparing.changes import CHANGES
from playground.comparing.ready import READY
from playground.library import ready_scenarios

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
