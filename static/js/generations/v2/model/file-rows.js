/**
 * What is known of single slots of `.qi` and single bodies of `.qs`: the twin of engine/classic_v2/files_table.py.
 *
 * A row of slots is [start, count, code], one of bodies [start, count, offset, bytes of each, code, message number]; by the
 * last the bytes are found where they differ.
 */
import { recordBytes } from "../../../model/columns.js";

/** @import { Shape } from "../../../model/stretches.js" */

/** @typedef {[start: number, count: number, code: number]} SlotRow */

/** @typedef {[start: number, count: number, offset: number, entryBytes: number, code: number, msgNo: number]} BodyRow */

/** What became of a slot: its message is there; it was acknowledged; that was before the slot was ever written (W86). */
export const LIVE = 0;
export const ACKED = 1;
export const ERASED = 2;

/** Of a body: not written yet; written, for good (W119); never written, so that its place stays empty (W116). */
export const WAITING = 0;
export const WRITTEN = 1;
export const HOLE = 2;

/** Places of the fields of a row of slots. */
export const SLOT = { start: 0, count: 1, code: 2 };
/** Places of the fields of a row of bodies. */
export const BODY = { start: 0, count: 1, offset: 2, bytes: 3, code: 4, msgNo: 5 };

/** The header of a `.qi` and a `.qs` file (W82), a slot (W81), and what stands before each body (W112). */
export const HEADER_BYTES = 64;
export const SLOT_BYTES = 32;
export const ENTRY_HEADER_BYTES = 8;

/** @type {Shape<SlotRow>} */
export const SLOTS = {
  part: (row, offset, count) => [row[SLOT.start] + offset, count, row[SLOT.code]],
  continues: (row, next) => row[SLOT.code] === next[SLOT.code],
};

/**
 * Where the body of a position begins; behind the last, where the row ends.
 * @param {BodyRow} row
 * @param {number} seq
 */
export function bodyAt(row, seq) {
  return row[BODY.offset] + recordBytes(row[BODY.bytes], row[BODY.msgNo], seq - row[BODY.start]);
}

/**
 * Where a row ends in its file.
 * @param {BodyRow} row
 */
export const bodiesEnd = (row) => bodyAt(row, row[BODY.start] + row[BODY.count]);

/** @type {Shape<BodyRow>} */
export const BODIES = {
  part: (row, offset, count) => [
    row[BODY.start] + offset,
    count,
    bodyAt(row, row[BODY.start] + offset),
    row[BODY.bytes],
    row[BODY.code],
    row[BODY.bytes] < 0 ? row[BODY.msgNo] + offset : 0,
  ],
  continues: (row, next) =>
    row[BODY.bytes] === next[BODY.bytes] &&
    row[BODY.code] === next[BODY.code] &&
    bodiesEnd(row) === next[BODY.offset] &&
    (row[BODY.bytes] >= 0 || row[BODY.msgNo] + row[BODY.count] === next[BODY.msgNo]),
};
