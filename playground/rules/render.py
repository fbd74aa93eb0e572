"""Markdown of the specification to HTML: raw HTML is escaped, and every rule that is named becomes a link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from playground import rules

CITED = re.compile(
    r"\b(?P<rule>[A-Z][1-9]\d*(?:\.\d+)?)\b|§(?P<section>\d+[a-z]?)"
    r"|\b(?P<document>queue-v2|queue|storage|mirrors)\.md\b(?: §(?P<within>\d+[a-z]?))?"
)


LINES_MATTER = ("queue",)
"""The documents in which a line is a thought of its own; the others are wrapped at a width."""


@cache
def _markdown(document: str) -> MarkdownIt:
    options = {"breaks": document in LINES_MATTER}
    markdown = MarkdownIt("js-default", options)  # tables, and no raw HTML
    markdown.core.ruler.push("citations", _link_citations)
    for name, function in (("table_open", _table_open), ("table_close", _table_close), ("fence", _fence)):
        markdown.add_render_rule(name, function)
    return markdown


def html(text: str, document: str, own: str = "") -> SafeString:
    """Return a piece of the specification as HTML.

    Args:
        text: the Markdown.
        document: the document that it is from, which `§` means.
        own: the id of the rule whose text it is; it does not link to itself.
    """
    return mark_safe(_markdown(document).render(text, {"document": document, "own": own}))  # noqa: S308 - raw HTML is off


def plain(text: str) -> str:
    """Return the words of a Markdown text, without its marks."""
    tokens = _markdown("").parse(text, {"document": "queue", "own": ""})
    words = (
        token.content or (" " if token.block or token.type.endswith("break") else "")
        for token in _flat(tokens)
    )
    return " ".join("".join(words).split())


def _flat(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.children:
            yield from _flat(token.children)
        else:
            yield token


def _link_citations(state: Any) -> None:
    for token in state.tokens:
        if token.children:
            token.children = list(_linked(token.children, state.env))


def _linked(children: Sequence[Token], env: dict[str, str]) -> Iterator[Token]:
    for child in children:
        if child.type != "text":
            yield child
            continue
        end = 0
        for found in CITED.finditer(child.content):
            address = _address(found, env)
            if address is None:
                continue
            yield _text(child.content[end : found.start()])
            yield Token("link_open", "a", 1, attrs={"href": address})
            yield _text(found[0])
            yield Token("link_close", "a", -1)
            end = found.end()
        yield _text(child.content[end:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _address(found: re.Match[str], env: dict[str, str]) -> str | None:
    """Return where a citation leads; None where it names nothing here, or the very rule that is shown."""
    section = found["section"] or found["within"]
    if section or found["document"]:
        document = reverse("rules-document", args=[found["document"] or env["document"]])
        return f"{document}#section-{section}" if section else document
    rule = rules.find(found["rule"])
    return None if rule is None or rule.id == env["own"] else reverse("rule", args=[rule.id])


# What may be wider than a phone scrolls by itself, with the keyboard as well.


def _table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0"><table class="plain">\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _fence(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return str(renderer.fence(tokens, index, options, env)).replace("<pre>", '<pre tabindex="0">', 1)
