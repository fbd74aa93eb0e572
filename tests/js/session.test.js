import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, EXTENT as E, IN_RAM } from "../../static/js/model/catalogue/rows.js";
import { Session } from "../../static/js/model/session.js";
import { situation } from "../../static/js/model/situation.js";
import { bytes, clock, fill, number, signed } from "../../static/js/model/text.js";
import { explain, narrate } from "../../static/js/model/why.js";
import { paged, published, started, stateOf } from "./feed.js";

const frame = (session, rows, us) =>
  session.frame({
    first: session.next,
    rows,
    at_us: rows.map(() => us),
    now_us: us,
    digest: "d",
    play: true,
    speed: 1,
  });

function sessionWith(...batches) {
  const session = new Session();
  session.snapshot({ next: 0, at_us: 0, state: stateOf(), digest: "", why: "join" });
  batches.forEach((rows, at) => frame(session, rows, (at + 1) * 100_000));
  return session;
}

test("frames are folded, numbered and told", () => {
  const session = sessionWith();
  const counts = [];
  session.listen((change) => counts.push(change.rows));
  frame(session, published(0, 3), 1);
  frame(session, [], 2);
  assert.equal(session.next, 1);
  assert.deepEqual(counts, [1, 0]);
});

test("more of the same is one line of the narrative", () => {
  const session = sessionWith(published(0, 3), published(3, 4));
  const lines = session.timeline.lines.filter((line) => !line.detail);
  assert.equal(lines.length, 1);
  assert.equal(lines[0].messages, 7);
});

test("a line of several transitions counts all their messages, and says how often it was where its text has no number", () => {
  const dead = (count) => ["DeadLettered", "Q66", "orders", "rejected", count, "", "dead", ["dead"], {}];
  const session = sessionWith([dead(3)], [dead(2)], [["StoreSynced", "S150", "persistent", 0]], [["StoreSynced", "S150", "persistent", 0]]);
  const [letters, synced] = session.timeline.lines;
  assert.equal(narrate(letters.t, letters.messages).text, "5 dead letters to dead");
  assert.deepEqual([narrate(letters.t, letters.messages).counted, narrate(synced.t, synced.messages).counted], [true, false]);
  assert.equal(synced.times, 2);
});

test("history stays bounded however long the run is", () => {
  const session = sessionWith();
  for (let i = 0; i < 5000; i += 1) frame(session, published(i, 1), i * 1_000_000);
  assert.ok(session.timeline.samples.length <= 720);
  assert.ok(session.timeline.lines.length <= 300);
  assert.equal(session.timeline.samples.at(-1).q4, 5000);
});

test("a restart tells how many messages are lost", () => {
  const session = sessionWith(
    published(0, 9),
    [["QueueStopped", "S234", "orders", "power"]],
    [["QueueStarted", "Q62", "orders", "default", true, [null, 0, 0, null], { len: 2 }]],
  );
  assert.equal(session.timeline.lines.at(-1).messages, 7);
});

test("the situation is one plain sentence", () => {
  assert.match(situation(stateOf()).text, /empty/);
  const gone = [["QueueStopped", "S234", "orders", "clean"]];
  assert.equal(situation(stateOf(gone)).text, "No queue runs at this moment.");
  const stopped = [...gone, ["NodeChanged", "D2", "app", { runs: false }, {}]];
  assert.match(situation(stateOf(stopped)).text, /^The broker is stopped: no queue runs/);
  assert.match(situation(stateOf(published(0, 12))).text, /All 12 messages/);
  assert.equal(
    situation(stateOf(published(0, 1), [["NodeChanged", "M7", "alarms", { memory: true }, {}]])).tone,
    "alarm",
  );
  assert.match(situation(stateOf(published(0, 40), paged(0, 40, 10))).text, /24 messages in delta/);
});

test("a reduction is explained in its steps, those that did nothing too", () => {
  const t = decode(paged(0, 40, 10).at(-1));
  const explained = explain(t, 30, {
    t: decode(["TargetChanged", "Q43", "orders", 10, { duration: 2, rates: 5, old: null }]),
    memory: {},
  });
  assert.equal(explained.rule, "Q45");
  assert.equal(explained.name, "reduce_memory_use");
  assert.equal(explained.bar.surplus, 30);
  assert.deepEqual(
    explained.steps.map((step) => [step.value, step.off]),
    [
      [30, false],
      [0, true],
      [30, false],
      [0, true],
      [24, false],
    ],
  );
  assert.match(explained.origin.lines[0], /2 s of messages at 5 a second are 10, rounded down to 10/);
});

test("the sum behind a duration is shown when the monitor's numbers still prove it", () => {
  const memory = { reported_sum: 0.5, reporting: 1, process_memory: 300, limit: 400 };
  const t = decode(["TargetChanged", "Q43", "orders", 4, { duration: 2, rates: 2, old: null }]);
  assert.equal(explain(t, 0, { t, memory }).origin.lines.length, 2);
  assert.equal(explain(t, 0, { t, memory: { ...memory, process_memory: 200 } }).origin.lines.length, 1);
});

test("numbers, bytes and times are written as the design has them", () => {
  assert.equal(number(12400), "12\u202f400");
  assert.equal(number(null), "∞");
  assert.equal(signed(-644), "−644");
  assert.equal(bytes(214 * 1048576), "214\u202fMiB");
  assert.equal(clock(16_412_000), "00:16.412");
  assert.equal(fill("%(a)s of %(b)s", { a: 1 }), "1 of %(b)s");
  assert.equal(started.length, 2);
});

test("what is in RAM is not said to be on disk: contents that a read brought to q3, in a lazy queue too", () => {
  const state = stateOf(published(0, 30, { to: "q3" }));
  const { orders } = state.queues;
  const [row] = orders.lanes.q3;
  const marked = (start, count, inRam) =>
    row.with(E.start, start).with(E.count, count).with(E.flags, inRam ? row[E.flags] | IN_RAM : row[E.flags] & ~IN_RAM);
  orders.lanes.q3 = [marked(0, 30, false)];
  assert.match(situation(state).text, /^30 contents are on disk/);
  orders.lanes.q3 = [marked(0, 18, false), marked(18, 12, true)];
  assert.match(situation(state).text, /^18 contents are on disk/);
  orders.lanes.q3 = [marked(0, 30, true)];
  orders.counters.ram_msg_count = 30;
  assert.match(situation(state).text, /^All 30 messages wait in RAM/);
  orders.mode = "lazy";
  assert.match(situation(state).text, /30 contents wait in RAM/);
  orders.counters.ram_msg_count = 0;
  assert.match(situation(state).text, /RAM stays almost empty/);
});

test("an index that forgot what it knew goes on with what it is left (V9)", () => {
  const state = stateOf(published(0, 2), [["IndexForgotten", "V9", "orders", [], 0, 0]]);
  assert.deepEqual(state.queues.orders.own.index.entries, []);
});
