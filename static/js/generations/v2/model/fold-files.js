/** The part of the fold that keeps the files of a queue of version 2, and what waits to be written to them (W80-W119). */
import { queueOf, rearrange } from "../../../model/queue-state.js";
import { RANGES, insert, remove } from "../../../model/stretches.js";

/** @import { FilesState, Handlers, Range, State, TransitionOf } from "../../../model/catalogue/types.js" */

/**
 * A queue without files.
 * @returns {FilesState}
 */
export function emptyFiles() {
  return { segments: [], bodies: [], buffered: [], acks: [], waiting: [], waiting_bytes: 0 };
}

/**
 * The files of a queue; with the first transition about them it is known to be one of version 2.
 * @param {State} state
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
 * @param {State} state
 * @param {TransitionOf<"SlotsBuffered">} t
 */
function slotsBuffered(state, t) {
  const files = filesOf(state, t);
  const [, size, live] = rowOf(files.segments, t.segment);
  const publish = t.action === "publish";
  put(files.segments, [t.segment, size, publish ? live + t.count : live - t.count]);
  if (publish) {
    insert(files.buffered, [t.start, t.count], RANGES);
    return;
  }
  let at = t.start;
  /** @type {Range[]} */
  const gone = remove(files.buffered, t.start, t.count, RANGES);
  for (const [start, count] of [...gone, /** @type {Range} */ ([t.start + t.count, 0])]) {
    if (start > at) insert(files.acks, [at, start - at], RANGES);
    at = start + count;
  }
}

/**
 * @param {State} state
 * @param {TransitionOf<"IndexFlushed">} t
 */
function indexFlushed(state, t) {
  const files = filesOf(state, t);
  files.acks = [];
  if (t.full) files.buffered = [];
  for (const [segment, size] of t.segments) put(files.segments, [segment, size, rowOf(files.segments, segment)[2]]);
}

/**
 * @param {State} state
 * @param {TransitionOf<"BodiesWritten">} t
 */
function bodiesWritten(state, t) {
  const files = filesOf(state, t);
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
  },
  BodiesBuffered: (state, t) => {
    const files = filesOf(state, t);
    insert(files.waiting, [t.start, t.count], RANGES);
    files.waiting_bytes += t.bytes;
  },
  BodiesForgotten: (state, t) => {
    const files = filesOf(state, t);
    remove(files.waiting, t.start, t.count, RANGES);
    files.waiting_bytes -= t.bytes;
  },
  BodiesWritten: bodiesWritten,
  BodyFileDeleted: (state, t) => {
    const files = filesOf(state, t);
    files.bodies = files.bodies.filter(([number]) => number !== t.segment);
  },
  FilesReset: (state, t) => {
    Object.assign(filesOf(state, t), emptyFiles());
  },
  FilesFound: (state, t) => {
    const segments = t.segments.map(([number, size, live]) => [number, size, live]);
    const bodies = t.bodies.map(([number, size]) => [number, size]);
    Object.assign(filesOf(state, t), emptyFiles(), { segments, bodies });
  },
};
