/**
 * What no fsync has covered yet, from the transitions: index entries since the last fsync of the journal, records since
 * the last fsync of the store. The folded state does not contain this; it decides what a power cut would lose.
 */
import { recordBytes } from "./columns.js";
import { RANGES as RUNS, insert, remove } from "./stretches.js";

/** @import { Kind, Range, Transition, TransitionOf } from "./catalogue/types.js" */

const MAX_RUNS = 2000;

/**
 * What waits in one journal or store; `syncedUs` is when it was synced last.
 * @typedef {{runs: Range[], bytes: number, sinceUs: number?, lastUs: number?, syncedUs: number?}} Waiting
 */

/**
 * Nothing waits.
 * @returns {Waiting}
 * @param {number | null} [syncedUs]
 */
function nothing(syncedUs = null) {
  return { runs: [], bytes: 0, sinceUs: null, lastUs: null, syncedUs };
}

export class Unsynced {
  constructor() {
    /** @type {Record<string, Waiting>} */
    this.journals = {};
    /** @type {Record<string, Waiting>} */
    this.stores = {};
  }

  clear() {
    this.journals = {};
    this.stores = {};
  }

  /**
   * What is not synced after the rows that led to a moment.
   * @param {{ t: Transition, us: number }[]} rows
   */
  static of(rows) {
    const found = new Unsynced();
    for (const { t, us } of rows) found.observe(t, us);
    return found;
  }

  /**
   * Take one transition into account.
   * @param {Transition} t
   * @param {number} us
   */
  observe(t, us) {
    const handler = /** @type {((all: Unsynced, t: Transition, us: number) => void) | undefined} */ (HANDLERS[t.kind]);
    handler?.(this, t, us);
  }

  /** @param {string} name */
  journal(name) {
    return (this.journals[name] ??= nothing());
  }

  /** @param {string} name */
  store(name) {
    return (this.stores[name] ??= nothing());
  }

  /** Whether anything waits for an fsync. */
  get any() {
    return [...Object.values(this.journals), ...Object.values(this.stores)].some((each) => each.bytes > 0);
  }
}

/**
 * @param {Waiting} waiting
 * @param {number} start
 * @param {number} count
 * @param {number} bytes
 * @param {number} us
 */
function add(waiting, start, count, bytes, us) {
  if (count) {
    remove(waiting.runs, start, count, RUNS);
    insert(waiting.runs, [start, count], RUNS);
    if (waiting.runs.length > MAX_RUNS) waiting.runs.splice(0, waiting.runs.length - MAX_RUNS);
  }
  waiting.bytes += bytes;
  waiting.sinceUs ??= us;
  waiting.lastUs = us;
}

/**
 * @param {Unsynced} all
 * @param {{ queue: string }} t
 * @param {number} us
 */
const journalSynced = (all, { queue }, us) => {
  all.journals[queue] = nothing(us);
};

/** @type {{ [K in Kind]?: (all: Unsynced, t: TransitionOf<K>, us: number) => void }} */
const HANDLERS = {
  EntriesRecorded: (all, t, us) =>
    add(all.journal(t.queue), t.start, t.action.endsWith("ack") ? 0 : t.count, t.journal_bytes, us),
  JournalSynced: journalSynced,
  JournalFlushed: journalSynced,
  IndexReset: journalSynced,
  QueueStopped: journalSynced,
  StoreWritten: (all, t, us) => add(all.store(t.store), t.msg_no, t.count, recordBytes(t.record_bytes, t.msg_no, t.count), us),
  StoreSynced: (all, { store }, us) => {
    all.stores[store] = nothing(us);
  },
  StoreStopped: (all, { store }) => {
    delete all.stores[store];
  },
};
