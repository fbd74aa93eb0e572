/** Texts: Django's JavaScript catalogue where the page has loaded it, the English original elsewhere. */

/** @import { Values } from "./catalogue/types.js" */

/** @typedef {(one: string, many: string, count: number) => string} Plural */

/** @type {{ gettext?: (text: string) => string, ngettext?: Plural }} what Django's catalogue adds to the page */
const page = /** @type {object} */ (globalThis);

/**
 * Translate a text.
 * @param {string} text
 */
export function gettext(text) {
  return page.gettext ? page.gettext(text) : text;
}

/**
 * Translate a text that depends on a number.
 * @param {string} one
 * @param {string} many
 * @param {number} count
 */
export function ngettext(one, many, count) {
  if (page.ngettext) return page.ngettext(one, many, count);
  return count === 1 ? one : many;
}

/**
 * Fill the places like %(name)s of a text.
 * @param {string} text
 * @param {Values} values
 */
export function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * What went wrong, in the words of the error that was thrown.
 * @param {unknown} error
 */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** A narrow one at which no line breaks: a number in two lines is two numbers. */
const THIN_SPACE = "\u202f";

/**
 * A whole number with thin spaces between the thousands.
 * @param {number | null | undefined} value
 */
export function number(value) {
  if (value === null || value === undefined) return "\u221e";
  const sign = value < 0 ? "\u2212" : "";
  return sign + String(Math.abs(Math.round(value))).replace(/\B(?=(\d{3})+(?!\d))/g, THIN_SPACE);
}

const THOUSANDS = ["", "k", "M", "G"];

/**
 * A number that is read at a glance: 940, 12.3 k, 1.2 M.
 * @param {number} value
 */
export function compact(value) {
  let amount = Math.abs(value);
  let power = 0;
  while (amount >= 9999.5 && power < THOUSANDS.length - 1) {
    amount /= 1000;
    power += 1;
  }
  if (power === 0) return number(value);
  const text = amount >= 100 ? String(Math.round(amount)) : decimal(amount, 1);
  return `${value < 0 ? "\u2212" : ""}${text}${THIN_SPACE}${THOUSANDS[power]}`;
}

/**
 * A change: always with its sign.
 * @param {number} value
 */
export function signed(value) {
  return value > 0 ? `+${number(value)}` : number(value);
}

/**
 * A number with a few decimals, without trailing zeros.
 * @param {number} value
 */
export function decimal(value, places = 2) {
  return String(Number(Number(value).toFixed(places)));
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/**
 * Bytes in the unit that gives at most four digits.
 * @param {number | null | undefined} value
 */
export function bytes(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u221e";
  let amount = Math.abs(value);
  let unit = 0;
  while (amount >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  const text = unit === 0 || amount >= 100 ? String(Math.round(amount)) : decimal(amount, 1);
  return `${value < 0 ? "\u2212" : ""}${text}${THIN_SPACE}${UNITS[unit]}`;
}

/**
 * Virtual time as minutes, seconds and milliseconds: 00:16.412.
 * @param {number | null | undefined} us
 */
export function clock(us) {
  const ms = Math.floor((us || 0) / 1000);
  const minutes = String(Math.floor(ms / 60000)).padStart(2, "0");
  return `${minutes}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}.${String(ms % 1000).padStart(3, "0")}`;
}

/** Units of a time that lasts, with their microseconds. @type {[string, number][]} */
const SPANS = [
  ["s", 1e6],
  ["min", 60e6],
  ["h", 3600e6],
  ["d", 86400e6],
];

/**
 * How long something lasts, in the unit that is read at a glance: 4.25 s, 90 s, 3 min, 7 d.
 * @param {number} us
 */
export function span(us) {
  const [unit, size] = SPANS.findLast(([, least]) => us >= 2 * least) ?? SPANS[0];
  const amount = us / size;
  return `${amount >= 1000 ? number(amount) : decimal(amount, unit === "s" ? 3 : 1)}${THIN_SPACE}${unit}`;
}

/**
 * Virtual time as plain seconds: 16.412.
 * @param {number | null | undefined} us
 */
export function seconds(us, places = 3) {
  return ((us || 0) / 1e6).toFixed(places);
}
