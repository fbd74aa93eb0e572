/** One curve of all runs over their common time, and where the clock is. */
import { scaleX, steps, timeTicks } from "../layout/charts.js";
import { SMALL } from "../model/events.js";
import { bytes, number } from "../model/text.js";
import { fitCanvas } from "../view/base/canvas.js";
import { write } from "../view/base/pen.js";
import { colors } from "../view/base/colors.js";
import { SIGNS } from "../view/time/event-signs.js";

/**
 * @import { Timed } from "../layout/charts.js"
 * @import { Box } from "../layout/geometry.js"
 * @import { RunEvent } from "../model/events.js"
 * @import { Lockstep } from "./lockstep.js"
 */

/** @typedef {{ read: (sample: Timed) => number, text: (value: number) => string }} Series what is read of each sample, and how its largest value is written */

/** @type {Record<string, Series>} by the names of the page's choice */
export const SERIES = {
  ready: { read: (sample) => sample.ready, text: number },
  ram: { read: (sample) => sample.memory, text: bytes },
  counted: { read: (sample) => sample.counted, text: number },
  unacked: { read: (sample) => sample.pending, text: number },
};
/** What the engine counted at as many moments, by the names of the page's choice, is drawn as it is. */
const COUNTED = { read: (/** @type {Timed} */ sample) => sample.value, text: number };

const TONES = ["ink", "sel", "beta-t", "alpha-t"];
const DASHES = [[], [6, 4], [2, 3], [10, 3, 2, 3]];

/**
 * Paint the series of all runs, the events of A above and of the last one below, and where the first one leaves A.
 * @param {HTMLCanvasElement} canvas
 * @param {Lockstep} lockstep
 * @param {string} series
 * @param {{ curves: Record<string, number[]> }[]} sides
 * @param {string[]} names of the sides
 * @param {number | null} [partUs]
 */
export function paintCurve(canvas, lockstep, series, sides, names, partUs = null) {
  const { pen, width, height } = fitCanvas(canvas);
  const { read, text } = SERIES[series] ?? COUNTED;
  const area = { x: 8, y: 14, w: width - 16, h: height - 32 };
  /** @type {[number, number]} */
  const span = [0, lockstep.untilUs];
  const all =
    series in SERIES
      ? lockstep.runs.map((run) => run.timeline.samples)
      : sides.map(({ curves }) => curves[series].map((value, at, { length }) => ({ us: (at / (length - 1)) * lockstep.untilUs, value })));
  const top = Math.max(1, ...all.flatMap((samples) => samples.map(read)));
  const font = { size: 12, family: getComputedStyle(canvas).fontFamily, color: colors.ink3 };
  pen.strokeStyle = colors.line;
  for (const second of timeTicks(span, area.w)) {
    const x = scaleX(span, area)(second * 1e6);
    pen.beginPath();
    pen.moveTo(x, area.y);
    pen.lineTo(x, area.y + area.h);
    pen.stroke();
    write(pen, `${second} s`, x, height - 4, { ...font, align: "center" });
  }
  all.forEach((samples, side) => paintLine(pen, steps(samples, read, top, span, area, lockstep.untilUs), side, names[side]));
  for (const side of [0, lockstep.runs.length - 1])
    paintEvents(pen, lockstep.runs[side].timeline.events, span, area, side);
  if (partUs !== null) {
    const at = scaleX(span, area)(partUs);
    pen.fillStyle = colors["alarm-t"];
    for (let y = area.y - 4; y < area.y + area.h + 4; y += 5) pen.fillRect(at - 0.5, y, 1, 3);
    write(pen, "\u2260", at, 10, { ...font, color: colors["alarm-t"], align: "center" });
  }
  write(pen, text(top), area.x, 10, font);
  const x = scaleX(span, area)(lockstep.us);
  pen.fillStyle = colors.ink;
  pen.fillRect(x - 0.75, area.y - 4, 1.5, area.h + 8);
}

/**
 * The events of one run: A's signs stand above the curve, B's below.
 * @param {CanvasRenderingContext2D} pen
 * @param {RunEvent[]} events
 * @param {[from: number, to: number]} span
 * @param {Box} area
 * @param {number} side
 */
function paintEvents(pen, events, span, area, side) {
  const x = scaleX(span, area);
  let free = area.x + 40;
  for (const event of events) {
    const at = x(event.atUs);
    if (SMALL.has(event.type) || at < free) continue;
    const [sign, tone] = SIGNS[event.type];
    write(pen, sign, at, side ? area.y + area.h - 2 : area.y + 8, {
      size: 12,
      weight: 650,
      family: getComputedStyle(document.body).fontFamily,
      color: colors[tone],
      align: "center",
    });
    free = at + 14;
  }
}

/**
 * A is a solid line and the others are dashed, each in its own way, so that they differ without colour too.
 * @param {CanvasRenderingContext2D} pen
 * @param {[x: number, y: number][]} points
 * @param {number} side
 * @param {string} name of the side
 */
function paintLine(pen, points, side, name) {
  pen.beginPath();
  points.forEach(([x, y], at) => (at ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.setLineDash(DASHES[side]);
  pen.lineWidth = 2;
  pen.strokeStyle = colors[TONES[side]];
  pen.stroke();
  pen.setLineDash([]);
  pen.lineWidth = 1;
  // Each name has a part of the width of its own, and stands where its line is there.
  const [first, last] = [points[0], points[points.length - 1]];
  const x = first ? first[0] + (last[0] - first[0]) * (0.24 + 0.17 * side) : 0;
  const shown = points.findLast((point) => point[0] <= x);
  if (shown)
    write(pen, name, x, shown[1] - 6, {
      size: 12,
      weight: 700,
      family: getComputedStyle(document.body).fontFamily,
      color: colors[TONES[side]],
      align: "center",
    });
}
