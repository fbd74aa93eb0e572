/** The files of a queue of version 2 as a picture: each segment a line, with the slots of its `.qi` and the bodies of its `.qs`. */
import { ITEM_GAP, SMALL, chosen, entryAt, entrySpot, gridOf, pushCells } from "../../../layout/segments.js";
import { binned } from "../../../layout/store-map.js";
import { cut, toneBySeq } from "../../../layout/tones.js";
import { RANGES, holding, overlapping, remove, total } from "../../../model/stretches.js";
import { ACKED, BODIES, BODY as B, ERASED, HEADER_BYTES, HOLE, LIVE, SLOT as S, SLOTS, SLOT_BYTES, WAITING, bodiesEnd, bodyAt } from "../model/file-rows.js";

/**
 * @import { Box } from "../../../layout/geometry.js"
 * @import { Tone } from "../../../layout/tones.js"
 * @import { SegmentItem } from "../../../layout/segments.js"
 * @import { FilesState, QueueSnapshot, Range, Values } from "../../../model/catalogue/types.js"
 * @import { BodyRow } from "../model/file-rows.js"
 */

/** @typedef {{ x: number, w: number, tone: string, waits?: boolean, each?: number }} Block `each` is the width of one body */

/** @typedef {ReturnType<typeof ownScene>} OwnScene */

/** A name such as 12.qi in the small fixed type, and the room behind it. */
const NAME = 40;
const DIGIT = 7.3;
/** Room for the number of live slots, and for what stands behind a bar. */
const COUNT = 32;
const BYTES = 62;
const MAP_WIDTH = 300;
const SMALL_MAP = 260;
const BAR_HEIGHT = 15;
const MAX_BLOCKS = 220;

/**
 * The scene: {size, items, live, used, dead, holes, bytes, scale}; a bar of `.qs` is `scale` bytes long. The segment `open` is not
 * folded.
 * @param {QueueSnapshot | null} queue
 * @param {number} size of a segment, in messages
 * @param {number} width
 * @param {number} height
 * @param {number | null} [open]
 */
export function ownScene(queue, size, width, height, open = null) {
  /** @type {FilesState | undefined} */
  const files = queue?.own.files;
  /** @type {SegmentItem[]} */
  const items = [];
  const scene = { size, items, segments: 0, live: 0, unread: 0, unreadBytes: 0, dead: 0, holes: 0, bytes: 0, scale: 1 };
  if (!queue || !files) return scene;
  const numbers = [...new Set([...files.segments, ...files.bodies].map(([number]) => number))].sort((a, b) => a - b);
  scene.segments = numbers.length;
  scene.live = files.segments.reduce((sum, [, , live]) => sum + live, 0);
  scene.bytes = files.bodies.reduce((sum, [, bytes]) => sum + bytes, 0);
  const plan = planOf(size, width, numbers.at(-1) ?? 0);
  const capacity = Math.max(1, Math.floor(height / plan.itemHeight));
  const tones = toneBySeq(queue);
  const segments = numbers.map((number) => segmentOf(files, number, size, tones));
  for (const each of segments) {
    scene.scale = Math.max(scene.scale, each.end);
    scene.unread += each.unread;
    scene.unreadBytes += each.blocks.reduce((sum, [from, to, { tone }]) => sum + (tone === "unread" ? to - from : 0), 0);
    scene.dead += each.dead;
    scene.holes += each.holes;
  }
  chosen(numbers, capacity, open).forEach((entry, at) => {
    const y = at * plan.itemHeight;
    if (Array.isArray(entry)) {
      items.push({ folded: entry.length, from: entry[0], to: entry.at(-1) ?? 0, x: 0, y, w: width, h: plan.itemHeight });
      return;
    }
    items.push(itemOf(segments[numbers.indexOf(entry)], plan, y, scene.scale));
  });
  return scene;
}

/**
 * @param {number} size
 * @param {number} width
 * @param {number} last number of the last segment
 */
function planOf(size, width, last) {
  const name = Math.max(NAME, (String(last).length + ".qi".length + 1) * DIGIT);
  const least = 2 * name + COUNT + BYTES;
  const share = Math.max(40, (width - least) * 0.5);
  const grid = gridOf(size, Math.min(size <= SMALL ? SMALL_MAP : MAP_WIDTH, share), true);
  const map = grid.columns * grid.cw;
  const itemHeight = Math.max(BAR_HEIGHT, grid.rows * grid.ch) + ITEM_GAP;
  const barX = name + map + COUNT + name;
  return { width, name, grid, map, itemHeight, bar: { x: barX, w: Math.max(20, width - barX - BYTES) } };
}

/**
 * What a segment's files have: slots as [start, count, look], bodies as [from, to, look], and their counts.
 * @param {FilesState} files
 * @param {number} number
 * @param {number} size
 * @param {Tone[]} tones
 */
function segmentOf(files, number, size, tones) {
  const first = number * size;
  const row = files.segments.find(([each]) => each === number);
  const body = files.bodies.find(([each]) => each === number);
  const slots = slotsOf(files, first, size, tones);
  const known = slots.reduce((sum, [, count, { there }]) => sum + (there ? count : 0), 0);
  const unread = Math.max(0, (row?.[2] ?? 0) - known);
  if (unread) slots.push(...unreadSlots(slots, first, Math.min(size, slotsIn(row?.[1] ?? 0))));
  const bodies = bodiesOf(files, first, size, tones, body?.[1] ?? 0);
  return { number, first, size, slots, unread, ...bodies, live: row?.[2] ?? 0, bytes: row?.[1] ?? null, disk: body?.[1] ?? null };
}

/**
 * How many slots a file of so many bytes reaches over.
 * @param {number} bytes
 */
const slotsIn = (bytes) => Math.max(0, Math.floor((bytes - HEADER_BYTES) / SLOT_BYTES));

/**
 * @param {FilesState} files
 * @param {number} first
 * @param {number} size
 * @param {Tone[]} tones
 */
function slotsOf(files, first, size, tones) {
  /** @type {[start: number, count: number, look: { tone: string, there: boolean, waits: boolean }][]} */
  const found = [];
  for (const [start, count, code] of overlapping(/** @type {[number, number, number][]} */ (files.slots), first, size, SLOTS)) {
    const held = code === LIVE ? files.buffered : files.acks;
    for (const [from, length, waits] of split(held, start, count)) {
      if (code === LIVE)
        for (const [at, many, tone] of cut(tones, from, length, "delta")) found.push([at, many, { tone, there: true, waits }]);
      else found.push([from, length, { tone: code === ERASED ? "erased" : "acked", there: false, waits }]);
    }
  }
  return found;
}

/**
 * A stretch in parts, each with whether it lies in the ranges.
 * @param {Range[]} ranges
 * @param {number} start
 * @param {number} count
 */
function split(ranges, start, count) {
  /** @type {[start: number, count: number, inside: boolean][]} */
  const found = [];
  let at = start;
  for (const [from, length] of [...overlapping(ranges, start, count, RANGES), /** @type {Range} */ ([start + count, 0])]) {
    if (from > at) found.push([at, from - at, false]);
    if (length) found.push([from, length, true]);
    at = from + length;
  }
  return found;
}

/**
 * Slots of which only the number of live ones is known since a start.
 * @param {[start: number, count: number, look: Values][]} slots
 * @param {number} first
 * @param {number} written how many slots the file reaches over
 */
function unreadSlots(slots, first, written) {
  /** @type {Range[]} */
  const left = written ? [[first, written]] : [];
  for (const [start, count] of slots) remove(left, start, count, RANGES);
  return left.map(([start, count]) => /** @type {[number, number, { tone: string, there: boolean, waits: boolean }]} */ ([
    start,
    count,
    { tone: "unread", there: false, waits: false },
  ]));
}

/**
 * @param {FilesState} files
 * @param {number} first
 * @param {number} size
 * @param {Tone[]} tones
 * @param {number} disk bytes of the file
 */
function bodiesOf(files, first, size, tones, disk) {
  /** @type {[from: number, to: number, look: { tone: string, waits: boolean, each?: number }][]} */
  const blocks = [];
  const rows = overlapping(/** @type {BodyRow[]} */ (files.places), first, size, BODIES);
  rows.sort((a, b) => a[B.offset] - b[B.offset]);
  let at = HEADER_BYTES;
  // Below what a start found, a gap may be dead bodies as well as a hole: nobody has looked.
  const unread = files.unread.find(([number]) => number === first / size)?.[1] ?? 0;
  let [dead, holes] = [0, 0];
  /** @param {number} to */
  const gap = (to) => {
    const edge = Math.min(to, Math.max(at, unread));
    if (edge > at) blocks.push([at, edge, { tone: "unread", waits: false }]);
    if (to > edge) blocks.push([edge, to, { tone: "hole", waits: false }]);
    holes += Math.max(0, to - edge);
  };
  for (const row of rows) {
    gap(row[B.offset]);
    const end = bodiesEnd(row);
    if (row[B.code] === HOLE) {
      blocks.push([row[B.offset], end, { tone: "hole", waits: false }]);
      holes += end - row[B.offset];
    } else
      for (const [start, count, gone] of split(goneIn(files, row), row[B.start], row[B.count]))
        for (const [from, many, tone] of gone ? /** @type {Tone[]} */ ([[start, count, "garbage"]]) : cut(tones, start, count, "delta")) {
          const [low, high] = [bodyAt(row, from), bodyAt(row, from + many)];
          blocks.push([low, high, { tone, waits: row[B.code] === WAITING, each: (high - low) / many }]);
          if (gone) dead += many;
        }
    at = Math.max(at, end);
  }
  gap(disk);
  return { blocks, dead, holes, end: Math.max(disk, rows.length ? at : 0) };
}

/**
 * Of some bodies those whose message is over.
 * @param {FilesState} files
 * @param {BodyRow} row
 * @returns {Range[]}
 */
function goneIn(files, row) {
  const slots = /** @type {[number, number, number][]} */ (files.slots);
  return overlapping(slots, row[B.start], row[B.count], SLOTS)
    .filter((slot) => slot[S.code] === ACKED || slot[S.code] === ERASED)
    .map(([start, count]) => [start, count]);
}

/**
 * @param {ReturnType<typeof segmentOf>} segment
 * @param {ReturnType<typeof planOf>} plan
 * @param {number} y
 * @param {number} scale
 */
function itemOf(segment, plan, y, scale) {
  const { number, size, first } = segment;
  const item = {
    number,
    size,
    x: 0,
    y,
    w: plan.width,
    h: plan.itemHeight,
    mapX: plan.name,
    grid: plan.grid,
    bytes: segment.bytes,
    live: segment.live,
    unread: segment.unread,
    dead: segment.dead,
    disk: segment.disk,
    nameX: plan.name + plan.map + COUNT,
    bar: { ...plan.bar, y, h: BAR_HEIGHT, end: (segment.end / scale) * plan.bar.w, written: ((segment.disk ?? 0) / scale) * plan.bar.w },
    /** @type {Values[]} */
    cells: [],
    /** @type {Block[]} */
    blocks: [],
    header: segment.disk ? Math.max(1, (HEADER_BYTES / scale) * plan.bar.w) : 0,
  };
  for (const [start, count, look] of segment.slots) pushCells(item, start - first, count, look);
  const perByte = plan.bar.w / scale;
  item.blocks = segment.blocks.map(([from, to, { each = 0, ...look }]) => ({
    x: plan.bar.x + from * perByte,
    w: (to - from) * perByte,
    ...look,
    each: each * perByte,
  }));
  if (item.blocks.length > MAX_BLOCKS) item.blocks = binned(item.blocks, { ...plan.bar, y, h: BAR_HEIGHT });
  return item;
}

/**
 * The message whose slot or body is at a point of the scene, or null.
 * @param {OwnScene} scene
 * @param {QueueSnapshot} queue
 * @param {number} x
 * @param {number} y
 */
export function messageAt(scene, queue, x, y) {
  const slot = entryAt(scene, x, y);
  if (slot !== null) return slot;
  const item = scene.items.find((each) => !each.folded && y >= each.bar.y && y < each.bar.y + each.bar.h);
  if (!item || x < item.bar.x || x >= item.bar.x + item.bar.end) return null;
  const at = ((x - item.bar.x) / item.bar.w) * scene.scale;
  const rows = overlapping(/** @type {BodyRow[]} */ (queue.own.files.places), item.number * item.size, item.size, BODIES);
  const row = rows.find((each) => at >= each[B.offset] && at < bodiesEnd(each));
  if (!row) return null;
  let seq = row[B.start];
  while (bodyAt(row, seq + 1) <= at) seq += 1;
  return seq;
}

/**
 * The boxes of a message: of its slot, and of its body.
 * @param {OwnScene} scene
 * @param {QueueSnapshot} queue
 * @param {number} seq
 */
export function messageSpots(scene, queue, seq) {
  const segment = Math.floor(seq / scene.size);
  /** @type {FilesState} */
  const files = queue.own.files;
  const known = holding(/** @type {[number, number, number][]} */ (files.slots), seq);
  if (!known && !files.segments.some(([number]) => number === segment)) return [];
  const spot = entrySpot(scene, { segment, relative: seq % scene.size });
  /** @type {Box[]} */
  const found = spot ? [spot] : [];
  const item = scene.items.find((each) => each.number === segment);
  const row = holding(/** @type {BodyRow[]} */ (files.places), seq);
  if (item && row) {
    const perByte = item.bar.w / scene.scale;
    const [low, high] = [bodyAt(row, seq), bodyAt(row, seq + 1)];
    found.push({ x: item.bar.x + low * perByte, y: item.bar.y, w: Math.max(4, (high - low) * perByte), h: item.bar.h });
  }
  return found;
}

/**
 * What waits in the write buffer of the index: entries and acks.
 * @param {FilesState | undefined} files
 */
export function indexBuffer(files) {
  return { entries: total(files?.buffered ?? []), acks: total(files?.acks ?? []) };
}
