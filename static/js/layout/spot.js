/** Where a message is in a scene: its lane, and the stretch of the lane that it takes; and which message is at a place of a lane. */
import { EXTENT as E } from "../model/catalogue/rows.js";
import { rowsOf } from "../model/messages.js";
import { UNACKED, aboutPlace, pendingPlacesOf } from "../model/places.js";
import { shownState } from "../model/shown.js";
import { liveRows } from "./counted.js";
import { walker } from "./lane.js";

/**
 * @import { Extent, QueueSnapshot, RunSnapshot } from "../model/catalogue/types.js"
 * @import { Numbered } from "../model/stretches.js"
 * @import { LanePlan } from "./lane.js"
 * @import { Lane, Scene } from "./stage.js"
 */

/**
 * The rows of a lane of the stage, by seq_id.
 * @param {QueueSnapshot | null} queue
 * @param {string} name
 * @returns {(Extent | Numbered)[]}
 */
export function rowsOfLane(queue, name) {
  if (name === UNACKED) return pendingRowsOf(queue).map(([row]) => row);
  if (aboutPlace(name).counted) return queue ? liveRows(queue, name) : [];
  return rowsOf(queue, name);
}

/**
 * The rows of what consumers hold as [row, place], by seq_id.
 * @param {QueueSnapshot | null} queue
 */
export function pendingRowsOf(queue) {
  /** @type {[row: Extent, place: string][]} */
  const pairs = pendingPlacesOf(queue).flatMap((place) => rowsOf(queue, place).map((row) => [row, place]));
  return pairs.sort(([a], [b]) => a[E.start] - b[E.start]);
}

/**
 * The message at an index of a lane: {seq, place, row} or null.
 * @param {RunSnapshot} state
 * @param {string} lane
 * @param {number} index
 */
export function messageAt(state, lane, index) {
  const queue = shownState(state);
  if (!queue) return null;
  const found = walker(rowsOfLane(queue, lane))(index);
  const place = lane === UNACKED ? pendingRowsOf(queue).find(([row]) => row === found?.row)?.[1] : lane;
  if (!found || place === undefined) return null;
  return { seq: found.row[E.start] + found.offset, place, row: found.row };
}

/**
 * How many messages of a lane are nearer to its head than a seq_id; -1 if it is not in the lane.
 * @param {QueueSnapshot | null} queue
 * @param {string} name
 * @param {number} seq
 */
export function indexIn(queue, name, seq) {
  let before = 0;
  for (const row of rowsOfLane(queue, name)) {
    if (seq < row[E.start]) return -1;
    if (seq < row[E.start] + row[E.count]) return before + seq - row[E.start];
    before += row[E.count];
  }
  return -1;
}

/**
 * {lane, index} of a seq_id in a scene, or null.
 * @param {Scene} scene
 * @param {QueueSnapshot | null} queue
 * @param {number} seq
 */
export function spotOf(scene, queue, seq) {
  for (const lane of scene.lanes) {
    const index = lane.count ? indexIn(queue, lane.name, seq) : -1;
    if (index >= 0) return { lane, index };
  }
  return null;
}

/**
 * The rectangle that a message takes on the page, from its topmost part to its lowest; null outside a zoomed lane. RAM keeps
 * nothing of a single message of a counted lane.
 * @param {Scene} scene
 * @param {Lane} lane
 * @param {number} index
 */
export function frameOf(scene, lane, index) {
  const { geo } = scene;
  if (!lane || index >= lane.count || !isShown(lane.plan, index)) return null;
  const low = lane.plan.border(index + 1);
  const high = Math.max(lane.plan.border(index), low + 3);
  const v = aboutPlace(lane.name)?.counted ? geo.diskIndex - 4 : geo.ramContent - 5;
  const depth = geo.diskContent + geo.content + 5 - v;
  return geo.turned
    ? { x: v, y: low - 1, w: depth, h: high - low + 2 }
    : { x: low - 1, y: v, w: high - low + 2, h: depth };
}

/**
 * @param {LanePlan} plan
 * @param {number} index
 */
function isShown({ from, shown }, index) {
  return index >= from && index < from + shown;
}
