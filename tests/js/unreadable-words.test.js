/** What could not be read, in words: a reason of the engine stands within the sentence. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { codedWords, unreadableWords } from "../../static/js/model/inspect-words.js";

test("a value that is coded is worded by the engine's sentences", () => {
  const why = { code: "quorum_queue", values: { name: "x-queue-type", value: "quorum" } };
  const sentences = { quorum_queue: "%(name)s %(value)s is another kind of queue.", outer: "No: %(why)s" };
  assert.equal(codedWords({ code: "outer", values: { why } }, sentences), "No: x-queue-type quorum is another kind of queue.");
});

test("another encoding is named with the byte where it shows", () => {
  assert.match(unreadableWords("definitions_encoding", { byte: 26 }), /^This is not UTF-8, from byte 26 on\./);
});
