/** Below ten frames a second nothing travels; a pause in which nothing had to be drawn is not slow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "../../static/js/view/base/scheduler.js";

function paceAfter(gapsMs, requested = true) {
  const pace = new Pace();
  let now = 5000;
  pace.frame(now, false);
  for (const gap of gapsMs) pace.frame((now += gap), requested);
  return pace.slow;
}

test("two slow frames in a row are a slow device", () => {
  assert.equal(paceAfter([250]), false);
  assert.equal(paceAfter([250, 250]), true);
  assert.equal(paceAfter([250, 250, 250]), true);
});

test("sixty frames a second are not, nor is one hitch, nor a pause", () => {
  assert.equal(paceAfter([16, 16, 16, 16]), false);
  assert.equal(paceAfter([250, 16, 250]), false);
  assert.equal(paceAfter([250, 250, 250], false), false);
  assert.equal(paceAfter([4000, 6000, 4000], false), false);
});

test("a device that is fast again lets things travel again", () => {
  assert.equal(paceAfter([250, 250, 16]), false);
});

test("a device that needs more than a second for a frame is slow as well", () => {
  assert.equal(paceAfter([1500, 1800]), true);
});
