/** Classic queues, version 1: their own part is the index with its journal, and the newest reduction. */
import { ENTRY as N } from "../../../model/catalogue/rows.js";
import { queueOf, recount } from "../../../model/queue-state.js";
import { ENTRIES, overlapping } from "../../../model/stretches.js";
import { situationOf } from "./situation.js";
import { INDEX_HANDLERS, acked, emptyIndex, entriesPerSegment, inSegment } from "./fold-index.js";
import { STORE_HANDLERS } from "./fold-store.js";

/**
 * @import { IndexState } from "../../../model/catalogue/types.js"
 * @import { Generation, QueueFile } from "../../../model/generations.js"
 */

/**
 * Files of the index, the journal first.
 * @param {IndexState} index
 * @returns {QueueFile[]}
 */
function filesOf({ journal_bytes: journal, segments }) {
  const files = segments.map(([segment, size]) => ({ name: `${segment}.idx`, bytes: size }));
  return journal === null || journal === undefined ? files : [{ name: "journal.jif", bytes: journal }, ...files];
}

/** @type {Partial<Generation>} */
export const VERSION_1 = {
  handlers: {
    ...INDEX_HANDLERS,
    ...STORE_HANDLERS,
    DeltaChanged: (state, t) => recount(queueOf(state, t.queue), t.delta),
    Reduced: (state, t) => {
      queueOf(state, t.queue).own.reduced = t.why;
    },
  },
  situation: situationOf,
  empty: () => ({ reduced: null, index: emptyIndex() }),
  begin: (own) => {
    own.reduced = null;
  },
  copy: ({ index, reduced }) => ({
    reduced,
    index: { ...index, entries: index.entries.slice(), segments: index.segments.slice() },
  }),
  weight: ({ index }) => index.entries.length + index.segments.length,
  live: ({ index }, start, count) => overlapping(index.entries, start, count, ENTRIES).filter((row) => !acked(row[N.code])),
  survivors: (recovered) => recovered.filter((entry) => !acked(entry[N.code])),
  // Of entries that no segment has yet the journal's file has the records once nothing of it waits in its buffer (S23).
  indexInFile: ({ index }, seq) =>
    overlapping(index.entries, seq, 1, ENTRIES).some(({ [N.code]: code }) => inSegment(code) || (index.journal_bytes > 0 && !index.buffered_bytes)),
  perFile: entriesPerSegment,
  files: ({ index }) => filesOf(index),
};
