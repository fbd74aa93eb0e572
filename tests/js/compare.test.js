import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, figureLines } from "../../static/js/compare/figures.js";
import { Lockstep, runOf } from "../../static/js/compare/lockstep.js";
import { paged, published, stateOf } from "./feed.js";

function reel(...frames) {
  let next = 0;
  const messages = [{ t: "snapshot", next: 0, at_us: 0, state: stateOf(), digest: "", why: "join", skipped: {} }];
  for (const [us, rows] of frames) {
    messages.push({ t: "frame", first: next, rows, at_us: rows.map(() => us), now_us: us });
    next += rows.length;
  }
  return runOf(messages);
}

const lockstep = () =>
  new Lockstep(
    [
      reel([1e6, published(0, 40)], [2e6, paged(0, 40, 10)], [4e6, []]),
      reel([1e6, published(0, 40)], [4e6, []]),
    ],
    4e6,
  );

test("both runs are looked at at the same time", () => {
  const both = lockstep();
  both.go(1_500_000);
  assert.deepEqual(
    both.runs.map((run) => run.nowUs),
    [1_500_000, 1_500_000],
  );
  both.go(99e6);
  assert.equal(both.us, 4e6);
});

test("events of either run are stopped at", () => {
  const both = lockstep();
  both.go(0);
  both.event(1);
  assert.equal(both.us, 2e6);
  both.event(1);
  assert.equal(both.us, 4e6);
  both.event(-1);
  assert.equal(both.us, 2e6);
});

test("playing follows the clock of the screen, ends at the end and begins anew", () => {
  const both = lockstep();
  both.speed = 10;
  both.toggle();
  both.tick(0);
  assert.ok(both.tick(200));
  assert.equal(both.us, 2e6);
  assert.equal(both.tick(400), false);
  assert.equal(both.us, 4e6);
  both.toggle();
  assert.equal(both.us, 0);
});

test("figures: what differs first, as a ratio where it is large", () => {
  const labels = [
    { name: "reads", label: "disk reads", kind: "count", always: true },
    { name: "ram", label: "peak memory", kind: "bytes", better: "lower", always: true },
    { name: "gone", label: "gone", kind: "count", always: false },
  ];
  const lines = figureLines(labels, [{ reads: 8, ram: 2048, gone: 1 }, { reads: 8, ram: 1024, gone: 1 }]);
  assert.deepEqual(
    lines.map((line) => [line.label, line.change, line.verdict]),
    [
      ["peak memory", "0.5 times", "better"],
      ["disk reads", "alike", ""],
    ],
  );
});

test("figures: less has a minus sign in every unit, and what a release has not is a dash", () => {
  const labels = ["seconds", "bytes", "share", "count"].map((kind) => ({ name: kind, label: kind, kind, always: true }));
  const [a, b] = [6, 4].map((value) => ({ seconds: value, bytes: 1024 * value, share: value / 10, count: value }));
  for (const { change } of figureLines(labels, [a, b])) assert.match(change, /^\u2212/);
  for (const { change } of figureLines(labels, [b, a])) assert.match(change, /^\+/);
  const gone = { ...b, seconds: null };
  assert.equal(figureLines(labels, [a, gone]).find(({ label }) => label === "seconds").values[1], "\u2013");
});

test("the answer: first what differs by a tenth or more, each value once with the runs that have it", () => {
  const labels = ["written", "peak", "lost"].map((name) => ({ name, label: name, kind: "count", always: true }));
  const names = ["3.8.9", "3.10.8", "4.3.6"];
  const answer = (...sides) => answerOf(figureLines(labels, sides), names);
  const a = { written: 304, peak: 449, lost: 0 };
  assert.equal(answer(a, a, a), "No figure differs in the end.");
  assert.equal(answer(a, a, { ...a, lost: 24 }), "Lost: 0 (3.8.9, 3.10.8), 24 (4.3.6)");
  assert.equal(answer(a, { ...a, written: 307 }), "Written: 304 (3.8.9), 307 (3.10.8)");
  assert.match(answer(a, { written: 307, peak: 177, lost: 1 }), /^Peak: 449 .* \u00b7 lost: 0/);
});
