"""Records of the three kinds of files, field by field: what every byte of them means (S50-S64)."""

from engine.formats.layout.field import Bits, Field, Layout, NoRecord
from engine.formats.layout.records import journal_record, record_at, segment_record, store_record
from engine.formats.layout.walk import Found, Read, find_id, find_seq, records

__all__ = [
    "Bits",
    "Field",
    "Found",
    "Layout",
    "NoRecord",
    "Read",
    "find_id",
    "find_seq",
    "journal_record",
    "record_at",
    "records",
    "segment_record",
    "store_record",
]
