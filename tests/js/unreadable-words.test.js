/** What could not be read, in words: a reason of the engine stands within the sentence. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { unreadableWords } from "../../static/js/model/inspect-words.js";

test("a reason that is coded is worded by the engine's sentences", () => {
  const values = { name: "Q", count: 2, reason: { code: "quorum_queue", values: { name: "x-queue-type", value: "quorum" } } };
  const sentences = { quorum_queue: "%(name)s %(value)s is another kind of queue." };
  assert.equal(
    unreadableWords("definitions_queues_refused", values, sentences),
    "None of its queues can be played: 2. The first is Q: x-queue-type quorum is another kind of queue.",
  );
});

test("another encoding is named with the byte where it shows", () => {
  assert.match(unreadableWords("definitions_encoding", { byte: 26 }), /^This is not UTF-8, from byte 26 on\./);
});
