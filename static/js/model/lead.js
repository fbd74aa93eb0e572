/** The rows that lead to a moment, in as many steps as a reader can follow: what happened at one instant is one step. Pure. */

/** @import { FrameMessage } from "./catalogue/types.js" */

/** @typedef {{ first: number, at_us: number[], rows: FrameMessage["rows"], now_us: number }} Portion rows that are shown in one step */

/**
 * The steps of a frame, at most `most`, each as a frame.
 * @param {Pick<FrameMessage, "first" | "at_us" | "rows" | "now_us">} frame
 * @param {number} most
 * @returns {Portion[]}
 */
export function portionsOf({ first, at_us: times, rows, now_us: nowUs }, most) {
  /** @type {number[]} where an instant begins */
  const starts = times.flatMap((us, at) => (at && us === times[at - 1] ? [] : [at]));
  const share = Math.max(1, starts.length / most);
  /** @type {Portion[]} */
  const portions = [];
  for (let at = 0; at < starts.length; ) {
    const from = starts[at];
    at = Math.max(at + 1, Math.ceil((portions.length + 1) * share));
    const to = starts[at] ?? times.length;
    portions.push({ first: first + from, at_us: times.slice(from, to), rows: rows.slice(from, to), now_us: times[to - 1] });
  }
  if (portions.length) portions[portions.length - 1].now_us = nowUs ?? times[times.length - 1];
  return portions;
}
