/** Drawing of slots and bodies: what a cell or a block is stands in its colour and in its form. */
import { bytes, fill, gettext, number } from "../../../model/text.js";
import { cutToFit, write } from "../../../view/base/pen.js";
import { colors, faded, hatch } from "../../../view/base/colors.js";
import { toneColor } from "../../../view/files/paint.js";

/**
 * @import { Values } from "../../../model/catalogue/types.js"
 * @import { SegmentItem } from "../../../layout/segments.js"
 */

const NAME = () => ({ size: 12, weight: 500, family: colors.mono, color: colors.ink });
/** How small a live slot or body is drawn. */
const LEAST = 3;
const NOTE = () => ({ size: 12, family: colors.sans, color: colors.ink3 });

/**
 * One segment: its slots, and its bodies behind them.
 * @param {CanvasRenderingContext2D} pen
 * @param {SegmentItem} item
 */
export function paintOwn(pen, item) {
  const { grid, bar } = item;
  const middle = item.y + 11.5;
  write(pen, `${item.number}.qi`, 0, middle, item.bytes === null ? { ...NAME(), color: colors.ink3 } : NAME());
  const width = grid.columns * grid.cw - grid.gap;
  if (grid.gap) paintEmptySlots(pen, item);
  else {
    pen.fillStyle = faded(colors.ink3, 0.1);
    pen.fillRect(item.mapX, item.y, width, grid.rows * grid.ch);
  }
  for (const cell of item.cells) (grid.gap ? paintSlot : paintDot)(pen, cell);
  write(pen, item.live ? number(item.live) : "", item.mapX + width + 6, middle, NOTE());
  if (item.disk === null && !item.blocks.length) return;
  write(pen, `${item.number}.qs`, item.nameX, middle, item.disk === null ? { ...NAME(), color: colors.ink3 } : NAME());
  paintBodies(pen, item);
  write(pen, item.disk === null ? gettext("in RAM") : bytes(item.disk), bar.x + bar.w + 8, middle, NOTE());
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {SegmentItem} item
 */
function paintEmptySlots(pen, { grid, size, mapX, y }) {
  pen.strokeStyle = colors.line2;
  pen.lineWidth = 1;
  for (let i = 0; i < size; i += 1) pen.strokeRect(mapX + i * grid.cw + 0.5, y + 0.5, grid.cw - grid.gap - 1, grid.ch - grid.gap - 1);
}

/**
 * A slot with room for a form: half of it is in the write buffer alone, a zero was overwritten, a stroke was never written.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} cell
 */
function paintSlot(pen, cell) {
  const { x, y, w, h, tone, waits } = cell;
  if (tone === "acked" && !waits) {
    write(pen, "0", x + w / 2, y + h / 2 + 3.5, { size: 12, family: colors.mono, color: colors.ink3, align: "center" });
    return;
  }
  if (tone === "erased") {
    pen.fillStyle = colors.ink3;
    pen.fillRect(x + 2, y + h / 2 - 0.5, w - 4, 1);
    return;
  }
  if (tone === "unread") {
    pen.fillStyle = dotted();
    pen.fillRect(x, y, w, h);
    return;
  }
  pen.fillStyle = toneColor(tone);
  if (waits && tone !== "acked") {
    pen.fillRect(x, y + h * 0.55, w, h * 0.45);
    return;
  }
  pen.fillRect(x, y, w, h);
  if (tone === "acked") {
    // Still live in the file: its ack waits to be written.
    pen.strokeStyle = colors.ink;
    pen.beginPath();
    pen.moveTo(x + 2, y + h - 2);
    pen.lineTo(x + w - 2, y + 2);
    pen.stroke();
  }
  paintLetter(pen, cell);
}

/**
 * Betas and gammas have a form of their own, as on the stage.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} cell
 */
function paintLetter(pen, { x, y, w, h, tone }) {
  if (tone === "beta") {
    pen.fillStyle = hatch(null, faded(colors.card, 0.82), 3.6, 1.5);
    pen.fillRect(x, y, w, h);
  } else if (tone === "gamma") {
    pen.fillStyle = colors.card;
    pen.fillRect(x, y + h / 2 - 1.5, w, 3);
  }
}

/**
 * Slots of a large segment, too small for a form: what waits is pale, what is over hardly there.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} cell
 */
function paintDot(pen, { x, y, w, h, tone, waits }) {
  if (tone === "erased") return;
  pen.fillStyle = tone === "unread" ? dotted() : toneColor(tone);
  pen.globalAlpha = waits ? 0.45 : 1;
  // One live slot among thousands must be seen: what is over may stay small.
  const least = tone === "acked" || tone === "unread" ? 0 : LEAST;
  pen.fillRect(x - Math.max(0, least - w), y - Math.max(0, least - h), Math.max(least, w), Math.max(least, h));
  pen.globalAlpha = 1;
}

/** What nobody has read since a start. */
function dotted() {
  return hatch(faded(colors.delta, 0.12), faded(colors.delta, 0.75), 6, 1);
}

/**
 * The bodies of a segment: dead ones stay as garbage, holes are a line, what waits has a dashed border.
 * @param {CanvasRenderingContext2D} pen
 * @param {SegmentItem} item
 */
function paintBodies(pen, { bar, blocks, header }) {
  pen.fillStyle = faded(colors.ink3, 0.08);
  pen.fillRect(bar.x, bar.y, bar.w, bar.h);
  if (header) {
    pen.fillStyle = colors.ink2;
    pen.fillRect(bar.x, bar.y, Math.max(1.5, header), bar.h);
  }
  for (const block of blocks) paintBlock(pen, block, bar);
  if (!bar.written) return;
  pen.fillStyle = colors.ink;
  pen.fillRect(bar.x + bar.written, bar.y - 1, 1.5, bar.h + 2);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} block
 * @param {Values} bar
 */
function paintBlock(pen, { x, w, tone, waits, each }, { y, h }) {
  const width = Math.max(0.7, w - (w > 5 ? 1 : 0));
  if (tone === "hole") {
    pen.fillStyle = colors.card;
    pen.fillRect(x, y, width, h);
    pen.fillStyle = colors.ink3;
    pen.fillRect(x, y + h / 2 - 0.5, width, 1);
    return;
  }
  pen.fillStyle =
    tone === "garbage"
      ? hatch(faded(colors.ink3, 0.1), faded(colors.ink3, 0.75), 4, 1)
      : tone === "unread"
        ? dotted()
        : toneColor(tone);
  const least = tone === "garbage" || tone === "unread" ? 0 : LEAST;
  pen.globalAlpha = waits ? 0.35 : 1;
  pen.fillRect(x - Math.max(0, least - width), y, Math.max(least, width), h);
  pen.globalAlpha = 1;
  if (w > 4 && !waits) paintLetter(pen, { x, y, w: width, h, tone });
  if (each >= 5) {
    pen.fillStyle = faded(colors.card, 0.85);
    for (let at = x + each; at < x + w - 1; at += each) pen.fillRect(at - 0.5, y, 1, h);
  }
  if (!waits) return;
  pen.strokeStyle = colors.ink;
  pen.lineWidth = 1;
  pen.setLineDash([2, 2]);
  pen.strokeRect(x + 0.5, y + 0.5, Math.max(0.5, width - 1), h - 1);
  pen.setLineDash([]);
}

/**
 * Many segments in one line.
 * @param {CanvasRenderingContext2D} pen
 * @param {SegmentItem} item
 */
export function paintOwnFolded(pen, item) {
  const text = fill(gettext("%(n)s segments, %(from)s to %(to)s"), { n: number(item.folded), from: item.from, to: item.to });
  write(pen, cutToFit(pen, text, item.w), item.x, item.y + 12, NOTE());
}
