/** The sentence above the stage while a queue is as its start left it. */
import "../../static/js/generations/all.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { fateOfStart } from "../../static/js/model/fate.js";
import { returnText } from "../../static/js/model/fate-words.js";
import { restarted } from "../../static/js/model/restarted.js";

const state = { queues: { orders: { lanes: {}, counted: { delta: [0, 0, 0, 0] } } }, node: {} };
const start = { t: { kind: "QueueStarted", queue: "orders" }, fate: { lost: {}, back: [], kept: [], survives: true } };
const other = (kind, queue = "orders") => ({ t: { kind, queue }, fate: null });

test("after a start it says what was lost and what is back, until the queue moves", () => {
  const fate = { ...start.fate, transient: [], unsynced: [], pending: [], acks: [] };
  const line = { ...start, fate };
  const words = restarted(state, [other("Published"), line, other("JournalFlushed"), other("Published", "audit")]);
  assert.match(words.text, /^Restarted: /);
  assert.equal(restarted(state, [line, other("Published")]), null);
  assert.ok(restarted(state, [line, other("DeltaRead")]));
  const dropped = other("Dropped");
  assert.ok(restarted(state, [line, { ...dropped, t: { ...dropped.t, why: { cause: "transient_lost" } } }]), "what it forgets belongs to the start");
  assert.equal(restarted(state, [line, { ...dropped, t: { ...dropped.t, why: { cause: "purged" } } }]), null);
  const looked = other("HeadReturned");
  assert.ok(restarted(state, [line, { ...looked, t: { ...looked.t, source: "head", to: "head" } }]));
  assert.equal(restarted(state, [other("Published")]), null);
});

test("of files that were given it is not said that nothing was lost: what they had before is not known", () => {
  const queue = { lanes: {}, counted: { delta: [null, 0, 0, null] }, own: { index: { entries: [] } }, counters: { next_seq_id: 0 } };
  const fate = fateOfStart({ queue, entries: [[0, 2, 20], [2, 2, 16], [10, 1, 16]] }, 3);
  const words = restarted(state, [{ ...start, fate }]);
  assert.equal(words.text, "Started on files that were given: 3 messages are there.");
  assert.equal(returnText(fate), "");
  const own = fateOfStart({ queue: { ...queue, counters: { next_seq_id: 11 } }, entries: [[10, 1, 16]] }, 1);
  assert.match(restarted(state, [{ ...start, fate: own }]).text, /^Restarted: nothing lost, 1 back/);
  assert.match(restarted(state, [{ ...start, fate: { ...own, unacked: 0, acks: 0, back: [] } }]).text, /^Restarted: nothing lost\b(?!, )/);
});

test("messages that no entry tells of are files that were given, too: a queue of 4.x that converted them", () => {
  const queue = { lanes: {}, counted: {}, own: {}, counters: { next_seq_id: 0 } };
  const words = restarted(state, [{ ...start, fate: fateOfStart({ queue, entries: [] }, 36) }]);
  assert.equal(words.text, "Started on files that were given: 36 messages are there.");
});

test("where a start found nothing, and nothing is known of what was there, it is not said that nothing was lost", () => {
  const queue = { lanes: {}, counted: {}, own: {}, counters: { next_seq_id: 0 } };
  const words = restarted(state, [{ ...start, fate: fateOfStart({ queue, entries: [] }, 0) }]);
  assert.equal(words.text, "Restarted: no message was found in the files.");
});
