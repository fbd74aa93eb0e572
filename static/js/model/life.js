/**
 * The life of one message, read from the transitions: where it was published, when its content and its index entry
 * reached the disk, who got it, what ended it. One look at each row; the events of a life are few.
 */
import { KINDS } from "./catalogue/kinds.js";
import { ENTRY, EXTENT as E, HOME_STORE, PERSISTENT } from "./catalogue/rows.js";
import { acked, stateOf } from "./messages.js";
import { holding } from "./stretches.js";

const MAX_EVENTS = 80;

const SHIFTS = {
  Published: ({ to }) => ["published", { to }],
  PublishedDelivered: () => ["direct"],
  AlphasPushed: ({ to }, extent) => [stateOf(to, extent[E.flags]), { to }],
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
    this.queue = queue;
    this.seq = seq;
    this.msgNo = msgNo;
    this.entries = entries;
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
      stretch.rows.forEach((t, place) => life.observe(t, stretch.first + place, stretch.atUs[place]));
    }
    return life;
  }

  /** Transitions of which only the number is known: something may have happened meanwhile. */
  gap(number, us) {
    const last = this.events[this.events.length - 1];
    if (last && last.what !== "gap") this.add("gap", number - 1, us);
  }

  /** Look at one transition; tells whether it belongs to this life. */
  observe(t, number, us) {
    const before = this.events.length;
    const { kind } = t;
    if (kind in SHIFTS) this.shift(t, number, us);
    else if (INDEX[kind] && t.queue === this.queue) INDEX[kind](this, t, number, us);
    else if (STORE[kind] && t.store === this.store) STORE[kind](this, t, number, us);
    return this.events.length > before;
  }

  shift(t, number, us) {
    if (t.queue !== this.queue) return;
    const extent = holding(t.extents, this.seq);
    if (!extent) return;
    if (KINDS[t.kind].arrives) this.begin(us);
    this.msgNo = extent[E.msg_no] + this.seq - extent[E.start];
    this.store = homeOf(extent[E.flags]);
    const [what, more] = SHIFTS[t.kind](t, extent);
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
  EntriesRecorded(life, { action, start, count }, number, us) {
    if (!life.holds(start, count)) return;
    Object.assign(life.waits, { journal: true, segment: true });
    if (action !== "deliver") life.add(action === "ack" ? "ackmark" : "entry", number, us, { file: true });
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
  QueueStopped(life, t, number, us) {
    if (life.events.length && !life.over) life.add("stopped", number, us);
    life.waits.journal = false;
  },
  IndexRecovered(life, { entries }) {
    const entry = holding(entries, life.seq);
    life.found = Boolean(entry) && !acked(entry[ENTRY.code]);
  },
  QueueStarted(life, t, number, us) {
    if (life.found !== null && life.events.length && !life.over)
      life.add(life.found ? "recovered" : "lost", number, us);
    life.found = null;
  },
};

const STORE = {
  StoreWritten(life, { file, offset, msg_no, count, record_bytes, step }, number, us) {
    if (!life.isMine(msg_no, count)) return;
    const nth = life.msgNo - msg_no;
    life.file = file;
    life.end = offset + (step > 0 ? nth + 1 : count - nth) * record_bytes;
    Object.assign(life.waits, { buffer: true, sync: true });
    life.add("buffered", number, us, { file: true, name: `${file}.rdq` });
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
  FileDeleted(life, { file }, number, us) {
    if (file === life.file) life.add("gone", number, us, { file: true, name: `${file}.rdq` });
  },
};
