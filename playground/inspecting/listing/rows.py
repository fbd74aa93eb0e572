"""The rows of a listing, whatever printed it: tabs, tables with lines, JSON, statuses that go over several lines.

Their cells are terms of Erlang, read here.
"""

from __future__ import annotations

import contextlib
import csv
import json
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

DEEPEST: Final = 32
"""Terms inside each other; what is deeper is not read."""
TOKEN: Final = re.compile(
    r"""\s+ | "(?:[^"\\]|\\.)*(?:"|$) | <[^<>\s]*>? | [\[\]{}(),|] | => | \#(?=[\[{<]) | [^\s\[\]{}(),|"<]+""",
    re.VERBOSE | re.DOTALL,
)
"""Each character is looked at once: what begins a text or a pid and does not end goes on to the end."""
OPEN: Final = {"[": "]", "{": "}", "(": ")"}

Term = Any
"""A list (of both brackets), or a text: an atom, a number, a pid or a string without its quotes."""


class TermPair(list[Term]):
    """A tuple, or the value of a key."""


def depth_change(line: str) -> int:
    """Return how many brackets a line leaves open; texts and pids do not count."""
    change = 0
    for match in TOKEN.finditer(line):
        if match[0] in OPEN:
            change += 1
        elif match[0] in ("]", "}", ")"):
            change -= 1
    return change


def term(text: str) -> list[Term]:
    """Return the terms in a text; brackets that do not match end where the text does.

    A number or an atom that the text ends within is left out: nobody knows how it goes on.
    """
    whole: list[Term] = []
    inside: list[list[Term]] = [whole]
    too_deep = 0
    for mark in _tokens(text):
        if mark in OPEN:
            if len(inside) > DEEPEST:
                too_deep += 1
                continue
            made: list[Term] = TermPair() if mark == "{" else []
            inside[-1].append(made)
            inside.append(made)
        elif mark in ("]", "}", ")"):
            if too_deep:
                too_deep -= 1
            elif len(inside) > 1:
                inside.pop()
        elif not too_deep and mark not in (",", "|", "#", "=>"):
            inside[-1].append(mark[1:].removesuffix('"') if mark[0] == '"' else mark)
    if len(inside) > 1 and inside[-1] and isinstance(inside[-1][-1], str) and text.endswith(inside[-1][-1]):
        inside[-1].pop()
    return whole


def _tokens(text: str) -> Iterator[str]:
    for match in TOKEN.finditer(text):
        if not match[0].isspace():
            yield match[0]


def pairs(found: list[Term]) -> Iterator[tuple[str, Term]]:
    """Yield the pairs of a list of them: `{key,Value}`, or `key: value` as Elixir writes it."""
    key = ""
    for each in found:
        if key:
            yield key, each
            key = ""
        elif isinstance(each, TermPair) and len(each) > 1 and isinstance(each[0], str):
            yield plain(each[0]), each[1]
        elif isinstance(each, str) and each.endswith(":") and len(each) > 1:
            key = plain(each[:-1])


def plain(atom: str) -> str:
    """Return an atom without Elixir's prefix."""
    return atom.removeprefix(":")


COLUMN: Final = re.compile(r"[a-z][a-z0-9_.]*\Z")
RULE: Final = re.compile(r"[\s+|=_.─│┌┐└┘├┤┬┴┼-]+\Z")
"""A line that only separates."""
SPOKEN: Final = re.compile(
    r"(Timeout: .*|Listing .*|\.\.\.done\.?|Queues on .*:|Reporting server status .*|Warning: .*|% .*"
    r"|[$#>] .*|\S.{0,80}[$#>%] ?(sudo )?(\S{1,80}/)?(rabbitmq|curl |docker |kubectl ).*)\Z"
)
"""What the tools say besides, and the prompt with the command."""
REPORT: Final = re.compile(r"^Reporting server status ", re.MULTILINE)
"""How `rabbitmqctl report` begins."""
LONG: Final = re.compile(r"\s*([^\s:]+):(?: (.*))?\Z")
DASHES: Final = re.compile(r"-{20,}\Z")
PAIRED: Final = re.compile(r'(?<![\w.-])([a-z][\w.-]{0,80})="((?:[^"\\]|\\.)*)"')
"""A value of `rabbitmqadmin -f kvp`, and a label of a metric."""
METRIC: Final = re.compile(
    r"rabbitmq_(?:detailed_)?queue_((?:messages|consumers)[a-z_]*)\{([^{}]*)\}\s+([0-9.e+]{1,24})\b"
)
"""A counter of one queue, as the plugin for Prometheus writes it at /metrics/per-object and /metrics/detailed."""
JSON: Final = re.compile(
    r'^[ \t]*(?:\[\s*\{|\{)\s*"(?:[^"\\]|\\.){0,255}"\s*:|^[ \t]*\[\s*\]\s*\Z', re.MULTILINE
)
"""How JSON of objects begins; above it may stand what a tool says, or the head of an answer."""
ITEMS: Final = re.compile(r'"items"\s*:\s*\[')
"""The list in a page of the HTTP API."""
MOST_NAMED: Final = 20
DELIMITERS: Final = ",;"
"""Between the cells of CSV: as `--formatter csv` prints it, and as some spreadsheets save it."""
COUNTED: Final = frozenset(
    {"name", "messages", "messages_ready", "messages_unacknowledged", "messages_ram", "consumers"}
)
"""Columns that people ask for most: two of them make words between blanks the head of a table."""


class ListingRow(msgspec.Struct):
    """One row.

    Args:
        line: where it begins, from 1.
        cells: by column; without a head, "#1", "#2" and so on.
        headed: whether the columns have their names.
    """

    line: int
    cells: dict[str, Any]
    headed: bool


class LeftOut(msgspec.Struct, frozen=True):
    """Something that was not read: its line, and how it begins."""

    line: int
    text: str


def rows(text: str, left_out: list[LeftOut]) -> Iterator[ListingRow]:
    """Yield the rows of a text.

    Args:
        text: as it was pasted, see `bare_text`.
        left_out: gets the lines that are neither a row nor what tools say besides.
    """
    for form in (_from_json, _from_long, _from_metrics):
        listed = form(text, left_out)
        if listed is not None:
            yield from listed
            return
    head: list[str] = []
    delimiter = ""
    records = list(_records(text))
    torn = len(records) - 1 if text[-1:] != "\n" else None
    for at, (line, whole) in enumerate(records):
        if RULE.match(whole) or SPOKEN.match(whole.strip()):
            if not RULE.match(whole):
                head, delimiter = [], ""
            continue
        delimiter = _delimiter(whole) or delimiter
        cells = _split(whole, delimiter) if delimiter else _cells(whole, head)
        if 1 < len(cells) < len(head) and at == torn:
            cells.pop()  # the text may end within it
        is_row = bool(head) and 1 < len(cells) <= len(head)
        if _is_head(cells):
            head = cells
        elif is_row:
            yield ListingRow(line, dict(zip(head, cells, strict=False)), True)
        elif "[" not in whole and "{" not in whole:
            paired = dict(PAIRED.findall(whole))
            if "name" in paired:
                yield ListingRow(line, paired, True)
            else:
                left_out.append(LeftOut(line, whole.strip()[:80]))
        else:
            yield ListingRow(line, {f"#{at}": cell for at, cell in enumerate(cells, 1)}, False)


def _from_long(text: str, _left_out: list[LeftOut]) -> list[ListingRow] | None:
    """Return the records of `rabbitmqadmin -f long`: a line for each value, and lines of dashes; None for others."""
    found: list[ListingRow] = []
    for number, line in enumerate(text.splitlines(), 1):
        pair = LONG.match(line)
        if DASHES.match(line.strip()):
            found.append(ListingRow(number, {}, True))
        elif pair is not None and found:
            found[-1].cells[pair[1]] = pair[2]
        elif line.strip() and not SPOKEN.match(line.strip()):
            return None
    return [each for each in found if each.cells] or None


def _from_metrics(text: str, _left_out: list[LeftOut]) -> list[ListingRow] | None:
    """Return a row for each queue whose counters a page of metrics has; None for another text."""
    found: dict[tuple[str, str], ListingRow] = {}
    for line, metric, labels, value in _metrics(text):
        place = dict(PAIRED.findall(labels))
        if "queue" in place:
            key = (place.get("vhost", ""), place["queue"])
            row = found.setdefault(key, ListingRow(line, {"name": key[1], "vhost": key[0]}, True))
            row.cells[metric.replace("_unacked", "_unacknowledged")] = value
    return list(found.values()) or None


def _metrics(text: str) -> Iterator[tuple[int, str, str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        found = METRIC.match(line)
        if found is not None:
            with contextlib.suppress(ValueError):
                yield number, found[1], found[2], str(int(float(found[3])))


def _from_json(text: str, left_out: list[LeftOut]) -> list[ListingRow] | None:
    """Return the objects of JSON, as `--formatter json` and the HTTP API print them; None for another text.

    They may be a list, a page with a list, or stand one after the other, as of `jq`. A text that ends within one has
    the ones before it.
    """
    begins = JSON.search(text)
    if begins is None:
        return None
    found: list[dict[str, Any]] = []
    at = begins.start()
    while at < len(text):
        if text[at].isspace() or text[at] in ",[]":
            at += 1
            continue
        try:
            # This one says where the value ends, but takes NaN and half characters; the other one does not.
            end = json.JSONDecoder().raw_decode(text, at)[1]
            each = msgspec.json.decode(text[at:end])
        except (ValueError, RecursionError):
            page = None if found else ITEMS.search(text, at)
            if page is None:
                left_out.append(LeftOut(text.count("\n", 0, at) + 1, text[at : at + 80].strip()))
                break
            at = page.end()
            continue
        if not isinstance(each, dict):
            return None
        inner = each.get("items")
        found += [one for one in inner if isinstance(one, dict)] if isinstance(inner, list) else [each]
        at = end
    return [ListingRow(at, each, True) for at, each in enumerate(found, 1)]


def _records(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line of each record and its text, which may cover several lines."""
    held: list[str] = []
    begin, open_brackets = 1, 0
    for number, line in enumerate(text.splitlines(), 1):
        if held and (open_brackets <= 0 or _begins_anew(line)):
            yield begin, " ".join(held)
            held, open_brackets = [], 0
        if not held:
            if not line.strip():
                continue
            begin = number
        held.append(line)
        open_brackets += depth_change(line)
    if held:
        yield begin, " ".join(held)


def _begins_anew(line: str) -> bool:
    """Return whether a line begins a row, even though earlier brackets are open: the pasted text is cut there."""
    return "\t" in line and not line.startswith((" ", "\t", "{", "[", ",", "]", "}"))


def _cells(line: str, head: list[str]) -> list[str]:
    """Return the cells of a line: between tabs, between the lines of a table, between blanks below such a head, or all.

    A name with blanks in it comes first then.
    """
    bare = line.strip()
    if bare[:1] in "|│" and bare[-1:] in "|│" and len(bare) > 1:
        return [cell.strip() for cell in re.split(r"[|│]", bare[1:-1])]
    if "\t" in line:
        return [cell.strip() for cell in line.split("\t")]
    words = bare.split()
    if len(COUNTED.intersection(words)) > 1 and all(map(COLUMN.match, words)):
        return words
    apart = re.split(r"\s{2,}", bare)
    if len(apart) == len(head):
        return apart
    if head[:1] == ["name"] and len(words) > len(head):
        words[: len(words) - len(head) + 1] = [" ".join(words[: len(words) - len(head) + 1])]
    return words if len(words) == len(head) else [bare]


def _delimiter(line: str) -> str:
    """Return what divides the cells of a line that is the head of a CSV; nothing for another line."""
    return next((each for each in DELIMITERS if each in line and _is_head(_split(line, each))), "")


def _split(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line of CSV; all of it as one where it is none, such as a cell without an end."""
    try:
        return next(csv.reader([line.strip()], delimiter=delimiter))
    except csv.Error:
        return [line]


def _is_head(cells: list[str]) -> bool:
    known = bool({"name", "backing_queue_status"} & set(cells)) or len(COUNTED.intersection(cells)) > 1
    return known and all(COLUMN.match(cell) for cell in cells)
