/** The time line: an alarm that flaps is one band and one mark, and numbers stay short. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alarmBands, withoutFlaps } from "../../static/js/layout/charts.js";
import { compact } from "../../static/js/model/text.js";

const SPAN = [0, 10_000_000];
const AREA = { x: 0, y: 0, w: 1000, h: 40 };
/** A sample every 50 ms; the alarm is on in the given spans of milliseconds. */
const samples = (...spans) =>
  Array.from({ length: 201 }, (_, at) => ({ us: at * 50_000, alarm: spans.some(([from, to]) => at * 50 >= from && at * 50 < to) }));

test("an alarm that comes and goes within a few pixels is one band", () => {
  const flapping = samples([1000, 1100], [1200, 1300], [1350, 1600]);
  assert.deepEqual(alarmBands(flapping, SPAN, AREA), [[100, 160]]);
});

test("two alarms far apart are two bands", () => {
  assert.deepEqual(alarmBands(samples([1000, 1500], [4000, 4500]), SPAN, AREA), [[100, 150], [400, 450]]);
  assert.deepEqual(alarmBands(samples(), SPAN, AREA), []);
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
  assert.deepEqual([0, 940, 9999, 10_000, 123_456, 12_345_678].map(compact), ["0", "940", "9\u2009999", "10\u2009k", "123\u2009k", "12.3\u2009M"]);
});
