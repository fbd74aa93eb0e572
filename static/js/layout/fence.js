/** The fence: target_ram_count contents counted from the head. Everything behind it in q4 and q1 is to leave RAM. */

/**
 * {target, lane, u, over: [[u0, u1], ...]}; `u` is where the fence stands; null without a target. A fence that is
 * `held` somewhere shows what would leave if it stood there.
 */
export function fenceOf(queue, lanes, held = null) {
  const target = held ?? queue.counters.target_ram_count;
  if (target === null || target === undefined) return null;
  const q1 = lanes.find((lane) => lane.name === "q1");
  const q4 = lanes.find((lane) => lane.name === "q4");
  const inFirst = target > q4.count && q1.count > 0;
  const lane = inFirst ? q1 : q4;
  const index = inFirst ? target - q4.count : target;
  /** @type {[number, number][]} */
  const over = [];
  const fence = { target, lane: lane.name, u: placeOf(lane, index), over };
  if (index < lane.count) fence.over.push([lane.plan.border(lane.count), fence.u]);
  if (!inFirst && q1.count && target <= q4.count)
    fence.over.unshift([q1.plan.border(q1.count), q1.plan.border(0)]);
  return fence;
}

/** How many contents would stay if the fence stood at `u`: the number of q4's and q1's messages nearer to the head. */
export function targetAt(lanes, u) {
  const q1 = lanes.find((lane) => lane.name === "q1");
  const q4 = lanes.find((lane) => lane.name === "q4");
  if (u >= q4.u0 - 3 || !q1.count) return nearer(q4, u);
  return q4.count + (u <= q1.u1 ? nearer(q1, u) : 0);
}

/** Messages of a lane on the head's side of `u`; in the free room behind the last one a place counts like a message. */
function nearer({ plan, count, u1 }, u) {
  const end = count ? plan.border(count) : u1;
  if (u <= end) return count + (plan.folded ? 0 : Math.round((end - u) / plan.pitch));
  const index = Math.max(0, Math.min(count - 1, plan.index(u)));
  return plan.border(index) - u < u - plan.border(index + 1) ? index : index + 1;
}

/** Beyond the last message there is room for more: as far as the lane goes. */
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
