"""Records of the three kinds of files, field by field: what every byte of them means (S50-S64)."""

from engine.classic_v1.formats.layout.records import journal_record, record_at, segment_record, store_record
from engine.classic_v1.formats.layout.walk import find_id, find_seq, records
from engine.formats.layout import FieldBits, FileField, FileLayout, FoundBytes, NoRecord, Read

__all__ = [
    "FieldBits",
    "FileField",
    "FileLayout",
    "FoundBytes",
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
