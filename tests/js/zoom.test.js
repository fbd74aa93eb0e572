import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf, spotOf } from "../../static/js/layout/spot.js";
import { hit, stageScene } from "../../static/js/layout/stage.js";
import { fitting, panned, zoomed } from "../../static/js/layout/stage.js";
import { paged, published, stateOf } from "./feed.js";

const LARGE = stateOf(published(0, 1_000_000), paged(0, 1_000_000, 4096));

test("zooming keeps the message under the pointer where it is", () => {
  const first = zoomed(null, "delta", 1000, 0.5, 250);
  assert.deepEqual(first, { lane: "delta", count: 500, from: 125 });
  assert.equal((250 - first.from) / first.count, 250 / 1000);
  assert.deepEqual(zoomed(first, "delta", 1000, 2, 250), null, "the whole lane is no zoom");
  assert.equal(zoomed(first, "delta", 1000, 0.001, 250).count, 8);
  assert.deepEqual(zoomed(first, "q4", 100, 0.5, 0), { lane: "q4", count: 50, from: 0 });
});

test("a zoom follows a lane that becomes shorter, and ends with it", () => {
  const zoom = { lane: "q4", count: 50, from: 900 };
  assert.deepEqual(fitting(zoom, { q4: 400 }), { lane: "q4", count: 50, from: 350 });
  assert.equal(fitting(zoom, { q4: 50 }), null);
  assert.equal(fitting(zoom, {}), null);
  assert.deepEqual(panned(zoom, 0.5, { q4: 10_000 }).from, 925);
  assert.equal(panned({ ...zoom, from: 3 }, -1, { q4: 10_000 }).from, 0);
});

for (const [lane, count] of [["delta", 40], ["delta", 5000], ["delta", 400_000], ["q4", 30], ["q4", 700]])
  for (const turned of [false, true])
    test(`${count} of ${lane}: what is shown is found where it is drawn${turned ? ", turned" : ""}`, () => {
      const zoom = { lane, count, from: 300 };
      const scene = stageScene(LARGE, turned ? 370 : 840, turned ? 640 : 330, turned, { zoom });
      assert.deepEqual(scene.zoom, zoom);
      assert.equal(new Set(scene.marks.map((mark) => mark.key)).size, scene.marks.length);
      assert.ok(scene.marks.length < 2500, String(scene.marks.length));
      const queue = LARGE.queues.orders;
      const head = lane === "delta" ? queue.counted.delta[0] : 0;
      for (const nth of [300, 300 + Math.floor(count / 2), 299 + count]) {
        const spot = spotOf(scene, queue, head + nth);
        assert.equal(spot.index, nth);
        const frame = frameOf(scene, spot.lane, spot.index);
        const found = hit(scene, frame.x + frame.w / 2, frame.y + frame.h / 2);
        assert.equal(found.lane.name, lane);
        assert.ok(Math.abs(found.index - nth) <= Math.max(0, count / 50), `${found.index} for ${nth}`);
      }
      const before = spotOf(scene, queue, head + 299);
      assert.equal(frameOf(scene, before.lane, before.index), null);
    });
