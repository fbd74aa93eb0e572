/** The fence: target_ram_count contents counted from the head. Everything behind it in q4 and q1 is to leave RAM. */

/** {target, lane, u, over: [[u0, u1], ...]}; u is null where the fence cuts no lane; null without a target. */
export function fenceOf(queue, lanes) {
  const target = queue.counters.target_ram_count;
  if (target === null || target === undefined) return null;
  const q1 = lanes.find((lane) => lane.name === "q1");
  const q4 = lanes.find((lane) => lane.name === "q4");
  const fence = { target, lane: null, u: null, over: [] };
  if (target < q4.count) {
    cut(fence, q4, target);
    if (q1.count) fence.over.unshift([q1.plan.border(q1.count), q1.plan.border(0)]);
  } else if (target - q4.count < q1.count) {
    cut(fence, q1, target - q4.count);
  }
  return fence;
}

function cut(fence, lane, index) {
  fence.lane = lane.name;
  fence.u = lane.plan.border(index);
  fence.over.push([lane.plan.border(lane.count), fence.u]);
}
