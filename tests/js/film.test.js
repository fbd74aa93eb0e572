/** A film of a stretch of a run: its bounds, its moments, its size. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_PIXELS, filmOf, momentOf, sheetOf } from "../../static/js/model/film.js";

test("a film stays within the run and its bounds", () => {
  assert.deepEqual(filmOf({ from: 1, to: 3, lasts: 4 }, 0, 5e6), { fromUs: 1e6, toUs: 3e6, pictures: 40 });
  assert.deepEqual(filmOf({ from: -7, to: 99, lasts: 900 }, 2e6, 5e6), { fromUs: 2e6, toUs: 5e6, pictures: 300 });
  assert.equal(filmOf({ from: 3, to: 3, lasts: 4 }, 0, 5e6), null);
  assert.equal(filmOf({ from: Number.NaN, to: 3, lasts: 4 }, 0, 5e6), null);
});

test("its moments run evenly from the first to the last", () => {
  const film = { fromUs: 1e6, toUs: 3e6, pictures: 5 };
  assert.deepEqual([0, 1, 4].map((at) => momentOf(film, at)), [1e6, 1.5e6, 3e6]);
});

test("its size is bounded", () => {
  assert.deepEqual(sheetOf(480, 270), { width: 480, height: 270, scale: 1 });
  const large = sheetOf(3840, 900);
  assert.deepEqual([large.width, large.height], [MOST_PIXELS, 225]);
});
