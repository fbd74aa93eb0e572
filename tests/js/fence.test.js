import assert from "node:assert/strict";
import { test } from "node:test";
import { targetAt } from "../../static/js/layout/fence.js";
import { betaSurplus, permittedBetas } from "../../static/js/generations/v1/layout/permitted.js";
import { stageScene } from "../../static/js/layout/stage.js";
import { Playhead } from "../../static/js/model/playhead.js";
import { WhyPanel } from "../../static/js/view/panels/why.js";
import { BETA, GAMMA, extent, feed, live, paged, published, stateOf } from "./feed.js";

const sceneOf = (state, turned = false, options = {}) =>
  stageScene(state, turned ? 370 : 840, turned ? 640 : 330, turned, options);

for (const turned of [false, true])
  test(`the fence is dropped where it stands (${turned ? "turned" : "wide"})`, () => {
    for (const [count, keep] of [[60, 10], [40, 1], [40, 40], [9000, 4096]]) {
      const scene = sceneOf(stateOf(published(0, count), paged(0, count, keep)), turned);
      const shown = targetAt(scene.lanes, scene.fence.u);
      assert.ok(Math.abs(shown - keep) <= keep / 50, `${shown} for ${keep} of ${count}`);
    }
  });

test("farther from the head it lets more contents stay: all of q4, then q1", () => {
  const state = stateOf(published(0, 40), paged(0, 40, 10), published(40, 6, { to: "q1" }));
  const { lanes } = sceneOf(state);
  const q1 = lanes.find((lane) => lane.name === "q1");
  const q4 = lanes.find((lane) => lane.name === "q4");
  assert.equal(targetAt(lanes, q4.u1 + 5), 0);
  assert.equal(targetAt(lanes, q4.plan.border(4)), 4);
  assert.equal(targetAt(lanes, (q1.u1 + q4.u0) / 2), 10);
  assert.equal(targetAt(lanes, q1.plan.border(2)), 12);
  assert.equal(targetAt(lanes, q1.plan.border(6)), 16);
});

test("a fence that is held shows what would leave", () => {
  const state = stateOf(published(0, 20));
  assert.equal(sceneOf(state).fence, null);
  const { fence, lanes } = sceneOf(state, false, { held: 5 });
  const q4 = lanes.find((lane) => lane.name === "q4");
  assert.deepEqual(fence.over, [[q4.plan.border(20), q4.plan.border(5)]]);
});

test("a pass that had another target shows where the fence was then, beside the one of now", () => {
  const rows = [["TargetChanged", "Q43", "orders", 13, { old: 11 }]];
  const state = stateOf(published(0, 60), paged(0, 60, 11), rows);
  const { fence, explained, lanes } = sceneOf(state, false, { explained: 11 });
  const q4 = lanes.find((lane) => lane.name === "q4");
  assert.deepEqual([q4.count, fence.target, explained.target], [11, 13, 11]);
  assert.equal(explained.u, q4.plan.border(11), "behind the eleventh message");
  assert.ok(fence.u < explained.u, "and two more may stay now");
  assert.equal(sceneOf(state, false, { explained: 13 }).explained, null, "that is where the fence stands");
  assert.equal(sceneOf(state).explained, null);
  assert.equal(sceneOf(stateOf(published(0, 20)), false, { explained: 5 }).explained.target, 5, "where no target holds any more");
});

test("the target that the stage marks is that of the pass that Why? explains", () => {
  const session = live();
  const why = new WhyPanel(null, new Playhead(session));
  assert.equal(why.target, null, "nothing is explained yet");
  feed(session, [...published(0, 60), ...paged(0, 60, 11)], 1_000_000);
  assert.equal(why.target, 11);
  feed(session, [["TargetChanged", "Q43", "orders", 13, { old: 11 }]], 1_100_000);
  assert.equal(why.target, 11, "the pass explains more than the new target");
  why.session.go(session.next - 1);
  assert.equal(why.target, null, "in the past the picture has the target of its moment");
});

/** A queue with so many messages in its places, and a target. */
function queue({ q1 = 0, q2 = 0, delta = 0, q3 = 0, q4 = 0, target, mode = "default", head = 0 }) {
  const lane = (count, start = 0) => (count ? [extent(start, count, GAMMA)] : []);
  return {
    mode,
    counters: { target_ram_count: target },
    counted: { delta: [delta ? 500 : null, delta, 0, delta ? 500 + delta : null] },
    lanes: { q1: lane(q1, 900), q2: lane(q2, 800), q3: lane(q3, head), q4: lane(q4, 0) },
  };
}

test("permitted betas follow the rule", () => {
  assert.equal(permittedBetas(queue({ q4: 5, target: null }), 8), null);
  assert.equal(permittedBetas(queue({ target: 4 }), 8), null);
  assert.equal(permittedBetas(queue({ q3: 20, target: 0 }), 8), 8);
  assert.equal(permittedBetas(queue({ q3: 5, target: 0 }), 8), 5);
  assert.equal(permittedBetas(queue({ q3: 100, target: 4 }), 8), 8);
  assert.equal(permittedBetas(queue({ q2: 30, delta: 40, q3: 30, q4: 7, target: 50 }), 8), 34);
  assert.equal(permittedBetas(queue({ q3: 20, target: 3, mode: "lazy" }), 8), 3);
});

test("the surplus leaves q3's tail behind its first segment, then q2's head", () => {
  const settings = { segment_entry_count: 8, msg_store_io_batch_size: 1 };
  const found = betaSurplus(queue({ q2: 6, q3: 14, q4: 2, target: 2, head: 4 }), settings);
  assert.deepEqual([found.held, found.permitted, found.surplus, found.fromHeadLane, found.fromTailLane], [20, 8, 12, 10, 2]);
  const state = stateOf(
    [["Published", "Q20", "orders", null, "q3", [extent(0, 20, BETA)], null, {}]],
    [["TargetChanged", "Q43", "orders", 1, { old: null }]],
  );
  const scene = sceneOf(state);
  assert.equal(scene.surplus.surplus, 12);
  assert.equal(scene.surplus.over.length, 1);
  assert.equal(betaSurplus(queue({ q3: 3, target: null }), settings), null);
});
