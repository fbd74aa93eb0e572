"""The faults of inspected files, by code: an English sentence for each, with parameters. A page has its own
sentences in the reader's language, by code and parameters (playground/inspecting/damage.py).
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine.values.errors import Refusal

ENGLISH: Final[dict[str, str]] = {
    # --- any file or directory ---
    "file_too_large": "%(size)s bytes are more than the %(most)s that are read",
    "file_not_readable": "the file cannot be read: %(why)s",
    "file_became_shorter": "the file became shorter while it was read",
    "recovery_crashes": "%(why)s; a broker's recovery crashes on it",
    "no_term": "the file cannot be read: %(why)s; a broker starts dirty",
    "other_content": "the file does not say what a broker writes into it",
    "nothing_known": "no queue, store, virtual host or node is here",
    # --- a virtual host ---
    "config_without_number": (
        "it gives no number from 1 to %(most)s; %(assumed)s entries in a segment are assumed, as a broker does (S4)"
    ),
    "queue_elsewhere": "queue %(name)s of virtual host %(vhost)s belongs into another directory (S1)",
    "messages_without_record": (
        "%(count)s live persistent messages, the first of them seq %(first)s, have no record in %(store)s; "
        "a broker's dirty recovery drops them"
    ),
    "expiry_of_no_clock": (
        "%(count)s messages expire at a time that no broker has written, the first, seq %(first)s, %(at)s us after "
        "1970; a start drops what it takes for expired"
    ),
    "size_of_other_body": (
        "the index says a size that is not the body's for %(count)s messages; of the first, seq %(first)s, it says "
        "%(said)s B, and the body has %(found)s B"
    ),
    # --- a queue's index ---
    "segment_missing": "recovery.dets counts %(count)s live messages in this segment, and the file is not there",
    "segment_of_other_count": (
        "recovery.dets counts %(saved)s live messages in this segment, and %(found)s are in it and the journal"
    ),
    "start_ends_process": (
        "a start by a 3.8 ends this queue's process in %(function)s: after a kill in the middle of a flush and an "
        "orderly stop the journal has what the segments have already; it is started again, as after a crash (V8)"
    ),
    # --- a queue of version 2 ---
    "index_header": (
        "the header of a .qi file is not whole or not right in these %(size)s bytes; a broker's recovery after a crash "
        "deletes the file and its .qs (W97)"
    ),
    "index_range": (
        "the header says that the segment begins at %(first)s and ends before %(end)s, so no slot of it is read here"
    ),
    "slots_beyond": "%(count)s slots lie behind the end of the segment, which is %(end)s; a broker reads none of them",
    "slot_status": (
        "the slot at offset %(at)s begins with byte %(found)s, neither live (1) nor empty (0); the queue's process "
        "crashes on it (W205)"
    ),
    "slot_fields": "the slot at offset %(at)s is live, and its fields are none that a broker writes",
    "slot_cut_off": "the slot at offset %(at)s is cut off after %(count)s bytes; a broker's recovery ends there",
    "body_header": (
        "these %(size)s bytes are no whole header of a .qs file; recovery after a crash drops its messages, and a "
        "clean start crashes at the first fetch (W205)"
    ),
    "body_magic": "the file does not begin as a .qs file of version 2; the queue's process crashes on it (W205)",
    "bodies_missing": (
        "%(count)s live messages from seq %(first)s on have their bodies in this file, and it is not there; recovery "
        "after a crash drops them"
    ),
    "body_cut_off": (
        "the body of seq %(seq)s at offset %(at)s should have %(wanted)s bytes behind its header, and %(left)s bytes "
        "are left; recovery after a crash drops it, and a fetch crashes the queue's process"
    ),
    "body_of_other_size": (
        "the body of seq %(seq)s at offset %(at)s says %(found)s bytes and the index %(wanted)s; recovery after a "
        "crash drops it, and a fetch crashes the queue's process"
    ),
    "body_checksum": (
        "the body of seq %(seq)s at offset %(at)s has another checksum; recovery after a crash drops it, and a fetch "
        "after a clean start crashes the queue's process (W205)"
    ),
    "body_without_message": "the body of seq %(seq)s at offset %(at)s holds no message; a fetch would fail",
    "versions_mixed": "files of both index versions are here: .idx files wait for their conversion (W100)",
    # --- a queue's index ---
    "no_journal": "there are segments and no journal; a broker makes one",
    "segment_of_zeros": "all %(count)s bytes are zero; a broker deletes the file",
    "publish_record_cut_off": (
        "the publish record at offset %(at)s is cut off by the file's end; a broker skips 2 bytes "
        "and reads the rest as records"
    ),
    "published_twice": "%(count)s entries from seq %(first)s are published twice",
    "marked_and_not_published": (
        "%(count)s entries from seq %(first)s are delivered or acked, but no publish record is there"
    ),
    "journal_ends_in_zeros": (
        "%(count)s zero bytes from offset %(at)s on; a broker ends its replay here and uses what is before"
    ),
    "journal_goes_on_with_zeros": (
        "%(count)s bytes from offset %(at)s on begin with 40 zero bytes; a broker ends its replay here and uses "
        "what is before"
    ),
    "journal_cut_off": (
        "the record at offset %(at)s is cut off after %(count)s bytes; a broker ends its replay here and uses what "
        "is before"
    ),
    # --- a message store ---
    "compaction_interrupted": (
        "a compaction was interrupted; a broker appends this file to the .rdq of its number (S206)"
    ),
    "store_file_missing": "the file summary names it with %(size)s bytes",
    "store_file_too_short": "the file summary says %(size)s bytes, but the file ends at %(end)s",
    "no_record": "%(count)s bytes from offset %(at)s on are no record; a broker's scanner looks on byte by byte (W143)",
    "record_without_message": "the record at offset %(at)s holds no message; reading it would fail",
    "record_of_another_message": "the message of the record at offset %(at)s has another id than it",
    "store_zeros": "%(count)s zero bytes from offset %(at)s on; a broker stops here",
    "wrong_marker": (
        "the record at offset %(at)s ends with byte %(found)s instead of %(wanted)s; a broker skips it"
    ),
    "zero_size": "%(count)s bytes from offset %(at)s on begin with a zero size; a broker stops here",
    "size_field_cut_off": "%(count)s bytes at offset %(at)s are no whole size field; a broker stops here",
    "store_record_cut_off": (
        "the record at offset %(at)s says %(size)s bytes, but %(left)s are left; a broker stops here"
    ),
}


MOST: Final = 10_000
"""Most findings that are described; others are only counted."""


class FileDamage(msgspec.Struct, frozen=True):
    """One finding.

    Args:
        file: path of the file, relative to the inspected directory.
        offset: byte at which it begins, None for the file as a whole.
        kind: "truncated", "garbage", "wrong marker", "zeros", "missing", "contradiction" or "unreadable".
        words: what is wrong and what a broker does about it, in English.
        code: key of the sentence.
        values: the sentence's values: numbers, texts, and refusals, each with a `code` and `values`.
    """

    file: str
    offset: int | None
    kind: str
    words: str
    code: str
    values: dict[str, Any]


class DamageFindings:
    """Collects damage while a directory is read."""

    def __init__(self) -> None:
        self.damage: list[FileDamage] = []
        self.more = 0
        """Number of findings beyond the first `MOST`, since each record may be damaged."""

    def add(self, file: str, offset: int | None, kind: str, code: str, /, **values: object) -> None:
        """Note one finding.

        Args:
            file: path of the file, relative to the inspected directory.
            offset: byte at which it begins, None for the file as a whole.
            kind: see `FileDamage`.
            code: a key of `ENGLISH`.
            values: the sentence's values.
        """
        if len(self.damage) == MOST:
            self.more += 1
            return
        plain = {name: _plain(value) for name, value in values.items()}
        self.damage.append(FileDamage(file, offset, kind, ENGLISH[code] % values, code, plain))

    def as_rows(self) -> list[dict[str, Any]]:
        return [msgspec.structs.asdict(each) for each in self.damage]


def _plain(value: object) -> int | str | dict[str, Any]:
    if isinstance(value, Refusal):
        return {"code": value.code, "values": value.values}
    return value if isinstance(value, int) else str(value)
