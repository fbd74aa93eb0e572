/** Where on the stage lie the messages that a stop keeps, loses or brings back: segments of lanes. Pure. */
import { EXTENT as E } from "../model/catalogue/rows.js";
import { total } from "../model/stretches.js";
import { rowsOfLane } from "./spot.js";

/**
 * @import { QueueSnapshot } from "../model/catalogue/types.js"
 * @import { Fate } from "../model/fate.js"
 * @import { Geo } from "./geometry.js"
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
 * Messages of a lane with one fate; of those that are only counted, `share` of the kept ones are lost, nobody knows which.
 * @typedef {{lane: Lane, kind: string, from: number, to: number, share: number}} Segment
 */

/**
 * What part of the kept messages that are only counted is lost all the same: transient ones whose entries the files still have.
 * @param {Scene} scene
 * @param {QueueSnapshot} queue
 * @param {Fate} fates
 */
function lostShare({ lanes }, queue, fates) {
  const counted = lanes.filter(({ name, count }) => count && name in queue.counted).flatMap(({ name }) => rowsOfLane(queue, name));
  const kept = total(counted.flatMap((row) => pieces(row[E.start], row[E.count], { ...fates, lost: [], back: [] }).map(([, ...run]) => run)));
  return kept ? Math.min(1, fates.unplaced / kept) : 0;
}

/**
 * Segments [{lane, kind, from, to}] of a scene: indexes from the head, `to` excluded; neighbours alike are one.
 * @param {Scene} scene
 * @param {QueueSnapshot} queue
 * @param {Fate} fates
 */
export function fateSegments(scene, queue, fates) {
  /** @type {Segment[]} */
  const found = [];
  const lostOfCounted = lostShare(scene, queue, fates);
  for (const lane of scene.lanes) {
    const share = lane.name in queue.counted ? lostOfCounted : 0;
    let before = 0;
    for (const row of lane.count ? rowsOfLane(queue, lane.name) : []) {
      for (const [piece, seq, count] of pieces(row[E.start], row[E.count], fates)) {
        const kind = piece === "kept" && share === 1 ? "lost" : piece;
        const from = before + seq - row[E.start];
        const last = found[found.length - 1];
        if (last?.lane === lane && last.kind === kind && last.to === from) last.to = from + count;
        else if (found.length < MOST) found.push({ lane, kind, from, to: from + count, share: kind === "kept" ? share : 0 });
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
  return frameAcross(geo, low, high);
}

/**
 * The rectangle of what lies between two places along the lanes.
 * @param {Geo} geo
 * @param {number} low
 * @param {number} high
 */
function frameAcross(geo, low, high) {
  const v = geo.ramContent - 4;
  const depth = geo.diskContent + geo.content + 4 - v;
  return geo.turned ? { x: v, y: low, w: depth, h: high - low } : { x: low, y: v, w: high - low, h: depth };
}

/** @typedef {{ lane: string, from: number, to: number }} LaneShare a part of a lane, as shares of its length */

/**
 * Which parts of the lanes a stop empties: they keep their places in the lanes, however long these are afterwards.
 * @param {Scene} scene
 * @param {QueueSnapshot} queue
 * @param {Fate} fates
 * @returns {LaneShare[]}
 */
export function lostShares(scene, queue, fates) {
  const [along, length] = axisOf(scene.geo);
  return fateSegments(scene, queue, fates).flatMap((segment) => {
    const { name, u0, u1 } = segment.lane;
    /** @param {number} u */
    const share = (u) => (u - u0) / (u1 - u0);
    return segmentParts(scene, segment)
      .filter(([{ kind }]) => kind === "lost")
      .map(([, frame]) => ({ lane: name, from: share(frame[along]), to: share(frame[along] + frame[length]) }));
  });
}

/**
 * The rectangle of a part of a lane; null where the stage has no such lane any more.
 * @param {Scene} scene
 * @param {LaneShare} part
 */
export function shareFrame({ geo, lanes }, { lane, from, to }) {
  const found = lanes.find(({ name }) => name === lane);
  if (!found) return null;
  const { u0, u1 } = found;
  return frameAcross(geo, u0 + from * (u1 - u0), u0 + to * (u1 - u0));
}

/**
 * Along which side of a rectangle the lanes run, and how long it is there.
 * @param {Geo} geo
 */
const axisOf = ({ turned }) => (turned ? /** @type {const} */ (["y", "h"]) : /** @type {const} */ (["x", "w"]));

/**
 * The two parts of a segment's rectangle: of the messages that are lost, and of those that have the segment's own fate.
 * @param {Scene} scene
 * @param {Segment} segment
 * @returns {[part: { kind: string }, frame: { x: number, y: number, w: number, h: number }][]}
 */
export function segmentParts(scene, segment) {
  const frame = segmentFrame(scene, segment);
  if (!frame) return [];
  const { kind, share } = segment;
  if (!share) return [[{ kind }, frame]];
  const [along, length] = axisOf(scene.geo);
  const lost = frame[length] * share;
  return [
    [{ kind: "lost" }, { ...frame, [length]: lost }],
    [{ kind }, { ...frame, [along]: frame[along] + lost, [length]: frame[length] - lost }],
  ];
}
