/**
 * What no fsync has covered yet, from the transitions: index entries since the journal was synced last, records since
 * the store was. The fold has no room for this; a power cut would tell.
 */
import { RANGES as RUNS, insert, remove } from "./stretches.js";

const MAX_RUNS = 2000;

/**
 * What waits in one journal or store; `syncedUs` is when it was synced last.
 * @typedef {{runs: any[], bytes: number, sinceUs: number?, lastUs: number?, syncedUs: number?}} Waiting
 */

/**
 * Nothing waits.
 * @returns {Waiting}
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

  /** What rows tell that led to a moment. */
  static of(rows) {
    const found = new Unsynced();
    for (const { t, us } of rows) found.observe(t, us);
    return found;
  }

  /** Look at one transition. */
  observe(t, us) {
    HANDLERS[t.kind]?.(this, t, us);
  }

  journal(name) {
    return (this.journals[name] ??= nothing());
  }

  store(name) {
    return (this.stores[name] ??= nothing());
  }

  /** Whether anything waits for an fsync. */
  get any() {
    return [...Object.values(this.journals), ...Object.values(this.stores)].some((each) => each.bytes > 0);
  }
}

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

const journalSynced = (all, { queue }, us) => {
  all.journals[queue] = nothing(us);
};

const HANDLERS = {
  EntriesRecorded: (all, t, us) =>
    add(all.journal(t.queue), t.start, t.action === "ack" ? 0 : t.count, t.journal_bytes, us),
  JournalSynced: journalSynced,
  JournalFlushed: journalSynced,
  IndexReset: journalSynced,
  QueueStopped: journalSynced,
  StoreWritten: (all, t, us) => add(all.store(t.store), t.msg_no, t.count, t.count * t.record_bytes, us),
  StoreSynced: (all, { store }, us) => {
    all.stores[store] = nothing(us);
  },
  StoreStopped: (all, { store }) => {
    delete all.stores[store];
  },
};
