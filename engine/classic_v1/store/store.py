"""A message store (S130-S219): the mailbox, who handles what, and the clients of queues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec.structs import astuple

from engine.backing_queue.stores import ClientAccount, OnDisk, StoreLoad
from engine.classic_v1.store import recovery
from engine.classic_v1.store.collector import GarbageCollector
from engine.classic_v1.store.recovery import Reference, verify
from engine.classic_v1.store.requests import (
    DeleteClient,
    RemoveSent,
    StoreContent,
    StoreMailbox,
    WriteRequest,
)
from engine.classic_v1.store.state import FileRow, StoreState, V1Peer, removed_once
from engine.classic_v1.store.writer import BodyReader, Ender, StoreRemover, StoreWriter
from engine.report.transitions.queue import StoreStopped
from engine.values.extents import RAW_PERSISTENT, Extent
from engine.values.stretches import Range, RangeSet, one_more


class MsgStore:
    """One of the two stores of a virtual host, shared by the clients of all its queues. `state`: of a blank one.

    Clients only send messages to its mailbox. `settle` handles everything and runs the garbage collector to its end;
    `handle_mailbox`, `sync` and `run_gc_step` are the finer verbs for a simulation with time.
    """

    def __init__(self, state: StoreState) -> None:
        self.name = state.name
        self.codec = state.codec
        self._state = state
        self._mailbox = StoreMailbox()
        self._collector = GarbageCollector(state, self._mailbox)
        self._writer = StoreWriter(state, self._collector)
        self._remover = StoreRemover(state, self._collector)
        self._reader = BodyReader(state, self._collector)
        self._ender = Ender(state, self._collector, self._reader)

    def account(self) -> ClientAccount:
        """Return the credit of a process that begins to use the store (F1)."""
        return ClientAccount(*self._state.settings.msg_store_credit_disc_bound)

    # --- clients -----------------------------------------------------------------------------------------------------
    def client(
        self,
        ref: str,
        on_disk: OnDisk | None,
        on_credit: Callable[[int], None],
        on_close: Callable[[], None] | None = None,
        account: ClientAccount | None = None,
        stays: bool = True,
    ) -> StoreClient:
        """Register a client (S135).

        Args:
            ref: its name, the same after a restart.
            on_disk: called with the messages that are "written" or "ignored"; None in the transient store.
            on_credit: called with each grant of credit; the queue applies it with `ClientAccount.grant`.
            on_close: asked to call `StoreClient.close_marked` soon (S185); without it the client closes marked
                handles at its next read from a file.
            account: the credit that it shares with other clients of its process; without it one of its own.
            stays: its name is in the client table, and so in the note of a clean stop (S200). A queue that is not
                durable has no client of the persistent store: here it has one that writes nothing and is not named.
        """
        client = StoreClient(self, ref, on_disk, on_credit, on_close, account or self.account())
        self._state.peers[ref] = client
        if stays:
            self._state.refs.add(ref)
        return client

    def send_write(self, write: WriteRequest) -> None:
        """Take writes into the mailbox (S140)."""
        write.peer.flying.change(write.msg_no, write.count, one_more)
        self._state.cache.change(write.msg_no, write.count, one_more)
        self._mailbox.items.append(write)
        self._state.report_cache("S140")

    def write_new(self, writes: Sequence[WriteRequest]) -> None:
        """Take and handle writes of messages of one client in order, as sending them and settling would
        (S140-S144). `writes`: each of them a call of its own for each message, or all of them sent by one
        call, which the caller ends.
        """
        single = writes[0].each
        lowest = min([write.msg_no for write in writes])
        if self._knows_nothing_of(writes[0].peer, lowest):
            quiesce = self._finish_call if single else None
            self._writer.handle_many(writes, quiesce)
            if single:
                self.sync()
            self._state.report_cache("S133")
            return
        for write in writes:
            self.send_write(write)
            if single:
                self.settle()

    def _knows_nothing_of(self, peer: V1Peer, lowest: int) -> bool:
        """Return whether nothing is under way, and no message from this number on was ever here."""
        state = self._state
        rows, cached = state.index.rows, state.cache.runs
        return (
            self._rests(peer)
            and not (rows.total and rows.last.start + rows.last.count > lowest)
            and not (cached.total and cached.last.start + cached.last.count > lowest)
        )

    def send_remove(self, remove: RemoveSent) -> None:
        """Take removes into the mailbox (S146)."""
        for each in remove.ranges:
            remove.peer.flying.change(each.start, each.count, removed_once)
        self._mailbox.items.append(remove)

    def end_each(self, peer: V1Peer, messages: Sequence[Range], read: bool) -> int:
        """Read and remove messages, each by calls of its own, as doing that and settling would; return how many
        were read (S147, S155, S186). `messages`: their numbers, in order. `read`: whether to read them before.
        """
        at = 0
        while at < len(messages):
            many = self._ender.end_many(peer, messages[at:], read) if self._rests(peer) else 0
            if not many:
                self._end_run(peer, messages[at], read)
            at += many or 1
        return sum([each.count for each in messages]) if read else 0

    def _rests(self, peer: V1Peer) -> bool:
        """Return whether nothing is under way, here or for one client."""
        return self.quiet and not peer.flying.runs.total and peer.ref not in self._state.dying

    def _end_run(self, peer: V1Peer, each: Range, read: bool) -> None:
        """Read and remove messages, as many at once as no garbage collection comes between."""
        done = 0
        while done < each.count:
            start, left = each.start + done, each.count - done
            many = self._ender.end(peer, start, left, read, self._finish_call) if self._rests(peer) else 0
            if not many:
                many = self.alike(start, left) if read else left
                if read:
                    self.read(peer, start, many, wait=True)
                self.send_remove(RemoveSent(peer, (Range(start, many),), 1, single=True))
                self.settle()
            done += many

    def read(self, peer: V1Peer, start: int, count: int, wait: bool) -> int:
        """Read messages for a client; return how many reads wait for the garbage collector (S155). `start`:
        first message number. `count`: how many. `wait`: let the garbage collector work until every read is
        answered.
        """
        waiting = self._reader.read(peer, start, count)
        if waiting and wait:
            self._finish_gc()
            waiting = 0
        return waiting

    def alike(self, start: int, count: int) -> int:
        """Return how many messages from `start` on may be read together and then removed together. For the
        store that is the same as reading and removing one after the other, each a call of its own: which files
        are open when the garbage collector comes decides what stays on disk (S186).
        """
        return self._remover.alike(start, count)

    def close_marked(self, peer: V1Peer) -> None:
        """Close a client's read handles that are marked (S185)."""
        self._state.open_handles.close_marked(peer.ref)

    def end_client(self, peer: V1Peer) -> None:
        """Handle everything a client sent; its name stays in the table (S200)."""
        self._state.open_handles.close_all(peer.ref)
        self.handle_mailbox()
        self._forget_client(peer)

    def delete_client(self, peer: V1Peer) -> None:
        """Announce that a client dies, and let its name go after what it sent (S150)."""
        state = self._state
        state.open_handles.close_all(peer.ref)
        state.dying[peer.ref] = (state.files.current, state.handle.virtual_offset)
        self._mailbox.items.append(DeleteClient(peer))

    def _forget_client(self, peer: V1Peer) -> None:
        self._state.pending_confirms.pop(peer.ref, None)
        self._state.dying.pop(peer.ref, None)

    # --- working -----------------------------------------------------------------------------------------------------
    @property
    def quiet(self) -> bool:
        """Whether nothing was sent, nobody waits for a sync, and the garbage collector rests."""
        mailbox, collector = self._mailbox, self._collector
        waits = mailbox.items or mailbox.results or self._state.pending_confirms
        return not (waits or collector.waiting or collector.work)

    @property
    def mailbox_messages(self) -> int:
        return self._mailbox.messages

    @property
    def sync_owed(self) -> bool:
        """Whether any client waits for a sync (S165)."""
        return bool(self._state.pending_confirms)

    @property
    def gc_busy(self) -> bool:
        return self._collector.busy

    @property
    def gc_requests(self) -> int:
        return self._collector.requests

    def handle_mailbox(self, limit: int | None = None) -> int:
        """Handle messages, at most `limit`: results of the garbage collector first, then what clients sent;
        return how many (S136).
        """
        handled = 0
        while self._mailbox and (limit is None or handled < limit):
            handled += self._handle_next(None if limit is None else limit - handled, None)
        self._state.report_cache("S133")
        return handled

    def _handle_next(self, limit: int | None, quiesce: Callable[[], None] | None) -> int:
        mailbox = self._mailbox
        if mailbox.results:
            self._collector.handle(mailbox.results.popleft())
            return 1
        item = mailbox.items.popleft()
        if isinstance(item, DeleteClient):
            self._delete(item)
            return 1
        if isinstance(item, WriteRequest):
            if limit is not None and limit < item.count:
                mailbox.items.appendleft(item.without(limit))
                item = item.first(limit)
            self._writer.handle(item, quiesce if item.each else None)
            return item.count
        if limit is not None and limit < item.messages:
            item, rest = item.split(limit)
            if rest is not None:
                mailbox.items.appendleft(rest)
        self._remover.handle(item, quiesce if item.single else None)
        return item.messages

    def _delete(self, item: DeleteClient) -> None:
        """Let a client's name go (S150)."""
        if self._state.peers.get(item.peer.ref) is item.peer:
            del self._state.peers[item.peer.ref]
            self._state.refs.discard(item.peer.ref)
        self._forget_client(item.peer)

    def sync(self) -> None:
        """Make the current file durable if any client waits for it, and notify them (S166)."""
        self._state.sync()

    def run_gc_step(self) -> bool:
        """Do the next step of the garbage collector; its results go to the mailbox. Return False if there is none."""
        return self._collector.step()

    def settle(self) -> None:
        """Handle everything sent, sync if owed, and run the garbage collector to its end, until all is quiet."""
        while not self.quiet:
            while self._mailbox:
                self._handle_next(None, self._finish_call)
            self._finish_call()
        self._state.report_cache("S133")

    def _finish_call(self) -> None:
        """End one call of a queue: sync if owed, then the garbage collector runs."""
        self.sync()
        self._finish_gc()

    def _finish_gc(self) -> None:
        while self.run_gc_step() or self._mailbox.results:
            while self._mailbox.results:
                self._collector.handle(self._mailbox.results.popleft())

    # --- starting and stopping ---------------------------------------------------------------------------------------
    def start_new(self) -> None:
        """Erase the directory and start with nothing, as the transient store always does (S205). Clients may
        register before or after a start; a stop forgets them.
        """
        self._forget()
        recovery.start_new(self._state)
        self._collector.maybe_compact()

    def start(self, refs: Iterable[str], references: Callable[[], Iterable[Reference]]) -> bool:
        """Start on the files that are there; return whether cleanly (S206-S208). `refs`: names of the clients
        found in the queues' recovery terms. `references`: gives the runs of messages that the queues' indexes
        refer to, one reference for each time a message is in a run (S117); only called when the start is dirty.
        """
        self._forget()
        clean = recovery.start(self._state, self._collector, frozenset(refs), references)
        self._collector.maybe_compact()
        return clean

    def terminate(self) -> None:
        """Stop in order, leaving what a clean start needs (S201)."""
        self.settle()
        state = self._state
        state.sync()
        state.handle.close()
        recovery.save(state)
        self._stop("clean")

    def kill(self, kind: str = "kill") -> None:
        """End with the process: buffers are lost (S234). `kind`: what the transition calls it; a power cut
        also rolls the storage back, which is the caller's.
        """
        self._state.handle.drop()
        self._stop(kind)

    def _stop(self, kind: str) -> None:
        self._forget()
        self._state.peers.clear()
        self._state.refs.clear()
        self._state.emit(StoreStopped("S201" if kind == "clean" else "S234", self.name, kind))

    def _forget(self) -> None:
        self._state.reset()
        self._mailbox.clear()
        self._collector.reset()

    # --- looking -----------------------------------------------------------------------------------------------------
    def contains(self, messages: Range) -> RangeSet:
        """Return which messages are present, once nothing about them waits (S157)."""
        self.handle_mailbox()
        if self._reader.must_wait(messages.start, messages.count):
            self._finish_gc()
        return self._reader.contains(messages.start, messages.count)

    def oldest_message(self) -> int | None:
        """Return the lowest message number in the index, None without any."""
        rows = self._state.index.rows
        return rows.first.start if rows else None

    def load(self) -> StoreLoad:
        state = self._state
        cached = len(state.cache)
        file = state.files[state.files.current] if cached else FileRow(0)
        return StoreLoad(len(state.files), state.index.rows.total, cached, file.valid, file.file_size)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as plain values (the fold's counterpart)."""
        state = self._state
        size = state.storage.size
        return {
            "files": [
                [file.number, file.file_size, file.valid, file.locked, size(state.path(file.number)) or 0]
                for file in state.files
            ],
            "current": state.files.current,
            "rows": [list(astuple(row)) for row in state.index.rows],
            "cache": len(state.cache),
            "buffered_bytes": state.handle.pending_bytes if state.started else 0,
            "orphans": [[number, size_bytes] for number, size_bytes in sorted(state.orphans.items())],
        }

    def verify(self) -> None:
        """Check the store's invariants (S253). Raises InvariantBroken: a defect of this engine."""
        verify(self._state)


class StoreClient(V1Peer):
    """A queue's client of a store; made by `MsgStore.client`."""

    def __init__(
        self,
        store: MsgStore,
        ref: str,
        on_disk: OnDisk | None,
        on_credit: Callable[[int], None],
        on_close: Callable[[], None] | None,
        account: ClientAccount,
    ) -> None:
        super().__init__(ref, on_disk, on_credit, on_close, account)
        self._store = store
        self._content_before: StoreContent | None = None

    def write(self, extent: Extent, one_by_one: bool = False, descending: bool = False) -> None:
        """Send one write for each message of an extent; each costs a credit (S140, F4). `one_by_one`: each is
        a call of its own: settling lets everything finish between them. `descending`: the last message is
        written first, as when alphas are paged out from q4's tail.
        """
        self._store.send_write(self._request(extent, one_by_one, descending))
        self.account.spend(extent.count)

    def write_new(self, extents: Sequence[Extent], one_by_one: bool, descending: bool = False) -> None:
        """Let the store handle new messages at once, as sending the writes and settling would; credit is
        charged apart. `extents`: the messages, in the order of their writes. `one_by_one`: each is a call of
        its own; else all are of one call, which the caller ends by settling. `descending`: the last message
        of each is written first.
        """
        self._store.write_new([self._request(each, one_by_one, descending) for each in extents])

    def _request(self, extent: Extent, one_by_one: bool, descending: bool) -> WriteRequest:
        """Return the writes of an extent; of a log their content is often what it was before."""
        raw, content = extent.flags & RAW_PERSISTENT != 0, self._content_before
        if (
            content is None
            or content.size_bytes is not extent.size_bytes
            or content.raw_persistent != raw
            or content.template != extent.template
        ):
            record_bytes = self._store.codec.record_length(extent.template, extent.size_bytes, raw)
            content = StoreContent(extent.size_bytes, raw, extent.template, record_bytes)
            self._content_before = content
        return WriteRequest(self, extent.msg_no, extent.count, -1 if descending else 1, content, one_by_one)

    def remove(self, ranges: Sequence[Range], one_by_one: bool = False, descending: bool = False) -> None:
        """Send removes: one message with all ids, or one for each (S146). `ranges`: message numbers, in the
        order in which they are handled. `one_by_one`: a message and a call for each id: settling lets
        everything finish between them. `descending`: handle the ids from the last of the last range to the
        first of the first.
        """
        if ranges:
            ordered = tuple(reversed(ranges)) if descending else tuple(ranges)
            self._store.send_remove(RemoveSent(self, ordered, -1 if descending else 1, one_by_one))

    def end_each(self, messages: Sequence[Range], read: bool) -> int:
        """Read and remove messages, a call each and the store settles after each; return how many were read (S147)."""
        return self._store.end_each(self, messages, read)

    def read(self, extent: Extent) -> None:
        """Read the bodies of an extent, waiting while a file is locked (S155)."""
        self._store.read(self, extent.msg_no, extent.count, wait=True)

    def alike(self, extent: Extent) -> int:
        """Return how many messages from the extent's first on may be read together and then removed together."""
        return self._store.alike(extent.msg_no, extent.count)

    def close_marked(self) -> None:
        """Close the read handles of files that the garbage collector wants to remove (S185)."""
        self._store.close_marked(self)

    def terminate(self) -> None:
        """End in order: everything sent is handled; the store keeps the client's name (S200)."""
        self._store.end_client(self)

    def delete(self) -> None:
        """End for good, the queue being deleted (S150, S200)."""
        self._store.delete_client(self)
