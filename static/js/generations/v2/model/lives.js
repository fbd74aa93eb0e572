/** What version 2 adds to the life of a message: its load from the tail, its slot and its content, and when these reached the files. */
import { holding } from "../../../model/stretches.js";

/** @import { Life, Moves, Observers } from "../../../model/life.js" */

/** @type {Moves} */
export const MOVES = {
  TailLoaded: ({ to }) => ["read", { to }],
};

/** @param {Life} life */
const contents = ({ segment }) => ({ file: true, name: `${segment}.qs` });

/** @param {Life} life */
const index = ({ segment }) => ({ file: true, name: `${segment}.qi` });

/** @type {Observers} */
export const LIVES = {
  FilesFound(life, { live }) {
    life.found = holding(live, life.seq) !== null;
  },
  SlotsBuffered(life, { action, start, count }, number, us) {
    if (!life.holds(start, count)) return;
    if (action === "publish") {
      life.waits.slot = true;
      life.add("slot", number, us, { file: true });
    } else {
      // An entry that still waits is taken out of the buffer: no file ever has it (W91).
      life.waits.zeros = !life.waits.slot;
      life.add(life.waits.slot ? "unwritten" : "slotack", number, us, index(life));
      life.waits.slot = false;
    }
  },
  IndexFlushed(life, { full }, number, us) {
    if (life.waits.slot && full) {
      life.waits.slot = false;
      life.add("segment", number, us, index(life));
    }
    if (life.waits.zeros) life.add("zeroed", number, us, index(life));
    life.waits.zeros = false;
  },
  BodiesBuffered(life, { start, count }, number, us) {
    if (!life.holds(start, count)) return;
    life.waits.body = true;
    life.add("buffered", number, us, contents(life));
  },
  StretchesBuffered(life, { runs }, number, us) {
    if (!runs.some(([start, count]) => life.holds(start, count))) return;
    life.waits.body = true;
    life.add("buffered", number, us, contents(life));
  },
  BodiesForgotten(life, { start, count }, number, us) {
    if (!life.holds(start, count)) return;
    life.waits.body = false;
    life.add("unwritten", number, us, contents(life));
  },
  BodiesWritten(life, { fsync }, number, us) {
    if (life.waits.body) life.add(fsync ? "synced" : "handed", number, us, contents(life));
    life.waits.body = false;
  },
  BodiesRead(life, { start, count }, number, us) {
    if (life.holds(start, count)) life.add("content", number, us, contents(life));
  },
  IndexFileDeleted(life, { segment }, number, us) {
    if (segment === life.segment && life.events.length) life.add("gone", number, us, index(life));
  },
  BodyFileDeleted(life, { segment }, number, us) {
    if (segment === life.segment && life.events.length) life.add("gone", number, us, contents(life));
  },
};
