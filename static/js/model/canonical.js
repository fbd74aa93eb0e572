/** One text for one state, to compare the page's fold with the engine's snapshot. */

/** @import { Values } from "./catalogue/types.js" */

/**
 * JSON with sorted keys: equal states give equal texts.
 * @param {unknown} state
 */
export function canonical(state) {
  return JSON.stringify(tidy(state));
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function tidy(value) {
  if (Array.isArray(value)) return value.map(tidy);
  if (!isTable(value)) return value;
  /** @type {Values} */
  const sorted = {};
  for (const key of Object.keys(value).sort()) sorted[key] = tidy(value[key]);
  return sorted;
}

/**
 * Whether a value is an object with names: no list, no plain value.
 * @param {unknown} value
 * @returns {value is Values}
 */
function isTable(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/**
 * The paths at which two states differ, at most `limit` of them.
 * @param {unknown} left
 * @param {unknown} right
 */
export function differences(left, right, limit = 10) {
  /** @type {string[]} */
  const found = [];
  compare(tidy(left), tidy(right), "", found, limit);
  return found;
}

/**
 * @param {unknown} left
 * @param {unknown} right
 * @param {string} path
 * @param {string[]} found
 * @param {number} limit
 */
function compare(left, right, path, found, limit) {
  if (found.length >= limit || JSON.stringify(left) === JSON.stringify(right)) return;
  if (!isTable(left) || !isTable(right)) {
    found.push(`${path}: ${JSON.stringify(left)} is not ${JSON.stringify(right)}`);
    return;
  }
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    compare(left[key], right[key], `${path}/${key}`, found, limit);
  }
}
