/** What a figure plays: the rows that lead to a moment, instant by instant, in no more portions than a reader can follow. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { portionsOf } from "../../static/js/model/lead.js";

/** @param {number[]} times */
const frameOf = (...times) => ({ first: 7, at_us: times, rows: times.map((us, at) => [us, at]), now_us: 1000 });

test("what happened at one instant comes together", () => {
  const portions = portionsOf(frameOf(10, 10, 20, 30, 30), 9);
  assert.deepEqual(portions.map(({ first, rows }) => [first, rows.length]), [[7, 2], [9, 1], [10, 2]]);
  assert.deepEqual(portions.map(({ now_us: us }) => us), [10, 20, 1000]);
});

test("a long way comes in so many portions, none of them empty, and nothing is left out", () => {
  for (const count of [1, 2, 47, 48, 49, 96, 97, 1000]) {
    const times = Array.from({ length: count }, (_, at) => at);
    const portions = portionsOf(frameOf(...times), 48);
    assert.equal(portions.length, Math.min(48, count));
    assert.ok(portions.every(({ rows }) => rows.length > 0));
    assert.deepEqual(portions.flatMap(({ at_us: us }) => us), times);
    assert.ok(portions.every(({ first, at_us: us }) => first === 7 + us[0]));
  }
});

test("of nothing there is no portion", () => {
  assert.deepEqual(portionsOf(frameOf(), 48), []);
});
