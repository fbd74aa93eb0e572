/** Why the engine does not take something: by code, in the language of the page. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { refusalWords } from "../../static/js/model/inspect-words.js";

test("the engine's codes have the page's sentences, the page's own codes its own, an unknown one is shown", () => {
  const refusals = { not_text: "%(place)s must be text." };
  assert.equal(refusalWords({ code: "not_text", values: { place: "topology.queues[0].name" } }, refusals), "topology.queues[0].name must be text.");
  assert.match(refusalWords({ code: "far_apart", values: {} }, refusals), /^A record's seq_id is millions/);
  assert.equal(refusalWords({ code: "unexpected", values: { why: "KeyError: 5" } }, refusals), "KeyError: 5");
  assert.equal(refusalWords({ code: "of_a_later_version", values: {} }, refusals), "of_a_later_version");
});
