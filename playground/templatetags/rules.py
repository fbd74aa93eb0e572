"""Makes the rules that a text names into links to what they say."""

from __future__ import annotations

import re

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe

from playground import rules
from playground.rules import search

register = template.Library()

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
