/** The stage of version 2: its lanes and their words, L as a gauge, Why? with the numbers of the transition, what 4.x lacks. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../static/js/generations/all.js";
import { LIVE } from "../../static/js/generations/v2/model/file-rows.js";
import { growsAt, loadGauge } from "../../static/js/generations/v2/model/load-gauge.js";
import { stageScene } from "../../static/js/layout/stage.js";
import { generationOf } from "../../static/js/model/generations.js";
import { plotsOf } from "../../static/js/model/instruments.js";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { Life } from "../../static/js/model/life.js";
import { lifeText } from "../../static/js/model/life-words.js";
import { locate } from "../../static/js/model/messages.js";
import { goneIn, laneMeaning, lanesOf } from "../../static/js/model/places.js";
import { emptyState, fold } from "../../static/js/model/reduce.js";
import { memoryOf } from "../../static/js/model/facts.js";
import { situation } from "../../static/js/model/situation.js";
import { stepsOf } from "../../static/js/model/tour-steps.js";
import { conditionsOf } from "../../static/js/model/until.js";
import { explain } from "../../static/js/model/why.js";

const QUEUE = "orders";
/** An extent: start, count, msg_no, bytes, flags, expiry, template. */
const extent = (start, count, flags = 2) => [start, count, start, 6144, flags, null, 0];

/** A state of a 4.3 node with messages in the head lane and in the tail, and L as given. */
function state({ head = 1, tail = 41, window = 1, most = 8, egress = 500 * (window - 1) } = {}) {
  const made = emptyState();
  made.node.settings = { release: "4.3", window_cap: most, segment_entry_count: 8 };
  made.node.memory = { process_memory: 400, limit: 1000, paging_at: 300 };
  fold(made, { kind: "QueueChanged", rule: "W2", queue: QUEUE, values: { backing_queue: "classic_v2" } });
  const queue = made.queues[QUEUE];
  queue.lanes.head = head ? [extent(0, head)] : [];
  queue.counted.tail = tail ? [head, tail, 0, head + tail] : [null, 0, 0, null];
  queue.own.files.slots = [[0, head + tail, LIVE]];
  queue.counters = { window, egress_per_1000_s: egress, next_seq_id: head + tail, len: head + tail, ram_msg_count: head };
  return made;
}

const queueOf = (made) => made.queues[QUEUE];

test("two lanes, in the order in which messages go, each with its own words", () => {
  const lanes = lanesOf(queueOf(state()));
  assert.deepEqual(lanes, ["tail", "head"]);
  assert.match(laneMeaning("tail", lanes), /^\u03b4/);
  assert.match(laneMeaning("head", lanes), /^\u03b1/);
  const scene = stageScene(state(), 1280, 600, false);
  assert.deepEqual(scene.lanes.map(({ name, count }) => [name, count]), [["tail", 41], ["head", 1], ["unacked", 0]]);
  assert.equal(scene.fence, null);
  assert.equal(scene.surplus, null);
  assert.equal(scene.term.lane, "tail");
});

test("each message of a tail without gaps is known, and none beyond it", () => {
  const queue = queueOf(state());
  assert.equal(locate(queue, 0).place, "head");
  for (const seq of [1, 20, 41]) assert.equal(locate(queue, seq).place, "tail");
  assert.equal(locate(queue, 42), null);
  const lane = stageScene(state({ tail: 12 }), 1280, 600, false).lanes[0];
  assert.deepEqual(lane.keys.map(([seq]) => seq).sort((a, b) => a - b), Array.from({ length: 12 }, (_, at) => at + 1));
});

test("L and the rate that feeds it: the counter's thousandths give the same L (W32)", () => {
  for (const most of [8, 2048])
    for (let rate = 0; rate < 2000; rate += 0.37) {
      const [value, thousandths] = [Math.min(1 + Math.floor(2 * rate), most), Math.floor(1000 * rate)];
      assert.equal(Math.min(1 + Math.floor((2 * thousandths) / 1000), most), value, `${rate}`);
      assert.ok(thousandths < 1000 * growsAt(value, most), `${rate} gives ${value}, and it would be more already`);
    }
  const gauge = loadGauge(queueOf(state({ window: 4, egress: 1734 })), { window_cap: 8 });
  assert.deepEqual([gauge.lane, gauge.value, gauge.most], ["head", 4, 8]);
  assert.match(gauge.rate, /1\.734/);
  assert.match(gauge.text, /L is 4 of at most 8.*1\.734 a second.*From 2 a second on it is 5/);
  const full = loadGauge(queueOf(state({ window: 8, egress: 61_250 })), { window_cap: 8 });
  assert.match(full.text, /its maximum.*61\.25 a second/);
  assert.doesNotMatch(full.text, /From/);
  assert.equal(stageScene(state({ window: 4 }), 1280, 600, false).load.value, 4);
  assert.equal(plotsOf(queueOf(state()))[0].series.at(-1).label(), "L");
});

test("the sentence above the stage says what is where, and what the next take does", () => {
  assert.match(situation(state({ window: 3 })).text, /1 message.*41.*up to 3 \(L\)/);
  assert.match(situation(state({ head: 0, window: 3 })).text, /loads up to 3 messages/);
  assert.match(situation(state({ head: 0, tail: 2, window: 3 })).text, /loads up to 2 messages/);
  assert.match(situation(state({ tail: 0 })).text, /1 message waits in the head lane/);
});

test("4.x has no paging line, no target and no lazy mode", () => {
  const made = state();
  assert.deepEqual(Object.keys(goneIn(made.node.settings)).sort(), ["mirrors", "paging", "queue_mode", "target_ram_count"]);
  assert.deepEqual(goneIn({}), {});
  assert.equal(memoryOf(made).pagingAt, null);
  assert.equal(memoryOf(made).past, false);
  made.node.settings.release = "3.8";
  assert.equal(memoryOf(made).pagingAt, 300);
});

test("tour, first steps and run-until are its own, and name nothing of version 1", () => {
  const own = generationOf(queueOf(state()));
  const tour = stepsOf(state());
  assert.equal(tour, own.tour);
  assert.equal(new Set(tour.map(({ id }) => id)).size, tour.length);
  const conditions = Object.values(conditionsOf(state())).map(({ text }) => text());
  const texts = [...tour.flatMap((step) => [step.title(), step.text(false)]), ...own.firstSteps.map(({ text }) => text()), ...conditions];
  for (const text of texts) assert.doesNotMatch(text, /\bq[1-4]\b|\bbeta\b|\bdelta\b|paging line|target_ram_count/i);
  for (const step of tour) assert.ok(step.text(false).length < 260, step.id);
  assert.ok(own.firstSteps.every(({ done, met }) => done || met));
});

const SHIFT = { queue: QUEUE, source: null, to: null, extents: [], delta: null, why: {} };
/** What Why? says of a transition, with all numbers of it that the sentence must have. */
const REASONS = [
  [{ ...SHIFT, kind: "Published", rule: "W33", to: "head", extents: [extent(0, 1)], why: { head_len: 2, window: 5 } }, ["2", "5"]],
  [{ ...SHIFT, kind: "Published", rule: "W33", to: "tail", extents: [extent(0, 9)], why: { head_len: 3, window: 3, tail_count: 0 } }, ["3"]],
  [{ ...SHIFT, kind: "Published", rule: "W33", to: "tail", extents: [extent(0, 9)], why: { head_len: 0, window: 3, tail_count: 17 } }, ["17"]],
  [{ ...SHIFT, kind: "TailLoaded", rule: "W45", source: "tail", to: "head", extents: [extent(6, 4)], why: { start: 6, end: 10, window: 4 } }, ["4", "6", "10"]],
  [{ ...SHIFT, kind: "Acked", rule: "W50", source: "ram_pending", extents: [extent(0, 1)] }, ["slot", "zeros"]],
  [{ kind: "IndexFlushed", rule: "W87", queue: QUEUE, full: true, segments: [[0, 320]], why: { entries: 5, acks: 3, limit: 8 } }, ["5", "3", "8"]],
  [{ kind: "IndexFileDeleted", rule: "W91", queue: QUEUE, segment: 2, start: 16, end: 24, bytes: 320 }, ["16", "24", "320"]],
  [{ kind: "SlotsRead", rule: "W92", queue: QUEUE, segment: 2, start: 16, end: 20 }, ["16", "20"]],
  [{ kind: "BodiesBuffered", rule: "W114", queue: QUEUE, segment: 0, start: 1, count: 2, offset: 232, bytes: 336 }, ["232"]],
  [{ kind: "BodiesForgotten", rule: "W116", queue: QUEUE, start: 1, count: 2, bytes: 336 }, ["336"]],
  [{ kind: "FileCompacted", rule: "W142", store: "persistent", file: 3, why: { valid: 300, size: 800, moved: 2 } }, ["300", "800", "2"]],
];

test("Why? has the numbers of the transition itself", () => {
  for (const [t, numbers] of REASONS) {
    const { reason } = explain(t);
    for (const each of numbers) assert.match(reason, new RegExp(`\\b${each}\\b`), `${t.kind}: ${reason}`);
    assert.doesNotMatch(reason, /%\(/, t.kind);
  }
});

test("the start of a queue of version 2 has its own reason, though it names no lane", () => {
  const started = { kind: "QueueStarted", rule: "W80", queue: QUEUE, mode: "default", durable: true, record: [null, 0, 0, null], values: {} };
  assert.match(explain(started).reason, /becomes the tail/);
  assert.match(explain({ ...started, rule: "Q5" }).reason, /becomes delta/);
});

/** What the engine tells of two small messages of a 4.3.6 queue, in its order: the first is delivered, the second is loaded for it. */
const LIFE = [
  ["BodiesBuffered", "W114", QUEUE, 0, 0, 2, 64, 526],
  ["BodiesWritten", "W114", QUEUE, false, [[0, 1116]]],
  ["SlotsBuffered", "W86", QUEUE, "publish", 0, 0, 2],
  ["Published", "W33", QUEUE, null, "tail", [extent(0, 2)], [0, 2, 0, 2], {}],
  ["IndexFlushed", "W88", QUEUE, true, [[0, 96]], {}],
  ["BodiesRead", "W117", QUEUE, 0, 0, 1],
  ["TailLoaded", "W45", QUEUE, "tail", "head", [extent(0, 1)], [1, 1, 0, 2], {}],
  ["Fetched", "W40", QUEUE, "head", "ram_pending", [extent(0, 1)], null, {}],
  ["Acked", "W50", QUEUE, "ram_pending", null, [extent(0, 1)], null, {}],
  ["SlotsBuffered", "W91", QUEUE, "ack", 0, 0, 1],
  ["IndexFlushed", "W88", QUEUE, false, [[0, 96]], {}],
];

test("a message of version 2 is followed through its buffers, .qs, .qi, the load, and the zeros over its slot", () => {
  const life = new Life({ queue: QUEUE, seq: 0 }, 8);
  LIFE.forEach((row, at) => life.observe(decode(row), at, at < 4 ? 0 : at * 1000));
  const texts = life.events.map((event) => lifeText(event));
  assert.deepEqual(texts, [
    "content in the write buffer",
    "content in 0.qs",
    "index entry in the buffer",
    "published to tail",
    "entry in 0.qi",
    "content read",
    "read into head",
    "delivered",
    "acked",
    "ack in the index's buffer",
    "zeros over the entry in 0.qi",
  ]);
  const other = new Life({ queue: QUEUE, seq: 1 }, 8);
  LIFE.forEach((row, at) => other.observe(decode(row), at, at < 4 ? 0 : at * 1000));
  assert.ok(!other.events.some(({ what }) => ["read", "acked", "slotack", "zeroed", "content"].includes(what)));
});

test("an ack before the buffer is written leaves no entry in any file", () => {
  const life = new Life({ queue: QUEUE, seq: 0 }, 8);
  const rows = [...LIFE.slice(0, 4), ["Acked", "W50", QUEUE, "head", null, [extent(0, 1)], null, {}], ["SlotsBuffered", "W91", QUEUE, "ack", 0, 0, 1], ["IndexFlushed", "W88", QUEUE, true, [[0, 96]], {}]];
  rows.forEach((row, at) => life.observe(decode(row), at, 0));
  assert.equal(lifeText(life.events.at(-1)), "never written to 0.qi");
});
