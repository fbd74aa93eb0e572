"""Marks the words of the glossary in a text, each where it first comes."""

from __future__ import annotations

import re
from functools import cache

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from playground import verdicts

register = template.Library()


@cache
def _words() -> tuple[re.Pattern[str], dict[str, str]]:
    anchors = {word: each.anchor for each in verdicts.glossary().values() for word in (each.term, *each.also)}
    longest_first = sorted(anchors, key=len, reverse=True)
    # Latin words stand alone, also inside of Chinese, which has no spaces.
    any_of = "|".join(re.escape(word) for word in longest_first)
    return re.compile(rf"(?<![A-Za-z0-9_.-])(?:{any_of})(?![A-Za-z0-9_]|-[a-z])", re.IGNORECASE), anchors


@register.filter
def terms(text: str) -> SafeString:
    """Return the text, escaped, with links to the meanings of its words."""
    pattern, anchors = _words()
    seen: set[str] = set()
    parts: list[SafeString] = []
    end = 0
    for found in pattern.finditer(text):
        anchor = anchors.get(found[0]) or anchors.get(found[0].lower(), "")
        if not anchor or anchor in seen:
            continue
        seen.add(anchor)
        parts.append(format_html("{}", text[end : found.start()]))
        address = f"{reverse('glossary')}#{anchor}"
        parts.append(
            format_html('<a class="term" href="{}" data-term="{}">{}</a>', address, anchor, found[0])
        )
        end = found.end()
    parts.append(format_html("{}", text[end:]))
    return mark_safe("".join(parts))  # noqa: S308 - every part has been through format_html
