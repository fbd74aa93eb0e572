import assert from "node:assert/strict";
import { test } from "node:test";
import { line, rates, stacked, timeTicks } from "../../static/js/layout/charts.js";
import { laneSpans, geometry } from "../../static/js/layout/geometry.js";
import { indexScene } from "../../static/js/generations/v1/layout/index-map.js";
import { planLane } from "../../static/js/layout/lane.js";
import { hit, stageScene } from "../../static/js/layout/stage.js";
import { stageLanesOf } from "../../static/js/model/places.js";
import { storeScene } from "../../static/js/layout/store-map.js";
import { BETA, GAMMA, PERSISTENT, extent, paged, published, stateOf } from "./feed.js";

const scene = (state, turned = false) => stageScene(state, turned ? 370 : 840, turned ? 640 : 330, turned);
const marksOf = (found, seq) =>
  Object.fromEntries(
    found.marks
      .filter((mark) => mark.key.startsWith(`m${seq}:`))
      .map((mark) => [mark.key.split(":")[1], mark]),
  );

test("nothing is drawn of nothing, and the stage says so", () => {
  const found = scene(stateOf());
  assert.equal(found.marks.length, 0);
  assert.ok(found.empty);
});

test("the oldest message is next to the consumer, the newest farthest", () => {
  const found = scene(stateOf(published(0, 12)));
  const xs = [0, 5, 11].map((seq) => marksOf(found, seq).rc.x);
  assert.ok(xs[0] > xs[1] && xs[1] > xs[2]);
});

test("on a phone the run goes down: from q1 to q4, and in each lane to the oldest message", () => {
  const found = scene(stateOf(published(0, 12)), true);
  const ys = [0, 5, 11].map((seq) => marksOf(found, seq).rc.y);
  assert.ok(ys[0] > ys[1] && ys[1] > ys[2]);
  const spans = laneSpans(geometry(370, 640, true), { q1: 3, q2: 3, delta: 3, q3: 3, q4: 3, unacked: 0 }, stageLanesOf(null));
  const from = ["q1", "q2", "delta", "q3", "q4"].map((name) => spans[name].u0);
  assert.deepEqual(from, [...from].sort((a, b) => a - b));
});

test("an alpha is in RAM only, persistent ones have a pale copy below", () => {
  const found = scene(stateOf(published(0, 1), published(1, 1, { flags: PERSISTENT })));
  assert.deepEqual(Object.keys(marksOf(found, 0)).sort(), ["rc", "ri", "t"]);
  assert.equal(marksOf(found, 1).dc.fill, "pale");
});

test("beta is hatched, gamma split, delta outlined: never by colour alone", () => {
  const rows = [
    ["Published", "Q20", "orders", null, "q3", [extent(0, 1, BETA), extent(1, 1, GAMMA)], null, {}],
  ];
  const found = scene(
    stateOf(rows, [
      ["EntriesRecorded", "S74", "orders", "publish_deliver", 8, 2, 72],
      ["BetasPushed", "Q49", "orders", "q3", "delta", [], [8, 2, 2, 10], {}],
    ]),
  );
  assert.equal(marksOf(found, 0).dc.fill, "hatch");
  assert.equal(marksOf(found, 1).dc.fill, "split");
  assert.equal(marksOf(found, 8).dc.fill, "outline");
  assert.equal(marksOf(found, 8).ri, undefined);
});

test("a part on disk names its twin in RAM, so that it can sink", () => {
  const found = scene(stateOf(published(0, 40), paged(0, 40, 10)));
  assert.equal(marksOf(found, 12).dc.from, "m12:rc");
});

for (const turned of [false, true]) {
  test(`keys are unique, and a million messages need few marks (${turned ? "turned" : "wide"})`, () => {
    const state = stateOf(
      published(0, 1_000_000),
      paged(0, 1_000_000, 4096),
      published(1_000_000, 5000, { to: "q1" }),
    );
    const found = scene(state, turned);
    assert.equal(new Set(found.marks.map((mark) => mark.key)).size, found.marks.length);
    assert.ok(found.marks.length < 2500, String(found.marks.length));
    assert.ok(found.pills.some((pill) => pill.lane === "delta" && pill.segments > 1));
    for (const mark of found.marks) {
      assert.ok(mark.w > 0 && mark.h > 0, mark.key);
      assert.ok(mark.x >= -1 && mark.x + mark.w <= found.geo.width + 1, mark.key);
      assert.ok(mark.y >= -1 && mark.y + mark.h <= found.geo.height + 1, mark.key);
    }
  });
}

test("the fence cuts q4 from the head, and q1 once it exceeds q4", () => {
  const target = (count) => [["TargetChanged", "Q43", "orders", count, {}]];
  const inQ4 = scene(stateOf(published(0, 20), target(8))).fence;
  assert.equal(inQ4.lane, "q4");
  assert.equal(inQ4.over.length, 1);
  const state = stateOf(
    published(0, 6),
    published(6, 1, { to: "q3" }),
    published(7, 10, { to: "q1" }),
    target(9),
  );
  assert.equal(scene(state).fence.lane, "q1");
  assert.equal(scene(stateOf(published(0, 3), target(9))).fence.over.length, 0);
  assert.equal(scene(stateOf(published(0, 3))).fence, null);
});

test("what is drawn can be pointed at", () => {
  const found = scene(stateOf(published(0, 12)));
  const mark = marksOf(found, 4).rc;
  assert.equal(hit(found, mark.x + mark.w / 2, mark.y + 5).index, 4);
  assert.equal(hit(found, 200, 100), null);
});

test("lanes fill the stage in order and do not overlap", () => {
  const geo = geometry(840, 330, false);
  const spans = laneSpans(geo, { q1: 0, q2: 9, delta: 1e6, q3: 40, q4: 3, unacked: 0 }, stageLanesOf(null));
  let before = geo.u0 - 1;
  for (const name of stageLanesOf(null)) {
    assert.ok(spans[name].u0 > before && spans[name].u1 - spans[name].u0 > (name === "q1" || name === "unacked" ? 38 : 50), name);
    before = spans[name].u1;
  }
  assert.ok(before <= geo.u1 + 0.5);
});

test("a long lane keeps single messages at both ends of its fold", () => {
  const plan = planLane(0, 200, 5000);
  assert.ok(plan.edges >= 2 && plan.folded === 5000 - 2 * plan.edges);
  assert.equal(plan.border(0), 200);
  assert.ok(Math.abs(plan.border(5000)) < 0.001);
  for (const index of [0, plan.edges, 2500, 4999])
    assert.equal(plan.index((plan.border(index) + plan.border(index + 1)) / 2), index);
});

test("segments show each entry in the colour of its message", () => {
  const state = stateOf(published(0, 40), paged(0, 40, 10), [
    ["EntriesRecorded", "S75", "orders", "ack", 38, 2, 4],
    ["SegmentWritten", "S80", "orders", 2, 288],
  ]);
  const found = indexScene(state, state.queues.orders, 400, 100);
  const second = found.items.find((item) => item.number === 2);
  assert.equal(second.live, 8);
  assert.ok(second.cells.every((cell) => cell.tone === "delta" && !cell.journal));
});

test("many segments are folded, both ends are kept", () => {
  const state = stateOf([["EntriesRecorded", "S74", "orders", "publish_deliver", 0, 4000, 144000]]);
  const { items } = indexScene(state, state.queues.orders, 400, 90);
  assert.equal(items[0].number, 0);
  assert.equal(items[items.length - 1].number, 499);
  assert.ok(items.some((item) => item.folded > 400));
});

test("a store file is live blocks and garbage, in the order of its bytes", () => {
  const state = stateOf(published(0, 4, { flags: PERSISTENT }), [
    ["StoreWritten", "S143", "persistent", 0, 0, 0, 4, 6400, 1],
    ["RefCountChanged", "S147", "persistent", 1, 2, 0],
  ]);
  const { files, garbage } = storeScene(state, state.queues.orders, "persistent", 400, 100);
  assert.deepEqual(
    files[0].blocks.map((block) => block.tone),
    ["alpha", "garbage", "alpha"],
  );
  assert.equal(garbage, 12800);
});

test("scattered records are drawn in bins, not one by one", () => {
  const rows = [];
  for (let i = 0; i < 1000; i += 1)
    rows.push(
      ["StoreWritten", "S143", "persistent", 0, i * 64, i * 2, 1, 64, 1],
      ...(i % 2 ? [["RefCountChanged", "S147", "persistent", i * 2, 1, 0]] : []),
    );
  const state = stateOf(rows);
  assert.ok(storeScene(state, state.queues.orders, "persistent", 400, 100).files[0].blocks.length <= 220);
});

test("charts: round ticks, layers that add up, rates over a window", () => {
  assert.deepEqual(timeTicks([0, 4e6], 400), [0, 1, 2, 3, 4]);
  const samples = [0, 1, 2].map((s) => ({ us: s * 1e6, sinceUs: (s - 1) * 1e6, untilUs: s * 1e6, q4: s, q3: s, ready: 2 * s, arrived: s * 10, left: 0 })).map((each) => ({ ...each, highest: each }));
  const area = { x: 0, y: 0, w: 100, h: 50 };
  const { layers, top } = stacked(samples, ["q4", "q3"], [0, 2e6], area, 2e6);
  assert.equal(top, 4);
  assert.deepEqual(layers[1].points.at(-1), [100, 25, 0]);
  assert.deepEqual(line(samples, (each) => each.q4, 2, [0, 2e6], area)[2], [100, 0]);
  assert.equal(rates(samples, 2e6)[1].arrivals, 10);
});
