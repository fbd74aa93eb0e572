/** A file that is compacted in place: its records travel from their old places to their new ones. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "../../static/js/generations/all.js";
import { storeScene } from "../../static/js/layout/store-map.js";
import { emptyState, fold } from "../../static/js/model/reduce.js";
import { MOVE_MS, RecordMoves, STAND_MS } from "../../static/js/view/files/moves.js";

const STORE = "persistent";
/** Ten records of 100 bytes in file 0; the first four are over. */
function state() {
  const made = emptyState();
  made.node.settings = { msg_store_file_size_limit: 1000 };
  made.stores[STORE] = {
    ...{ current: 1, buffered_bytes: 0, orphans: [] },
    files: [[0, 1000, 600, false, 1000], [1, 0, 0, false, 0]],
    rows: [[1, 4, 0, 0, 0, 100, 1], [5, 6, 1, 0, 400, 100, 1]],
  };
  return made;
}

const lock = { kind: "FileLocked", rule: "W141", store: STORE, file: 0, locked: true };
/** The last two go into the gap at the beginning. */
const moved = { kind: "RowsMoved", rule: "W142", store: STORE, rows: [[10, 1, 0, 0], [9, 1, 0, 100]] };

function given(calm) {
  const [made, moves] = [state(), new RecordMoves(() => calm)];
  for (const t of [lock, moved]) {
    fold(made, t);
    moves.observe(t, made, 0);
  }
  const scene = storeScene(made, null, STORE, 400, 60, () => []);
  const [file] = scene.files;
  const x = (offset) => Math.round(file.x + (offset * file.w) / scene.scale);
  return { moves, x, boxes: (now, store = STORE) => moves.boxes(scene, store, now) };
}

test("records leave the end of the file and arrive in its gap, one after the other", () => {
  const { x, boxes } = given(false);
  const begins = boxes(0);
  assert.deepEqual(begins.map(({ at }) => Math.round(at.x)), [x(900), x(800)]);
  assert.deepEqual(begins.map(({ to }) => Math.round(to.x)), [x(0), x(100)]);
  const [first, second] = boxes(MOVE_MS / 2).map(({ from, to, at }) => (from.x - at.x) / (from.x - to.x));
  assert.ok(first > second && second > 0 && first < 1, `${first} ${second}`);
  assert.ok(boxes(MOVE_MS / 2)[0].at.y < boxes(0)[0].from.y, "they pass over the records that stay");
  assert.equal(boxes(MOVE_MS / 2, "transient").length, 0);
  assert.equal(boxes(2 * MOVE_MS).length, 0);
});

test("where nothing may travel, old and new place stand side by side for a while", () => {
  const { x, boxes } = given(true);
  for (const now of [0, STAND_MS - 1])
    assert.deepEqual(boxes(now).map(({ from, at }) => [Math.round(from.x), Math.round(at.x), at.y]), [[x(900), x(0), 0], [x(800), x(100), 0]]);
  assert.equal(boxes(STAND_MS).length, 0);
});

test("what moves into another file, or was not seen before, does not travel", () => {
  const { moves, boxes } = given(false);
  moves.clear();
  moves.observe(moved, state(), 0);
  assert.equal(boxes(0).length, 0);
});
