/** The card of the tour stands beside what it is about. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { beside } from "../../static/js/layout/beside.js";

const box = (left, top, width, height) => ({ left, top, width, height, right: left + width, bottom: top + height });
const CARD = box(0, 0, 400, 170);

function covers(at, of) {
  return at.x < of.right && at.x + CARD.width > of.left && at.y < of.bottom && at.y + CARD.height > of.top;
}

test("it stands where there is room, and covers nothing of its target", () => {
  const targets = {
    "a lane in the middle": box(480, 190, 130, 330),
    "a lane at the right": box(960, 190, 100, 330),
    "the whole stage": box(266, 116, 844, 400),
    "the charts below": box(10, 780, 1420, 110),
    "the column at the left": box(10, 80, 248, 640),
  };
  for (const [name, of] of Object.entries(targets)) {
    const at = beside(of, CARD, 1440, 900);
    assert.ok(at && !covers(at, of), name);
    assert.ok(at.x >= 0 && at.y >= 0 && at.x + CARD.width <= 1440 && at.y + CARD.height <= 900, name);
  }
});

test("where it would cover its target wherever it stood, it has no place beside it", () => {
  assert.equal(beside(box(0, 0, 800, 600), CARD, 800, 600), null);
});
