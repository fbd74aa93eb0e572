/** "Run until": each condition comes true by the row that is meant and by no other; and how a wait ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { takePast } from "../../static/js/model/past.js";
import { emptyState } from "../../static/js/model/reduce.js";
import { Until, conditionsOf } from "../../static/js/model/until.js";
import { GAMMA, extent, feed, live, paged, published, stateOf } from "./feed.js";

/** A past that has nothing to tell. */
const nothing = async (_session, from) => from;

function waiting(name, { seq = null, rows = [], fetchRows = nothing } = {}) {
  const session = live();
  feed(session, rows, 0, false);
  const sent = [];
  const ends = [];
  const until = new Until(
    session,
    (message) => sent.push(message.play),
    (end) => ends.push(end),
    (from, to) => fetchRows(session, from, to),
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
    for (const other of Object.keys(conditionsOf(emptyState())).filter((each) => each !== name && each !== "empty")) {
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

test("a wait ends at its bound, and when the run is paused", () => {
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
});

/** A wait for a segment to be read back that a page was told of only in numbers: the rows of GAP, and the pause. */
async function missed(fetchRows) {
  const before = [...published(0, 40), ...paged(0, 40, 10)];
  const wait = waiting("read", { rows: before, fetchRows });
  const next = wait.session.next + GAP.length;
  const message = { next, at_us: 5, state: stateOf(before, GAP), digest: "", why: "fast" };
  wait.session.snapshot({ ...message, skipped: { Fetched: 2, DeltaRead: 1 } });
  assert.deepEqual(wait.sent, [true, false]);
  assert.deepEqual(wait.ends, [], "the pause is still on its way");
  feed(wait.session, [], 5, false);
  await new Promise((wake) => {
    setTimeout(wake);
  });
  return { ...wait, first: next - GAP.length };
}

const read = ["DeltaRead", "Q34", "orders", "delta", "q3", [extent(16, 8, 22)], [24, 16, 16, 40], {}];
/** What happened while the page was behind: the third row is the moment. */
const GAP = [fetched(0, 1), fetched(1, 1), read, counters({ out: 2 })];

/** A past that tells so many rows of the gap at a time; what it was asked is kept. */
function partsOf(rows, asked = []) {
  return async (session, from, to) => {
    asked.push([from, to]);
    const at = GAP.length - (to - from);
    const part = GAP.slice(at, at + rows);
    takePast(session, { stretches: [{ first: from, us: 4, state: session.history.stateAt(from), rows: part, at_us: part.map(() => 4) }] });
    return from + part.length;
  };
}

test("a condition met among transitions too fast to show: the past is asked for the moment", async () => {
  for (const rows of [1, 2, GAP.length]) {
    const { ends, first, session } = await missed(partsOf(rows));
    assert.deepEqual(ends, [{ name: "read", how: "reached", position: first + 3 }], `${rows} rows an answer`);
    assert.ok(session.history.has(first + 3), "and the page can go there");
  }
});

test("no more is asked of the past than leads to the moment", async () => {
  const asked = [];
  const { first } = await missed(partsOf(2, asked));
  assert.deepEqual(asked, [[first, first + 4], [first + 2, first + 4]]);
});

test("where the past does not tell it, it was too fast to show", async () => {
  /** A past that passes a large event over. */
  const lost = async (_session, _from, to) => to;
  for (const fetchRows of [nothing, lost]) {
    const { ends } = await missed(fetchRows);
    assert.deepEqual(ends, [{ name: "read", how: "fast", position: null }]);
  }
});

test("who lets the run go on, or waits no more, is not brought to the past", async () => {
  const played = await missed(async (session, from) => {
    feed(session, [], 6, true);
    return from;
  });
  assert.deepEqual(played.ends, [{ name: "read", how: "cancelled", position: null }]);
  let answer;
  const given = await missed(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  given.until.cancel();
  answer(given.session.next);
  await new Promise((wake) => {
    setTimeout(wake);
  });
  assert.deepEqual(given.ends, [{ name: "read", how: "cancelled", position: null }]);
});
