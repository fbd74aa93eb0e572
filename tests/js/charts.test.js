/** The time line: an alarm that flaps is one band and one mark, and numbers stay short. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FOLD_PX, alarmBands, idleTimes, scaleX, stacked, steps, timeAt, timeSpan, timeTicks, withoutFlaps } from "../../static/js/layout/charts.js";
import { Activity } from "../../static/js/model/samples.js";
import { compact } from "../../static/js/model/text.js";

const SPAN = [0, 10_000_000];
const AREA = { x: 0, y: 0, w: 1000, h: 40 };
/** A sample every 50 ms; the alarm is on in the given spans of milliseconds. */
const samples = (...spans) =>
  Array.from({ length: 201 }, (_, at) => ({ us: at * 50_000, alarm: spans.some(([from, to]) => at * 50 >= from && at * 50 < to) }));

test("an alarm that comes and goes within a few pixels is one band", () => {
  const flapping = samples([1000, 1100], [1200, 1300], [1350, 1600]);
  assert.deepEqual(alarmBands(flapping, SPAN, AREA, 10e6), [[100, 160]]);
});

test("two alarms far apart are two bands", () => {
  assert.deepEqual(alarmBands(samples([1000, 1500], [4000, 4500]), SPAN, AREA, 10e6), [[100, 150], [400, 450]]);
  assert.deepEqual(alarmBands(samples(), SPAN, AREA, 10e6), []);
});

test("of a flapping alarm the first beginning and the last end are marked", () => {
  const at = (type, ms) => ({ type, atUs: ms * 1000 });
  const events = [at("memory", 1000), at("calm", 1050), at("memory", 1100), at("roll", 1120), at("calm", 1150), at("memory", 1200), at("calm", 1600)];
  assert.deepEqual(withoutFlaps(events, SPAN, AREA), [at("memory", 1000), at("roll", 1120), at("calm", 1600)]);
});

test("alarms that last keep all their marks", () => {
  const events = [1000, 2000, 3000, 4000].map((ms, at) => ({ type: at % 2 ? "calm" : "disk", atUs: ms * 1000 }));
  assert.deepEqual(withoutFlaps(events, SPAN, AREA), events);
});

test("numbers are read at a glance", () => {
  assert.deepEqual([0, 940, 9999, 10_000, 123_456, 12_345_678].map(compact), ["0", "940", "9\u202f999", "10\u202fk", "123\u202fk", "12.3\u202fM"]);
});

test("idle time between what happened is folded, and a pixel leads back to its time", () => {
  const busy = [[0, 1e6], [2e6, 3e6], [40e6, 41e6], [100e6, 101e6]];
  const folds = idleTimes(busy, 101e6);
  assert.deepEqual(folds, [[3.5e6, 39.5e6], [41.5e6, 99.5e6]]);
  assert.deepEqual(idleTimes(busy, 600e6), [...folds, [101.5e6, 599.5e6]], "and so is the idle time up to now");
  const span = [0, 101e6, folds];
  const x = scaleX(span, AREA);
  assert.equal(x(0), 0);
  assert.ok(Math.abs(x(101e6) - 1000) < 1e-6);
  assert.ok(Math.abs(x(39.5e6) - x(3.5e6) - FOLD_PX) < 1e-6);
  assert.ok(x(3e6) > 300, "what happened has the room");
  for (const us of [0, 2e6, 20e6, 41e6, 99.9e6, 101e6]) assert.ok(Math.abs(timeAt(span, AREA, x(us)) - us) < 10, us);
  assert.ok(timeTicks(span, 1000).every((second) => !folds.some(([a, b]) => second * 1e6 > a && second * 1e6 < b)));
  assert.deepEqual(timeSpan([{ us: 5 }], 10e6, folds), [5, 10e6, folds]);
});

test("what happened is kept as stretches, few however long the run", () => {
  const activity = new Activity();
  for (let at = 0; at < 1000; at += 1) activity.observe(at * 3e6);
  assert.ok(activity.list.length <= 200);
  assert.equal(activity.list[0][0], 0);
  assert.equal(activity.list.at(-1)[1], 999 * 3e6);
});

test("what a transition set holds until the next, and what several moments share has its highest", () => {
  const numbers = (ready) => ({ ready, alpha: ready });
  const of = (us, ready, most = ready, untilUs = us) => ({ us, untilUs, ...numbers(ready), highest: numbers(most) });
  const list = [of(0, 0), of(1e6, 12), of(4e6, 5, 50, 4.1e6)];
  const line = steps(list, (each) => each.ready, 50, SPAN, { ...AREA, h: 50 }, 10e6);
  assert.ok(line.some(([x, y]) => x === 400 && y === 38) && !line.some(([x, y]) => x < 400 && x > 100 && y !== 38), "12 until 4 s");
  assert.deepEqual(line.at(-1), [1000, 45], "5 until now");
  const { layers, top } = stacked(list, ["alpha"], SPAN, { ...AREA, h: 50 }, 10e6);
  assert.equal(top, 50);
  assert.deepEqual([layers[0].points.find(([x]) => x === 400), layers[0].points.at(-1)], [[400, 50, 38], [1000, 50, 45]]);
  assert.equal(stacked([of(0, 0)], ["alpha"], SPAN, AREA, 10e6).top, 0, "an empty queue has at most none");
});
