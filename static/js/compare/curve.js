/** One curve of both runs over their common time, and where the clock is. */
import { line, scaleX, timeTicks } from "../layout/charts.js";
import { SMALL } from "../model/events.js";
import { bytes, number } from "../model/text.js";
import { fitCanvas, write } from "../view/base/canvas.js";
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
  delta: { read: (sample) => sample.counted, text: number },
  unacked: { read: (sample) => sample.pending, text: number },
};

const TONES = ["ink", "sel"];

/**
 * Paint the series of both runs, their events above (A) and below (B), and where they part.
 * @param {HTMLCanvasElement} canvas
 * @param {Lockstep} lockstep
 * @param {string} name of the series
 * @param {number | null} [partUs]
 */
export function paintCurve(canvas, lockstep, name, partUs = null) {
  const { pen, width, height } = fitCanvas(canvas);
  const { read, text } = SERIES[name];
  const area = { x: 8, y: 14, w: width - 16, h: height - 32 };
  /** @type {[number, number]} */
  const span = [0, lockstep.untilUs];
  const all = lockstep.runs.map((run) => run.timeline.samples);
  const top = Math.max(1, ...all.flatMap((samples) => samples.map(read)));
  const font = { size: 10.5, family: getComputedStyle(canvas).fontFamily, color: colors.ink3 };
  pen.strokeStyle = colors.line;
  for (const second of timeTicks(span, area.w)) {
    const x = scaleX(span, area)(second * 1e6);
    pen.beginPath();
    pen.moveTo(x, area.y);
    pen.lineTo(x, area.y + area.h);
    pen.stroke();
    write(pen, `${second} s`, x, height - 4, { ...font, align: "center" });
  }
  all.forEach((samples, side) => paintLine(pen, line(samples, read, top, span, area), side));
  lockstep.runs.forEach((run, side) => paintEvents(pen, run.timeline.events, span, area, side));
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
      size: 10,
      weight: 650,
      family: getComputedStyle(document.body).fontFamily,
      color: colors[tone],
      align: "center",
    });
    free = at + 14;
  }
}

/**
 * A is a solid line and B a dashed one, so that they differ without colour too.
 * @param {CanvasRenderingContext2D} pen
 * @param {[x: number, y: number][]} points
 * @param {number} side
 */
function paintLine(pen, points, side) {
  pen.beginPath();
  points.forEach(([x, y], at) => (at ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.setLineDash(side ? [6, 4] : []);
  pen.lineWidth = 2;
  pen.strokeStyle = colors[TONES[side]];
  pen.stroke();
  pen.setLineDash([]);
  pen.lineWidth = 1;
  const shown = points[Math.floor(points.length * (side ? 0.62 : 0.38))];
  if (shown)
    write(pen, "AB"[side], shown[0], shown[1] + (side ? 14 : -6), {
      size: 11,
      weight: 700,
      family: getComputedStyle(document.body).fontFamily,
      color: colors[TONES[side]],
      align: "center",
    });
}
