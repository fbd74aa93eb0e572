import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { indexScene } from "../../static/js/generations/v1/layout/index-map.js";
import { entrySpot } from "../../static/js/layout/segments.js";
import { recordSpot } from "../../static/js/layout/bytes-spot.js";
import { frameOf, indexIn, spotOf } from "../../static/js/layout/spot.js";
import { hit, stageScene } from "../../static/js/layout/stage.js";
import { leaderPath } from "../../static/js/layout/leader-line.js";
import { Life } from "../../static/js/model/life.js";
import { lifeText } from "../../static/js/model/life-words.js";
import { Numbers } from "../../static/js/model/numbers.js";
import { Follow } from "../../static/js/view/panels/follow.js";
import { BETA, GAMMA, PERSISTENT, extent, paged, published, stateOf } from "./feed.js";

/** The rows of a persistent message that goes through every place. */
const STORY = [
  ["EntriesRecorded", "S74", "orders", "publish_deliver", 5, 3, 144],
  ["Published", "Q21", "orders", null, "q4", [extent(5, 3, PERSISTENT)], null, {}],
  ["StoreWritten", "S143", "persistent", 0, 0, 5, 3, 6336, 1],
  ["BufferWritten", "S21", "persistent", 0, 19008],
  ["StoreSynced", "S23", "persistent", 0],
  ["JournalSynced", "S82", "orders", 144],
  ["AlphasPushed", "Q46", "orders", "q4", "q3", [extent(5, 3, GAMMA)], null, {}],
  ["SegmentWritten", "S80.1", "orders", 0, 288],
  ["BetasPushed", "Q49", "orders", "q3", "delta", [extent(5, 3, GAMMA)], [5, 3, 0, 8], {}],
  ["DeltaRead", "Q34", "orders", "delta", "q3", [extent(5, 3, GAMMA)], [null, 0, 0, null], {}],
  ["Fetched", "Q31", "orders", "q3", "ram_pending", [extent(5, 1, GAMMA)], null, {}],
  ["StoreRead", "S155", "persistent", "file", 0, 5, 1, 6336],
  ["Acked", "Q39", "orders", "ram_pending", null, [extent(5, 1, GAMMA)], null, {}],
  ["RefCountChanged", "S147", "persistent", 5, 1, 0],
];

const whole = (seq, rows = STORY) => {
  const life = new Life({ queue: "orders", seq }, 8);
  rows.forEach((row, at) => life.observe(decode(row), at, Math.floor(at / 5) * 1000));
  return life;
};

test("a life has every place in order, and ends with the ack", () => {
  const life = whole(5);
  const places = life.events.filter((event) => !event.file).map((event) => event.what);
  assert.deepEqual(places, ["published", "gamma", "delta", "read", "delivered", "acked"]);
  assert.deepEqual(
    life.events.filter((event) => event.file).map((event) => event.what),
    ["entry", "buffered", "handed", "synced", "journal", "segment", "content", "refs"],
  );
  assert.ok(life.over);
  for (const event of life.events) assert.doesNotMatch(lifeText(event), /%\(|undefined/);
});

test("what happens to others is not part of a life", () => {
  assert.ok(!whole(6).over);
  assert.equal(whole(4).events.filter((event) => event.what === "published").length, 0);
  const other = [["Acked", "Q39", "audit", "ram_pending", null, [extent(5, 3, GAMMA)], null, {}]];
  assert.equal(whole(5, other).events.length, 0);
});

test("a crash ends the life of what the files do not have", () => {
  const crash = (entries) => [
    ...STORY.slice(0, 6),
    ["QueueStopped", "S234", "orders", "power"],
    ["IndexRecovered", "S110", "orders", false, entries, [], 0, 0],
    ["QueueStarted", "Q62", "orders", "default", true, [null, 0, 0, null], {}],
  ];
  assert.equal(whole(5, crash([])).events.at(-1).what, "lost");
  assert.equal(whole(5, crash([[5, 3, 16]])).events.at(-1).what, "recovered");
});

test("the number of a message is known in delta too, and a new life takes an old seq_id over", () => {
  const numbers = new Numbers();
  numbers.observe(decode(published(0, 10)[0]));
  numbers.observe(decode(["Published", "Q21", "orders", null, "q4", [[10, 5, 90, 100, 18, 0, 0]], null, {}]));
  assert.equal(numbers.numberOf("orders", 9), 9);
  assert.equal(numbers.numberOf("orders", 12), 92);
  assert.equal(numbers.seqOf("orders", 92), 12);
  assert.equal(numbers.numberOf("audit", 9), null);
  numbers.observe(decode(["Published", "Q21", "orders", null, "q4", [[0, 2, 400, 100, 18, 0, 0]], null, {}]));
  assert.equal(numbers.numberOf("orders", 1), 401);
  assert.equal(numbers.numberOf("orders", 2), 2);
});

for (const [name, count, keep] of [["few", 60, 10], ["a million", 1_000_000, 4096]]) {
  test(`what a point of the stage hits is framed at that point (${name})`, () => {
    const state = stateOf(published(0, count), paged(0, count, keep));
    const scene = stageScene(state, 840, 330, false);
    const queue = state.queues.orders;
    for (const seq of [0, keep - 1, keep + 2, Math.floor(count / 2), count - 1]) {
      const spot = spotOf(scene, queue, seq);
      const frame = frameOf(scene, spot.lane, spot.index);
      assert.equal(indexIn(queue, spot.lane.name, seq), spot.index);
      const found = hit(scene, frame.x + frame.w / 2, frame.y + 8);
      assert.equal(found.lane.name, spot.lane.name);
      assert.ok(Math.abs(found.index - spot.index) <= count / 100, `${seq}: ${found.index} for ${spot.index}`);
    }
    assert.equal(spotOf(scene, queue, count), null);
  });
}

test("a wire goes down to the gap, along it, and ends on its bytes", () => {
  const { full, behind } = leaderPath({ x: 100, y: 50 }, { x: 300, y: 120, w: 20, h: 10 }, 90);
  assert.equal(full, "M100 50V60M100 83q0 7 7 7H303q7 0 7 7M310 110V120");
  assert.equal(behind, "M100 60V83M310 97V110");
  const straight = leaderPath({ x: 310, y: 50 }, { x: 300, y: 120, w: 20, h: 10 }, 80);
  assert.deepEqual(straight, { full: "M310 50V60M310 110V120", behind: "M310 60V80M310 80V110" });
});

test("the cell of an entry is on the map, that of a folded segment is its line", () => {
  const state = stateOf([
    ["EntriesRecorded", "S74", "orders", "publish_deliver", 0, 80, 2880],
    ["Published", "Q20", "orders", null, "q3", [extent(0, 80, BETA)], null, {}],
  ]);
  const scene = indexScene(state, state.queues.orders, 320, 60);
  const folded = scene.items.find((item) => item.folded);
  assert.deepEqual(entrySpot(scene, { segment: folded.from, relative: 3 }).y, folded.y);
  const first = scene.items.find((item) => item.number === 0);
  assert.equal(entrySpot(scene, { segment: 0, relative: 2 }).x, first.mapX + 2 * first.grid.cw);
  assert.equal(entrySpot(scene, { segment: 99, relative: 0 }), null);
  assert.equal(recordSpot({ files: [], scale: 1 }, { file: 0, offset: 0, bytes: 1 }), null);
  const open = indexScene(state, state.queues.orders, 320, 60, folded.from);
  assert.ok(open.items.some((item) => item.number === folded.from), "the chosen segment is not folded");
});

test("a message whose queue was deleted is in no place, and the page says so", () => {
  const words = (life) => Follow.prototype.words.call({ playhead: { state: { queues: {} } } }, life);
  assert.equal(words(whole(5)), "over");
  assert.equal(words(whole(6)), "not in the queue");
});

test("where there is no queue, whoever looks for a message is told so", () => {
  const warnings = [];
  const page = { playhead: { session: { state: { queues: {} }, numbers: null } }, warn: (text) => warnings.push(text) };
  for (const typed of ["7", "0".repeat(32)]) Follow.prototype.find.call(page, typed);
  assert.deepEqual(warnings, Array(2).fill("There is no queue, so there is no message to follow."));
});
