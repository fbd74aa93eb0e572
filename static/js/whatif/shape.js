/** Geometry of the small charts: pure functions from numbers to SVG path data. */

/**
 * The line of a slice through the heatmap, and the area under it, in a box `count` wide and 1 high.
 * Values stand in the middle of their cells; `null` (a failed run) breaks nothing, it is left out.
 * @param {(number|null)[]} values in the order in which they are drawn
 * @param {number} largest the value that reaches the far edge
 * @param {"x"|"y"} axis "x" draws upwards from the lower edge, "y" to the right from the left edge
 * @param {boolean} signed whether zero lies in the middle, for differences
 * @returns {{line: string, area: string}}
 */
export function slice(values, largest, axis, signed = false) {
  /** @type {[x: number, y: number][]} */
  const points = [];
  const zero = signed ? 0.5 : 0;
  values.forEach((value, index) => {
    if (value === null) return;
    const part = largest > 0 ? value / largest : 0;
    const share = Math.max(0, Math.min(1, signed ? (part + 1) / 2 : part));
    points.push(axis === "x" ? [index + 0.5, 1 - share] : [share, index + 0.5]);
  });
  if (points.length === 0) return { line: "", area: "" };
  const line = `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}`;
  const [first, last] = [points[0], points[points.length - 1]];
  const area = axis === "x"
    ? `${line}L${round(last[0])} ${1 - zero}L${round(first[0])} ${1 - zero}Z`
    : `${line}L${zero} ${round(last[1])}L${zero} ${round(first[1])}Z`;
  return { line, area };
}

/**
 * A line of samples in a box 100 wide and 40 high, from 0 to the largest.
 * @param {number[]} samples at equal distances; the box begins one distance before the first
 * @param {number} largest the value that reaches the upper edge
 * @returns {string} path data
 */
export function sparkline(samples, largest) {
  return samples.map((sample, index) => {
    const x = (100 * (index + 1)) / samples.length;
    return `${index ? "L" : "M"}${round(x)} ${height(sample, largest)}`;
  }).join("");
}

/**
 * Areas stacked on each other in the same box, the first one at the bottom.
 * @param {number[][]} series one list of samples for each area, all of one length
 * @returns {string[]} path data; empty for an area that is nowhere
 */
export function stacked(series) {
  const length = series[0]?.length ?? 0;
  /** @type {number[][]} */
  const sums = [new Array(length).fill(0)];
  for (const samples of series) sums.push(sums[sums.length - 1].map((sum, index) => sum + samples[index]));
  const largest = Math.max(0, ...sums[sums.length - 1]);
  return series.map((samples, index) => {
    if (!samples.some((sample) => sample > 0)) return "";
    const [below, above] = [sums[index], sums[index + 1]];
    /** @param {number} place */
    const x = (place) => round((100 * (place + 1)) / length);
    const up = above.map((sum, place) => `${x(place)} ${height(sum, largest)}`);
    const down = below.map((sum, place) => `${x(place)} ${height(sum, largest)}`).reverse();
    return `M${[...up, ...down].join("L")}Z`;
  });
}

/**
 * A level line in the same box, empty for a level that is not known or lies above the box.
 * @param {number | null} value
 * @param {number} largest
 * @returns {string} path data
 */
export function level(value, largest) {
  return value === null || value > largest ? "" : `M0 ${height(value, largest)}h100`;
}

/**
 * @param {number} value
 * @param {number} largest
 */
function height(value, largest) {
  return round(39 - (37 * value) / Math.max(largest, 1));
}

/**
 * Where the tip stands: beside the cell, inside the window. One that is as wide as the window, as on a phone, lies at
 * its bottom, or at its top where only that leaves the cell in sight. `hides` says how much of the cell it hides there.
 * @param {{left: number, right: number, top: number, bottom: number}} cell
 * @param {{width: number, height: number}} tip
 * @param {{width: number, height: number}} view
 * @returns {{left: number, top: number, hides: number}}
 */
export function tipPlace(cell, tip, view) {
  const gap = 10;
  const lowest = view.height - tip.height - gap;
  if (tip.width > view.width - 4 * gap) {
    const hides = Math.ceil(Math.max(0, cell.bottom - lowest));
    return hides && gap + tip.height <= cell.top
      ? { left: gap, top: gap, hides: 0 }
      : { left: gap, top: Math.max(gap, lowest), hides };
  }
  const fitsRight = cell.right + gap + tip.width <= view.width - gap;
  const left = fitsRight ? cell.right + gap : Math.max(gap, cell.left - gap - tip.width);
  const top = Math.max(gap, Math.min(cell.top, lowest));
  return { left, top, hides: 0 };
}

/**
 * The cell that an arrow key leads to.
 * @param {string} key the key's name
 * @param {{row: number, column: number}} at
 * @param {{rows: number, columns: number}} size
 * @returns {{row: number, column: number}|null} null for a key that does not move
 */
export function moved(key, at, size) {
  const end = { row: size.rows - 1, column: size.columns - 1 };
  /** @type {Record<string, {row: number, column: number}>} */
  const cells = {
    ArrowLeft: { ...at, column: at.column - 1 },
    ArrowRight: { ...at, column: at.column + 1 },
    ArrowUp: { ...at, row: at.row - 1 },
    ArrowDown: { ...at, row: at.row + 1 },
    Home: { ...at, column: 0 },
    End: { ...at, column: end.column },
    PageUp: { ...at, row: 0 },
    PageDown: { ...at, row: end.row },
  };
  const to = cells[key];
  if (!to) return null;
  return { row: clamp(to.row, end.row), column: clamp(to.column, end.column) };
}

/**
 * @param {number} value
 * @param {number} largest
 */
function clamp(value, largest) {
  return Math.max(0, Math.min(largest, value));
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}
