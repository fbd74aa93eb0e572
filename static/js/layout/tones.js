/** Bytes have the colour of their message: which stretch of seq_ids or message numbers has which state. */
import { DELTA as D } from "../model/catalogue/rows.js";
import { spans } from "../model/messages.js";
import { liveRows } from "./counted.js";

/** @import { QueueSnapshot } from "../model/catalogue/types.js" */

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
 * Spans of seq_ids that lanes list.
 * @param {QueueSnapshot} queue
 * @returns {Tone[]}
 */
export function toneBySeq(queue) {
  return spans(queue).map(([start, count, tone]) => [start, count, tone]);
}

/**
 * Spans of message numbers with their tones, and the tone of all others: {list: [msg_no, count, tone], otherwise}.
 * `known(start, count)` gives the numbers of messages that are only counted; where some are unknown, the others may be those.
 * @param {QueueSnapshot} queue
 * @param {(start: number, count: number) => [number, number][]} known
 */
export function toneByMessage(queue, known = () => []) {
  /** @type {Tone[]} */
  const list = spans(queue).map(([, count, tone, msgNo]) => [msgNo, count, tone]);
  let unknown = 0;
  for (const [lane, record] of Object.entries(queue.counted)) {
    unknown += Math.max(0, record[D.count]);
    for (const [start, length] of record[D.count] ? liveRows(queue, lane) : [])
      for (const [msgNo, count] of known(start, length)) {
        list.push([msgNo, count, "delta"]);
        unknown -= count;
      }
  }
  list.sort((a, b) => a[0] - b[0]);
  return { list, otherwise: unknown > 0 ? "delta" : "other" };
}
