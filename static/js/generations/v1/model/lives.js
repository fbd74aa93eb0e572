/** What version 1 adds to the life of a message: its ways between lanes, its entry, and when that reached the disk. */
import { ENTRY, EXTENT as E } from "../../../model/catalogue/rows.js";
import { recordBytes } from "../../../model/columns.js";
import { stateOf } from "../../../model/messages.js";
import { holding } from "../../../model/stretches.js";
import { acked } from "./fold-index.js";

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
  StretchesRecorded(life, t, number, us) {
    const mine = t.runs.find(([start, count]) => life.holds(start, count));
    if (mine) INDEX_LIVES.EntriesRecorded?.(life, { ...t, kind: "EntriesRecorded", start: mine[0], count: mine[1] }, number, us);
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

/** @type {Observers} */
export const STORE_LIVES = {
  StoreWritten(life, { file, offset, msg_no, count, record_bytes, step }, number, us) {
    if (life.msgNo === null || !life.isMine(msg_no, count)) return;
    const nth = life.msgNo - msg_no;
    life.file = file;
    const behind = step > 0 ? recordBytes(record_bytes, msg_no, nth + 1) : recordBytes(record_bytes, life.msgNo, count - nth);
    life.end = offset + behind;
    Object.assign(life.waits, { buffer: true, sync: true });
    life.add("buffered", number, us, { file: true, name: `${file}.rdq` });
  },
  StretchesWritten(life, t, number, us) {
    let { offset } = t;
    for (const [msgNo, count] of t.runs) {
      if (life.isMine(msgNo, count)) {
        STORE_LIVES.StoreWritten?.(life, { ...t, kind: "StoreWritten", offset, msg_no: msgNo, count }, number, us);
        return;
      }
      offset += recordBytes(t.record_bytes, msgNo, count);
    }
  },
  BufferWritten(life, { file }, number, us) {
    if (life.waits.buffer && file === life.file)
      life.add("handed", number, us, { file: true, name: `${file}.rdq` });
    life.waits.buffer = false;
  },
  StoreSynced(life, { file }, number, us) {
    if (life.waits.sync && file === life.file)
      life.add("synced", number, us, { file: true, name: `${file}.rdq` });
    life.waits.sync = false;
  },
  RefCountChanged(life, { msg_no, count, ref_count: refs }, number, us) {
    if (life.isMine(msg_no, count)) life.add("refs", number, us, { file: true, refs });
  },
  StretchesRecounted(life, { runs, ref_count: refs }, number, us) {
    if (runs.some(([msgNo, count]) => life.isMine(msgNo, count))) life.add("refs", number, us, { file: true, refs });
  },
  RowsMoved(life, { rows }, number, us) {
    const row = rows.find(([msgNo, count]) => life.isMine(msgNo, count));
    if (!row) return;
    [, , life.file] = row;
    life.add("moved", number, us, { file: true, name: `${life.file}.rdq` });
  },
  StoreRead(life, { by, file, msg_no, count }, number, us) {
    if (life.isMine(msg_no, count))
      life.add("content", number, us, { file: true, by, name: `${file}.rdq` });
  },
  StretchesRead(life, { by, file, runs }, number, us) {
    if (runs.some(([msgNo, count]) => life.isMine(msgNo, count)))
      life.add("content", number, us, { file: true, by, name: `${file}.rdq` });
  },
  FileDeleted(life, { file }, number, us) {
    if (file === life.file) life.add("gone", number, us, { file: true, name: `${file}.rdq` });
  },
};
