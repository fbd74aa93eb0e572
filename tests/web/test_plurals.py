"""A number in an English sentence fits its noun and its verb: never `1 messages`, never `1 are listed`."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest

ROOT = Path(__file__).resolve().parents[2]
WORDS = (
    "messages bodies queues files consumers publishers copies records entries segments contents "
    "seconds students teachers votes answers runs cells transitions commands confirms acks "
    "mirrors nodes times steps bytes characters rows slots deliveries lines exercises units "
    "rules minutes hours days bindings exchanges connections channels batches events points "
    "programs classes workloads sessions starts reads writes elements are come have do were "
    "wait lie move go belong hold need follow "
)
"""Nouns and verbs as they stand behind several of something."""
BETWEEN = r"(?:(?:of them|more|transient|persistent|live|other|of|large|small|virtual|first) ?)*"
NUMBER = re.compile(rf"%\((\w+)\)[sd]\s+{BETWEEN}(?:{'|'.join(WORDS.split())}|hosts)\b")
LIMITS = frozenset(
    "most least days hours minutes undo_minutes links class_size large_cells most_cells seconds steps entries "
    "assumed".split()
)
"""Places that a bound of the server or of a format fills; none of them is ever one."""
NO_NUMBERS = frozenset("node name pattern publisher path engine last flags end".split())
"""Places that a name fills, or the place of something."""
NEVER_ONE = (
    "%(n)s segments, %(from)s",  # a fold of several
    "%(n)s bytes: %(parts)s",  # a record with its head
    "%(s)s seconds",  # with decimals
    "%(times)s times",  # a factor, or more often than once
    "%(valid)s of %(size)s were valid",  # of a file, in its unit
    "%(n)s bytes",  # 1 has a text of its own
    "These files belong to %(n)s virtual hosts",  # of one, nobody has to choose
    "The message has %(size)s bytes; at most",  # more than a bound
    "A body cannot have %(size)s bytes",
    "The file has %(size)s bytes; at most",
    "The node holds %(held_n)s messages and may",
    "The session holds %(held_n)s messages and may",
    "The session holds %(messages_n)s messages and",
    "A broker starts from files that the engine wrote",  # thousands, as fidelity.json has them
    "Recorded step by step inside a broker",
    "Run on a broker's own queue module",
    "The specification has %(all)s rules",
    "of %(all)s have a test",
    "The same %(steps)s steps of a client",
    "Up to %(cells)s runs with the same digests",  # a bound
    "Your own browser runs the workload at every combination",
    "%(cells)s workloads with their settings",
    "The scenario has %(count)s publishers",  # more than a bound
    "The phases become %(count)s commands",
    "The sweep has %(count)s runs",
    "These %(cells)s runs would take",
    "%(done)s of %(cells)s runs",  # a grid of two axes
    "Give a workload and two parameters. This server runs",
    "The files would need %(needed)s bytes",
    "The %(count)s bytes from offset %(at)s on begin with 40 zero bytes",
    "Without --queue each consumer declares",  # --queue-pattern or several consumers
    "All %(count)s queues have the same routing key",
    "Each consumer reads %(count)s queues",
    "%(name)s asks for %(count)s queues, and a session has at most",
    "%(name)s: %(count)s are too many",
    "The messages of all %(count)s queues are kept",
    "Its messages go to %(count)s queues (%(known)s), and a run",
    "The node gets %(mib)s MiB of RAM: %(count)s connections",
)
"""How texts begin whose number is two at least, and why."""


@pytest.mark.parametrize("domain", ["django", "djangojs"])
def test_no_number_stands_before_words_for_several(domain: str) -> None:
    found = [
        entry.msgid
        for entry in polib.pofile(str(ROOT / f"locale/zh_Hans/LC_MESSAGES/{domain}.po"))
        if not entry.obsolete
        and not entry.msgid_plural
        and not entry.msgid.startswith(NEVER_ONE)
        and any(place not in LIMITS | NO_NUMBERS for place in NUMBER.findall(entry.msgid))
    ]
    assert found == [], "gettext for one of them: ngettext, or a sentence in which any number may stand"


def test_the_pattern_finds_what_was_seen() -> None:
    for text in ("%(store)s: %(count)s bodies belong", "%(n)s are listed", "%(n)s of them have no content"):
        assert NUMBER.search(text), text
    for text in ("%(n)s message waits", "records: %(count)s", "%(size)s per segment", "Messages (%(n)s)"):
        assert not NUMBER.search(text), text
