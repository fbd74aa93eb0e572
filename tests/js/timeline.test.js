import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { explainLine, sentenceOf } from "../../static/js/model/why.js";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { Events } from "../../static/js/model/events.js";
import { rateAt, Samples } from "../../static/js/model/samples.js";
import { Timeline } from "../../static/js/model/timeline.js";
import { queueNames, showQueue, shownQueue } from "../../static/js/model/shown.js";
import { SIGNS } from "../../static/js/view/time/event-signs.js";
import { paged, published, stateOf } from "./feed.js";

afterEach(() => showQueue(null));

const types = (rows) => {
  const events = new Events();
  rows.forEach((row, at) => events.observe(at, at * 2_000_000, decode(row)));
  for (const { type } of events.list) assert.ok(SIGNS[type], type);
  return events.list.map((event) => event.type);
};

test("what may be jumped to: beginnings once, alarms and their end, restarts and crashes apart", () => {
  const push = ["AlphasPushed", "Q46", "orders", "q4", "q3", [], null, {}];
  const target = (value) => ["TargetChanged", "Q43", "orders", value, {}];
  assert.deepEqual(types([target(5), target(4), push, push, target(null), target(9)]), [
    "paging", "beta", "out", "paging",
  ]);
  const roll = ["BetasPushed", "Q49", "orders", "q3", "delta", [], null, {}];
  assert.deepEqual(types([roll, roll]), ["delta"]);
  const alarm = (memory) => ["NodeChanged", "M7", "alarms", { memory }, {}];
  assert.deepEqual(types([alarm(false), alarm(true), alarm(true), alarm(false)]), ["memory", "calm"]);
  const stop = (kind) => ["QueueStopped", "S234", "orders", kind];
  const start = ["QueueStarted", "Q62", "orders", "default", true, [null, 0, 0, null], {}];
  assert.deepEqual(types([start, stop("clean"), start, stop("power"), start]), [
    "start", "restart", "crash", "restart",
  ]);
});

test("a queue that had something on disk and is empty again is drained, once", () => {
  const events = new Events();
  const state = stateOf(published(0, 2));
  const push = decode(["AlphasPushed", "Q46", "orders", "q4", "q3", [], null, {}]);
  const left = decode(["Fetched", "Q26", "orders", "q4", null, [[0, 2, 0, 10, 18, 0, 0]], null, {}]);
  const empty = stateOf();
  events.observe(1, 0, left, empty);
  events.observe(2, 1, push, state);
  events.observe(3, 2, left, state);
  events.observe(4, 5_000_000, left, empty);
  events.observe(5, 9_000_000, left, empty);
  assert.deepEqual(events.list.map(({ type, number }) => [type, number]), [["beta", 2], ["drained", 4]]);
  assert.ok(SIGNS.drained);
});

test("the same within a second is one event, and small ones do not push the others out", () => {
  const events = new Events();
  const sync = ["StoreSynced", "S23", "persistent", 0];
  events.observe(0, 0, decode(["DeltaRead", "Q34", "orders", "delta", "q3", [], null, {}]));
  for (let at = 0; at < 1000; at += 1) events.observe(at, at * 500_000, decode(sync));
  assert.equal(events.list.length, 200);
  assert.equal(events.list[0].type, "read");
});

test("samples keep every queue, and the shown one's numbers are their own", () => {
  const rows = published(0, 10);
  const other = [["Published", "Q21", "audit", null, "q4", [[0, 3, 100, 64, 18, 0, 0]], null, {}]];
  const state = stateOf(rows, other);
  const samples = new Samples();
  for (const row of [...rows, ...other]) samples.count(decode(row));
  samples.take(1000, state);
  assert.equal(shownQueue(state), "orders");
  assert.deepEqual([samples.list[0].q4, samples.list[0].arrived], [10, 10]);
  showQueue("audit");
  assert.equal(shownQueue(state), "audit");
  samples.show("audit");
  assert.deepEqual([samples.list[0].q4, samples.list[0].arrived], [3, 3]);
  samples.take(2_000_000, state);
  assert.equal(samples.list[1].q4, 3);
  samples.show("none");
  assert.equal(samples.list[1].q4, 0);
  showQueue("none");
  assert.equal(shownQueue(state), "orders", "a queue that is not there is not shown");
});

/** Samples of a queue at which `arrived(us)` messages have come in all, taken every `everyUs`. */
const sampled = (spans, everyUs) => {
  const samples = new Samples();
  const state = stateOf(published(0, 1));
  let arrived = 0;
  for (const [fromUs, toUs, perS] of spans)
    for (let us = fromUs; us <= toUs; us += everyUs) {
      arrived += (perS * everyUs) / 1e6;
      samples.totals.orders = { arrived, left: 0 };
      samples.take(us, state);
    }
  return samples;
};

test("a rate is of the last half second: idle time before it does not make it small, and no burst goes on after itself", () => {
  const { list } = sampled([[0, 1e6, 200], [51e6, 52e6, 200]], 10_000);
  for (const us of [0.6e6, 1e6, 51.5e6, 52e6]) assert.ok(Math.abs(rateAt(list, "arrived", us) - 200) <= 8, `${us}: ${rateAt(list, "arrived", us)}`);
  assert.ok(Math.abs(rateAt(list, "arrived", 51.25e6) - 100) <= 8);
  for (const us of [1.6e6, 30e6, 50.9e6, 52.6e6]) assert.equal(rateAt(list, "arrived", us), 0);
});

test("a rate stays what it was however coarse the samples of a long run become", () => {
  for (const seconds of [10, 100, 1000]) {
    const { list, everyUs } = sampled([[0, seconds * 1e6, 40]], 50_000);
    assert.ok(seconds < 100 || everyUs > 100_000);
    for (let us = 2e6; us < (seconds - 2) * 1e6; us += 333_333) assert.ok(Math.abs(rateAt(list, "arrived", us) - 40) <= 8, `${seconds}: ${us}`);
  }
});

test("the queue that is shown does not hang on whether a snapshot or the transitions told of it", () => {
  const stateOfQueues = (...names) => ({ queues: Object.fromEntries(names.map((name) => [name, { lanes: {} }])) });
  for (const names of [["orders", "audit", "orders@b"], ["audit", "orders", "orders@b"]])
    assert.equal(shownQueue(stateOfQueues(...names)), "orders");
  for (const names of [["tasks", "audit"], ["audit", "tasks"]]) {
    assert.equal(shownQueue(stateOfQueues(...names)), "audit");
    assert.deepEqual(queueNames(stateOfQueues(...names)), ["audit", "tasks"]);
  }
});

test("what a run begins with is no event: its settings, and that no alarm is set", () => {
  const timeline = new Timeline();
  const state = stateOf(published(0, 1));
  const report = (number, atUs, part, values) =>
    timeline.note(number, atUs, decode(["NodeChanged", "M7", part, values, {}]), state);
  report(0, 0, "settings", { profile: "classroom", segment_entry_count: 8 });
  report(8, 0, "alarms", { memory: false });
  assert.deepEqual(timeline.lines, []);
  report(9, 0, "settings", { vm_memory_high_watermark: 0.2 });
  report(10, 0, "alarms", { memory: true });
  report(30, 9_000_000, "alarms", { memory: false });
  assert.deepEqual(timeline.lines.map((line) => line.number), [9, 10, 30]);
});

test("what happens in a virtual host that is not shown is one line for each host, whatever it is", () => {
  const timeline = new Timeline();
  const state = stateOf(published(0, 1));
  const elsewhere = (number, vhost, what) => timeline.note(number, 0, { kind: "HappenedElsewhere", rule: "Q30", vhost, what }, state);
  elsewhere(0, "prod", "Published");
  elsewhere(1, "qa", "QueueChanged");
  elsewhere(2, "prod", "IndexFlushed");
  assert.deepEqual(
    timeline.lines.map((line) => [line.t.vhost, line.times]),
    [["qa", 1], ["prod", 2]],
  );
});

test("a reduction in several passes is one sentence with the sum, in the log and as the title of Why?", () => {
  const timeline = new Timeline();
  const state = stateOf(published(0, 1));
  const reduced = (q4, betas) => decode(["Reduced", "Q45", "orders", { ...paged(0, 40, 10).at(-1)[3], q4_moved: q4, betas_moved: betas }]);
  [[4735, 0], [3265, 7], [1119, 0]].forEach(([q4, betas], at) => timeline.note(at, at * 1000, reduced(q4, betas), state));
  const [line] = timeline.lines.filter(({ detail }) => !detail);
  assert.equal(sentenceOf(line).text, "Memory is reduced: 9\u202f119 messages are paged out, 7 messages roll into delta");
  assert.equal(explainLine(line, null).title, sentenceOf(line).text);
  assert.deepEqual(line.passes.map(({ t }) => t.why.q4_moved), [4735, 3265, 1119]);
  assert.match(explainLine(line, null).steps[2].detail, /stops as soon/, "the steps are those of the last pass");
});
