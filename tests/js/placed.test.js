/** Be the broker on the stage: which lane a point means, where chips stand, and the way of a message by keys. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { moveAlong, whyNot } from "../../static/js/exercises/along.js";
import { chipSpots, laneAt, laneBox } from "../../static/js/layout/placed.js";
import { stageScene } from "../../static/js/layout/stage.js";
import { stageLanesOf } from "../../static/js/model/places.js";
import { published, stateOf } from "./feed.js";

const scenes = [
  stageScene(stateOf(published(0, 6)), 840, 330, false, { open: true }),
  stageScene(stateOf(published(0, 6)), 370, 640, true, { open: true }),
];

test("every lane is met in its middle, its name included, empty or not", () => {
  for (const scene of scenes)
    for (const lane of scene.lanes) {
      const middle = (lane.head + lane.u1) / 2;
      const at = scene.geo.turned ? [20, middle] : [middle, 20];
      assert.equal(laneAt(scene, ...at), lane.name);
      const box = laneBox(scene, lane.name);
      assert.ok(at[0] >= box.x && at[0] <= box.x + box.w && at[1] >= box.y && at[1] <= box.y + box.h, lane.name);
    }
});

test("beside the lanes and outside the canvas there is none", () => {
  const [wide] = scenes;
  assert.equal(laneAt(wide, 20, 100), null); // the gauges
  assert.equal(laneAt(wide, 400, -5), null);
  assert.equal(laneAt(wide, 400, 400), null);
});

test("chips stand in their lane, the oldest next to the consumer, and closer where they are many", () => {
  for (const scene of scenes) {
    const few = chipSpots(scene, { 2: "q3", 10: "q3", 4: "q1" });
    const x = Object.fromEntries(few.map(({ seq, x: at }) => [seq, at]));
    assert.ok(x[2] > x[10]);
    const many = chipSpots(scene, Object.fromEntries(Array.from({ length: 12 }, (_, seq) => [seq, "q3"])));
    assert.equal(many.length, 12);
    const box = laneBox(scene, "q3");
    for (const spot of [...few.filter(({ seq }) => seq !== "4"), ...many])
      assert.ok(spot.x >= box.x - 34 && spot.x <= box.x + box.w && spot.y >= box.y && spot.y < box.y + box.h, JSON.stringify(spot));
    for (const [at, { x: place }] of many.slice(1).entries()) assert.ok(place < many[at].x);
  }
});

test("a message goes along the queue and not beyond its ends", () => {
  const places = [...stageLanesOf(null), "gone"];
  assert.equal(moveAlong(places, "q4", -1), "q3");
  assert.equal(moveAlong(places, "q4", 1), "unacked");
  assert.equal(moveAlong(places, "gone", 1), null);
  assert.equal(moveAlong(places, "q1", -1), null);
  assert.equal(moveAlong(places, "arriving", 1), "q1");
  assert.equal(moveAlong(places, "arriving", -1), null);
});

test("what cannot be is said in words", () => {
  const board = { places: [...stageLanesOf(null), "gone"], at: (seq) => ({ 4: "q4", 5: "q3" })[seq] };
  assert.equal(whyNot(board, ["4"], "q3"), "");
  assert.equal(whyNot(board, ["4", "5"], "q3"), "");
  assert.match(whyNot(board, ["4"], "q4"), /4 is in q4 already/);
  for (const place of [null, "arriving"]) assert.match(whyNot(board, ["4"], place), /Drop it on a lane/);
});
