/** The fence: target_ram_count contents counted from the head. Every content behind it is to leave RAM. */
import { targetOf } from "../model/facts.js";
import { UNACKED, aboutPlace } from "../model/places.js";

/**
 * @import { QueueSnapshot } from "../model/catalogue/types.js"
 * @import { Lane } from "./stage.js"
 */

/**
 * The lanes whose contents the target limits: the one at the tail, and the one at the head; empty where it limits none.
 * @param {Lane[]} lanes
 */
function contentLanes(lanes) {
  const limited = lanes.filter(({ name }) => name !== UNACKED && aboutPlace(name).limits === "contents");
  return limited.length ? [limited[0], limited[limited.length - 1]] : [];
}

/**
 * {target, lane, u, over: [[u0, u1], ...]}; `u` is where the fence stands; null without a target. A fence that is
 * `held` somewhere shows what would leave if it stood there.
 * @param {QueueSnapshot} queue
 * @param {Lane[]} lanes
 * @param {number | null | undefined} [held]
 */
export function fenceOf(queue, lanes, held = null) {
  const target = held ?? targetOf(queue);
  if (target === null) return null;
  const [tail, head] = contentLanes(lanes);
  if (!head) return null;
  const inTail = target > head.count && tail.count > 0;
  const lane = inTail ? tail : head;
  const index = inTail ? target - head.count : target;
  /** @type {[number, number][]} */
  const over = [];
  const fence = { target, lane: lane.name, u: placeOf(lane, index), over };
  if (index < lane.count) fence.over.push([lane.plan.border(lane.count), fence.u]);
  if (!inTail && tail.count && target <= head.count)
    fence.over.unshift([tail.plan.border(tail.count), tail.plan.border(0)]);
  return fence;
}

/**
 * Where the fence stood for the pass that is explained, if the target is another one by now; null otherwise.
 * @param {QueueSnapshot} queue
 * @param {Lane[]} lanes
 * @param {number | null | undefined} explained
 */
export function explainedOf(queue, lanes, explained = null) {
  return explained === null || explained === targetOf(queue) ? null : fenceOf(queue, lanes, explained);
}

/**
 * How many contents would stay if the fence stood at `u`: the number of messages with limited contents nearer to the head.
 * @param {Lane[]} lanes
 * @param {number} u
 */
export function targetAt(lanes, u) {
  const [tail, head] = contentLanes(lanes);
  if (!head) return 0;
  if (u >= head.u0 - 3 || !tail.count) return nearer(head, u);
  return head.count + (u <= tail.u1 ? nearer(tail, u) : 0);
}

/**
 * Messages of a lane on the head's side of `u`; in the free room behind the last one a place counts like a message.
 * @param {Lane} lane
 * @param {number} u
 */
function nearer({ plan, count, u1 }, u) {
  const end = count ? plan.border(count) : u1;
  if (u <= end) return count + (plan.folded ? 0 : Math.round((end - u) / plan.pitch));
  const index = Math.max(0, Math.min(count - 1, plan.index(u)));
  return plan.border(index) - u < u - plan.border(index + 1) ? index : index + 1;
}

/**
 * Beyond the last message there is room for more: as far as the lane goes.
 * @param {Lane} lane
 * @param {number} index
 */
function placeOf(lane, index) {
  if (index <= lane.count && lane.count) return lane.plan.border(index);
  return Math.max(
    lane.u0 - 3,
    Math.min(
      lane.plan.folded ? lane.u0 - 3 : lane.u1 - index * lane.plan.pitch,
      lane.plan.border(lane.count),
    ),
  );
}
