import assert from "node:assert/strict";
import { test } from "node:test";
import { fateSegments, lostShares, segmentFrame, segmentParts, shareFrame } from "../../static/js/layout/fates.js";
import { stageScene } from "../../static/js/layout/stage.js";
import { countsOf, fateOf } from "../../static/js/model/fate.js";
import { Fates } from "../../static/js/view/stage/fates.js";
import { PERSISTENT, paged, published, stateOf } from "./feed.js";

test("each message of the stage shows its fate, neighbours alike as one", () => {
  const state = stateOf(published(0, 10), published(10, 4, { flags: PERSISTENT }));
  const { orders } = state.queues;
  const fate = fateOf(orders, [[10, 3, 16]], 3);
  assert.deepEqual([fate.kept, fate.lost, fate.back], [[[10, 3]], [[0, 10], [13, 1]], []]);
  assert.deepEqual(countsOf(fate), { kept: 3, lost: 11, back: 0 });
  const scene = stageScene(state, 1200, 400, false);
  const segments = fateSegments(scene, orders, fate);
  assert.deepEqual(
    segments.map(({ lane, kind, from, to }) => [lane.name, kind, from, to]),
    [["q4", "lost", 0, 10], ["q4", "kept", 10, 13], ["q4", "lost", 13, 14]],
  );
  const q4 = scene.lanes.find((lane) => lane.name === "q4");
  for (const segment of segments) {
    const frame = segmentFrame(scene, segment);
    assert.ok(frame.w > 0 && frame.x >= q4.u0 - 1 && frame.x + frame.w <= q4.u1 + 1);
  }
});

test("delta is told by its index entries, and a queue that is gone loses all", () => {
  const { orders } = stateOf(published(0, 40), paged(0, 40, 10)).queues;
  const gone = fateOf(orders, null);
  assert.equal(gone.survives, false);
  assert.equal(countsOf(gone).lost, 40);
  assert.equal(countsOf(gone).kept, 0);
});

test("of messages that are only counted, those that a start drops are drawn as lost, in their share", () => {
  const state = stateOf(published(0, 40), paged(0, 40, 10));
  const { orders } = state.queues;
  const scene = stageScene(state, 1200, 400, false);
  const delta = (length) => {
    const fate = fateOf(orders, [[16, 24, 16]], length);
    const [segment] = fateSegments(scene, orders, fate).filter(({ lane }) => lane.name === "delta");
    const parts = segmentParts(scene, segment).map(([{ kind }, frame]) => [kind, Math.round((24 * frame.w) / segmentFrame(scene, segment).w)]);
    return [countsOf(fate).lost, parts];
  };
  assert.deepEqual(delta(0), [40, [["lost", 24]]], "all of them");
  assert.deepEqual(delta(24), [16, [["kept", 24]]], "none");
  assert.deepEqual(delta(18), [22, [["lost", 6], ["kept", 18]]], "a quarter");
});

test("what a stop lost keeps its place in its lane, however long the lanes are afterwards", () => {
  for (const turned of [false, true]) {
    const [along, length] = turned ? ["y", "h"] : ["x", "w"];
    const before = stateOf(published(0, 40), paged(0, 40, 10));
    const { orders } = before.queues;
    const full = stageScene(before, 1200, 900, turned);
    const lost = lostShares(full, orders, fateOf(orders, null));
    assert.deepEqual([...new Set(lost.map(({ lane }) => lane))].sort(), full.lanes.filter(({ count }) => count).map(({ name }) => name).sort());
    const empty = stageScene(stateOf(published(0, 1)), 1200, 900, turned);
    for (const part of lost) {
      const { u0, u1 } = empty.lanes.find(({ name }) => name === part.lane);
      const frame = shareFrame(empty, part);
      assert.ok(frame[along] >= Math.min(u0, u1) - 1 && frame[along] + frame[length] <= Math.max(u0, u1) + 1, part.lane);
    }
    assert.equal(shareFrame(empty, { lane: "no such lane", from: 0, to: 1 }), null);
  }
});

test("outlines of what was lost are drawn of that queue alone, and at no moment before the stop", () => {
  const state = stateOf(published(0, 200, { flags: PERSISTENT }));
  const { orders } = state.queues;
  const scene = stageScene(state, 1200, 400, false);
  const fates = new Fates();
  const oneLost = fateOf(orders, [[0, 100, 16], [101, 99, 16]], 199);
  let outlines = 0;
  const pen = new Proxy({}, { get: (_, name) => (name === "strokeRect" ? () => (outlines += 1) : name === "measureText" ? () => ({ width: 1 }) : () => {}), set: () => true });
  const drawn = (moment) => {
    outlines = 0;
    fates.paint(pen, scene, { name: "orders", queue: orders, position: 9, behind: false, ...moment });
    return outlines > 0;
  };
  fates.cut(scene, { name: "orders", queue: orders, position: 9, behind: false }, oneLost);
  assert.ok(drawn({}), "when the stop comes");
  assert.ok(drawn({ position: 30 }) && drawn({ position: 20, behind: true }), "after it, in the past too");
  assert.ok(!drawn({ position: 9, behind: true }) && !drawn({ position: 3, behind: true }), "before it");
  assert.ok(!drawn({ name: "audit", position: 30 }), "of another queue");
  fates.cut(scene, { name: "orders", queue: orders, position: 40, behind: false }, null);
  assert.ok(!drawn({ position: 50 }), "the queue went on");
});
