/** The leader line from a message to its bytes: down to the gap between stage and files, along it, and down to the bytes. */

/** @import { Box } from "./geometry.js" */

const RADIUS = 7;

/**
 * An SVG path from a point, along the height `gap`, to the top of a box. All in pixels of the page.
 * @param {{ x: number, y: number }} from
 * @param {Box} to
 * @param {number} gap
 */
export function leaderPath(from, to, gap) {
  const x = to.x + to.w / 2;
  const across = x - from.x;
  const bend = Math.min(RADIUS, Math.abs(across) / 2, Math.max(0, gap - from.y), Math.max(0, to.y - gap));
  const side = Math.sign(across) * bend;
  const start = `M${round(from.x)} ${round(from.y)}`;
  if (Math.abs(across) < 1) return `${start}V${round(to.y)}`;
  return [
    start,
    `V${round(gap - bend)}`,
    `q0 ${round(bend)} ${round(side)} ${round(bend)}`,
    `H${round(x - side)}`,
    `q${round(side)} 0 ${round(side)} ${round(bend)}`,
    `V${round(to.y)}`,
  ].join("");
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;
