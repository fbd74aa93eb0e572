/** Small charts over virtual time: stacked lengths, memory with its lines, rates. Pure: samples to paths. What a transition sets holds until the next. */

import { ratesOf, WINDOW_US } from "../model/samples.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { RunEvent } from "../model/events.js"
 * @import { Sample } from "../model/samples.js"
 * @import { Box } from "./geometry.js"
 */

/** @typedef {{ alarm?: boolean, us: number, untilUs?: number } & Values} Timed something with a time */

/** Idle time of more than this is folded, but for a little beside what happened. */
const IDLE_US = 4_000_000;
const BESIDE_US = 500_000;
const MOST_FOLDS = 24;
/** @typedef {{ x: number, w: number }} Across from where on, and how wide */

/** Samples that are no further apart than this are as good as one line. */
const NEAR_US = 60_000;

/** How wide folded time is. */
export const FOLD_PX = 14;

/**
 * The span of time that the charts show: [from, to] in virtual microseconds, and what of it is folded.
 * @typedef {[from: number, to: number, folds?: [number, number][]]} Span
 * @param {Timed[]} samples
 * @param {number} nowUs
 * @param {[number, number][]} [folds]
 * @returns {Span}
 */
export function timeSpan(samples, nowUs, folds = []) {
  const from = samples.length ? samples[0].us : 0;
  const to = Math.max(nowUs, from + 4_000_000);
  return [from, to, folds];
}

/**
 * The idle times between stretches in which something happened and up to now, the longest ones: [[from, to], ...] in order.
 * @param {[number, number][]} busy
 * @param {number} nowUs
 * @returns {[number, number][]}
 */
export function idleTimes(busy, nowUs) {
  /** @type {[number, number][]} */
  const found = [];
  for (let at = 1; at < busy.length; at += 1) {
    const [from, to] = [busy[at - 1][1] + BESIDE_US, busy[at][0] - BESIDE_US];
    if (to - from > IDLE_US) found.push([from, to]);
  }
  const last = busy.at(-1);
  if (last && nowUs - last[1] - 2 * BESIDE_US > IDLE_US) found.push([last[1] + BESIDE_US, nowUs - BESIDE_US]);
  const longest = new Set([...found].sort((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, MOST_FOLDS));
  return found.filter((each) => longest.has(each));
}

/** An alarm that goes for less than this many pixels has not gone: it flaps. */
const FLAP_PX = 14;

/**
 * Where an alarm stands: [x0, x1] in pixels; one that flaps is one band.
 * @param {Timed[]} samples
 * @param {Span} span
 * @param {Across} area
 * @param {number} nowUs
 */
export function alarmBands(samples, span, area, nowUs) {
  const x = scaleX(span, area);
  /** @type {[number, number][]} */
  const bands = [];
  for (let at = 0; at < samples.length; at += 1) {
    if (!samples[at].alarm) continue;
    const [x0, x1] = [x(samples[at].us), x(samples[at + 1]?.us ?? nowUs)];
    const last = bands[bands.length - 1];
    if (last && x0 - last[1] < FLAP_PX) last[1] = x1;
    else bands.push([x0, x1]);
  }
  return bands;
}

const ALARMS = new Set(["memory", "disk"]);

/**
 * Events without the turns of an alarm that flaps: its first beginning and its last end stay.
 * @param {RunEvent[]} events
 * @param {Span} span
 * @param {Across} area
 */
export function withoutFlaps(events, span, area) {
  const x = scaleX(span, area);
  /** @type {RunEvent[]} */
  const kept = [];
  /** @type {RunEvent | null} */
  let over = null;
  for (const event of events) {
    if (ALARMS.has(event.type) && over && x(event.atUs) - x(over.atUs) < FLAP_PX) {
      kept.splice(kept.indexOf(over), 1);
      over = null;
      continue;
    }
    if (event.type === "calm") over = event;
    kept.push(event);
  }
  return kept;
}

/**
 * Ticks at round seconds, about every `pixels`, and none in folded time.
 * @param {Span} span
 * @param {number} width
 */
export function timeTicks([from, to, folds = []], width, pixels = 90) {
  const spanS = (to - from - total(folds)) / 1e6;
  const rough = (spanS * pixels) / Math.max(1, width - FOLD_PX * folds.length);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map((factor) => factor * unit).find((each) => each >= rough) ?? 10 * unit;
  /** @type {number[]} */
  const ticks = [];
  for (let second = Math.ceil(from / 1e6 / step) * step; second <= to / 1e6; second += step)
    if (!folds.some(([a, b]) => second * 1e6 > a && second * 1e6 < b)) ticks.push(second);
  return ticks;
}

/** @param {[number, number][]} folds */
function total(folds) {
  return folds.reduce((sum, [a, b]) => sum + b - a, 0);
}

/**
 * Area of each layer that has something, bottom first: [{name, points: [[x, low, high], ...]}] in pixels, and the most that was ready.
 * @param {Sample[]} samples
 * @param {readonly string[]} names
 * @param {Span} span
 * @param {Box} area
 * @param {number} nowUs
 */
export function stacked(samples, names, span, area, nowUs) {
  const top = Math.max(0, ...samples.map(({ highest }) => highest.ready));
  const x = scaleX(span, area);
  /** @param {number} value */
  const y = (value) => area.y + area.h - (value / Math.max(1, top)) * area.h;
  const layers = names
    .filter((name) => samples.some((sample) => sample[name] || sample.highest[name]))
    .map((name) => ({ name, points: /** @type {[number, number, number][]} */ ([]) }));
  /** @type {(numbers: Values, fromUs: number, toUs: number) => void} */
  const hold = (numbers, fromUs, toUs) => {
    if (fromUs === toUs && toUs < nowUs) return; // an area of no width
    const [x0, x1] = [x(fromUs), x(toUs)];
    let sum = 0;
    for (const { name, points } of layers) {
      const [low, high] = [y(sum), y((sum += numbers[name]))];
      points.push([x0, low, high], [x1, low, high]);
    }
  };
  samples.forEach((sample, at) => {
    hold(sample.highest, sample.us, sample.untilUs);
    hold(sample, sample.untilUs, samples[at + 1]?.us ?? nowUs);
  });
  return { layers, top };
}

/**
 * A line of steps as points in pixels: each value holds until the next. `top` is the value at the upper border, `most` what is read
 * while a sample lasts that stands for several moments.
 * @param {Timed[]} samples
 * @param {(sample: Timed) => number | null | undefined} read
 * @param {number} top
 * @param {Span} span
 * @param {Box} area
 * @param {number} nowUs
 */
export function steps(samples, read, top, span, area, nowUs, most = read) {
  const x = scaleX(span, area);
  /** @type {[x: number, y: number][]} */
  const points = [];
  /** @type {number | null} */
  let held = null;
  /** @type {(value: number | null | undefined, fromUs: number, toUs: number) => void} */
  const hold = (value, fromUs, toUs) => {
    if (value === null || value === undefined) return;
    const y = area.y + area.h - (Math.min(value, top) / top) * area.h;
    if (value === held) points[points.length - 1] = [x(toUs), y];
    else points.push([x(fromUs), y], [x(toUs), y]);
    held = value;
  };
  samples.forEach((sample, at) => {
    const { us, untilUs = us } = sample;
    hold(most(sample), us, untilUs);
    hold(read(sample), untilUs, samples[at + 1]?.us ?? nowUs);
  });
  return points;
}

/**
 * A line as points in pixels. `top` is the value at the upper border.
 * @param {Timed[]} samples
 * @param {(sample: Timed) => number | null | undefined} read
 * @param {number} top
 * @param {Span} span
 * @param {Box} area
 */
export function line(samples, read, top, span, area) {
  const x = scaleX(span, area);
  /** @type {[x: number, y: number][]} */
  const points = [];
  for (const sample of samples) {
    const value = read(sample);
    if (value !== null && value !== undefined)
      points.push([x(sample.us), area.y + area.h - (Math.min(value, top) / top) * area.h]);
  }
  return points;
}

/**
 * Rates from the running totals: [{us, arrivals, deliveries}], messages per second, wherever their lines bend.
 * @param {Sample[]} samples
 * @param {number} nowUs
 */
export function rates(samples, nowUs) {
  const moments = new Set([nowUs]);
  samples.forEach(({ us, sinceUs, untilUs }, at) => {
    for (const each of [us, untilUs]) moments.add(each);
    // A burst begins and leaves the window at once; between two samples that are near, a straight line says the same.
    if (sinceUs - (samples[at - 1]?.untilUs ?? sinceUs) > NEAR_US) moments.add(sinceUs - 1);
    if ((samples[at + 1]?.sinceUs ?? nowUs) - untilUs > NEAR_US) for (const each of [WINDOW_US - 1, WINDOW_US]) moments.add(untilUs + each);
  });
  const until = [...moments].filter((us) => us <= nowUs).sort((a, b) => a - b);
  const [arrivals, deliveries] = [ratesOf(samples, "arrived"), ratesOf(samples, "left")];
  return until.map((us) => ({ us, arrivals: arrivals(us), deliveries: deliveries(us) }));
}

/**
 * Virtual time to pixels; folded time is thin.
 * @param {Span} span
 * @param {Across} area
 * @returns {(us: number) => number}
 */
export function scaleX([from, to, folds = []], area) {
  const perUs = (area.w - FOLD_PX * folds.length) / (to - from - total(folds));
  return (us) => {
    let x = area.x + (us - from) * perUs;
    for (const [a, b] of folds) if (us > a) x += (FOLD_PX / (b - a) - perUs) * (Math.min(us, b) - a);
    return x;
  };
}

/**
 * The virtual time at a pixel: the way back of `scaleX`.
 * @param {Span} span
 * @param {Across} area
 * @param {number} pixel
 */
export function timeAt(span, area, pixel) {
  const x = scaleX(span, area);
  let [low, high] = span;
  for (let halving = 0; halving < 50; halving += 1) {
    const middle = (low + high) / 2;
    if (x(middle) < pixel) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
