/** The panels have their turn a few in a frame; what changes between two turns reaches those that had theirs. */
import assert from "node:assert/strict";
import { test } from "node:test";

/** The frames that were asked for. */
const frames = [];
globalThis.requestAnimationFrame = (run) => frames.push(run);
const { Updates } = await import("../../static/js/view/page/updates.js");

const PANELS = 10;

/** A page with panels that each show one number of the run, and what each shows. */
function pageOf(run) {
  const shown = Array(PANELS).fill(null);
  const panels = Object.fromEntries(shown.map((_, at) => [at, { update: () => (shown[at] = run.number) }]));
  const still = { update: () => {}, announce: () => {} };
  const rooms = { stage: { view: still, twin: still }, files: still, panels };
  const time = { charts: still, bar: still, scrubber: still, moment: still };
  const watched = { listen: () => {}, unsynced: { any: false } };
  return { shown, panels, updates: new Updates({ session: watched, playhead: watched }, { ...rooms, time }) };
}

/** Draw one frame. */
function frame() {
  for (const run of frames.splice(0)) run(performance.now());
}

/** Draw frames until it is done: between two rounds the panels wait a little. */
async function settle(done) {
  for (const end = performance.now() + 10_000; !done() && performance.now() < end; ) {
    frame();
    await new Promise((wake) => {
      setTimeout(wake, 5);
    });
  }
}

test("a change in the middle of a round reaches every panel, though nothing changes after it", async () => {
  const run = { number: 1 };
  const { shown, updates } = pageOf(run);
  updates.begin();
  frame();
  assert.deepEqual(new Set(shown), new Set([1, null]), "a round takes several frames");
  run.number = 2;
  updates.begin();
  await settle(() => shown.every((each) => each === 2));
  assert.deepEqual(shown, Array(PANELS).fill(2));
  await settle(() => !frames.length);
  assert.deepEqual(frames, [], "and then the page rests");
});

test("a panel that fails does not keep the others from their turns", async () => {
  const run = { number: 1 };
  const { shown, panels, updates } = pageOf(run);
  panels[5].update = () => {
    throw new Error("broken");
  };
  updates.begin();
  assert.throws(frame, /broken/u);
  run.number = 2;
  await settle(() => shown[9] === 2);
  assert.equal(shown[9], 2);
});
