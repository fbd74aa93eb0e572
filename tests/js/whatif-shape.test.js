import assert from "node:assert/strict";
import { test } from "node:test";

import { pinned } from "../../static/js/whatif/pins.js";
import { level, moved, slice, sparkline, stacked, tipPlace } from "../../static/js/whatif/shape.js";

test("a slice across stands on its lower edge, one point in the middle of each cell", () => {
  assert.deepEqual(slice([0, 5, 10], 10, "x"), {
    line: "M0.5 1L1.5 0.5L2.5 0",
    area: "M0.5 1L1.5 0.5L2.5 0L2.5 1L0.5 1Z",
  });
});

test("a slice down grows to the right", () => {
  assert.equal(slice([0, 10], 10, "y").line, "M0 0.5L1 1.5");
});

test("a failed cell leaves a gap to be bridged, and values past the edge are clamped", () => {
  assert.equal(slice([1, null, 30], 10, "x").line, "M0.5 0.9L2.5 0");
  assert.deepEqual(slice([null], 10, "x"), { line: "", area: "" });
  assert.equal(slice([0], 0, "x").line, "M0.5 1");
});

test("a sparkline ends at the right edge and never divides by zero", () => {
  assert.equal(sparkline([0, 50, 100], 100), "M33.333 39L66.667 20.5L100 2");
  assert.equal(sparkline([0, 0], 0), "M50 39L100 39");
});

test("a level is drawn where it lies inside the chart", () => {
  assert.equal(level(50, 100), "M0 20.5h100");
  assert.equal(level(101, 100), "");
  assert.equal(level(null, 100), "");
});

test("arrows move by one cell and stop at the border", () => {
  const size = { rows: 3, columns: 4 };
  assert.deepEqual(moved("ArrowRight", { row: 1, column: 1 }, size), { row: 1, column: 2 });
  assert.deepEqual(moved("ArrowUp", { row: 0, column: 1 }, size), { row: 0, column: 1 });
  assert.deepEqual(moved("ArrowDown", { row: 2, column: 3 }, size), { row: 2, column: 3 });
  assert.deepEqual(moved("Home", { row: 2, column: 3 }, size), { row: 2, column: 0 });
  assert.deepEqual(moved("End", { row: 2, column: 0 }, size), { row: 2, column: 3 });
  assert.deepEqual(moved("PageUp", { row: 2, column: 3 }, size), { row: 0, column: 3 });
  assert.deepEqual(moved("PageDown", { row: 0, column: 3 }, size), { row: 2, column: 3 });
  assert.equal(moved("Enter", { row: 0, column: 0 }, size), null);
});

test("the tip stands beside its cell and inside the window", () => {
  const tip = { width: 200, height: 100 };
  const view = { width: 800, height: 600 };
  const cell = (left, top) => ({ left, right: left + 40, top, bottom: top + 40 });
  assert.deepEqual(tipPlace(cell(100, 50), tip, view), { left: 150, top: 50, hides: 0 });
  assert.deepEqual(tipPlace(cell(700, 590), tip, view), { left: 490, top: 490, hides: 0 });
  assert.deepEqual(tipPlace(cell(30, 0), tip, { width: 250, height: 600 }), { left: 10, top: 10, hides: 0 });
});

test("a tip as wide as a phone lies where it leaves its cell in sight, or says how much of it it hides", () => {
  const tip = { width: 370, height: 430 };
  const view = { width: 390, height: 844 };
  const cell = (top) => ({ left: 118, right: 158, top, bottom: top + 40 });
  assert.deepEqual(tipPlace(cell(200), tip, view), { left: 10, top: 404, hides: 0 });
  assert.deepEqual(tipPlace(cell(520), tip, view), { left: 10, top: 10, hides: 0 });
  assert.deepEqual(tipPlace(cell(420), tip, view), { left: 10, top: 404, hides: 56 });
  assert.deepEqual(tipPlace(cell(200), tip, { width: 390, height: 640 }), { left: 10, top: 200, hides: 40 });
});

test("states stack up to their sum, and a state that never is draws nothing", () => {
  const [alpha, beta, delta] = stacked([[2, 4], [0, 0], [2, 0]]);
  assert.equal(alpha, "M50 20.5L100 2L100 39L50 39Z");
  assert.equal(beta, "");
  assert.equal(delta, "M50 2L100 2L100 2L50 20.5Z");
  assert.deepEqual(stacked([]), []);
});

test("a slice of differences has its zero in the middle", () => {
  const { line, area } = slice([-4, 0, 4], 4, "x", true);
  assert.equal(line, "M0.5 1L1.5 0.5L2.5 0");
  assert.ok(area.endsWith("L2.5 0.5L0.5 0.5Z"));
});

test("a third pin takes the place of the older one, and the same one again goes", () => {
  assert.equal(pinned("h=a", [], "x"), "?h=a&pin=x");
  assert.equal(pinned("h=a", ["x", "y"], "z"), "?h=a&pin=y%2Cz");
  assert.equal(pinned("h=a", ["x"], "x"), "?h=a");
});
