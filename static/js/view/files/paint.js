/** Drawing of journal, segments and store files. */
import { bytes, fill, gettext, number } from "../../model/text.js";
import { cutToFit, write } from "../base/canvas.js";
import { colors, faded, hatch } from "../base/colors.js";

/**
 * @import { Box } from "../../layout/geometry.js"
 * @import { IndexItem } from "../../layout/index-map.js"
 * @import { Values } from "../../model/catalogue/types.js"
 */

/**
 * Colours of bytes: the state of their message, ink for unacked, greys for what is over or waits in the journal.
 * @param {string} tone
 */
function toneColor(tone) {
  return (
    { unacked: colors.ink, acked: faded(colors.ink3, 0.32), other: faded(colors.ink3, 0.5) }[tone] ??
    colors[tone]
  );
}

/**
 * Where the journal's bar is.
 * @param {number} width
 */
export function journalBox(width) {
  return { x: 78, y: 4.5, w: Math.max(40, Math.min(170, width - 268)), h: 10 };
}

/**
 * The journal: bytes on disk, bytes in its buffer, actions since it was emptied; its words end at `free`.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} width
 * @param {Values} journal
 */
export function paintJournal(pen, width, journal, free = width) {
  const name = { size: 10.5, weight: 500, family: colors.mono, color: colors.ink };
  write(pen, "journal.jif", 0, 13, name);
  const { x, w: room } = journalBox(width);
  const total = Math.max(1, journal.bytes + journal.buffered);
  pen.strokeStyle = colors.line2;
  pen.setLineDash(journal.exists ? [] : [2, 2]);
  pen.strokeRect(x + 0.5, 4.5, room - 1, 10);
  pen.setLineDash([]);
  const scale = (room - 2) / Math.max(total, 2048);
  pen.fillStyle = colors.ink3;
  pen.fillRect(x + 1, 5, journal.bytes * scale, 9);
  pen.fillStyle = hatch(pen, null, colors.ink3, 4, 1.2);
  pen.fillRect(x + 1 + journal.bytes * scale, 5, journal.buffered * scale, 9);
  const text =
    journal.exists || journal.dirty
      ? fill(gettext("%(dirty)s actions: %(bytes)s on disk, %(buffered)s in the buffer"), {
          dirty: number(journal.dirty),
          bytes: bytes(journal.bytes),
          buffered: bytes(journal.buffered),
        })
      : gettext("not there yet");
  const short = fill(gettext("%(dirty)s actions"), { dirty: number(journal.dirty) });
  pen.font = `450 10.5px ${colors.sans}`;
  const left = free - x - room - 8;
  write(pen, pen.measureText(text).width < left ? text : cutToFit(pen, short, left), x + room + 8, 13, { size: 10.5, family: colors.sans, color: colors.ink3 });
}

/**
 * One segment: its entries as cells.
 * @param {CanvasRenderingContext2D} pen
 * @param {IndexItem} item
 */
export function paintSegment(pen, item) {
  const { grid } = item;
  const middle = item.y + (grid.rows * grid.ch - grid.gap) / 2;
  write(pen, `${item.number}.idx`, item.x, middle + 3.5, {
    size: 10.5,
    weight: 500,
    family: colors.mono,
    color: item.bytes === null ? colors.ink3 : colors.ink,
  });
  const width = grid.columns * grid.cw - grid.gap;
  const height = grid.rows * grid.ch - (grid.gap || 0);
  if (grid.gap) paintEmptyCells(pen, item, grid);
  else {
    pen.fillStyle = faded(colors.ink3, 0.1);
    pen.fillRect(item.mapX, item.y, width, height);
  }
  for (const cell of item.cells) paintCell(pen, cell, Boolean(grid.gap));
  const text = item.live ? number(item.live) : item.bytes === null ? "" : gettext("acked");
  write(pen, text, item.mapX + width + 8, middle + 3.5, {
    size: 10.5,
    family: colors.sans,
    color: colors.ink3,
  });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {IndexItem} item
 * @param {Values} grid
 */
function paintEmptyCells(pen, item, grid) {
  pen.strokeStyle = colors.line2;
  pen.lineWidth = 1;
  for (let i = 0; i < item.size; i += 1)
    pen.strokeRect(
      item.mapX + i * grid.cw + 0.5,
      item.y + 0.5,
      grid.cw - grid.gap - 1,
      grid.ch - grid.gap - 1,
    );
}

/**
 * In the journal only: half a cell, as the segment file does not have it yet.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} cell
 * @param {boolean} large
 */
function paintCell(pen, cell, large) {
  pen.fillStyle = toneColor(cell.tone);
  if (cell.journal && large) {
    pen.fillRect(cell.x, cell.y + cell.h * 0.55, cell.w, cell.h * 0.45);
    return;
  }
  if (cell.journal) pen.globalAlpha = 0.45;
  pen.fillRect(cell.x, cell.y, cell.w, cell.h);
  pen.globalAlpha = 1;
  if (!large) return;
  if (cell.tone === "beta") pen.fillStyle = hatch(pen, null, faded(colors.card, 0.82), 3.6, 1.5);
  else if (cell.tone === "gamma") pen.fillStyle = colors.card;
  if (cell.tone === "beta") pen.fillRect(cell.x, cell.y, cell.w, cell.h);
  if (cell.tone === "gamma") pen.fillRect(cell.x, cell.y + cell.h / 2 - 1.5, cell.w, 3);
}

/**
 * Many segments in one line.
 * @param {CanvasRenderingContext2D} pen
 * @param {IndexItem} item
 */
export function paintFolded(pen, item) {
  const text = fill(gettext("%(n)s segments, %(from)s.idx to %(to)s.idx"), {
    n: number(item.folded),
    from: item.from,
    to: item.to,
  });
  pen.font = `450 10.5px ${colors.sans}`;
  const shown = pen.measureText(text).width <= item.w ? text : `${item.from} \u2026 ${item.to}.idx`;
  write(pen, cutToFit(pen, shown, item.w), item.x, item.y + 13, { size: 10.5, family: colors.sans, color: colors.ink3 });
}

/**
 * One store file: blocks, garbage, and the pen of the current one.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values & Box} file
 */
export function paintFile(pen, file) {
  const middle = file.y + file.h / 2 + 3.5;
  write(pen, `${file.number}.rdq`, 0, middle, {
    size: 10.5,
    weight: 500,
    family: colors.mono,
    color: colors.ink,
  });
  pen.fillStyle = faded(colors.ink3, 0.08);
  pen.fillRect(file.x, file.y, file.w, file.h);
  for (const block of file.blocks) {
    pen.fillStyle =
      block.tone === "garbage"
        ? hatch(pen, faded(colors.ink3, 0.1), faded(colors.ink3, 0.75), 4, 1)
        : toneColor(block.tone);
    pen.fillRect(block.x, file.y, Math.max(0.7, block.w), file.h);
    if (block.tone === "beta" && block.w > 4) {
      pen.fillStyle = hatch(pen, null, faded(colors.card, 0.82), 3.6, 1.5);
      pen.fillRect(block.x, file.y, block.w, file.h);
    } else if (block.tone === "gamma" && block.w > 4) {
      pen.fillStyle = colors.card;
      pen.fillRect(block.x, file.y + file.h / 2 - 1.2, block.w, 2.4);
    }
  }
  ruleRecords(pen, file);
  for (const block of file.blocks) if (block.refs > 1) paintReferences(pen, block, file);
  paintFileEnd(pen, file);
  const share = file.size ? `${Math.round((100 * file.valid) / file.size)}\u2009%` : "";
  const note = file.locked ? gettext("locked") : file.current ? bytes(file.size) : share;
  write(pen, note, file.x + file.w + 8, middle, {
    size: 10.5,
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
  write(pen, text, x + w / 2, y + h / 2 + 3, { size: 9.5, weight: 650, family: colors.sans, color: colors.ink, align: "center" });
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
  if (file.locked) {
    pen.strokeStyle = colors.alarm;
    pen.lineWidth = 1.5;
    pen.strokeRect(file.x - 1, file.y - 1, file.w + 2, file.h + 2);
    pen.lineWidth = 1;
  }
}
