/** What the page explains of classic queues of version 1: lives of messages, sentences, reasons, bytes, settings. */
import { fill, gettext, number } from "../../../model/text.js";
import { happens } from "../../../model/until.js";
import { indexPlan } from "./bytes.js";
import { INDEX_LIVES, MOVES, STORE_LIVES } from "./lives.js";
import { QUESTIONS } from "./questions.js";
import { reductionSteps } from "./reduction.js";
import { LARGER } from "./settings.js";
import { FIRST_STEPS, TOUR } from "./tour.js";
import { REASONS, WORDS } from "./words.js";

/** @import { Generation } from "../../../model/generations.js" */

/** @type {Generation["until"]} */
const UNTIL = {
  delta: { text: () => gettext("delta grows"), when: () => happens("BetasPushed") },
  combined: { text: () => gettext("store files combined"), when: () => happens("FilesCombined") },
  read: { text: () => gettext("segment read back"), when: () => happens("DeltaRead") },
};

/**
 * How many of the messages with consumers are where, in a few signs.
 * @param {Record<string, number>} counts by the names of places
 */
function heldText({ ram_pending: ram, disk_pending: disk, index_pending: index }) {
  const values = { ram: number(ram), disk: number(disk), index: number(index) };
  return fill(gettext("%(ram)s RAM, %(disk)s disk, %(index)s index"), values);
}

/** @type {Partial<Generation>} */
export const EXPLAINED_1 = {
  lives: { ...INDEX_LIVES, ...STORE_LIVES },
  moves: MOVES,
  words: WORDS,
  steps: { Reduced: reductionSteps },
  reasons: REASONS,
  larger: LARGER,
  held: heldText,
  ownPlan: indexPlan,
  firstSteps: FIRST_STEPS,
  tour: TOUR,
  questions: QUESTIONS,
  until: UNTIL,
};
