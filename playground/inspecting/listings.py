"""Pasted listings: rows of any form, whatever printed them, each queue's figures, and what was not read.

Cells are terms of Erlang, read here.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.backing_queue.status import MANY_PENDING, PrintedStatus, Question, StatusReader
from engine.generations import STATUSES
from playground.inspecting.uploads import UnreadableInput

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
    """Return the terms in a text; brackets that do not match end where the text does. A number or an atom that the
    text ends within is left out: nobody knows how it goes on.
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
    """One row. `line`: where it begins, from 1. `cells`: by column; without a head, "#1", "#2" and so on. `headed`:
    whether the columns have their names.
    """

    line: int
    cells: dict[str, Any]
    headed: bool


class LeftOut(msgspec.Struct, frozen=True):
    """Something that was not read: its line, and how it begins."""

    line: int
    text: str


def rows(text: str, left_out: list[LeftOut]) -> Iterator[ListingRow]:
    """Yield the rows of a text. `text`: as it was pasted, see `bare_text`. `left_out`: gets the lines that are
    neither a row nor what tools say besides.
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
        heads = (each for each in DELIMITERS if each in whole and _is_head(_split(whole, each)))
        delimiter = next(heads, delimiter)
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
    """Return the objects of JSON, as `--formatter json` and the HTTP API print them; None for another text. They
    may be a list, a page with a list, or stand one after the other, as of `jq`. A text that ends within one has the
    ones before it.
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
        # a line that begins a row though brackets are open: the pasted text is cut there
        is_anew = "\t" in line and not line.startswith((" ", "\t", "{", "[", ",", "]", "}"))
        if held and (open_brackets <= 0 or is_anew):
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


def _cells(line: str, head: list[str]) -> list[str]:
    """Return the cells of a line: between tabs, between the lines of a table, between blanks below such a head, or
    all. A name with blanks in it comes first then.
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


def _split(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line of CSV; all of it as one where it is none, such as a cell without an end."""
    try:
        return next(csv.reader([line.strip()], delimiter=delimiter))
    except csv.Error:
        return [line]


def _is_head(cells: list[str]) -> bool:
    known = bool({"name", "backing_queue_status"} & set(cells)) or len(COUNTED.intersection(cells)) > 1
    return known and all(COLUMN.match(cell) for cell in cells)


MOST_CHARS: Final = 200_000
MOST_QUEUES: Final = 50
STATUS: Final = "backing_queue_status"
USUAL: Final = STATUSES[-1]
KNOWN: Final = frozenset(
    "mode version len pending_acks num_pending_acks num_unconfirmed next_seq_id next_deliver_seq_id persistent_count "
    "avg_ingress_rate avg_egress_rate avg_ack_ingress_rate avg_ack_egress_rate priority_lengths mirror_seen "
    "mirror_senders".split()
).union(*(reader.keys for reader in STATUSES))
"""What statuses of releases from 3.0 to 4.3 have."""
OWN: Final = KNOWN - {"mode", "version"}
"""What nothing else has: a client tells its version, too."""
READ: Final = frozenset(
    {"name", "vhost", "arguments", STATUS, "messages", "messages_ready", "messages_unacknowledged"}
)
"""Columns that are used."""
SPREAD: Final = "backing_queue_status."
"""How the columns of a status begin that `rabbitmqadmin --depth=3 list queues` spreads over a table."""

IN_RAM, ON_DISK = "messages_ram", "messages_paged_out"
COUNTERS: Final = tuple(
    f"messages messages_ready messages_unacknowledged {IN_RAM} consumers storage_version".split()
)
"""Columns that a listing of any release has, which are read where no status is there."""
QUEUES_OF_REPORT: Final = re.compile(
    r"^Listing queues for vhost [^\n]*\n.*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL
)
BINARY: Final = re.compile(r'<<(?:"((?:[^"\\]|\\.)*)"(/utf8)?|(\d{1,3}(?:\s*,\s*\d{1,3})*))>>')
"""A binary as Erlang prints it: as text, or as its bytes where one of them is no letter of Latin-1."""
TYPES: Final = {"rabbit_quorum_queue": "quorum", "rabbit_stream_queue": "stream"}
"""Types of queues that have no places of these kinds, as some tools call them."""

Lane = tuple[str, int | None, int, str]


class QueueFigures(msgspec.Struct, frozen=True):
    """One queue's. `name`: the queue's, or its place in the text. `lanes`: each place from the tail to the head:
    its name, its messages (None where the text does not have them), their share of the most (0 to 100), where.
    `values`: everything that was found, by name. `questions`: what somebody should ask about it, by code, each with
    the numbers in its sentence.
    """

    name: str
    lanes: list[Lane]
    values: dict[str, str]
    questions: list[Question]


class QueueListing(msgspec.Struct, frozen=True):
    """What a text has. `left_out`: lines that were not read, the first of them. `columns`: names of columns that
    are not used. `more`: queues beyond those that can be shown. `rest`: characters beyond those that are read.
    """

    figures: list[QueueFigures]
    left_out: list[LeftOut]
    left_out_count: int
    columns: list[str]
    more: int
    rest: int


def read(text: str) -> QueueListing:
    """Return the figures of each queue in a text; raise Unreadable where no status is in it."""
    found: list[QueueFigures] = []
    left_out: list[LeftOut] = []
    columns: dict[str, None] = {}
    more = 0
    others = 0
    if REPORT.search(text):
        text = "\n\n".join(QUEUES_OF_REPORT.findall(text)) or text
    for row in itertools.chain.from_iterable(map(_each_queue, rows(text[:MOST_CHARS], left_out))):
        kind = str(row.cells.get("type") if row.headed else "")
        if TYPES.get(kind, kind) in TYPES.values():
            left_out.append(LeftOut(row.line, f"{row.cells.get('name')}: {TYPES.get(kind, kind)}"[:80]))
            others += 1
            continue
        status, cell = _status(row)
        if not status and _counters(row) is None:
            left_out.append(LeftOut(row.line, " ".join(map(str, row.cells.values()))[:80]))
            continue
        if len(found) == MOST_QUEUES:
            more += 1
            continue
        figures = _figures(row, status, cell, len(found) + 1) if status else _of_counters(row, len(found) + 1)
        columns |= dict.fromkeys(_unused(row, cell, figures.name))
        found.append(figures)
    if not found:
        raise UnreadableInput("other_queues" if others else "figures")
    rest = max(0, len(text) - MOST_CHARS)
    return QueueListing(found, left_out[:MOST_NAMED], len(left_out), list(columns), more, rest)


def _each_queue(row: ListingRow) -> Iterator[ListingRow]:
    """Yield a row for each queue that Erlang's form has, as `rabbitmqctl eval` prints it; any other row as it is.
    Such a text is one property list, or a list of them.
    """
    whole = row.cells.get("#1")
    begin = whole.find("[") if isinstance(whole, str) and not row.headed else -1
    if begin < 0:
        yield row
        return
    outer = term(BINARY.sub(_binary_text, str(whole)[begin:]))
    listed = outer[0] if outer and isinstance(outer[0], list) else []
    every = [listed] if any(isinstance(each, TermPair) for each in listed) else listed
    found = [dict(pairs(each)) for each in every if isinstance(each, list)]
    found = [each for each in found if "name" in each and not (STATUS in each and not each[STATUS])]
    for each in found:
        cells: dict[str, Any] = {key: value for key, value in each.items() if isinstance(value, str)}
        if isinstance(each.get("arguments"), list):
            cells["arguments"] = each["arguments"]
        if isinstance(each.get(STATUS), list):
            cells[STATUS] = dict(pairs(each[STATUS]))
        resource = each["name"]
        if isinstance(resource, TermPair) and len(resource) == len(("resource", "vhost", "queue", "name")):
            cells |= {"vhost": str(resource[1]), "name": str(resource[3])}
        yield ListingRow(row.line, cells, True)
    if not found:
        yield row


def _binary_text(found: re.Match[str]) -> str:
    text, is_utf8, numbers = found.groups()
    if numbers is not None:
        given = bytes(min(int(each), 255) for each in re.findall(r"\d+", numbers))
        text = given.decode(errors="replace").replace('"', "'")
    elif not is_utf8 and not text.isascii():
        with contextlib.suppress(UnicodeError):
            text = text.encode("latin-1").decode()
    return f'"{text}"'


def _counters(row: ListingRow) -> tuple[int, int] | None:
    """Return messages, and how many of them are in RAM, where a row without a status says both; see W73."""
    if not row.headed:
        return None
    messages, in_ram = _both(row, "messages", ""), _both(row, "messages", "_ram")
    paged_out = _whole(row.cells.get(ON_DISK))
    if in_ram is None and messages is not None and paged_out is not None:
        in_ram = max(0, messages - paged_out)
    return None if messages is None or in_ram is None else (messages, min(in_ram, messages))


def _both(row: ListingRow, name: str, of: str) -> int | None:
    """Return a counter, or the sum of its two parts."""
    ready, unacked = (_whole(row.cells.get(f"{name}_{part}{of}")) for part in ("ready", "unacknowledged"))
    whole = _whole(row.cells.get(f"{name}{of}"))
    return ready + unacked if whole is None and ready is not None and unacked is not None else whole


def _of_counters(row: ListingRow, number: int) -> QueueFigures:
    """Return what the counters alone say of a queue: what is in RAM, and what is on disk alone."""
    messages, in_ram = _counters(row) or (0, 0)
    counts = {ON_DISK: messages - in_ram, IN_RAM: in_ram}
    most = max(1, *counts.values())
    lanes: list[Lane] = [
        (lane, count, round(100 * count / most), "ram" if lane == IN_RAM else "disk")
        for lane, count in counts.items()
    ]
    values = {name: str(row.cells[name]) for name in COUNTERS if name in row.cells}
    questions: list[Question] = [("counters_only", {"ram": in_ram, "disk": messages - in_ram})]
    unacked = _whole(row.cells.get("messages_unacknowledged")) or 0
    if unacked >= MANY_PENDING:
        questions.append(("pending", {"count": unacked}))
    ready, consumers = (_whole(row.cells.get(column)) for column in ("messages_ready", "consumers"))
    if ready and consumers:
        questions.append(("ready_with_consumers", {"count": ready, "consumers": consumers}))
    return QueueFigures(str(row.cells.get("name") or f"#{number}")[:255], lanes, values, questions)


def _status(row: ListingRow) -> tuple[dict[str, Any], str]:
    """Return the status in a row by name, and which cell has it."""
    spread = {
        column.removeprefix(SPREAD): _spread(str(value))
        for column, value in row.cells.items()
        if column.startswith(SPREAD)
    }
    if spread:
        return spread, next(column for column in row.cells if column.startswith(SPREAD))
    for column in [STATUS] if STATUS in row.cells else list(row.cells):
        value = row.cells[column]
        if isinstance(value, str):
            begin = value.find("[")
            outer = term(value[begin:]) if begin >= 0 else []
            status = dict(pairs(outer[0])) if outer and isinstance(outer[0], list) else {}
        else:
            status = value if isinstance(value, dict) else {}
        if not OWN.isdisjoint(status):
            return status, column
    return {}, ""


def _unused(row: ListingRow, cell: str, name: str) -> Iterator[str]:
    """Yield the columns that are not used: by their places, where the text has no head."""
    for column, value in row.cells.items():
        if row.headed:
            if column not in READ and column not in COUNTERS and not column.startswith(SPREAD):
                yield column
        elif column != cell and value != name and not str(value).startswith("<"):
            yield column


def _spread(value: str) -> Any:
    """Return a cell of a status that is spread over columns; anything with items is JSON there."""
    found = term(value) if value.startswith("[") else []
    return found[0] if found else value


def _figures(row: ListingRow, status: dict[str, Any], cell: str, number: int) -> QueueFigures:
    reader = next((each for each in STATUSES if not each.lanes.keys().isdisjoint(status)), USUAL)
    counts = {
        lane: _recorded(status.get(lane), lane, reader.items)
        if lane in reader.counted
        else _whole(status.get(lane))
        for lane in reader.lanes
    }
    if _whole(status.get("len")) == sum(count or 0 for count in counts.values()):
        counts = {lane: count or 0 for lane, count in counts.items()}  # no message is left for the others
    values = {name: _shown(value) for name, value in status.items()}
    values |= {lane: str(counts[lane]) for lane in reader.counted if counts[lane] is not None}
    values |= {
        name: str(row.cells[name]) for name in READ - {STATUS, "name", "arguments"} if name in row.cells
    }
    if "mode" not in values and _is_lazy(row.cells.get("arguments")):
        values["mode"] = "lazy"
    most = max(1, *(count or 0 for count in counts.values()))
    lanes = [
        (lane, count, round(100 * (count or 0) / most), reader.lanes[lane]) for lane, count in counts.items()
    ]
    name = _name(row, cell) or f"#{number}"
    return QueueFigures(name[:255], lanes, values, list(_questions(reader, values, status, counts)))


def _recorded(value: Any, lane: str, items: tuple[int, ...]) -> int | None:
    """Return how many messages a lane has by its record; None for a form that is not known."""
    if not isinstance(value, list) or len(value) not in items or _shown(value[0]) != lane:
        return None
    return _whole(value[2])


def _name(row: ListingRow, cell: str) -> str:
    """Return the queue's name: its column, or the first cell that is neither the status nor a pid."""
    if row.headed:
        return str(row.cells.get("name", ""))
    status = str(row.cells[cell])
    before = re.split(r"\s{2,}", status[: status.find("[")].strip())[0]
    others = [str(value) for column, value in row.cells.items() if column != cell]
    return next((each for each in [*others, before] if each and not each.startswith("<")), "")


def _is_lazy(arguments: Any) -> bool:
    if isinstance(arguments, dict):
        return arguments.get("x-queue-mode") == "lazy"
    return any(
        dict(pairs(each)).get("x-queue-mode") == "lazy" or dict(_threes(each))
        for each in ([arguments] if isinstance(arguments, list) else term(str(arguments or "")))
        if isinstance(each, list)
    )


def _threes(found: list[Any]) -> Iterator[tuple[str, bool]]:
    """Yield the lazy argument where arguments stand with their types: {"x-queue-mode",longstr,"lazy"}."""
    for each in found:
        if isinstance(each, TermPair) and each[:1] == ["x-queue-mode"] and each[-1:] == ["lazy"]:
            yield "x-queue-mode", True


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return plain(value)
    return "…" if isinstance(value, list | dict) else str(value).lower()


def _whole(value: Any) -> int | None:
    text = _shown(value)
    return int(text) if re.fullmatch(r"\d{1,15}", text) else None


def _questions(
    reader: StatusReader, values: dict[str, str], status: dict[str, Any], counts: dict[str, int | None]
) -> Iterator[Question]:
    """Yield what is in doubt, and what the generation asks whose number it has, whatever lanes it names (W10)."""
    yield from _doubts(reader, values, status, counts)
    asks = next((each for each in STATUSES if values.get("version") == each.version), reader)
    deliveries = status.get("delivery_count")
    yield from (reader if reader.named else asks).questions(
        PrintedStatus(
            values,
            counts,
            next((counts[lane] for lane in reader.counted), None),
            len(deliveries) if isinstance(deliveries, dict | list) else 0,
        )
    )


def _doubts(
    reader: StatusReader, values: dict[str, str], status: dict[str, Any], counts: dict[str, int | None]
) -> Iterator[Question]:
    """Yield contradictions in the figures, and figures that were not read."""
    numbered = next((each for each in STATUSES if values.get("version", USUAL.version) == each.version), None)
    if reader.named:
        yield reader.named, {}
    elif numbered is None:
        code = "version_summed" if "priority_lengths" in status else "version_unknown"
        yield code, {"version": values["version"]}
    elif numbered.numbered:
        yield numbered.numbered, {}
    missing = [lane for lane, count in counts.items() if count is None]
    if missing:
        yield "lanes_missing", {"names": ", ".join(missing)}
    length, summed = _whole(values.get("len")), sum(count or 0 for count in counts.values())
    if length is not None and length != summed:
        yield "other_sum", {"length": length, "sum": summed}
    ready, unacked = (_whole(values.get(f"messages_{each}")) for each in ("ready", "unacknowledged"))
    messages = _whole(values.get("messages"))
    if None not in (ready, unacked, messages) and messages != (ready or 0) + (unacked or 0):
        yield "other_messages", {"messages": messages, "ready": ready, "unacked": unacked}
    unknown = [name for name in status if name not in KNOWN]
    if unknown:
        yield "fields_unknown", {"names": ", ".join(unknown)[:300]}
