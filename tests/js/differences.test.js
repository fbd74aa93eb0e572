import assert from "node:assert/strict";
import { test } from "node:test";
import { differingFields, laneDifferences } from "../../static/js/compare/differences.js";
import { KINDS } from "../../static/js/model/catalogue/kinds.js";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { explain } from "../../static/js/model/why.js";
import { geometry, laneSpans } from "../../static/js/layout/geometry.js";
import { paged, published, stateOf } from "./feed.js";

test("where two runs part only the fields that differ are told", () => {
  const target = (value, duration) => decode(["TargetChanged", "Q43", "orders", value, { duration, rates: 5, old: null }]);
  assert.deepEqual(differingFields(target(10, 2), target(12, 2.4)), [
    { name: "target", a: "10", b: "12" },
    { name: "seconds that a queue is to keep", a: "2", b: "2.4" },
  ]);
  assert.deepEqual(differingFields(target(10, 2), target(10, 2)), []);
  assert.deepEqual(differingFields(target(10, 2), decode(published(0, 1)[0])), []);
  assert.deepEqual(differingFields(null, target(10, 2)), []);
  const [a, b] = [published(0, 3), published(0, 4)].map(([row]) => decode(row));
  assert.deepEqual(differingFields(a, b), [{ name: "messages by number", a: "0\u20262", b: "0\u20263" }]);
});

/** A value unlike `value`, of the same form. */
function unlike(value) {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return value === null ? "q1" : `${value} of B`;
}

test("no field is called by its raw name, whatever the kind of transition", () => {
  const fields = ["source", "to", "queue", "exchange", "routing_key", "actor", "node", "store", "file", "segment", "start", "count", "bytes"];
  const values = { reason: "memory", how: "power", offset: 7, msg_no: 3, journal_bytes: 9, code: 320, target: 4, locked: true };
  const why = { ram_msg_count: 5, permitted: 9, io_batch_size: 4096, order: "acks_first", q3_len: 5 };
  for (const kind of Object.keys(KINDS)) {
    const scalars = { ...Object.fromEntries(fields.map((name, at) => [name, at < 8 ? "x" : at])), ...values };
    const made = (own, numbers, count) => ({ kind, rule: "Q1", ...own, extents: [[5, count, 5, 100, 0, 0, 0]], why: numbers });
    const changed = (table) => Object.fromEntries(Object.entries(table).map(([name, value]) => [name, unlike(value)]));
    const found = differingFields(made(scalars, why, 3), made(changed(scalars), changed(why), 4));
    assert.ok(found.length > 3, kind);
    for (const { name, a: left, b: right } of found) {
      assert.doesNotMatch(name, /_|^(extents|source|to|actor|start|count|file|segment|store)$/, kind);
      assert.doesNotMatch(`${left} ${right}`, /\w_\w|[[{"]/, `${kind}: ${name}`);
    }
  }
});

test("B against A, lane by lane", () => {
  const found = laneDifferences(stateOf(published(0, 40)), stateOf(published(0, 40), paged(0, 40, 10)));
  const by = Object.fromEntries(found.map(({ lane, text }) => [lane, text]));
  assert.equal(by.q1, "same");
  assert.match(by.q4, /30/);
  assert.match(by.delta, /\+24/);
});

test("on a phone an empty lane is not shown, and what is there fills the stage", () => {
  const names = ["q1", "q2", "delta", "q3", "q4", "unacked"];
  const geo = geometry(390, 640, true);
  const spans = laneSpans(geo, { q1: 0, q2: 0, delta: 0, q3: 0, q4: 12, unacked: 0 }, names);
  for (const name of ["q1", "q2", "delta", "q3", "unacked"]) assert.ok(spans[name].u1 - spans[name].head === 0, name);
  assert.ok(spans.q4.u1 - spans.q4.u0 > 550);
  assert.ok(spans.unacked.u1 <= geo.u1 + 0.5);
  const none = laneSpans(geo, Object.fromEntries(names.map((name) => [name, 0])), names);
  assert.ok(none.q4.u1 - none.q4.u0 > 30, "where all are empty they share the room");
});

test("no step is called by its kind: two runs may part at one", () => {
  const steps = Object.keys(KINDS).filter((kind) => KINDS[kind].shown === "step");
  assert.ok(steps.length > 5);
  for (const kind of steps) {
    const t = { kind, rule: "Q1", why: {}, extents: [], values: {}, count: 2, file: 3, source: 1, ref_count: 2, entries: 4, locked: true };
    assert.notEqual(explain(t).title, kind);
  }
});

test("queues of two versions have no lane in common: what is ready and in RAM is compared", () => {
  const v1 = stateOf(published(0, 40));
  const v2 = stateOf([["QueueChanged", "W1", "orders", { backing_queue: "classic_v2" }, {}]]);
  assert.deepEqual(laneDifferences(v1, v1).map(({ lane }) => lane), ["q1", "q2", "delta", "q3", "q4", "unacked"]);
  const lanes = laneDifferences(v1, v2);
  assert.ok(lanes.every(({ lane }) => !["q1", "tail", "head"].includes(lane)), JSON.stringify(lanes));
  assert.ok(laneDifferences(v1, { ...v1, queues: {} }).length);
});
