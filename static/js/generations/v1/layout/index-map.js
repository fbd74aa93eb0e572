/** The queue index as a picture: the journal, and each segment as a map of its entries. */
import { ITEM_GAP, SMALL, chosen, gridOf, pushCells } from "../../../layout/segments.js";
import { cut, toneBySeq } from "../../../layout/tones.js";
import { ENTRY as N } from "../../../model/catalogue/rows.js";
import { ENTRIES, overlapping } from "../../../model/stretches.js";
import { acked } from "../model/fold-index.js";
import { entriesPerSegment } from "../model/fold-index.js";

/**
 * @import { Box } from "../../../layout/geometry.js"
 * @import { Tone } from "../../../layout/tones.js"
 * @import { IndexEntry, IndexState, QueueSnapshot, RunSnapshot, Values } from "../../../model/catalogue/types.js"
 */

/** @typedef {ReturnType<typeof indexScene>} IndexScene */

/**
 * A segment of the scene, or a fold of many: then it has `folded`, `from` and `to`.
 * @typedef {Values & Box} IndexItem
 */

/** A name such as 12.idx in the small fixed type, and the room behind it. */
const NAME = 46;
const DIGIT = 7.3;
const COUNT = 44;
const SMALL_COUNT = 32;
const COLUMN_GAP = 18;

/**
 * The scene of the index: {journal, items, size, records}. Items are segments, or a fold of many; the segment `open`
 * is not folded.
 * @param {RunSnapshot} state
 * @param {QueueSnapshot | null} queue
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
    pushCells(item, start - number * size, count, { tone, journal });
  }
  return item;
}

/**
 * Tones of index entries: [start, count, tone, inJournalOnly]. Entries that no lane lists are delta's.
 * @param {Tone[]} list
 * @param {IndexEntry[]} entries
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
