/** The fence: target_ram_count contents counted from the head. Everything behind it in q4 and q1 is to leave RAM. */

/** {target, lane, u, over: [[u0, u1], ...]}; `u` is where the fence stands; null without a target. */
export function fenceOf(queue, lanes) {
  const target = queue.counters.target_ram_count;
  if (target === null || target === undefined) return null;
  const q1 = lanes.find((lane) => lane.name === "q1");
  const q4 = lanes.find((lane) => lane.name === "q4");
  const inFirst = target > q4.count && q1.count > 0;
  const lane = inFirst ? q1 : q4;
  const index = inFirst ? target - q4.count : target;
  const fence = { target, lane: lane.name, u: placeOf(lane, index), over: [] };
  if (index < lane.count) fence.over.push([lane.plan.border(lane.count), fence.u]);
  if (!inFirst && q1.count && target <= q4.count)
    fence.over.unshift([q1.plan.border(q1.count), q1.plan.border(0)]);
  return fence;
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
