/** "Run until": each condition comes true by the row that is meant and by no other; and how a wait ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONDITIONS, Until } from "../../static/js/model/until.js";
import { GAMMA, extent, feed, live, paged, published, stateOf } from "./feed.js";

function waiting(name, { seq = null, rows = [] } = {}) {
  const session = live();
  feed(session, rows, 0, false);
  const sent = [];
  const ends = [];
  const until = new Until(
    session,
    (message) => sent.push(message.play),
    (end) => ends.push(end),
  );
  until.start(name, seq);
  return { session, sent, ends, until };
}

/** Whether a wait that began after `before` ends with the last of the rows. */
function reaches(name, rows, { seq = null, before = [] } = {}) {
  const { session, sent } = waiting(name, { seq, rows: before });
  feed(session, rows.slice(0, -1), 1);
  assert.deepEqual(sent, [true], `${name} too early`);
  feed(session, rows.slice(-1), 2);
  return sent.length === 2;
}

const fetched = (start, count, to = "ram_pending") =>
  ["Fetched", "Q30", "orders", "q4", to, [extent(start, count, 18)], null, {}];
const counters = (values) => ["CountersChanged", "Q21", "orders", values];
const rings = (alarm, on = true) => ["NodeChanged", "M7", "alarms", { [alarm]: on }, {}];
const file = (number) => ["StoreRecovered", "S160", "persistent", true, [[number, 9000, 9000, false, 9000]], number, [], []];

test("each condition comes true by the row that is meant, and by no other", () => {
  const out = paged(0, 40, 10);
  const rows = {
    gamma: ["AlphasPushed", "Q46", "orders", "q4", "q3", [extent(0, 1, GAMMA & ~2)], null, {}],
    delta: out.find(([kind]) => kind === "BetasPushed"),
    memory: rings("memory"),
    disk: rings("disk"),
    deleted: ["FileDeleted", "S184", "persistent", 0, 9000],
    delivered: fetched(5, 3),
  };
  const before = {
    gamma: published(0, 1),
    delta: [...published(0, 40), ...out.slice(0, 3)],
    deleted: [file(0)],
    delivered: published(0, 8),
  };
  const usual = [...published(0, 10)];
  for (const [name, row] of Object.entries(rows)) {
    assert.ok(reaches(name, [row], { seq: 6, before: before[name] ?? usual }), name);
    for (const other of Object.keys(CONDITIONS).filter((each) => each !== name && each !== "empty")) {
      const met = reaches(other, [row], { seq: 99, before: before[name] ?? usual });
      assert.equal(met, false, `${other} by ${name}`);
    }
  }
  assert.ok(reaches("read", [["DeltaRead", "Q34", "orders", "delta", "q3", [extent(16, 8, 22)], [24, 16, 16, 40], {}]], { before: [...published(0, 40), ...out] }));
});

test("a queue is empty when the last message was taken, and not while nobody takes any", () => {
  assert.ok(reaches("empty", [...published(0, 2), fetched(0, 1), fetched(1, 1)]));
  assert.equal(reaches("empty", [...published(0, 2), fetched(0, 1)]), false);
  assert.equal(reaches("empty", [rings("memory")]), false);
});

test("a message that went at once to a consumer, with nothing to acknowledge, is noticed by the queue's counters", () => {
  const direct = ["PublishedDelivered", "Q22", "orders", null, null, [extent(0, 1, 18)], null, {}];
  assert.ok(reaches("delivered", [direct, counters({ next_seq_id: 1 })], { seq: 0 }));
});

test("an alarm that rings already must end and ring again", () => {
  const { session, sent } = waiting("memory", { rows: [rings("memory")] });
  feed(session, published(0, 3), 1);
  feed(session, [rings("memory", false)], 2);
  assert.deepEqual(sent, [true]);
  feed(session, [rings("memory")], 3);
  assert.deepEqual(sent, [true, false]);
});

test("run until delta: plays, pauses at the row, and tells the position after it", () => {
  const { session, sent, ends } = waiting("delta");
  feed(session, published(0, 40), 1_000_000);
  feed(session, paged(0, 40, 10), 2_000_000);
  assert.deepEqual(sent, [true, false]);
  feed(session, published(40, 1), 2_050_000);
  assert.deepEqual(ends, [], "the pause is still on its way");
  feed(session, [], 2_100_000, false);
  assert.deepEqual(ends, [{ name: "delta", how: "reached", position: 5 }]);
  feed(session, [], 2_200_000);
  assert.deepEqual(sent, [true, false], "it is over");
});

test("a wait ends at its bound, when the run is paused, and among transitions too fast to show", () => {
  const bound = waiting("memory");
  feed(bound.session, [], 61_000_000);
  assert.deepEqual(bound.sent, [true, false]);
  assert.deepEqual(bound.ends, []);
  feed(bound.session, [], 61_050_000, false);
  assert.equal(bound.ends[0].how, "bound");
  const paused = waiting("memory");
  feed(paused.session, [], 1, false);
  assert.deepEqual(paused.ends, []);
  feed(paused.session, [], 2, true);
  feed(paused.session, [], 3, false);
  assert.equal(paused.ends[0].how, "stopped");
  const fast = waiting("read");
  const message = { next: 900, at_us: 5, state: stateOf(), digest: "", why: "fast" };
  fast.session.snapshot({ ...message, skipped: { DeltaRead: 1 } });
  assert.deepEqual(fast.ends, []);
  feed(fast.session, [], 5, false);
  assert.deepEqual(fast.ends, [{ name: "read", how: "fast", position: null }]);
});
