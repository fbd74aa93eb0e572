"""The specification: every rule that code, tests and pages cite by its number, from docs/rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from playground.typed_texts import first_form, ranked
from playground.typed_texts import plain as plain_words

HEADING = re.compile(r"^(#{1,3}) +(?:(\d+[a-z]?)\. +)?(.+?)(?: \([A-Z]\d+-[A-Z]\d+\))?$")
BEGINS = re.compile(r"^(?:[-*] )?\*\*(?:Vector )?(?P<id>[A-Z]\d+)\b(?P<title>[^*]*)\*\*")
VECTOR = re.compile(r"\bVector ([A-Z]\d+)\b")
FENCE = "```"
SHORT, LONG = 12, 90
"""Letters of a heading: what is shorter takes in the next sentence, what is longer is cut."""


class RuleText(msgspec.Struct, frozen=True):
    """One rule of the specification.

    Args:
        id: a letter for what it is about, and a number.
        document: the name of the document that defines it.
        section: the anchor of the section that it is in.
        title: its own title; empty where it has none.
        text: what is after its id and title, in Markdown.
    """

    id: str
    document: str
    section: str
    title: str
    text: str

    @property
    def heading(self) -> str:
        """Its title, or the beginning of its text, without marks of Markdown."""
        plain = re.sub(r"[*`]|\[(?:run|node)\]", "", self.title or self.text.split("\n\n", 1)[0])
        words = " ".join(plain.split())
        sentence = re.split(r"(?<=[.;]) ", words, maxsplit=1)[0]
        if not self.title and len(sentence) < SHORT:
            sentence = words
        sentence = sentence.rstrip(".:;")
        return sentence if len(sentence) <= LONG else sentence[:LONG].rpartition(" ")[0] + " …"

    @property
    def vectors(self) -> list[str]:
        return VECTOR.findall(self.text)


class RuleSection(msgspec.Struct, frozen=True):
    """A section: its heading, what is before its first rule, and its rules. `anchor`: its place on the page of the
    whole document. `level`: 2 or 3, as headings count.
    """

    anchor: str
    number: str
    title: str
    level: int
    text: str
    rules: list[RuleText]


class RuleDocument(msgspec.Struct, frozen=True):
    """A document: its title, what is before its first section, and its sections."""

    name: str
    title: str
    text: str
    sections: list[RuleSection]

    @property
    def rules(self) -> Iterator[RuleText]:
        return (rule for section in self.sections for rule in section.rules)


class _Piece:
    """Lines under one heading or behind one rule's beginning."""

    def __init__(self, head: re.Match[str] | None) -> None:
        self.head = head
        self.lines: list[str] = []

    @property
    def is_rule(self) -> bool:
        return self.head is not None and self.head.re is BEGINS

    def text(self) -> str:
        """Return the lines as separate Markdown: a rule's list item becomes plain paragraphs."""
        return "\n".join(_unlisted(self.lines)).strip("\n") + "\n"


def parsed(name: str, text: str) -> RuleDocument:
    """Cut a document of the specification into sections and rules. `name`: the document's name, as its address has
    it.
    """
    title, opening, sections = name, "", []
    section: RuleSection | None = None
    for piece in _pieces(text):
        if piece.head is None:
            opening += piece.text()
        elif not piece.is_rule and len(piece.head[1]) == 1:
            title, opening = piece.head[3], piece.text()
        elif not piece.is_rule:
            anchor = f"section-{piece.head[2] or re.sub('[^a-z0-9]+', '-', piece.head[3].lower()).strip('-')}"
            section = RuleSection(
                anchor, piece.head[2] or "", piece.head[3], len(piece.head[1]), piece.text(), rules=[]
            )
            sections.append(section)
        elif section is not None:
            section.rules.append(_rule(name, section, piece))
    return RuleDocument(name, title, opening, sections)


def _pieces(text: str) -> Iterator[_Piece]:
    piece, fenced = _Piece(None), False
    for line in text.splitlines():
        fenced ^= line.lstrip().startswith(FENCE)
        found = None if fenced else HEADING.match(line) or BEGINS.match(line)
        # A vector that has a paragraph of its own belongs to the rule before it.
        if found is not None and not VECTOR.match(line.lstrip("*- ")):
            yield piece
            piece = _Piece(found)
            if found.re is HEADING:
                continue
        piece.lines.append(line)
    yield piece


def _unlisted(lines: list[str]) -> Iterator[str]:
    """Yield lines without the mark of a list's item at the first, and without its indent at those that go with it."""
    listed = bool(lines) and lines[0][:2] in ("- ", "* ")
    fence = ""
    for number, line in enumerate(lines):
        if listed and (number == 0 or (line.startswith("  ") and not (fence and not fence.startswith("  ")))):
            yield line[2:]
        else:
            yield line
        if line.lstrip().startswith(FENCE):
            fence = "" if fence else line


def _rule(document: str, section: RuleSection, piece: _Piece) -> RuleText:
    assert piece.head is not None  # noqa: S101 - a rule begins with its head
    text = BEGINS.sub("", piece.text(), count=1).lstrip(" :.,")
    return RuleText(piece.head["id"], document, section.anchor, piece.head["title"].strip(" :.,"), text)


FOLDER = Path(settings.BASE_DIR) / "docs" / "rules"


@cache
def documents() -> dict[str, RuleDocument]:
    """Return the documents of the specification by name, in the order of their reading."""
    return {
        name: parsed(name, (FOLDER / f"{name}.md").read_text(encoding="utf-8"))
        for name in ("queue", "storage", "mirrors", "queue-v2")
    }


@cache
def by_id() -> dict[str, RuleText]:
    return {rule.id: rule for document in documents().values() for rule in document.rules}


@cache
def vectors() -> dict[str, str]:
    """Return, for each worked vector such as B1, the id of the rule whose text has it."""
    return {vector: rule.id for rule in by_id().values() for vector in rule.vectors}


def find(cited: str) -> RuleText | None:
    """Return the rule that a citation such as Q46, S63.2 or B1 means, or None. `cited`: the id, with or without a
    numbered step behind it.
    """
    name = cited.partition(".")[0].upper()
    return by_id().get(vectors().get(name, name))


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
    """Return a piece of the specification as HTML. `document`: the document that it is from, which `§` means. `own`:
    the id of the rule whose text it is; it does not link to itself.
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
    rule = find(found["rule"])
    return None if rule is None or rule.id == env["own"] else reverse("rule", args=[rule.id])


# What may be wider than a phone scrolls by itself, with the keyboard as well.


def _table_open(*_: Any) -> str:
    return '<div class="scroll" tabindex="0"><table class="plain">\n'


def _table_close(*_: Any) -> str:
    return "</table></div>\n"


def _fence(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return str(renderer.fence(tokens, index, options, env)).replace("<pre>", '<pre tabindex="0">', 1)


SPAN = re.compile(r"([A-Za-z])(\d{1,3})\s*[-–]\s*[A-Za-z]?(\d{1,3})")
LONGEST_QUERY = 100
AROUND = 70


class SearchHit(msgspec.Struct, frozen=True):
    """A rule that was found, with the words around the first match: before it, the match, after it."""

    rule: RuleText
    before: str = ""
    match: str = ""
    after: str = ""


@cache
def _shown() -> dict[str, str]:
    return {
        rule.id: " ".join(filter(None, (rule.id, plain(rule.title or ""), plain(rule.text))))
        for rule in by_id().values()
    }


@cache
def _texts() -> dict[str, tuple[str, str]]:
    """Return heading and text of each rule, as words are compared."""
    return {
        rule.id: (plain_words(f"{rule.id} {rule.heading}"), plain_words(_shown()[rule.id]))
        for rule in by_id().values()
    }


def search(query: str) -> list[SearchHit]:
    """Return the rules that a query means, the best first. `query`: an id, a span of ids, or words; what is longer
    than LONGEST_QUERY is cut.
    """
    query = query.strip()[:LONGEST_QUERY]
    span = SPAN.fullmatch(query)
    if span:
        family, first, last = span[1].upper(), int(span[2]), int(span[3])
        return [
            SearchHit(rule)
            for rule in by_id().values()
            if rule.id[0] == family and first <= int(rule.id[1:]) <= last
        ]
    exact = find(query) if query else None
    best = ranked(query, _texts())
    found = [_hit(by_id()[rule_id], best.words) for rule_id in best.keys]
    return [SearchHit(exact), *(hit for hit in found if hit.rule is not exact)] if exact else found


def _hit(rule: RuleText, words: list[str]) -> SearchHit:
    """Return a rule with the words around the rarest of the query's words that it has."""
    text, (_heading, plain_text) = _shown()[rule.id], _texts()[rule.id]
    form = next(filter(None, (first_form(word, plain_text) for word in words)), "")
    found = re.search(re.escape(form), text, re.IGNORECASE) if form else None
    if found is None:  # casefold has more pairs of letters than a regular expression does
        return SearchHit(rule)
    first, last = max(0, found.start() - AROUND), found.end() + AROUND
    before, after = text[first : found.start()], text[found.end() : last]
    return SearchHit(
        rule, ("…" if first else "") + before, found[0], after + ("…" if last < len(text) else "")
    )
