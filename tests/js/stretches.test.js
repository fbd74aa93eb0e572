import assert from "node:assert/strict";
import { test } from "node:test";
import { ENTRIES, EXTENTS, STORE_ROWS, holding, insert, lowestByte, overlapping, remove, total } from "../../static/js/model/stretches.js";

const run = (start, count, code = 1) => [start, count, code];

test("neighbours that continue each other merge on both sides", () => {
  const rows = [];
  for (const row of [run(0, 2), run(4, 2), run(2, 2)]) insert(rows, row, ENTRIES);
  assert.deepEqual(rows, [[0, 6, 1]]);
});

test("neighbours that differ stay apart", () => {
  const rows = [];
  insert(rows, run(0, 2, 1), ENTRIES);
  insert(rows, run(2, 2, 3), ENTRIES);
  assert.deepEqual(rows, [
    [0, 2, 1],
    [2, 2, 3],
  ]);
});

test("an overlap is refused", () => {
  const rows = [run(5, 5)];
  assert.throws(() => insert(rows, run(9, 1), ENTRIES), RangeError);
  assert.throws(() => insert(rows, run(3, 3), ENTRIES), RangeError);
});

test("removing from the middle leaves both ends, and gives back what was there", () => {
  const rows = [[0, 10, 100, 7, 2, 0, 0]];
  assert.deepEqual(remove(rows, 3, 4, EXTENTS), [[3, 4, 103, 7, 2, 0, 0]]);
  assert.deepEqual(rows, [
    [0, 3, 100, 7, 2, 0, 0],
    [7, 3, 107, 7, 2, 0, 0],
  ]);
  assert.equal(total(rows), 6);
});

test("a row is never changed, only replaced", () => {
  const row = Object.freeze(run(0, 4));
  const rows = [row];
  remove(rows, 1, 1, ENTRIES);
  insert(rows, run(1, 1), ENTRIES);
  assert.deepEqual(row, [0, 4, 1]);
});

test("a store row written backwards keeps its offsets", () => {
  const rows = [];
  insert(rows, [10, 4, 1, 0, 300, 100, -1], STORE_ROWS);
  assert.equal(lowestByte(rows[0]), 0);
  assert.deepEqual(remove(rows, 11, 2, STORE_ROWS), [[11, 2, 1, 0, 200, 100, -1]]);
  insert(rows, [11, 2, 1, 0, 200, 100, -1], STORE_ROWS);
  assert.deepEqual(rows, [[10, 4, 1, 0, 300, 100, -1]]);
});

test("random changes agree with a plain map", () => {
  let seed = 1;
  const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
  const rows = [];
  const model = new Map();
  for (let i = 0; i < 4000; i += 1) {
    const start = random(200);
    const count = 1 + random(12);
    const code = random(3);
    remove(rows, start, count, ENTRIES);
    for (let k = start; k < start + count; k += 1) model.delete(k);
    if (code) {
      insert(rows, run(start, count, code), ENTRIES);
      for (let k = start; k < start + count; k += 1) model.set(k, code);
    }
  }
  const spelled = rows.flatMap(([start, count, code]) =>
    Array.from({ length: count }, (_, k) => [start + k, code]),
  );
  assert.deepEqual(
    spelled,
    [...model].sort((a, b) => a[0] - b[0]),
  );
  for (let i = 1; i < rows.length; i += 1)
    assert.ok(rows[i - 1][0] + rows[i - 1][1] < rows[i][0] || rows[i - 1][2] !== rows[i][2]);
  assert.equal(holding(rows, 500), null);
  assert.equal(total(overlapping(rows, 0, 300, ENTRIES)), model.size);
});
