/** Classic queues, version 2: their own part is the files of index and bodies, with what waits to be written to them. */
import { overlapping } from "../../../model/stretches.js";
import { bodyPlan, slotPlan } from "./bytes.js";
import { LIVE, SLOT, SLOTS } from "./file-rows.js";
import { FILES_HANDLERS, emptyFiles } from "./fold-files.js";
import { happens } from "../../../model/until.js";
import { gettext } from "../../../model/text.js";
import { LIVES, MOVES } from "./lives.js";
import { loadGauge } from "./load-gauge.js";
import { NUMBERS } from "./number-words.js";
import { QUESTIONS } from "./questions.js";
import { LARGER } from "./settings.js";
import { situationOf } from "./situation.js";
import { FIRST_STEPS, TOUR } from "./tour.js";
import { REASONS, WORDS } from "./words.js";

/**
 * @import { FilesState } from "../../../model/catalogue/types.js"
 * @import { Generation, QueueFile } from "../../../model/generations.js"
 */

/**
 * Files of the index, then those of bodies.
 * @param {FilesState} files
 * @returns {QueueFile[]}
 */
function filesOf({ segments, bodies }) {
  return [
    ...segments.map(([segment, size]) => ({ name: `${segment}.qi`, bytes: size })),
    ...bodies.map(([segment, size]) => ({ name: `${segment}.qs`, bytes: size })),
  ];
}

/**
 * Lists of files and of what waits for them, copied: their rows are values.
 * @param {FilesState} files
 * @returns {FilesState}
 */
function copyFiles({ segments, bodies, unread, buffered, acks, waiting, waiting_bytes, slots, places }) {
  return {
    segments: segments.slice(),
    bodies: bodies.slice(),
    unread: unread.slice(),
    buffered: buffered.slice(),
    acks: acks.slice(),
    waiting: waiting.slice(),
    waiting_bytes,
    slots: slots.slice(),
    places: places.slice(),
  };
}

/** @type {Generation["until"]} */
const UNTIL = {
  delta: { text: () => gettext("the tail grows"), when: () => ({ path: "became.delta", op: ">", value: 0 }) },
  combined: { text: () => gettext("store file compacted"), when: () => happens("FileCompacted") },
  read: { text: () => gettext("messages loaded from the tail"), when: () => happens("TailLoaded") },
};

/** @type {Partial<Generation>} */
export const VERSION_2 = {
  handlers: FILES_HANDLERS,
  lives: LIVES,
  moves: MOVES,
  words: WORDS,
  numbers: NUMBERS,
  rules: "W",
  reasons: REASONS,
  larger: LARGER,
  empty: () => ({ files: emptyFiles() }),
  copy: ({ files }) => ({ files: copyFiles(files) }),
  weight: ({ files }) => Object.values(files).reduce((sum, rows) => sum + (rows.length ?? 0), 0),
  situation: situationOf,
  gauge: loadGauge,
  firstSteps: FIRST_STEPS,
  tour: TOUR,
  questions: QUESTIONS,
  until: UNTIL,
  perFile: (settings) => settings.segment_entry_count || 4096,
  files: ({ files }) => filesOf(files),
  live: ({ files }, start, count) => overlapping(/** @type {FilesState} */ (files).slots, start, count, SLOTS).filter((row) => row[SLOT.code] === LIVE),
  survivors: (found) => found,
  ownPlan: slotPlan,
  bodyPlan,
};
