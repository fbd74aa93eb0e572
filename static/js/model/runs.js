/**
 * Ordered runs, the twin of engine/runs.py: sorted rows [start, count, ...] that stand for consecutive integers.
 * Rows are values: nothing here changes a row, only the arrays that hold them.
 *
 * A *shape* says how rows split and merge: part(row, offset, count) and continues(row, next).
 */

/** Messages: [start, count, msg_no, size_bytes, flags, expiry_us, template]. */
export const EXTENTS = {
  part: (row, offset, count) => {
    const part = row.slice();
    part[0] += offset;
    part[1] = count;
    part[2] += offset;
    return part;
  },
  continues: (row, next) =>
    row[4] === next[4] &&
    row[3] === next[3] &&
    row[2] + row[1] === next[2] &&
    row[5] === next[5] &&
    row[6] === next[6],
};

/** Index entries: [start, count, code]. */
export const ENTRIES = {
  part: (row, offset, count) => [row[0] + offset, count, row[2]],
  continues: (row, next) => row[2] === next[2],
};

/** Rows of a message store: [msg_no, count, refs, file, offset, record_bytes, step]; step -1 was written backwards. */
export const STORE_ROWS = {
  part: (row, offset, count) => {
    const part = row.slice();
    part[0] += offset;
    part[1] = count;
    part[4] += offset * row[6] * row[5];
    return part;
  },
  continues: (row, next) =>
    row[2] === next[2] &&
    row[3] === next[3] &&
    row[5] === next[5] &&
    row[6] === next[6] &&
    row[4] + row[1] * row[6] * row[5] === next[4],
};

/** Where the first byte of a store row is in its file. */
export function lowestByte(row) {
  return row[6] > 0 ? row[4] : row[4] - (row[1] - 1) * row[5];
}

/** Number of items that the rows stand for. */
export function total(rows) {
  let sum = 0;
  for (const row of rows) sum += row[1];
  return sum;
}

/** Index of the first row that starts after `start`. */
function after(rows, start) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][0] > start) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first row that ends after `start`. */
export function find(rows, start) {
  const at = after(rows, start);
  return at > 0 && rows[at - 1][0] + rows[at - 1][1] > start ? at - 1 : at;
}

/** The row that holds `item`, or null. */
export function holding(rows, item) {
  const row = rows[find(rows, item)];
  return row && row[0] <= item ? row : null;
}

/** The parts of the rows inside [start, start + count), without taking them. */
export function overlapping(rows, start, count, shape) {
  const found = [];
  const end = start + count;
  for (let at = find(rows, start); at < rows.length && rows[at][0] < end; at += 1) {
    const row = rows[at];
    const low = Math.max(start, row[0]);
    const high = Math.min(end, row[0] + row[1]);
    found.push(high - low === row[1] ? row : shape.part(row, low - row[0], high - low));
  }
  return found;
}

/** Put a row in its place, merged with its neighbours where they continue each other. */
export function insert(rows, row, shape) {
  let at = rows.length && rows[rows.length - 1][0] > row[0] ? after(rows, row[0]) : rows.length;
  const before = rows[at - 1];
  if (before && before[0] + before[1] > row[0]) throw new RangeError(`${row} overlaps ${before}`);
  if (at < rows.length && row[0] + row[1] > rows[at][0]) throw new RangeError(`${row} overlaps ${rows[at]}`);
  if (before && before[0] + before[1] === row[0] && shape.continues(before, row)) {
    at -= 1;
    rows[at] = shape.part(before, 0, before[1] + row[1]);
  } else {
    rows.splice(at, 0, row);
  }
  const next = rows[at + 1];
  if (next && rows[at][0] + rows[at][1] === next[0] && shape.continues(rows[at], next)) {
    rows.splice(at, 2, shape.part(rows[at], 0, rows[at][1] + next[1]));
  }
}

/** Take what lies inside [start, start + count) and return it; what is not here is passed over. */
export function remove(rows, start, count, shape) {
  const end = start + count;
  const at = find(rows, start);
  let stop = at;
  while (stop < rows.length && rows[stop][0] < end) stop += 1;
  if (stop === at) return [];
  const found = overlapping(rows, start, count, shape);
  const rest = [];
  const first = rows[at];
  const last = rows[stop - 1];
  if (first[0] < start) rest.push(shape.part(first, 0, start - first[0]));
  if (last[0] + last[1] > end) rest.push(shape.part(last, end - last[0], last[0] + last[1] - end));
  rows.splice(at, stop - at, ...rest);
  return found;
}
