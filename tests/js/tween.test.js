import assert from "node:assert/strict";
import { test } from "node:test";
import { ease } from "../../static/js/view/base/scheduler.js";
import { Slide, Tween } from "../../static/js/view/stage/tween.js";

const mark = (key, x, y = 0, from = null) => ({
  key,
  from,
  x,
  y,
  w: 10,
  h: 10,
  shape: "block",
  fill: "solid",
  tone: "alpha",
});
const MOVING = { moves: true, instant: false };

function shown(tween, key, now) {
  tween.at(now);
  return tween.visuals.get(key);
}

test("the ease begins and ends at rest and never goes back", () => {
  let before = 0;
  for (let t = 0; t <= 1.0001; t += 0.05) {
    assert.ok(ease(t) >= before);
    before = ease(t);
  }
  assert.equal(ease(0), 0);
  assert.equal(ease(1), 1);
});

test("a mark slides to its new place, and stays there", () => {
  const tween = new Tween();
  tween.aim([mark("a", 0)], 0, MOVING);
  tween.aim([mark("a", 100)], 0, MOVING);
  const middle = shown(tween, "a", 160).x;
  assert.ok(middle > 5 && middle < 100);
  assert.equal(shown(tween, "a", 400).x, 100);
  assert.equal(tween.at(401), false);
});

test("a content sinks out of the place of its twin in RAM", () => {
  const tween = new Tween();
  tween.aim([mark("m1:rc", 0, 10)], 0, MOVING);
  tween.aim([mark("m1:dc", 0, 200, "m1:rc")], 0, MOVING);
  assert.equal(shown(tween, "m1:dc", 1).y, 10);
  assert.equal(tween.leaving.length, 0);
  assert.equal(shown(tween, "m1:dc", 1000).y, 200);
});

test("a copy that was there already only fades: nothing falls", () => {
  const tween = new Tween();
  tween.aim([mark("m1:rc", 0, 10), mark("m1:dc", 0, 200, "m1:rc")], 0, MOVING);
  tween.aim([mark("m1:dc", 0, 200, "m1:rc")], 0, MOVING);
  assert.equal(shown(tween, "m1:dc", 1).y, 200);
  assert.equal(tween.leaving.length, 1);
});

test("new goals every tenth of a second do not hold a mark back", () => {
  const tween = new Tween();
  tween.aim([mark("a", 0)], 0, MOVING);
  for (let i = 1; i <= 10; i += 1) {
    tween.at(i * 100);
    tween.aim([mark("a", 100 + i)], i * 100, MOVING);
  }
  assert.ok(shown(tween, "a", 1050).x > 100);
});

test("without motion things are where they belong at once", () => {
  const tween = new Tween();
  tween.aim([mark("a", 0)], 0, MOVING);
  tween.aim([mark("a", 100)], 0, { moves: false, instant: false });
  assert.equal(shown(tween, "a", 1).x, 100);
  tween.aim([mark("a", 50)], 10, { moves: false, instant: true });
  assert.equal(tween.at(11), false);
});

test("a goal that moves with every frame is followed, not waited for", () => {
  const tween = new Tween();
  tween.aim([mark("a", 0)], 0, MOVING);
  for (let frame = 1; frame <= 60; frame += 1) {
    tween.aim([mark("a", 100 + frame)], frame * 16, MOVING);
    tween.at(frame * 16);
  }
  assert.ok(tween.visuals.get("a").x > 150);
});

const lanes = (u0) => ({ lanes: [{ name: "q4", u0, u1: 400, head: u0 }], pills: [], term: null, fence: null });

/** Where the lane begins after so many frames, each of which brings a scene. */
function begins(frames, sceneAt) {
  let slide = new Slide(null, lanes(300), 0);
  let seen = slide.at(0);
  for (let frame = 1; frame <= frames; frame += 1) {
    slide = new Slide(seen, sceneAt(frame), frame * 16, slide);
    seen = slide.at(frame * 16);
  }
  return seen.lanes[0].u0;
}

test("borders reach their place although a scene comes with every frame", () => {
  assert.ok(begins(2, () => lanes(100)) > 250);
  assert.equal(begins(25, () => lanes(100)), 100);
  const drifting = begins(40, (frame) => lanes(100 - frame));
  assert.ok(drifting < 75, String(drifting));
});
