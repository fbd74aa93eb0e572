/**
 * The life of one message, read from the transitions: where it was published, when its content and its index entry
 * reached the disk, who got it, what ended it. One look at each row; the events of a life are few.
 */
import { HOME_STORE, PERSISTENT, acked, stateOf } from "./messages.js";
import { holding } from "./runs.js";

const MAX_EVENTS = 80;

const SHIFTS = {
  Published: ({ to }) => ["published", { to }],
  PublishedDelivered: () => ["direct"],
  AlphasPushed: ({ to, row }) => [stateOf(to, row[4]), { to }],
  PendingPaged: () => ["paged"],
  BetasPushed: () => ["delta"],
  DeltaRead: () => ["read", { to: "q3" }],
  LaneJoined: ({ to }) => ["joined", { to }],
  Fetched: ({ to }) => (to === null ? ["taken"] : ["delivered"]),
  Dropped: () => ["dropped"],
  Acked: () => ["acked"],
  Requeued: ({ to }) => ["requeued", { to: to ?? "delta" }],
  PendingPurged: () => ["dropped"],
};

const ENDS = new Set(["taken", "dropped", "acked", "lost"]);

export class Life {
  /** `who` is {queue, seq}; `msgNo` where it is known; `entries` is the number of entries of a segment. */
  constructor({ queue, seq, msgNo = null, flags = null }, entries) {
    Object.assign(this, { queue, seq, msgNo, entries });
    this.segment = Math.floor(seq / entries);
    this.store = flags === null ? null : homeOf(flags);
    this.events = [];
    this.waits = {};
    this.file = null;
    this.found = null;
  }

  /** Whether nothing will happen to it any more. */
  get over() {
    return this.events.some((event) => ENDS.has(event.what));
  }

  /** Read what a History keeps. */
  static of(past, who, entries) {
    const life = new Life(who, entries);
    for (const [at, stretch] of past.stretches.entries()) {
      if (at > 0) life.gap(stretch.first, stretch.startUs);
      stretch.rows.forEach((row, place) => life.see(row, stretch.first + place, stretch.atUs[place]));
    }
    return life;
  }

  /** Transitions of which only the number is known: something may have happened meanwhile. */
  gap(number, us) {
    const last = this.events[this.events.length - 1];
    if (last && last.what !== "gap") this.add("gap", number - 1, us);
  }

  /** Look at one transition; tells whether it belongs to this life. */
  see(row, number, us) {
    const before = this.events.length;
    const [kind] = row;
    if (kind in SHIFTS) this.shift(row, number, us);
    else if (kind in INDEX) row[2] === this.queue && INDEX[kind](this, row, number, us);
    else if (kind in STORE) row[2] === this.store && STORE[kind](this, row, number, us);
    return this.events.length > before;
  }

  shift([kind, , queue, , to, extents], number, us) {
    if (queue !== this.queue || !Array.isArray(extents)) return;
    const row = holding(extents, this.seq);
    if (!row) return;
    if (kind.startsWith("Published")) this.begin(us);
    this.msgNo = row[2] + this.seq - row[0];
    this.store = homeOf(row[4]);
    const [what, more] = SHIFTS[kind]({ to, row });
    this.add(what, number, us, more);
  }

  /** What was told so far is the life of an earlier one with this seq_id, but for the entry that was just made. */
  begin(us) {
    this.events = this.events.filter((event) => event.what === "entry" && event.us === us);
    this.file = null;
  }

  holds(start, count) {
    return this.seq >= start && this.seq < start + count;
  }

  isMine(msgNo, count) {
    return this.msgNo !== null && this.msgNo >= msgNo && this.msgNo < msgNo + count;
  }

  add(what, number, us, more = {}) {
    this.events.push({ what, number, us, ...more });
    if (this.events.length > MAX_EVENTS) this.events.splice(1, 1);
  }
}

function homeOf(flags) {
  if (!(flags & HOME_STORE)) return null;
  return flags & PERSISTENT ? "persistent" : "transient";
}

const INDEX = {
  EntriesRecorded(life, [, , , action, start, count], number, us) {
    if (!life.holds(start, count)) return;
    Object.assign(life.waits, { journal: true, segment: true });
    if (action !== "deliver") life.add(action === "ack" ? "ackmark" : "entry", number, us, { file: true });
  },
  JournalSynced(life, row, number, us) {
    if (life.waits.journal) life.add("journal", number, us, { file: true });
    life.waits.journal = false;
  },
  SegmentWritten(life, [, , , segment], number, us) {
    if (segment !== life.segment || !life.waits.segment) return;
    Object.assign(life.waits, { journal: false, segment: false });
    life.add("segment", number, us, { file: true, name: `${segment}.idx` });
  },
  SegmentDeleted(life, [, , , segment], number, us) {
    if (segment === life.segment && life.events.length)
      life.add("gone", number, us, { file: true, name: `${segment}.idx` });
  },
  QueueStopped(life, row, number, us) {
    if (life.events.length && !life.over) life.add("stopped", number, us);
    life.waits.journal = false;
  },
  IndexRecovered(life, [, , , , entries]) {
    const entry = holding(entries, life.seq);
    life.found = Boolean(entry) && !acked(entry[2]);
  },
  QueueStarted(life, row, number, us) {
    if (life.found !== null && life.events.length && !life.over)
      life.add(life.found ? "recovered" : "lost", number, us);
    life.found = null;
  },
};

const STORE = {
  StoreWritten(life, [, , , file, offset, msgNo, count, bytes, step = 1], number, us) {
    if (!life.isMine(msgNo, count)) return;
    const nth = life.msgNo - msgNo;
    life.file = file;
    life.end = offset + (step > 0 ? nth + 1 : count - nth) * bytes;
    Object.assign(life.waits, { buffer: true, sync: true });
    life.add("buffered", number, us, { file: true, name: `${file}.rdq` });
  },
  BufferWritten(life, [, , , file], number, us) {
    if (life.waits.buffer && file === life.file)
      life.add("handed", number, us, { file: true, name: `${file}.rdq` });
    life.waits.buffer = false;
  },
  StoreSynced(life, [, , , file], number, us) {
    if (life.waits.sync && file === life.file)
      life.add("synced", number, us, { file: true, name: `${file}.rdq` });
    life.waits.sync = false;
  },
  RefCountChanged(life, [, , , msgNo, count, refs], number, us) {
    if (life.isMine(msgNo, count)) life.add("refs", number, us, { file: true, refs });
  },
  RowsMoved(life, [, , , rows], number, us) {
    const row = rows.find(([msgNo, count]) => life.isMine(msgNo, count));
    if (!row) return;
    [, , life.file] = row;
    life.add("moved", number, us, { file: true, name: `${life.file}.rdq` });
  },
  StoreRead(life, [, , , by, file, msgNo, count], number, us) {
    if (life.isMine(msgNo, count))
      life.add("content", number, us, { file: true, by, name: `${file}.rdq` });
  },
  FileDeleted(life, [, , , file], number, us) {
    if (file === life.file) life.add("gone", number, us, { file: true, name: `${file}.rdq` });
  },
};
