/**
 * What no fsync has covered yet, from the transitions: index entries since the last fsync of the journal, records since
 * the last fsync of the store; and which files a store of 4.x will look at. The folded state does not contain this, as it has no
 * times; it decides what a power cut would lose.
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
 * What a store of 4.x has to do with its files: `files` wait for the timer that began at `sinceUs` (W140), the ends of those in
 * `cut` are to be cut off (W145).
 * @typedef {{ files: number[], sinceUs: number | null, cut: number[] }} Collection
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
    /** @type {Record<string, Collection>} */
    this.collections = {};
  }

  clear() {
    this.journals = {};
    this.stores = {};
    this.collections = {};
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

  /** @param {string} name */
  collection(name) {
    return (this.collections[name] ??= { files: [], sinceUs: null, cut: [] });
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

/**
 * @param {Unsynced} all
 * @param {string} store
 * @param {number} file
 */
function isCut(all, store, file) {
  const found = all.collections[store];
  if (found) found.cut = found.cut.filter((each) => each !== file);
}

/** @type {{ [K in Kind]?: (all: Unsynced, t: TransitionOf<K>, us: number) => void }} */
const HANDLERS = {
  EntriesRecorded: (all, t, us) =>
    add(all.journal(t.queue), t.start, t.action.endsWith("ack") ? 0 : t.count, t.journal_bytes, us),
  StretchesRecorded: (all, t, us) => {
    const journal = all.journal(t.queue);
    for (const [start, count] of t.action.endsWith("ack") ? [] : t.runs) add(journal, start, count, 0, us);
    add(journal, 0, 0, t.journal_bytes, us);
  },
  JournalSynced: journalSynced,
  JournalFlushed: journalSynced,
  IndexReset: journalSynced,
  QueueStopped: journalSynced,
  StoreWritten: (all, t, us) => add(all.store(t.store), t.msg_no, t.count, recordBytes(t.record_bytes, t.msg_no, t.count), us),
  StretchesWritten: (all, t, us) => {
    for (const [msgNo, count] of t.runs) add(all.store(t.store), msgNo, count, recordBytes(t.record_bytes, msgNo, count), us);
  },
  StoreSynced: (all, { store }, us) => {
    all.stores[store] = nothing(us);
  },
  StoreStopped: (all, { store }) => {
    delete all.stores[store];
    delete all.collections[store];
  },
  CollectionTimed: (all, { store, fired, files }, us) => {
    Object.assign(all.collection(store), fired ? { files: [], sinceUs: null } : { files: [...files], sinceUs: us });
  },
  FileCompacted: (all, { store, file }) => {
    all.collection(store).cut.push(file);
  },
  FileCut: (all, { store, file }) => isCut(all, store, file),
  FileDeleted: (all, { store, file }) => isCut(all, store, file),
};
