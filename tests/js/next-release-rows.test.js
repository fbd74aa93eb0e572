/** The answer about definitions, a configuration and a listing: the first table, red where a release does not take it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { listingRows } from "../../static/js/model/inspect-words.js";
import { configurationRows, fateWords, importRows, insteadWords } from "../../static/js/model/next-release-words.js";

test("an import that ends says how far it gets and what to remove", () => {
  const outcome = { target: "4.0.5", ends: true, queues: 0, of: 2, bindings: false, refused: 1 };
  const [bad, good, open] = importRows([outcome, { ...outcome, ends: false, queues: 2, bindings: true, refused: 0 }, { ...outcome, queues: null }]);
  assert.deepEqual([bad.target, bad.back, bad.first, bad.tone], ["RabbitMQ 4.0.5", "0 of 2, and no binding", "Remove 1 entry that is refused.", "bad"]);
  assert.match(bad.starts, /^no: .*load_definitions/);
  assert.deepEqual([good.starts, good.back, good.first, good.tone], ["yes", "2 of 2", "nothing", "good"]);
  assert.equal(open.back, "?");
});

test("a configuration is bad for the release that refuses a line of it", () => {
  const row = (...fates) => ({ place: "configuration", key: "k", fates, instead: "", names: [], count: 1 });
  const rows = configurationRows([row("taken", "refused"), row("no_effect", "no_effect")]);
  assert.deepEqual(rows.map(({ tone, back }) => [tone, back]), [["good", "1"], ["bad", "1"]]);
});

test("a listing says for each queue what lies in RAM and what to look at", () => {
  const lanes = [["q1", 3, 10, "ram"], ["delta", 7, 100, "disk"]];
  const [row, open] = listingRows([{ name: "a", lanes, questions: [] }, { name: "b", lanes: [["q1", null, 0, "ram"]], questions: [["pending", { count: 2 }]] }]);
  assert.deepEqual([row.target, row.starts, row.back, row.first], ["a", "10", "3", "nothing"]);
  assert.deepEqual([open.starts, open.back], ["?", "?"]);
  assert.match(open.first, /^2 messages wait for acks/);
});

test("a queue that is neither durable nor exclusive is taken with a warning", () => {
  assert.equal(fateWords("warned", "queue"), "accepted, with a warning in the log");
  assert.match(insteadWords("transient_nonexcl_queues"), /list_deprecated_features/);
  assert.equal(configurationRows([{ place: "queue", key: "k", fates: ["warned", "warned"], instead: "", names: [], count: 1 }])[0].tone, "good");
});
