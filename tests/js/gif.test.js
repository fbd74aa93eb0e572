/** A film as a GIF costs little where pictures are equal; tests/web/test_film.py reads one as others do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Gif } from "../../static/js/view/page/gif.js";

test("equal pictures cost little", () => {
  let chance = 7;
  const noise = new Uint8ClampedArray(64 * 64 * 4).map(() => (chance = (chance * 75 + 74) % 65537) & 255);
  const sizes = [1, 2, 3].map((count) => {
    const gif = new Gif(64, 64);
    for (let at = 0; at < count; at += 1) gif.add(noise, 10);
    return gif.end().length;
  });
  assert.ok(sizes[2] - sizes[1] < sizes[0] / 4, String(sizes));
});
