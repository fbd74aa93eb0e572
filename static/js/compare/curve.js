/** One curve of both runs over their common time, and where the clock is. */
import { line, scaleX, timeTicks } from "../layout/charts.js";
import { LANES } from "../model/messages.js";
import { bytes, number } from "../model/text.js";
import { fitCanvas, write } from "../view/base/canvas.js";
import { colors } from "../view/base/colors.js";


export const SERIES = {
  ready: { read: (sample) => LANES.reduce((sum, lane) => sum + sample[lane], 0), text: number },
  ram: { read: (sample) => sample.memory, text: bytes },
  delta: { read: (sample) => sample.delta, text: number },
  unacked: { read: (sample) => sample.pending, text: number },
};

const TONES = ["ink", "sel"];

/** Paint the series of both runs; `us` is the time that is looked at. */
export function paintCurve(canvas, lockstep, name) {
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
  write(pen, text(top), area.x, 10, font);
  const x = scaleX(span, area)(lockstep.us);
  pen.fillStyle = colors.ink;
  pen.fillRect(x - 0.75, area.y - 4, 1.5, area.h + 8);
}

/** A is drawn through, B dashed: they differ without their colour too. */
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
