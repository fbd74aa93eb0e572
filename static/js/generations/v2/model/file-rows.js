/**
 * What is known of single slots of `.qi` and single bodies of `.qs`: the twin of engine/classic_v2/files_table.py.
 *
 * A row of slots is [start, count, code], one of bodies [start, count, offset, bytes of each, code].
 */

/** @import { Shape } from "../../../model/stretches.js" */

/** @typedef {[start: number, count: number, code: number]} SlotRow */

/** @typedef {[start: number, count: number, offset: number, entryBytes: number, code: number]} BodyRow */

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
export const BODY = { start: 0, count: 1, offset: 2, bytes: 3, code: 4 };

/** The header of a `.qi` and a `.qs` file (W82), a slot (W81), and what stands before each body (W112). */
export const HEADER_BYTES = 64;
export const SLOT_BYTES = 32;
export const ENTRY_HEADER_BYTES = 8;

/** @type {Shape<SlotRow>} */
export const SLOTS = {
  part: (row, offset, count) => [row[SLOT.start] + offset, count, row[SLOT.code]],
  continues: (row, next) => row[SLOT.code] === next[SLOT.code],
};

/** @type {Shape<BodyRow>} */
export const BODIES = {
  part: (row, offset, count) => [
    row[BODY.start] + offset,
    count,
    row[BODY.offset] + offset * row[BODY.bytes],
    row[BODY.bytes],
    row[BODY.code],
  ],
  continues: (row, next) =>
    row[BODY.bytes] === next[BODY.bytes] &&
    row[BODY.code] === next[BODY.code] &&
    row[BODY.offset] + row[BODY.count] * row[BODY.bytes] === next[BODY.offset],
};
