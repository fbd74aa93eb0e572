/** The part of the fold that keeps a queue's index: entries, segment files and the journal (S70-S93). */
import { ENTRIES, insert, overlapping, remove } from "./runs.js";

const BITS = { publish: 1, deliver: 2, ack: 4, publish_deliver: 3 };
const GONE = 7;

/** An index without files. */
export function emptyIndex() {
  return { entries: [], segments: [], journal_bytes: null, buffered_bytes: 0, dirty: 0 };
}

function entriesPerSegment(state) {
  return state.node.settings.segment_entry_count || 2048;
}

/** How many records the journal bits of a code stand for. */
function recorded(code) {
  return (code & 1) + ((code >> 1) & 1) + ((code >> 2) & 1);
}

/** Apply `change` to the code of every entry of [start, start+count), entries without a code included. */
function recode(entries, start, count, change) {
  const found = remove(entries, start, count, ENTRIES);
  let at = start;
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

function segmentRow(index, segment) {
  const at = index.segments.findIndex((row) => row[0] >= segment);
  if (at >= 0 && index.segments[at][0] === segment) return at;
  const place = at < 0 ? index.segments.length : at;
  index.segments.splice(place, 0, [segment, 0]);
  return place;
}

function entriesRecorded(state, [, , name, action, start, count, journalBytes]) {
  const index = state.queues[name].index;
  const bits = BITS[action];
  recode(index.entries, start, count, (code) => ((code | bits) === GONE ? null : code | bits));
  index.dirty += count * recorded(bits);
  index.buffered_bytes += journalBytes;
}

function segmentWritten(state, [, , name, segment, bytes]) {
  const index = state.queues[name].index;
  const size = entriesPerSegment(state);
  for (const [start, count, code] of overlapping(index.entries, segment * size, size, ENTRIES)) {
    if (code & GONE) recode(index.entries, start, count, () => 8 * ((code >> 3) + recorded(code)));
  }
  const at = segmentRow(index, segment);
  index.segments[at] = [segment, index.segments[at][1] + bytes];
}

function segmentDeleted(state, [, , name, segment]) {
  const index = state.queues[name].index;
  const size = entriesPerSegment(state);
  remove(index.entries, segment * size, size, ENTRIES);
  index.segments = index.segments.filter((row) => row[0] !== segment);
}

export const INDEX_HANDLERS = {
  EntriesRecorded: entriesRecorded,
  JournalOpened: (state, [, , name]) => {
    state.queues[name].index.journal_bytes = 0;
  },
  JournalSynced: (state, [, , name, bytes]) => {
    const index = state.queues[name].index;
    index.journal_bytes = (index.journal_bytes || 0) + bytes;
    index.buffered_bytes -= bytes;
  },
  JournalFlushed: (state, [, , name]) => {
    Object.assign(state.queues[name].index, { journal_bytes: 0, buffered_bytes: 0, dirty: 0 });
  },
  SegmentWritten: segmentWritten,
  SegmentDeleted: segmentDeleted,
  SegmentRead: () => {},
  IndexReset: (state, [, , name]) => {
    state.queues[name].index = emptyIndex();
  },
  IndexRecovered: (state, [, , name, , entries, segments, journalBytes, dirty]) => {
    const index = emptyIndex();
    Object.assign(index, {
      entries: entries.slice(),
      segments: segments.slice(),
      journal_bytes: journalBytes,
      dirty,
    });
    state.queues[name].index = index;
  },
};
