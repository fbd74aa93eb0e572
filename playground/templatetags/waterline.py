"""Tags of our templates: the engine's catalogue, the builder's fields, links to rules and to words of the glossary."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, get_args

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from engine.releases import PROFILES, RELEASES
from engine.report.transitions.base import Group
from playground import rules
from playground.rules import search
from playground.storybook.cards import MEANINGS
from playground.storybook.story import in_language
from playground.verdicts import found_in

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


register.filter(in_language)


@register.filter
def get(values: Mapping[str, str], name: str) -> str:
    return values.get(name, "")


@register.filter
def get_row(values: Mapping[str, str], name: str) -> tuple[Mapping[str, str], str]:
    """Name a field that each row has once; the filter `row` then returns that of one row."""
    return values, name


@register.filter
def row(begun: tuple[Mapping[str, str], str], number: object) -> str:
    values, name = begun
    return values.get(f"{name}-{number}", "")


ID = r"[A-Z][1-9]\d{0,2}"
CITED = re.compile(rf"\b{ID}(?:\.\d{{1,2}}|-{ID})?\b")


def address(cited: str) -> str | None:
    """Return where the text of a rule, or of a span of rules such as S60-S66, stands; None where there is none."""
    if "-" in cited:
        return f"{reverse('rules')}?{urlencode({'q': cited})}" if search(cited) else None
    found = rules.find(cited)
    return reverse("rule", args=[found.id]) if found else None


@register.filter
def linked(text: str) -> SafeString:
    parts: list[str] = []
    end = 0
    text = str(conditional_escape(text))
    for found in CITED.finditer(text):
        where = address(found[0])
        if where is None:
            continue
        parts += [text[end : found.start()], format_html('<a class="rule" href="{}">{}</a>', where, found[0])]
        end = found.end()
    return mark_safe("".join([*parts, text[end:]]))  # noqa: S308 - the text is escaped, the links are format_html's


@register.filter
def terms(text: str) -> SafeString:
    """Return the text, escaped, with links to the meanings of its words."""
    seen: set[str] = set()
    parts: list[SafeString] = []
    last = 0
    for start, end, anchor in found_in(text):
        if anchor in seen:
            continue
        seen.add(anchor)
        parts.append(format_html("{}", text[last:start]))
        address = f"{reverse('glossary')}#{anchor}"
        parts.append(
            format_html('<a class="term" href="{}" data-term="{}">{}</a>', address, anchor, text[start:end])
        )
        last = end
    parts.append(format_html("{}", text[last:]))
    return mark_safe("".join(parts))  # noqa: S308 - every part has been through format_html
