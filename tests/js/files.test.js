import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { goneBelow } from "../../static/js/layout/gone.js";
import { stageScene } from "../../static/js/layout/stage.js";
import { byteAt, storeScene } from "../../static/js/layout/store-map.js";
import { combinationAt, fileAt } from "../../static/js/model/combining.js";
import { Deleted } from "../../static/js/model/history.js";
import { History } from "../../static/js/model/history.js";
import { emptyState, fold, reduce } from "../../static/js/model/reduce.js";
import { Unsynced } from "../../static/js/model/unsynced.js";
import { PERSISTENT, published, started, stateOf } from "./feed.js";

const seen = (rows) => Unsynced.of(rows.map((row, at) => ({ t: decode(row), us: at * 1000 })));
const RECORDED = ["EntriesRecorded", "S74", "orders", "publish_deliver", 0, 4, 192];
const WRITTEN = ["StoreWritten", "S143", "persistent", 0, 0, 0, 4, 6336, 1];

test("what was recorded or written waits for its own fsync, and an ack mark too", () => {
  const waiting = seen([RECORDED, WRITTEN]);
  assert.deepEqual(waiting.journals.orders.runs, [[0, 4]]);
  assert.equal(waiting.journals.orders.bytes, 192);
  assert.deepEqual(waiting.stores.persistent.runs, [[0, 4]]);
  const half = seen([RECORDED, WRITTEN, ["StoreSynced", "S23", "persistent", 0]]);
  assert.equal(half.stores.persistent.bytes, 0);
  assert.equal(half.stores.persistent.syncedUs, 2000);
  assert.ok(half.any);
  const done = seen([RECORDED, ["JournalSynced", "S82", "orders", 192]]);
  assert.ok(!done.any);
  const ack = seen([["EntriesRecorded", "S75", "orders", "ack", 0, 4, 32]]);
  assert.deepEqual([ack.any, ack.journals.orders.runs], [true, []]);
});

test("the part on disk that no fsync covers is dashed, the other is not", () => {
  const state = stateOf(published(0, 4, { flags: PERSISTENT }));
  const unsynced = seen([RECORDED, WRITTEN, ["StoreSynced", "S23", "persistent", 0]]);
  const { marks } = stageScene(state, 840, 330, false, { unsynced });
  const of = (part) => marks.find((mark) => mark.key === `m2:${part}`);
  assert.deepEqual([of("di").fill, of("di").unsynced], ["dashed", true]);
  assert.equal(of("dc").fill, "pale");
  const synced = stageScene(state, 840, 330, false, { unsynced: new Unsynced() });
  assert.equal(synced.marks.find((mark) => mark.key === "m2:di").fill, "pale");
});

const COMBINING = [
  ["StoreWritten", "S143", "persistent", 0, 0, 0, 4, 1000, 1],
  ["FileRolledOver", "S171", "persistent", 0, 1, {}],
  ["StoreWritten", "S143", "persistent", 1, 0, 4, 4, 1000, 1],
  ["FileRolledOver", "S171", "persistent", 1, 2, {}],
  ["RefCountChanged", "S147", "persistent", 1, 3, 0],
  ["RefCountChanged", "S147", "persistent", 4, 3, 0],
  ["CombineStarted", "S180", "persistent", 1, 0, { total: 8000, valid: 2000, limit: 4000, fraction: 0.75 }],
  ["RowsForgotten", "S183", "persistent", [[1, 3]]],
  ["CombineStepped", "S183", "persistent", 1, 0, "destination_scanned", 4000],
  ["CombineStepped", "S183", "persistent", 1, 0, "truncated", 2000],
  ["RowsForgotten", "S183", "persistent", [[4, 3]]],
  ["RowsMoved", "S183", "persistent", [[7, 1, 0, 1000]]],
  ["CombineStepped", "S183", "persistent", 1, 0, "source_copied", 1000],
  ["FilesCombined", "S185", "persistent", 1, 0, 2000, 6000, 0],
];

function lived(rows) {
  const state = emptyState();
  reduce(state, started);
  const past = new History();
  past.snapshot(0, 0, state);
  rows.forEach((row, at) => {
    const t = decode(row);
    fold(state, t);
    past.add(t, at * 10, state);
  });
  return past;
}

test("a combination is told whole from any of its rows: before, steps, after", () => {
  const past = lived(COMBINING);
  for (const at of [6, 9, 13]) {
    const found = combinationAt(past, at, decode(COMBINING[at]));
    assert.deepEqual([found.source, found.destination, found.started], [1, 0, 6]);
    assert.deepEqual(found.steps.map((step) => step.step), ["destination_scanned", "truncated", "source_copied"]);
    assert.deepEqual(found.done, { bytes: 2000, reclaimed: 6000, number: 13 });
  }
  const before = past.stateAt(6);
  assert.deepEqual(fileAt(before, "persistent", 0), { number: 0, size: 4000, valid: 1000, live: [[0, 1000]] });
  assert.deepEqual(fileAt(before, "persistent", 1).live, [[3000, 1000]]);
  const after = past.stateAt(14);
  assert.deepEqual(fileAt(after, "persistent", 0), { number: 0, size: 2000, valid: 2000, live: [[0, 2000]] });
  assert.equal(fileAt(after, "persistent", 1), null);
  assert.equal(combinationAt(past, 4, decode(COMBINING[4])), null);
});

test("references are on the blocks, and the numbers that are missing were deleted", () => {
  const state = stateOf([
    ...COMBINING,
    ["RefCountChanged", "S142", "persistent", 0, 1, 3],
  ]);
  const scene = storeScene(state, state.queues.orders, "persistent", 500, 100);
  assert.equal(Math.max(...scene.files[0].blocks.map((block) => block.refs)), 3);
  assert.deepEqual(scene.gone, { count: 1, first: 1, last: 1 });
  assert.deepEqual(goneBelow([3, 4], 6), { count: 4, first: 0, last: 5 });
  assert.deepEqual(goneBelow([0, 1], 2), { count: 0, first: null, last: null });
});

test("records can be seen where files are far from full, as after a start of a broker's few messages", () => {
  const rows = [0, 1, 2, 3].map((at) => [at, 1, 1, 0, at * 5000, 5000, 1]);
  const recovered = ["StoreRecovered", "S205", "persistent", true, [[0, 20_000, 20_000, false, 20_000]], 0, rows, []];
  const state = stateOf([recovered]);
  state.node.settings.msg_store_file_size_limit = 16 * 1024 * 1024;
  const scene = storeScene(state, state.queues.orders, "persistent", 500, 100);
  const [file] = scene.files;
  assert.ok(file.used > file.w / 8, `the records fill ${file.used} of ${file.w} pixels`);
  assert.ok(scene.scale < scene.limit);
  assert.deepEqual(byteAt(scene, file.x + file.used - 0.01, file.y), { file: 0, at: 19_999 });
  state.stores.persistent.files[0][1] = 3 * 1024 * 1024;
  assert.equal(storeScene(state, state.queues.orders, "persistent", 500, 100).scale, scene.limit);
});

test("bodies of other queues are not taken for delta's where delta's numbers are known", () => {
  const state = stateOf(published(0, 40), [
    ["EntriesRecorded", "S74", "orders", "publish_deliver", 8, 16, 768],
    ["BetasPushed", "Q49", "orders", "q4", "delta", [[8, 16, 8, 6144, 92, 0, 0]], [8, 16, 0, 24], {}],
    ["StoreWritten", "S143", "persistent", 0, 0, 0, 60, 100, 1],
  ]);
  const tones = (known) =>
    storeScene(state, state.queues.orders, "persistent", 900, 100, known).files[0].blocks.map((block) => block.tone);
  assert.deepEqual(tones((start, count) => [[start, count]]), ["alpha", "delta", "alpha", "other"]);
  assert.deepEqual(tones(() => []), ["alpha", "delta", "alpha", "delta"]);
});

test("only segments that had a file were deleted, and only by then", () => {
  const deleted = new Deleted();
  deleted.observe(decode(["SegmentDeleted", "S80.1", "orders", 0, 288]), 10);
  deleted.observe(decode(["SegmentDeleted", "S80.1", "orders", 1, 0]), 11);
  deleted.observe(decode(["SegmentDeleted", "S80.1", "orders", 3, 288]), 20);
  assert.deepEqual(deleted.before("orders", 30), { count: 2, first: 0, last: 3 });
  assert.deepEqual(deleted.before("orders", 20), { count: 1, first: 0, last: 0 });
  assert.equal(deleted.before("audit", 30).count, 0);
});
