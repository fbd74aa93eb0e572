/** The sentence above the stage while a queue is as its start left it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { restarted } from "../../static/js/model/situation.js";

const state = { queues: { orders: { lanes: {}, delta: [0, 0, 0, 0] } }, node: {} };
const start = { t: { kind: "QueueStarted", queue: "orders" }, fate: { lost: {}, back: [], kept: [], survives: true } };
const other = (kind, queue = "orders") => ({ t: { kind, queue }, fate: null });

test("after a start it says what was lost and what is back, until the queue moves", () => {
  const fate = { ...start.fate, transient: [], unsynced: [], pending: [], acks: [] };
  const line = { ...start, fate };
  const said = restarted(state, [other("Published"), line, other("JournalFlushed"), other("Published", "audit")]);
  assert.match(said.text, /^Restarted: /);
  assert.equal(restarted(state, [line, other("Published")]), null);
  assert.ok(restarted(state, [line, other("DeltaRead")]));
  assert.equal(restarted(state, [other("Published")]), null);
});
