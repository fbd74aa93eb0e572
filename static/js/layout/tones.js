/** Bytes have the colour of their message: which stretch of seq_ids or message numbers has which state. */
import { DELTA as D } from "../model/catalogue/rows.js";
import { acked, spans } from "../model/messages.js";
import { liveEntries } from "./delta.js";

/** @import { Entry, QueueState } from "../model/catalogue/types.js" */

/** @typedef {[start: number, count: number, tone: string]} Tone the tone of a stretch of numbers */

/**
 * Cut [start, start+count) by sorted [start, count, tone] spans; what no span covers gets `otherwise`.
 * @param {Tone[]} list
 * @param {number} start
 * @param {number} count
 * @param {string} otherwise
 */
export function cut(list, start, count, otherwise) {
  /** @type {Tone[]} */
  const found = [];
  const end = start + count;
  let at = start;
  /**
   * @param {number} from
   * @param {number} to
   * @param {string} tone
   */
  const push = (from, to, tone) => {
    const last = found[found.length - 1];
    if (last && last[2] === tone && last[0] + last[1] === from) last[1] += to - from;
    else if (to > from) found.push([from, to - from, tone]);
  };
  for (let i = firstEndingAfter(list, start); i < list.length && list[i][0] < end; i += 1) {
    const low = Math.max(start, list[i][0]);
    const high = Math.min(end, list[i][0] + list[i][1]);
    push(at, low, otherwise);
    push(low, high, list[i][2]);
    at = high;
  }
  push(at, end, otherwise);
  return found;
}

/**
 * @param {Tone[]} list
 * @param {number} start
 */
function firstEndingAfter(list, start) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][0] + list[middle][1] > start) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Spans of seq_ids outside delta.
 * @param {QueueState} queue
 * @returns {Tone[]}
 */
export function toneBySeq(queue) {
  return spans(queue).map(([start, count, tone]) => [start, count, tone]);
}

/**
 * Spans of message numbers with their tones, and the tone of all others: {list: [msg_no, count, tone], otherwise}.
 * `known(start, count)` gives the numbers of messages in delta; where some are unknown, the others may be delta's.
 * @param {QueueState} queue
 * @param {(start: number, count: number) => [number, number][]} known
 */
export function toneByMessage(queue, known = () => []) {
  /** @type {Tone[]} */
  const list = spans(queue).map(([, count, tone, msgNo]) => [msgNo, count, tone]);
  let unknown = Math.max(0, queue.delta?.[D.count] ?? 0);
  if (unknown)
    for (const [start, length] of liveEntries(queue))
      for (const [msgNo, count] of known(start, length)) {
        list.push([msgNo, count, "delta"]);
        unknown -= count;
      }
  list.sort((a, b) => a[0] - b[0]);
  return { list, otherwise: unknown > 0 ? "delta" : "other" };
}

/**
 * Tones of index entries: [start, count, tone, inJournalOnly]. Entries that are in no lane are delta's.
 * @param {Tone[]} list
 * @param {Entry[]} entries
 */
export function entryTones(list, entries) {
  /** @type {[start: number, count: number, tone: string, journal: boolean][]} */
  const found = [];
  for (const [start, count, code] of entries) {
    const journal = code >> 3 === 0;
    if (acked(code)) found.push([start, count, "acked", journal]);
    else
      for (const [from, length, tone] of cut(list, start, count, "delta"))
        found.push([from, length, tone, journal]);
  }
  return found;
}
