/** A record as rows of hexadecimal bytes, cut where its fields end. */

/** @import { Values } from "../model/catalogue/types.js" */

/** @typedef {{ at: number, cells: { field: number, bytes: string[], first: boolean }[] }} ByteRow a row of bytes, cut where fields end */

/** @typedef {{ more: number, field: number }} LeftOut how many bytes of a field are left out */

/**
 * A record as the host takes it apart: its bytes in `hex`, and its fields.
 * @typedef {Values & { hex: string, offset: number, fields: HexField[] }} HexRecord
 * @typedef {Values & { name: string, value: string, offset: number, shown: number, length: number, part?: string, bits?: [name: string, high: number, low: number, value: number, words: string][] }} HexField
 */

const COLUMNS = 16;
const BODY_BYTES = 32;

/**
 * Rows of a record: {at, cells} with cells {field, bytes: ["c2", ..], first, label}, or {more, field} where bytes are
 * left out. `at` is the offset in the file. A field goes on in the next row; only its first cell has `first`. Without
 * `all`, no more than 32 bytes of a body are shown.
 * @param {HexRecord} record
 */
export function hexRows(record, all = false, columns = COLUMNS) {
  /** @type {(ByteRow | LeftOut)[]} */
  const rows = [];
  const bytes = record.hex.match(/../g) || [];
  let read = 0;
  /** @type {{ field: number, bytes: string[], first: boolean }[]} */
  let cells = [];
  let left = 0;
  /** @param {number} at */
  const begin = (at) => {
    cells = [];
    rows.push({ at, cells });
    left = columns;
  };
  record.fields.forEach((field, index) => {
    const most = field.part === "body" && !all ? Math.min(BODY_BYTES, field.shown) : field.shown;
    const own = bytes.slice(read, read + most);
    read += field.shown;
    let done = 0;
    while (done < own.length) {
      if (!left) begin(record.offset + field.offset + done);
      const part = own.slice(done, done + left);
      cells.push({ field: index, bytes: part, first: done === 0 });
      done += part.length;
      left -= part.length;
    }
    if (own.length < field.length) {
      rows.push({ more: field.length - own.length, field: index });
      left = 0;
    }
  });
  return rows;
}

/**
 * Whether a name of so many characters fits under so many bytes (a byte is as wide as three narrow letters).
 * @param {string} name
 * @param {number} count
 */
export function fitsUnder(name, count) {
  return name.length <= count * 3 + 1;
}

/**
 * The bits of a field as groups: {name, digits, words}; long groups are cut in the middle.
 * @param {HexField} field
 */
export function bitGroups(field) {
  return (field.bits ?? []).map(([name, high, low, value, words]) => {
    const digits = value.toString(2).padStart(high - low + 1, "0");
    return { name, high, low, words, digits: digits.length > 16 ? `${digits.slice(0, 2)}…${digits.slice(-8)}` : digits };
  });
}

/**
 * A record as text to copy: offset, bytes, and the fields below.
 * @param {HexRecord} record
 * @param {(field: HexField) => string} [words]
 */
export function hexText(record, words = (field) => `${field.name}: ${field.value}`) {
  const lines = [`${record.name} @ 0x${record.offset.toString(16)}, ${record.size} B`];
  let read = 0;
  for (const field of record.fields) {
    const hex = record.hex.slice(2 * read, 2 * (read + field.shown));
    read += field.shown;
    const more = field.shown < field.length ? ` … ${field.length - field.shown} B` : "";
    const at = (record.offset + field.offset).toString(16).padStart(8, "0");
    lines.push(`${at}  ${hex.match(/../g)?.join(" ") ?? ""}${more}  ${words(field)} (${field.rule})`);
  }
  return lines.join("\n");
}
