/** The part of the fold that keeps a queue's index: entries, segment files and the journal (S70-S93). */
import { queueOf } from "../../../model/queue-state.js";
import { ENTRIES, insert, overlapping, remove } from "../../../model/stretches.js";

/** @import { IndexEntry, Handlers, IndexState, RunSnapshot, TransitionOf, Values } from "../../../model/catalogue/types.js" */

/** @type {Record<string, number>} */
const BITS = { publish: 1, deliver: 2, ack: 4, publish_deliver: 3, deliver_ack: 6 };
const GONE = 7;

/**
 * An index without files.
 * @returns {IndexState}
 */
export function emptyIndex() {
  return { entries: [], segments: [], journal_bytes: null, buffered_bytes: 0, dirty: 0 };
}

/**
 * How many entries a segment has, by the node's settings.
 * @param {Values} settings
 */
export function entriesPerSegment(settings) {
  return settings.segment_entry_count || 2048;
}

/**
 * The index of a queue.
 * @param {RunSnapshot} state
 * @param {string} name
 * @returns {IndexState}
 */
function indexOf(state, name) {
  return queueOf(state, name).own.index;
}

/**
 * How many records the journal bits of a code stand for.
 * @param {number} code
 */
function recorded(code) {
  return (code & 1) + ((code >> 1) & 1) + ((code >> 2) & 1);
}

/**
 * Apply `change` to the code of every entry of [start, start+count), entries without a code included.
 * @param {IndexEntry[]} entries
 * @param {number} start
 * @param {number} count
 * @param {(code: number) => number | null} change
 */
function recode(entries, start, count, change) {
  const found = remove(entries, start, count, ENTRIES);
  let at = start;
  /** @type {(from: number, length: number, code: number) => void} */
  const put = (from, length, code) => {
    const next = change(code);
    if (next !== null) insert(entries, [from, length, next], ENTRIES);
  };
  for (const [from, length, code] of found) {
    if (from > at) put(at, from - at, 0);
    put(from, length, code);
    at = from + length;
  }
  if (at < start + count) put(at, start + count - at, 0);
}

/**
 * The place of the first segment whose number is not below `segment`, by halving.
 * @param {[number, number][]} segments
 * @param {number} segment
 */
function firstFrom(segments, segment) {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (segments[middle][0] < segment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The place of a segment among [number, bytes] pairs; made on first sight.
 * @param {IndexState} index
 * @param {number} segment
 */
function segmentAt(index, segment) {
  const at = firstFrom(index.segments, segment);
  if (index.segments[at]?.[0] !== segment) index.segments.splice(at, 0, [segment, 0]);
  return at;
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"EntriesRecorded">} t
 */
function entriesRecorded(state, t) {
  recordRuns(indexOf(state, t.queue), t.action, [[t.start, t.count]], t.journal_bytes);
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"StretchesRecorded">} t
 */
function stretchesRecorded(state, t) {
  recordRuns(indexOf(state, t.queue), t.action, t.runs, t.journal_bytes);
}

/**
 * Set the journal bits of an action for some runs of entries.
 * @param {IndexState} index
 * @param {string} action
 * @param {[start: number, count: number][]} runs
 * @param {number} journalBytes
 */
function recordRuns(index, action, runs, journalBytes) {
  const bits = BITS[action];
  for (const [start, count] of runs) {
    // Where only bytes are reported, of entries that were recorded before, there are none (S77).
    if (count) recode(index.entries, start, count, (code) => ((code | bits) === GONE ? null : code | bits));
    index.dirty += count * recorded(bits);
  }
  index.buffered_bytes += journalBytes;
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"SegmentWritten">} t
 */
function segmentWritten(state, { queue, segment, bytes }) {
  const index = indexOf(state, queue);
  const size = entriesPerSegment(state.node.settings);
  for (const [start, count, code] of overlapping(index.entries, segment * size, size, ENTRIES)) {
    // A second publish record replaces the first (S119).
    const before = code & BITS.publish ? 0 : code >> 3;
    if (code & GONE) recode(index.entries, start, count, () => 8 * (before + recorded(code)));
  }
  const at = segmentAt(index, segment);
  const [, before] = index.segments[at];
  index.segments[at] = [segment, before + bytes];
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"SegmentDeleted">} t
 */
function segmentDeleted(state, { queue, segment }) {
  const index = indexOf(state, queue);
  const size = entriesPerSegment(state.node.settings);
  remove(index.entries, segment * size, size, ENTRIES);
  const at = firstFrom(index.segments, segment);
  if (index.segments[at]?.[0] === segment) index.segments.splice(at, 1);
}

/** @type {Handlers} */
export const INDEX_HANDLERS = {
  EntriesRecorded: entriesRecorded,
  StretchesRecorded: stretchesRecorded,
  JournalOpened: (state, { queue }) => {
    indexOf(state, queue).journal_bytes = 0;
  },
  JournalSynced: (state, { queue, bytes }) => {
    const index = indexOf(state, queue);
    index.journal_bytes = (index.journal_bytes || 0) + bytes;
    index.buffered_bytes -= bytes;
  },
  JournalFlushed: (state, { queue }) => {
    Object.assign(indexOf(state, queue), { journal_bytes: 0, buffered_bytes: 0, dirty: 0 });
  },
  SegmentWritten: segmentWritten,
  SegmentDeleted: segmentDeleted,
  IndexReset: (state, { queue }) => {
    queueOf(state, queue).own.index = emptyIndex();
  },
  IndexRecovered: (state, t) => {
    const index = emptyIndex();
    Object.assign(index, {
      entries: t.entries.slice(),
      segments: t.segments.slice(),
      journal_bytes: t.journal_bytes,
      dirty: t.dirty,
    });
    queueOf(state, t.queue).own.index = index;
  },
  IndexForgotten: (state, { queue, entries, buffered_bytes, dirty }) => {
    Object.assign(indexOf(state, queue), { entries: entries.slice(), buffered_bytes, dirty });
  },
};

/**
 * Whether an index entry's code marks the message as acknowledged.
 * @param {number} code
 */
export function acked(code) {
  return code >> 3 === 3 || (code & 4) !== 0;
}

/**
 * Whether a segment file has the publish record of an index entry with this code.
 * @param {number} code
 */
export function inSegment(code) {
  return code >> 3 !== 0;
}
