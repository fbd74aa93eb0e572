"""Names of directories and files (S1, S4, S6, S7)."""

from __future__ import annotations

import hashlib
import re

from engine.values.chunks import RawBytes

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def base36(number: int) -> str:
    """Write a number of 0 or more in base 36 with upper-case digits and no padding (S1)."""
    if number == 0:
        return "0"
    digits = []
    while number:
        number, digit = divmod(number, 36)
        digits.append(DIGITS[digit])
    return "".join(reversed(digits))


def _hashed(data: bytes) -> str:
    return base36(int.from_bytes(hashlib.md5(data, usedforsecurity=False).digest(), "big"))


def vhost_directory(vhost: str) -> str:
    """Return the directory name of a virtual host (S1)."""
    return _hashed(vhost.encode())


def queue_directory(vhost: str, queue: str | bytes) -> str:
    """Return the directory name of a queue (S1)."""
    return _hashed(b"queue" + vhost.encode() + (queue.encode() if isinstance(queue, str) else queue))


MOST_NAME_BYTES = 4096
"""Of a `.queue_name`: both names have 255 bytes at most."""


def priority_resource(queue: str, priority: int) -> bytes:
    """Return what the broker calls the queue that holds one priority, 0 to 255, of a priority queue."""
    return queue.encode() + bytes((0, priority))


def config_text(segment_entry_count: int) -> bytes:
    return (
        "%% This file is auto-generated! Edit at your own risk!\n"
        f"{{segment_entry_count, {segment_entry_count}}}."
    ).encode()


def host_texts(vhost: str, segment_entry_count: int | None) -> dict[str, RawBytes]:
    """Return the small text files of a virtual host by name, in the order in which they are written (S2, S4).
    `segment_entry_count`: what `.config` says; None where that file is not written.
    """
    found = {} if segment_entry_count is None else {".config": RawBytes(config_text(segment_entry_count))}
    return found | {".vhost": RawBytes(vhost.encode())}


def read_config(data: bytes) -> int | None:
    """Return the entries of one segment that `.config` states (S4), or None when it states none."""
    text = b"\n".join(line for line in data.splitlines() if not line.lstrip().startswith(b"%"))
    found = re.search(rb"\{\s*segment_entry_count\s*,\s*(\d{1,9})\s*\}\s*\.", text)
    return int(found[1]) if found else None


def queue_name_text(vhost: str, queue: bytes, version: int = 1) -> bytes:
    """Return the content of `.queue_name`, which from version 2 on says so (S6, W80)."""
    return b"VHOST: %s\nQUEUE: %s\n" % (vhost.encode(), queue) + (b"INDEX: v2\n" if version > 1 else b"")


def read_queue_name(data: bytes) -> tuple[str, str] | None:
    """Return virtual host and queue that `.queue_name` states (S6), or None when it does not."""
    if len(data) > MOST_NAME_BYTES:
        return None
    found = re.fullmatch(rb"VHOST: (.*?)\nQUEUE: (.*?)\n(?:INDEX: v2\n)?", data, re.DOTALL)
    if not found:
        return None
    return found[1].decode("utf-8", "replace"), found[2].decode("utf-8", "replace")
