"""The rows of a listing, whatever printed it: tabs, tables with lines, JSON, statuses that go over several lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from playground.inspecting.listing.terms import depth_change

COLUMN: Final = re.compile(r"[a-z][a-z0-9_.]*\Z")
RULE: Final = re.compile(r"[\s+|=_.─│┌┐└┘├┤┬┴┼-]+\Z")
"""A line that only separates."""
SPOKEN: Final = re.compile(
    r"(Timeout: .*|Listing .*|\.\.\.done\.?|Queues on .*:|Reporting server status .*|Warning: .*|% .*)\Z"
)
"""What the tools say besides."""
LONG: Final = re.compile(r"\s*([a-z][a-z0-9_.]*):(?: (.*))?\Z")
DASHES: Final = re.compile(r"-{20,}\Z")
MOST_NAMED: Final = 20
QUOTED: Final = re.compile(r"^> ?", re.MULTILINE)
"""How the lines of a mail begin that somebody answers."""
DELIMITERS: Final = ",;"
"""Between the cells of CSV: as `--formatter csv` prints it, and as some spreadsheets save it."""


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
        text: as it was pasted.
        left_out: gets the lines that are neither a row nor what tools say besides.
    """
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    if all(line.startswith(">") for line in text.splitlines() if line.strip()):
        text = QUOTED.sub("", text)
    listed = _from_json(text)
    if listed is None:
        listed = _from_long(text)
    if listed is not None:
        yield from listed
        return
    head: list[str] = []
    delimiter = ""
    for line, whole in _records(text):
        if RULE.match(whole) or SPOKEN.match(whole.strip()):
            if not RULE.match(whole):
                head, delimiter = [], ""
            continue
        delimiter = _delimiter(whole) or delimiter
        cells = _split(whole, delimiter) if delimiter else _cells(whole)
        if _is_head(cells):
            head = cells
        elif "[" not in whole and "{" not in whole and not (head and len(cells) == len(head) > 1):
            left_out.append(LeftOut(line, whole.strip()[:80]))
        elif head and len(cells) == len(head):
            yield ListingRow(line, dict(zip(head, cells, strict=True)), True)
        else:
            yield ListingRow(line, {f"#{at}": cell for at, cell in enumerate(cells, 1)}, False)


def _from_long(text: str) -> list[ListingRow] | None:
    """Return the records of `rabbitmqadmin -f long`: a line for each value, and lines of dashes; None for others."""
    found: list[ListingRow] = []
    begun = False
    for number, line in enumerate(text.splitlines(), 1):
        pair = LONG.match(line)
        if DASHES.match(line.strip()):
            begun = True
            found.append(ListingRow(number, {}, True))
        elif pair is not None and found:
            found[-1].cells[pair[1]] = pair[2]
        elif line.strip():
            return None
    return [each for each in found if each.cells] if begun else None


def _from_json(text: str) -> list[ListingRow] | None:
    """Return the objects of a JSON list, as `--formatter json` and the HTTP API print them; None for another text.

    What the tools print above and below it is ignored; each line may be an object of its own, too, as of `jq -c`.
    """
    said = [(at, line) for at, line in enumerate(text.splitlines(), 1) if not SPOKEN.match(line.strip())]
    lines = [(at, line) for at, line in said if line.strip()]
    if not lines or not lines[0][1].lstrip().startswith(("[", "{")):
        return None
    try:
        found = msgspec.json.decode("\n".join(line for _, line in lines))
    except (msgspec.DecodeError, RecursionError):
        return _from_json_lines(lines)
    if isinstance(found, dict):
        found = found["items"] if isinstance(found.get("items"), list) else [found]
    if not all(isinstance(each, dict) for each in found):
        return None
    return [ListingRow(at, each, True) for at, each in enumerate(found, 1)]


def _from_json_lines(lines: list[tuple[int, str]]) -> list[ListingRow] | None:
    try:
        return [ListingRow(at, msgspec.json.decode(line, type=dict[str, Any]), True) for at, line in lines]
    except (msgspec.DecodeError, RecursionError):
        return None


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


def _cells(line: str) -> list[str]:
    """Return the cells of a line: between tabs, between the lines of a table, or all of it."""
    bare = line.strip()
    if bare[:1] in "|│" and bare[-1:] in "|│" and len(bare) > 1:
        return [cell.strip() for cell in re.split(r"[|│]", bare[1:-1])]
    if "\t" in line:
        return [cell.strip() for cell in line.split("\t")]
    return [bare]


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
    return bool({"name", "backing_queue_status"} & set(cells)) and all(COLUMN.match(cell) for cell in cells)
