/** Classic queues, version 1: their own part is the index with its journal, and the newest reduction. */
import { ENTRY as N } from "../../../model/catalogue/rows.js";
import { queueOf, recount } from "../../../model/queue-state.js";
import { ENTRIES, overlapping } from "../../../model/stretches.js";
import { fill, gettext, number } from "../../../model/text.js";
import { indexPlan } from "./bytes.js";
import { acked } from "./entries.js";
import { INDEX_LIVES, MOVES, STORE_LIVES } from "./lives.js";
import { reductionSteps, reductionTitle } from "./reduction.js";
import { LARGER } from "./settings.js";
import { situationOf } from "./situation.js";
import { REASONS, WORDS } from "./words.js";
import { INDEX_HANDLERS, emptyIndex, entriesPerSegment } from "./fold-index.js";
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

/**
 * How many of the messages with consumers are where, in a few signs.
 * @param {Record<string, number>} counts by the names of places
 */
function heldText({ ram_pending: ram, disk_pending: disk, index_pending: index }) {
  const values = { ram: number(ram), disk: number(disk), index: number(index) };
  return fill(gettext("%(ram)s RAM, %(disk)s disk, %(index)s index"), values);
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
  lives: { ...INDEX_LIVES, ...STORE_LIVES },
  moves: MOVES,
  words: WORDS,
  steps: { Reduced: (why) => ({ title: reductionTitle(why), steps: reductionSteps(why) }) },
  reasons: REASONS,
  larger: LARGER,
  held: heldText,
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
  perFile: entriesPerSegment,
  files: ({ index }) => filesOf(index),
  ownPlan: indexPlan,
};
