/**
 * The life of one message, read from the transitions: where it was published, when its content and its index entry
 * reached the disk, who got it, what ended it. Each row is examined once; a life has few events.
 */
import { KINDS } from "./catalogue/kinds.js";
import { EXTENT as E, HOME_STORE, PERSISTENT } from "./catalogue/rows.js";
import { ofTransition } from "./generations.js";
import { holding } from "./stretches.js";

/**
 * @import { Extent, Kind, Transition, TransitionOf, Values } from "./catalogue/types.js"
 * @import { History } from "./history.js"
 */

const MAX_EVENTS = 80;

/**
 * One event of a life. `file` is true where bytes of a file were written; `name` is that file's.
 * @typedef {{ what: string, number: number, us: number } & Values} LifeEvent
 */

/**
 * Which message a life is of: a queue and a seq_id, and what more is known of it.
 * @typedef {{ queue: string, seq: number, msgNo?: number | null, flags?: number | null }} Who
 */

/** @typedef {{ [K in Kind]?: (life: Life, t: TransitionOf<K>, number: number, us: number) => void }} Observers */

/** @typedef {Record<string, (t: { to: string | null }, extent: Extent) => [what: string, more?: Values]>} Moves what a message does that changes place */

/** @type {Moves} */
const SHIFTS = {
  Published: ({ to }) => ["published", { to }],
  PublishedDelivered: () => ["direct"],
  Fetched: ({ to }) => (to === null ? ["taken"] : ["delivered"]),
  Dropped: () => ["dropped"],
  Acked: () => ["acked"],
  Requeued: ({ to }) => ["requeued", { to: to ?? "delta" }],
  PendingPurged: () => ["dropped"],
};

const ENDS = new Set(["taken", "dropped", "acked", "lost"]);
/** What is done for a message before it is published to its lane. */
const BEFORE = new Set(["entry", "slot", "buffered", "handed"]);

export class Life {
  /**
   * `who` is {queue, seq}; `msgNo` where it is known; `entries` is the number of entries of a segment.
   * @param {Who} who
   * @param {number} entries
   */
  constructor({ queue, seq, msgNo = null, flags = null }, entries) {
    this.queue = queue;
    this.seq = seq;
    this.msgNo = msgNo;
    this.entries = entries;
    this.segment = Math.floor(seq / entries);
    this.store = flags === null ? null : homeOf(flags);
    /** @type {LifeEvent[]} */
    this.events = [];
    /** @type {Record<string, boolean>} what of it waits to be written */
    this.waits = {};
    /** @type {number | null} the store file that has its record */
    this.file = null;
    /** @type {number | null} where in the file the record ends */
    this.end = null;
    /** @type {boolean | null} whether a recovery found its entry */
    this.found = null;
  }

  /** Whether nothing will happen to it any more. */
  get over() {
    return this.events.some((event) => ENDS.has(event.what));
  }

  /**
   * Read what a History keeps.
   * @param {History} past
   * @param {Who} who
   * @param {number} entries
   */
  static of(past, who, entries) {
    const life = new Life(who, entries);
    for (const [at, stretch] of past.stretches.entries()) {
      if (at > 0) life.gap(stretch.first, stretch.startUs);
      stretch.rows.forEach((t, place) => life.observe(t, stretch.first + place, stretch.atUs[place]));
    }
    return life;
  }

  /**
   * Transitions of which only the number is known: something may have happened meanwhile.
   * @param {number} number
   * @param {number} us
   */
  gap(number, us) {
    const last = this.events[this.events.length - 1];
    if (last && last.what !== "gap") this.add("gap", number - 1, us);
  }

  /**
   * Examine one transition; returns whether it belongs to this life.
   * @param {Transition} t
   * @param {number} number
   * @param {number} us
   */
  observe(t, number, us) {
    const before = this.events.length;
    const { kind } = t;
    const move = moveOf(kind);
    if (move) this.shift(move, t, number, us);
    else if ("queue" in t && t.queue === this.queue) observerOf(QUEUE, kind)?.(this, t, number, us);
    else if ("store" in t && t.store === this.store) observerOf({}, kind)?.(this, t, number, us);
    return this.events.length > before;
  }

  /**
   * @param {Moves[string]} move
   * @param {Transition} t
   * @param {number} number
   * @param {number} us
   */
  shift(move, t, number, us) {
    if (!("extents" in t) || t.queue !== this.queue) return;
    const extent = holding(t.extents, this.seq);
    if (!extent) return;
    if (KINDS[t.kind].arrives) this.begin(us);
    this.msgNo = extent[E.msg_no] + this.seq - extent[E.start];
    this.store = homeOf(extent[E.flags]);
    const [what, more] = move(t, extent);
    this.add(what, number, us, more);
  }

  /**
   * The events so far belong to an earlier message with this seq_id, except what was just done for this one.
   * @param {number} us
   */
  begin(us) {
    this.events = this.events.filter((event) => BEFORE.has(event.what) && event.us === us);
    this.file = null;
  }

  /**
   * @param {number} start
   * @param {number} count
   */
  holds(start, count) {
    return this.seq >= start && this.seq < start + count;
  }

  /**
   * @param {number} msgNo
   * @param {number} count
   */
  isMine(msgNo, count) {
    return this.msgNo !== null && this.msgNo >= msgNo && this.msgNo < msgNo + count;
  }

  /**
   * @param {string} what
   * @param {number} number
   * @param {number} us
   */
  add(what, number, us, more = {}) {
    this.events.push({ what, number, us, ...more });
    if (this.events.length > MAX_EVENTS) this.events.splice(1, 1);
  }
}

/**
 * What a message does that a transition of a kind moves; undefined for one that moves none.
 * @param {Kind} kind
 */
function moveOf(kind) {
  return /** @type {Moves[string] | undefined} */ (SHIFTS[kind] ?? ofTransition("moves", kind));
}

/** @param {number} flags */
function homeOf(flags) {
  if (!(flags & HOME_STORE)) return null;
  return flags & PERSISTENT ? "persistent" : "transient";
}

/**
 * The observer of a kind, which is only ever given transitions of that kind.
 * @param {Observers} observers
 * @param {Kind} kind
 */
function observerOf(observers, kind) {
  const found = observers[kind] ?? ofTransition("lives", kind);
  return /** @type {((life: Life, t: Transition, number: number, us: number) => void) | undefined} */ (found);
}

/** @type {Observers} */
const QUEUE = {
  QueueStopped(life, t, number, us) {
    if (life.events.length && !life.over) life.add("stopped", number, us);
    life.waits.journal = false;
  },
  QueueStarted(life, t, number, us) {
    if (life.found !== null && life.events.length && !life.over)
      life.add(life.found ? "recovered" : "lost", number, us);
    life.found = null;
  },
};
