import assert from "node:assert/strict";
import { test } from "node:test";
import { GROUPS, KINDS } from "../../static/js/model/catalogue/kinds.js";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { groupOf, queueOf } from "../../static/js/model/kinds.js";

const rows = {
  Rejected: ["Rejected", "P8", "slow", 3, {}],
  DeadLettered: ["DeadLettered", "P8", "slow", "maxlen", 2, "x", "key", ["other"], {}],
  ConsumerCancelled: ["ConsumerCancelled", "P11", "c1", "slow", {}],
  QueueBound: ["QueueBound", "D1", "x", "slow", "key", {}],
  QueueUnbound: ["QueueUnbound", "D1", "x", "slow", "key", {}],
};

test("a transition that names a queue concerns it, wherever its row has the name", () => {
  for (const row of Object.values(rows)) assert.equal(queueOf(decode(row)), "slow", row[0]);
  assert.equal(queueOf(decode(["NodeChanged", "M10", "alarms", { memory: true }, {}])), null);
  assert.equal(queueOf(decode(["StoreSynced", "S166", "persistent", 0])), null);
  assert.equal(queueOf(decode(["ConfirmsSent", "K1", "p1", 4, {}])), null);
});

test("what becomes of messages is found among the messages", () => {
  for (const row of [
    rows.Rejected,
    rows.DeadLettered,
    ["NacksSent", "K10", "p1", 2, {}],
    ["Unroutable", "K10", "p1", 2, "", "key", true],
    ["Committed", "D13", "p1", 4, {}],
  ])
    assert.equal(groupOf(decode(row)), "messages", row[0]);
});

test("each group has kinds, and each kind has a group", () => {
  const groups = new Set(Object.values(KINDS).map((kind) => kind.group));
  assert.deepEqual([...groups].sort(), [...GROUPS].sort());
});

test("a row is read by the names of its fields; what may be left out has its usual value", () => {
  assert.deepEqual(decode(["StoreStopped", "S201", "transient", "clean"]), {
    kind: "StoreStopped",
    rule: "S201",
    store: "transient",
    how: "clean",
  });
  assert.equal(decode(["StoreWritten", "S143", "persistent", 0, 0, 5, 4, 100]).step, 1);
  assert.throws(() => decode(["Surprise", "Q0"]), /unknown transition/);
});
