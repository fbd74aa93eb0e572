/** Drawing of journal and segments. */
import { bytes, fill, gettext, number } from "../../../model/text.js";
import { cutToFit, write } from "../../../view/base/pen.js";
import { colors, faded, hatch } from "../../../view/base/colors.js";
import { toneColor } from "../../../view/files/paint.js";

/**
 * @import { Values } from "../../../model/catalogue/types.js"
 * @import { IndexItem } from "../layout/index-map.js"
 */

/**
 * Where the journal's bar is.
 * @param {number} width
 */
export function journalBox(width) {
  return { x: 86, y: 4.5, w: Math.max(40, Math.min(170, width - 276)), h: 10 };
}

/**
 * The journal: bytes on disk, bytes in its buffer, actions since it was emptied; its words end at `free`.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} width
 * @param {Values} journal
 */
export function paintJournal(pen, width, journal, free = width) {
  const name = { size: 12, weight: 500, family: colors.mono, color: colors.ink };
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
  pen.fillStyle = hatch(null, colors.ink3, 4, 1.2);
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
  pen.font = `450 12px ${colors.sans}`;
  const left = free - x - room - 8;
  write(pen, pen.measureText(text).width < left ? text : cutToFit(pen, short, left), x + room + 8, 13, { size: 12, family: colors.sans, color: colors.ink3 });
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
    size: 12,
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
    size: 12,
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
  if (cell.tone === "beta") pen.fillStyle = hatch(null, faded(colors.card, 0.82), 3.6, 1.5);
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
  pen.font = `450 12px ${colors.sans}`;
  const shown = pen.measureText(text).width <= item.w ? text : `${item.from} \u2026 ${item.to}.idx`;
  write(pen, cutToFit(pen, shown, item.w), item.x, item.y + 13, { size: 12, family: colors.sans, color: colors.ink3 });
}
