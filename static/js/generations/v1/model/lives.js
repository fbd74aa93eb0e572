/** What version 1 adds to the life of a message: its ways between lanes, its entry, and when that reached the disk. */
import { ENTRY, EXTENT as E } from "../../../model/catalogue/rows.js";
import { stateOf } from "../../../model/messages.js";
import { holding } from "../../../model/stretches.js";
import { acked } from "./entries.js";

/** @import { Moves, Observers } from "../../../model/life.js" */

/** @type {Moves} */
export const MOVES = {
  AlphasPushed: ({ to }, extent) => [stateOf(String(to), extent[E.flags]), { to }],
  PendingPaged: () => ["paged"],
  BetasPushed: () => ["delta"],
  DeltaRead: ({ to }) => ["read", { to }],
  LaneJoined: ({ to }) => ["joined", { to }],
};

/** @type {Observers} */
export const INDEX_LIVES = {
  EntriesRecorded(life, { action, start, count }, number, us) {
    if (!life.holds(start, count)) return;
    Object.assign(life.waits, { journal: true, segment: true });
    if (action !== "deliver") life.add(action.endsWith("ack") ? "ackmark" : "entry", number, us, { file: true });
  },
  JournalSynced(life, t, number, us) {
    if (life.waits.journal) life.add("journal", number, us, { file: true });
    life.waits.journal = false;
  },
  SegmentWritten(life, { segment }, number, us) {
    if (segment !== life.segment || !life.waits.segment) return;
    Object.assign(life.waits, { journal: false, segment: false });
    life.add("segment", number, us, { file: true, name: `${segment}.idx` });
  },
  SegmentDeleted(life, { segment }, number, us) {
    if (segment === life.segment && life.events.length)
      life.add("gone", number, us, { file: true, name: `${segment}.idx` });
  },
  IndexRecovered(life, { entries }) {
    const entry = holding(entries, life.seq);
    life.found = entry !== null && !acked(entry[ENTRY.code]);
  },
};
