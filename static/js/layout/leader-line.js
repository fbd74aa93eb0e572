/** The leader line from a message to its bytes: down to the gap between stage and files, along it, and down to the bytes. */

/** @import { Box } from "./geometry.js" */

const RADIUS = 7;

/** How far the line is drawn in full at its message and at its bytes; in between it passes behind words. */
const STUB = 10;

/**
 * The line's two SVG paths, from a point along the height `gap` to the top of a box: what is drawn in full, and what passes behind
 * the words between stage and files. All in pixels of the page.
 * @param {{ x: number, y: number }} from
 * @param {Box} to
 * @param {number} gap
 */
export function leaderPath(from, to, gap) {
  const x = to.x + to.w / 2;
  const across = x - from.x;
  const bend = Math.min(RADIUS, Math.abs(across) / 2, Math.max(0, gap - from.y), Math.max(0, to.y - gap));
  const side = Math.sign(across) * bend;
  const [leaves, comes] = [gap - bend, gap + bend];
  const full = [`M${round(from.x)} ${round(from.y)}V${round(Math.min(from.y + STUB, leaves))}`];
  const behind = [];
  if (from.y + STUB < leaves) behind.push(`M${round(from.x)} ${round(from.y + STUB)}V${round(leaves)}`);
  if (side)
    full.push(
      `M${round(from.x)} ${round(leaves)}`,
      `q0 ${round(bend)} ${round(side)} ${round(bend)}`,
      `H${round(x - side)}`,
      `q${round(side)} 0 ${round(side)} ${round(bend)}`,
    );
  if (comes < to.y - STUB) behind.push(`M${round(x)} ${round(comes)}V${round(to.y - STUB)}`);
  full.push(`M${round(x)} ${round(Math.max(comes, to.y - STUB))}V${round(to.y)}`);
  return { full: full.join(""), behind: behind.join("") };
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;
