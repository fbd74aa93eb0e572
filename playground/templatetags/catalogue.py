"""What the engine's catalogue offers to templates."""

from __future__ import annotations

import json
from typing import Any, get_args

from django import template
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from engine.releases import PROFILES, RELEASES
from engine.report.transitions.base import Group
from playground.storybook.stage_picture import MEANINGS

register = template.Library()

LABELS: dict[str, Any] = {
    "messages": pgettext_lazy("group of transitions", "messages"),  # elsewhere a unit behind a number
    "memory": _("memory"),
    "files": _("files"),
    "node": _("node"),
}


@register.simple_tag
def log_groups() -> list[tuple[str, Any]]:
    return [(group, LABELS[group]) for group in get_args(Group)]


PROFILE_LABELS: dict[str, Any] = {
    "classroom": _("classroom sizes"),
    "real": _("real sizes"),
    "articles": _("3.8, as in the articles"),
    "3.8.9-classroom": _("3.8 in classroom sizes"),
    "4.0.5": _("4.0 in real sizes"),
    "4.0.5-classroom": _("4.0 in classroom sizes"),
    "4.3.6": _("4.3 in real sizes"),
    "4.3.6-classroom": _("4.3 in classroom sizes"),
}
"""What each profile of the table of releases is called on a page."""


@register.simple_tag
def profiles() -> list[str]:
    return list(PROFILES)


@register.simple_tag
def releases() -> list[tuple[str, str]]:
    """Return the series and the name of each release of the table, the oldest first."""
    return [(series, each.name) for series, each in RELEASES.items()]


@register.simple_tag
def series_json() -> str:
    """Return the series of each profile's release by the profile's word, as an object of JSON."""
    return json.dumps({word: each.release.series for word, each in PROFILES.items()})


@register.simple_tag
def stage_keys() -> Any:
    """Return the Greek letters and what they mean, as the legend of a drawn stage shows them."""
    return MEANINGS.items()


@register.filter
def profile_label(word: str) -> Any:
    return PROFILE_LABELS[word]


@register.simple_tag
def profiles_json() -> str:
    """Return the labels of all profiles by their words, as an object of JSON."""
    return json.dumps({word: str(PROFILE_LABELS[word]) for word in PROFILES}, ensure_ascii=False)
