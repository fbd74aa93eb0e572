import assert from "node:assert/strict";
import { test } from "node:test";
import { differingFields, laneDifferences } from "../../static/js/compare/differences.js";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { geometry, laneSpans } from "../../static/js/layout/geometry.js";
import { paged, published, stateOf } from "./feed.js";

test("where two runs part only the fields that differ are told", () => {
  const target = (value, duration) => decode(["TargetChanged", "Q43", "orders", value, { duration, rates: 5, old: null }]);
  assert.deepEqual(differingFields(target(10, 2), target(12, 2.4)), [
    { name: "target", a: "10", b: "12" },
    { name: "duration", a: "2", b: "2.4" },
  ]);
  assert.deepEqual(differingFields(target(10, 2), target(10, 2)), []);
  assert.deepEqual(differingFields(target(10, 2), decode(published(0, 1)[0])), []);
  assert.deepEqual(differingFields(null, target(10, 2)), []);
  const [a, b] = [published(0, 3), published(0, 4)].map(([row]) => decode(row));
  assert.deepEqual(differingFields(a, b), [{ name: "extents", a: "0\u20262", b: "0\u20263" }]);
});

test("B against A, lane by lane", () => {
  const found = laneDifferences(stateOf(published(0, 40)), stateOf(published(0, 40), paged(0, 40, 10)));
  const by = Object.fromEntries(found.map(({ lane, text }) => [lane, text]));
  assert.equal(by.q1, "same");
  assert.match(by.q4, /30/);
  assert.match(by.delta, /\+24/);
});

test("on a phone an empty lane has room for its name only, and what is there fills the stage", () => {
  const names = ["q1", "q2", "delta", "q3", "q4", "unacked"];
  const geo = geometry(390, 640, true);
  const spans = laneSpans(geo, { q1: 0, q2: 0, delta: 0, q3: 0, q4: 12, unacked: 0 }, names);
  for (const name of ["q1", "q2", "delta", "q3", "unacked"]) assert.ok(spans[name].u1 - spans[name].u0 < 10, name);
  assert.ok(spans.q4.u1 - spans.q4.u0 > 250);
  assert.ok(spans.unacked.u1 <= geo.u1 + 0.5);
  const none = laneSpans(geo, Object.fromEntries(names.map((name) => [name, 0])), names);
  assert.ok(none.q4.u1 - none.q4.u0 > 30, "where all are empty they share the room");
});
