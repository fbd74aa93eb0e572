/** The story of the first page: one message's beats, each a function of one moment's state. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { beatOf, beatsReached, captionOf } from "../../static/js/model/followed.js";
import { BETA, extent, paged, published, stateOf } from "./feed.js";

test("alpha, beta, delta, with a consumer: each beat comes once, in this order", () => {
  const rows = [published(0, 40), paged(0, 40, 20)];
  const states = [stateOf(), stateOf(rows[0]), stateOf(...rows)];
  assert.deepEqual(states.map((state) => beatOf(state, 22)?.beat), [undefined, "alpha", "beta"]);
  assert.equal(beatOf(states[2], 39).beat, "delta");
  assert.equal(states.reduce((reached, state) => beatsReached(state, 22, reached), 0), 2);
  assert.equal(beatsReached(states[2], 39, 0), 0, "a beat that was not seen is not made up for");
  const fetched = stateOf(...rows, [["Fetched", "Q26", "orders", "q3", "disk_pending", [extent(20, 4, BETA)], null, {}]]);
  assert.equal(beatsReached(fetched, 22, 3), 4);
});

test("a caption names the state, what of the message is where, and its lane", () => {
  const state = stateOf(published(0, 40), paged(0, 40, 20));
  assert.match(captionOf(state, 3).text, /^Alpha: message 3 is whole in RAM, .* in q4\.$/);
  assert.match(captionOf(state, 22).text, /^Beta: .* message 22 .* in q3\.$/);
  assert.match(captionOf(state, 39).text, /^Delta: nothing of message 39 is in RAM/);
  assert.match(captionOf(stateOf(), 3).text, /^The queue is empty/);
});
