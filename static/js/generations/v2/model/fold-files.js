/** The part of the fold that keeps the files of a queue of version 2, and what waits to be written to them (W80-W119). */
import { recordBytes } from "../../../model/columns.js";
import { queueOf, rearrange } from "../../../model/queue-state.js";
import { RANGES, insert, remove } from "../../../model/stretches.js";
import { ACKED, BODY as B, BODIES, ENTRY_HEADER_BYTES, ERASED, HOLE, LIVE, SLOTS, WAITING, WRITTEN, bodiesEnd } from "./file-rows.js";

/**
 * @import { FilesState, Handlers, Range, RunSnapshot, TransitionOf } from "../../../model/catalogue/types.js"
 * @import { BodyRow } from "./file-rows.js"
 */

/**
 * A queue without files.
 * @returns {FilesState}
 */
export function emptyFiles() {
  return { segments: [], bodies: [], unread: [], buffered: [], acks: [], waiting: [], waiting_bytes: 0, slots: [], places: [] };
}

/**
 * @param {FilesState} files
 * @param {number} start
 * @param {number} count
 * @param {number} code
 */
function mark({ slots }, start, count, code) {
  remove(slots, start, count, SLOTS);
  insert(slots, [start, count, code], SLOTS);
}

/**
 * Give bodies another code, as far as they are known.
 * @param {FilesState} files
 * @param {number} start
 * @param {number} count
 * @param {number} code
 */
function place({ places }, start, count, code) {
  for (const row of remove(places, start, count, BODIES)) {
    const changed = /** @type {BodyRow} */ (row.slice());
    changed[B.code] = code;
    insert(places, changed, BODIES);
  }
}

/**
 * Bodies wait to be written.
 * @param {FilesState} files
 * @param {BodyRow} row
 */
function wait(files, row) {
  const [start, count] = row;
  insert(files.waiting, [start, count], RANGES);
  files.waiting_bytes += bodiesEnd(row) - row[B.offset] - count * ENTRY_HEADER_BYTES;
  remove(files.places, start, count, BODIES);
  insert(files.places, row, BODIES);
}

/**
 * The files of a queue; with the first transition about them it is known to be one of version 2.
 * @param {RunSnapshot} state
 * @param {{ queue: string }} t
 * @returns {FilesState}
 */
function filesOf(state, { queue }) {
  const known = queueOf(state, queue);
  if (!known.own.files) {
    known.backing_queue = "classic_v2";
    rearrange(known);
  }
  return /** @type {FilesState} */ (known.own.files);
}

/**
 * Put a row where its number belongs, in place of the row that has it.
 * @template {number[]} R
 * @param {R[]} rows
 * @param {R} row
 */
function put(rows, row) {
  const [own] = row;
  const at = rows.findIndex(([number]) => number >= own);
  if (at < 0) rows.push(row);
  else rows.splice(at, rows.some(([number]) => number === own) ? 1 : 0, row);
}

/**
 * @param {[number, number, number][]} segments
 * @param {number} segment
 */
function rowOf(segments, segment) {
  return segments.find(([number]) => number === segment) ?? [segment, 0, 0];
}

/**
 * Acks take away what is buffered; the rest of them is buffered itself.
 * @param {RunSnapshot} state
 * @param {TransitionOf<"SlotsBuffered">} t
 */
function slotsBuffered(state, t) {
  const files = filesOf(state, t);
  const [, size, live] = rowOf(files.segments, t.segment);
  const publish = t.action === "publish";
  put(files.segments, [t.segment, size, publish ? live + t.count : live - t.count]);
  if (publish) {
    insert(files.buffered, [t.start, t.count], RANGES);
    mark(files, t.start, t.count, LIVE);
    return;
  }
  mark(files, t.start, t.count, ACKED);
  let at = t.start;
  /** @type {Range[]} */
  const gone = remove(files.buffered, t.start, t.count, RANGES);
  for (const [start, count] of [...gone, /** @type {Range} */ ([t.start + t.count, 0])]) {
    if (start > at) insert(files.acks, [at, start - at], RANGES);
    if (count) mark(files, start, count, ERASED);
    at = start + count;
  }
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"IndexFlushed">} t
 */
function indexFlushed(state, t) {
  const files = filesOf(state, t);
  files.acks = [];
  if (t.full) files.buffered = [];
  for (const [segment, size] of t.segments) put(files.segments, [segment, size, rowOf(files.segments, segment)[2]]);
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"BodiesWritten">} t
 */
function bodiesWritten(state, t) {
  const files = filesOf(state, t);
  for (const [start, count] of files.waiting) place(files, start, count, WRITTEN);
  files.waiting = [];
  files.waiting_bytes = 0;
  for (const [segment, size] of t.files) put(files.bodies, [segment, size]);
}

/** @type {Handlers} */
export const FILES_HANDLERS = {
  SlotsBuffered: slotsBuffered,
  IndexFileCreated: (state, t) => put(filesOf(state, t).segments, [t.segment, t.bytes, 0]),
  IndexFlushed: indexFlushed,
  IndexFileDeleted: (state, t) => {
    const files = filesOf(state, t);
    files.segments = files.segments.filter(([number]) => number !== t.segment);
    remove(files.acks, t.start, t.end - t.start, RANGES);
    remove(files.slots, t.start, t.end - t.start, SLOTS);
    remove(files.places, t.start, t.end - t.start, BODIES);
  },
  BodiesBuffered: (state, t) =>
    wait(filesOf(state, t), [t.start, t.count, t.offset, t.bytes / t.count + ENTRY_HEADER_BYTES, WAITING, 0]),
  StretchesBuffered: (state, t) => {
    const files = filesOf(state, t);
    // A negative number says which column, and how many bytes each term has without its body.
    const each = t.term_bytes - ENTRY_HEADER_BYTES;
    let { offset } = t;
    for (const [start, count, msgNo] of t.runs) {
      wait(files, [start, count, offset, each, WAITING, msgNo]);
      offset += recordBytes(each, msgNo, count);
    }
  },
  BodiesForgotten: (state, t) => {
    const files = filesOf(state, t);
    remove(files.waiting, t.start, t.count, RANGES);
    files.waiting_bytes -= t.bytes;
    place(files, t.start, t.count, HOLE);
  },
  BodiesWritten: bodiesWritten,
  BodyFileDeleted: (state, t) => {
    const files = filesOf(state, t);
    files.bodies = files.bodies.filter(([number]) => number !== t.segment);
    files.unread = files.unread.filter(([number]) => number !== t.segment);
  },
  FilesReset: (state, t) => {
    Object.assign(filesOf(state, t), emptyFiles());
  },
  FilesFound: (state, t) => {
    const segments = t.segments.map(([number, size, live]) => [number, size, live]);
    const bodies = t.bodies.map(([number, size]) => [number, size]);
    const slots = t.live.map(([start, count]) => [start, count, LIVE]);
    const places = t.places.map((row) => [...row, WRITTEN, 0]);
    Object.assign(filesOf(state, t), emptyFiles(), { segments, bodies, unread: bodies.slice(), slots, places });
  },
};
