/** The panels have their turn a few in a frame; what changes between two turns reaches those that had theirs. */
import assert from "node:assert/strict";
import { test } from "node:test";

/** The frames that were asked for. */
const frames = [];
globalThis.requestAnimationFrame = (run) => frames.push(run);
const { Updates } = await import("../../static/js/view/page/updates.js");
const { draw } = await import("../../static/js/view/base/scheduler.js");

const PANELS = 10;
/** The panels that say what the stage shows. */
const PANELS_BESIDE = ["status", "gauges", "queues", "follow", "why", "narrative", "clients", "routes"];

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

test("text and canvas change in one frame: after each frame all of them say the same moment", () => {
  const run = { number: 0 };
  const said = {};
  /** A canvas paints in the frame after its update; a text is written where its update is called. */
  const canvas = (name) => ({ update: () => draw(name, () => (said[name] = run.number) && false), another: () => {} });
  const text = (name) => ({ update: () => (said[name] = run.number), announce: () => {} });
  const rooms = {
    stage: { view: canvas("stage"), twin: { update: () => {} } },
    files: text("files"),
    panels: {
      ...Object.fromEntries(PANELS_BESIDE.map((name) => [name, text(name)])),
      ...pageOf(run).panels,
    },
    time: { charts: canvas("charts"), bar: text("clock"), scrubber: text("slider"), moment: text("moment"), until: text("until") },
  };
  const listeners = [];
  const heard = { listen: (listener) => listeners.push(listener), unsynced: { any: false } };
  const playhead = { behind: false, listen: () => {} };
  const updates = new Updates({ session: heard, playhead }, rooms);
  const happen = (number) => {
    run.number = number;
    listeners[0]({ kind: "frame", rows: 1 });
  };
  const names = ["stage", "charts", "files", ...PANELS_BESIDE, "clock", "slider", "moment", "until"];
  for (let number = 1; number < 40; number += 1) {
    happen(number);
    if (number % 3 === 0) happen((number += 1));
    frame();
    assert.deepEqual(said, Object.fromEntries(names.map((name) => [name, number])), `frame of ${number}`);
  }
  run.number = 50;
  updates.another();
  frame();
  for (const name of ["status", "gauges", "queues", "why", "narrative", "clients", "charts"])
    assert.equal(said[name], 50, `${name} of another queue`);
  playhead.behind = true;
  const { stage } = said;
  happen(60);
  frame();
  assert.deepEqual([said.stage, said.narrative, said.clients], [stage, 60, 60], "what came later is listed beside the moment that is shown");
});
