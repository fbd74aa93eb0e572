/** The index entries that a queue may keep in RAM, and those that must move into delta, of which RAM keeps only the counts (Q48, Q49). */
import { EXTENT as E } from "../../../model/catalogue/rows.js";
import { targetOf } from "../../../model/facts.js";
import { lengthOf, rowsOf } from "../../../model/messages.js";
import { countedLanesOf, limitedLanesOf } from "../../../model/places.js";

/**
 * @import { Lane } from "../../../layout/stage.js"
 * @import { Extent, QueueSnapshot, Values } from "../../../model/catalogue/types.js"
 */

/**
 * The lanes whose index entries are limited: the one at the tail, and the one at the head.
 * @param {QueueSnapshot} queue
 */
function entryLanes(queue) {
  const names = limitedLanesOf(queue, "entries");
  return { tail: names[0], head: names[names.length - 1] };
}

/**
 * @param {QueueSnapshot} queue
 * @param {string[]} lanes
 */
const total = (queue, lanes) => lanes.reduce((sum, lane) => sum + lengthOf(queue, lane), 0);

/**
 * How many betas and gammas a queue may keep; null for any number.
 * @param {QueueSnapshot} queue
 * @param {number} segmentEntries
 */
export function permittedBetas(queue, segmentEntries) {
  const target = targetOf(queue);
  const inner = total(queue, [...limitedLanesOf(queue, "entries"), ...countedLanesOf(queue)]);
  if (target === null || !entryLanes(queue).head || inner + total(queue, limitedLanesOf(queue, "contents")) === 0) return null;
  if (queue.mode === "lazy") return target;
  if (target === 0) return Math.min(lengthOf(queue, entryLanes(queue).head), segmentEntries);
  // b * b does not fit a double beyond 94 million messages, which no session has.
  return Math.max(segmentEntries, inner - Math.floor((inner * inner) / (inner + target)));
}

/**
 * {permitted, held, surplus, batch, fromHeadLane, fromTailLane}: how many are held and permitted, and how many of the
 * surplus would leave: those at the tail of the lane nearest to the queue's head, then those at the head of the other.
 * Null where any number may stay.
 * @param {QueueSnapshot} queue
 * @param {Values} settings
 */
export function betaSurplus(queue, settings) {
  const entries = settings.segment_entry_count || 2048;
  const permitted = permittedBetas(queue, entries);
  if (permitted === null) return null;
  const { tail, head } = entryLanes(queue);
  const held = lengthOf(queue, tail) + lengthOf(queue, head);
  const surplus = Math.max(0, held - permitted);
  const fromHeadLane = Math.min(surplus, beyondFirstSegment(rowsOf(queue, head), entries));
  return {
    permitted,
    held,
    surplus,
    batch: settings.msg_store_io_batch_size || 1,
    fromHeadLane,
    fromTailLane: Math.min(surplus - fromHeadLane, lengthOf(queue, tail)),
  };
}

/**
 * The lane nearest to the head keeps the segment of its head: how many of its messages are beyond that.
 * @param {Extent[]} rows
 * @param {number} entries
 */
function beyondFirstSegment(rows, entries) {
  if (!rows.length) return 0;
  const boundary = (Math.floor(rows[0][E.start] / entries) + 1) * entries;
  return rows.reduce((sum, [start, count]) => sum + Math.max(0, start + count - Math.max(start, boundary)), 0);
}

/**
 * Permitted betas, with the stretches of the two lanes that must go.
 * @param {QueueSnapshot} queue
 * @param {Values} settings
 * @param {Lane[]} lanes
 */
export function surplusOf(queue, settings, lanes) {
  const betas = betaSurplus(queue, settings);
  if (!betas) return null;
  const names = entryLanes(queue);
  const [tail, head] = [names.tail, names.head].map(
    (name) => /** @type {Lane} */ (lanes.find((lane) => lane.name === name)),
  );
  const { fromHeadLane, fromTailLane } = betas;
  /** @type {[u0: number, u1: number][]} */
  const over = [];
  if (fromHeadLane)
    over.push([head.plan.border(head.count), head.plan.border(head.count - fromHeadLane)]);
  if (fromTailLane) over.push([tail.plan.border(fromTailLane), tail.plan.border(0)]);
  return { ...betas, over, lane: names.head };
}
