/** Drawing of store files. */
import { bytes, fill, gettext, number } from "../../model/text.js";
import { write } from "../base/pen.js";
import { colors, faded, hatch } from "../base/colors.js";
import { paintDial } from "./dials.js";

/**
 * @import { Box } from "../../layout/geometry.js"
 * @import { Values } from "../../model/catalogue/types.js"
 */

/**
 * Colours of bytes: the state of their message, ink for unacked, greys for what is over or waits in the journal.
 * @param {string} tone
 */
export function toneColor(tone) {
  return (
    { unacked: colors.ink, acked: faded(colors.ink3, 0.32), other: faded(colors.ink3, 0.5) }[tone] ??
    colors[tone]
  );
}

/**
 * One store file: blocks, garbage, and the pen of the current one.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values & Box} file
 */
export function paintFile(pen, file) {
  const middle = file.y + file.h / 2 + 3.5;
  write(pen, `${file.number}.rdq`, 0, middle, {
    size: 12,
    weight: 500,
    family: colors.mono,
    color: colors.ink,
  });
  pen.fillStyle = faded(colors.ink3, 0.08);
  pen.fillRect(file.x, file.y, file.w, file.h);
  for (const block of file.blocks) {
    pen.fillStyle =
      block.tone === "garbage"
        ? hatch(faded(colors.ink3, 0.1), faded(colors.ink3, 0.75), 4, 1)
        : toneColor(block.tone);
    pen.fillRect(block.x, file.y, Math.max(0.7, block.w), file.h);
    if (block.tone === "beta" && block.w > 4) {
      pen.fillStyle = hatch(null, faded(colors.card, 0.82), 3.6, 1.5);
      pen.fillRect(block.x, file.y, block.w, file.h);
    } else if (block.tone === "gamma" && block.w > 4) {
      pen.fillStyle = colors.card;
      pen.fillRect(block.x, file.y + file.h / 2 - 1.2, block.w, 2.4);
    }
  }
  ruleRecords(pen, file);
  for (const block of file.blocks) if (block.refs > 1) paintReferences(pen, block, file);
  paintFileEnd(pen, file);
  const share = file.size ? `${Math.round((100 * file.valid) / file.size)}\u202f%` : "";
  const note = file.locked ? gettext("locked") : file.toCut ? gettext("to be cut") : file.current ? bytes(file.size) : share;
  if (file.waits) {
    paintDial(pen, file.x + file.w + 13, middle - 3.5, 4.5, { share: file.waited, waits: true });
    write(pen, file.left, file.x + file.w + 22, middle, { size: 12, family: colors.sans, color: colors.ink3 });
    return;
  }
  write(pen, note, file.x + file.w + 8, middle, {
    size: 12,
    weight: file.locked ? 650 : 450,
    family: colors.sans,
    color: file.locked ? colors["alarm-t"] : colors.ink3,
  });
}

/**
 * A body to which several queues refer: a line along its foot, and their number where there is room.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} given
 * @param {Values} given
 */
function paintReferences(pen, { x, w, refs }, { y, h }) {
  pen.fillStyle = colors.ink;
  pen.fillRect(x, y + h - 2, Math.max(1, w), 2);
  if (w < 20 || h < 12) return;
  const text = `\u00d7${refs}`;
  pen.fillStyle = colors.card;
  pen.fillRect(x + w / 2 - 9, y + h / 2 - 6, 18, 11);
  write(pen, text, x + w / 2, y + h / 2 + 3, { size: 12, weight: 650, family: colors.sans, color: colors.ink, align: "center" });
}

/**
 * Records of equal size: fine lines between them, as long as they can be distinguished.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values & Box} file
 */
function ruleRecords(pen, file) {
  if (file.record < 5) return;
  pen.fillStyle = faded(colors.card, 0.85);
  for (let x = file.x + file.record; x < file.x + file.used - 1; x += file.record)
    pen.fillRect(x - 0.5, file.y, 1, file.h);
}

/**
 * The pen at the end of the current file, and the part that is only in the write buffer.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values & Box} file
 */
function paintFileEnd(pen, file) {
  if (file.bufferedFrom !== undefined) {
    pen.strokeStyle = colors.ink;
    pen.setLineDash([2, 2]);
    pen.strokeRect(
      file.bufferedFrom + 0.5,
      file.y + 0.5,
      Math.max(1, file.x + file.used - file.bufferedFrom - 1),
      file.h - 1,
    );
    pen.setLineDash([]);
  }
  if (file.current) {
    pen.fillStyle = colors.ink;
    pen.fillRect(file.x + file.used, file.y - 1, 2, file.h + 2);
  }
  if (file.toCut) {
    const last = file.blocks.at(-1);
    pen.strokeStyle = colors.ink;
    pen.setLineDash([3, 2]);
    pen.strokeRect(last.x + 0.5, file.y + 0.5, Math.max(1, last.w - 1), file.h - 1);
    pen.setLineDash([]);
  }
  if (file.locked) {
    pen.strokeStyle = colors.alarm;
    pen.lineWidth = 1.5;
    pen.strokeRect(file.x - 1, file.y - 1, file.w + 2, file.h + 2);
    pen.lineWidth = 1;
  }
}

/**
 * Which files there were once, in words: "0\u20133.idx deleted".
 * @param {Values} gone
 * @param {string} suffix
 */
export function goneText(gone, suffix) {
  if (!gone.count) return "";
  const name = gone.count === 1 ? `${gone.first}.${suffix}` : `${gone.first}\u2013${gone.last}.${suffix}`;
  const whole = gone.count === gone.last - gone.first + 1;
  return whole
    ? fill(gettext("%(name)s deleted"), { name })
    : fill(gettext("%(n)s of %(name)s deleted"), { n: number(gone.count), name });
}
