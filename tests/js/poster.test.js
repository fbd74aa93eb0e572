import assert from "node:assert/strict";
import { test } from "node:test";
import { Life } from "../../static/js/model/life.js";
import { WIDTH, columnOf, columnX, posterOf } from "../../static/js/model/poster.js";
import { feed, live, paged, published } from "./feed.js";

test("a life on one page: each event in its place, in order, with what passed between", () => {
  const session = live();
  feed(session, published(0, 40), 1_000_000);
  feed(session, paged(0, 40, 10), 2_500_000);
  const life = Life.of(session.history, { queue: "orders", seq: 30, msgNo: 30, flags: null }, 8);
  const { rows, height, width } = posterOf(life);
  assert.equal(width, WIDTH);
  assert.deepEqual(life.events.map(({ what }) => what), ["published", "beta", "entry", "delta"]);
  assert.deepEqual(rows.map(({ x }) => x), [0, 0, 1, 1].map(columnX));
  assert.deepEqual(rows.map(({ late }) => late), ["", "+1.500 s", "", ""]);
  assert.ok(rows.every((row, at) => row.y < height && (at === 0 || row.y > rows[at - 1].y)));
  assert.equal(columnOf({ what: "gone", name: "4.rdq" }), 2);
  assert.equal(columnOf({ what: "acked" }), 3);
});
