/** What a folded target of the rehearsal says in one line. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { totalsWords } from "../../static/js/model/upgrade-words.js";

const upgrade = (changes = {}) => ({
  target: "4.0.5",
  is_back: false,
  policy: null,
  gate: { accepted: true, missing: [], enable_first: [], way: [], listed: true },
  failure: null,
  queues: [
    { name: "a", before: 18, after: 18, order: true, redelivered: 18, orderly: { after: 18, order: true, redelivered: 2 } },
    { name: "b", before: 4, after: 0, order: false, redelivered: 0, orderly: { after: 4, order: true, redelivered: 0 } },
  ],
  files: [],
  work: null,
  orderly: { failure: null, files: [], work: null, second: false },
  ...changes,
});

test("the messages of all queues, after a crash and after an orderly stop", () => {
  assert.deepEqual(totalsWords(upgrade()), ["Messages after a crash: 22 → 18", "after an orderly stop: 22 → 22"]);
});

test("a start that fails and a number that nobody knows are said as such", () => {
  const failing = { code: "x", values: {} };
  assert.deepEqual(totalsWords(upgrade({ failure: failing, orderly: { failure: failing, files: [], work: null, second: false } })), [
    "Messages after a crash: 22 → the start fails",
    "after an orderly stop: 22 → the start fails",
  ]);
  const unknown = [{ name: "a", before: null, after: 3, order: null, redelivered: null, orderly: null }];
  assert.deepEqual(totalsWords(upgrade({ queues: unknown, orderly: null })), ["Messages after a crash: ? → 3"]);
});

test("a policy needs no start, and of a way back nothing was played", () => {
  assert.deepEqual(totalsWords(upgrade({ policy: 2, queues: upgrade().queues.map((each) => ({ ...each, orderly: null })), orderly: null })), [
    "Messages under the policy: 22 → 18",
  ]);
  assert.deepEqual(totalsWords(upgrade({ is_back: true, queues: [] })), []);
});
