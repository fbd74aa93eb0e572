"""Messages leave a shared store (W133, W138)."""

from __future__ import annotations

from engine.classic_v2.store.client import SharedClient
from engine.classic_v2.store.collector import candidate, delete_if_empty
from engine.classic_v2.store.state import V2StoreState
from engine.classic_v2.store.tables import FileMessage, gaps
from engine.values.errors import InvariantBroken
from engine.values.extents import Extent


def handle_remove(
    state: V2StoreState, client: SharedClient, extents: tuple[Extent, ...], descending: bool
) -> None:
    """Handle one remove with many ids, from the last to the first where `descending`."""
    pieces: list[tuple[int, int]] = []
    for extent in extents:
        at = extent.start
        for early in client.overtaken.discard(extent.start, extent.count):
            if early.start > at:
                pieces.append((extent.msg_no + at - extent.start, early.start - at))
            client.in_flight.discard(early.start, early.count)
            at = early.end
        if at < extent.end:
            pieces.append((extent.msg_no + at - extent.start, extent.end - at))
    if descending:
        pieces.reverse()
    for start, count in pieces:
        found = list(gaps(state.rows, start, count))
        if descending:
            found.reverse()
        for first, many, row in found:
            _remove(state, client, first, many, row)


def _remove(
    state: V2StoreState, client: SharedClient, start: int, count: int, row: FileMessage | None
) -> None:
    death = state.dying.get(client.ref)
    if death is not None and (row is None or (row.file, row.offset) > death):
        return
    if row is None or not row.refs:
        raise InvariantBroken(f"messages {start} to {start + count - 1} are removed and have no reference")
    state.set_refs(row, row.refs - 1)
    candidate(state, row.file, count)
    if row.refs == 1:
        delete_if_empty(state, row.file)
