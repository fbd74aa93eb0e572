/** Conditions hold as they do in Python: the same cases, see tests/unit/reading/test_conditions.py. */
import "../../static/js/generations/all.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Watch, holds } from "../../static/js/model/conditions.js";

const { state, cases, runs } = JSON.parse(readFileSync(new URL("../web/condition_cases.json", import.meta.url)));

test("a condition holds in a state", () => {
  for (const [condition, expected] of cases)
    assert.equal(holds(condition, state), expected, JSON.stringify(condition));
});

test("ever and always look at every moment", () => {
  for (const [condition, moments, expected] of runs) {
    const watch = new Watch(condition);
    for (const moment of moments) watch.observe(moment);
    assert.equal(watch.holds(moments.at(-1)), expected, JSON.stringify(condition));
  }
});

test("an earlier moment is looked up", () => {
  const watch = new Watch({ path: "n", op: ">", value: { path: "n", at_us: 7 } }, (reference) => reference.at_us);
  assert.deepEqual([watch.holds({ n: 8 }), watch.holds({ n: 7 })], [true, false]);
});
