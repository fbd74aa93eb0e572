/** The queue index as a picture: the journal, and each segment as a map of its entries. */
import { cut, toneBySeq } from "../../../layout/tones.js";
import { ENTRY as N } from "../../../model/catalogue/rows.js";
import { ENTRIES, overlapping } from "../../../model/stretches.js";
import { acked } from "../model/fold-index.js";
import { entriesPerSegment } from "../model/fold-index.js";

/**
 * @import { Box } from "../../../layout/geometry.js"
 * @import { Tone } from "../../../layout/tones.js"
 * @import { Entry, IndexState, QueueState, State, Values } from "../../../model/catalogue/types.js"
 */

/** @typedef {ReturnType<typeof indexScene>} IndexScene */

/**
 * A segment of the scene, or a fold of many: then it has `folded`, `from` and `to`.
 * @typedef {Values & Box} IndexItem
 */

/** A name such as 12.idx in the small fixed type, and the room behind it. */
const NAME = 46;
const DIGIT = 6.4;
const COUNT = 44;
const SMALL_COUNT = 32;
const SMALL = 32;
const ITEM_GAP = 4;
const COLUMN_GAP = 18;

/**
 * {columns, rows, cell width, cell height} of a segment's map in `room` pixels.
 * @param {number} size
 * @param {number} room
 */
function gridOf(size, room, tight = false) {
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
 * The scene of the index: {journal, items, size, records}. Items are segments, or a fold of many; the segment `open`
 * is not folded.
 * @param {State} state
 * @param {QueueState | null} queue
 * @param {number} width
 * @param {number} height
 * @param {number | null} [open]
 */
export function indexScene(state, queue, width, height, open = null) {
  const size = entriesPerSegment(state.node.settings);
  /** @type {IndexState | undefined} */
  const index = queue?.own.index;
  /** @type {IndexItem[]} */
  const items = [];
  const scene = { size, items, journal: journalOf(index), records: 0, segments: 0 };
  if (!queue || !index) return scene;
  const numbers = segmentNumbers(index, size);
  scene.segments = numbers.length;
  const plan = gridPlan(size, width, height, numbers.length, numbers[numbers.length - 1] ?? 0);
  const tones = toneBySeq(queue);
  const files = new Map(index.segments);
  const shown = chosen(numbers, plan.capacity, open);
  shown.forEach((entry, at) => {
    const column = Math.floor(at / plan.perColumn);
    const spot = { x: column * (plan.itemWidth + COLUMN_GAP), y: (at % plan.perColumn) * plan.itemHeight };
    if (Array.isArray(entry))
      scene.items.push({
        folded: entry.length,
        from: entry[N.start],
        to: entry[entry.length - 1],
        ...spot,
        w: plan.itemWidth,
        h: plan.itemHeight,
      });
    else scene.items.push(segmentItem(entry, index, files, tones, size, plan, spot));
  });
  for (const [, count, code] of index.entries) if (!acked(code)) scene.records += count;
  return scene;
}

/** @param {IndexState | undefined} index */
function journalOf(index) {
  if (!index) return { exists: false, bytes: 0, buffered: 0, dirty: 0 };
  return {
    exists: index.journal_bytes !== null,
    bytes: index.journal_bytes || 0,
    buffered: index.buffered_bytes,
    dirty: index.dirty,
  };
}

/**
 * Segments that have a file or an entry.
 * @param {IndexState} index
 * @param {number} size
 */
function segmentNumbers(index, size) {
  const numbers = new Set(index.segments.map(([number]) => number));
  for (const [start, count] of index.entries) {
    for (
      let segment = Math.floor(start / size);
      segment <= Math.floor((start + count - 1) / size);
      segment += 1
    )
      numbers.add(segment);
  }
  return [...numbers].sort((a, b) => a - b);
}

/**
 * How many characters the name of a segment has.
 * @param {number} number
 */
const suffixed = (number) => String(number).length + ".idx".length;

/**
 * @param {number} size
 * @param {number} width
 * @param {number} height
 * @param {number} count
 * @param {number} last
 */
function gridPlan(size, width, height, count, last) {
  const counts = size <= SMALL ? SMALL_COUNT : COUNT;
  const name = Math.max(NAME, (suffixed(last) + 1) * DIGIT);
  const least = name + counts + (size <= SMALL ? size * 9 : 96);
  const columns = Math.max(
    1,
    Math.min(count > 4 ? 3 : 1, Math.floor((width + COLUMN_GAP) / (least + COLUMN_GAP))),
  );
  const itemWidth = (width - (columns - 1) * COLUMN_GAP) / columns;
  const grid = gridOf(size, Math.min(size <= SMALL ? 400 : 300, itemWidth - name - counts), count > 6);
  const itemHeight = Math.max(14, grid.rows * grid.ch) + ITEM_GAP;
  const perColumn = Math.max(1, Math.floor(height / itemHeight));
  return { columns, name, itemWidth, itemHeight, perColumn, grid, capacity: perColumn * columns };
}

/**
 * What fits: all of them, or both ends with the middle folded into one item or, around `open`, two (lists).
 * @param {number[]} numbers
 * @param {number} capacity
 * @param {number | null} open
 */
function chosen(numbers, capacity, open) {
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
 * @param {number} number
 * @param {IndexState} index
 * @param {Map<number, number>} files
 * @param {Tone[]} tones
 * @param {number} size
 * @param {ReturnType<typeof gridPlan>} plan
 * @param {{ x: number, y: number }} spot
 */
function segmentItem(number, index, files, tones, size, plan, spot) {
  const entries = overlapping(index.entries, number * size, size, ENTRIES);
  const item = {
    number,
    ...spot,
    w: plan.itemWidth,
    h: plan.itemHeight,
    mapX: spot.x + plan.name,
    grid: plan.grid,
    size,
    bytes: files.get(number) ?? null,
    live: 0,
    used: 0,
    /** @type {Values[]} */
    cells: [],
  };
  for (const [start, count, tone, journal] of entryTones(tones, entries)) {
    if (tone !== "acked") item.live += count;
    item.used += count;
    pushCells(item, start - number * size, count, tone, journal);
  }
  return item;
}

/**
 * A run of entries as rectangles: parts of rows, and whole rows together.
 * @param {IndexItem} item
 * @param {number} relative
 * @param {number} count
 * @param {string} tone
 * @param {boolean} journal
 */
function pushCells(item, relative, count, tone, journal) {
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
      tone,
      journal,
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
 * @param {ReturnType<typeof indexScene>} scene
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
 * Tones of index entries: [start, count, tone, inJournalOnly]. Entries that no lane lists are delta's.
 * @param {Tone[]} list
 * @param {Entry[]} entries
 */
function entryTones(list, entries) {
  /** @type {[start: number, count: number, tone: string, journal: boolean][]} */
  const found = [];
  for (const [start, count, code] of entries) {
    const journal = code >> 3 === 0;
    if (acked(code)) found.push([start, count, "acked", journal]);
    else
      for (const [from, length, tone] of cut(list, start, count, "delta"))
        found.push([from, length, tone, journal]);
  }
  return found;
}

/**
 * The cell of an entry in an index scene, the line that folds its segment, or null.
 * @param {IndexScene} scene
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
