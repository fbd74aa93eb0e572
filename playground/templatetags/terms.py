"""Marks the words of the glossary in a text, each where it first comes."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from playground.verdicts.marking import found_in

register = template.Library()


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
