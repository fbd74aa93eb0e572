/** The story of the first page: one message's beats, each a function of one moment's state. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Beats, beatOf, beatsReached, captionOf, causeOf } from "../../static/js/model/followed.js";
import { BETA, extent, paged, published, stateOf } from "./feed.js";

test("alpha, beta, delta, with a consumer: each beat comes once, in this order", () => {
  const rows = [published(0, 40), paged(0, 40, 20)];
  const states = [stateOf(), stateOf(rows[0]), stateOf(...rows)];
  assert.deepEqual(states.map((state) => beatOf(state, 22)?.beat), [undefined, "alpha", "beta"]);
  assert.equal(beatOf(states[2], 39).beat, "delta");
  assert.equal(states.reduce((reached, state) => beatsReached(state, 22, reached), 0), 2);
  assert.equal(beatsReached(states[2], 39, 0), 0, "a beat that was not seen is not made up for");
  const fetched = stateOf(...rows, [["Fetched", "Q26", "orders", "q3", "disk_pending", [extent(20, 4, BETA)], null, {}]]);
  assert.equal(beatsReached(states[2], 22, 3), 4, "on its way back it is a beta again, or a gamma");
  assert.deepEqual([3, 4, 5].map((reached) => beatsReached(fetched, 22, reached)), [5, 5, 5]);
});

test("a caption names the state, what of the message is where, and its lane", () => {
  const state = stateOf(published(0, 40), paged(0, 40, 20));
  assert.match(captionOf(state, 3).text, /^Alpha: message 3 is whole in RAM, .* in q4\.$/);
  assert.match(captionOf(state, 22).text, /^Beta: .* message 22 .* in q3\.$/);
  assert.match(captionOf(state, 39).text, /^Delta: nothing of message 39 is in RAM/);
  assert.match(captionOf(stateOf(), 3).text, /^The queue is empty/);
});

test("each beat names its cause, against the line of memory at that moment", () => {
  const state = stateOf(published(0, 40), paged(0, 40, 20));
  const short = { ...state, node: { ...state.node, memory: { process_memory: 300 * 1024, paging_at: 200 * 1024, limit: 400 * 1024 } } };
  assert.match(causeOf(short, 22), /^Memory passed 200\u202fKiB, so the newest contents sink/);
  assert.match(causeOf(short, 39), /^Memory is still past 200/);
  const calm = { ...short, node: { ...short.node, memory: { ...short.node.memory, process_memory: 1024 } } };
  assert.match(causeOf(calm, 3), /^While memory is below 200/);
  for (const seq of [22, 39]) assert.doesNotMatch(causeOf(calm, seq), /passed|past/);
  assert.equal(causeOf(stateOf(), 3), null);
});

test("beats that come faster than they are read wait for their turn, and none is lost", () => {
  const rows = [published(0, 40), paged(0, 40, 20)];
  const fetched = [["Fetched", "Q26", "orders", "q3", "disk_pending", [extent(20, 4, BETA)], null, {}]];
  const states = [stateOf(), stateOf(rows[0]), stateOf(rows[0]), stateOf(...rows), stateOf(...rows, fetched)];
  const beats = new Beats(22);
  states.forEach((state, at) => beats.saw(at, state));
  assert.deepEqual([beats.next(), beats.next(), beats.next()], [1, 3, null], "this message was never a delta");
  beats.saw(5, stateOf(...rows, fetched));
  assert.equal(beats.next(), null, "a beat that was not seen is not made up for");
});

test("with a consumer, and gone", () => {
  const rows = [published(0, 40), paged(0, 40, 20), [["Fetched", "Q26", "orders", "q3", "disk_pending", [extent(20, 4, BETA)], null, {}]]];
  assert.match(captionOf(stateOf(...rows), 22).text, /^Delivered: message 22 is with a consumer/);
  const acked = [["CountersChanged", "Q20", "orders", { next_seq_id: 40 }], ["Acked", "Q28", "orders", "disk_pending", null, [extent(20, 4, BETA)], null, {}]];
  assert.equal(captionOf(stateOf(...rows, acked), 22).text, "Message 22 has left the queue.");
});
