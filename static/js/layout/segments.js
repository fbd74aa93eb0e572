/** Segments of an index as maps of their entries: how large a cell is, which segments fit, where a cell is. */

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { Box } from "./geometry.js"
 */

/**
 * A segment of a scene, or a fold of many: then it has `folded`, `from` and `to`.
 * @typedef {Values & Box} SegmentItem
 */

/** Segments of so many entries have large cells, in one row. */
export const SMALL = 32;
/** Room between two segments. */
export const ITEM_GAP = 4;

/**
 * {columns, rows, cell width, cell height} of a segment's map in `room` pixels.
 * @param {number} size
 * @param {number} room
 */
export function gridOf(size, room, tight = false) {
  if (size <= SMALL) {
    const side = Math.max(4, Math.min(16, Math.floor(room / size)));
    return { columns: size, rows: 1, cw: side, ch: Math.min(15, Math.max(12, side)), gap: side > 6 ? 2 : 0 };
  }
  const columns = size > 4096 ? 512 : 128;
  return {
    columns,
    rows: Math.ceil(size / columns),
    cw: room / columns,
    ch: size > 4096 ? 0.75 : tight ? 1 : 1.5,
    gap: 0,
  };
}

/**
 * What fits: all of them, or both ends with the middle folded into one item or, around `open`, two (lists).
 * @param {number[]} numbers
 * @param {number} capacity
 * @param {number | null} open
 */
export function chosen(numbers, capacity, open) {
  if (numbers.length <= capacity) return numbers;
  const head = Math.max(1, Math.ceil((capacity - 1) / 2));
  const tail = Math.max(0, capacity - 1 - head);
  const first = numbers.slice(0, head);
  const folded = numbers.slice(head, numbers.length - tail);
  const last = numbers.slice(numbers.length - tail);
  const at = open === null ? -1 : folded.indexOf(open);
  if (open === null || at < 0 || capacity < 4) return [...first, folded, ...last];
  // Two more items take the places of the neighbours that are folded as well.
  const before = [...first.splice(Math.max(1, head - 1)), ...folded.slice(0, at)];
  const after = [...folded.slice(at + 1), ...last.splice(0, 1)];
  return [...first, ...(before.length ? [before] : []), open, ...(after.length ? [after] : []), ...last];
}

/**
 * A run of entries as rectangles: parts of rows, and whole rows together.
 * @param {SegmentItem} item
 * @param {number} relative
 * @param {number} count
 * @param {Values} look what the cells show
 */
export function pushCells(item, relative, count, look) {
  const { columns, cw, ch, gap } = item.grid;
  /**
   * @param {number} at
   * @param {number} length
   * @param {number} rows
   */
  const put = (at, length, rows) =>
    item.cells.push({
      x: item.mapX + (at % columns) * cw,
      y: item.y + Math.floor(at / columns) * ch,
      w: length * cw - gap,
      h: rows * ch - gap,
      ...look,
    });
  if (gap) {
    for (let i = 0; i < count; i += 1) put(relative + i, 1, 1);
    return;
  }
  let at = relative;
  const end = relative + count;
  while (at < end) {
    const inRow = columns - (at % columns);
    if (at % columns === 0 && end - at >= columns) {
      const rows = Math.floor((end - at) / columns);
      put(at, columns, rows);
      at += rows * columns;
    } else {
      const length = Math.min(inRow, end - at);
      put(at, length, 1);
      at += length;
    }
  }
}

/**
 * The seq_id whose cell is at a point of the scene, or null.
 * @param {{ items: SegmentItem[] }} scene
 * @param {number} x
 * @param {number} y
 */
export function entryAt(scene, x, y) {
  for (const item of scene.items) {
    if (item.folded) continue;
    const { columns, rows, cw, ch } = item.grid;
    const column = Math.floor((x - item.mapX) / cw);
    const row = Math.floor((y - item.y) / ch);
    const relative = row * columns + column;
    if (column >= 0 && column < columns && row >= 0 && row < rows && relative < item.size)
      return item.number * item.size + relative;
  }
  return null;
}

/**
 * The cell of an entry in an index scene, the line that folds its segment, or null.
 * @param {{ items: SegmentItem[] }} scene
 * @param {{ segment: number, relative: number }} given
 */
export function entrySpot(scene, { segment, relative }) {
  const fold = scene.items.find((each) => each.folded && segment >= each.from && segment <= each.to);
  if (fold) return { x: fold.x, y: fold.y, w: Math.min(fold.w, 120), h: fold.h - 4 };
  const item = scene.items.find((each) => each.number === segment);
  if (!item) return null;
  const { columns, cw, ch, gap } = item.grid;
  return {
    x: item.mapX + (relative % columns) * cw,
    y: item.y + Math.floor(relative / columns) * ch,
    w: Math.max(5, cw - gap),
    h: Math.max(5, ch - gap),
  };
}
