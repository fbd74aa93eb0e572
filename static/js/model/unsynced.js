/**
 * What no fsync has covered yet, from the transitions: index entries since the journal was synced last, records since
 * the store was. The fold has no room for this; a power cut would tell.
 */
import { insert, remove } from "./runs.js";

const MAX_RUNS = 2000;

/** Runs [start, count]. */
const RUNS = {
  part: (row, offset, count) => [row[0] + offset, count],
  continues: () => true,
};

/** Nothing waits: {runs, bytes, sinceUs, lastUs} of one journal or store; `syncedUs` is when it was synced last. */
function nothing(syncedUs = null) {
  return { runs: [], bytes: 0, sinceUs: null, lastUs: null, syncedUs };
}

export class Unsynced {
  constructor() {
    this.clear();
  }

  clear() {
    this.journals = {};
    this.stores = {};
  }

  /** What rows tell that led to a moment. */
  static of(rows) {
    const found = new Unsynced();
    for (const { row, us } of rows) found.see(row, us);
    return found;
  }

  /** Look at one transition. */
  see([kind, , name, ...rest], us) {
    HANDLERS[kind]?.(this, name, rest, us);
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

const journalSynced = (all, name, rest, us) => {
  all.journals[name] = nothing(us);
};

const HANDLERS = {
  EntriesRecorded: (all, name, [action, start, count, bytes], us) =>
    add(all.journal(name), start, action === "ack" ? 0 : count, bytes, us),
  JournalSynced: journalSynced,
  JournalFlushed: journalSynced,
  IndexReset: journalSynced,
  QueueStopped: journalSynced,
  StoreWritten: (all, name, [, , msgNo, count, bytes], us) =>
    add(all.store(name), msgNo, count, count * bytes, us),
  StoreSynced: (all, name, rest, us) => {
    all.stores[name] = nothing(us);
  },
  StoreStopped: (all, name) => {
    delete all.stores[name];
  },
};
