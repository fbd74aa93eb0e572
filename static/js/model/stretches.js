/**
 * Ordered stretches, the twin of engine/values/stretches.py: sorted rows [start, count, ...] that stand for consecutive integers.
 * Rows are values: nothing here changes a row, only the arrays that hold them.
 *
 * A *shape* defines how rows split and merge: part(row, offset, count) and continues(row, next).
 */
import { ENTRY as N, EXTENT as E, STORE_ROW as S } from "./catalogue/rows.js";
import { recordBytes } from "./columns.js";

/** @import { IndexEntry, Extent, Range, StoreRow } from "./catalogue/types.js" */

/**
 * What every row begins with: its first number and its count.
 * @typedef {[start: number, count: number, ...rest: number[]]} Numbered
 */

/**
 * How rows of one kind split and merge.
 * @template {Numbered} R
 * @typedef {{ part: (row: R, offset: number, count: number) => R, continues: (row: R, next: R) => boolean }} Shape
 */

/** Every stretch begins with its first number and its count, whatever follows. */
const { start: START, count: COUNT } = E;

/**
 * Messages: rows of EXTENT.
 * @type {Shape<Extent>}
 */
export const EXTENTS = {
  part: (row, offset, count) => {
    const part = /** @type {Extent} */ (row.slice());
    part[E.start] += offset;
    part[E.count] = count;
    part[E.msg_no] += offset;
    return part;
  },
  continues: (row, next) =>
    row[E.flags] === next[E.flags] &&
    row[E.size_bytes] === next[E.size_bytes] &&
    row[E.msg_no] + row[E.count] === next[E.msg_no] &&
    row[E.expiry_us] === next[E.expiry_us] &&
    row[E.template] === next[E.template],
};

/**
 * Index entries: rows of ENTRY.
 * @type {Shape<IndexEntry>}
 */
export const ENTRIES = {
  part: (row, offset, count) => [row[N.start] + offset, count, row[N.code]],
  continues: (row, next) => row[N.code] === next[N.code],
};

/**
 * Numbers of which nothing else is known: [start, count].
 * @type {Shape<Range>}
 */
export const RANGES = {
  part: (row, offset, count) => [row[START] + offset, count],
  continues: () => true,
};

/**
 * Rows of a message store: rows of STORE_ROW; step -1 was written backwards.
 * @type {Shape<StoreRow>}
 */
export const STORE_ROWS = {
  part: (row, offset, count) => {
    const part = /** @type {StoreRow} */ (row.slice());
    part[S.start] += offset;
    part[S.count] = count;
    part[S.offset] = offsetOf(row, offset);
    return part;
  },
  continues: (row, next) =>
    row[S.refs] === next[S.refs] &&
    row[S.file] === next[S.file] &&
    row[S.record_bytes] === next[S.record_bytes] &&
    row[S.step] === next[S.step] &&
    offsetOf(row, row[S.count]) === next[S.offset],
};

/**
 * Offset of the record of the message that is `skip` behind a row's first.
 * @param {StoreRow} row
 * @param {number} skip
 */
export function offsetOf(row, skip) {
  const each = row[S.record_bytes];
  if (row[S.step] > 0) return row[S.offset] + recordBytes(each, row[S.start], skip);
  return row[S.offset] - recordBytes(each, row[S.start] + 1, skip);
}

/**
 * How far behind a row's first message the one is whose record covers a byte of the file.
 * @param {StoreRow} row
 * @param {number} at inside the row
 */
export function recordAt(row, at) {
  let low = 0;
  let high = row[S.count] - 1;
  while (low < high) {
    const middle = (low + high + (row[S.step] > 0 ? 1 : 0)) >> 1;
    const before = offsetOf(row, middle) <= at;
    if (row[S.step] > 0) [low, high] = before ? [middle, high] : [low, middle - 1];
    else [low, high] = before ? [low, middle] : [middle + 1, high];
  }
  return low;
}

/**
 * Bytes of all records of a store row.
 * @param {StoreRow} row
 */
export function bytesOfRow(row) {
  return recordBytes(row[S.record_bytes], row[S.start], row[S.count]);
}

/**
 * Where the first byte of a store row is in its file.
 * @param {StoreRow} row
 */
export function lowestByte(row) {
  return row[S.step] > 0 ? row[S.offset] : offsetOf(row, row[S.count] - 1);
}

/**
 * Number of items that the rows stand for.
 * @param {Numbered[]} rows
 */
export function total(rows) {
  let sum = 0;
  for (const row of rows) sum += row[COUNT];
  return sum;
}

/**
 * Index of the first row that starts after `start`.
 * @param {Numbered[]} rows
 * @param {number} start
 */
function after(rows, start) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][START] > start) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Index of the first row that ends after `start`.
 * @param {Numbered[]} rows
 * @param {number} start
 */
export function find(rows, start) {
  const at = after(rows, start);
  return at > 0 && rows[at - 1][START] + rows[at - 1][COUNT] > start ? at - 1 : at;
}

/**
 * The row that holds `item`, or null.
 * @template {Numbered} R
 * @param {R[]} rows
 * @param {number} item
 * @returns {R | null}
 */
export function holding(rows, item) {
  const row = rows[find(rows, item)];
  return row && row[START] <= item ? row : null;
}

/**
 * The parts of the rows inside [start, start + count), without taking them.
 * @template {Numbered} R
 * @param {R[]} rows
 * @param {number} start
 * @param {number} count
 * @param {Shape<R>} shape
 * @returns {R[]}
 */
export function overlapping(rows, start, count, shape) {
  /** @type {R[]} */
  const found = [];
  const end = start + count;
  for (let at = find(rows, start); at < rows.length && rows[at][START] < end; at += 1) {
    const row = rows[at];
    const low = Math.max(start, row[START]);
    const high = Math.min(end, row[START] + row[COUNT]);
    found.push(high - low === row[COUNT] ? row : shape.part(row, low - row[START], high - low));
  }
  return found;
}

/**
 * Put a row in its place, merged with its neighbours where they continue each other.
 * @template {Numbered} R
 * @param {R[]} rows
 * @param {R} row
 * @param {Shape<R>} shape
 */
export function insert(rows, row, shape) {
  let at = rows.length && rows[rows.length - 1][START] > row[START] ? after(rows, row[START]) : rows.length;
  const before = rows[at - 1];
  if (before && before[START] + before[COUNT] > row[START]) throw new RangeError(`${row} overlaps ${before}`);
  if (at < rows.length && row[START] + row[COUNT] > rows[at][START]) throw new RangeError(`${row} overlaps ${rows[at]}`);
  if (before && before[START] + before[COUNT] === row[START] && shape.continues(before, row)) {
    at -= 1;
    rows[at] = shape.part(before, 0, before[COUNT] + row[COUNT]);
  } else {
    rows.splice(at, 0, row);
  }
  const next = rows[at + 1];
  if (next && rows[at][START] + rows[at][COUNT] === next[START] && shape.continues(rows[at], next)) {
    rows.splice(at, 2, shape.part(rows[at], 0, rows[at][COUNT] + next[COUNT]));
  }
}

/**
 * Take what lies inside [start, start + count) and return it; what is not here is passed over.
 * @template {Numbered} R
 * @param {R[]} rows
 * @param {number} start
 * @param {number} count
 * @param {Shape<R>} shape
 * @returns {R[]}
 */
export function remove(rows, start, count, shape) {
  const end = start + count;
  const at = find(rows, start);
  let stop = at;
  while (stop < rows.length && rows[stop][START] < end) stop += 1;
  if (stop === at) return [];
  const found = overlapping(rows, start, count, shape);
  /** @type {R[]} */
  const rest = [];
  const first = rows[at];
  const last = rows[stop - 1];
  if (first[START] < start) rest.push(shape.part(first, 0, start - first[START]));
  if (last[START] + last[COUNT] > end) rest.push(shape.part(last, end - last[START], last[START] + last[COUNT] - end));
  rows.splice(at, stop - at, ...rest);
  return found;
}
