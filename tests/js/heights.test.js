import assert from "node:assert/strict";
import { test } from "node:test";
import { heightOf } from "../../static/js/layout/glyphs.js";
import { stageScene } from "../../static/js/layout/stage.js";
import { learn } from "../../static/js/model/columns.js";
import { EXTENT as E } from "../../static/js/model/catalogue/rows.js";
import { TRANSIENT, extent, stateOf } from "./feed.js";

const SIZES = [10, 1023, 1024, 4095, 4096, 65535, 65536, 1e6];
const NUMBER = 31;
const LONG = 32;

/** A row of messages whose sizes are those of a column. */
function unequal(start, count, number) {
  const row = [...extent(start, count, TRANSIENT)];
  row[E.size_bytes] = -1 - number * 2 ** 20;
  row[E.msg_no] = start;
  return row;
}

const sceneOf = (row) => stageScene(stateOf([["Published", "Q21", "orders", null, "q4", [row], null, {}]]), 840, 330, false);

learn({ [NUMBER]: [0, SIZES], [LONG]: [0, Array.from({ length: 100000 }, (_, at) => (at < 50000 ? 500 : 9000))] });

test("content is as high as its size class; the border of the store is one of them", () => {
  const row = unequal(0, SIZES.length, NUMBER);
  const heights = SIZES.map((_, at) => heightOf(row, at, 1));
  assert.deepEqual(heights, [0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 1, 1]);
  assert.equal(heightOf(extent(0, 5, TRANSIENT), 2, 1), 1);
});

test("in RAM it stands on its tag, so all of a lane stand on one line", () => {
  const blocks = sceneOf(unequal(0, SIZES.length, NUMBER)).marks.filter((mark) => mark.key.endsWith(":rc"));
  const ends = new Set(blocks.map((mark) => Math.round(mark.y + mark.h)));
  assert.equal(blocks.length, SIZES.length);
  assert.equal(ends.size, 1);
  assert.ok(blocks[0].h < blocks.at(-1).h);
});

test("a hundred thousand unequal messages are as many marks as equal ones, and bars show what they hold", () => {
  const found = sceneOf(unequal(0, 100000, LONG));
  const equal = sceneOf(extent(0, 100000, TRANSIENT));
  assert.equal(found.marks.length, equal.marks.length);
  const bars = found.marks.filter((mark) => /^q4#\d+:rc$/.test(mark.key)).map((mark) => Math.round(mark.h * 10));
  assert.equal(new Set(bars).size, 2);
});
