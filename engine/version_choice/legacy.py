"""Messages of 3.x in files of 4.x: the same term, its atoms written as a younger Erlang writes them (W100, W163)."""

from __future__ import annotations

from typing import Final

from engine.classic_v2.formats.mc import McCodec
from engine.formats.arrays import np
from engine.formats.message import MessageCodec, TermLayout

ATOM, SMALL_ATOM, TUPLE, LIST, NIL, BINARY, SMALL_INTEGER = 100, 119, 104, 108, 106, 109, 97
_FIXED: Final = {NIL: 1, SMALL_INTEGER: 2}


def atoms_of(term: bytes) -> list[int]:
    """Return where the atoms of a stored message begin.

    Args:
        term: tuples, lists, binaries, small integers and atoms, as a `basic_message` has them (S50).

    Raises:
        ValueError: it has something else.
    """
    found: list[int] = []
    at = 1
    while at < len(term):
        tag = term[at]
        if tag == ATOM:
            found.append(at)
            at += 3 + int.from_bytes(term[at + 1 : at + 3], "big")
        elif tag == TUPLE:
            at += 2
        elif tag == LIST:
            at += 5
        elif tag == BINARY:
            at += 5 + int.from_bytes(term[at + 1 : at + 5], "big")
        elif tag in _FIXED:
            at += _FIXED[tag]
        else:
            raise ValueError(f"tag {tag} at {at} is none of a message's")
    return found


class LegacyCodec(MessageCodec):
    """Writes messages of 3.x as 4.0 does that read them from an index of version 1.

    Args:
        codec: of the node; ids and templates are the same.
    """

    def __init__(self, codec: McCodec) -> None:
        super().__init__(codec.vhost, codec.id_prefix, codec.templates)
        codec.share_with(self)

    def _measure(self, template: int, size_bytes: int, raw_persistent: bool) -> int:
        return super()._measure(template, size_bytes, raw_persistent) - ATOMS

    def _lay_out(self, template: int, size_bytes: int, raw_persistent: bool) -> TermLayout:
        row, id_at, body_at, lead_bytes = super()._lay_out(template, size_bytes, raw_persistent)
        term = row.tobytes()
        begins = atoms_of(term)
        written, last = bytearray(), 0
        for begin in begins:
            written += term[last:begin] + bytes((SMALL_ATOM, term[begin + 2]))
            last = begin + 3
        written += term[last:]

        def moved(at: int) -> int:
            return at - sum(begin < at for begin in begins)

        return TermLayout(np.frombuffer(bytes(written), np.uint8), moved(id_at), moved(body_at), lead_bytes)


ATOMS: Final = len(atoms_of(MessageCodec().terms(0, 1, 0, 0, raw_persistent=True).tobytes()))
"""Atoms of each message: every one is a byte shorter."""
