/** Drawing of the marks: colour only repeats what place, pattern, bar and outline show already. */
import { colors, faded, hatch } from "../base/colors.js";

/**
 * @import { Box } from "../../layout/geometry.js"
 * @import { Mark } from "../../layout/glyphs.js"
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Visual } from "./tween.js"
 */

/**
 * Draw one visual of the tween.
 * @param {CanvasRenderingContext2D} pen
 * @param {Visual} visual
 * @param {boolean} turned
 */
export function paintMark(pen, visual, turned) {
  const { mark } = visual;
  if (visual.alpha <= 0.01 || visual.w <= 0 || visual.h <= 0) return;
  pen.globalAlpha = Math.min(1, visual.alpha) * (mark.strength ?? 1);
  if (visual.ghost) paintGhost(pen, visual.ghost, mark.tone, 1 - (visual.progress ?? 0));
  if (mark.shape === "thread") paintThread(pen, visual);
  else if (visual.gone && mark.detailed) paintGhost(pen, visual, mark.tone, visual.alpha);
  else if (mark.shape === "bar" || !mark.detailed) paintBar(pen, visual);
  else paintShape(pen, visual, turned);
  pen.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Visual} visual
 */
function paintThread(pen, visual) {
  pen.fillStyle = faded(colors.ink3, 0.55);
  pen.fillRect(visual.x, visual.y, visual.w, visual.h);
}

/**
 * Where a content was: a dashed outline that fades.
 * @param {CanvasRenderingContext2D} pen
 * @param {Box} box
 * @param {string} tone
 * @param {number} alpha
 */
function paintGhost(pen, box, tone, alpha) {
  const before = pen.globalAlpha;
  pen.globalAlpha = Math.max(0, alpha);
  pen.strokeStyle = colors[`${tone}-o`] ?? colors.ink3;
  pen.lineWidth = 1.2;
  pen.setLineDash([2.5, 2.5]);
  pen.strokeRect(box.x + 0.6, box.y + 0.6, Math.max(0, box.w - 1.2), Math.max(0, box.h - 1.2));
  pen.setLineDash([]);
  pen.globalAlpha = before;
}

/**
 * Narrow: colour and place only; the pill or the count beside it is the information.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} given
 */
function paintBar(pen, { mark, x, y, w, h }) {
  const color = colors[mark.tone];
  pen.fillStyle = mark.fill === "pale" || mark.fill === "dashed" ? faded(color, 0.3) : color;
  pen.fillRect(x, y, w, h);
  if (mark.fill === "split" && w >= 2.5) paintBarAcross(pen, x, y, w, h, h < w);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} given
 * @param {boolean} turned
 */
function paintShape(pen, { mark, x, y, w, h }, turned) {
  const color = colors[mark.tone];
  const outline = colors[`${mark.tone}-o`];
  trace(pen, mark.shape, x, y, w, h, turned);
  pen.fillStyle = fillOf(pen, mark, color);
  pen.fill();
  pen.strokeStyle = mark.fill === "pale" ? faded(outline, 0.75) : outline;
  pen.lineWidth = mark.fill === "outline" ? 1.5 : 1;
  if (mark.unsynced) pen.setLineDash([2.4, 2.2]);
  pen.stroke();
  pen.setLineDash([]);
  if (mark.fill === "split") paintBarAcross(pen, x, y, w, h, turned);
  if (mark.shape === "inset") paintInset(pen, mark, x, y, w, h);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Mark} mark
 * @param {string} color
 */
function fillOf(pen, mark, color) {
  if (mark.fill === "hatch") return hatch(pen, color, faded(colors.card, 0.82), 3.6, 1.5);
  if (mark.fill === "outline") return faded(color, 0.22);
  if (mark.fill === "pale") return faded(color, 0.2);
  if (mark.fill === "dashed") return faded(color, 0.06);
  if (mark.unsynced) return faded(color, 0.5);
  return color;
}

/**
 * The path of a block, or of an arrow-ended tag that points to the consumer.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} shape
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {boolean} turned
 */
function trace(pen, shape, x, y, w, h, turned) {
  pen.beginPath();
  if (shape === "block") {
    pen.roundRect(x + 0.5, y + 0.5, Math.max(0, w - 1), Math.max(0, h - 1), Math.min(2, w / 4));
    return;
  }
  const left = x + 0.5;
  const top = y + 0.5;
  const right = x + w - 0.5;
  const bottom = y + h - 0.5;
  if (turned) {
    const tip = Math.min(3, h * 0.3);
    pen.moveTo(left, top);
    pen.lineTo(right, top);
    pen.lineTo(right, bottom - tip);
    pen.lineTo((left + right) / 2, bottom);
    pen.lineTo(left, bottom - tip);
  } else {
    const tip = Math.min(4, w * 0.32);
    pen.moveTo(left, top);
    pen.lineTo(right - tip, top);
    pen.lineTo(right, (top + bottom) / 2);
    pen.lineTo(right - tip, bottom);
    pen.lineTo(left, bottom);
  }
  pen.closePath();
}

/**
 * Gamma: its block is split by a bar.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {boolean} turned
 */
function paintBarAcross(pen, x, y, w, h, turned) {
  pen.fillStyle = colors.card;
  if (turned) pen.fillRect(x + w / 2 - 2, y, 4, h);
  else pen.fillRect(x, y + h / 2 - 2, w, 4);
}

/**
 * Embedded: the content is a square inside the disk tag.
 * @param {CanvasRenderingContext2D} pen
 * @param {Mark} mark
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 */
function paintInset(pen, mark, x, y, w, h) {
  const side = Math.max(2.5, Math.min(w, h) * 0.42);
  pen.fillStyle = mark.fill === "solid" ? colors.card : colors[`${mark.tone}-o`];
  pen.fillRect(x + w / 2 - side / 2 - 0.5, y + h / 2 - side / 2, side, side);
}
