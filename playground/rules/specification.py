"""A document of the specification, cut into its sections and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

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
        """The worked vectors that are in its text."""
        return VECTOR.findall(self.text)


class RuleSection(msgspec.Struct, frozen=True):
    """A section: its heading, what is before its first rule, and its rules.

    Args:
        anchor: its place on the page of the whole document.
        level: 2 or 3, as headings count.
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
        """Every rule, in the order of the text."""
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
    """Cut a document of the specification into sections and rules.

    Args:
        name: the document's name, as its address has it.
        text: the document, in Markdown.
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
