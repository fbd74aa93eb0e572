import assert from "node:assert/strict";
import { test } from "node:test";
import { predictedFrames } from "../../static/js/layout/predicted-lanes.js";
import { stageScene } from "../../static/js/layout/stage.js";
import { paged, published, stateOf } from "./feed.js";

for (const turned of [false, true])
  test(`a prediction is framed on its lane, beside what is there (${turned ? "turned" : "wide"})`, () => {
    const state = stateOf(published(0, 20), paged(0, 20, 4));
    const scene = stageScene(state, turned ? 370 : 840, turned ? 640 : 330, turned);
    const [q3, q4, ...more] = predictedFrames(scene, { q4: 20, q3: 16 }).sort((a, b) => a.lane.localeCompare(b.lane));
    assert.deepEqual(more, []);
    assert.deepEqual([q4.predicted, q4.is], [20, 4]);
    assert.equal(q3.predicted, 16);
    const lane = scene.lanes.find((each) => each.name === "q4");
    const [start, length] = turned ? [q4.y, q4.h] : [q4.x, q4.w];
    assert.equal(start, lane.u0);
    assert.ok(Math.abs(start + length - lane.u1) < 0.001);
  });

test("lanes that were not spoken of have no frame", () => {
  assert.deepEqual(predictedFrames(stageScene(stateOf(published(0, 3)), 840, 330, false), {}), []);
});
