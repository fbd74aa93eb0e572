/** Rows by the names of their fields.
 *
 * Written by `python -m tools.catalogue` from engine/transitions.py, engine/values/extents.py and engine/folding.py: change that, not this file. */

/** The longest stretch of consecutive messages whose other fields are all equal; bodies may differ by a column. */
export const EXTENT = Object.freeze({ start: 0, count: 1, msg_no: 2, size_bytes: 3, flags: 4, expiry_us: 5, template: 6 });

/** The `#delta{}` term: all that RAM keeps of the messages in delta (Q4). */
export const DELTA = Object.freeze({ start: 0, count: 1, transient: 2, end: 3 });

/** Index entries of consecutive seq_ids: 8 * file part + journal bits. */
export const ENTRY = Object.freeze({ start: 0, count: 1, code: 2 });

/** Store index rows of consecutive messages whose records lie back to back (S130). */
export const STORE_ROW = Object.freeze({ start: 0, count: 1, refs: 2, file: 3, offset: 4, record_bytes: 5, step: 6 });

/** One store file as the file summary has it, and the bytes that reached the operating system (S131). */
export const STORE_FILE = Object.freeze({ number: 0, file_size: 1, valid: 2, locked: 3, disk_bytes: 4 });

/** Bits of an extent's flags. */
export const PERSISTENT = 1;
export const IN_RAM = 2;
export const IN_STORE = 4;
export const INDEXED = 8;
export const HOME_STORE = 16;

/** @import { Transition, TransitionRow } from "./types.js" */

/** @type {Record<string, (row: TransitionRow) => Transition>} */
const DECODERS = {
  Acked: (row) => ({ kind: "Acked", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  ActorChanged: (row) => ({ kind: "ActorChanged", rule: row[1], actor: row[2], values: row[3], why: row[4] ?? {} }),
  AlphasPushed: (row) => ({ kind: "AlphasPushed", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  BetasPushed: (row) => ({ kind: "BetasPushed", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  BodiesBuffered: (row) => ({ kind: "BodiesBuffered", rule: row[1], queue: row[2], segment: row[3], start: row[4], count: row[5], offset: row[6], bytes: row[7] }),
  BodiesForgotten: (row) => ({ kind: "BodiesForgotten", rule: row[1], queue: row[2], start: row[3], count: row[4], bytes: row[5] }),
  BodiesRead: (row) => ({ kind: "BodiesRead", rule: row[1], queue: row[2], segment: row[3], start: row[4], count: row[5] }),
  BodiesWritten: (row) => ({ kind: "BodiesWritten", rule: row[1], queue: row[2], fsync: row[3], files: row[4] }),
  BodyFileDeleted: (row) => ({ kind: "BodyFileDeleted", rule: row[1], queue: row[2], segment: row[3], bytes: row[4] }),
  BufferWritten: (row) => ({ kind: "BufferWritten", rule: row[1], store: row[2], file: row[3], bytes: row[4] }),
  CacheChanged: (row) => ({ kind: "CacheChanged", rule: row[1], store: row[2], entries: row[3] }),
  ChannelClosed: (row) => ({ kind: "ChannelClosed", rule: row[1], actor: row[2], code: row[3], text: row[4] }),
  CollectionTimed: (row) => ({ kind: "CollectionTimed", rule: row[1], store: row[2], fired: row[3], files: row[4] }),
  CombineStarted: (row) => ({ kind: "CombineStarted", rule: row[1], store: row[2], source: row[3], destination: row[4], why: row[5] ?? {} }),
  CombineStepped: (row) => ({ kind: "CombineStepped", rule: row[1], store: row[2], source: row[3], destination: row[4], step: row[5], bytes: row[6] }),
  Committed: (row) => ({ kind: "Committed", rule: row[1], actor: row[2], count: row[3], why: row[4] ?? {} }),
  ConfirmsDue: (row) => ({ kind: "ConfirmsDue", rule: row[1], queue: row[2], by: row[3], messages: row[4] }),
  ConfirmsForgotten: (row) => ({ kind: "ConfirmsForgotten", rule: row[1], actor: row[2], count: row[3] }),
  ConfirmsSent: (row) => ({ kind: "ConfirmsSent", rule: row[1], actor: row[2], count: row[3], why: row[4] ?? {} }),
  ConnectionBlocked: (row) => ({ kind: "ConnectionBlocked", rule: row[1], actor: row[2], reason: row[3], why: row[4] ?? {} }),
  ConnectionClosed: (row) => ({ kind: "ConnectionClosed", rule: row[1], actor: row[2], code: row[3], text: row[4] }),
  ConnectionUnblocked: (row) => ({ kind: "ConnectionUnblocked", rule: row[1], actor: row[2], why: row[3] ?? {} }),
  ConsumerCancelled: (row) => ({ kind: "ConsumerCancelled", rule: row[1], actor: row[2], queue: row[3], why: row[4] ?? {} }),
  ConversionStuck: (row) => ({ kind: "ConversionStuck", rule: row[1], queue: row[2], why: row[3] ?? {} }),
  CountersChanged: (row) => ({ kind: "CountersChanged", rule: row[1], queue: row[2], values: row[3] }),
  DeadLettered: (row) => ({ kind: "DeadLettered", rule: row[1], queue: row[2], reason: row[3], count: row[4], exchange: row[5], routing_key: row[6], to: row[7], why: row[8] ?? {} }),
  DeltaChanged: (row) => ({ kind: "DeltaChanged", rule: row[1], queue: row[2], delta: row[3], why: row[4] ?? {} }),
  DeltaRead: (row) => ({ kind: "DeltaRead", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  Discarded: (row) => ({ kind: "Discarded", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  Dropped: (row) => ({ kind: "Dropped", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  EntriesRecorded: (row) => ({ kind: "EntriesRecorded", rule: row[1], queue: row[2], action: row[3], start: row[4], count: row[5], journal_bytes: row[6] }),
  ExchangeDeclared: (row) => ({ kind: "ExchangeDeclared", rule: row[1], exchange: row[2], values: row[3] }),
  ExchangeDeleted: (row) => ({ kind: "ExchangeDeleted", rule: row[1], exchange: row[2] }),
  Fetched: (row) => ({ kind: "Fetched", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  FileCompacted: (row) => ({ kind: "FileCompacted", rule: row[1], store: row[2], file: row[3], why: row[4] ?? {} }),
  FileCut: (row) => ({ kind: "FileCut", rule: row[1], store: row[2], file: row[3], size_bytes: row[4] }),
  FileDeleted: (row) => ({ kind: "FileDeleted", rule: row[1], store: row[2], file: row[3], size_bytes: row[4], left_on_disk: row[5] ?? 0 }),
  FileLocked: (row) => ({ kind: "FileLocked", rule: row[1], store: row[2], file: row[3], locked: row[4] }),
  FileRolledOver: (row) => ({ kind: "FileRolledOver", rule: row[1], store: row[2], closed: row[3], opened: row[4], why: row[5] ?? {} }),
  FileUnlinked: (row) => ({ kind: "FileUnlinked", rule: row[1], store: row[2], file: row[3], size_bytes: row[4] }),
  FilesCombined: (row) => ({ kind: "FilesCombined", rule: row[1], store: row[2], source: row[3], destination: row[4], size_bytes: row[5], reclaimed_bytes: row[6], left_on_disk: row[7] ?? 0 }),
  FilesConverted: (row) => ({ kind: "FilesConverted", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  FilesFound: (row) => ({ kind: "FilesFound", rule: row[1], queue: row[2], clean: row[3], segments: row[4], bodies: row[5], places: row[6] ?? [], live: row[7] ?? [] }),
  FilesReset: (row) => ({ kind: "FilesReset", rule: row[1], queue: row[2] }),
  GotEmpty: (row) => ({ kind: "GotEmpty", rule: row[1], actor: row[2], queue: row[3] }),
  HappenedElsewhere: (row) => ({ kind: "HappenedElsewhere", rule: row[1], vhost: row[2], what: row[3] }),
  HeadReturned: (row) => ({ kind: "HeadReturned", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  IndexFileCreated: (row) => ({ kind: "IndexFileCreated", rule: row[1], queue: row[2], segment: row[3], bytes: row[4] }),
  IndexFileDeleted: (row) => ({ kind: "IndexFileDeleted", rule: row[1], queue: row[2], segment: row[3], start: row[4], end: row[5], bytes: row[6] }),
  IndexFlushed: (row) => ({ kind: "IndexFlushed", rule: row[1], queue: row[2], full: row[3], segments: row[4], why: row[5] ?? {} }),
  IndexForgotten: (row) => ({ kind: "IndexForgotten", rule: row[1], queue: row[2], entries: row[3], buffered_bytes: row[4], dirty: row[5] }),
  IndexRecovered: (row) => ({ kind: "IndexRecovered", rule: row[1], queue: row[2], clean: row[3], entries: row[4], segments: row[5], journal_bytes: row[6], dirty: row[7] }),
  IndexReset: (row) => ({ kind: "IndexReset", rule: row[1], queue: row[2] }),
  JournalFlushed: (row) => ({ kind: "JournalFlushed", rule: row[1], queue: row[2], why: row[3] ?? {} }),
  JournalOpened: (row) => ({ kind: "JournalOpened", rule: row[1], queue: row[2] }),
  JournalSynced: (row) => ({ kind: "JournalSynced", rule: row[1], queue: row[2], bytes: row[3] }),
  LaneJoined: (row) => ({ kind: "LaneJoined", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  MirrorJoined: (row) => ({ kind: "MirrorJoined", rule: row[1], queue: row[2], node: row[3], why: row[4] ?? {} }),
  MirrorLeft: (row) => ({ kind: "MirrorLeft", rule: row[1], queue: row[2], node: row[3], how: row[4] }),
  MirrorSynchronised: (row) => ({ kind: "MirrorSynchronised", rule: row[1], queue: row[2], node: row[3] }),
  ModeChanged: (row) => ({ kind: "ModeChanged", rule: row[1], queue: row[2], mode: row[3] }),
  NacksSent: (row) => ({ kind: "NacksSent", rule: row[1], actor: row[2], count: row[3], why: row[4] ?? {} }),
  NodeChanged: (row) => ({ kind: "NodeChanged", rule: row[1], part: row[2], values: row[3], why: row[4] ?? {} }),
  NodeStarted: (row) => ({ kind: "NodeStarted", rule: row[1], node: row[2] }),
  NodeStopped: (row) => ({ kind: "NodeStopped", rule: row[1], node: row[2], how: row[3] }),
  OperationDeferred: (row) => ({ kind: "OperationDeferred", rule: row[1], store: row[2], file: row[3], operation: row[4], msg_no: row[5], count: row[6] }),
  PendingPaged: (row) => ({ kind: "PendingPaged", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  PendingPurged: (row) => ({ kind: "PendingPurged", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  PolicyCleared: (row) => ({ kind: "PolicyCleared", rule: row[1], policy: row[2] }),
  PolicySet: (row) => ({ kind: "PolicySet", rule: row[1], policy: row[2], values: row[3] }),
  ProcessChanged: (row) => ({ kind: "ProcessChanged", rule: row[1], process: row[2], values: row[3], why: row[4] ?? {} }),
  Published: (row) => ({ kind: "Published", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  PublishedDelivered: (row) => ({ kind: "PublishedDelivered", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  PutBack: (row) => ({ kind: "PutBack", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  QueueBound: (row) => ({ kind: "QueueBound", rule: row[1], exchange: row[2], queue: row[3], routing_key: row[4], arguments: row[5], to: row[6] ?? "queue" }),
  QueueChanged: (row) => ({ kind: "QueueChanged", rule: row[1], queue: row[2], values: row[3], why: row[4] ?? {} }),
  QueuePromoted: (row) => ({ kind: "QueuePromoted", rule: row[1], queue: row[2], node: row[3], source: row[4], why: row[5] ?? {} }),
  QueueStarted: (row) => ({ kind: "QueueStarted", rule: row[1], queue: row[2], mode: row[3], durable: row[4], record: row[5], values: row[6] }),
  QueueStopped: (row) => ({ kind: "QueueStopped", rule: row[1], queue: row[2], how: row[3] }),
  QueueUnbound: (row) => ({ kind: "QueueUnbound", rule: row[1], exchange: row[2], queue: row[3], routing_key: row[4], arguments: row[5], to: row[6] ?? "queue" }),
  Reduced: (row) => ({ kind: "Reduced", rule: row[1], queue: row[2], why: row[3] ?? {} }),
  RefCountChanged: (row) => ({ kind: "RefCountChanged", rule: row[1], store: row[2], msg_no: row[3], count: row[4], ref_count: row[5] }),
  Rejected: (row) => ({ kind: "Rejected", rule: row[1], queue: row[2], count: row[3], why: row[4] ?? {} }),
  Requeued: (row) => ({ kind: "Requeued", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  RingSent: (row) => ({ kind: "RingSent", rule: row[1], queue: row[2], node: row[3], instruction: row[4], count: row[5], hops: row[6], body_bytes: row[7], why: row[8] ?? {} }),
  RowsForgotten: (row) => ({ kind: "RowsForgotten", rule: row[1], store: row[2], messages: row[3] }),
  RowsMoved: (row) => ({ kind: "RowsMoved", rule: row[1], store: row[2], rows: row[3] }),
  SegmentDeleted: (row) => ({ kind: "SegmentDeleted", rule: row[1], queue: row[2], segment: row[3], bytes: row[4] }),
  SegmentRead: (row) => ({ kind: "SegmentRead", rule: row[1], queue: row[2], segment: row[3], start: row[4], end: row[5], bytes: row[6] }),
  SegmentWritten: (row) => ({ kind: "SegmentWritten", rule: row[1], queue: row[2], segment: row[3], bytes: row[4] }),
  SlotsBuffered: (row) => ({ kind: "SlotsBuffered", rule: row[1], queue: row[2], action: row[3], segment: row[4], start: row[5], count: row[6] }),
  SlotsRead: (row) => ({ kind: "SlotsRead", rule: row[1], queue: row[2], segment: row[3], start: row[4], end: row[5] }),
  StoreRead: (row) => ({ kind: "StoreRead", rule: row[1], store: row[2], by: row[3], file: row[4], msg_no: row[5], count: row[6], bytes: row[7] }),
  StoreRecovered: (row) => ({ kind: "StoreRecovered", rule: row[1], store: row[2], clean: row[3], files: row[4], current: row[5], rows: row[6], orphans: row[7] ?? [] }),
  StoreStopped: (row) => ({ kind: "StoreStopped", rule: row[1], store: row[2], how: row[3] }),
  StoreSynced: (row) => ({ kind: "StoreSynced", rule: row[1], store: row[2], file: row[3] }),
  StoreWritten: (row) => ({ kind: "StoreWritten", rule: row[1], store: row[2], file: row[3], offset: row[4], msg_no: row[5], count: row[6], record_bytes: row[7], step: row[8] ?? 1 }),
  StretchesBuffered: (row) => ({ kind: "StretchesBuffered", rule: row[1], queue: row[2], segment: row[3], offset: row[4], term_bytes: row[5], runs: row[6] }),
  StretchesRead: (row) => ({ kind: "StretchesRead", rule: row[1], store: row[2], by: row[3], file: row[4], runs: row[5] }),
  StretchesRecorded: (row) => ({ kind: "StretchesRecorded", rule: row[1], queue: row[2], action: row[3], runs: row[4], journal_bytes: row[5] }),
  StretchesRecounted: (row) => ({ kind: "StretchesRecounted", rule: row[1], store: row[2], runs: row[3], ref_count: row[4] }),
  StretchesWritten: (row) => ({ kind: "StretchesWritten", rule: row[1], store: row[2], file: row[3], offset: row[4], record_bytes: row[5], step: row[6], runs: row[7] }),
  SyncEnded: (row) => ({ kind: "SyncEnded", rule: row[1], queue: row[2], how: row[3], why: row[4] ?? {} }),
  SyncStarted: (row) => ({ kind: "SyncStarted", rule: row[1], queue: row[2], mirrors: row[3] }),
  TailLoaded: (row) => ({ kind: "TailLoaded", rule: row[1], queue: row[2], source: row[3], to: row[4], extents: row[5], record: row[6] ?? null, why: row[7] ?? {} }),
  TargetChanged: (row) => ({ kind: "TargetChanged", rule: row[1], queue: row[2], target: row[3], why: row[4] ?? {} }),
  Unroutable: (row) => ({ kind: "Unroutable", rule: row[1], actor: row[2], count: row[3], exchange: row[4], routing_key: row[5], returned: row[6] }),
  VhostAdded: (row) => ({ kind: "VhostAdded", rule: row[1], vhost: row[2] }),
  VhostDeleted: (row) => ({ kind: "VhostDeleted", rule: row[1], vhost: row[2] }),
  WriteIgnored: (row) => ({ kind: "WriteIgnored", rule: row[1], store: row[2], msg_no: row[3], count: row[4] }),
};

/**
 * A transition by the names of its fields, from its row. Raises when the kind is unknown: a gap would lie.
 *
 * @param {TransitionRow} row
 * @returns {Transition}
 */
export function decode(row) {
  const decoder = DECODERS[row[0]];
  if (!decoder) throw new TypeError(`unknown transition ${row[0]}`);
  return decoder(row);
}
