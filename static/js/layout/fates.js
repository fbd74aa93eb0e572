/** Where on the stage lie the messages that a stop keeps, loses or brings back: segments of lanes. Pure. */
import { EXTENT as E } from "../model/catalogue/rows.js";
import { rowsOfLane } from "./spot.js";

/**
 * @import { QueueSnapshot } from "../model/catalogue/types.js"
 * @import { Fate } from "../model/fate.js"
 * @import { Lane, Scene } from "./stage.js"
 */

const MOST = 400;

/**
 * The fate of a stretch of seq_ids by runs [start, count]: pieces [kind, start, count] in order.
 * @param {number} start
 * @param {number} count
 * @param {Fate} fates
 * @returns {[kind: string, start: number, count: number][]}
 */
function pieces(start, count, fates) {
  /** @type {[string, number, number][]} */
  const found = [];
  for (const kind of /** @type {const} */ (["kept", "lost", "back"])) {
    for (const [from, length] of fates[kind]) {
      const low = Math.max(start, from);
      const high = Math.min(start + count, from + length);
      if (low < high) found.push([kind, low, high - low]);
    }
  }
  return found.sort((a, b) => a[1] - b[1]);
}

/**
 * @typedef {{lane: Lane, kind: string, from: number, to: number}} Segment
 */

/**
 * Segments [{lane, kind, from, to}] of a scene: indexes from the head, `to` excluded; neighbours alike are one.
 * @param {Scene} scene
 * @param {QueueSnapshot} queue
 * @param {Fate} fates
 */
export function fateSegments(scene, queue, fates) {
  /** @type {Segment[]} */
  const found = [];
  for (const lane of scene.lanes) {
    let before = 0;
    for (const row of lane.count ? rowsOfLane(queue, lane.name) : []) {
      for (const [kind, seq, count] of pieces(row[E.start], row[E.count], fates)) {
        const from = before + seq - row[E.start];
        const last = found[found.length - 1];
        if (last?.lane === lane && last.kind === kind && last.to === from) last.to = from + count;
        else if (found.length < MOST) found.push({ lane, kind, from, to: from + count });
      }
      before += row[E.count];
    }
  }
  return found;
}

/**
 * The rectangle of a segment, from the contents in RAM to those on disk; null where none of it is shown.
 * @param {Scene} scene
 * @param {Segment} segment
 */
export function segmentFrame({ geo }, { lane, from, to }) {
  const { plan } = lane;
  const [first, end] = [Math.max(from, plan.from), Math.min(to, plan.from + plan.shown)];
  if (first >= end) return null;
  const high = plan.border(first);
  const low = Math.min(plan.border(end), high - 3);
  const v = geo.ramContent - 4;
  const depth = geo.diskContent + geo.content + 4 - v;
  return geo.turned ? { x: v, y: low, w: depth, h: high - low } : { x: low, y: v, w: high - low, h: depth };
}
