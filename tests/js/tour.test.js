/** The tour as data: every step speaks, and what it waits for is what the engine's rows tell. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../static/js/generations/all.js";
import { emptyState } from "../../static/js/model/reduce.js";
import { isMet, stepsOf } from "../../static/js/model/tour-steps.js";

const STEPS = stepsOf(emptyState());

test("every step has words and something to look at", () => {
  assert.ok(STEPS.length >= 8);
  assert.equal(new Set(STEPS.map((step) => step.id)).size, STEPS.length);
  for (const step of STEPS) {
    assert.ok(step.title().length > 0 && step.text().length < 260, step.id);
    assert.ok(["stage", "files", "why", "dock", "controls"].includes(step.part), step.id);
    for (const command of step.commands || []) assert.equal(typeof command.do, "string");
  }
});

test("a step waits until the engine did it", () => {
  const paging = STEPS.find((step) => step.id === "paging");
  assert.equal(isMet(paging, emptyState(), new Set()), false);
  assert.equal(isMet(paging, emptyState(), new Set(["AlphasPushed"])), true);
  const alpha = STEPS.find((step) => step.id === "alpha");
  assert.equal(isMet(alpha, emptyState(), new Set(["Published"])), false, "told by the state, not by the row");
});

test("a step without a condition is met at once", () => {
  assert.equal(isMet(STEPS[0], emptyState(), new Set()), true);
});
