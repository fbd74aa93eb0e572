/** What the flags and the place of a message mean (the twin of engine/values/extents.py), and where a store has its record. */
import { DELTA as D, EXTENT as E, HOME_STORE, INDEXED, IN_RAM, IN_STORE, PERSISTENT, STORE_FILE as F, STORE_ROW as S } from "./catalogue/rows.js";
import { recordBytes } from "./columns.js";
import { generationOf } from "./generations.js";
import { aboutPlace, countedLanesOf, lanesOf, pendingPlacesOf, placesOf } from "./places.js";
import { holding, offsetOf, total } from "./stretches.js";
import { gettext } from "./text.js";

/** @import { QueueSnapshot, RunSnapshot } from "./catalogue/types.js" */

/** @typedef {{ store: string, file: number, offset: number, bytes: number }} StoreRecord where a message's record is */

/**
 * The rows of one place of a queue.
 * @param {QueueSnapshot | null | undefined} queue
 * @param {string} place
 */
export function rowsOf(queue, place) {
  return (queue && queue.lanes && queue.lanes[place]) || [];
}

/**
 * How many messages a sub-queue holds.
 * @param {QueueSnapshot | null | undefined} queue
 * @param {string} place
 */
export function lengthOf(queue, place) {
  if (!queue) return 0;
  const record = queue.counted?.[place];
  return record ? record[D.count] : total(rowsOf(queue, place));
}

/**
 * How many messages consumers hold unacknowledged.
 * @param {QueueSnapshot | null} queue
 */
export function pendingOf(queue) {
  if (!placesOf(queue).length) return queue?.counters.unacked ?? 0;
  return pendingPlacesOf(queue).reduce((sum, place) => sum + lengthOf(queue, place), 0);
}

/**
 * alpha, beta, gamma or delta: the state of a message (Q3). Small ones keep their body in RAM wherever they are.
 * @param {string} place
 * @param {number} flags
 */
export function stateOf(place, flags) {
  const about = aboutPlace(place);
  if (about.counted) return COUNTED;
  if (about.content === "ram" || flags & IN_RAM) return "alpha";
  return flags & INDEXED ? "gamma" : "beta";
}

/**
 * How many messages wait for a consumer, in all lanes.
 * @param {QueueSnapshot | null} queue
 */
export function readyOf(queue) {
  if (!placesOf(queue).length) return queue?.counters.len ?? 0;
  return lanesOf(queue).reduce((sum, lane) => sum + lengthOf(queue, lane), 0);
}

/** The states of a waiting message (Q3), as they follow each other on its way to disk. */
export const LETTERS = /** @type {const} */ (["alpha", "beta", "gamma", "delta"]);
/** What a message is of which RAM knows that it is there, and nothing else. */
const COUNTED = LETTERS[3];
const NONE = { alpha: 0, beta: 0, gamma: 0, [COUNTED]: 0 };

/**
 * How many of the waiting messages there are of each Greek letter (Q3).
 * @param {QueueSnapshot} queue
 */
export function lettersOf(queue) {
  const counted = countedLanesOf(queue).reduce((sum, lane) => sum + lengthOf(queue, lane), 0);
  const found = { ...NONE, [COUNTED]: counted };
  for (const lane of lanesOf(queue))
    for (const row of rowsOf(queue, lane)) found[stateOf(lane, row[E.flags])] += row[E.count];
  return found;
}

/**
 * Where a message is: a lane, `unacked` or `gone`; null when it was never there.
 * @param {QueueSnapshot} queue
 * @param {number} seq
 */
export function placeOf(queue, seq) {
  const found = locate(queue, seq);
  if (found) return aboutPlace(found.place).unacked ? "unacked" : found.place;
  return seq < (queue.counters.next_seq_id ?? 0) ? "gone" : null;
}

/**
 * Names of the queues that clients use: a queue that consists of others, one for each priority, without those.
 * @param {RunSnapshot} state
 */
export function declaredQueues(state) {
  return Object.keys(state.queues).filter((name) => !state.queues[name].part_of && !state.queues[name].mirror_of);
}

/** The queue that a command means when it names none, as in engine/broker/commands/base.py. */
export const DEFAULT_QUEUE = "orders";

/**
 * The queue that is meant where a condition names none: the default one, else the first; null where there is none.
 * @param {RunSnapshot} state
 */
export function usualQueue(state) {
  return state.queues[DEFAULT_QUEUE] ?? Object.values(state.queues)[0] ?? null;
}

/**
 * Which parts of a message are where: content and index, in RAM and on disk.
 * @param {string} place
 * @param {number} flags
 */
export function partsOf(place, flags) {
  const embedded = !(flags & HOME_STORE);
  const onDisk = aboutPlace(place).counted;
  return {
    state: stateOf(place, flags),
    embedded,
    ramContent: !onDisk && (flags & IN_RAM) !== 0,
    ramIndex: !onDisk,
    diskIndex: onDisk || (flags & INDEXED) !== 0,
    diskContent: onDisk || (flags & (embedded ? INDEXED : IN_STORE)) !== 0,
  };
}

/**
 * What a message's state means, in words.
 * @param {string} place
 * @param {number} flags
 */
export function stateWords(place, flags) {
  const parts = partsOf(place, flags);
  if (aboutPlace(place)?.counted) return gettext("delta: nothing in RAM, index and content on disk");
  if (parts.embedded && parts.ramContent && aboutPlace(place)?.limits === "entries")
    return gettext("small: its content stays in RAM with the index");
  /** @type {Record<string, string>} */
  const words = {
    alpha: parts.diskIndex
      ? gettext("alpha: content and index in RAM, a copy on disk")
      : gettext("alpha: content and index in RAM"),
    beta: gettext("beta: index in RAM, content on disk"),
    gamma: gettext("gamma: index in RAM and on disk, content on disk"),
  };
  return words[parts.state];
}

/**
 * Where a message is: {place, row} or null.
 * @param {QueueSnapshot} queue
 * @param {number} seq
 */
export function locate(queue, seq) {
  for (const place of [...lanesOf(queue).reverse(), ...pendingPlacesOf(queue)]) {
    const row = holding(rowsOf(queue, place), seq);
    if (row) return { place, row };
  }
  for (const [place, record] of Object.entries(queue.counted)) {
    const [start, end] = [record[D.start], record[D.end]];
    if (start === null || end === null || seq < start || seq >= end) continue;
    if (generationOf(queue).live(queue.own, seq, 1).length) return { place, row: null };
  }
  return null;
}

/**
 * All live messages that are listed, as sorted [start, count, state, msg_no] spans.
 * @param {QueueSnapshot} queue
 */
export function spans(queue) {
  /** @type {[start: number, count: number, state: string, msgNo: number][]} */
  const found = [];
  for (const place of lanesOf(queue)) {
    for (const row of rowsOf(queue, place)) found.push([row[E.start], row[E.count], stateOf(place, row[E.flags]), row[E.msg_no]]);
  }
  for (const place of pendingPlacesOf(queue)) {
    for (const row of rowsOf(queue, place)) found.push([row[E.start], row[E.count], "unacked", row[E.msg_no]]);
  }
  return found.sort((a, b) => a[0] - b[0]);
}

/**
 * {store, file, offset, bytes} of a message's record, or null where it has none (or RAM only counts it, without a number).
 * @param {RunSnapshot} state
 * @param {QueueSnapshot} queue
 * @param {number} seq
 */
export function recordOf(state, queue, seq) {
  const found = locate(queue, seq);
  if (!found?.row || !(found.row[E.flags] & IN_STORE) || !(found.row[E.flags] & HOME_STORE)) return null;
  const store = found.row[E.flags] & PERSISTENT ? "persistent" : "transient";
  return recordOfNumber(state, store, found.row[E.msg_no] + seq - found.row[E.start]);
}

/**
 * {store, file, offset, bytes} of a message number's record, or null.
 * @param {RunSnapshot} state
 * @param {string} store
 * @param {number} msgNo
 */
export function recordOfNumber(state, store, msgNo) {
  const row = holding(state.stores[store]?.rows || [], msgNo);
  if (!row) return null;
  const bytes = recordBytes(row[S.record_bytes], msgNo, 1);
  return { store, file: row[S.file], offset: offsetOf(row, msgNo - row[S.start]), bytes };
}

/**
 * Whether a record waits in its store's write buffer: its file does not have it yet.
 * @param {RunSnapshot} state
 * @param {StoreRecord} record
 */
export function waitsInBuffer(state, { store, file, offset, bytes }) {
  const onDisk = state.stores[store].files.find((each) => each[F.number] === file)?.[F.disk_bytes];
  return onDisk !== undefined && offset + bytes > onDisk;
}
